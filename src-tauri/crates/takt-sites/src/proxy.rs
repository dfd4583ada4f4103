//! Separates a proxy's password from its address. Passwords are stored in the vault, and never in the journal.

use takt_client::{Secret, split_proxy};
use takt_core::Problem;

use crate::{Site, settings_check};

/// Removes the password from the proxy's address, and returns it.
pub(crate) fn remove_password(site: &mut Site) -> Result<Option<Secret>, Problem> {
    let Some(proxy) = &site.proxy else { return Ok(None) };
    let (without_password, password) = split_proxy(proxy).map_err(|error| settings_check::invalid_setting(&error))?;
    site.proxy = Some(without_password);
    Ok(password)
}

/// Encodes a separately typed password like in an address.
pub(crate) fn encode_password(password: &str) -> Secret {
    Secret::new(takt_client::encode_proxy_password(password))
}
