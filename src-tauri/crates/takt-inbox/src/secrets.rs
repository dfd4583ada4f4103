//! The secrets by which a site signs its events. They are stored in the vault and never returned.

use takt_client::{Secret, SecretKind};

use crate::{event_inbox::EventInbox, receiver::Receiver, signature::check_secret};
use takt_core::{Code, Problem};
use takt_sites::PRACTICE;

impl EventInbox {
    /// Replaces the secrets by which a site signs its events. Several are used while one is replaced. Without one,
    /// signatures aren't checked.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::InvalidInput`]: a secret can't be used. None was stored.
    /// - [`Code::WriteFailed`]: the vault can't remove the stored secrets.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn set_secrets(&self, site: &str, secrets: &[String]) -> Result<(), Problem> {
        let site = self.sites.find(site)?.name;
        let vault = self.sites.vault(&site);
        let failed = |cause: String| Problem::new(Code::WriteFailed).parameter("file", &*site).details(cause);
        let secrets: Vec<_> = secrets.iter().filter(|secret| !secret.is_empty()).collect();
        for secret in &secrets {
            check_secret(&self.contract_of(&site), secret)?;
        }
        if secrets.is_empty() {
            return vault.remove(&site, SecretKind::EventSecrets).map_err(|error| failed(error.to_string()));
        }
        secrets.iter().for_each(|secret| vault.redactor().learn(&Secret::new(*secret)));
        let text = serde_json::to_string(&secrets).map_err(|error| failed(error.to_string()))?;
        vault.put(&site, SecretKind::EventSecrets, &Secret::new(text));
        Ok(())
    }

    /// Checks that a secret can be used. One with the prefix of Standard Webhooks must be a valid key.
    ///
    /// # Errors
    ///
    /// [`Code::InvalidInput`]: the text after the prefix of Standard Webhooks isn't a valid key.
    pub fn check_secret(&self, secret: &str) -> Result<(), Problem> {
        check_secret(&self.contract, secret)
    }

    /// Returns the number of secrets by which a site's events are checked.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn secret_count(&self, site: &str) -> Result<u32, Problem> {
        let site = self.sites.find(site)?.name;
        Ok(u32::try_from(self.secrets(&site).len()).unwrap_or(u32::MAX))
    }

    /// Adds a secret by which a site's events are checked, unless it is stored already.
    ///
    /// # Errors
    ///
    /// Like [`Self::set_secrets`].
    pub fn add_secret(&self, site: &str, secret: &str) -> Result<(), Problem> {
        let mut secrets = self.revealed_secrets(site)?;
        if !secrets.iter().any(|known| known == secret) {
            secrets.push(secret.to_owned());
        }
        self.set_secrets(site, &secrets)
    }

    /// Removes a secret by its index. The oldest has index 0.
    ///
    /// # Errors
    ///
    /// Like [`Self::set_secrets`].
    pub fn remove_secret(&self, site: &str, index: usize) -> Result<(), Problem> {
        let mut secrets = self.revealed_secrets(site)?;
        if index < secrets.len() {
            secrets.remove(index);
        }
        self.set_secrets(site, &secrets)
    }

    /// Updates a running receiver to the site's stored secrets.
    pub fn renew_secrets(&self, receiver: &Receiver) {
        receiver.set_secrets(self.secrets(receiver.site()));
    }

    /// Returns the secret by which the practice plant signs: the newest one. Secrets of other sites are never returned.
    #[must_use]
    pub fn practice_secret(&self) -> Option<String> {
        self.secrets(PRACTICE).last().map(|secret| secret.reveal().to_owned())
    }

    fn revealed_secrets(&self, site: &str) -> Result<Vec<String>, Problem> {
        let site = self.sites.find(site)?.name;
        Ok(self.secrets(&site).iter().map(|secret| secret.reveal().to_owned()).collect())
    }

    pub(crate) fn secrets(&self, site: &str) -> Vec<Secret> {
        let stored = self.sites.vault(site).get(site, SecretKind::EventSecrets);
        let texts: Vec<String> = stored.and_then(|text| serde_json::from_str(text.reveal()).ok()).unwrap_or_default();
        let secrets: Vec<Secret> = texts.into_iter().map(Secret::new).collect();
        secrets.iter().for_each(|secret| self.sites.vault(site).redactor().learn(secret));
        secrets
    }
}
