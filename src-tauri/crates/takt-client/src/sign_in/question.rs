//! What the browser brings back, as text.

use url::Url;

use crate::{ClientError, Secret, secret::same};

/// Characters of the provider's words that are kept.
const LONGEST_WORDS: usize = 500;

/// The provider's words when it said no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refused {
    words: String,
    /// The person said no, not the provider.
    declined: bool,
}

impl From<Refused> for ClientError {
    fn from(refused: Refused) -> Self {
        if refused.declined { Self::SignInDeclined(refused.words) } else { Self::SignInRefused(refused.words) }
    }
}

/// The code or the refusal, where it is a GET of `path` with the right state; else nothing at all.
pub(super) fn read(head: &str, path: &str, state: &str) -> Option<Result<Secret, Refused>> {
    let mut line = head.lines().next()?.split(' ');
    let (Some("GET"), Some(target), Some(_), None) = (line.next(), line.next(), line.next(), line.next()) else {
        return None;
    };
    if !target.starts_with('/') {
        return None;
    }
    let url = Url::parse(&format!("http://127.0.0.1{target}")).ok()?;
    let value = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    if url.path() != path || !same(&value("state")?, state) {
        return None;
    }
    if let Some(error) = value("error") {
        let declined = error == "access_denied";
        let words = match value("error_description") {
            Some(description) => format!("{error}: {description}"),
            None => error,
        };
        return Some(Err(Refused { words: words.chars().take(LONGEST_WORDS).collect(), declined }));
    }
    value("code").filter(|code| !code.is_empty()).map(|code| Ok(Secret::new(code)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(line: &str) -> Option<Result<Secret, Refused>> {
        read(&format!("{line}\r\nHost: 127.0.0.1\r\n\r\n"), "/callback", "s+1")
    }

    #[test]
    fn only_the_right_state_counts() {
        assert_eq!(ask("GET /callback?code=a%20b&state=s%2B1 HTTP/1.1"), Some(Ok(Secret::new("a b"))));
        for wrong in [
            "GET /callback?code=a&state=s%2B2 HTTP/1.1",
            "GET /callback?code=a HTTP/1.1",
            "GET /callback?state=s%2B1 HTTP/1.1",
            "GET /callback?code=&state=s%2B1 HTTP/1.1",
            "GET /other?code=a&state=s%2B1 HTTP/1.1",
            "POST /callback?code=a&state=s%2B1 HTTP/1.1",
            "GET http://evil.example/callback?code=a&state=s%2B1 HTTP/1.1",
            "GET /favicon.ico HTTP/1.1",
            "GET",
            "",
        ] {
            assert_eq!(ask(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_providers_words_are_kept() {
        let refused = ask("GET /callback?error=invalid_scope&error_description=No+such+scope&state=s%2B1 HTTP/1.1");
        let words = "invalid_scope: No such scope".to_owned();
        assert_eq!(refused, Some(Err(Refused { words, declined: false })));
        let declined = ask("GET /callback?error=access_denied&state=s%2B1 HTTP/1.1");
        assert_eq!(declined, Some(Err(Refused { words: "access_denied".to_owned(), declined: true })));
    }
}
