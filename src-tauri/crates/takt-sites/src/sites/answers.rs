//! What others answered is kept without secrets, also where an earlier Takt wrote it down as it came.

use std::borrow::Cow;

use takt_client::{SecretKind, Vault};
use takt_journal::Journal;

use super::proxy::mark_as_unclean;
use takt_core::{Home, Problem};

/// What may stand in an answer of a site's, because it was sent there.
const SENT: [SecretKind; 4] =
    [SecretKind::ClientSecret, SecretKind::Tokens, SecretKind::ProxyPassword, SecretKind::EventPath];

/// Removes secrets from answers that were written down before that was done. Does nothing from the next start on.
///
/// A command that needs no secret has opened no keychain; here the home's own is opened, so that none is overlooked.
///
/// # Errors
///
/// A [journal code](takt_core::problem#journal-codes): the answers can't be read or written.
pub fn clean_answers(journal: &Journal, vault: &Vault, home: &Home) -> Result<(), Problem> {
    if !journal.requests().has_unclean_answers()? {
        return Ok(());
    }
    let redactor = vault.redactor();
    let lasting =
        vault.is_for_this_process().then(|| Vault::open_with(&home.fingerprint(), &home.vault(), redactor.clone()));
    for site in journal.sites().list()? {
        for kind in SENT {
            // Whatever passes the vault is known from then on.
            drop(lasting.as_ref().unwrap_or(vault).get(&site.name, kind));
        }
    }
    mark_as_unclean(journal)?;
    let changed = journal.requests().clean_answers(|answer| match redactor.text(answer) {
        Cow::Owned(left) => Some(left),
        Cow::Borrowed(_) => None,
    })?;
    tracing::info!(changed, "earlier answers were cleaned");
    Ok(())
}
