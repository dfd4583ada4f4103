//! A page's content: headings, tables, examples. Escapes plain text.

use std::fmt::Write as _;

use serde_json::Value;
use takt_contract::Names;

use crate::page::{Language, escape};

/// HTML that is written from top to bottom.
#[derive(Debug)]
pub(super) struct Sheet {
    language: Language,
    html: String,
    /// The latest heading's HTML.
    heading: String,
}

impl Sheet {
    pub(super) fn new(language: Language) -> Self {
        Self { language, html: String::new(), heading: String::new() }
    }

    pub(super) fn html(self) -> String {
        self.html
    }

    /// Returns the text of that key, as HTML.
    pub(super) fn text(&self, key: &str) -> String {
        self.language.text(key)
    }

    /// Returns the text of that key as HTML, with `{value}` filled in.
    pub(super) fn text_with(&self, key: &str, value: &str) -> String {
        self.language.text(key).replace("{value}", &escape(value))
    }

    /// Returns the name in the reader's language.
    pub(super) fn name_in_language<'a>(&self, names: &'a Names) -> &'a str {
        match self.language.code() {
            "de" => &names.de,
            "es" => &names.es,
            "pt" => &names.pt,
            _ => &names.en,
        }
    }

    /// Returns the name of a node of the document in the reader's language. Empty if it has none.
    pub(super) fn name_of(&self, node: &Value) -> String {
        escape(node["x-takt-names"][self.language.code()].as_str().unwrap_or_default())
    }

    /// Writes a heading with an anchor. `title` is HTML.
    pub(super) fn heading(&mut self, level: u8, id: &str, title: &str) {
        // Writing to a string can't fail.
        title.clone_into(&mut self.heading);
        let _ = writeln!(self.html, "<h{level} id=\"{}\">{title}</h{level}>", escape(id));
    }

    /// Writes a paragraph of HTML.
    pub(super) fn paragraph(&mut self, html: &str) {
        let _ = writeln!(self.html, "<p>{html}</p>");
    }

    /// Writes a table of HTML cells. The first cell of a row is its header.
    pub(super) fn table(&mut self, caption: &str, columns: &[&str], rows: &[Vec<String>]) {
        // A caption that repeats the heading is for screen readers.
        let class = if caption == self.heading { " class=\"said\"" } else { "" };
        let _ = write!(self.html, "<table>\n<caption{class}>{caption}</caption>\n<thead><tr>");
        for column in columns {
            let _ = write!(self.html, "<th scope=\"col\">{}</th>", self.language.text(column));
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

    /// Writes an example to copy, with a caption. `class` is its kind.
    pub(super) fn example(&mut self, label: &str, class: &str, text: &str) {
        let _ = writeln!(
            self.html,
            "<figure><figcaption>{label}</figcaption>\n<pre class=\"{class}\" lang=\"en\"><code>{}</code></pre></figure>",
            escape(text)
        );
    }

    /// Writes an example of a JSON body.
    pub(super) fn body(&mut self, label: &str, class: &str, body: &Value) {
        let text = serde_json::to_string_pretty(body).unwrap_or_default();
        self.example(label, class, &text);
    }
}

/// Formats text that is the same in every language.
pub(super) fn code(text: &str) -> String {
    format!("<code>{}</code>", escape(text))
}

/// Formats the specification's text, which is English.
pub(super) fn english(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("<span lang=\"en\">{}</span>", escape(text)) }
}

/// Formats a link with HTML content.
pub(super) fn link(address: &str, html: &str) -> String {
    format!("<a href=\"{}\">{html}</a>", escape(address))
}
