//! Stores and forgets the secrets of a site in the vault.

use std::sync::Arc;

use takt_client::{Client, ClientError, Secret, SecretKind, SiteAccess, Vault};
use takt_core::{Clock, Code, Problem};

use crate::SiteSaveResult;

/// Checks that a client can be created, with this passphrase or the stored one. Nothing is stored.
pub(crate) fn check_access(
    vault: &Vault,
    clock: &Clock,
    access: &SiteAccess,
    passphrase: Option<&str>,
) -> Result<(), ClientError> {
    const KIND: SecretKind = SecretKind::CertificatePassphrase;
    let probe_vault = Vault::memory_with(vault.redactor().clone());
    if let Some(origin) = access.certificate_origin() {
        let stored = || vault.get_for(&access.name, KIND, &origin);
        if let Some(passphrase) = passphrase.map(Secret::new).or_else(stored) {
            probe_vault.put_for(&access.name, KIND, &origin, &passphrase);
        }
    }
    Client::new(access.clone(), probe_vault, Arc::clone(clock)).map(drop)
}

/// Stores the proxy's encoded password, or forgets it if it is empty. Returns true if it was stored.
pub(crate) fn store_proxy_password(
    vault: &Vault,
    access: &SiteAccess,
    password: Option<Secret>,
) -> Result<bool, Problem> {
    const KIND: SecretKind = SecretKind::ProxyPassword;
    match (password, access.proxy_origin()) {
        (None, _) | (Some(_), None) => Ok(false),
        (Some(password), Some(_)) if password.is_empty() => forget(vault, &access.name, KIND).map(|()| false),
        (Some(password), Some(origin)) => {
            vault.put_for(&access.name, KIND, &origin, &password);
            Ok(true)
        }
    }
}

/// Stores the passphrase of a client certificate, or forgets it if it is empty. Returns true if it was stored.
pub(crate) fn store_passphrase(
    vault: &Vault,
    access: &SiteAccess,
    passphrase: Option<String>,
) -> Result<bool, Problem> {
    const KIND: SecretKind = SecretKind::CertificatePassphrase;
    match (passphrase, access.certificate_origin()) {
        (None, _) | (Some(_), None) => Ok(false),
        (Some(text), Some(_)) if text.is_empty() => forget(vault, &access.name, KIND).map(|()| false),
        (Some(text), Some(origin)) => {
            vault.put_for(&access.name, KIND, &origin, &Secret::new(text));
            Ok(true)
        }
    }
}

/// Forgets secrets that were stored for other origins than the site's current ones.
pub(crate) fn forget_other_origins(vault: &Vault, access: &SiteAccess) -> Result<SiteSaveResult, Problem> {
    let (name, proxy) = (access.name.as_str(), access.proxy_origin());
    let forget = |kind, origin: Option<&str>| {
        let result = vault.forget_others(name, kind, origin);
        result.map_err(|error| Problem::new(Code::WriteFailed).parameter("file", name).details(error))
    };
    let certificate = access.certificate_origin();
    Ok(SiteSaveResult {
        certificate_passphrase_forgotten: forget(SecretKind::CertificatePassphrase, certificate.as_deref())?,
        secret_forgotten: forget(SecretKind::ClientSecret, Some(&access.secret_origin()))?,
        proxy_password_forgotten: forget(SecretKind::ProxyPassword, proxy.as_deref())?,
        signed_out: forget(SecretKind::Tokens, Some(&access.token_origin()))?,
    })
}

/// Removes a secret of a site.
pub(crate) fn forget(vault: &Vault, site: &str, kind: SecretKind) -> Result<(), Problem> {
    vault.remove(site, kind).map_err(|error| Problem::new(Code::WriteFailed).parameter("file", site).details(error))
}
