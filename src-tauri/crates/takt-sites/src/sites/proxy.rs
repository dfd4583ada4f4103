//! A proxy's password goes into the vault, and never into the file in which the site is described.

use takt_client::{Secret, SecretKind, Vault, split_proxy};
use takt_journal::{Journal, site::SiteRecord};

use super::check;
use takt_core::{Code, Home, Problem};

use crate::Site;

/// Set while the file may still hold, in what was overwritten, what was taken out of it.
const UNCLEAN: &str = "file-to-be-scrubbed";

/// The password out of the address, where one stands in it.
pub(super) fn take_password(site: &mut Site) -> Result<Option<Secret>, Problem> {
    let Some(proxy) = &site.proxy else { return Ok(None) };
    let (bare, password) = split_proxy(proxy).map_err(|error| check::unusable(&error))?;
    site.proxy = Some(bare);
    Ok(password)
}

/// A password that was typed by itself, as it stands in an address. Absent where there is none.
pub(super) fn encoded(password: &str) -> Secret {
    Secret::new(takt_client::encoded_proxy_password(password))
}

/// Whether the file may still hold what was deleted in it: no copy is made of it.
///
/// # Errors
///
/// A [journal code](takt_core::problem#journal-codes): it can't be read.
pub fn is_unclean(journal: &Journal) -> Result<bool, Problem> {
    Ok(journal.settings().get(UNCLEAN)?.is_some() || journal.requests().has_unclean_answers()?)
}

/// Something secret is about to be overwritten: the file is built anew after it.
pub(super) fn mark_as_unclean(journal: &Journal) -> Result<(), Problem> {
    Ok(journal.settings().set(UNCLEAN, &true.into())?)
}

/// Moves passwords that an earlier Takt wrote down into the vault, and takes what is left of them out of the file.
///
/// A command that needs no secret has opened no keychain; here the home's own is opened, so that none is lost.
///
/// # Errors
///
/// A [journal code](takt_core::problem#journal-codes): the sites can't be read, or one without its password can't be
/// written.
pub fn move_passwords(journal: &Journal, vault: &Vault, home: &Home) -> Result<(), Problem> {
    let mut lasting = None;
    for record in journal.sites().list()? {
        let Ok(mut site) = serde_json::from_value::<Site>(record.body) else { continue };
        // An address that can't be parsed is reported where it is used.
        let Ok(Some(password)) = take_password(&mut site) else { continue };
        let Some(origin) = super::proxy_origin(&site) else { continue };
        if vault.is_for_this_process() {
            let lasting = lasting
                .get_or_insert_with(|| Vault::open_with(&home.fingerprint(), &home.vault(), vault.redactor().clone()));
            lasting.put_for(&site.name, SecretKind::ProxyPassword, &origin, &password);
        }
        vault.put_for(&site.name, SecretKind::ProxyPassword, &origin, &password);
        mark_as_unclean(journal)?;
        let body = serde_json::to_value(&site).map_err(|error| Problem::new(Code::Bug).details(error))?;
        journal.sites().save(&SiteRecord { name: site.name, body })?;
    }
    if journal.settings().get(UNCLEAN)?.is_some() {
        // Where another Takt reads at this moment, the next start tries again.
        match journal.scrub() {
            Ok(true) => drop(journal.settings().remove(UNCLEAN)?),
            Ok(false) => tracing::info!("what was deleted stays in the file until the next start"),
            Err(error) => tracing::warn!(%error, "what was deleted stays in the file until the next start"),
        }
    }
    Ok(())
}
