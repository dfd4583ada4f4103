//! Who changed what when of that which a team shares beside submissions: each change is recorded in the transaction that makes it, with
//! what was before.
//!
//! A change that leaves everything as it was isn't recorded. Without a team nothing is: a desk alone has nobody to ask. What is recorded
//! goes when old rows are purged by hand. The way back is in `restore`.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::{EnumString, IntoStaticStr};

use crate::database::{OptionalExtension, Row, Transaction, params};
use crate::{Journal, JournalError, StoredWord};

/// What is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, EnumString, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum SharedKind {
    /// Which column fills which field, for certain headings.
    Mapping,
    /// A list's table as a person arranged it and saved it by name.
    View,
    /// The rules by which a site's events are answered.
    Rules,
    /// A target to which a site's events are sent on.
    Target,
}

/// One of the things that are shared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SharedThing {
    pub(crate) kind: SharedKind,
    /// Empty where it belongs to none.
    pub(crate) site: String,
    /// Empty where it belongs to none.
    pub(crate) operation: String,
    /// What tells it from others of its kind, site and operation.
    pub(crate) key: String,
}

/// What became of it, as JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bodies<'a> {
    /// Absent: there was none.
    pub(crate) before: Option<&'a str>,
    /// Absent: it was removed.
    pub(crate) after: Option<&'a str>,
}

/// A change, as people see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedChange {
    /// Counted on for the whole team.
    pub number: u32,
    pub kind: SharedKind,
    /// Empty where it belongs to none.
    pub site: String,
    /// Empty where it belongs to none.
    pub operation: String,
    /// What a person recognises it by.
    pub name: String,
    pub at: Timestamp,
    pub person: String,
    /// The name by which that desk signed in to the database.
    pub login: String,
    /// There was none before.
    pub added: bool,
    /// There is none since.
    pub removed: bool,
    /// It was changed no more since.
    pub latest: bool,
}

/// The changes of what a team shares.
#[derive(Debug, Clone, Copy)]
pub struct SharedChanges<'a>(pub(crate) &'a Journal);

impl<'a> SharedChanges<'a> {
    /// Absent without a team.
    #[must_use]
    pub fn of(journal: &'a Journal) -> Option<Self> {
        journal.team().map(|_| Self(journal))
    }

    /// The newest first; of those before a number where one is given.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn list(&self, before: Option<u32>, most: u32) -> Result<Vec<SharedChange>, JournalError> {
        self.0.read(|connection| {
            let sql = format!("{SELECT} WHERE own.id < ?1 ORDER BY own.id DESC LIMIT ?2");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![before.map_or(i64::MAX, i64::from), most])?;
            let mut changes = Vec::new();
            while let Some(row) = rows.next()? {
                changes.push(change(row)?);
            }
            Ok(changes)
        })
    }

    /// How many changes were made before a moment.
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

    /// Forgets what was changed before a moment. Gives how many changes those were.
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

const SELECT: &str = "SELECT own.id, own.kind, own.site, own.operation, own.name, own.at, own.person, own.login,
        own.before IS NULL, own.body IS NULL,
        NOT EXISTS (SELECT 1 FROM shared_change AS later WHERE later.kind = own.kind AND later.site = own.site
            AND later.operation = own.operation AND later.key = own.key AND later.id > own.id)
    FROM shared_change AS own";

fn change(row: Row<'_>) -> Result<SharedChange, JournalError> {
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

/// A change with what it was about and what was before and after.
pub(crate) struct Recorded {
    pub(crate) change: SharedChange,
    pub(crate) thing: SharedThing,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

/// Absent where there is none of that number.
pub(crate) fn recorded(transaction: &Transaction<'_>, number: u32) -> Result<Option<Recorded>, JournalError> {
    let mut statement = transaction.prepare_cached(&format!("{SELECT} WHERE own.id = ?1"))?;
    let mut rows = statement.query([number])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let change = change(row)?;
    let sql = "SELECT key, before, body FROM shared_change WHERE id = ?1";
    let found = transaction.query_row(sql, [number], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
    let Some((key, before, after)) = found else { return Ok(None) };
    let thing = SharedThing { kind: change.kind, site: change.site.clone(), operation: change.operation.clone(), key };
    Ok(Some(Recorded { change, thing, before, after }))
}

/// Writes down that somebody changed it, in the transaction in which it is changed. Nothing in a desk's own file, nor where all stays as
/// it was.
pub(crate) fn record(
    transaction: &Transaction<'_>,
    thing: &SharedThing,
    (name, person, at): (&str, &str, Timestamp),
    Bodies { before, after }: Bodies<'_>,
) -> Result<(), JournalError> {
    if transaction.session().is_none() || is_same(before, after) {
        return Ok(());
    }
    let SharedThing { kind, site, operation, key } = thing;
    transaction.execute(
        "INSERT INTO shared_change (kind, site, operation, key, name, at, person, body, before)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![kind.word(), site, operation, key, name, at.to_string(), person, after, before],
    )?;
    transaction.tell();
    Ok(())
}

/// Members may come in another order, and blanks may differ.
pub(crate) fn is_same(one: Option<&str>, other: Option<&str>) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    one == other || one.zip(other).is_some_and(|(one, other)| read(one).is_some_and(|one| Some(one) == read(other)))
}
