//! The TLS settings of a site. Servers are trusted through the system's certificate store and the site's additional
//! authorities. The client certificate is read from a PEM file with its key, or from a PKCS#12 file.

use std::{fs, path::Path, sync::Arc};

use p12_keystore::{KeyStore, KeyStoreEntry, Pkcs12ImportPolicy, PrivateKeyChain};
use rustls_platform_verifier::Verifier;
use tokio_rustls::rustls::{
    ClientConfig,
    crypto::{CryptoProvider, aws_lc_rs},
    pki_types::{
        CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer,
        pem::{self, PemObject},
    },
};

use crate::{ClientError, Secret, SiteAccess, access::ClientCertificate};

/// The names of the settings in errors.
const AUTHORITIES_SETTING: &str = "certificate file";
const CLIENT_CERTIFICATE_SETTING: &str = "client certificate";
const PEM_START: &[u8] = b"-----BEGIN ";

/// Returns the TLS settings for a site, with its client certificate.
///
/// # Errors
/// Fails if a certificate or key file can't be used.
pub(crate) fn client_config(access: &SiteAccess, passphrase: Option<&Secret>) -> Result<ClientConfig, ClientError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = verifier(access, Arc::clone(&provider))?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|cause| unusable_setting_error("certificates", cause))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    let Some(files) = &access.client_certificate else { return Ok(builder.with_no_client_auth()) };
    let identity = read_client_identity(files, passphrase)?;
    builder
        .with_client_auth_cert(identity.chain, identity.key)
        .map_err(|cause| unusable_setting_error(CLIENT_CERTIFICATE_SETTING, cause))
}

/// Returns TLS settings for servers that don't belong to a site. The system's certificate store and the authorities in
/// a file are trusted.
///
/// # Errors
/// Fails if the file can't be used.
pub fn system_tls(authorities: Option<&Path>) -> Result<ClientConfig, ClientError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = verifier_with(authorities, Arc::clone(&provider))?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|cause| unusable_setting_error("certificates", cause))?;
    Ok(builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}

/// Returns a verifier that trusts the system's certificate store and the authorities in the site's file.
///
/// # Errors
/// Fails if the file can't be used.
pub(crate) fn verifier(access: &SiteAccess, provider: Arc<CryptoProvider>) -> Result<Verifier, ClientError> {
    verifier_with(access.ca_file.as_deref(), provider)
}

fn verifier_with(authorities: Option<&Path>, provider: Arc<CryptoProvider>) -> Result<Verifier, ClientError> {
    let Some(file) = authorities else {
        return Verifier::new(provider).map_err(|cause| unusable_setting_error("certificates", cause));
    };
    Verifier::new_with_extra_roots(read_authorities(file)?, provider)
        .map_err(|cause| unusable_setting_error(AUTHORITIES_SETTING, cause))
}

fn read_authorities(file: &Path) -> Result<Vec<CertificateDer<'static>>, ClientError> {
    let pem = fs::read(file).map_err(|cause| unusable_setting_error(AUTHORITIES_SETTING, cause))?;
    let found = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>();
    let found = found.map_err(|cause| unusable_setting_error(AUTHORITIES_SETTING, cause))?;
    if found.is_empty() {
        return Err(unusable_setting_error(AUTHORITIES_SETTING, "it holds no certificate"));
    }
    Ok(found)
}

/// The client certificate with its issuers, and its private key.
struct ClientIdentity {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

/// Reads the client certificate and its key.
///
/// # Errors
/// Fails if a file can't be read or has no certificate or key, or if the passphrase is wrong.
fn read_client_identity(files: &ClientCertificate, passphrase: Option<&Secret>) -> Result<ClientIdentity, ClientError> {
    let bytes = read_file(&files.file)?;
    if bytes.windows(PEM_START.len()).any(|window| window == PEM_START) {
        let key = files.key_file.as_deref().map(read_file).transpose()?;
        from_pem(&bytes, key.as_deref().unwrap_or(&bytes))
    } else {
        from_pkcs12(&bytes, passphrase)
    }
}

fn read_file(file: &Path) -> Result<Vec<u8>, ClientError> {
    fs::read(file).map_err(|cause| unusable_setting_error(CLIENT_CERTIFICATE_SETTING, cause))
}

fn from_pem(certificates: &[u8], key: &[u8]) -> Result<ClientIdentity, ClientError> {
    let chain = CertificateDer::pem_slice_iter(certificates).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|cause| unusable_setting_error(CLIENT_CERTIFICATE_SETTING, cause))?;
    if chain.is_empty() {
        return Err(unusable_setting_error(CLIENT_CERTIFICATE_SETTING, "it holds no certificate"));
    }
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|cause| match cause {
        pem::Error::NoItemsFound => unusable_setting_error(
            CLIENT_CERTIFICATE_SETTING,
            "it holds no key, or an encrypted one: name the file of the unencrypted key, or use a PKCS#12 file",
        ),
        cause => unusable_setting_error(CLIENT_CERTIFICATE_SETTING, cause),
    })?;
    Ok(ClientIdentity { chain, key })
}

/// Returns the first key of the file with its certificates.
fn from_pkcs12(bytes: &[u8], passphrase: Option<&Secret>) -> Result<ClientIdentity, ClientError> {
    let passphrase_text = passphrase.map_or("", Secret::reveal);
    let store = KeyStore::from_pkcs12(bytes, passphrase_text, Pkcs12ImportPolicy::Strict).map_err(|cause| {
        // The library doesn't distinguish a wrong passphrase from invalid bytes.
        let hint = if passphrase.is_some() { "the passphrase may be wrong" } else { "it may need a passphrase" };
        unusable_setting_error(CLIENT_CERTIFICATE_SETTING, format!("{cause} ({hint})"))
    })?;
    let found = store.entries().find_map(|(_, entry)| match entry {
        KeyStoreEntry::PrivateKeyChain(found) => Some(found),
        KeyStoreEntry::Certificate(_) | KeyStoreEntry::Secret(_) => None,
    });
    let found = found
        .ok_or_else(|| unusable_setting_error(CLIENT_CERTIFICATE_SETTING, "it holds no key with a certificate"))?;
    let chain: Vec<_> = chain_certificates(found).collect();
    if chain.is_empty() {
        return Err(unusable_setting_error(CLIENT_CERTIFICATE_SETTING, "it holds no certificate"));
    }
    Ok(ClientIdentity { chain, key: PrivatePkcs8KeyDer::from(found.key().as_der().to_vec()).into() })
}

fn chain_certificates(found: &PrivateKeyChain) -> impl Iterator<Item = CertificateDer<'static>> {
    found.certs().iter().map(|certificate| CertificateDer::from(certificate.as_der().to_vec()))
}

fn unusable_setting_error(setting: &'static str, cause: impl std::fmt::Display) -> ClientError {
    ClientError::Settings { setting, reason: cause.to_string() }
}
