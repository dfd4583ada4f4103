//! Secrets that are known by the name before them: `Authorization: …`, `"access_token": "…"`, `client_secret=…`, `Bearer …`.

use std::{borrow::Cow, sync::LazyLock};

use regex::{Captures, Regex, RegexBuilder};

use super::REMOVED;

/// Members and fields whose values are secret, in any spelling of words and case.
const NAMES: &str = "(?:proxy[-_]?)?authorization|(?:set[-_]?)?cookie2?|[a-z0-9_-]*api[-_]?key|[a-z0-9_-]*token\
    |(?:client|shared|webhook|signing)[-_]?secret|secret|client[-_]?assertion|code[-_]?verifier|password|passwd|pwd";
/// Headers that stand in a text, up to the end of their line.
const HEADERS: &str = "(?:proxy-)?authorization|(?:set-)?cookie2?|x-[a-z0-9-]*(?:api-?key|token|secret)|api-?key";

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
