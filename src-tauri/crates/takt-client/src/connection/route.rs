//! Determines the proxy for an address, as the HTTP client does.

use hyper_util::client::proxy::matcher::Matcher;
use oauth2::http::{HeaderValue, Uri};
use url::{Position, Url};

use crate::{ClientError, SiteAccess, access::is_proxied, http::RouteSecrets, proxy::with_password};

/// A proxy for a connection.
#[derive(Debug)]
pub(super) struct Proxy {
    pub(super) scheme: String,
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) authorization: Option<HeaderValue>,
}

impl Proxy {
    /// Returns the site's proxy or the system's. None for a direct connection.
    pub(super) fn find(access: &SiteAccess, secrets: &RouteSecrets, url: &Url) -> Result<Option<Self>, ClientError> {
        let matcher = match access.own_proxy() {
            Some(own) => Matcher::builder().all(with_password(own, secrets.proxy_password.as_ref())?).build(),
            None if is_proxied(access) => Matcher::from_system(),
            None => return Ok(None),
        };
        let Ok(uri) = url.as_str().parse::<Uri>() else { return Ok(None) };
        Ok(matcher.intercept(&uri).map(|found| {
            let scheme = found.uri().scheme_str().unwrap_or("http").to_owned();
            let usual = if scheme == "https" { 443 } else { 80 };
            Self {
                host: without_brackets(found.uri().host().unwrap_or_default()),
                port: found.uri().port_u16().unwrap_or(usual),
                authorization: found.basic_auth().cloned(),
                scheme,
            }
        }))
    }

    pub(super) fn name(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

/// Returns host and port as written in an address.
pub(super) fn authority(url: &Url) -> String {
    let port = url.port_or_known_default().unwrap_or_default();
    format!("{}:{port}", &url[Position::BeforeHost..Position::AfterHost])
}

/// Removes the brackets of an IPv6 address.
pub(super) fn without_brackets(host: &str) -> String {
    host.trim_start_matches('[').trim_end_matches(']').to_owned()
}
