//! Converts Markdown to HTML. HTML in the text is shown as text.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, html};

use crate::page;

/// The location of a page's pictures and of other pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageLocation {
    /// In the window: pictures are embedded, and links name the page.
    Window,
    /// In a folder of web pages.
    Folder,
}

/// Converts a page's text to HTML.
#[must_use]
pub fn render_html(markdown: &str, location: PageLocation) -> String {
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES).map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Image { link_type, dest_url: picture_url(dest_url, location), title, id })
        }
        Event::Start(Tag::Link { link_type: LinkType::Inline, dest_url, title, id }) => Event::Start(Tag::Link {
            link_type: LinkType::Inline,
            dest_url: page_url(&dest_url, location).into(),
            title,
            id,
        }),
        other => other,
    });
    let mut text = String::with_capacity(markdown.len() * 2);
    html::push_html(&mut text, events);
    text
}

fn picture_url(address: CowStr<'_>, location: PageLocation) -> CowStr<'_> {
    if location == PageLocation::Folder {
        return address;
    }
    let id = address.rsplit('/').next().and_then(|name| name.strip_suffix(".png"));
    match id.and_then(page::picture) {
        Some(bytes) => format!("data:image/png;base64,{}", STANDARD.encode(bytes)).into(),
        None => address,
    }
}

fn page_url(address: &str, location: PageLocation) -> String {
    match (address.strip_suffix(".md"), location) {
        (Some(id), PageLocation::Window) => format!("./#{id}"),
        (Some(id), PageLocation::Folder) => format!("{id}.html"),
        (None, _) => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{PageLocation, render_html};
    use crate::page;

    #[test]
    fn links_lead_to_pages_and_markup_stays_text() {
        let text = "See [Undo](undo.md). <script>x</script>";
        assert!(render_html(text, PageLocation::Window).contains("<a href=\"./#undo\">Undo</a>"));
        let page = render_html(text, PageLocation::Folder);
        assert!(page.contains("<a href=\"undo.html\">Undo</a>") && page.contains("&lt;script&gt;"), "{page}");
    }
    #[test]
    fn pictures_are_part_of_the_page_in_the_window_and_files_in_a_folder() {
        let id = page::picture_ids().next().unwrap();
        let text = format!("![Grid](pictures/{id}.png)");
        let page = render_html(&text, PageLocation::Folder);
        assert!(page.contains(&format!("src=\"pictures/{id}.png\"")), "{page}");
        assert!(render_html(&text, PageLocation::Window).contains("src=\"data:image/png;base64,"));
    }
}
