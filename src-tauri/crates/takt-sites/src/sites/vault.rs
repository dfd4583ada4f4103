//! Where secrets are kept, and a person's choice of a file that a passphrase opens.

use std::sync::PoisonError;

use takt_client::{Secret, SecretStorage, VaultError};
use takt_core::{Code, Problem};

use super::{PRACTICE, Sites};
use crate::VaultPlace;

impl Sites {
    /// Where secrets and tokens are kept.
    #[must_use]
    pub fn vault_place(&self) -> VaultPlace {
        match self.vault.place() {
            SecretStorage::Keychain => VaultPlace::Keychain,
            SecretStorage::Kernel => VaultPlace::Kernel,
            SecretStorage::Passphrase => VaultPlace::Passphrase,
            SecretStorage::Locked => VaultPlace::Locked,
            SecretStorage::Memory => VaultPlace::Memory,
        }
    }

    /// Opens the file with the secrets.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: the passphrase is wrong (`wrong-passphrase`), or there is no such file (`no-vault-file`).
    /// - [`Code::WriteFailed`]: the file can't be read.
    pub fn unlock_vault(&self, passphrase: &str) -> Result<(), Problem> {
        self.vault.unlock(&Secret::new(passphrase)).map_err(problem)?;
        self.forget_clients();
        Ok(())
    }

    /// Moves every secret into a file that this passphrase opens; with such a file its passphrase changes.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: the passphrase is empty (`wrong-passphrase`), or the file is locked (`vault-locked`).
    /// - [`Code::WriteFailed`]: the file can't be written.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn lock_vault_with(&self, passphrase: &str) -> Result<(), Problem> {
        self.vault.lock_with(&Secret::new(passphrase), &self.names()?).map_err(problem)?;
        self.forget_clients();
        Ok(())
    }

    /// Ends the file. What it holds goes to where the system keeps secrets, else into memory; of a locked file it is lost.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: there is no such file (`no-vault-file`).
    /// - [`Code::WriteFailed`]: the file can't be removed.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn end_vault_file(&self) -> Result<(), Problem> {
        self.vault.end_file(&self.names()?).map_err(problem)?;
        self.forget_clients();
        Ok(())
    }

    fn names(&self) -> Result<Vec<String>, Problem> {
        Ok(self.load_all()?.into_iter().map(|site| site.name).filter(|name| name != PRACTICE).collect())
    }

    /// They know tokens of another vault.
    fn forget_clients(&self) {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner).retain(|name, _| name == PRACTICE);
    }
}

fn problem(error: VaultError) -> Problem {
    match error {
        VaultError::WrongPassphrase => Problem::in_the_way("wrong-passphrase"),
        VaultError::Locked => Problem::in_the_way("vault-locked"),
        VaultError::NoFile => Problem::in_the_way("no-vault-file"),
        error @ (VaultError::Store(_) | VaultError::TimedOut | VaultError::NotKept) => {
            Problem::new(Code::WriteFailed).parameter("file", "secrets.vault").details(error)
        }
    }
}
