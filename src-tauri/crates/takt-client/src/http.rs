//! The HTTP client of one site: timeouts, proxy, certificates.

use std::{fs, path::Path};

use reqwest::{Certificate, Client, Proxy, header, redirect};

use crate::{ClientError, Secret, SiteAccess, address::is_local, proxy::with_password};

const USER_AGENT: &str = concat!("Takt/", env!("CARGO_PKG_VERSION"));

/// No redirects: a token or a batch must not follow one elsewhere. No retries below us either: what was sent twice must be
/// known here.
pub(crate) fn client(access: &SiteAccess, proxy_password: Option<&Secret>) -> Result<Client, ClientError> {
    let accept = header::HeaderMap::from_iter([(header::ACCEPT, header::HeaderValue::from_static("application/json"))]);
    let mut builder = Client::builder()
        .user_agent(USER_AGENT)
        .default_headers(accept)
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(access.timeouts.connect)
        .timeout(access.timeouts.whole);
    if let Some(proxy) = access.proxy.as_deref().map(str::trim).filter(|proxy| !proxy.is_empty()) {
        let proxy = with_password(proxy, proxy_password)?;
        // Its own words may quote the address.
        builder = builder.proxy(Proxy::all(proxy).map_err(|_| unusable("proxy", "it is no address"))?);
    } else if is_local(&access.base_url) && is_local(&access.auth_url) {
        builder = builder.no_proxy();
    }
    if let Some(file) = &access.ca_file {
        builder = builder.tls_certs_merge(certificates(file)?);
    }
    builder.build().map_err(|cause| unusable("proxy or certificates", cause))
}

fn certificates(file: &Path) -> Result<Vec<Certificate>, ClientError> {
    const SETTING: &str = "certificate file";
    let pem = fs::read(file).map_err(|cause| unusable(SETTING, cause))?;
    let found = Certificate::from_pem_bundle(&pem).map_err(|cause| unusable(SETTING, cause))?;
    if found.is_empty() {
        return Err(ClientError::Settings { setting: SETTING, reason: "it holds no certificate".to_owned() });
    }
    Ok(found)
}

fn unusable(setting: &'static str, cause: impl std::fmt::Display) -> ClientError {
    ClientError::Settings { setting, reason: cause.to_string() }
}
