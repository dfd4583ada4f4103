//! Parses the redirect of a sign-in and checks its state.

use url::Url;

use crate::{ClientError, Secret, secret::equal_in_constant_time};

/// In characters.
const MAX_MESSAGE_LENGTH: usize = 500;

/// A refused sign-in with the provider's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RedirectRefusal {
    message: String,
    /// Whether the user declined. If not, the provider refused.
    is_declined: bool,
    /// Whether the state is correct. Without it, any page may have opened the address, so the sign-in keeps waiting.
    pub(super) has_valid_state: bool,
}

impl RedirectRefusal {
    fn by_provider(message: String) -> Self {
        Self { message, is_declined: false, has_valid_state: true }
    }
}

impl From<RedirectRefusal> for ClientError {
    fn from(refused: RedirectRefusal) -> Self {
        if refused.is_declined { Self::SignInDeclined(refused.message) } else { Self::SignInRefused(refused.message) }
    }
}

/// The provider's response in the redirect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AuthorizationResponse {
    pub(super) code: Secret,
    /// The issuer, if the provider sends it (RFC 9207).
    pub(super) issuer: Option<String>,
}

/// Parses a `GET` request for `path` with the expected state. Returns None for other requests.
pub(super) fn parse_request(
    head: &str,
    path: &str,
    state: &str,
) -> Option<Result<AuthorizationResponse, RedirectRefusal>> {
    let mut line = head.lines().next()?.split(' ');
    let (Some("GET"), Some(target), Some(_), None) = (line.next(), line.next(), line.next(), line.next()) else {
        return None;
    };
    if !target.starts_with('/') {
        return None;
    }
    let url = Url::parse(&format!("http://127.0.0.1{target}")).ok()?;
    if url.path() == path { parse_redirect(&url, state) } else { None }
}

/// Parses a pasted redirect address, ignoring surrounding spaces and quotes.
pub(super) fn parse_pasted(text: &str, state: &str) -> Option<Result<AuthorizationResponse, RedirectRefusal>> {
    let address = text.trim().trim_matches(['"', '\'', '<', '>']);
    parse_redirect(&Url::parse(address).ok()?, state)
}

fn parse_redirect(url: &Url, state: &str) -> Option<Result<AuthorizationResponse, RedirectRefusal>> {
    let value = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    let count = |name: &str| url.query_pairs().filter(|(key, _)| key == name).count();
    // Either the provider doesn't return the state and can't be used, or the request comes from another page.
    if value("state").is_none_or(|state| state.is_empty()) && (count("code") > 0 || count("error") > 0) {
        let message = "state: missing in the browser's way back".to_owned();
        return Some(Err(RedirectRefusal { message, is_declined: false, has_valid_state: false }));
    }
    if count("state") != 1 || !equal_in_constant_time(&value("state")?, state) {
        return None;
    }
    // An attacker may have added the second value (RFC 6749, 3.1, allows each parameter once).
    if let Some(name) = ["code", "error", "iss"].into_iter().find(|name| count(name) > 1) {
        return Some(Err(RedirectRefusal::by_provider(format!("{name}: more than once in the browser's way back"))));
    }
    if let Some(error) = value("error") {
        let is_declined = error == "access_denied";
        let message = match value("error_description") {
            Some(description) => format!("{error}: {description}"),
            None => error,
        };
        let message = message.chars().take(MAX_MESSAGE_LENGTH).collect();
        return Some(Err(RedirectRefusal { is_declined, ..RedirectRefusal::by_provider(message) }));
    }
    let code = value("code").filter(|code| !code.is_empty())?;
    Some(Ok(AuthorizationResponse { code: Secret::new(code), issuer: value("iss") }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_line(line: &str) -> Option<Result<AuthorizationResponse, RedirectRefusal>> {
        parse_request(&format!("{line}\r\nHost: 127.0.0.1\r\n\r\n"), "/callback", "s+1")
    }

    fn accepted(code: &str, issuer: Option<&str>) -> Option<Result<AuthorizationResponse, RedirectRefusal>> {
        Some(Ok(AuthorizationResponse { code: Secret::new(code), issuer: issuer.map(str::to_owned) }))
    }

    #[test]
    fn only_the_right_state_counts() {
        assert_eq!(parse_line("GET /callback?code=a%20b&state=s%2B1 HTTP/1.1"), accepted("a b", None));
        let named = parse_line("GET /callback?code=a&state=s%2B1&iss=https%3A%2F%2Fauth.example HTTP/1.1");
        assert_eq!(named, accepted("a", Some("https://auth.example")));
        for wrong in [
            "GET /callback?code=a&state=s%2B2 HTTP/1.1",
            "GET /callback?state=s%2B1 HTTP/1.1",
            "GET /callback?code=&state=s%2B1 HTTP/1.1",
            "GET /other?code=a&state=s%2B1 HTTP/1.1",
            "POST /callback?code=a&state=s%2B1 HTTP/1.1",
            "GET http://evil.example/callback?code=a&state=s%2B1 HTTP/1.1",
            "GET /favicon.ico HTTP/1.1",
            "GET",
            "",
        ] {
            assert_eq!(parse_line(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn without_a_state_nothing_is_proven() {
        for line in [
            "GET /callback?code=a HTTP/1.1",
            "GET /callback?code=a&state= HTTP/1.1",
            "GET /callback?error=access_denied HTTP/1.1",
        ] {
            assert!(
                matches!(
                    parse_line(line),
                    Some(Err(RedirectRefusal { is_declined: false, has_valid_state: false, .. }))
                ),
                "{line}"
            );
        }
        assert_eq!(parse_line("GET /other?code=a HTTP/1.1"), None);
        assert!(matches!(parse_pasted("http://127.0.0.1:9/callback?code=a", "s+1"), Some(Err(_))));
    }

    #[test]
    fn what_comes_twice_is_refused() {
        for line in [
            "GET /callback?code=a&code=b&state=s%2B1 HTTP/1.1",
            "GET /callback?code=a&code=a&state=s%2B1 HTTP/1.1",
            "GET /callback?code=a&iss=x&iss=y&state=s%2B1 HTTP/1.1",
        ] {
            assert!(
                matches!(
                    parse_line(line),
                    Some(Err(RedirectRefusal { is_declined: false, has_valid_state: true, .. }))
                ),
                "{line}"
            );
        }
        assert_eq!(parse_line("GET /callback?code=a&state=s%2B1&state=s%2B1 HTTP/1.1"), None);
    }

    #[test]
    fn an_address_out_of_the_browser_is_as_good() {
        let pasted = |text: &str| parse_pasted(text, "s+1");
        for text in
            ["http://127.0.0.1:9/callback?code=a&state=s%2B1", " \"https://erp.example/back?state=s%2B1&code=a\"\n"]
        {
            assert_eq!(pasted(text), accepted("a", None), "{text}");
        }
        assert!(matches!(pasted("http://127.0.0.1/?error=access_denied&state=s%2B1"), Some(Err(_))));
        for wrong in ["", "code=a", "http://127.0.0.1:9/callback?code=a&state=other", "https://auth.example/login"] {
            assert_eq!(pasted(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_providers_words_are_kept() {
        let refused =
            parse_line("GET /callback?error=invalid_scope&error_description=No+such+scope&state=s%2B1 HTTP/1.1");
        let message = "invalid_scope: No such scope".to_owned();
        assert_eq!(refused, Some(Err(RedirectRefusal::by_provider(message))));
        let declined = parse_line("GET /callback?error=access_denied&state=s%2B1 HTTP/1.1");
        assert_eq!(
            declined,
            Some(Err(RedirectRefusal {
                is_declined: true,
                ..RedirectRefusal::by_provider("access_denied".to_owned())
            }))
        );
    }
}
