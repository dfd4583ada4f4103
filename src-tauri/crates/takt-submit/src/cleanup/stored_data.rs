//! The data of cleanup per site, stored as settings of the journal.

use serde::{Serialize, de::DeserializeOwned};
use takt_core::Problem;
use takt_journal::Journal;

/// The setting with the templates that orders use.
pub(super) const USES_SETTING: &str = "templates.uses";
/// The setting with the operation codes of deleted links.
pub(super) const OPERATION_CODES_SETTING: &str = "templates.operation_codes";
/// The setting with the links to delete.
pub(super) const LINKS_SETTING: &str = "templates.links";
/// The setting with the named lists of IDs.
pub(super) const ID_LISTS_SETTING: &str = "templates.lists";

/// Reads a setting. Returns `None` if it is missing or can't be parsed, for example in an earlier format.
pub(super) fn load_setting<T: DeserializeOwned>(
    journal: &Journal,
    name: &str,
    site: &str,
) -> Result<Option<T>, Problem> {
    let stored = journal.settings().get(&setting_key(name, site))?;
    Ok(stored.and_then(|value| {
        let read = serde_json::from_value(value);
        read.inspect_err(|error| tracing::warn!(name, %error, "what cleanup kept couldn't be understood")).ok()
    }))
}

pub(super) fn store_setting(journal: &Journal, name: &str, site: &str, value: &impl Serialize) -> Result<(), Problem> {
    let value = serde_json::to_value(value).map_err(|error| Problem::new(takt_core::Code::Bug).details(error))?;
    Ok(journal.settings().set(&setting_key(name, site), &value)?)
}

/// Removes the settings of a removed site.
pub(super) fn remove_settings(journal: &Journal, site: &str) -> Result<(), Problem> {
    for name in [USES_SETTING, OPERATION_CODES_SETTING, LINKS_SETTING, ID_LISTS_SETTING] {
        journal.settings().remove(&setting_key(name, site))?;
    }
    Ok(())
}

fn setting_key(name: &str, site: &str) -> String {
    format!("{name}.{site}")
}
