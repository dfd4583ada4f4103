//! Builds the HTTP client of a site with its timeouts, proxy and certificates.

use reqwest::{Client, Proxy, header, redirect};

use crate::{ClientError, Secret, SiteAccess, Vault, access::is_proxied, proxy::with_password, tls};

const USER_AGENT: &str = concat!("Takt/", env!("CARGO_PKG_VERSION"));

/// The secrets that are used on the route to a site.
#[derive(Debug, Clone, Default)]
pub(crate) struct RouteSecrets {
    pub(crate) proxy_password: Option<Secret>,
    pub(crate) certificate_passphrase: Option<Secret>,
}

impl RouteSecrets {
    /// Loads the secrets that are bound to the site's current settings.
    pub(crate) fn load(access: &SiteAccess, vault: &Vault) -> Self {
        use crate::SecretKind::{CertificatePassphrase, ProxyPassword};
        let stored =
            |kind, origin: Option<String>| origin.and_then(|origin| vault.get_for(&access.name, kind, &origin));
        let has_user = access.proxy.as_deref().is_some_and(|proxy| proxy.contains('@'));
        Self {
            proxy_password: stored(ProxyPassword, access.proxy_origin().filter(|_| has_user)),
            certificate_passphrase: stored(CertificatePassphrase, access.certificate_origin()),
        }
    }
}

/// Builds the client without redirects and retries. Tokens and batches must not be redirected, and only Takt decides
/// about retries.
pub(crate) fn build_client(access: &SiteAccess, secrets: &RouteSecrets) -> Result<Client, ClientError> {
    let accept = header::HeaderMap::from_iter([(header::ACCEPT, header::HeaderValue::from_static("application/json"))]);
    let mut builder = Client::builder()
        .user_agent(USER_AGENT)
        .default_headers(accept)
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(access.timeouts.connect)
        .timeout(access.timeouts.request)
        .tls_backend_preconfigured(tls::client_config(access, secrets.certificate_passphrase.as_ref())?);
    if let Some(proxy) = access.own_proxy() {
        let proxy = with_password(proxy, secrets.proxy_password.as_ref())?;
        // The library's message isn't used, since it may quote the address.
        builder = builder.proxy(Proxy::all(proxy).map_err(|_| unusable_setting_error("proxy", "it is no address"))?);
    } else if !is_proxied(access) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|cause| unusable_setting_error("proxy or certificates", cause))
}

fn unusable_setting_error(setting: &'static str, cause: impl std::fmt::Display) -> ClientError {
    ClientError::Settings { setting, reason: cause.to_string() }
}
