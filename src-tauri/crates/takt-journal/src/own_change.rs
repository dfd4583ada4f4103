//! What was changed at this desk and isn't the team's yet. It is written down in the desk's own file by the transaction that changes it there.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::JournalError;
use crate::database::{Connection, OptionalExtension, Transaction, params};

const SETTING: &str = "unshared";

/// A change of something that a team shares and each desk has a copy of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum OwnChange {
    /// Stored or forgotten.
    Mapping { operation: String, headings: String, at: Timestamp },
    /// Remembered or forgotten.
    Templates { site: String, templates: Vec<i64> },
    /// What a list held was read.
    Reference { site: String, list: String },
    /// What all lists of a site held was forgotten.
    References { site: String },
}

/// In the order in which they were made.
pub(crate) fn waiting(connection: &Connection<'_>) -> Result<Vec<OwnChange>, JournalError> {
    let sql = "SELECT value FROM setting WHERE name = ?1";
    let kept: Option<String> = connection.prepare_cached(sql)?.query_row([SETTING], |row| row.get(0)).optional()?;
    Ok(kept.as_deref().map(serde_json::from_str).transpose()?.unwrap_or_default())
}

pub(crate) fn add(transaction: &Transaction<'_>, change: &OwnChange) -> Result<(), JournalError> {
    let mut all = waiting(transaction)?;
    // What is made last is shared last.
    all.retain(|known| known != change);
    all.push(change.clone());
    keep(transaction, &all)
}

pub(crate) fn remove(transaction: &Transaction<'_>, change: &OwnChange) -> Result<(), JournalError> {
    let mut all = waiting(transaction)?;
    all.retain(|known| known != change);
    keep(transaction, &all)
}

fn keep(transaction: &Transaction<'_>, all: &[OwnChange]) -> Result<(), JournalError> {
    if all.is_empty() {
        transaction.execute("DELETE FROM setting WHERE name = ?1", [SETTING])?;
        return Ok(());
    }
    let sql =
        "INSERT INTO setting (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    transaction.execute(sql, params![SETTING, serde_json::to_string(all)?])?;
    Ok(())
}
