//! What a site signs its events with: kept in the vault, added and forgotten, and never given out.

use takt_client::{Secret, SecretKind};
use takt_contract::Contract;

use super::{EventInbox, Receiver, delivery_format::DeliveryFormat, signature::usable};
use takt_core::{Code, Problem};
use takt_sites::sites::PRACTICE;

impl EventInbox {
    /// What the site signs its events with; several while one takes another's place. None: nothing is checked.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - [`Code::InvalidInput`]: a secret can't be used; none was kept.
    /// - [`Code::WriteFailed`]: the vault can't remove what was kept.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn set_secrets(&self, site: &str, secrets: &[String]) -> Result<(), Problem> {
        let site = self.sites.find(site)?.name;
        let vault = self.sites.vault(&site);
        let failed = |cause: String| Problem::new(Code::WriteFailed).parameter("file", &*site).details(cause);
        let secrets: Vec<_> = secrets.iter().filter(|secret| !secret.is_empty()).collect();
        for secret in &secrets {
            check(&self.contract_of(&site), secret)?;
        }
        if secrets.is_empty() {
            return vault.remove(&site, SecretKind::EventSecrets).map_err(|error| failed(error.to_string()));
        }
        secrets.iter().for_each(|secret| vault.redactor().learn(&Secret::new(*secret)));
        let text = serde_json::to_string(&secrets).map_err(|error| failed(error.to_string()))?;
        vault.put(&site, SecretKind::EventSecrets, &Secret::new(text));
        Ok(())
    }

    /// Whether a secret can be used: one that begins as a secret of Standard Webhooks has to be one.
    ///
    /// # Errors
    ///
    /// [`Code::InvalidInput`]: it has the form of a webhook's secret, and what stands behind the prefix can't be used.
    pub fn check_secret(&self, secret: &str) -> Result<(), Problem> {
        check(&self.contract, secret)
    }

    /// How many secrets are kept by which the site's events are checked. They are never given out.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn secret_count(&self, site: &str) -> Result<u32, Problem> {
        let site = self.sites.find(site)?.name;
        Ok(u32::try_from(self.secrets(&site).len()).unwrap_or(u32::MAX))
    }

    /// One more secret by which the site's events are checked; one that is kept already stays as it is.
    ///
    /// # Errors
    ///
    /// As [`Self::set_secrets`].
    pub fn add_secret(&self, site: &str, secret: &str) -> Result<(), Problem> {
        let mut secrets = self.revealed(site)?;
        if !secrets.iter().any(|known| known == secret) {
            secrets.push(secret.to_owned());
        }
        self.set_secrets(site, &secrets)
    }

    /// Forgets one of the secrets, by its place: the oldest has 0.
    ///
    /// # Errors
    ///
    /// As [`Self::set_secrets`].
    pub fn remove_secret(&self, site: &str, at: usize) -> Result<(), Problem> {
        let mut secrets = self.revealed(site)?;
        if at < secrets.len() {
            secrets.remove(at);
        }
        self.set_secrets(site, &secrets)
    }

    /// From now on a receiver that runs believes whom the site's secrets, as they are kept now, say.
    pub fn renew_secrets(&self, receiver: &Receiver) {
        receiver.believe(self.secrets(receiver.site()));
    }

    /// What the practice plant is to sign with, so that its events are believed: the newest of its secrets. Those of other
    /// sites are never given out.
    #[must_use]
    pub fn practice_secret(&self) -> Option<String> {
        self.secrets(PRACTICE).last().map(|secret| secret.reveal().to_owned())
    }

    fn revealed(&self, site: &str) -> Result<Vec<String>, Problem> {
        let site = self.sites.find(site)?.name;
        Ok(self.secrets(&site).iter().map(|secret| secret.reveal().to_owned()).collect())
    }

    pub(super) fn secrets(&self, site: &str) -> Vec<Secret> {
        let stored = self.sites.vault(site).get(site, SecretKind::EventSecrets);
        let texts: Vec<String> = stored.and_then(|kept| serde_json::from_str(kept.reveal()).ok()).unwrap_or_default();
        let secrets: Vec<Secret> = texts.into_iter().map(Secret::new).collect();
        secrets.iter().for_each(|secret| self.sites.vault(site).redactor().learn(secret));
        secrets
    }
}

pub(super) fn check(contract: &Contract, secret: &str) -> Result<(), Problem> {
    let format = DeliveryFormat::of(contract);
    let what = format!("{}…", format.webhooks.secret_prefix);
    let refused = |error| Problem::new(Code::InvalidInput).parameter("what", &*what).details(error);
    usable(&Secret::new(secret), &format).map_err(refused)
}
