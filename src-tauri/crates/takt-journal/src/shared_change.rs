//! The record of changes of shared mappings, views, rules and targets. The transaction of a change also records it with
//! the previous value.
//!
//! Nothing is recorded without a team, or if a value stays the same. Recorded changes are removed when old rows are
//! purged manually. The module `restore` reverts changes.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::{EnumString, IntoStaticStr};

use crate::database::{OptionalExtension, Row, Transaction, params};
use crate::{Journal, JournalError, StoredWord};

/// The kind of shared data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, EnumString, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum SharedKind {
    /// The mapping of columns to fields, for a header row.
    Mapping,
    /// A saved arrangement of a list's table.
    View,
    /// The rules by which a site's events are answered.
    Rules,
    /// A target to which a site's events are forwarded.
    Target,
}

/// The identity of shared data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SharedObject {
    pub(crate) kind: SharedKind,
    /// Empty if the data belongs to no site.
    pub(crate) site: String,
    /// Empty if the data belongs to no operation.
    pub(crate) operation: String,
    /// Distinguishes shared data of the same kind, site and operation.
    pub(crate) key: String,
}

/// The values before and after a change, as JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bodies<'a> {
    /// Absent if the change added the data.
    pub(crate) before: Option<&'a str>,
    /// Absent if the change removed the data.
    pub(crate) after: Option<&'a str>,
}

/// A recorded change for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedChange {
    /// Unique within the team, and ascending.
    pub number: u32,
    pub kind: SharedKind,
    /// Empty if the data belongs to no site.
    pub site: String,
    /// Empty if the data belongs to no operation.
    pub operation: String,
    /// The name for display.
    pub name: String,
    pub at: Timestamp,
    pub person: String,
    /// The login of the desk in the database.
    pub login: String,
    /// True if the change added the data.
    pub added: bool,
    /// True if the change removed the data.
    pub removed: bool,
    /// True if the same data wasn't changed later.
    pub latest: bool,
}

/// The recorded changes of a team.
#[derive(Debug, Clone, Copy)]
pub struct SharedChanges<'a>(pub(crate) &'a Journal);

impl<'a> SharedChanges<'a> {
    /// Returns access to the recorded changes, or none without a team.
    #[must_use]
    pub fn from_journal(journal: &'a Journal) -> Option<Self> {
        journal.team().map(|_| Self(journal))
    }

    /// Returns recorded changes, newest first. With `before`, only those with smaller numbers.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn list(&self, before: Option<u32>, limit: u32) -> Result<Vec<SharedChange>, JournalError> {
        self.0.read(|connection| {
            let sql = format!("{SELECT_CHANGES} WHERE own.id < ?1 ORDER BY own.id DESC LIMIT ?2");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![before.map_or(i64::MAX, i64::from), limit])?;
            let mut changes = Vec::new();
            while let Some(row) = rows.next()? {
                changes.push(change_from_row(row)?);
            }
            Ok(changes)
        })
    }

    /// Returns the number of changes that were recorded before a time.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn purgeable(&self, before: Timestamp) -> Result<u64, JournalError> {
        self.0.read(|connection| {
            let sql = "SELECT COUNT(*) FROM shared_change WHERE julianday(at) < julianday(?1)";
            let count: i64 = connection.query_row(sql, [before.to_string()], |row| row.get(0))?;
            Ok(count.unsigned_abs())
        })
    }

    /// Removes the records of changes before a time. Returns the number of removed records.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn purge(&self, before: Timestamp) -> Result<u64, JournalError> {
        let purged: i64 = self.0.write(|transaction| {
            Ok(transaction.query_row("SELECT purge_shared_changes(?1)", [before.to_string()], |row| row.get(0))?)
        })?;
        Ok(purged.unsigned_abs())
    }
}

const SELECT_CHANGES: &str =
    "SELECT own.id, own.kind, own.site, own.operation, own.name, own.at, own.person, own.login,
        own.before IS NULL, own.body IS NULL,
        NOT EXISTS (SELECT 1 FROM shared_change AS later WHERE later.kind = own.kind AND later.site = own.site
            AND later.operation = own.operation AND later.key = own.key AND later.id > own.id)
    FROM shared_change AS own";

fn change_from_row(row: Row<'_>) -> Result<SharedChange, JournalError> {
    Ok(SharedChange {
        number: row.get(0)?,
        kind: SharedKind::from_word(&row.get::<_, String>(1)?)?,
        site: row.get(2)?,
        operation: row.get(3)?,
        name: row.get(4)?,
        at: row.get::<_, String>(5)?.parse()?,
        person: row.get(6)?,
        login: row.get(7)?,
        added: row.get(8)?,
        removed: row.get(9)?,
        latest: row.get(10)?,
    })
}

/// A recorded change with its object and its values.
pub(crate) struct RecordedChange {
    pub(crate) change: SharedChange,
    pub(crate) object: SharedObject,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

/// Returns a recorded change, or none if no change has this number.
pub(crate) fn load_recorded(
    transaction: &Transaction<'_>,
    number: u32,
) -> Result<Option<RecordedChange>, JournalError> {
    let mut statement = transaction.prepare_cached(&format!("{SELECT_CHANGES} WHERE own.id = ?1"))?;
    let mut rows = statement.query([number])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let change = change_from_row(row)?;
    let sql = "SELECT key, before, body FROM shared_change WHERE id = ?1";
    let found = transaction.query_row(sql, [number], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
    let Some((key, before, after)) = found else { return Ok(None) };
    let object =
        SharedObject { kind: change.kind, site: change.site.clone(), operation: change.operation.clone(), key };
    Ok(Some(RecordedChange { change, object, before, after }))
}

/// Records a change in its transaction. Does nothing in a desk's own file, or if the value stayed the same.
pub(crate) fn record(
    transaction: &Transaction<'_>,
    object: &SharedObject,
    name: &str,
    person: &str,
    at: Timestamp,
    Bodies { before, after }: Bodies<'_>,
) -> Result<(), JournalError> {
    if transaction.session().is_none() || is_same(before, after) {
        return Ok(());
    }
    let SharedObject { kind, site, operation, key } = object;
    transaction.execute(
        "INSERT INTO shared_change (kind, site, operation, key, name, at, person, body, before)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![kind.word(), site, operation, key, name, at.to_string(), person, after, before],
    )?;
    transaction.notify_desks();
    Ok(())
}

/// Compares JSON values. The order of members and white space don't matter.
pub(crate) fn is_same(one: Option<&str>, other: Option<&str>) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    one == other || one.zip(other).is_some_and(|(one, other)| read(one).is_some_and(|one| Some(one) == read(other)))
}
