//! What looks like a secret isn't kept with a query: the text behind a name such as `password` is left out.

use std::ops::Range;

const NAMES: [&str; 6] = ["password", "secret", "token", "authorization", "apikey", "credential"];

/// The text, in JSON or in GraphQL, with nothing in the quotes that follow such a name.
pub(super) fn without_secrets(text: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(value) = next_secret(rest) {
        left.push_str(rest.get(..value.start).unwrap_or_default());
        rest = rest.get(value.end..).unwrap_or_default();
    }
    left.push_str(rest);
    left
}

/// Where the text in quotes stands that follows the next name of a secret.
fn next_secret(text: &str) -> Option<Range<usize>> {
    let mut from = 0;
    loop {
        let colon = from + text.get(from..)?.find(':')?;
        from = colon + 1;
        let behind = text.get(from..)?;
        let value = behind.trim_start();
        if value.starts_with('"') && is_secret(text.get(..colon)?) {
            let begin = from + (behind.len() - value.len()) + 1;
            return Some(begin..begin + closing(value.get(1..)?));
        }
    }
}

/// Whether the name at the end of this text is one.
fn is_secret(before: &str) -> bool {
    let before = before.trim_end();
    let before = before.strip_suffix('"').unwrap_or(before);
    let name = before.rsplit(|character: char| !character.is_alphanumeric() && !"_-".contains(character)).next();
    let name = name.unwrap_or_default();
    let name: String = name.chars().filter(|character| character.is_alphanumeric()).collect();
    let name = name.to_lowercase();
    NAMES.iter().any(|secret| name.contains(secret))
}

/// Where the quotes close.
fn closing(text: &str) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_left_out_and_nothing_else() {
        for (text, left) in [
            (r#"{"code": "A-1", "password" : "x\"y", "n": 1}"#, r#"{"code": "A-1", "password" : "", "n": 1}"#),
            (r#"{ a(apiKey: "k", code: "7") access_token: "t" }"#, r#"{ a(apiKey: "", code: "7") access_token: "" }"#),
            (r#"{"api-key":"é","x":{"clientSecret":"z"}}"#, r#"{"api-key":"","x":{"clientSecret":""}}"#),
            (r#"{"token": "unfinished"#, r#"{"token": ""#),
            ("{ a(from: \"2026-11-22T08:00:00\") }", "{ a(from: \"2026-11-22T08:00:00\") }"),
            ("", ""),
            (":", ":"),
        ] {
            assert_eq!(without_secrets(text), left);
        }
    }
}
