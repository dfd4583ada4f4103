//! The platforms' stores, and the names of Takt's entries in them.
//!
//! Entries have the names of version 3 of the `keyring` crate, so that entries of earlier versions are found. A store
//! is opened for each access. A shared connection would be blocked by an access that a keychain never answers, and
//! would break when a keychain restarts.

#[cfg(target_os = "linux")]
use std::collections::HashMap;

#[cfg(any(target_os = "linux", target_os = "macos", target_os = "windows"))]
use keyring_core::api::CredentialStoreApi as _;
use keyring_core::{Entry, Error};

use super::secret_storage::SecretStorage;

/// A store that this platform may have.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) place: SecretStorage,
    /// Opens the store and names an entry in it, by service and user. May block.
    pub(super) entry: fn(&str, &str) -> Result<Entry, Error>,
}

/// Returns the stores that this platform may have, the best one first.
#[cfg(target_os = "linux")]
pub(super) fn candidates() -> Vec<Candidate> {
    let mut found = Vec::new();
    // Without an address, the bus library would start another bus and leave daemons running.
    if std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some_and(|address| !address.is_empty()) {
        found.push(Candidate { place: SecretStorage::Keychain, entry: secret_service_entry });
    }
    found.push(Candidate { place: SecretStorage::Kernel, entry: kernel_entry });
    found
}

#[cfg(any(target_os = "macos", target_os = "windows"))]
pub(super) fn candidates() -> Vec<Candidate> {
    vec![Candidate { place: SecretStorage::Keychain, entry: native_entry }]
}

#[cfg(not(any(target_os = "linux", target_os = "macos", target_os = "windows")))]
pub(super) fn candidates() -> Vec<Candidate> {
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

/// Returns whether an access failed because there is no such entry.
pub(super) fn is_absent(error: &Error) -> bool {
    matches!(error, Error::NoEntry)
}

/// Returns whether the kernel denied the access. A key can be found and then not be read while other processes replace
/// it or change its keyring. A later search can find it again.
#[cfg(target_os = "linux")]
pub(super) fn is_denied_by_kernel(error: &Error) -> bool {
    match error {
        Error::NoStorageAccess(cause) => {
            matches!(cause.downcast_ref(), Some(linux_keyutils::KeyError::AccessDenied))
        }
        _ => false,
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn is_denied_by_kernel(_: &Error) -> bool {
    false
}
