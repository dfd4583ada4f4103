//! Builds the content of a page: headings, tables, examples and marks of provenance. Plain text is escaped.

use std::fmt::Write as _;

use serde_json::Value;
use takt_contract::{Names, ProvenanceLevel};

use crate::html_page::{Language, escape_html};

/// Builds the HTML of a page by appending its parts in order.
#[derive(Debug)]
pub(super) struct PageBuilder {
    language: Language,
    html: String,
    heading: String,
}

impl PageBuilder {
    pub(super) fn new(language: Language) -> Self {
        Self { language, html: String::new(), heading: String::new() }
    }

    pub(super) fn into_html(self) -> String {
        self.html
    }

    /// Returns the text with this key as HTML.
    pub(super) fn html_text(&self, key: &str) -> String {
        self.language.html_text(key)
    }

    /// Returns the text with this key as HTML, with `{value}` replaced.
    pub(super) fn html_text_with(&self, key: &str, value: &str) -> String {
        self.language.html_text(key).replace("{value}", &escape_html(value))
    }

    /// Returns the name in the page's language.
    pub(super) fn name_in_language<'a>(&self, names: &'a Names) -> &'a str {
        match self.language.code() {
            "de" => &names.de,
            "es" => &names.es,
            "pt" => &names.pt,
            _ => &names.en,
        }
    }

    /// Returns the name of a node in the page's language. Empty if the node has no name.
    pub(super) fn name_of(&self, node: &Value) -> String {
        escape_html(node["x-takt-names"][self.language.code()].as_str().unwrap_or_default())
    }

    /// Appends a heading with an anchor. `title` is HTML.
    pub(super) fn add_heading(&mut self, level: u8, id: &str, title: &str) {
        title.clone_into(&mut self.heading);
        // Writing to a string can't fail.
        let _ = writeln!(self.html, "<h{level} id=\"{}\">{title}</h{level}>", escape_html(id));
    }

    /// Appends a paragraph of HTML.
    pub(super) fn add_paragraph(&mut self, html: &str) {
        let _ = writeln!(self.html, "<p>{html}</p>");
    }

    /// Appends a table of HTML cells. The first cell of each row is its header.
    pub(super) fn add_table(&mut self, caption: &str, columns: &[&str], rows: &[Vec<String>]) {
        // A caption equal to the heading is shown only to screen readers.
        let class = if caption == self.heading { " class=\"said\"" } else { "" };
        let _ = write!(self.html, "<table>\n<caption{class}>{caption}</caption>\n<thead><tr>");
        for column in columns {
            let _ = write!(self.html, "<th scope=\"col\">{}</th>", self.language.html_text(column));
        }
        self.html.push_str("</tr></thead>\n<tbody>\n");
        for row in rows {
            self.html.push_str("<tr>");
            for (index, cell) in row.iter().enumerate() {
                let _ = match index {
                    0 => write!(self.html, "<th scope=\"row\">{cell}</th>"),
                    _ => write!(self.html, "<td>{cell}</td>"),
                };
            }
            self.html.push_str("</tr>\n");
        }
        self.html.push_str("</tbody>\n</table>\n");
    }

    /// Appends an example that users can copy, with a caption. `class` is its kind.
    pub(super) fn add_example(&mut self, label: &str, class: &str, text: &str) {
        let _ = writeln!(
            self.html,
            "<figure><figcaption>{label}</figcaption>\n<pre class=\"{class}\" lang=\"en\"><code>{}</code></pre></figure>",
            escape_html(text)
        );
    }

    /// Appends a JSON body as an example.
    pub(super) fn add_json_example(&mut self, label: &str, class: &str, body: &Value) {
        let text = serde_json::to_string_pretty(body).unwrap_or_default();
        self.add_example(label, class, &text);
    }
}

/// Formats text that isn't translated.
pub(super) fn format_code(text: &str) -> String {
    format!("<code>{}</code>", escape_html(text))
}

/// Formats English text from the specification.
pub(super) fn format_english(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("<span lang=\"en\">{}</span>", escape_html(text)) }
}

/// Formats a link whose content is HTML.
pub(super) fn format_link(address: &str, html: &str) -> String {
    format!("<a href=\"{}\">{html}</a>", escape_html(address))
}

/// Formats a provenance level, followed by its source if there is one.
pub(super) fn format_mark(page: &PageBuilder, level: ProvenanceLevel, source: Option<&str>) -> String {
    let (class, key) = match level {
        ProvenanceLevel::Specified => ("specified", "home.specified"),
        ProvenanceLevel::Assumed => ("assumed", "home.assumed"),
        ProvenanceLevel::Observed => ("site", "home.observed"),
        ProvenanceLevel::Site => ("site", "home.site"),
    };
    let source =
        source.map_or_else(String::new, |source| format!(" <small lang=\"en\">{}</small>", escape_html(source)));
    format!("<span class=\"mark {class}\">{}</span>{source}", page.html_text(key))
}

/// Formats the provenance of a node. Empty if the node has none.
pub(super) fn format_node_mark(page: &PageBuilder, node: &Value, with_source: bool) -> String {
    let Some(provenance) = node.get("x-takt-provenance") else { return String::new() };
    let own = parse_level(provenance["level"].as_str().unwrap_or_default());
    let own = own.map(|level| format_mark(page, level, provenance["source"].as_str().filter(|_| with_source)));
    own.unwrap_or_default() + &format_assumed_keywords(page, node)
}

/// Formats the assumed keywords of a specified node with their reasons.
fn format_assumed_keywords(page: &PageBuilder, node: &Value) -> String {
    let Some(parts) = node.get("x-takt-assumed").and_then(Value::as_object) else { return String::new() };
    let part = |(keyword, reason): (&String, &Value)| {
        format!("<abbr title=\"{}\">{}</abbr>", escape_html(reason.as_str().unwrap_or_default()), escape_html(keyword))
    };
    let parts: Vec<String> = parts.iter().map(part).collect();
    format!(" {} <small lang=\"en\">{}</small>", format_mark(page, ProvenanceLevel::Assumed, None), parts.join(", "))
}

pub(super) fn parse_level(name: &str) -> Option<ProvenanceLevel> {
    match name {
        "specified" => Some(ProvenanceLevel::Specified),
        "assumed" => Some(ProvenanceLevel::Assumed),
        "observed" => Some(ProvenanceLevel::Observed),
        "site" => Some(ProvenanceLevel::Site),
        _ => None,
    }
}
