//! Reads client certificates from a PEM file with its key, or from a PKCS#12 file.

use std::{fs, path::Path};

use p12_keystore::{KeyStore, KeyStoreEntry, Pkcs12ImportPolicy, PrivateKeyChain};
use tokio_rustls::rustls::pki_types::{
    CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer,
    pem::{self, PemObject},
};

use crate::{ClientError, Secret, access::ClientCertificate};

const SETTING: &str = "client certificate";
const PEM: &[u8] = b"-----BEGIN ";

/// A certificate with its issuers, and its key.
pub(crate) struct Identity {
    pub(crate) chain: Vec<CertificateDer<'static>>,
    pub(crate) key: PrivateKeyDer<'static>,
}

/// Reads the certificate and its key.
///
/// # Errors
/// Fails if a file can't be read or has no certificate or key, or if the passphrase is wrong.
pub(crate) fn read(files: &ClientCertificate, passphrase: Option<&Secret>) -> Result<Identity, ClientError> {
    let bytes = bytes(&files.file)?;
    if bytes.windows(PEM.len()).any(|window| window == PEM) {
        let key = files.key_file.as_deref().map(self::bytes).transpose()?;
        from_pem(&bytes, key.as_deref().unwrap_or(&bytes))
    } else {
        from_pkcs12(&bytes, passphrase)
    }
}

fn bytes(file: &Path) -> Result<Vec<u8>, ClientError> {
    fs::read(file).map_err(|cause| unusable(cause.to_string()))
}

fn from_pem(certificates: &[u8], key: &[u8]) -> Result<Identity, ClientError> {
    let chain = CertificateDer::pem_slice_iter(certificates).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|cause| unusable(cause.to_string()))?;
    if chain.is_empty() {
        return Err(unusable("it holds no certificate".to_owned()));
    }
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|cause| match cause {
        pem::Error::NoItemsFound => unusable(
            "it holds no key, or an encrypted one: name the file of the unencrypted key, or use a PKCS#12 file"
                .to_owned(),
        ),
        cause => unusable(cause.to_string()),
    })?;
    Ok(Identity { chain, key })
}

/// Reads the first key with its certificates.
fn from_pkcs12(bytes: &[u8], passphrase: Option<&Secret>) -> Result<Identity, ClientError> {
    let passphrase_text = passphrase.map_or("", Secret::reveal);
    let store = KeyStore::from_pkcs12(bytes, passphrase_text, Pkcs12ImportPolicy::Strict).map_err(|cause| {
        // The library reports a wrong passphrase like invalid bytes.
        let hint = if passphrase.is_some() { "the passphrase may be wrong" } else { "it may need a passphrase" };
        unusable(format!("{cause} ({hint})"))
    })?;
    let found = store.entries().find_map(|(_, entry)| match entry {
        KeyStoreEntry::PrivateKeyChain(found) => Some(found),
        KeyStoreEntry::Certificate(_) | KeyStoreEntry::Secret(_) => None,
    });
    let found = found.ok_or_else(|| unusable("it holds no key with a certificate".to_owned()))?;
    let chain: Vec<_> = certificates(found).collect();
    if chain.is_empty() {
        return Err(unusable("it holds no certificate".to_owned()));
    }
    Ok(Identity { chain, key: PrivatePkcs8KeyDer::from(found.key().as_der().to_vec()).into() })
}

fn certificates(found: &PrivateKeyChain) -> impl Iterator<Item = CertificateDer<'static>> {
    found.certs().iter().map(|certificate| CertificateDer::from(certificate.as_der().to_vec()))
}

fn unusable(reason: String) -> ClientError {
    ClientError::Settings { setting: SETTING, reason }
}
