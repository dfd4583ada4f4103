//! The secrets of targets: header values and signing secrets. The vault has one entry with all target secrets of a
//! site.
//!
//! A team shares its targets but not their secrets. Each sending computer stores them, and uses them only if they are
//! for the target's current version.

use std::{collections::BTreeMap, fmt};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use takt_client::{Redactor, Secret, SecretKind, Vault, post::PostClient};
use takt_core::{Code, Problem};
use takt_journal::{
    Inbox,
    inbox::{Target, TargetKeys},
};

use crate::{delivery_format::DeliveryFormat, delivery_headers};

/// The secrets of one target.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TargetSecrets {
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) secret: Option<String>,
    /// The scheme, host and port to which the secrets may be sent. Absent in secrets that an earlier version stored.
    /// They may be sent to the target's address.
    #[serde(default)]
    pub(crate) origin: Option<String>,
    /// The version of the target's secrets. 0 in secrets that an earlier version stored.
    #[serde(default)]
    pub(crate) version: u32,
}

impl fmt::Debug for TargetSecrets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TargetSecrets").finish_non_exhaustive()
    }
}

impl TargetSecrets {
    /// Returns the headers to add to the event's own: the target's headers and the signature.
    pub(crate) fn headers(
        &self,
        format: &DeliveryFormat,
        event: &[(String, String)],
        body: &[u8],
        now: Timestamp,
    ) -> Vec<(String, String)> {
        let secret = self.secret.as_deref().map(Secret::new);
        let signed = secret.iter().flat_map(|secret| delivery_headers::sign_delivery(secret, format, event, body, now));
        self.headers.iter().cloned().chain(signed).collect()
    }

    /// Registers the secrets with the redactor, which removes them from responses and errors.
    pub(super) fn register_with(&self, redactor: &Redactor) {
        let values = self.headers.iter().map(|(_, value)| Secret::new(value));
        values.for_each(|value| redactor.register_header(&value));
        if let Some(secret) = &self.secret {
            redactor.register_secret(&Secret::new(secret));
        }
    }

    /// Returns whether all secrets of a target are present.
    pub(super) fn are_complete(&self, needed: &TargetKeys) -> bool {
        self.headers.len() >= needed.headers.len() && (!needed.signs || self.secret.is_some())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.headers.is_empty() && self.secret.is_none()
    }
}

/// The number of a target's entry. Negative for a team's target, because a target of the desk's own file may have the
/// same ID.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SecretsId(i64);

impl SecretsId {
    pub(crate) fn for_target(inbox: &Inbox, target: i64) -> Self {
        Self(if inbox.is_shared() { -target } else { target })
    }
}

/// Reads a target's secrets from the vault, which can be slow.
///
/// Returns empty secrets if the stored ones are for another origin than `address`, or for an earlier version of a
/// team's target.
pub(crate) fn load_secrets(vault: &Vault, inbox: &Inbox, target: &Target, address: &str) -> TargetSecrets {
    let target_keys =
        load_all(vault, &target.site).remove(&SecretsId::for_target(inbox, target.id).0).unwrap_or_default();
    target_keys.register_with(vault.redactor());
    let is_elsewhere = target_keys.origin.as_ref().is_some_and(|origin| *origin != PostClient::origin(address));
    let is_old = inbox.is_shared() && target_keys.version != target.keys.version;
    if is_elsewhere || is_old { TargetSecrets::default() } else { target_keys }
}

/// Stores the secrets, or removes the target's entry if they are empty.
pub(crate) fn store_secrets(vault: &Vault, site: &str, target: SecretsId, keys: TargetSecrets) -> Result<(), Problem> {
    let failed = |cause: String| Problem::new(Code::WriteFailed).parameter("file", site).details(cause);
    keys.register_with(vault.redactor());
    let mut all = load_all(vault, site);
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

fn load_all(vault: &Vault, site: &str) -> BTreeMap<i64, TargetSecrets> {
    let stored = vault.get(site, SecretKind::TargetKeys);
    stored.and_then(|text| serde_json::from_str(text.reveal()).ok()).unwrap_or_default()
}
