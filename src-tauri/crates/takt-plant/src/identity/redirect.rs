//! Validates and compares redirect addresses (RFC 8252, 7.3), and derives the content security policy for forms that
//! redirect to them.

use url::{Host, Url};

use crate::PlantError;

/// The hosts of programs on the user's computer.
const LOOPBACK_HOSTS: [&str; 3] = ["http://127.0.0.1", "http://[::1]", "http://localhost"];

/// Returns whether two loopback addresses differ at most in the port, since programs may listen on any free port.
pub(crate) fn differ_only_by_port(known: &str, requested: &str) -> bool {
    let known = without_port(known);
    known.is_some() && known == without_port(requested)
}

/// Returns the host of a loopback address, and the text after its port. None for other addresses.
fn without_port(uri: &str) -> Option<(&'static str, &str)> {
    let (host, rest) = LOOPBACK_HOSTS.iter().find_map(|host| Some((*host, uri.strip_prefix(host)?)))?;
    let rest = match rest.strip_prefix(':') {
        Some(rest) => {
            let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
            let (port, rest) = rest.split_at(digits);
            port.parse::<u16>().ok()?;
            rest
        }
        None => rest,
    };
    (rest.is_empty() || rest.starts_with(['/', '?'])).then_some((host, rest))
}

/// Rejects an invalid redirect address. It must be absolute and have no fragment (RFC 6749, 3.1.2).
pub(crate) fn check_redirect_uri(uri: &str) -> Result<(), PlantError> {
    let wrong = || PlantError::RedirectUri(uri.to_owned());
    let url = Url::parse(uri).map_err(|_| wrong())?;
    let leads_nowhere = matches!(url.scheme(), "javascript" | "data" | "vbscript" | "file" | "about" | "blob");
    if url.fragment().is_some() || leads_nowhere { Err(wrong()) } else { Ok(()) }
}

/// Returns the policy's source for a form that redirects to the client. It is the origin, or only the scheme if a
/// policy can't contain the origin.
pub(crate) fn form_target(uri: &str) -> Option<String> {
    let url = Url::parse(uri).ok()?;
    let origin = url.origin();
    let is_expressible = origin.is_tuple() && !matches!(url.host(), Some(Host::Ipv6(_)));
    Some(if is_expressible { origin.ascii_serialization() } else { format!("{}:", url.scheme()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_port_of_a_loopback_address_may_differ() {
        let known = "http://127.0.0.1:47821/callback";
        for same in ["http://127.0.0.1:1/callback", "http://127.0.0.1/callback", known] {
            assert!(differ_only_by_port(known, same), "{same}");
        }
        for other in [
            "http://127.0.0.1:47821/callback/",
            "http://127.0.0.1:47821/callback?a=b",
            "http://127.0.0.1:65536/callback",
            "http://127.0.0.1:@evil.invalid/callback",
            "http://127.0.0.1.evil.invalid/callback",
            "http://localhost:47821/callback",
            "https://127.0.0.1:47821/callback",
            "http://[::1]:47821/callback",
        ] {
            assert!(!differ_only_by_port(known, other), "{other}");
        }
        assert!(differ_only_by_port("http://[::1]:1/", "http://[::1]:2/"));
        assert!(!differ_only_by_port("https://erp.example:1/", "https://erp.example:2/"));
    }

    #[test]
    fn a_redirect_address_is_absolute_and_has_no_fragment() {
        for good in ["http://127.0.0.1:1/callback", "https://erp.example/back", "com.example.erp:/back"] {
            assert!(check_redirect_uri(good).is_ok(), "{good}");
        }
        for bad in ["/callback", "127.0.0.1/callback", "http://127.0.0.1/#part", "javascript:alert(1)", ""] {
            assert!(check_redirect_uri(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_policy_names_the_origin_or_the_scheme() {
        assert_eq!(form_target("http://127.0.0.1:8080/a?b").as_deref(), Some("http://127.0.0.1:8080"));
        assert_eq!(form_target("http://[::1]:8080/a").as_deref(), Some("http:"));
        assert_eq!(form_target("com.example.erp:/a").as_deref(), Some("com.example.erp:"));
    }
}
