//! The addresses of a site, and the URLs of its endpoints.

use url::{Host, Url};

use crate::ClientError;

/// The checked addresses of a site's service and identity provider.
#[derive(Debug, Clone)]
pub(crate) struct Addresses {
    base: String,
    pub(crate) authorize: Url,
    pub(crate) token: Url,
    /// The addresses of the provider's metadata, in the order in which they are requested.
    pub(crate) discovery: Vec<Url>,
    /// Without a trailing slash.
    pub(crate) provider: String,
}

impl Addresses {
    /// # Errors
    /// Fails if one of the addresses can't be used.
    pub(crate) fn new(base_url: &str, auth_url: &str) -> Result<Self, ClientError> {
        let auth = validate_address("identity provider's address", auth_url)?;
        Ok(Self {
            base: validate_address("address", base_url)?,
            authorize: parse_url("identity provider's address", &format!("{auth}/connect/authorize"))?,
            token: parse_url("identity provider's address", &format!("{auth}/connect/token"))?,
            discovery: metadata_urls(&auth)?,
            provider: auth,
        })
    }

    pub(crate) fn base_url(&self) -> Result<Url, ClientError> {
        parse_url("address", &self.base)
    }

    /// Returns an endpoint of the identity provider from a setting: a URL, or a path relative to the provider's
    /// address.
    pub(crate) fn provider_url(&self, setting: &'static str, text: &str) -> Result<Url, ClientError> {
        let text = text.trim();
        let address = if text.contains("://") {
            text.to_owned()
        } else {
            format!("{}/{}", self.provider, text.trim_start_matches('/'))
        };
        validate_address(setting, &address)?;
        parse_url(setting, &address)
    }

    /// Returns the URL for a contract path. The path must be percent-encoded, the query must not.
    pub(crate) fn path_url(&self, path: &str, query: &[(String, String)]) -> Result<Url, ClientError> {
        let slash = if path.starts_with('/') { "" } else { "/" };
        let mut url = parse_url("address", &format!("{}{slash}{path}", self.base))?;
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Ok(url)
    }
}

/// Returns the metadata addresses. OpenID Connect appends the path, RFC 8414 inserts it between host and path.
fn metadata_urls(auth: &str) -> Result<Vec<Url>, ClientError> {
    const SETTING: &str = "identity provider's address";
    let mut rfc_8414_url = parse_url(SETTING, auth)?;
    let path = format!("/.well-known/oauth-authorization-server{}", rfc_8414_url.path().trim_end_matches('/'));
    rfc_8414_url.set_path(&path);
    Ok(vec![parse_url(SETTING, &format!("{auth}/.well-known/openid-configuration"))?, rfc_8414_url])
}

/// Returns whether the address is on this computer, so that no proxy is used.
pub(crate) fn is_local(address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| is_loopback(&url))
}

/// Normalizes an address: lower-case host, no trailing slashes, no default port.
#[must_use]
pub fn normalize_address(address: &str) -> String {
    match Url::parse(address.trim()) {
        Ok(url) => url.as_str().trim_end_matches('/').to_owned(),
        Err(_) => address.trim().to_owned(),
    }
}

/// Returns whether both addresses are equal after normalization.
#[must_use]
pub fn is_same_address(left: &str, right: &str) -> bool {
    normalize_address(left) == normalize_address(right)
}

/// Returns whether data is sent unencrypted to another computer.
#[must_use]
pub fn is_unencrypted(address: &str) -> bool {
    Url::parse(address.trim()).is_ok_and(|url| url.scheme() == "http" && !is_loopback(&url))
}

/// Returns scheme, host and port. Invalid addresses are returned without surrounding spaces.
pub(crate) fn origin(address: &str) -> String {
    Url::parse(address.trim()).map_or_else(|_| address.trim().to_owned(), |url| url.origin().ascii_serialization())
}

pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// Checks an address and removes trailing slashes.
fn validate_address(setting: &'static str, text: &str) -> Result<String, ClientError> {
    let url = parse_url(setting, text.trim())?;
    let unusable = |reason: &str| Err(ClientError::Settings { setting, reason: reason.to_owned() });
    if !matches!(url.scheme(), "http" | "https") {
        return unusable("it begins neither with https:// nor with http://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return unusable("it holds a name or password");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return unusable("it holds a `?` or `#`");
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

fn parse_url(setting: &'static str, text: &str) -> Result<Url, ClientError> {
    Url::parse(text).map_err(|cause| ClientError::Settings { setting, reason: cause.to_string() })
}

/// Returns whether a browser can be redirected to an address. Takt listens for loopback addresses. For any other https
/// address, the user pastes the address of the page.
#[must_use]
pub fn is_redirect_uri(uri: &str) -> bool {
    Url::parse(uri).is_ok_and(|url| match url.scheme() {
        "http" => is_loopback(&url),
        "https" => true,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(base: &str) -> Result<Addresses, ClientError> {
        Addresses::new(base, "https://auth.example/idp/")
    }

    #[test]
    fn a_base_keeps_its_own_path() -> Result<(), ClientError> {
        let addresses = addresses(" https://erp.example/tenant/ ")?;
        let query = [("code".to_owned(), "a&b c".to_owned())];
        let url = addresses.path_url("/api/v1/WorkOrders", &query)?;
        assert_eq!(url.as_str(), "https://erp.example/tenant/api/v1/WorkOrders?code=a%26b+c");
        assert_eq!(addresses.token.as_str(), "https://auth.example/idp/connect/token");
        assert_eq!(
            addresses.discovery.iter().map(Url::as_str).collect::<Vec<_>>(),
            [
                "https://auth.example/idp/.well-known/openid-configuration",
                "https://auth.example/.well-known/oauth-authorization-server/idp"
            ]
        );
        Ok(())
    }

    #[test]
    fn the_same_place_has_several_spellings() {
        assert!(is_same_address("https://ERP.example/a/", " https://erp.example:443/a"));
        assert!(!is_same_address("https://erp.example/a", "https://erp.example/b"));
        assert!(!is_same_address("https://erp.example", "http://erp.example"));
        assert!(is_unencrypted("http://erp.example") && is_unencrypted("http://10.0.0.7:8080/x"));
        for closed in ["https://erp.example", "http://127.0.0.1:80", "http://localhost", "http://[::1]:9", "nothing"] {
            assert!(!is_unencrypted(closed), "{closed}");
        }
    }

    #[test]
    fn unusable_addresses_are_refused() {
        for base in ["", "erp.example", "ftp://erp.example", "https://u:p@erp.example", "https://erp.example/?x=1"] {
            assert!(matches!(addresses(base), Err(ClientError::Settings { .. })), "{base}");
        }
    }
}
