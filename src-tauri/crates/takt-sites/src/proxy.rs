//! Stores a proxy's password in the vault, and never in the journal.

use takt_client::{Secret, SecretKind, Vault, split_proxy};
use takt_journal::{Journal, site::SiteRecord};

use takt_core::{Code, Home, Problem};

use crate::{Site, access::access, settings_check};

/// Set while removed secrets may remain in the journal file's overwritten parts.
const UNCLEAN: &str = "file-to-be-scrubbed";

/// Removes the password from the proxy's address, and returns it.
pub(crate) fn take_password(site: &mut Site) -> Result<Option<Secret>, Problem> {
    let Some(proxy) = &site.proxy else { return Ok(None) };
    let (without_password, password) = split_proxy(proxy).map_err(|error| settings_check::invalid_setting(&error))?;
    site.proxy = Some(without_password);
    Ok(password)
}

/// Encodes a separately typed password like in an address.
pub(crate) fn encode_password(password: &str) -> Secret {
    Secret::new(takt_client::encoded_proxy_password(password))
}

/// Returns true if the journal's file may still contain removed secrets, so that it must not be backed up.
///
/// # Errors
///
/// A [journal code](takt_core::problem#journal-codes): the setting can't be read.
pub fn is_unclean(journal: &Journal) -> Result<bool, Problem> {
    Ok(journal.settings().get(UNCLEAN)?.is_some() || journal.requests().has_unclean_answers()?)
}

/// Marks the file as possibly containing removed secrets. It is rebuilt afterwards.
pub(crate) fn mark_as_unclean(journal: &Journal) -> Result<(), Problem> {
    Ok(journal.settings().set(UNCLEAN, &true.into())?)
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
        let Ok(Some(password)) = take_password(&mut site) else { continue };
        let Some(origin) = access(&site).proxy_origin() else { continue };
        if vault.is_for_this_process() {
            let persistent_vault = persistent_vault
                .get_or_insert_with(|| Vault::open_with(&home.fingerprint(), &home.vault(), vault.redactor().clone()));
            persistent_vault.put_for(&site.name, SecretKind::ProxyPassword, &origin, &password);
        }
        vault.put_for(&site.name, SecretKind::ProxyPassword, &origin, &password);
        mark_as_unclean(journal)?;
        let body = serde_json::to_value(&site).map_err(|error| Problem::new(Code::Bug).details(error))?;
        journal.sites().save(&SiteRecord { name: site.name, body })?;
    }
    if journal.settings().get(UNCLEAN)?.is_some() {
        // If another process is reading, the next start tries again.
        match journal.scrub() {
            Ok(true) => drop(journal.settings().remove(UNCLEAN)?),
            Ok(false) => tracing::info!("what was deleted stays in the file until the next start"),
            Err(error) => tracing::warn!(%error, "what was deleted stays in the file until the next start"),
        }
    }
    Ok(())
}
