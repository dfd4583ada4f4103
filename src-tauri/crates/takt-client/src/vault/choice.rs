//! Moves secrets into an encrypted file, and back.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    Vault,
    backend::Backend,
    passphrase::PassphraseFile,
    secret_kind::{SecretKind, TEAM, entry},
    split,
    store::Store,
};
use crate::{Secret, VaultError};

impl Vault {
    /// Unlocks the file and moves waiting secrets from memory into it.
    ///
    /// # Errors
    /// Fails if the passphrase is wrong, or if the file doesn't exist or can't be read.
    pub fn unlock(&self, passphrase: &Secret) -> Result<(), VaultError> {
        let backend = self.backend();
        let Some(Backend::File(file)) = backend.as_deref() else { return Err(VaultError::NoFile) };
        file.unlock(passphrase)?;
        let waiting: Vec<_> = self.lock_memory().drain().collect();
        for ((site, kind), secret) in waiting {
            self.put(&site, kind, &secret);
        }
        Ok(())
    }

    /// Moves the secrets of these sites into a new encrypted file. If a file is already unlocked, its passphrase is
    /// changed.
    ///
    /// # Errors
    /// Fails if the passphrase is empty, the file can't be written, or an existing file is locked.
    pub fn set_passphrase(&self, passphrase: &Secret, sites: &[String]) -> Result<(), VaultError> {
        let path = self.0.file.as_ref().ok_or(VaultError::NoFile)?;
        let before = self.backend();
        let mut entries = match before.as_deref() {
            Some(Backend::File(file)) => file.entries()?,
            Some(Backend::Keychain(_)) | None => BTreeMap::new(),
        };
        let all = || all_entries(sites);
        for (site, kind) in all() {
            if let Some(secret) = self.secret(site, kind) {
                entries.insert(entry(site, kind), secret);
            }
        }
        let file = PassphraseFile::create(path, passphrase, &entries)?;
        self.set_backend(Some(Backend::File(file)));
        self.lock_memory().clear();
        if let Some(Backend::Keychain(store)) = before.as_deref() {
            for (site, kind) in all() {
                if let Err(error) = split::remove(store, &entry(site, kind)) {
                    tracing::warn!(site, kind = kind.name(), %error, "a secret that moved stays in the keychain, too");
                }
            }
        }
        Ok(())
    }

    /// Deletes the file. Its secrets move to the system's store, or to memory. Secrets in a locked file are lost.
    ///
    /// # Errors
    /// Fails if the file doesn't exist or can't be removed.
    pub fn end_file(&self, sites: &[String]) -> Result<(), VaultError> {
        let backend = self.backend();
        let Some(Backend::File(file)) = backend.as_deref() else { return Err(VaultError::NoFile) };
        let moved: Vec<_> = all_entries(sites)
            .filter_map(|(site, kind)| self.secret(site, kind).map(|secret| (site, kind, secret)))
            .collect();
        file.delete()?;
        self.set_backend(Store::open(&self.0.namespace).0.map(Backend::Keychain));
        for (site, kind, secret) in moved {
            self.put(site, kind, &secret);
        }
        Ok(())
    }

    /// Returns a secret from memory, else from the store.
    fn secret(&self, site: &str, kind: SecretKind) -> Option<Secret> {
        let waiting = self.lock_memory().get(&(site.to_owned(), kind)).cloned();
        waiting.or_else(|| self.backend()?.get(&entry(site, kind)).ok().flatten())
    }

    fn set_backend(&self, backend: Option<Backend>) {
        *self.0.backend.write() = backend.map(Arc::new);
    }
}

/// Returns all possible entries of these sites and of the team.
fn all_entries(sites: &[String]) -> impl Iterator<Item = (&str, SecretKind)> {
    let of_sites = sites.iter().flat_map(|site| SecretKind::ALL.into_iter().map(move |kind| (site.as_str(), kind)));
    of_sites.chain([(TEAM, SecretKind::TeamPassword)])
}
