//! The vault: client secrets and tokens, by site.
//!
//! They lie in the operating system's keychain; on a Linux without one in the kernel's keyring, which lasts until the
//! computer restarts; else in memory. A store counts only after a value was written, read back and deleted. What can't be
//! written there stays in memory, and [`Vault::place`] says so. Nothing is ever written to a file.

mod split;
mod store;

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{Redactor, Secret, token};
use store::Store;

/// What is kept for a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    ClientSecret,
    Tokens,
    /// What stands in the address to which the site sends its events.
    EventPath,
    /// What the site signs its events with.
    EventSecrets,
    /// What goes along with the site's events when they are sent on.
    TargetKeys,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::ClientSecret => "client-secret",
            Self::Tokens => "tokens",
            Self::EventPath => "event-path",
            Self::EventSecrets => "event-secrets",
            Self::TargetKeys => "target-keys",
        }
    }
}

/// How long what is kept lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The operating system's keychain.
    Keychain,
    /// The kernel's keyring, until the computer restarts.
    Kernel,
    /// This process, until it ends.
    Memory,
}

/// Why the store didn't do what it was asked. Never holds a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    #[error("the keychain failed: {0}")]
    Store(String),
    #[error("the keychain didn't answer in time")]
    TimedOut,
    #[error("the keychain gave back something else than what was kept")]
    NotKept,
}

/// Clones are the same vault.
#[derive(Clone)]
pub struct Vault(Arc<Inner>);

struct Inner {
    store: Option<Store>,
    /// What the store didn't take, or everything where there is none.
    memory: Mutex<HashMap<(String, Kind), Secret>>,
    /// Knows every secret that came by here.
    redactor: Redactor,
}

impl Vault {
    /// The best store that works. `namespace` keeps the entries of two homes apart.
    ///
    /// Blocks for as long as the store takes to answer, at most a few seconds.
    #[must_use]
    pub fn open(namespace: &str) -> Self {
        Self::open_with(namespace, Redactor::default())
    }

    /// The same with what removes secrets from logs already.
    #[must_use]
    pub fn open_with(namespace: &str, redactor: Redactor) -> Self {
        Self::with(Store::open(namespace), redactor)
    }

    /// Everything in memory: for the practice plant, and for tests.
    #[must_use]
    pub fn memory() -> Self {
        Self::memory_with(Redactor::default())
    }

    /// The same with what removes secrets from logs already.
    #[must_use]
    pub fn memory_with(redactor: Redactor) -> Self {
        Self::with(None, redactor)
    }

    fn with(store: Option<Store>, redactor: Redactor) -> Self {
        Self(Arc::new(Inner { store, memory: Mutex::default(), redactor }))
    }

    /// Removes every secret that was kept or asked for here from whatever is to be stored, logged or shown.
    #[must_use]
    pub fn redactor(&self) -> &Redactor {
        &self.0.redactor
    }

    /// Where values are kept: memory as soon as one of them only is.
    #[must_use]
    pub fn place(&self) -> Place {
        match &self.0.store {
            Some(store) if self.held().is_empty() => store.place(),
            Some(_) | None => Place::Memory,
        }
    }

    /// What is kept. A store that doesn't answer keeps nothing: the person signs in again.
    #[must_use]
    pub fn get(&self, site: &str, kind: Kind) -> Option<Secret> {
        if let Some(secret) = self.held().get(&(site.to_owned(), kind)) {
            return Some(secret.clone());
        }
        let found = self.0.store.as_ref().map(|store| split::get(store, &entry(site, kind)));
        match found {
            Some(Ok(secret)) => secret.inspect(|secret| self.learn(kind, secret)),
            Some(Err(error)) => {
                tracing::warn!(site, kind = kind.name(), %error, "a secret couldn't be read");
                None
            }
            None => None,
        }
    }

    /// Keeps a value in the store, or in memory where the store doesn't take it.
    pub fn put(&self, site: &str, kind: Kind, secret: &Secret) {
        self.learn(kind, secret);
        if let Some(store) = &self.0.store {
            match split::put(store, &entry(site, kind), secret) {
                Ok(()) => {
                    self.held().remove(&(site.to_owned(), kind));
                    return;
                }
                Err(error) => {
                    tracing::warn!(site, kind = kind.name(), %error, "a secret stays in memory");
                    // An older value must not come back at the next start.
                    if let Err(error) = split::remove(store, &entry(site, kind)) {
                        tracing::warn!(site, kind = kind.name(), %error, "an outdated secret couldn't be removed");
                    }
                }
            }
        }
        self.held().insert((site.to_owned(), kind), secret.clone());
    }

    /// Forgets a value. What isn't there is forgotten already.
    pub fn remove(&self, site: &str, kind: Kind) -> Result<(), VaultError> {
        self.held().remove(&(site.to_owned(), kind));
        self.0.store.as_ref().map_or(Ok(()), |store| split::remove(store, &entry(site, kind)))
    }

    /// From here on it is removed from answers and logs. What is made of several secrets is learned by who takes it apart.
    fn learn(&self, kind: Kind, secret: &Secret) {
        match kind {
            Kind::Tokens => token::secrets_of(secret).iter().for_each(|token| self.0.redactor.learn_token(token)),
            Kind::ClientSecret | Kind::EventPath => self.0.redactor.learn(secret),
            Kind::EventSecrets | Kind::TargetKeys => {}
        }
    }

    fn held(&self) -> MutexGuard<'_, HashMap<(String, Kind), Secret>> {
        self.0.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Vault").field("place", &self.place()).finish_non_exhaustive()
    }
}

fn entry(site: &str, kind: Kind) -> String {
    format!("{site}/{}", kind.name())
}
