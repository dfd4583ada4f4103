//! Where secrets are kept, and a person's choice of a file that a passphrase opens.

use takt_client::{Secret, SecretKind, SecretStorage, VaultError};
use takt_core::{Code, Problem};

use super::{PRACTICE, Sites, proxy};
use crate::{SiteSecrets, VaultPlace};

/// What sites keep secret: where it lies, and what this process is given beside it.
#[derive(Debug)]
pub struct SecretStore<'a>(&'a Sites);

impl Sites {
    /// What is kept secret of them.
    #[must_use]
    pub fn secrets(&self) -> SecretStore<'_> {
        SecretStore(self)
    }

    fn names(&self) -> Result<Vec<String>, Problem> {
        Ok(self.load_all()?.into_iter().map(|site| site.name).filter(|name| name != PRACTICE).collect())
    }

    /// They know tokens of another vault.
    fn forget_clients(&self) {
        self.clients.lock().retain(|name, _| name == PRACTICE);
    }
}

impl SecretStore<'_> {
    /// Where secrets and tokens are kept.
    #[must_use]
    pub fn place(&self) -> VaultPlace {
        match self.0.vault.place() {
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
    pub fn unlock(&self, passphrase: &str) -> Result<(), Problem> {
        self.0.vault.unlock(&Secret::new(passphrase)).map_err(problem)?;
        self.0.forget_clients();
        Ok(())
    }

    /// Moves every secret into a file that this passphrase opens; with such a file its passphrase changes.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: the passphrase is empty (`wrong-passphrase`), or the file is locked (`vault-locked`).
    /// - [`Code::WriteFailed`]: the file can't be written.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn lock_with(&self, passphrase: &str) -> Result<(), Problem> {
        self.0.vault.lock_with(&Secret::new(passphrase), &self.0.names()?).map_err(problem)?;
        self.0.forget_clients();
        Ok(())
    }

    /// Ends the file. What it holds goes to where the system keeps secrets, else into memory; of a locked file it is lost.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: there is no such file (`no-vault-file`).
    /// - [`Code::WriteFailed`]: the file can't be removed.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn end_file(&self) -> Result<(), Problem> {
        self.0.vault.end_file(&self.0.names()?).map_err(problem)?;
        self.0.forget_clients();
        Ok(())
    }

    /// Has this process use secrets for a site as it is now, whatever is kept; they are kept nowhere.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn use_for(&self, site: &str, secrets: &SiteSecrets) -> Result<(), Problem> {
        let (access, vault) = (self.0.access(&self.0.find(site)?), self.0.vault(site));
        let proxy_password = secrets.proxy_password.as_deref().map(proxy::encoded);
        let given = |text: &Option<String>| text.as_deref().map(Secret::new);
        for (kind, origin, secret) in [
            (SecretKind::ClientSecret, Some(access.secret_origin()), given(&secrets.client)),
            (SecretKind::ProxyPassword, access.proxy_origin(), proxy_password),
            (SecretKind::CertificatePassphrase, access.certificate_origin(), given(&secrets.certificate_passphrase)),
        ] {
            if let (Some(origin), Some(secret)) = (origin, secret) {
                vault.use_for(site, kind, &origin, &secret);
            }
        }
        Ok(())
    }
}

fn problem(error: VaultError) -> Problem {
    match error {
        VaultError::WrongPassphrase => Problem::in_the_way("wrong-passphrase"),
        VaultError::Locked => Problem::in_the_way("vault-locked"),
        VaultError::NoFile => Problem::in_the_way("no-vault-file"),
        error @ (VaultError::Store(_) | VaultError::Unsupported | VaultError::TimedOut | VaultError::NotKept) => {
            Problem::new(Code::WriteFailed).parameter("file", "secrets.vault").details(error)
        }
    }
}
