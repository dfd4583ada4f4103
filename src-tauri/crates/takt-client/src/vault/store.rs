//! The keychains of the platforms, one entry at a time, none of them trusted to answer.

use std::{fmt, sync::mpsc, thread, time::Duration};

use keyring_core::{Entry, Error};

use super::{
    SecretStorage, VaultError,
    platform::{self, Candidate},
};
use crate::Secret;

/// How long the first access to a store may take. A keychain that asks for its password then counts as unavailable.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);
/// What it is tried with.
const PROBE_ENTRY: &str = "probe";
/// How long each later access may take.
const ACCESS_TIMEOUT: Duration = Duration::from_secs(10);

/// A store that was seen to work.
pub(super) struct Store {
    candidate: Candidate,
    /// The entries' common name: program and home.
    service: String,
}

impl fmt::Debug for Store {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Store").field("place", &self.candidate.place).finish_non_exhaustive()
    }
}

impl Store {
    /// Opens the first store of the platform that works. Also tells whether a store that may hold secrets didn't answer.
    pub(super) fn open(namespace: &str) -> (Option<Self>, bool) {
        let mut is_unanswered = false;
        let found = platform::candidates().into_iter().find_map(|candidate| {
            let store = Self { candidate, service: format!("Takt {namespace}") };
            let place = candidate.place;
            match store.probe() {
                Ok(()) => Some(store),
                Err(error) => {
                    tracing::debug!(?place, %error, "this keychain isn't used");
                    is_unanswered |= match place {
                        // The kernel is always there, so any other failure may be temporary.
                        SecretStorage::Kernel => !matches!(error, VaultError::Unsupported | VaultError::NotKept),
                        _ => error == VaultError::TimedOut,
                    };
                    None
                }
            }
        });
        (found, is_unanswered)
    }

    pub(super) fn place(&self) -> SecretStorage {
        self.candidate.place
    }

    pub(super) fn get(&self, entry: &str) -> Result<Option<Secret>, VaultError> {
        self.get_within(ACCESS_TIMEOUT, entry)
    }

    pub(super) fn put(&self, entry: &str, secret: &Secret) -> Result<(), VaultError> {
        self.put_within(ACCESS_TIMEOUT, entry, secret)
    }

    pub(super) fn remove(&self, entry: &str) -> Result<(), VaultError> {
        self.remove_within(ACCESS_TIMEOUT, entry)
    }

    /// An entry that can be made isn't a store that works: a value is written and read back. Each step has a thread of its own, as
    /// a value that only its writer can see is no use. The entry stays: GNOME's keyring ends itself where one is deleted just
    /// after it was made, and takes all secrets with it.
    fn probe(&self) -> Result<(), VaultError> {
        let value = Secret::new(PROBE_ENTRY);
        if self.get_within(PROBE_TIMEOUT, PROBE_ENTRY)?.as_ref() == Some(&value) {
            return Ok(());
        }
        self.put_within(PROBE_TIMEOUT, PROBE_ENTRY, &value)?;
        if self.get_within(PROBE_TIMEOUT, PROBE_ENTRY)? == Some(value) { Ok(()) } else { Err(VaultError::NotKept) }
    }

    fn get_within(&self, limit: Duration, entry: &str) -> Result<Option<Secret>, VaultError> {
        self.within(limit, entry, |entry| match entry.get_password() {
            Ok(text) => Ok(Some(Secret::new(text))),
            Err(error) if platform::is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        })
    }

    fn put_within(&self, limit: Duration, entry: &str, secret: &Secret) -> Result<(), VaultError> {
        let secret = secret.clone();
        let kernel = self.candidate.place == SecretStorage::Kernel;
        self.within(limit, entry, move |entry| put(entry, kernel, &secret))
    }

    fn remove_within(&self, limit: Duration, entry: &str) -> Result<(), VaultError> {
        self.within(limit, entry, |entry| match entry.delete_credential() {
            Err(error) if !platform::is_absent(&error) => Err(error),
            Ok(()) | Err(_) => Ok(()),
        })
    }

    /// Works on another thread, which is left behind where the store never answers.
    fn within<T: Send + 'static>(
        &self,
        limit: Duration,
        entry: &str,
        work: impl FnOnce(&Entry) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, VaultError> {
        let (tell, told) = mpsc::sync_channel(1);
        let (candidate, service, entry) = (self.candidate, self.service.clone(), entry.to_owned());
        let kernel = candidate.place == SecretStorage::Kernel;
        let spawned = thread::Builder::new().name("takt-vault".to_owned()).spawn(move || {
            let joined = if kernel { join_persistent_keyring() } else { Ok(()) };
            let access = || (candidate.entry)(&service, &entry).and_then(|entry| work(&entry));
            let result = match joined {
                Ok(()) => access().map_err(|error| fault(error.to_string())),
                // The session keyring of a login may still work.
                Err(VaultError::Unsupported) => access().map_err(|_| VaultError::Unsupported),
                Err(error) => Err(error),
            };
            // After the timeout, the receiver is gone.
            drop(tell.send(result));
        });
        spawned.map_err(|error| VaultError::Store(error.to_string()))?;
        told.recv_timeout(limit).unwrap_or(Err(VaultError::TimedOut))
    }
}

/// What a store tells. The bus library waits a shorter time for an answer, or finds that the keychain has just ended, and says so
/// in these words, whatever the language.
fn fault(told: String) -> VaultError {
    let is_unanswered = ["Did not receive a reply", "disconnected from message bus without replying"]
        .iter()
        .any(|words| told.contains(words));
    if is_unanswered { VaultError::TimedOut } else { VaultError::Store(told) }
}

/// Links the user's persistent keyring to the session keyring of this thread, which is created if there is none.
///
/// The keyring library ignores a failed link. It would then search an empty keyring and report that there is no entry.
#[cfg(target_os = "linux")]
fn join_persistent_keyring() -> Result<(), VaultError> {
    use std::io;

    use linux_keyutils::{KeyError, KeyRing, KeyRingIdentifier};

    let is_unsupported = |number| io::Error::from_raw_os_error(number).kind() == io::ErrorKind::Unsupported;
    match KeyRing::get_persistent(KeyRingIdentifier::Session) {
        Ok(_) => Ok(()),
        Err(KeyError::OperationNotSupported | KeyError::PermissionDenied) => Err(VaultError::Unsupported),
        Err(KeyError::Unknown(number)) if is_unsupported(number) => Err(VaultError::Unsupported),
        Err(error) => Err(VaultError::Store(error.to_string())),
    }
}

#[cfg(not(target_os = "linux"))]
fn join_persistent_keyring() -> Result<(), VaultError> {
    Err(VaultError::Unsupported)
}

fn put(entry: &Entry, kernel: bool, secret: &Secret) -> Result<(), Error> {
    if kernel {
        // Adding a key that this login session hasn't seen makes a second one, and other sessions would go on reading the
        // first. Reading links the one that exists, and adding then updates it in place.
        match entry.get_secret() {
            Err(error) if !platform::is_absent(&error) => return Err(error),
            Ok(_) | Err(_) => {}
        }
    }
    entry.set_password(secret.reveal())
}
