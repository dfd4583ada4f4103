//! Renders the plant's HTML pages in four languages, with a content security policy that forbids scripts and external
//! resources.

use std::{collections::HashMap, sync::LazyLock};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("page.css");

/// The languages with their texts. The first one is the default.
const LANGUAGES: [(&str, &str); 4] = [
    ("en", include_str!("../locales/en.json")),
    ("de", include_str!("../locales/de.json")),
    ("es", include_str!("../locales/es.json")),
    ("pt", include_str!("../locales/pt.json")),
];

type Texts = HashMap<String, String>;

static TEXTS: LazyLock<Vec<Texts>> = LazyLock::new(|| {
    let read = |(_, file): &(&str, &str)| serde_json::from_str(file).unwrap_or_default();
    LANGUAGES.iter().map(read).collect()
});

/// The language of a page, as an index in [`LANGUAGES`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Language(usize);

impl Language {
    /// Returns the available language that the browser prefers most, or English if there is none.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        let wanted = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let mut best = (0.0, 0);
        for part in wanted.split(',').take(32) {
            let mut pieces = part.split(';');
            let tag = pieces.next().unwrap_or_default().trim().to_ascii_lowercase();
            let quality = pieces.find_map(|piece| piece.trim().strip_prefix("q=")?.parse::<f32>().ok()).unwrap_or(1.0);
            let primary = tag.split('-').next().unwrap_or_default();
            let known = LANGUAGES.iter().position(|(code, _)| *code == primary);
            if let Some(known) = known.filter(|_| quality > best.0) {
                best = (quality, known);
            }
        }
        Self(best.1)
    }

    pub(crate) fn code(self) -> &'static str {
        LANGUAGES.get(self.0).map_or("en", |(code, _)| code)
    }

    /// Returns the text with this key, or the key itself if there is no text.
    pub(crate) fn plain_text(self, key: &str) -> &str {
        TEXTS.get(self.0).and_then(|texts| texts.get(key)).map_or(key, String::as_str)
    }

    /// Returns the text with this key as HTML.
    pub(crate) fn html_text(self, key: &str) -> String {
        escape_html(self.plain_text(key))
    }
}

/// Escapes text for use in HTML and its attributes.
pub(crate) fn escape_html(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

/// A page with its title and content.
#[derive(Debug)]
pub(crate) struct HtmlPage<'a> {
    pub(crate) language: Language,
    /// Plain text, which is escaped.
    pub(crate) title: &'a str,
    pub(crate) content: &'a str,
    /// Links to other pages as HTML. Empty if there are none.
    pub(crate) nav: &'a str,
    pub(crate) is_wide: bool,
    /// An additional source to which forms may redirect.
    pub(crate) form_target: Option<&'a str>,
}

impl HtmlPage<'_> {
    pub(crate) fn to_response(&self, status: StatusCode) -> Response {
        let HtmlPage { language, content, nav, .. } = self;
        let title = escape_html(self.title);
        let practice = language.html_text("practice");
        let class = if self.is_wide { " class=\"wide\"" } else { "" };
        let html = format!(
            "<!doctype html>\n<html lang=\"{code}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title} · Takt</title>\n\
             <style>{STYLE}</style>\n</head>\n<body>\n<header></header>\n{nav}<main{class}>\n<p class=\"where\">{practice}</p>\n\
             <h1>{title}</h1>\n{content}\n</main>\n</body>\n</html>\n",
            code = language.code(),
        );
        let mut response = Response::new(Body::from(html));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if let Ok(policy) = HeaderValue::from_str(&self.content_security_policy()) {
            headers.insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        response
    }

    fn content_security_policy(&self) -> String {
        let style = STANDARD.encode(Sha256::digest(STYLE));
        let form_target = self.form_target.unwrap_or_default();
        format!(
            "default-src 'none'; style-src 'sha256-{style}'; form-action 'self' {form_target}; frame-ancestors 'none'; base-uri 'none'"
        )
    }
}
