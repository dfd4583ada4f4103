//! Separates a proxy's address, which is a setting, from its password, which is a secret.

use std::env;

use url::Url;

use crate::{ClientError, Redactor, Secret, address::is_loopback, redact};

const SETTING: &str = "proxy";

/// Returns whether the system's proxy is bypassed for an address. It is bypassed for addresses on this computer, and if
/// `NO_PROXY` contains `*`. The HTTP client applies `*` to host names but not to IP addresses.
pub(crate) fn is_direct(url: &Url) -> bool {
    is_loopback(url) || is_disabled_by_environment()
}

/// Returns whether `NO_PROXY` contains `*`.
pub(crate) fn is_disabled_by_environment() -> bool {
    let set = ["NO_PROXY", "no_proxy"].into_iter().find_map(|name| env::var(name).ok());
    set.is_some_and(|hosts| has_wildcard(&hosts))
}

fn has_wildcard(hosts: &str) -> bool {
    hosts.split(',').any(|host| host.trim() == "*")
}

/// Splits a proxy's address from its password, which stays percent-encoded.
///
/// # Errors
/// Fails if the text isn't the address of a proxy.
pub fn split_proxy(proxy: &str) -> Result<(String, Option<Secret>), ClientError> {
    let mut url = parse_proxy(proxy)?;
    let Some(password) = url.password().map(Secret::new) else { return Ok((proxy.trim().to_owned(), None)) };
    let unusable = |()| ClientError::Settings { setting: SETTING, reason: "it can't have a password".to_owned() };
    url.set_password(None).map_err(unusable)?;
    Ok((url.into(), Some(password)))
}

/// Percent-encodes a password for the proxy's address.
#[must_use]
pub fn encode_proxy_password(password: &str) -> String {
    // Everything except letters and digits is encoded, so that no character ends the password early.
    password.bytes().fold(String::new(), |text, byte| {
        if byte.is_ascii_alphanumeric() {
            text + char::from(byte).encode_utf8(&mut [0; 4])
        } else {
            format!("{text}%{byte:02X}")
        }
    })
}

/// Returns the proxy's address with its stored password.
pub(crate) fn with_password(proxy: &str, password: Option<&Secret>) -> Result<String, ClientError> {
    let Some(password) = password else { return Ok(proxy.to_owned()) };
    let mut url = parse_proxy(proxy)?;
    // The password is already encoded, and `set_password` keeps its escapes.
    if url.password().is_none() && url.set_password(Some(password.reveal())).is_err() {
        return Err(ClientError::Settings { setting: SETTING, reason: "it can't have a password".to_owned() });
    }
    Ok(url.into())
}

/// Registers the password for redaction, both percent-encoded and decoded.
pub(crate) fn register_password(redactor: &Redactor, password: &Secret) {
    redactor.register_secret(password);
    redactor.register_secret(&redact::percent_decode(password));
}

/// Parses a proxy's address. Errors don't quote it, since it may contain a password.
fn parse_proxy(proxy: &str) -> Result<Url, ClientError> {
    let unusable = |cause: url::ParseError| ClientError::Settings { setting: SETTING, reason: cause.to_string() };
    let text = proxy.trim();
    // `host:port` without a scheme means http, as in other programs.
    if text.contains("://") { Url::parse(text) } else { Url::parse(&format!("http://{text}")) }.map_err(unusable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_a_wildcard() {
        for hosts in ["*", " * ", "erp.example, *"] {
            assert!(has_wildcard(hosts), "{hosts}");
        }
        for hosts in ["", "*.example", "10.0.0.0/8,erp.example"] {
            assert!(!has_wildcard(hosts), "{hosts}");
        }
    }

    #[test]
    fn address_and_password_are_kept_apart_and_put_together() -> Result<(), ClientError> {
        let (bare, password) = split_proxy("http://anna:p%40ss%2Fw@proxy.example:3128")?;
        assert_eq!(bare, "http://anna@proxy.example:3128/");
        assert_eq!(with_password(&bare, password.as_ref())?, "http://anna:p%40ss%2Fw@proxy.example:3128/");
        for proxy in ["http://proxy.example:3128", "http://anna@proxy.example", "proxy.example:3128"] {
            assert_eq!(split_proxy(proxy)?, (proxy.to_owned(), None));
            assert_eq!(with_password(proxy, None)?, proxy);
        }
        assert!(split_proxy("::not a proxy::").is_err());
        assert_eq!(encode_proxy_password("p@ss/wö1"), "p%40ss%2Fw%C3%B61");
        Ok(())
    }
}
