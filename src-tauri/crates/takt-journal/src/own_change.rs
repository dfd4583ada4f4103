//! Changes made at this desk that aren't shared with the team yet. The desk's own file records each one in the
//! transaction that makes it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::JournalError;
use crate::database::{Connection, OptionalExtension, Transaction, params};

const UNSHARED_SETTING: &str = "unshared";

/// A change of data that a team shares and of which each desk has a copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum OwnChange {
    /// A mapping was stored or removed.
    Mapping { operation: String, headings: String, at: Timestamp },
    /// Templates were stored or removed.
    Templates { site: String, templates: Vec<i64> },
    /// A list was read.
    Reference { site: String, list: String },
    /// All lists of a site were removed.
    References { site: String },
}

/// Returns the unshared changes, in the order in which they were made.
pub(crate) fn list(connection: &Connection<'_>) -> Result<Vec<OwnChange>, JournalError> {
    let sql = "SELECT value FROM setting WHERE name = ?1";
    let stored: Option<String> =
        connection.prepare_cached(sql)?.query_row([UNSHARED_SETTING], |row| row.get(0)).optional()?;
    Ok(stored.as_deref().map(serde_json::from_str).transpose()?.unwrap_or_default())
}

pub(crate) fn add(transaction: &Transaction<'_>, change: &OwnChange) -> Result<(), JournalError> {
    let mut all = list(transaction)?;
    // A repeated change moves to the end.
    all.retain(|known| known != change);
    all.push(change.clone());
    store(transaction, &all)
}

pub(crate) fn remove(transaction: &Transaction<'_>, change: &OwnChange) -> Result<(), JournalError> {
    let mut all = list(transaction)?;
    all.retain(|known| known != change);
    store(transaction, &all)
}

fn store(transaction: &Transaction<'_>, all: &[OwnChange]) -> Result<(), JournalError> {
    if all.is_empty() {
        transaction.execute("DELETE FROM setting WHERE name = ?1", [UNSHARED_SETTING])?;
        return Ok(());
    }
    let sql =
        "INSERT INTO setting (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    transaction.execute(sql, params![UNSHARED_SETTING, serde_json::to_string(all)?])?;
    Ok(())
}
