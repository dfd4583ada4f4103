//! Addresses: a site's own, and those made of them.

use url::{Host, Url};

use crate::ClientError;

/// Where a site's service and identity provider are.
#[derive(Debug, Clone)]
pub(crate) struct Addresses {
    base: String,
    pub(crate) authorize: Url,
    pub(crate) token: Url,
    /// Where a provider says of itself what it is, if it does; asked in this order.
    pub(crate) discovery: Vec<Url>,
    /// The identity provider's own address, without a slash at its end.
    pub(crate) provider: String,
}

impl Addresses {
    /// # Errors
    /// Where one of the two can't be used.
    pub(crate) fn new(base_url: &str, auth_url: &str) -> Result<Self, ClientError> {
        let auth = checked("identity provider's address", auth_url)?;
        Ok(Self {
            base: checked("address", base_url)?,
            authorize: parsed("identity provider's address", &format!("{auth}/connect/authorize"))?,
            token: parsed("identity provider's address", &format!("{auth}/connect/token"))?,
            discovery: discovery(&auth)?,
            provider: auth,
        })
    }

    /// The base URL itself.
    pub(crate) fn base(&self) -> Result<Url, ClientError> {
        parsed("address", &self.base)
    }

    /// An address of the identity provider's, as a person typed it: whole, or as a path below the provider's own.
    pub(crate) fn of_provider(&self, setting: &'static str, text: &str) -> Result<Url, ClientError> {
        let text = text.trim();
        let whole = if text.contains("://") {
            text.to_owned()
        } else {
            format!("{}/{}", self.provider, text.trim_start_matches('/'))
        };
        checked(setting, &whole)?;
        parsed(setting, &whole)
    }

    /// The address of a path of the contract. The path is percent-encoded already, the query isn't.
    pub(crate) fn of_path(&self, path: &str, query: &[(String, String)]) -> Result<Url, ClientError> {
        let slash = if path.starts_with('/') { "" } else { "/" };
        let mut url = parsed("address", &format!("{}{slash}{path}", self.base))?;
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Ok(url)
    }
}

/// OpenID Connect has it below the provider's address, RFC 8414 between host and path.
fn discovery(auth: &str) -> Result<Vec<Url>, ClientError> {
    const SETTING: &str = "identity provider's address";
    let mut between = parsed(SETTING, auth)?;
    let path = format!("/.well-known/oauth-authorization-server{}", between.path().trim_end_matches('/'));
    between.set_path(&path);
    Ok(vec![parsed(SETTING, &format!("{auth}/.well-known/openid-configuration"))?, between])
}

/// True where the site is on this computer: no proxy stands between.
pub(crate) fn is_local(address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| is_loopback(&url))
}

/// One way to write an address: a slash at the end, the case of a host and a scheme's own port say nothing.
#[must_use]
pub fn normal_address(address: &str) -> String {
    match Url::parse(address.trim()) {
        Ok(url) => url.as_str().trim_end_matches('/').to_owned(),
        Err(_) => address.trim().to_owned(),
    }
}

/// True where both lead to the same place.
#[must_use]
pub fn same_address(left: &str, right: &str) -> bool {
    normal_address(left) == normal_address(right)
}

/// True where others can read on the way what is sent there: it leaves this computer, and isn't encrypted.
#[must_use]
pub fn is_unencrypted(address: &str) -> bool {
    Url::parse(address.trim()).is_ok_and(|url| url.scheme() == "http" && !is_loopback(&url))
}

/// Scheme, host and port; an address that can't be read is its own.
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

/// Without a slash at its end.
fn checked(setting: &'static str, text: &str) -> Result<String, ClientError> {
    let url = parsed(setting, text.trim())?;
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

fn parsed(setting: &'static str, text: &str) -> Result<Url, ClientError> {
    Url::parse(text).map_err(|cause| ClientError::Settings { setting, reason: cause.to_string() })
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
        let url = addresses.of_path("/api/v1/WorkOrders", &query)?;
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
        assert!(same_address("https://ERP.example/a/", " https://erp.example:443/a"));
        assert!(!same_address("https://erp.example/a", "https://erp.example/b"));
        assert!(!same_address("https://erp.example", "http://erp.example"));
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
