//! The storage of a vault: a platform's keychain or an encrypted file.

use super::{passphrase::PassphraseFile, secret_storage::SecretStorage, split, store::Store};
use crate::{Secret, VaultError};

#[derive(Debug)]
pub(super) enum Backend {
    Keychain(Store),
    File(PassphraseFile),
}

impl Backend {
    pub(super) fn place(&self) -> SecretStorage {
        match self {
            Self::Keychain(store) => store.place(),
            Self::File(file) if file.is_locked() => SecretStorage::Locked,
            Self::File(_) => SecretStorage::Passphrase,
        }
    }

    pub(super) fn get(&self, entry: &str) -> Result<Option<Secret>, VaultError> {
        match self {
            Self::Keychain(store) => split::get(store, entry),
            Self::File(file) => file.get(entry),
        }
    }

    pub(super) fn put(&self, entry: &str, secret: &Secret) -> Result<(), VaultError> {
        match self {
            Self::Keychain(store) => split::put(store, entry, secret),
            Self::File(file) => file.put(entry, secret),
        }
    }

    pub(super) fn remove(&self, entry: &str) -> Result<(), VaultError> {
        match self {
            Self::Keychain(store) => split::remove(store, entry),
            Self::File(file) => file.remove(entry),
        }
    }
}
