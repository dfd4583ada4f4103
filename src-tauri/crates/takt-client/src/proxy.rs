//! A proxy's address and its password, which never stand together: the address is a setting, the password a secret.

use std::env;

use url::Url;

use crate::{ClientError, Redactor, Secret, address::is_loopback, redact};

const SETTING: &str = "proxy";

/// True where the system's proxy isn't asked: for this computer, and where `NO_PROXY` names everything. The HTTP client takes its `*` for
/// names of hosts alone, and not for IP addresses.
pub(crate) fn is_direct(url: &Url) -> bool {
    is_loopback(url) || environment_needs_none()
}

/// True where `NO_PROXY` is `*`.
pub(crate) fn environment_needs_none() -> bool {
    let set = ["NO_PROXY", "no_proxy"].into_iter().find_map(|name| env::var(name).ok());
    set.is_some_and(|hosts| names_everything(&hosts))
}

fn names_everything(hosts: &str) -> bool {
    hosts.split(',').any(|host| host.trim() == "*")
}

/// The address without its password, and the password as it stood there (percent-encoded).
///
/// # Errors
/// Where the address can't be used as a proxy's.
pub fn split_proxy(proxy: &str) -> Result<(String, Option<Secret>), ClientError> {
    let mut url = parsed(proxy)?;
    let Some(password) = url.password().map(Secret::new) else { return Ok((proxy.trim().to_owned(), None)) };
    let bare = |()| ClientError::Settings { setting: SETTING, reason: "it can't have a password".to_owned() };
    url.set_password(None).map_err(bare)?;
    Ok((url.into(), Some(password)))
}

/// A password as it stands in an address: percent-encoded.
#[must_use]
pub fn encoded_proxy_password(password: &str) -> String {
    // Everything that isn't a letter or a digit, so that nothing ends the password early.
    password.bytes().fold(String::new(), |text, byte| {
        if byte.is_ascii_alphanumeric() {
            text + char::from(byte).encode_utf8(&mut [0; 4])
        } else {
            format!("{text}%{byte:02X}")
        }
    })
}

/// The address with the password that is kept for it.
pub(crate) fn with_password(proxy: &str, password: Option<&Secret>) -> Result<String, ClientError> {
    let Some(password) = password else { return Ok(proxy.to_owned()) };
    let mut url = parsed(proxy)?;
    // Encoded already: what is escaped stays so.
    if url.password().is_none() && url.set_password(Some(password.reveal())).is_err() {
        return Err(ClientError::Settings { setting: SETTING, reason: "it can't have a password".to_owned() });
    }
    Ok(url.into())
}

/// From here on the password is removed from answers and errors, as it stands in the address and as it is sent.
pub(crate) fn learn(redactor: &Redactor, password: &Secret) {
    redactor.learn(password);
    redactor.learn(&redact::percent_decoded(password));
}

/// Never quotes it: it may hold a password.
fn parsed(proxy: &str) -> Result<Url, ClientError> {
    let unusable = |cause: url::ParseError| ClientError::Settings { setting: SETTING, reason: cause.to_string() };
    let text = proxy.trim();
    // `host:port` alone is taken for http, as elsewhere.
    if text.contains("://") { Url::parse(text) } else { Url::parse(&format!("http://{text}")) }.map_err(unusable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_names_everything() {
        for hosts in ["*", " * ", "erp.example, *"] {
            assert!(names_everything(hosts), "{hosts}");
        }
        for hosts in ["", "*.example", "10.0.0.0/8,erp.example"] {
            assert!(!names_everything(hosts), "{hosts}");
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
        assert_eq!(encoded_proxy_password("p@ss/wö1"), "p%40ss%2Fw%C3%B61");
        Ok(())
    }
}
