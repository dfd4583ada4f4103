//! The vault: client secrets and tokens, by site.
//!
//! What is sent to somebody is kept with the origin that it is for ([`Vault::put_for`]), and given out for no other.
//! They lie in the operating system's keychain; on a Linux without one in the kernel's keyring, which lasts until the
//! computer restarts; else in memory. A store counts only after a value was written and read back. What can't be
//! written there stays in memory, and [`Vault::place`] says so. Where a person chose so they lie in one file that a passphrase
//! opens ([`Vault::lock_with`]); nothing is ever written to a file that can be read without.

mod backend;
mod choice;
mod passphrase;
mod platform;
mod split;
mod store;

use std::{
    collections::HashMap,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::{Mutex, MutexGuard, RwLock};
use serde::{Deserialize, Serialize};

use crate::{Redactor, Secret, VaultError, proxy, token_pair};
use backend::Backend;
use passphrase::PassphraseFile;
use store::Store;

/// What is kept for a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SecretKind {
    ClientSecret,
    Tokens,
    /// What stands in the address to which the site sends its events.
    EventPath,
    /// What the site signs its events with.
    EventSecrets,
    /// What goes along with the site's events when they are sent on.
    TargetKeys,
    ProxyPassword,
    /// What opens the file of the site's client certificate.
    CertificatePassphrase,
    /// What signs in to the team's database.
    TeamPassword,
}

/// What the password of the team's database is kept under, as others are under their site's name.
pub const TEAM: &str = "team";

impl SecretKind {
    const ALL: [Self; 8] = [
        Self::ClientSecret,
        Self::Tokens,
        Self::EventPath,
        Self::EventSecrets,
        Self::TargetKeys,
        Self::ProxyPassword,
        Self::CertificatePassphrase,
        Self::TeamPassword,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::ClientSecret => "client-secret",
            Self::Tokens => "tokens",
            Self::EventPath => "event-path",
            Self::EventSecrets => "event-secrets",
            Self::TargetKeys => "target-keys",
            Self::ProxyPassword => "proxy-password",
            Self::CertificatePassphrase => "certificate-passphrase",
            Self::TeamPassword => "team-password",
        }
    }
}

/// How long what is kept lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretStorage {
    /// The operating system's keychain.
    Keychain,
    /// The kernel's keyring, until the computer restarts.
    Kernel,
    /// A file that a passphrase opens, and that is open.
    Passphrase,
    /// The same file while nobody opened it: nothing of it is known, and what is new stays in memory.
    Locked,
    /// This process, until it ends.
    Memory,
}

/// Clones are the same vault.
#[derive(Clone)]
pub struct Vault(Arc<Inner>);

struct Inner {
    backend: RwLock<Option<Arc<Backend>>>,
    /// What keeps the entries of two homes apart.
    namespace: String,
    /// Where the file that a passphrase opens is, or would be.
    file: Option<PathBuf>,
    /// What the store didn't take, or everything where there is none.
    memory: Mutex<HashMap<(String, SecretKind), Secret>>,
    /// What was given to this process alone, before everything that is kept.
    given: Mutex<HashMap<(String, SecretKind), Secret>>,
    /// Knows every secret that came by here.
    redactor: Redactor,
    /// No store was looked for.
    passing: bool,
    /// The system's keychain didn't answer when it was looked for: what it keeps isn't known.
    is_unanswered: bool,
}

impl Vault {
    /// The best store that works, and no file.
    ///
    /// Blocks for as long as the store takes to answer, at most a few seconds.
    #[must_use]
    pub fn open(namespace: &str) -> Self {
        let (store, is_unanswered) = Store::open(namespace);
        Self::with((store.map(Backend::Keychain), is_unanswered), namespace, None, Redactor::default(), false)
    }

    /// The file that a passphrase opens where there is one, locked; else the best store that works. `namespace` keeps the
    /// entries of two homes apart.
    ///
    /// Blocks for as long as the store takes to answer, at most a few seconds.
    #[must_use]
    pub fn open_with(namespace: &str, file: &Path, redactor: Redactor) -> Self {
        let backend = match PassphraseFile::find(file) {
            Some(file) => (Some(Backend::File(file)), false),
            None => {
                let (store, is_unanswered) = Store::open(namespace);
                (store.map(Backend::Keychain), is_unanswered)
            }
        };
        Self::with(backend, namespace, Some(file.to_owned()), redactor, false)
    }

    /// Everything in memory: for the practice plant, and for tests.
    #[must_use]
    pub fn memory() -> Self {
        Self::memory_with(Redactor::default())
    }

    /// The same with what removes secrets from logs already.
    #[must_use]
    pub fn memory_with(redactor: Redactor) -> Self {
        Self::with((None, false), "", None, redactor, true)
    }

    fn with(
        (backend, is_unanswered): (Option<Backend>, bool),
        namespace: &str,
        file: Option<PathBuf>,
        redactor: Redactor,
        passing: bool,
    ) -> Self {
        Self(Arc::new(Inner {
            backend: RwLock::new(backend.map(Arc::new)),
            is_unanswered,
            namespace: namespace.to_owned(),
            file,
            passing,
            memory: Mutex::default(),
            given: Mutex::default(),
            redactor,
        }))
    }

    fn backend(&self) -> Option<Arc<Backend>> {
        self.0.backend.read().clone()
    }

    /// True where it was made to keep nothing beyond this process, though there may be a keychain.
    #[must_use]
    pub fn is_for_this_process(&self) -> bool {
        self.0.passing
    }

    /// Removes every secret that was kept or asked for here from whatever is to be stored, logged or shown.
    #[must_use]
    pub fn redactor(&self) -> &Redactor {
        &self.0.redactor
    }

    /// Where values are kept: memory as soon as one of them only is.
    #[must_use]
    pub fn place(&self) -> SecretStorage {
        match self.backend().map(|backend| backend.place()) {
            Some(SecretStorage::Locked) => SecretStorage::Locked,
            Some(place) if self.lock_memory().is_empty() => place,
            Some(_) | None => SecretStorage::Memory,
        }
    }

    /// What is kept; nothing, too, where the store doesn't answer ([`Vault::read`] tells).
    #[must_use]
    pub fn get(&self, site: &str, kind: SecretKind) -> Option<Secret> {
        self.read(site, kind).ok().flatten()
    }

    /// What is kept. A locked file keeps nothing as long as it is.
    ///
    /// # Errors
    /// Where the store fails, or doesn't answer in time: what it keeps isn't known.
    pub fn read(&self, site: &str, kind: SecretKind) -> Result<Option<Secret>, VaultError> {
        let given = self.0.given.lock();
        if let Some(secret) = given.get(&(site.to_owned(), kind)) {
            return Ok(Some(secret.clone()));
        }
        drop(given);
        if let Some(secret) = self.lock_memory().get(&(site.to_owned(), kind)) {
            return Ok(Some(secret.clone()));
        }
        match self.backend().map(|backend| backend.get(&entry(site, kind))) {
            None | Some(Err(VaultError::Locked)) => Ok(None),
            Some(Ok(secret)) => Ok(secret.inspect(|secret| self.learn(kind, secret))),
            Some(Err(error)) => {
                tracing::warn!(site, kind = kind.name(), %error, "a secret couldn't be read");
                Err(error)
            }
        }
    }

    /// Keeps a value in the store, or in memory where the store doesn't take it.
    pub fn put(&self, site: &str, kind: SecretKind, secret: &Secret) {
        self.learn(kind, secret);
        if let Some(backend) = self.backend() {
            match backend.put(&entry(site, kind), secret) {
                Ok(()) => {
                    self.lock_memory().remove(&(site.to_owned(), kind));
                    return;
                }
                Err(error) => {
                    tracing::warn!(site, kind = kind.name(), %error, "a secret stays in memory");
                    // An older value must not come back at the next start.
                    if let Err(error) = backend.remove(&entry(site, kind)) {
                        tracing::warn!(site, kind = kind.name(), %error, "an outdated secret couldn't be removed");
                    }
                }
            }
        }
        self.lock_memory().insert((site.to_owned(), kind), secret.clone());
    }

    /// What is kept for this origin; nothing, too, where the store doesn't answer ([`Vault::read_for`] tells).
    #[must_use]
    pub fn get_for(&self, site: &str, kind: SecretKind, origin: &str) -> Option<Secret> {
        self.read_for(site, kind, origin).ok().flatten()
    }

    /// What is kept for this origin. A value of an earlier Takt, which says nothing of an origin, is for this one.
    ///
    /// # Errors
    /// As [`Vault::read`].
    pub fn read_for(&self, site: &str, kind: SecretKind, origin: &str) -> Result<Option<Secret>, VaultError> {
        let Some(found) = self.read(site, kind)? else { return Ok(None) };
        Ok(match Bound::of(&found) {
            Some(bound) => (bound.origin == origin).then_some(bound.secret),
            None => {
                self.put_for(site, kind, origin, &found);
                Some(found)
            }
        })
    }

    /// The tokens that are stored for this origin. Absent if no person is signed in.
    ///
    /// # Errors
    /// As [`Vault::read`], and where the keychain hasn't answered since this process began.
    pub fn tokens_for(&self, site: &str, origin: &str) -> Result<Option<Secret>, VaultError> {
        let found = self.read_for(site, SecretKind::Tokens, origin)?;
        if found.is_none() && self.0.is_unanswered { Err(VaultError::TimedOut) } else { Ok(found) }
    }

    /// True where the system's keychain didn't answer when this process looked for it: what isn't found may be kept there.
    #[must_use]
    pub fn is_unanswered(&self) -> bool {
        self.0.is_unanswered
    }

    /// Keeps a value for one origin alone.
    pub fn put_for(&self, site: &str, kind: SecretKind, origin: &str, secret: &Secret) {
        let bound = Bound { origin: origin.to_owned(), secret: secret.clone() };
        self.put(site, kind, &bound.to_secret());
    }

    /// Has this process use a value for one origin, whatever is kept. It is kept nowhere.
    pub fn use_for(&self, site: &str, kind: SecretKind, origin: &str, secret: &Secret) {
        let bound = Bound { origin: origin.to_owned(), secret: secret.clone() }.to_secret();
        self.learn(kind, &bound);
        let mut given = self.0.given.lock();
        given.insert((site.to_owned(), kind), bound);
    }

    /// Forgets a value that is for another origin. Says whether there was one.
    ///
    /// # Errors
    /// Where the keychain fails, or doesn't answer in time.
    pub fn forget_others(&self, site: &str, kind: SecretKind, origin: Option<&str>) -> Result<bool, VaultError> {
        let other = match self.get(site, kind) {
            Some(found) => Bound::of(&found).is_none_or(|bound| Some(bound.origin.as_str()) != origin),
            None => false,
        };
        if other {
            self.remove(site, kind)?;
        }
        Ok(other)
    }

    /// Forgets a value. What isn't there is forgotten already.
    ///
    /// # Errors
    /// Where the keychain fails, or doesn't answer in time.
    pub fn remove(&self, site: &str, kind: SecretKind) -> Result<(), VaultError> {
        self.lock_memory().remove(&(site.to_owned(), kind));
        match self.backend().map(|backend| backend.remove(&entry(site, kind))) {
            Some(done) => done,
            None => Ok(()),
        }
    }

    /// From here on it is removed from answers and logs. What is made of several secrets is learned by who takes it apart.
    fn learn(&self, kind: SecretKind, secret: &Secret) {
        let bound = Bound::of(secret);
        let secret = bound.as_ref().map_or(secret, |bound| &bound.secret);
        match kind {
            SecretKind::ProxyPassword => proxy::learn(&self.0.redactor, secret),
            SecretKind::Tokens => {
                token_pair::secrets_of(secret).iter().for_each(|token| self.0.redactor.learn_token(token))
            }
            SecretKind::ClientSecret
            | SecretKind::EventPath
            | SecretKind::CertificatePassphrase
            | SecretKind::TeamPassword => self.0.redactor.learn(secret),
            SecretKind::EventSecrets | SecretKind::TargetKeys => {}
        }
    }

    fn lock_memory(&self) -> MutexGuard<'_, HashMap<(String, SecretKind), Secret>> {
        self.0.memory.lock()
    }
}

/// A value with the origin that it is for, as it lies in the store.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bound {
    origin: String,
    secret: Secret,
}

impl Bound {
    /// None where it was written by a Takt that kept no origin.
    fn of(kept: &Secret) -> Option<Self> {
        serde_json::from_str(kept.reveal()).ok()
    }

    fn to_secret(&self) -> Secret {
        Secret::new(serde_json::to_string(self).unwrap_or_default())
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Vault").field("place", &self.place()).finish_non_exhaustive()
    }
}

fn entry(site: &str, kind: SecretKind) -> String {
    format!("{site}/{}", kind.name())
}
