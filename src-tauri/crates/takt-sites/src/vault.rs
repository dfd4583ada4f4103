//! Manages where secrets are stored, including the encrypted vault file.

use takt_client::{Secret, SecretKind, SecretStorage, VaultError};
use takt_core::{Code, Problem};

use crate::{SiteSecrets, VaultStorage, proxy, site::PRACTICE, site_list::Sites};

/// The secrets of sites: their storage, and secrets used only by this process.
#[derive(Debug)]
pub struct SecretStore<'a>(&'a Sites);

impl Sites {
    /// Returns access to the sites' secrets, which can be set but not read.
    #[must_use]
    pub fn secrets(&self) -> SecretStore<'_> {
        SecretStore(self)
    }

    fn stored_site_names(&self) -> Result<Vec<String>, Problem> {
        Ok(self.load_all()?.into_iter().map(|site| site.name).filter(|name| name != PRACTICE).collect())
    }

    /// Drops the clients of all sites except the practice plant, because they have cached tokens of another vault.
    fn forget_clients(&self) {
        self.clients.lock().retain(|name, _| name == PRACTICE);
    }
}

impl SecretStore<'_> {
    /// Returns the place where secrets and tokens are stored.
    #[must_use]
    pub fn storage(&self) -> VaultStorage {
        match self.0.vault.storage() {
            SecretStorage::Keychain => VaultStorage::Keychain,
            SecretStorage::Kernel => VaultStorage::Kernel,
            SecretStorage::Passphrase => VaultStorage::Passphrase,
            SecretStorage::Locked => VaultStorage::Locked,
            SecretStorage::Memory => VaultStorage::Memory,
        }
    }

    /// Unlocks the vault file.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: the passphrase is wrong (`wrong-passphrase`), or there is no vault file
    ///   (`no-vault-file`).
    /// - [`Code::WriteFailed`]: the file can't be read.
    pub fn unlock(&self, passphrase: &str) -> Result<(), Problem> {
        self.0.vault.unlock(&Secret::new(passphrase)).map_err(vault_problem)?;
        self.0.forget_clients();
        Ok(())
    }

    /// Moves every secret into a vault file with this passphrase. If there is a vault file, changes its passphrase.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: the passphrase is empty (`wrong-passphrase`), or the file is locked (`vault-locked`).
    /// - [`Code::WriteFailed`]: the file can't be written.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn set_passphrase(&self, passphrase: &str) -> Result<(), Problem> {
        self.0.vault.set_passphrase(&Secret::new(passphrase), &self.0.stored_site_names()?).map_err(vault_problem)?;
        self.0.forget_clients();
        Ok(())
    }

    /// Removes the vault file. Its secrets are moved to the system's storage, or to memory. Secrets of a locked file
    /// are lost.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: there is no vault file (`no-vault-file`).
    /// - [`Code::WriteFailed`]: the file can't be removed.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn remove_vault_file(&self) -> Result<(), Problem> {
        self.0.vault.delete_file(&self.0.stored_site_names()?).map_err(vault_problem)?;
        self.0.forget_clients();
        Ok(())
    }

    /// Uses secrets for a site in this process only, instead of stored ones. They aren't stored.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn set_session_secrets(&self, site: &str, secrets: &SiteSecrets) -> Result<(), Problem> {
        let (access, vault) = (self.0.access(&self.0.find(site)?), self.0.vault(site));
        let proxy_password = secrets.proxy_password.as_deref().map(proxy::encode_password);
        let to_secret = |text: &Option<String>| text.as_deref().map(Secret::new);
        for (kind, origin, secret) in [
            (SecretKind::ClientSecret, Some(access.secret_origin()), to_secret(&secrets.client)),
            (SecretKind::ProxyPassword, access.proxy_origin(), proxy_password),
            (
                SecretKind::CertificatePassphrase,
                access.certificate_origin(),
                to_secret(&secrets.certificate_passphrase),
            ),
        ] {
            if let (Some(origin), Some(secret)) = (origin, secret) {
                vault.override_for(site, kind, &origin, &secret);
            }
        }
        Ok(())
    }
}

fn vault_problem(error: VaultError) -> Problem {
    match error {
        VaultError::WrongPassphrase => Problem::obstacle("wrong-passphrase"),
        VaultError::Locked => Problem::obstacle("vault-locked"),
        VaultError::NoFile => Problem::obstacle("no-vault-file"),
        error @ (VaultError::Store(_) | VaultError::Unsupported | VaultError::TimedOut | VaultError::NotKept) => {
            Problem::new(Code::WriteFailed).parameter("file", "secrets.vault").details(error)
        }
    }
}
