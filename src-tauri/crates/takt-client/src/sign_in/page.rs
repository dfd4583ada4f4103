//! The pages that the browser shows at the end of a sign-in. They are static and don't quote the request.

use serde_json::Value;

const PAGE: &str = include_str!("page.html");
const LANGUAGES: [(&str, &str); 4] = [
    ("en", include_str!("../../locales/en.json")),
    ("de", include_str!("../../locales/de.json")),
    ("es", include_str!("../../locales/es.json")),
    ("pt", include_str!("../../locales/pt.json")),
];

/// Returns the page for a successful sign-in.
pub(super) fn success_page(head: &str) -> String {
    localized_page("200 OK", head, "done")
}

/// Returns the page for a refusal by the provider.
pub(super) fn refusal_page(head: &str) -> String {
    localized_page("200 OK", head, "refused")
}

/// Returns the page for a redirect without the state. Any page may have sent it, so the sign-in keeps waiting.
pub(super) fn missing_state_page(head: &str) -> String {
    localized_page("400 Bad Request", head, "unproven")
}

/// Returns the page for a code that couldn't be exchanged for tokens.
pub(super) fn failure_page(head: &str) -> String {
    localized_page("200 OK", head, "failed")
}

/// Returns the response to any other request.
pub(super) fn not_found_response() -> String {
    http_response("404 Not Found", "")
}

fn localized_page(status: &str, head: &str, key: &str) -> String {
    let (language, file) = preferred_language(head);
    let texts: Value = serde_json::from_str(file).unwrap_or_default();
    let text = |part: &str| texts.get(key).and_then(|page| page.get(part)).and_then(Value::as_str).unwrap_or_default();
    let html =
        PAGE.replace("{{language}}", language).replace("{{title}}", text("title")).replace("{{text}}", text("text"));
    http_response(status, &html)
}

fn http_response(status: &str, html: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\n\
         Content-Type: text/html; charset=utf-8\r\n\
         Content-Length: {}\r\n\
         Cache-Control: no-store\r\n\
         Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'\r\n\
         Referrer-Policy: no-referrer\r\n\
         X-Content-Type-Options: nosniff\r\n\
         Connection: close\r\n\r\n{html}",
        html.len()
    )
}

/// Returns the available language that the browser prefers most.
fn preferred_language(head: &str) -> (&'static str, &'static str) {
    let header = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("accept-language").then_some(value)
    });
    let mut preferences: Vec<(f32, &str)> = header.unwrap_or_default().split(',').map(parse_preference).collect();
    // The sort is stable, so the first of equally preferred languages is used.
    preferences.sort_by(|left, right| right.0.total_cmp(&left.0));
    let found = preferences.into_iter().filter(|(quality, _)| *quality > 0.0).find_map(|(_, tag)| {
        let primary = tag.split('-').next()?.to_ascii_lowercase();
        LANGUAGES.into_iter().find(|(language, _)| *language == primary)
    });
    let [english, ..] = LANGUAGES;
    found.unwrap_or(english)
}

fn parse_preference(part: &str) -> (f32, &str) {
    let (tag, weight) = part.split_once(';').unwrap_or((part, ""));
    let weight = weight.trim().strip_prefix("q=").map_or(1.0, |weight| weight.parse().unwrap_or(0.0));
    (weight, tag.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language(header: &str) -> &'static str {
        preferred_language(&format!("GET / HTTP/1.1\r\naccept-language: {header}\r\n\r\n")).0
    }

    #[test]
    fn the_browsers_language() {
        assert_eq!(language("de-AT,de;q=0.9,en;q=0.8"), "de");
        assert_eq!(language("fr, pt-BR;q=0.7, en;q=0.3"), "pt");
        assert_eq!(language("en;q=0.2, es;q=0.9"), "es");
        assert_eq!(language("fr"), "en");
        assert_eq!(language(";;q=x,,"), "en");
        assert_eq!(preferred_language("GET / HTTP/1.1\r\n\r\n").0, "en");
    }

    #[test]
    fn every_language_has_every_text() {
        for (language, file) in LANGUAGES {
            let texts: Value = serde_json::from_str(file).unwrap_or_default();
            for pointer in ["/done", "/refused", "/unproven", "/failed"]
                .map(|page| [format!("{page}/title"), format!("{page}/text")])
                .as_flattened()
            {
                assert!(texts.pointer(pointer).and_then(Value::as_str).is_some(), "{language}{pointer}");
            }
            assert_eq!(texts.as_object().map(serde_json::Map::len), Some(4), "{language}");
        }
    }
}
