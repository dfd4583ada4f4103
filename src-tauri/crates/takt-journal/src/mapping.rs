//! Mappings that a person used, found again by operation and headings.

use jiff::Timestamp;
use serde_json::Value;

use crate::database::{Connection, OptionalExtension, Row, Transaction, params};
use crate::own_change::OwnChange;
use crate::shared_change::{self, Bodies, SharedKind, SharedThing};
use crate::{Journal, JournalError};

/// A mapping, as the engine wrote it down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappingRecord {
    pub operation: String,
    /// A fingerprint of the sheet's headings.
    pub headings: String,
    pub body: Value,
    pub at: Timestamp,
}

/// Layouts of one operation that are looked through for a similar one.
const MAX_LISTED: u32 = 100;
/// Characters of the headings by which a person recognises one.
const MAX_NAME_LENGTH: usize = 120;

/// Mappings that a person used.
#[derive(Debug, Clone, Copy)]
pub struct Mappings<'a>(pub(crate) &'a Journal);

impl Journal {
    /// Mappings that a person used.
    #[must_use]
    pub fn mappings(&self) -> Mappings<'_> {
        Mappings(self)
    }
}

impl Mappings<'_> {
    /// The mapping for an operation and headings.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn find(&self, operation: &str, headings: &str) -> Result<Option<MappingRecord>, JournalError> {
        let row: Option<(String, String)> = self.0.read_or_own(|connection| {
            Ok(connection
                .prepare_cached("SELECT body, at FROM mapping WHERE operation = ?1 AND headings = ?2")?
                .query_row([operation, headings], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?)
        })?;
        row.map(|(body, at)| record(operation.to_owned(), headings.to_owned(), &body, &at)).transpose()
    }

    /// An operation's mappings, newest first, at most `MAX_LISTED`.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn of(&self, operation: &str) -> Result<Vec<MappingRecord>, JournalError> {
        let rows: Vec<(String, String, String)> = self.0.read_or_own(|connection| {
            let sql = "SELECT headings, body, at FROM mapping WHERE operation = ?1 ORDER BY at DESC LIMIT ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement
                .query_map(params![operation, MAX_LISTED], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })?;
        rows.into_iter().map(|(headings, body, at)| record(operation.to_owned(), headings, &body, &at)).collect()
    }

    /// Every mapping, newest first, at most `MAX_LISTED` of each operation.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn all(&self) -> Result<Vec<MappingRecord>, JournalError> {
        let operations: Vec<String> = self.0.read_or_own(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT DISTINCT operation FROM mapping ORDER BY operation")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })?;
        let mut mappings = Vec::new();
        for operation in operations {
            mappings.extend(self.of(&operation)?);
        }
        Ok(mappings)
    }

    /// The mapping that was kept last for these headings, whatever its operation.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn last(&self, headings: &str) -> Result<Option<MappingRecord>, JournalError> {
        let row: Option<(String, String, String)> = self.0.read_or_own(|connection| {
            Ok(connection
                .prepare_cached("SELECT operation, body, at FROM mapping WHERE headings = ?1 ORDER BY at DESC LIMIT 1")?
                .query_row([headings], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .optional()?)
        })?;
        row.map(|(operation, body, at)| record(operation, headings.to_owned(), &body, &at)).transpose()
    }

    /// Keeps it, in place of an earlier one for the same operation and headings. A team's records tell who changed it.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn store(&self, mapping: &MappingRecord) -> Result<(), JournalError> {
        let body = serde_json::to_string(&mapping.body)?;
        let thing = thing(&mapping.operation, &mapping.headings);
        let name = name(&mapping.headings, &body);
        self.0.write_and_own(&own_change(&mapping.operation, &mapping.headings, mapping.at), |transaction| {
            let before = body_of(transaction, &thing)?;
            put(transaction, &thing, (Some(&body), mapping.at))?;
            let bodies = Bodies { before: before.as_deref(), after: Some(&body) };
            shared_change::record(transaction, &thing, (&name, self.0.person(), mapping.at), bodies)
        })
    }

    /// False where none was kept.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn forget(&self, operation: &str, headings: &str, at: Timestamp) -> Result<bool, JournalError> {
        let thing = thing(operation, headings);
        self.0.write_and_own(&own_change(operation, headings, at), |transaction| {
            let Some(before) = body_of(transaction, &thing)? else { return Ok(false) };
            put(transaction, &thing, (None, at))?;
            let name = name(headings, &before);
            let bodies = Bodies { before: Some(&before), after: None };
            shared_change::record(transaction, &thing, (&name, self.0.person(), at), bodies)?;
            Ok(true)
        })
    }

    /// Makes it the team's as this desk has it: it was stored, or forgotten at that moment, while the database was away. One that a colleague
    /// stored since stays.
    pub(crate) fn share_own(&self, (operation, headings): (&str, &str), at: Timestamp) -> Result<(), JournalError> {
        let thing = thing(operation, headings);
        let own = self.0.own_read(|connection| stored(connection, &thing))?;
        self.0.write(|transaction| {
            let there = stored(transaction, &thing)?;
            let used = own.as_ref().map_or(at, |(_, used)| *used);
            if there.as_ref().is_some_and(|(_, newest)| *newest > used) {
                return Ok(());
            }
            let (before, after) = (there.map(|(body, _)| body), own.as_ref().map(|(body, _)| body.as_str()));
            put(transaction, &thing, (after, used))?;
            let named = after.or(before.as_deref()).unwrap_or_default();
            let by = (name(headings, named), self.0.person());
            let bodies = Bodies { before: before.as_deref(), after };
            shared_change::record(transaction, &thing, (&by.0, by.1, used), bodies)
        })
    }

    /// Brings along the desk's own: where the team has one for the same operation and headings, that one stays.
    pub(crate) fn carry_own(&self, at: Timestamp) -> Result<(), JournalError> {
        let own: Vec<(String, String, String, String)> = self.0.own_read(|connection| {
            let mut statement = connection.prepare_cached("SELECT operation, headings, body, at FROM mapping")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })?;
        self.0.write(|transaction| {
            for (operation, headings, body, used) in &own {
                let thing = thing(operation, headings);
                if body_of(transaction, &thing)?.is_none() {
                    put(transaction, &thing, (Some(body), used.parse()?))?;
                    let by = (name(headings, body), self.0.person());
                    let bodies = Bodies { before: None, after: Some(body) };
                    shared_change::record(transaction, &thing, (&by.0, by.1, at), bodies)?;
                }
            }
            Ok(())
        })
    }
}

fn own_change(operation: &str, headings: &str, at: Timestamp) -> OwnChange {
    OwnChange::Mapping { operation: operation.to_owned(), headings: headings.to_owned(), at }
}

/// Its body, and when it was stored.
fn stored(connection: &Connection<'_>, mapping: &SharedThing) -> Result<Option<(String, Timestamp)>, JournalError> {
    let sql = "SELECT body, at FROM mapping WHERE operation = ?1 AND headings = ?2";
    let read = |row: Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?));
    let found = connection.prepare_cached(sql)?.query_row(params![mapping.operation, mapping.key], read).optional()?;
    found.map(|(body, at)| Ok((body, at.parse()?))).transpose()
}

/// Mappings belong to no site.
fn thing(operation: &str, headings: &str) -> SharedThing {
    let (operation, key) = (operation.to_owned(), headings.to_owned());
    SharedThing { kind: SharedKind::Mapping, site: String::new(), operation, key }
}

/// The headings themselves where the engine wrote them down beside the mapping, else their fingerprint.
fn name(fingerprint: &str, body: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let headings: Vec<&str> = body["headings"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let named: String = headings.join(", ").chars().take(MAX_NAME_LENGTH).collect();
    if named.is_empty() { fingerprint.to_owned() } else { named }
}

pub(crate) fn body_of(transaction: &Transaction<'_>, mapping: &SharedThing) -> Result<Option<String>, JournalError> {
    let sql = "SELECT body FROM mapping WHERE operation = ?1 AND headings = ?2";
    let places = params![mapping.operation, mapping.key];
    Ok(transaction.query_row(sql, places, |row| row.get(0)).optional()?)
}

/// Without a body it is removed.
pub(crate) fn put(
    transaction: &Transaction<'_>,
    mapping: &SharedThing,
    (body, at): (Option<&str>, Timestamp),
) -> Result<(), JournalError> {
    let SharedThing { operation, key, .. } = mapping;
    match body {
        Some(body) => transaction.execute(
            "INSERT INTO mapping (operation, headings, body, at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (operation, headings) DO UPDATE SET body = excluded.body, at = excluded.at",
            params![operation, key, body, at.to_string()],
        )?,
        None => transaction
            .execute("DELETE FROM mapping WHERE operation = ?1 AND headings = ?2", params![operation, key])?,
    };
    Ok(())
}

fn record(operation: String, headings: String, body: &str, at: &str) -> Result<MappingRecord, JournalError> {
    Ok(MappingRecord { operation, headings, body: serde_json::from_str(body)?, at: at.parse()? })
}
