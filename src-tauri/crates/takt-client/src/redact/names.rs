//! Secrets that are known by the name before them: `Authorization: …`, `"access_token": "…"`, `client_secret=…`, `Bearer …`.

use std::{borrow::Cow, sync::LazyLock};

use memchr::memmem;
use regex::{Captures, Regex, RegexBuilder};

use super::REMOVED;

/// Members and fields whose values are secret, in any spelling of words and case.
const NAMES: &str = "(?:proxy[-_]?)?authorization|(?:set[-_]?)?cookie2?|[a-z0-9_-]*api[-_]?key|[a-z0-9_-]*token\
    |(?:client|shared|webhook|signing)[-_]?secret|secret|client[-_]?assertion|code[-_]?verifier|password|passwd|pwd";
/// Headers that stand in a text, up to the end of their line.
const HEADERS: &str = "(?:proxy-)?authorization|(?:set-)?cookie2?|x-[a-z0-9-]*(?:api-?key|token|secret)|api-?key";

/// One of them stands in each of these names and schemes, in small letters.
const SIGNS: [&str; 15] = [
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
/// Letters beyond ASCII that patterns take for s and k, whose case doesn't count.
const LIKE_ASCII: [char; 2] = ['\u{17F}', '\u{212A}'];

/// `"name": "value"` and `"name", "value"`.
static MEMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| built(&format!(r#"("(?:{NAMES})"\s*[:,]\s*\[?\s*")((?:[^"\\]|\\.)*)"#)));
/// The same as part of a text in JSON.
static INNER_MEMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| built(&format!(r#"(\\"(?:{NAMES})\\"\s*[:,]\s*\[?\s*\\")((?:[^"\\]|\\[^"])*)"#)));
/// The same in single quotes.
static QUOTED_MEMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| built(&format!(r"('(?:{NAMES})'\s*[:,]\s*\[?\s*')([^']*)")));
/// `name=value`.
static FIELD: LazyLock<Option<Regex>> =
    LazyLock::new(|| built(&format!(r#"((?:^|[^a-z0-9_-])(?:{NAMES})(?:=|%3D))([^&\s"'<>\\,;)}}]+)"#)));
/// `Name: value`.
static HEADER: LazyLock<Option<Regex>> =
    LazyLock::new(|| built(&format!(r#"((?:^|[^a-z0-9_-])(?:{HEADERS})[ \t]*:[ \t]*)([^\r\n"'<\\]+)"#)));
/// `Bearer value`.
static SCHEME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    built(r"(\b(?:bearer|basic|dpop|digest|negotiate|hmac-sha256)(?:[ \t]+|%20|\+))([a-z0-9._~+/%-]{8,}=*)")
});

/// The whole value is secret, whatever it is.
pub(super) fn is_secret_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let exact = ["authorization", "proxy-authorization", "cookie", "cookie2", "set-cookie", "set-cookie2"];
    let parts = ["api-key", "apikey", "api_key", "token", "secret", "password", "authorization"];
    exact.contains(&name.as_str()) || parts.iter().any(|part| name.contains(part))
}

/// The text without what stands behind such names.
pub(super) fn without(text: &str) -> Cow<'_, str> {
    if has_sign(text) { replaced(text) } else { Cow::Borrowed(text) }
}

/// False where no pattern can fit. Most texts are short and have no such name: making the patterns takes longer than a start may.
fn has_sign(text: &str) -> bool {
    let small = text.to_ascii_lowercase();
    text.contains(LIKE_ASCII) || SIGNS.iter().any(|sign| memmem::find(small.as_bytes(), sign.as_bytes()).is_some())
}

fn replaced(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for pattern in [&MEMBER, &INNER_MEMBER, &QUOTED_MEMBER, &FIELD, &HEADER] {
        replace(&mut text, pattern, |_| true);
    }
    replace(&mut text, &SCHEME, is_random);
    text
}

fn replace(text: &mut Cow<'_, str>, pattern: &LazyLock<Option<Regex>>, is_secret: fn(&str) -> bool) {
    let Some(pattern) = pattern.as_ref() else { return };
    let bare = |found: &Captures<'_>| {
        let (whole, name, value) = (&found[0], &found[1], &found[2]);
        if value.is_empty() || !is_secret(value) { whole.to_owned() } else { format!("{name}{REMOVED}") }
    };
    let changed = match pattern.replace_all(text, bare) {
        Cow::Owned(changed) => changed,
        Cow::Borrowed(_) => return,
    };
    if changed != **text {
        *text = Cow::Owned(changed);
    }
}

/// No word of a sentence such as "bearer authentication".
fn is_random(value: &str) -> bool {
    value.len() >= 20 || value.ends_with('=') || value.bytes().any(|byte| byte.is_ascii_digit())
}

fn built(pattern: &str) -> Option<Regex> {
    let built = RegexBuilder::new(pattern).case_insensitive(true).multi_line(true).build();
    built.inspect_err(|error| tracing::error!(%error, "a pattern for secrets can't be used")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: u64 = 7;

    /// What is passed over by its letters is what no pattern would have changed.
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
            let expected = replaced(&text);
            changed += usize::from(expected != text);
            assert_eq!(without(&text), expected, "{text}");
        }
        assert!(changed > 4_000, "{changed} had a secret");
        assert!(!has_sign("takt check orders.xlsx: 200 rows, 3 errors"));
    }
}
