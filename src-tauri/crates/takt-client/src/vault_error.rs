//! The errors of the vault.

/// The reason why a secret couldn't be read or stored. No variant contains a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    #[error("the keychain failed: {0}")]
    Store(String),
    #[error("this system has no such keychain")]
    Unsupported,
    #[error("the keychain didn't answer in time")]
    TimedOut,
    #[error("the keychain gave back something else than what was kept")]
    NotKept,
    #[error("the file with the secrets is locked")]
    Locked,
    #[error("the passphrase is wrong")]
    WrongPassphrase,
    #[error("there is no file with secrets")]
    NoFile,
}
