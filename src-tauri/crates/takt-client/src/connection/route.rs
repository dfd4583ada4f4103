//! By which proxy an address is reached, as the HTTP client decides it.

use hyper_util::client::proxy::matcher::Matcher;
use oauth2::http::{HeaderValue, Uri};
use url::{Position, Url};

use crate::{ClientError, SiteAccess, access::is_proxied, http::WaySecrets, proxy::with_password};

/// A proxy on the way.
#[derive(Debug)]
pub(super) struct Proxy {
    pub(super) scheme: String,
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) authorization: Option<HeaderValue>,
}

impl Proxy {
    /// Of the system's settings, or the site's own; none where the way leads straight there.
    pub(super) fn of(access: &SiteAccess, secrets: &WaySecrets, url: &Url) -> Result<Option<Self>, ClientError> {
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
                host: bare(found.uri().host().unwrap_or_default()),
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

/// Host and port, as they stand in an address.
pub(super) fn authority(url: &Url) -> String {
    let port = url.port_or_known_default().unwrap_or_default();
    format!("{}:{port}", &url[Position::BeforeHost..Position::AfterHost])
}

/// An address of IPv6 stands in brackets only within others.
pub(super) fn bare(host: &str) -> String {
    host.trim_start_matches('[').trim_end_matches(']').to_owned()
}
