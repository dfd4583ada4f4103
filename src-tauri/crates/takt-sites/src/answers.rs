//! Removes secrets from stored responses that an earlier version recorded unchanged.

use std::borrow::Cow;

use takt_client::{SecretKind, Vault};
use takt_journal::Journal;

use crate::proxy::mark_as_unclean;
use takt_core::{Home, Problem};

/// The secrets that a response may contain, because they were sent to the site.
const SENT: [SecretKind; 4] =
    [SecretKind::ClientSecret, SecretKind::Tokens, SecretKind::ProxyPassword, SecretKind::EventPath];

/// Removes secrets from responses that were stored before they were redacted. Does nothing if that was already done.
///
/// A command that needs no secret hasn't opened the keychain. The home folder's vault is opened here, so that no secret
/// is missed.
///
/// # Errors
///
/// A [journal code](takt_core::problem#journal-codes): the responses can't be read or written.
pub fn clean_answers(journal: &Journal, vault: &Vault, home: &Home) -> Result<(), Problem> {
    if !journal.requests().has_unclean_answers()? {
        return Ok(());
    }
    let redactor = vault.redactor();
    let persistent_vault =
        vault.is_for_this_process().then(|| Vault::open_with(&home.fingerprint(), &home.vault(), redactor.clone()));
    for site in journal.sites().list()? {
        for kind in SENT {
            // The redactor learns every secret that is read from the vault.
            drop(persistent_vault.as_ref().unwrap_or(vault).get(&site.name, kind));
        }
    }
    mark_as_unclean(journal)?;
    let changed = journal.requests().clean_answers(|answer| match redactor.text(answer) {
        Cow::Owned(cleaned) => Some(cleaned),
        Cow::Borrowed(_) => None,
    })?;
    tracing::info!(changed, "earlier answers were cleaned");
    Ok(())
}
