//! What is secret about targets: the values of headers that go along, and what is signed with. All of a site's lie in the
//! vault as one entry.
//!
//! A team shares its targets, and not what is secret about them: that is kept at each computer that is to send, and only what was kept
//! for the target as it is now is used.

use std::{collections::BTreeMap, fmt};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use takt_client::{Redactor, Secret, SecretKind, Vault, post::PostClient};
use takt_core::{Code, Problem};
use takt_journal::{
    Inbox,
    inbox::{Target, TargetKeys},
};

use crate::inbox::{delivery, delivery_format::DeliveryFormat};

/// One target's.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::inbox) struct Keys {
    pub(in crate::inbox) headers: Vec<(String, String)>,
    pub(in crate::inbox) secret: Option<String>,
    /// Scheme, host and port that they are for; absent in what an earlier Takt kept, which is for where the target is.
    #[serde(default)]
    pub(in crate::inbox) origin: Option<String>,
    /// The version of the target's secrets that these are; 0 in what an earlier Takt kept.
    #[serde(default)]
    pub(in crate::inbox) version: u32,
}

impl fmt::Debug for Keys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Keys").finish_non_exhaustive()
    }
}

impl Keys {
    /// What goes along with a body that is sent now, beside the event's own headers: the target's, and its signature.
    pub(in crate::inbox) fn headers(
        &self,
        format: &DeliveryFormat,
        event: &[(String, String)],
        body: &[u8],
        now: Timestamp,
    ) -> Vec<(String, String)> {
        let secret = self.secret.as_deref().map(Secret::new);
        let signed = secret.iter().flat_map(|secret| delivery::signature(secret, format, event, body, now));
        self.headers.iter().cloned().chain(signed).collect()
    }

    /// From here on they are removed from answers and errors.
    pub(super) fn learned_by(&self, redactor: &Redactor) {
        let values = self.headers.iter().map(|(_, value)| Secret::new(value));
        values.for_each(|value| redactor.learn_header(&value));
        if let Some(secret) = &self.secret {
            redactor.learn(&Secret::new(secret));
        }
    }

    /// Whether everything is there that a target needs.
    pub(super) fn are_complete(&self, needed: &TargetKeys) -> bool {
        self.headers.len() >= needed.headers.len() && (!needed.signs || self.secret.is_some())
    }

    pub(in crate::inbox) fn is_empty(&self) -> bool {
        self.headers.is_empty() && self.secret.is_none()
    }
}

/// Under which number a target's secrets lie: those of a team and those of a desk's own file have the same numbers.
#[derive(Debug, Clone, Copy)]
pub(in crate::inbox) struct KeyNumber(i64);

impl KeyNumber {
    pub(in crate::inbox) fn of(inbox: &Inbox, target: i64) -> Self {
        Self(if inbox.is_shared() { -target } else { target })
    }
}

/// What is kept for a target. Asks the system's keychain, which may take a moment.
/// What is for another origin than `address` is given out to nobody; of a team neither what another desk has changed since.
pub(in crate::inbox) fn keys(vault: &Vault, inbox: &Inbox, target: &Target, address: &str) -> Keys {
    let target_keys = all(vault, &target.site).remove(&KeyNumber::of(inbox, target.id).0).unwrap_or_default();
    target_keys.learned_by(vault.redactor());
    let is_elsewhere = target_keys.origin.as_ref().is_some_and(|origin| *origin != PostClient::origin(address));
    let is_old = inbox.is_shared() && target_keys.version != target.keys.version;
    if is_elsewhere || is_old { Keys::default() } else { target_keys }
}

/// Keeps, or forgets where there is nothing to keep.
pub(in crate::inbox) fn store(vault: &Vault, site: &str, target: KeyNumber, keys: Keys) -> Result<(), Problem> {
    let failed = |cause: String| Problem::new(Code::WriteFailed).parameter("file", site).details(cause);
    keys.learned_by(vault.redactor());
    let mut all = all(vault, site);
    if keys.is_empty() {
        all.remove(&target.0)
    } else {
        all.insert(target.0, keys)
    };
    if all.is_empty() {
        return vault.remove(site, SecretKind::TargetKeys).map_err(|error| failed(error.to_string()));
    }
    let text = serde_json::to_string(&all).map_err(|error| failed(error.to_string()))?;
    vault.put(site, SecretKind::TargetKeys, &Secret::new(text));
    Ok(())
}

fn all(vault: &Vault, site: &str) -> BTreeMap<i64, Keys> {
    let stored = vault.get(site, SecretKind::TargetKeys);
    stored.and_then(|kept| serde_json::from_str(kept.reveal()).ok()).unwrap_or_default()
}
