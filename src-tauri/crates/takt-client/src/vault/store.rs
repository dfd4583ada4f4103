//! The platforms' keychains, accessed with timeouts, one entry at a time.
//!
//! Entries have the names of version 3 of the `keyring` crate, so that entries of earlier versions are found. A store
//! is opened for each access. A shared connection would be blocked if a keychain never responds, and would break if a
//! keychain restarts.

#[cfg(target_os = "linux")]
use std::collections::HashMap;
use std::{fmt, sync::mpsc, thread, time::Duration};

#[cfg(any(target_os = "linux", target_os = "macos", target_os = "windows"))]
use keyring_core::api::CredentialStoreApi as _;
use keyring_core::{Entry, Error};

use crate::{Secret, VaultError};

/// The timeout of the first access. A keychain that waits for the user to unlock it counts as unavailable.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);
/// The name and value of the entry that tests a store.
const PROBE_ENTRY: &str = "probe";
/// The timeout of later accesses.
const ACCESS_TIMEOUT: Duration = Duration::from_secs(10);

/// The maximum number of attempts while the kernel denies access, and the delay between them.
const MAX_DENIED_TRIES: u32 = 20;
const DENIED_PAUSE: Duration = Duration::from_millis(10);

/// The kind of storage for secrets, which decides how long they last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretStorage {
    /// The operating system's keychain.
    Keychain,
    /// The kernel's keyring, until the computer restarts.
    Kernel,
    /// An encrypted file that is unlocked.
    Passphrase,
    /// An encrypted file that is locked. Its secrets can't be read, and new ones stay in memory.
    Locked,
    /// The memory of this process, until it ends.
    Memory,
}

/// A store that passed the probe.
pub(super) struct Store {
    candidate: Candidate,
    /// The service name of the entries, made from the program's name and the namespace.
    service: String,
}

impl fmt::Debug for Store {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Store").field("place", &self.candidate.storage).finish_non_exhaustive()
    }
}

impl Store {
    /// Opens the first working store of the platform. The flag is true if a store that may have secrets failed
    /// temporarily.
    pub(super) fn open(namespace: &str) -> (Option<Self>, bool) {
        let mut is_keychain_unresponsive = false;
        let found = candidates().into_iter().find_map(|candidate| {
            let store = Self { candidate, service: format!("Takt {namespace}") };
            let storage = candidate.storage;
            match store.probe() {
                Ok(()) => Some(store),
                Err(error) => {
                    tracing::debug!(place = ?storage, %error, "this keychain isn't used");
                    is_keychain_unresponsive |= match storage {
                        // The kernel always responds, so any other failure may be temporary.
                        SecretStorage::Kernel => !matches!(error, VaultError::Unsupported | VaultError::NotKept),
                        _ => error == VaultError::TimedOut,
                    };
                    None
                }
            }
        });
        (found, is_keychain_unresponsive)
    }

    pub(super) fn storage(&self) -> SecretStorage {
        self.candidate.storage
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

    /// Writes a value and reads it back, since creating an entry doesn't prove that a store works. Each step uses a new
    /// thread, because some stores show a value only to the thread that wrote it. The entry isn't deleted. GNOME's
    /// keyring exits and loses all secrets if an entry is deleted right after its creation.
    fn probe(&self) -> Result<(), VaultError> {
        let value = Secret::new(PROBE_ENTRY);
        if self.get_within(PROBE_TIMEOUT, PROBE_ENTRY)?.as_ref() == Some(&value) {
            return Ok(());
        }
        self.put_within(PROBE_TIMEOUT, PROBE_ENTRY, &value)?;
        if self.get_within(PROBE_TIMEOUT, PROBE_ENTRY)? == Some(value) { Ok(()) } else { Err(VaultError::NotKept) }
    }

    fn get_within(&self, limit: Duration, entry: &str) -> Result<Option<Secret>, VaultError> {
        self.run_within(limit, entry, |entry| match entry.get_password() {
            Ok(text) => Ok(Some(Secret::new(text))),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        })
    }

    fn put_within(&self, limit: Duration, entry: &str, secret: &Secret) -> Result<(), VaultError> {
        let secret = secret.clone();
        let kernel = self.candidate.storage == SecretStorage::Kernel;
        self.run_within(limit, entry, move |entry| put_secret(entry, kernel, &secret))
    }

    fn remove_within(&self, limit: Duration, entry: &str) -> Result<(), VaultError> {
        self.run_within(limit, entry, |entry| match entry.delete_credential() {
            Err(error) if !is_absent(&error) => Err(error),
            Ok(()) | Err(_) => Ok(()),
        })
    }

    /// Runs work on another thread. If the store doesn't respond within `limit`, that thread is abandoned.
    fn run_within<T: Send + 'static>(
        &self,
        limit: Duration,
        entry: &str,
        work: impl Fn(&Entry) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, VaultError> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let (candidate, service, entry) = (self.candidate, self.service.clone(), entry.to_owned());
        let kernel = candidate.storage == SecretStorage::Kernel;
        let spawned = thread::Builder::new().name("takt-vault".to_owned()).spawn(move || {
            let joined = if kernel { join_persistent_keyring() } else { Ok(()) };
            let access = || retry_denied(|| (candidate.entry)(&service, &entry).and_then(|entry| work(&entry)));
            let result = match joined {
                Ok(()) => access().map_err(|error| store_error(error.to_string())),
                // The session keyring of a login may still work.
                Err(VaultError::Unsupported) => access().map_err(|_| VaultError::Unsupported),
                Err(error) => Err(error),
            };
            // After the timeout, the receiver is gone.
            drop(sender.send(result));
        });
        spawned.map_err(|error| VaultError::Store(error.to_string()))?;
        receiver.recv_timeout(limit).unwrap_or(Err(VaultError::TimedOut))
    }
}

/// Retries while the kernel denies access. If access stays denied, the entry may still exist.
fn retry_denied<T>(access: impl Fn() -> Result<T, Error>) -> Result<T, Error> {
    for _ in 1..MAX_DENIED_TRIES {
        match access() {
            Err(error) if is_denied_by_kernel(&error) => thread::sleep(DENIED_PAUSE),
            ended => return ended,
        }
    }
    access()
}

/// Converts an error of a store. These messages, which aren't translated, mean that the bus library's shorter timeout
/// passed or that the keychain ended.
fn store_error(message: String) -> VaultError {
    let is_keychain_unresponsive = ["Did not receive a reply", "disconnected from message bus without replying"]
        .iter()
        .any(|words| message.contains(words));
    if is_keychain_unresponsive { VaultError::TimedOut } else { VaultError::Store(message) }
}

/// Links the user's persistent keyring to the session keyring of this thread, which is created if there is none.
///
/// The keyring library ignores a failed link. It would then search an empty keyring and report a missing entry.
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

fn put_secret(entry: &Entry, kernel: bool, secret: &Secret) -> Result<(), Error> {
    if kernel {
        // Adding a key that this login session hasn't seen creates a second one, and other sessions would still read
        // the first. Reading first links the existing key, so that adding updates it in place.
        match entry.get_secret() {
            Err(error) if !is_absent(&error) => return Err(error),
            Ok(_) | Err(_) => {}
        }
    }
    entry.set_password(secret.reveal())
}

/// A store that the platform may have.
#[derive(Clone, Copy)]
struct Candidate {
    storage: SecretStorage,
    /// Returns an entry by service and user. May block.
    entry: fn(&str, &str) -> Result<Entry, Error>,
}

/// Returns the platform's possible stores, best first.
#[cfg(target_os = "linux")]
fn candidates() -> Vec<Candidate> {
    let mut found = Vec::new();
    // Without an address, the bus library would start another bus and leave daemons running.
    if std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some_and(|address| !address.is_empty()) {
        found.push(Candidate { storage: SecretStorage::Keychain, entry: secret_service_entry });
    }
    found.push(Candidate { storage: SecretStorage::Kernel, entry: kernel_entry });
    found
}

#[cfg(any(target_os = "macos", target_os = "windows"))]
fn candidates() -> Vec<Candidate> {
    vec![Candidate { storage: SecretStorage::Keychain, entry: native_entry }]
}

#[cfg(not(any(target_os = "linux", target_os = "macos", target_os = "windows")))]
fn candidates() -> Vec<Candidate> {
    Vec::new()
}

/// Sets the attribute `target`, which version 3 gave each item and searches for.
#[cfg(target_os = "linux")]
fn secret_service_entry(service: &str, user: &str) -> Result<Entry, Error> {
    let target = HashMap::from([("target", "default")]);
    dbus_secret_service_keyring_store::Store::new()?.build(service, user, Some(&target))
}

/// Sets the prefix of version 3, which isn't the default.
#[cfg(target_os = "linux")]
fn kernel_entry(service: &str, user: &str) -> Result<Entry, Error> {
    let prefix = HashMap::from([("prefix", "keyring-rs:")]);
    linux_keyutils_keyring_store::Store::new_with_configuration(&prefix)?.build(service, user, None)
}

#[cfg(target_os = "macos")]
fn native_entry(service: &str, user: &str) -> Result<Entry, Error> {
    apple_native_keyring_store::keychain::Store::new()?.build(service, user, None)
}

#[cfg(target_os = "windows")]
fn native_entry(service: &str, user: &str) -> Result<Entry, Error> {
    windows_native_keyring_store::Store::new()?.build(service, user, None)
}

fn is_absent(error: &Error) -> bool {
    matches!(error, Error::NoEntry)
}

/// Returns whether the kernel denied access. While other processes replace a key or change its keyring, the key may be
/// found but not readable. A later search can find it again.
#[cfg(target_os = "linux")]
fn is_denied_by_kernel(error: &Error) -> bool {
    match error {
        Error::NoStorageAccess(cause) => {
            matches!(cause.downcast_ref(), Some(linux_keyutils::KeyError::AccessDenied))
        }
        _ => false,
    }
}

#[cfg(not(target_os = "linux"))]
fn is_denied_by_kernel(_: &Error) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn denied() -> Error {
        Error::NoStorageAccess(Box::new(linux_keyutils::KeyError::AccessDenied))
    }

    #[test]
    fn a_denied_access_is_repeated_and_is_no_absent_entry() {
        let tries = Cell::new(0);
        let after_two = || {
            tries.set(tries.get() + 1);
            if tries.get() > 2 { Ok(tries.get()) } else { Err(denied()) }
        };
        assert_eq!(retry_denied(after_two).ok(), Some(3));
        let error = retry_denied(|| Err::<(), _>(denied())).unwrap_err();
        assert!(!is_absent(&error) && is_denied_by_kernel(&error));
        assert!(is_absent(&retry_denied(|| Err::<(), _>(Error::NoEntry)).unwrap_err()));
    }
}
