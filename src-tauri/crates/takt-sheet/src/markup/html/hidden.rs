//! Elements in a cell of a web page that a browser doesn't show: hidden sort keys, pronunciations, comments. Only the
//! attributes of elements are read, not the style sheets of the page.

use super::tag::{attribute_value, has_attribute};

/// Elements that aren't shown as text, whatever their style.
const NEVER_SHOWN: [&str; 12] =
    ["audio", "canvas", "datalist", "iframe", "noframes", "object", "rp", "rt", "svg", "template", "video", "xml"];
/// Elements without content and without a closing tag.
const VOID: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

/// A hidden element, and the number of open elements with its name.
pub(super) struct HiddenElement {
    name: String,
    depth: u32,
}

/// Returns whether a tag in a cell belongs to a hidden element. `hidden` is the open one.
pub(super) fn is_hidden(hidden: &mut Option<HiddenElement>, tag: &str, name: &str, closes: bool) -> bool {
    if hidden.as_ref().is_some_and(|open| ends_without_tag(&open.name, name, closes)) {
        *hidden = None;
    }
    if let Some(open) = hidden {
        if open.name == name {
            open.depth = if closes { open.depth.saturating_sub(1) } else { open.depth.saturating_add(1) };
            if open.depth == 0 {
                *hidden = None;
            }
        }
        return true;
    }
    let has_content = !closes && !tag.ends_with('/') && !VOID.contains(&name);
    let is_hidden = has_content && (NEVER_SHOWN.contains(&name) || is_styled_hidden(tag));
    if is_hidden {
        *hidden = Some(HiddenElement { name: name.to_owned(), depth: 1 });
    }
    is_hidden
}

/// Returns whether a tag ends an open element whose closing tag may be left out.
fn ends_without_tag(open: &str, name: &str, closes: bool) -> bool {
    match open {
        "p" => !closes && matches!(name, "p" | "div" | "ul" | "ol" | "pre"),
        "rt" | "rp" => (!closes && matches!(name, "rt" | "rp")) || (closes && name == "ruby"),
        _ => false,
    }
}

/// Returns whether a tag hides its element by an attribute.
pub(super) fn is_styled_hidden(tag: &str) -> bool {
    has_attribute(tag, "hidden")
        || attribute_value(tag, "style").is_some_and(|style| {
            let style: String = style.chars().filter(|letter| !letter.is_whitespace()).collect();
            let style = style.to_ascii_lowercase();
            ["display:none", "visibility:hidden", "visibility:collapse", "mso-hide:all", "mso-element:comment"]
                .iter()
                .any(|hiding| style.contains(hiding))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_hidden_by_attributes_and_styles() {
        for tag in [
            "span hidden",
            "span HIDDEN=''",
            "span class=\"a b\" hidden=\"until-found\"",
            "span style=\"display: none\"",
            "span style='color:red;DISPLAY:NONE'",
            "span style=\"visibility:hidden\"",
            "span style='mso-hide:all'",
        ] {
            assert!(is_styled_hidden(tag), "{tag}");
        }
        for tag in
            ["span", "span title=\"is hidden\"", "span aria-hidden=\"true\"", "hidden", "span style='display:inline'"]
        {
            assert!(!is_styled_hidden(tag), "{tag}");
        }
    }
}
