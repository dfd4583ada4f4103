//! An encrypted file with secrets, for computers without a keychain.
//!
//! Argon2id derives a key from the passphrase, and XChaCha20-Poly1305 encrypts all entries together. Every change
//! writes a new file with a new nonce and replaces the old one. A lock file prevents concurrent changes.

use std::{
    collections::BTreeMap,
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use argon2::{Algorithm, Argon2, Params, Version};
use base64::{Engine, prelude::BASE64_STANDARD as BASE64};
use chacha20poly1305::{
    KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, Payload},
};
use parking_lot::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};

use crate::{Secret, VaultError};

const FORMAT: u32 = 1;
const KEY_BYTES: usize = 32;
const SALT_BYTES: usize = 16;
const NONCE_BYTES: usize = 24;
/// The recommendation of RFC 9106 for limited memory: 64 MiB, three passes, four lanes.
const MEMORY_KIB: u32 = 64 * 1024;
const PASSES: u32 = 3;
const LANES: u32 = 4;
/// Limits for the parameters in a file, since deriving the key needs that much memory and time.
const MAX_MEMORY_KIB: u32 = 1024 * 1024;
const MAX_PASSES: u32 = 32;
const MAX_LANES: u32 = 16;
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

type Entries = BTreeMap<String, Secret>;

/// An encrypted file. It is locked until the passphrase is entered.
pub(super) struct PassphraseFile {
    path: PathBuf,
    key: Mutex<Option<Key>>,
}

/// A derived key with the parameters of its derivation.
#[derive(Clone)]
struct Key {
    bytes: [u8; KEY_BYTES],
    parameters: KeyParameters,
}

impl Drop for Key {
    fn drop(&mut self) {
        self.bytes.fill(0);
        // Prevents the compiler from removing the previous line.
        std::hint::black_box(&self.bytes);
    }
}

/// The parameters for deriving a key from a passphrase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyParameters {
    format: u32,
    memory_kib: u32,
    passes: u32,
    lanes: u32,
    salt: String,
}

/// The encrypted file as JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LockedFile {
    key: KeyParameters,
    nonce: String,
    entries: String,
}

impl fmt::Debug for PassphraseFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PassphraseFile").field("path", &self.path).finish_non_exhaustive()
    }
}

impl PassphraseFile {
    /// Returns the file if it exists. It is locked.
    pub(super) fn find(path: &Path) -> Option<Self> {
        path.is_file().then(|| Self { path: path.to_owned(), key: Mutex::default() })
    }

    /// Creates a file with these entries, or replaces an existing file.
    pub(super) fn create(path: &Path, passphrase: &Secret, entries: &Entries) -> Result<Self, VaultError> {
        if passphrase.is_empty() {
            return Err(VaultError::WrongPassphrase);
        }
        let salt = BASE64.encode(random_bytes::<SALT_BYTES>()?);
        let parameters = KeyParameters { format: FORMAT, memory_kib: MEMORY_KIB, passes: PASSES, lanes: LANES, salt };
        let key = Key::derive(parameters, passphrase)?;
        let file = Self { path: path.to_owned(), key: Mutex::new(Some(key.clone())) };
        let _lock = file.lock_file()?;
        file.write(&key, entries)?;
        Ok(file)
    }

    pub(super) fn is_locked(&self) -> bool {
        self.lock_key().is_none()
    }

    /// Unlocks the file. After an error, it stays as before.
    pub(super) fn unlock(&self, passphrase: &Secret) -> Result<(), VaultError> {
        let locked = self.load()?;
        let key = Key::derive(locked.key.clone(), passphrase)?;
        decrypt(&locked, &key)?;
        *self.lock_key() = Some(key);
        Ok(())
    }

    pub(super) fn get(&self, entry: &str) -> Result<Option<Secret>, VaultError> {
        Ok(self.entries()?.remove(entry))
    }

    pub(super) fn put(&self, entry: &str, secret: &Secret) -> Result<(), VaultError> {
        self.change(|entries| entries.insert(entry.to_owned(), secret.clone()) != Some(secret.clone()))
    }

    pub(super) fn remove(&self, entry: &str) -> Result<(), VaultError> {
        self.change(|entries| entries.remove(entry).is_some())
    }

    /// Decrypts all entries. Fails if the file is locked.
    pub(super) fn entries(&self) -> Result<Entries, VaultError> {
        decrypt(&self.load()?, &self.key()?)
    }

    pub(super) fn delete(&self) -> Result<(), VaultError> {
        let _lock = self.lock_file()?;
        fs::remove_file(&self.path).map_err(VaultError::from)
    }

    fn change(&self, change: impl FnOnce(&mut Entries) -> bool) -> Result<(), VaultError> {
        let key = self.key()?;
        let _lock = self.lock_file()?;
        let mut entries = decrypt(&self.load()?, &key)?;
        if change(&mut entries) { self.write(&key, &entries) } else { Ok(()) }
    }

    fn key(&self) -> Result<Key, VaultError> {
        self.lock_key().clone().ok_or(VaultError::Locked)
    }

    fn load(&self) -> Result<LockedFile, VaultError> {
        if fs::metadata(&self.path).map_err(VaultError::from)?.len() > MAX_FILE_BYTES {
            return Err(VaultError::Store("the file is too large".to_owned()));
        }
        let bytes = fs::read(&self.path).map_err(VaultError::from)?;
        serde_json::from_slice(&bytes).map_err(|error| VaultError::Store(error.to_string()))
    }

    /// Writes a new file and renames it, so that readers never see a partial file.
    fn write(&self, key: &Key, entries: &Entries) -> Result<(), VaultError> {
        let locked = encrypt(key, entries)?;
        let bytes = serde_json::to_vec(&locked).map_err(|error| VaultError::Store(error.to_string()))?;
        let new_path = self.path.with_extension("part");
        let mut file = open_private_file(&new_path, true).map_err(VaultError::from)?;
        file.write_all(&bytes).and_then(|()| file.sync_all()).map_err(VaultError::from)?;
        drop(file);
        fs::rename(&new_path, &self.path).map_err(VaultError::from)?;
        self.sync_folder().map_err(VaultError::from)
    }

    #[cfg(unix)]
    fn sync_folder(&self) -> io::Result<()> {
        self.path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
    }

    /// Does nothing. Only Unix requires syncing a folder to store a renamed file durably.
    #[cfg(not(unix))]
    fn sync_folder(&self) -> io::Result<()> {
        Ok(())
    }

    /// Locks the file against changes by other processes, until the returned value is dropped.
    fn lock_file(&self) -> Result<File, VaultError> {
        let file = open_private_file(&self.path.with_extension("lock"), false).map_err(VaultError::from)?;
        file.lock().map_err(VaultError::from)?;
        Ok(file)
    }

    fn lock_key(&self) -> MutexGuard<'_, Option<Key>> {
        self.key.lock()
    }
}

impl Key {
    fn derive(parameters: KeyParameters, passphrase: &Secret) -> Result<Self, VaultError> {
        let KeyParameters { format, memory_kib, passes, lanes, salt } = &parameters;
        let bounded = *memory_kib <= MAX_MEMORY_KIB && *passes <= MAX_PASSES && *lanes <= MAX_LANES;
        if *format != FORMAT || !bounded {
            return Err(VaultError::Store("another Takt wrote the file".to_owned()));
        }
        let odd = |error: argon2::Error| VaultError::Store(error.to_string());
        let argon2 = Params::new(*memory_kib, *passes, *lanes, Some(KEY_BYTES)).map_err(odd)?;
        let salt = BASE64.decode(salt).map_err(|error| VaultError::Store(error.to_string()))?;
        let mut bytes = [0; KEY_BYTES];
        Argon2::new(Algorithm::Argon2id, Version::V0x13, argon2)
            .hash_password_into(passphrase.reveal().as_bytes(), &salt, &mut bytes)
            .map_err(odd)?;
        Ok(Self { bytes, parameters })
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&self.bytes.into())
    }

    /// Returns the parameters as additional data, so that changes to them are detected.
    fn associated_data(&self) -> Vec<u8> {
        serde_json::to_vec(&self.parameters).unwrap_or_default()
    }
}

fn encrypt(key: &Key, entries: &Entries) -> Result<LockedFile, VaultError> {
    let text = serde_json::to_vec(entries).map_err(|error| VaultError::Store(error.to_string()))?;
    let nonce = random_bytes::<NONCE_BYTES>()?;
    let associated_data = key.associated_data();
    let payload = Payload { msg: &text, aad: &associated_data };
    let bytes = key.cipher().encrypt(&XNonce::from(nonce), payload);
    let bytes = bytes.map_err(|error| VaultError::Store(error.to_string()))?;
    Ok(LockedFile { key: key.parameters.clone(), nonce: BASE64.encode(nonce), entries: BASE64.encode(bytes) })
}

/// Decrypts the entries. Fails if the key differs or if the file was changed.
fn decrypt(locked: &LockedFile, key: &Key) -> Result<Entries, VaultError> {
    if locked.key != key.parameters {
        // Another process changed the passphrase.
        return Err(VaultError::Locked);
    }
    let damaged = || VaultError::Store("the file is damaged".to_owned());
    let nonce = BASE64.decode(&locked.nonce).map_err(|_| damaged())?;
    let nonce = <[u8; NONCE_BYTES]>::try_from(nonce).map_err(|_| damaged())?;
    let bytes = BASE64.decode(&locked.entries).map_err(|_| damaged())?;
    let associated_data = key.associated_data();
    let payload = Payload { msg: &bytes, aad: &associated_data };
    let text = key.cipher().decrypt(&XNonce::from(nonce), payload).map_err(|_| VaultError::WrongPassphrase)?;
    serde_json::from_slice(&text).map_err(|_| damaged())
}

fn random_bytes<const COUNT: usize>() -> Result<[u8; COUNT], VaultError> {
    let mut bytes = [0; COUNT];
    getrandom::fill(&mut bytes).map_err(|error| VaultError::Store(error.to_string()))?;
    Ok(bytes)
}

/// Opens a file that only its owner can access, with mode 0600 on Unix. On Windows, the folder's permissions apply.
fn open_private_file(path: &Path, truncate: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(truncate);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

impl From<io::Error> for VaultError {
    fn from(error: io::Error) -> Self {
        Self::Store(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Created with argon2 0.5 and chacha20poly1305 0.10.
    const EARLIER_FILE: &str = concat!(
        r#"{"key":{"format":1,"memory_kib":65536,"passes":3,"lanes":4,"salt":"BxQhLjtIVWJvfImWo7C9yg=="},"#,
        r#""nonce":"BQ4XICkyO0RNVl9ocXqDjJWep7C5wsvU","#,
        r#""entries":"j06baB7aHDGeNcoWoYYZFHck6tlEY8jdxj7qAWhd7IhFc7+t0HxP5M6teeyyMJBTpzUzHWqujg7iGELD+mcjpNggmSECvbnCB738WnzQbw=="}"#,
    );

    fn entries() -> Entries {
        Entries::from([("works/tokens".to_owned(), Secret::new("access-4711"))])
    }

    #[test]
    fn only_its_passphrase_opens_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.vault");
        assert!(PassphraseFile::find(&path).is_none());
        let passphrase = Secret::new("correct horse");
        let made = PassphraseFile::create(&path, &passphrase, &entries()).unwrap();
        made.put("works/client-secret", &Secret::new("a-secret")).unwrap();
        let bytes = fs::read_to_string(&path).unwrap();
        assert!(!bytes.contains("4711") && !bytes.contains("works"), "{bytes}");

        let other = PassphraseFile::find(&path).unwrap();
        assert!(other.is_locked());
        assert_eq!(other.get("works/tokens"), Err(VaultError::Locked));
        assert_eq!(other.unlock(&Secret::new("wrong")), Err(VaultError::WrongPassphrase));
        other.unlock(&passphrase).unwrap();
        assert_eq!(other.get("works/client-secret").unwrap(), Some(Secret::new("a-secret")));
        other.remove("works/tokens").unwrap();
        assert_eq!(made.get("works/tokens").unwrap(), None, "both see every change");

        let changed = bytes.replacen("\"passes\":3", "\"passes\":4", 1);
        fs::write(&path, changed).unwrap();
        assert!(PassphraseFile::find(&path).unwrap().unlock(&passphrase).is_err(), "it was changed by somebody");
    }

    #[test]
    fn a_file_of_an_earlier_release_opens() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.vault");
        fs::write(&path, EARLIER_FILE).unwrap();
        let file = PassphraseFile::find(&path).unwrap();
        assert_eq!(file.unlock(&Secret::new("correct hors")), Err(VaultError::WrongPassphrase));
        file.unlock(&Secret::new("correct horse")).unwrap();
        let secrets = [("works/client-secret", "a-secret"), ("works/tokens", "access-4711")];
        let expected = secrets.map(|(entry, secret)| (entry.to_owned(), Secret::new(secret)));
        assert_eq!(file.entries().unwrap(), Entries::from(expected));
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.vault");
        PassphraseFile::create(&path, &Secret::new("correct horse"), &entries()).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
