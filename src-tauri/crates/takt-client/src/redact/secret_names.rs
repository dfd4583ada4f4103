//! Finds secrets by the name before them, as in `Authorization: …`, `"access_token": "…"`, `client_secret=…`, and
//! `Bearer …`.

use std::{borrow::Cow, sync::LazyLock};

use memchr::memmem;
use regex::{Captures, Regex, RegexBuilder};

/// The replacement for secrets, with characters that JSON, HTML and addresses don't escape.
pub const SECRET_PLACEHOLDER: &str = "[removed]";
/// The names of members and fields with secret values, as a case-insensitive pattern.
const SECRET_NAMES: &str = "(?:proxy[-_]?)?authorization|(?:set[-_]?)?cookie2?|[a-z0-9_-]*api[-_]?key|[a-z0-9_-]*token\
    |(?:client|shared|webhook|signing)[-_]?secret|secret|client[-_]?assertion|code[-_]?verifier|password|passwd|pwd";
/// The names of headers with secret values in a text. Such a value ends with its line.
const SECRET_HEADERS: &str =
    "(?:proxy-)?authorization|(?:set-)?cookie2?|x-[a-z0-9-]*(?:api-?key|token|secret)|api-?key";

/// Parts of names and schemes. Every match of a pattern contains at least one of them in lower case.
const NAME_PARTS: [&str; 15] = [
    "authorization",
    "cookie",
    "key",
    "token",
    "secret",
    "assertion",
    "verifier",
    "passw",
    "pwd",
    "bearer",
    "basic",
    "dpop",
    "digest",
    "negotiate",
    "hmac-sha256",
];
/// Non-ASCII letters that case-insensitive patterns treat as s and k.
const ASCII_LOOKALIKES: [char; 2] = ['\u{17F}', '\u{212A}'];

/// Matches `"name": "value"` and `"name", "value"`.
static JSON_MEMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(&format!(r#"("(?:{SECRET_NAMES})"\s*[:,]\s*\[?\s*")((?:[^"\\]|\\.)*)"#)));
/// Matches the same members within a JSON string.
static NESTED_JSON_MEMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(&format!(r#"(\\"(?:{SECRET_NAMES})\\"\s*[:,]\s*\[?\s*\\")((?:[^"\\]|\\[^"])*)"#)));
/// Matches the same members in single quotes.
static SINGLE_QUOTED_MEMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(&format!(r"('(?:{SECRET_NAMES})'\s*[:,]\s*\[?\s*')([^']*)")));
/// Matches `name=value`.
static FORM_FIELD: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(&format!(r#"((?:^|[^a-z0-9_-])(?:{SECRET_NAMES})(?:=|%3D))([^&\s"'<>\\,;)}}]+)"#)));
/// Matches `Name: value`.
static HEADER_LINE: LazyLock<Option<Regex>> =
    LazyLock::new(|| compile(&format!(r#"((?:^|[^a-z0-9_-])(?:{SECRET_HEADERS})[ \t]*:[ \t]*)([^\r\n"'<\\]+)"#)));
/// Matches `Bearer value`.
static AUTHENTICATION_SCHEME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(r"(\b(?:bearer|basic|dpop|digest|negotiate|hmac-sha256)(?:[ \t]+|%20|\+))([a-z0-9._~+/%-]{8,}=*)")
});

/// Returns whether all values of a header are secret.
pub(super) fn is_secret_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let exact = ["authorization", "proxy-authorization", "cookie", "cookie2", "set-cookie", "set-cookie2"];
    let parts = ["api-key", "apikey", "api_key", "token", "secret", "password", "authorization"];
    exact.contains(&name.as_str()) || parts.iter().any(|part| name.contains(part))
}

/// Removes the values after secret names and schemes.
pub(super) fn redact_values(text: &str) -> Cow<'_, str> {
    if may_have_secret(text) { apply_patterns(text) } else { Cow::Borrowed(text) }
}

/// Returns false if no pattern can match. Most texts contain no such name, and compiling the patterns would delay the
/// start.
fn may_have_secret(text: &str) -> bool {
    let lower_case = text.to_ascii_lowercase();
    text.contains(ASCII_LOOKALIKES)
        || NAME_PARTS.iter().any(|part| memmem::find(lower_case.as_bytes(), part.as_bytes()).is_some())
}

fn apply_patterns(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for pattern in [&JSON_MEMBER, &NESTED_JSON_MEMBER, &SINGLE_QUOTED_MEMBER, &FORM_FIELD, &HEADER_LINE] {
        replace_values(&mut text, pattern, |_| true);
    }
    replace_values(&mut text, &AUTHENTICATION_SCHEME, is_random);
    text
}

fn replace_values(text: &mut Cow<'_, str>, pattern: &LazyLock<Option<Regex>>, is_secret: fn(&str) -> bool) {
    let Some(pattern) = pattern.as_ref() else { return };
    let redact = |found: &Captures<'_>| {
        let (matched, name, value) = (&found[0], &found[1], &found[2]);
        if value.is_empty() || !is_secret(value) { matched.to_owned() } else { format!("{name}{SECRET_PLACEHOLDER}") }
    };
    let changed = match pattern.replace_all(text, redact) {
        Cow::Owned(changed) => changed,
        Cow::Borrowed(_) => return,
    };
    if changed != **text {
        *text = Cow::Owned(changed);
    }
}

/// Returns whether a value looks like a credential, unlike the second word of "bearer authentication".
fn is_random(value: &str) -> bool {
    value.len() >= 20 || value.ends_with('=') || value.bytes().any(|byte| byte.is_ascii_digit())
}

fn compile(pattern: &str) -> Option<Regex> {
    let built = RegexBuilder::new(pattern).case_insensitive(true).multi_line(true).build();
    built.inspect_err(|error| tracing::error!(%error, "a pattern for secrets can't be used")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: u64 = 7;

    /// Texts that `may_have_secret` skips must be unchanged by the patterns.
    #[test]
    fn no_name_is_passed_over() {
        println!("seed {SEED}");
        let mut state = SEED;
        let mut next = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let names = [
            "Authorization",
            "proxy_authorization",
            "Set-Cookie2",
            "cookie",
            "x-api-key",
            "API_KEY",
            "apikey",
            "id_token",
            "to\u{212A}en",
            "clientSecret",
            "webhook-secret",
            "\u{17F}ecret",
            "client_assertion",
            "codeVerifier",
            "password",
            "PASSWD",
            "pwd",
            "X-Hub-Token",
            "bearer",
            "Basic",
            "DPoP",
            "digest",
            "Negotiate",
            "HMAC-SHA256",
            "name",
            "place",
        ];
        let between = ["=", ": ", " ", "%20", "+", "\": \"", "\\\": \\\"", "': '", "\", [\""];
        let mut changed = 0;
        for _ in 0..20_000 {
            let quote = ["", "\"", "\\\"", "'"][next(4)];
            let name = names[next(names.len())];
            let text = format!("a {quote}{name}{}abcdef12345678\"'", between[next(between.len())]);
            let expected = apply_patterns(&text);
            changed += usize::from(expected != text);
            assert_eq!(redact_values(&text), expected, "{text}");
        }
        assert!(changed > 4_000, "{changed} had a secret");
        assert!(!may_have_secret("takt check orders.xlsx: 200 rows, 3 errors"));
    }
}
