//! The HTTP client of one site: timeouts, proxy, certificates.

use reqwest::{Client, Proxy, header, redirect};

use crate::{ClientError, Secret, SiteAccess, Vault, access::is_proxied, proxy::with_password, tls};

const USER_AGENT: &str = concat!("Takt/", env!("CARGO_PKG_VERSION"));

/// Secrets of the way to a site, which its proxy and its client certificate ask for.
#[derive(Debug, Clone, Default)]
pub(crate) struct WaySecrets {
    pub(crate) proxy_password: Option<Secret>,
    pub(crate) certificate_passphrase: Option<Secret>,
}

impl WaySecrets {
    /// Those that are kept for the site as it is set.
    pub(crate) fn of(access: &SiteAccess, vault: &Vault) -> Self {
        use crate::SecretKind::{CertificatePassphrase, ProxyPassword};
        let kept = |kind, origin: Option<String>| origin.and_then(|origin| vault.get_for(&access.name, kind, &origin));
        let named = access.proxy.as_deref().is_some_and(|proxy| proxy.contains('@'));
        Self {
            proxy_password: kept(ProxyPassword, access.proxy_origin().filter(|_| named)),
            certificate_passphrase: kept(CertificatePassphrase, access.certificate_origin()),
        }
    }
}

/// No redirects: a token or a batch must not follow one elsewhere. No retries below us either: what was sent twice must be
/// known here.
pub(crate) fn client(access: &SiteAccess, secrets: &WaySecrets) -> Result<Client, ClientError> {
    let accept = header::HeaderMap::from_iter([(header::ACCEPT, header::HeaderValue::from_static("application/json"))]);
    let mut builder = Client::builder()
        .user_agent(USER_AGENT)
        .default_headers(accept)
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(access.timeouts.connect)
        .timeout(access.timeouts.whole)
        .tls_backend_preconfigured(tls::config(access, secrets.certificate_passphrase.as_ref())?);
    if let Some(proxy) = access.own_proxy() {
        let proxy = with_password(proxy, secrets.proxy_password.as_ref())?;
        // Its own words may quote the address.
        builder = builder.proxy(Proxy::all(proxy).map_err(|_| unusable("proxy", "it is no address"))?);
    } else if !is_proxied(access) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|cause| unusable("proxy or certificates", cause))
}

fn unusable(setting: &'static str, cause: impl std::fmt::Display) -> ClientError {
    ClientError::Settings { setting, reason: cause.to_string() }
}
