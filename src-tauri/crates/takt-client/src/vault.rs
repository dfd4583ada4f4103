//! Stores client secrets and tokens by site.
//!
//! Secrets for a server are bound to an origin ([`Vault::put_for`]) and returned for no other. They are stored in
//! the system's keychain, else on Linux in the kernel's keyring until the computer restarts, else in memory.
//! [`Vault::storage`] returns the location. The user may choose an encrypted file instead ([`Vault::set_passphrase`]).
//! Secrets are never written to an unencrypted file.

mod long_value;
mod passphrase_file;
mod secret_kind;
mod store;

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::{Mutex, MutexGuard, RwLock};
use serde::{Deserialize, Serialize};

use crate::{Redactor, Secret, VaultError, proxy, token_pair};
use passphrase_file::PassphraseFile;
use secret_kind::entry_name;
pub use secret_kind::{SecretKind, TEAM};
pub use store::SecretStorage;
use store::Store;

/// Stores secrets. All clones share the store.
#[derive(Clone)]
pub struct Vault(Arc<Inner>);

struct Inner {
    backend: RwLock<Option<Arc<Backend>>>,
    /// The namespace that separates the entries of two home folders.
    namespace: String,
    /// The path of the encrypted file, even if it doesn't exist.
    file: Option<PathBuf>,
    /// Secrets that the store refused. Without a store, all secrets.
    memory: Mutex<HashMap<(String, SecretKind), Secret>>,
    /// Secrets for this process only, which override stored ones.
    overrides: Mutex<HashMap<(String, SecretKind), Secret>>,
    /// Redacts every secret of this vault.
    redactor: Redactor,
    /// Whether the vault was created in memory, without looking for a store.
    in_memory: bool,
    /// Whether the keychain didn't respond when it was opened, so that its secrets are unknown.
    is_keychain_unresponsive: bool,
}

impl Vault {
    /// Opens the best available store. Encrypted files aren't used.
    ///
    /// Blocks for as long as the store takes to respond, at most a few seconds.
    #[must_use]
    pub fn open(namespace: &str) -> Self {
        let (store, is_keychain_unresponsive) = Store::open(namespace);
        Self::from_parts(
            store.map(Backend::Keychain),
            is_keychain_unresponsive,
            namespace,
            None,
            Redactor::default(),
            false,
        )
    }

    /// Opens the encrypted file if it exists, else the best available store. The file is locked at first. `namespace`
    /// separates the entries of two home folders.
    ///
    /// Blocks for as long as the store takes to respond, at most a few seconds.
    #[must_use]
    pub fn open_with(namespace: &str, file: &Path, redactor: Redactor) -> Self {
        let (backend, is_keychain_unresponsive) = match PassphraseFile::find(file) {
            Some(file) => (Some(Backend::File(file)), false),
            None => {
                let (store, is_keychain_unresponsive) = Store::open(namespace);
                (store.map(Backend::Keychain), is_keychain_unresponsive)
            }
        };
        Self::from_parts(backend, is_keychain_unresponsive, namespace, Some(file.to_owned()), redactor, false)
    }

    /// Creates a vault in memory, for the practice plant and for tests.
    #[must_use]
    pub fn memory() -> Self {
        Self::memory_with(Redactor::default())
    }

    /// Creates a vault in memory with an existing redactor.
    #[must_use]
    pub fn memory_with(redactor: Redactor) -> Self {
        Self::from_parts(None, false, "", None, redactor, true)
    }

    fn from_parts(
        backend: Option<Backend>,
        is_keychain_unresponsive: bool,
        namespace: &str,
        file: Option<PathBuf>,
        redactor: Redactor,
        in_memory: bool,
    ) -> Self {
        Self(Arc::new(Inner {
            backend: RwLock::new(backend.map(Arc::new)),
            is_keychain_unresponsive,
            namespace: namespace.to_owned(),
            file,
            in_memory,
            memory: Mutex::default(),
            overrides: Mutex::default(),
            redactor,
        }))
    }

    fn backend(&self) -> Option<Arc<Backend>> {
        self.0.backend.read().clone()
    }

    /// Returns whether the vault was created in memory on purpose, even if there is a keychain.
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        self.0.in_memory
    }

    /// Returns the redactor for all secrets that were stored or read here.
    #[must_use]
    pub fn redactor(&self) -> &Redactor {
        &self.0.redactor
    }

    /// Returns the kind of storage for secrets. An unlocked store counts as memory if at least one secret couldn't be
    /// stored there.
    #[must_use]
    pub fn storage(&self) -> SecretStorage {
        match self.backend().map(|backend| backend.storage()) {
            Some(SecretStorage::Locked) => SecretStorage::Locked,
            Some(place) if self.lock_memory().is_empty() => place,
            Some(_) | None => SecretStorage::Memory,
        }
    }

    /// Returns a secret. None also if the store doesn't respond ([`Vault::read`] reports that).
    #[must_use]
    pub fn get(&self, site: &str, kind: SecretKind) -> Option<Secret> {
        self.read(site, kind).ok().flatten()
    }

    /// Reads a secret. Returns None if the encrypted file is locked.
    ///
    /// # Errors
    /// Fails if the store fails or doesn't respond in time.
    pub fn read(&self, site: &str, kind: SecretKind) -> Result<Option<Secret>, VaultError> {
        let overrides = self.0.overrides.lock();
        if let Some(secret) = overrides.get(&(site.to_owned(), kind)) {
            return Ok(Some(secret.clone()));
        }
        drop(overrides);
        if let Some(secret) = self.lock_memory().get(&(site.to_owned(), kind)) {
            return Ok(Some(secret.clone()));
        }
        match self.backend().map(|backend| backend.get(&entry_name(site, kind))) {
            None | Some(Err(VaultError::Locked)) => Ok(None),
            Some(Ok(secret)) => Ok(secret.inspect(|secret| self.register_for_redaction(kind, secret))),
            Some(Err(error)) => {
                tracing::warn!(site, kind = kind.name(), %error, "a secret couldn't be read");
                Err(error)
            }
        }
    }

    /// Stores a secret. If the store refuses it, the secret stays in memory.
    pub fn put(&self, site: &str, kind: SecretKind, secret: &Secret) {
        self.register_for_redaction(kind, secret);
        if let Some(backend) = self.backend() {
            match backend.put(&entry_name(site, kind), secret) {
                Ok(()) => {
                    self.lock_memory().remove(&(site.to_owned(), kind));
                    return;
                }
                Err(error) => {
                    tracing::warn!(site, kind = kind.name(), %error, "a secret stays in memory");
                    // The old value must not reappear after a restart.
                    if let Err(error) = backend.remove(&entry_name(site, kind)) {
                        tracing::warn!(site, kind = kind.name(), %error, "an outdated secret couldn't be removed");
                    }
                }
            }
        }
        self.lock_memory().insert((site.to_owned(), kind), secret.clone());
    }

    /// Returns the secret for an origin. None also if the store doesn't respond ([`Vault::read_for`] reports that).
    #[must_use]
    pub fn get_for(&self, site: &str, kind: SecretKind, origin: &str) -> Option<Secret> {
        self.read_for(site, kind, origin).ok().flatten()
    }

    /// Reads the secret for an origin. A value of an earlier version has no origin and is bound to this one.
    ///
    /// # Errors
    /// Fails as [`Vault::read`] does.
    pub fn read_for(&self, site: &str, kind: SecretKind, origin: &str) -> Result<Option<Secret>, VaultError> {
        let Some(found) = self.read(site, kind)? else { return Ok(None) };
        Ok(match BoundSecret::parse(&found) {
            Some(bound) => (bound.origin == origin).then_some(bound.secret),
            None => {
                self.put_for(site, kind, origin, &found);
                Some(found)
            }
        })
    }

    /// Reads the tokens for an origin. None if no user is signed in.
    ///
    /// # Errors
    /// Fails as [`Vault::read`] does, and if there are no tokens and the keychain didn't respond when it was opened.
    pub fn tokens_for(&self, site: &str, origin: &str) -> Result<Option<Secret>, VaultError> {
        let found = self.read_for(site, SecretKind::Tokens, origin)?;
        if found.is_none() && self.0.is_keychain_unresponsive { Err(VaultError::TimedOut) } else { Ok(found) }
    }

    /// Returns whether the keychain didn't respond when it was opened. It may have secrets that aren't found.
    #[must_use]
    pub fn is_keychain_unresponsive(&self) -> bool {
        self.0.is_keychain_unresponsive
    }

    /// Stores a secret for one origin.
    pub fn put_for(&self, site: &str, kind: SecretKind, origin: &str, secret: &Secret) {
        let bound = BoundSecret { origin: origin.to_owned(), secret: secret.clone() };
        self.put(site, kind, &bound.to_secret());
    }

    /// Overrides a secret for one origin in this process. The override isn't stored.
    pub fn override_for(&self, site: &str, kind: SecretKind, origin: &str, secret: &Secret) {
        let bound = BoundSecret { origin: origin.to_owned(), secret: secret.clone() }.to_secret();
        self.register_for_redaction(kind, &bound);
        let mut overrides = self.0.overrides.lock();
        overrides.insert((site.to_owned(), kind), bound);
    }

    /// Removes a secret that isn't bound to `origin`. Returns whether there was one.
    ///
    /// # Errors
    /// Fails if the keychain fails or doesn't respond in time.
    pub fn remove_for_other_origins(
        &self,
        site: &str,
        kind: SecretKind,
        origin: Option<&str>,
    ) -> Result<bool, VaultError> {
        let other = match self.get(site, kind) {
            Some(found) => BoundSecret::parse(&found).is_none_or(|bound| Some(bound.origin.as_str()) != origin),
            None => false,
        };
        if other {
            self.remove(site, kind)?;
        }
        Ok(other)
    }

    /// Removes a secret. Does nothing if there is none.
    ///
    /// # Errors
    /// Fails if the keychain fails or doesn't respond in time.
    pub fn remove(&self, site: &str, kind: SecretKind) -> Result<(), VaultError> {
        self.lock_memory().remove(&(site.to_owned(), kind));
        match self.backend().map(|backend| backend.remove(&entry_name(site, kind))) {
            Some(done) => done,
            None => Ok(()),
        }
    }

    /// Registers a secret for redaction. Values with several secrets are registered where they are parsed.
    fn register_for_redaction(&self, kind: SecretKind, secret: &Secret) {
        let bound = BoundSecret::parse(secret);
        let secret = bound.as_ref().map_or(secret, |bound| &bound.secret);
        match kind {
            SecretKind::ProxyPassword => proxy::register_password(&self.0.redactor, secret),
            SecretKind::Tokens => {
                token_pair::tokens_in_entry(secret).iter().for_each(|token| self.0.redactor.register_token(token))
            }
            SecretKind::ClientSecret
            | SecretKind::EventPath
            | SecretKind::CertificatePassphrase
            | SecretKind::TeamPassword => self.0.redactor.register_secret(secret),
            SecretKind::EventSecrets | SecretKind::TargetKeys => {}
        }
    }

    fn lock_memory(&self) -> MutexGuard<'_, HashMap<(String, SecretKind), Secret>> {
        self.0.memory.lock()
    }

    /// Unlocks the file and moves secrets from memory into it.
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

    /// Creates an encrypted file and moves the secrets of these sites into it. If a file is unlocked, its passphrase is
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
        let entries_to_move = || all_entries(sites);
        for (site, kind) in entries_to_move() {
            if let Some(secret) = self.find_secret(site, kind) {
                entries.insert(entry_name(site, kind), secret);
            }
        }
        let file = PassphraseFile::create(path, passphrase, &entries)?;
        self.set_backend(Some(Backend::File(file)));
        self.lock_memory().clear();
        if let Some(Backend::Keychain(store)) = before.as_deref() {
            for (site, kind) in entries_to_move() {
                if let Err(error) = long_value::remove(store, &entry_name(site, kind)) {
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
    pub fn delete_file(&self, sites: &[String]) -> Result<(), VaultError> {
        let backend = self.backend();
        let Some(Backend::File(file)) = backend.as_deref() else { return Err(VaultError::NoFile) };
        let moved: Vec<_> = all_entries(sites)
            .filter_map(|(site, kind)| self.find_secret(site, kind).map(|secret| (site, kind, secret)))
            .collect();
        file.delete()?;
        self.set_backend(Store::open(&self.0.namespace).0.map(Backend::Keychain));
        for (site, kind, secret) in moved {
            self.put(site, kind, &secret);
        }
        Ok(())
    }

    /// Returns a secret from memory, else from the store.
    fn find_secret(&self, site: &str, kind: SecretKind) -> Option<Secret> {
        let waiting = self.lock_memory().get(&(site.to_owned(), kind)).cloned();
        waiting.or_else(|| self.backend()?.get(&entry_name(site, kind)).ok().flatten())
    }

    fn set_backend(&self, backend: Option<Backend>) {
        *self.0.backend.write() = backend.map(Arc::new);
    }
}

/// A secret with its origin, in the form in which it is stored.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BoundSecret {
    origin: String,
    secret: Secret,
}

impl BoundSecret {
    /// Returns None for an earlier version's entry, which has no origin.
    fn parse(entry: &Secret) -> Option<Self> {
        serde_json::from_str(entry.reveal()).ok()
    }

    fn to_secret(&self) -> Secret {
        Secret::new(serde_json::to_string(self).unwrap_or_default())
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Vault").field("place", &self.storage()).finish_non_exhaustive()
    }
}

/// The storage of a vault: a platform's keychain or an encrypted file.
#[derive(Debug)]
enum Backend {
    Keychain(Store),
    File(PassphraseFile),
}

impl Backend {
    fn storage(&self) -> SecretStorage {
        match self {
            Self::Keychain(store) => store.storage(),
            Self::File(file) if file.is_locked() => SecretStorage::Locked,
            Self::File(_) => SecretStorage::Passphrase,
        }
    }

    fn get(&self, entry: &str) -> Result<Option<Secret>, VaultError> {
        match self {
            Self::Keychain(store) => long_value::get(store, entry),
            Self::File(file) => file.get(entry),
        }
    }

    fn put(&self, entry: &str, secret: &Secret) -> Result<(), VaultError> {
        match self {
            Self::Keychain(store) => long_value::put(store, entry, secret),
            Self::File(file) => file.put(entry, secret),
        }
    }

    fn remove(&self, entry: &str) -> Result<(), VaultError> {
        match self {
            Self::Keychain(store) => long_value::remove(store, entry),
            Self::File(file) => file.remove(entry),
        }
    }
}

/// Returns all entries that these sites and the team may have.
fn all_entries(sites: &[String]) -> impl Iterator<Item = (&str, SecretKind)> {
    let of_sites = sites.iter().flat_map(|site| SecretKind::ALL.into_iter().map(move |kind| (site.as_str(), kind)));
    of_sites.chain([(TEAM, SecretKind::TeamPassword)])
}
