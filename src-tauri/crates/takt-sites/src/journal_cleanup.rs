//! Removes secrets from the journal that earlier versions stored in it: passwords of proxies, and secrets in responses.

use std::borrow::Cow;

use takt_client::{SecretKind, Vault};
use takt_core::{Code, Home, Problem};
use takt_journal::{Journal, site::SiteRecord};

use crate::{Site, access::site_access, proxy::remove_password};

/// Set while removed secrets may remain in the journal file's overwritten parts.
const UNSCRUBBED_SETTING: &str = "file-to-be-scrubbed";
/// The secrets that a response may contain, because they were sent to the site.
const SENT_SECRETS: [SecretKind; 4] =
    [SecretKind::ClientSecret, SecretKind::Tokens, SecretKind::ProxyPassword, SecretKind::EventPath];

/// Removes secrets from responses that were stored before they were redacted. Does nothing if that was already done.
///
/// A command that needs no secret hasn't opened the keychain. The home folder's vault is opened here, so that no secret
/// is missed.
///
/// # Errors
///
/// A [journal code](takt_core::problem#journal-codes): the responses can't be read or written.
pub fn redact_stored_responses(journal: &Journal, vault: &Vault, home: &Home) -> Result<(), Problem> {
    if !journal.requests().has_unredacted_responses()? {
        return Ok(());
    }
    let redactor = vault.redactor();
    let persistent_vault =
        vault.is_in_memory().then(|| Vault::open_with(&home.fingerprint(), &home.vault(), redactor.clone()));
    for site in journal.sites().list()? {
        for kind in SENT_SECRETS {
            // The redactor learns every secret that is read from the vault.
            drop(persistent_vault.as_ref().unwrap_or(vault).get(&site.name, kind));
        }
    }
    mark_as_unscrubbed(journal)?;
    let changed = journal.requests().redact_responses(|answer| match redactor.redact_text(answer) {
        Cow::Owned(cleaned) => Some(cleaned),
        Cow::Borrowed(_) => None,
    })?;
    tracing::info!(changed, "earlier answers were cleaned");
    Ok(())
}

/// Returns true if the journal's file may still contain removed secrets, so that it must not be backed up.
///
/// # Errors
///
/// A [journal code](takt_core::problem#journal-codes): the setting can't be read.
pub fn has_unscrubbed_secrets(journal: &Journal) -> Result<bool, Problem> {
    Ok(journal.settings().get(UNSCRUBBED_SETTING)?.is_some() || journal.requests().has_unredacted_responses()?)
}

/// Marks the file as possibly containing removed secrets. It is rebuilt afterwards.
fn mark_as_unscrubbed(journal: &Journal) -> Result<(), Problem> {
    Ok(journal.settings().set(UNSCRUBBED_SETTING, &true.into())?)
}

/// Moves passwords that earlier versions stored in the journal into the vault, and scrubs the journal's file.
///
/// A command that needs no secret hasn't opened the keychain. The home folder's vault is opened here, so that no
/// password is lost.
///
/// # Errors
///
/// A [journal code](takt_core::problem#journal-codes): the sites can't be read, or a site without its password can't be
/// written.
pub fn move_passwords(journal: &Journal, vault: &Vault, home: &Home) -> Result<(), Problem> {
    let mut persistent_vault = None;
    for record in journal.sites().list()? {
        let Ok(mut site) = serde_json::from_value::<Site>(record.body) else { continue };
        // An address that can't be parsed is reported where it is used.
        let Ok(Some(password)) = remove_password(&mut site) else { continue };
        let Some(origin) = site_access(&site).proxy_origin() else { continue };
        if vault.is_in_memory() {
            let persistent_vault = persistent_vault
                .get_or_insert_with(|| Vault::open_with(&home.fingerprint(), &home.vault(), vault.redactor().clone()));
            persistent_vault.put_for(&site.name, SecretKind::ProxyPassword, &origin, &password);
        }
        vault.put_for(&site.name, SecretKind::ProxyPassword, &origin, &password);
        mark_as_unscrubbed(journal)?;
        let body = serde_json::to_value(&site).map_err(|error| Problem::new(Code::Bug).details(error))?;
        journal.sites().save(&SiteRecord { name: site.name, body })?;
    }
    if journal.settings().get(UNSCRUBBED_SETTING)?.is_some() {
        // If another process has the file open, the next start tries again.
        match journal.erase_deleted_content() {
            Ok(true) => drop(journal.settings().remove(UNSCRUBBED_SETTING)?),
            Ok(false) => tracing::info!("what was deleted stays in the file until the next start"),
            Err(error) => tracing::warn!(%error, "what was deleted stays in the file until the next start"),
        }
    }
    Ok(())
}
