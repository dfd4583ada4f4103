//! A page's content as it is written: headings, tables, examples. Whatever comes in as text is made harmless here.

use std::fmt::Write as _;

use serde_json::Value;
use takt_contract::Names;

use crate::page::{Language, escape};

/// HTML that grows from top to bottom.
#[derive(Debug)]
pub(super) struct Sheet {
    language: Language,
    html: String,
    /// What the latest heading says.
    heading: String,
}

impl Sheet {
    pub(super) fn new(language: Language) -> Self {
        Self { language, html: String::new(), heading: String::new() }
    }

    pub(super) fn html(self) -> String {
        self.html
    }

    /// The text of that key, as HTML.
    pub(super) fn text(&self, key: &str) -> String {
        self.language.text(key)
    }

    /// The text of that key, as HTML, with `{value}` filled in.
    pub(super) fn filled(&self, key: &str, value: &str) -> String {
        self.language.text(key).replace("{value}", &escape(value))
    }

    /// The name in the reader's language.
    pub(super) fn named<'a>(&self, names: &'a Names) -> &'a str {
        match self.language.code() {
            "de" => &names.de,
            "es" => &names.es,
            "pt" => &names.pt,
            _ => &names.en,
        }
    }

    /// The name of a node of the document in the reader's language; empty where it has none.
    pub(super) fn name_of(&self, node: &Value) -> String {
        escape(node["x-takt-names"][self.language.code()].as_str().unwrap_or_default())
    }

    /// A heading that can be linked to. `title` is HTML.
    pub(super) fn heading(&mut self, level: u8, id: &str, title: &str) {
        // Writing to a string can't fail.
        title.clone_into(&mut self.heading);
        let _ = writeln!(self.html, "<h{level} id=\"{}\">{title}</h{level}>", escape(id));
    }

    /// A paragraph of HTML.
    pub(super) fn line(&mut self, html: &str) {
        let _ = writeln!(self.html, "<p>{html}</p>");
    }

    /// A table of HTML cells. The first cell of a row is what the row is about.
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

    /// Something to copy, under a line that says what it is. `class` tells what kind of thing.
    pub(super) fn example(&mut self, label: &str, class: &str, text: &str) {
        let _ = writeln!(
            self.html,
            "<figure><figcaption>{label}</figcaption>\n<pre class=\"{class}\" lang=\"en\"><code>{}</code></pre></figure>",
            escape(text)
        );
    }

    /// An example of a body.
    pub(super) fn body(&mut self, label: &str, class: &str, body: &Value) {
        let text = serde_json::to_string_pretty(body).unwrap_or_default();
        self.example(label, class, &text);
    }
}

/// Something that is written the same in every language.
pub(super) fn code(text: &str) -> String {
    format!("<code>{}</code>", escape(text))
}

/// Text of the specification, which is English.
pub(super) fn english(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("<span lang=\"en\">{}</span>", escape(text)) }
}

/// A link whose text is HTML.
pub(super) fn link(address: &str, html: &str) -> String {
    format!("<a href=\"{}\">{html}</a>", escape(address))
}
