//! Removes secrets from stored queries: the string after a name such as `password`.

use std::ops::Range;

const NAMES: [&str; 6] = ["password", "secret", "token", "authorization", "apikey", "credential"];

/// Returns the JSON or GraphQL text without the contents of the strings that follow such a name.
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

/// Returns the range of the string that follows the next name of a secret.
fn next_secret(text: &str) -> Option<Range<usize>> {
    let mut from = 0;
    loop {
        let colon = from + text.get(from..)?.find(':')?;
        from = colon + 1;
        let after_colon = text.get(from..)?;
        let value = after_colon.trim_start();
        if value.starts_with('"') && is_secret(text.get(..colon)?) {
            let begin = from + (after_colon.len() - value.len()) + 1;
            return Some(begin..begin + closing_quote(value.get(1..)?));
        }
    }
}

/// Returns true if the text ends with the name of a secret.
fn is_secret(before: &str) -> bool {
    let before = before.trim_end();
    let before = before.strip_suffix('"').unwrap_or(before);
    let name = before.rsplit(|character: char| !character.is_alphanumeric() && !"_-".contains(character)).next();
    let name = name.unwrap_or_default();
    let name: String = name.chars().filter(|character| character.is_alphanumeric()).collect();
    let name = name.to_lowercase();
    NAMES.iter().any(|secret| name.contains(secret))
}

/// Returns the offset of the closing quotes.
fn closing_quote(text: &str) -> usize {
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
