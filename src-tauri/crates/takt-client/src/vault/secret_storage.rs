//! The storages of secrets.

/// The storage of secrets, which decides how long they last.
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
