//! TLS settings of a site: the system's certificate store, the site's additional authorities, and its client
//! certificate.

use std::{fs, path::Path, sync::Arc};

use rustls_platform_verifier::Verifier;
use tokio_rustls::rustls::{
    ClientConfig,
    crypto::{CryptoProvider, aws_lc_rs},
    pki_types::{CertificateDer, pem::PemObject},
};

use crate::{ClientError, Secret, SiteAccess, client_certificate};

/// Returns the TLS settings for a site.
///
/// # Errors
/// Fails if a certificate or key file can't be used.
pub(crate) fn config(access: &SiteAccess, passphrase: Option<&Secret>) -> Result<ClientConfig, ClientError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = verifier(access, Arc::clone(&provider))?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|cause| unusable("certificates", cause))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    let Some(files) = &access.client_certificate else { return Ok(builder.with_no_client_auth()) };
    let identity = client_certificate::read(files, passphrase)?;
    builder.with_client_auth_cert(identity.chain, identity.key).map_err(|cause| unusable("client certificate", cause))
}

/// Returns TLS settings for servers that belong to no site, with the system's certificate store and a file of
/// additional authorities.
///
/// # Errors
/// Fails if the file can't be used.
pub fn system_tls(authorities: Option<&Path>) -> Result<ClientConfig, ClientError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = verifier_with(authorities, Arc::clone(&provider))?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|cause| unusable("certificates", cause))?;
    Ok(builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}

/// Returns the system's verifier, which knows authorities that a company added to the system's store, with those of the
/// site's file.
///
/// # Errors
/// Fails if the file can't be used.
pub(crate) fn verifier(access: &SiteAccess, provider: Arc<CryptoProvider>) -> Result<Verifier, ClientError> {
    verifier_with(access.ca_file.as_deref(), provider)
}

fn verifier_with(authorities: Option<&Path>, provider: Arc<CryptoProvider>) -> Result<Verifier, ClientError> {
    let Some(file) = authorities else {
        return Verifier::new(provider).map_err(|cause| unusable("certificates", cause));
    };
    Verifier::new_with_extra_roots(certificates(file)?, provider).map_err(|cause| unusable("certificate file", cause))
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, ClientError> {
    const SETTING: &str = "certificate file";
    let pem = fs::read(file).map_err(|cause| unusable(SETTING, cause))?;
    let found = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>();
    let found = found.map_err(|cause| unusable(SETTING, cause))?;
    if found.is_empty() {
        return Err(ClientError::Settings { setting: SETTING, reason: "it holds no certificate".to_owned() });
    }
    Ok(found)
}

fn unusable(setting: &'static str, cause: impl std::fmt::Display) -> ClientError {
    ClientError::Settings { setting, reason: cause.to_string() }
}
