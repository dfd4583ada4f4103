//! Stored mappings, by operation and header row.

use jiff::Timestamp;
use serde_json::Value;

use crate::database::{Connection, OptionalExtension, Row, Transaction, params};
use crate::own_change::OwnChange;
use crate::shared_change::{self, Bodies, SharedKind, SharedObject};
use crate::{Journal, JournalError};

/// A stored mapping. The engine defines the form of its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappingRecord {
    pub operation: String,
    /// A fingerprint of the sheet's header row.
    pub headings: String,
    pub body: Value,
    pub at: Timestamp,
}

/// The maximum number of mappings that are listed for an operation.
const MAX_LISTED: u32 = 100;
/// The maximum length of a mapping's name in characters.
const MAX_NAME_LENGTH: usize = 120;

/// Reads and changes the stored mappings.
#[derive(Debug, Clone, Copy)]
pub struct Mappings<'a>(pub(crate) &'a Journal);

impl Journal {
    /// Returns access to the mappings.
    #[must_use]
    pub fn mappings(&self) -> Mappings<'_> {
        Mappings(self)
    }
}

impl Mappings<'_> {
    /// Returns the mapping for an operation and a header row, or none if there is none.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn find(&self, operation: &str, headings: &str) -> Result<Option<MappingRecord>, JournalError> {
        let row: Option<(String, String)> = self.0.read_shared_or_copy(|connection| {
            Ok(connection
                .prepare_cached("SELECT body, at FROM mapping WHERE operation = ?1 AND headings = ?2")?
                .query_row([operation, headings], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?)
        })?;
        row.map(|(body, at)| mapping_record(operation.to_owned(), headings.to_owned(), &body, &at)).transpose()
    }

    /// Returns an operation's mappings, newest first, at most `MAX_LISTED`.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn list_by_operation(&self, operation: &str) -> Result<Vec<MappingRecord>, JournalError> {
        let rows: Vec<(String, String, String)> = self.0.read_shared_or_copy(|connection| {
            let sql = "SELECT headings, body, at FROM mapping WHERE operation = ?1 ORDER BY at DESC LIMIT ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement
                .query_map(params![operation, MAX_LISTED], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })?;
        rows.into_iter()
            .map(|(headings, body, at)| mapping_record(operation.to_owned(), headings, &body, &at))
            .collect()
    }

    /// Returns every mapping, newest first, at most `MAX_LISTED` of each operation.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn all(&self) -> Result<Vec<MappingRecord>, JournalError> {
        let operations: Vec<String> = self.0.read_shared_or_copy(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT DISTINCT operation FROM mapping ORDER BY operation")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })?;
        let mut mappings = Vec::new();
        for operation in operations {
            mappings.extend(self.list_by_operation(&operation)?);
        }
        Ok(mappings)
    }

    /// Returns the mapping that was stored last for a header row, of any operation.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn last(&self, headings: &str) -> Result<Option<MappingRecord>, JournalError> {
        let row: Option<(String, String, String)> = self.0.read_shared_or_copy(|connection| {
            Ok(connection
                .prepare_cached("SELECT operation, body, at FROM mapping WHERE headings = ?1 ORDER BY at DESC LIMIT 1")?
                .query_row([headings], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .optional()?)
        })?;
        row.map(|(operation, body, at)| mapping_record(operation, headings.to_owned(), &body, &at)).transpose()
    }

    /// Stores a mapping, and replaces an earlier one for the same operation and header row. In a team, records the
    /// change and the person who made it.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn store(&self, mapping: &MappingRecord) -> Result<(), JournalError> {
        let body = serde_json::to_string(&mapping.body)?;
        let object = mapping_object(&mapping.operation, &mapping.headings);
        let name = display_name(&mapping.headings, &body);
        self.0.write_shared_and_copy(&own_change(&mapping.operation, &mapping.headings, mapping.at), |transaction| {
            let before = load_body(transaction, &object)?;
            replace(transaction, &object, Some(&body), mapping.at)?;
            let bodies = Bodies { before: before.as_deref(), after: Some(&body) };
            shared_change::record(transaction, &object, &name, self.0.person(), mapping.at, bodies)
        })
    }

    /// Removes a mapping. Returns false if there was none.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn forget(&self, operation: &str, headings: &str, at: Timestamp) -> Result<bool, JournalError> {
        let object = mapping_object(operation, headings);
        self.0.write_shared_and_copy(&own_change(operation, headings, at), |transaction| {
            let Some(before) = load_body(transaction, &object)? else { return Ok(false) };
            replace(transaction, &object, None, at)?;
            let name = display_name(headings, &before);
            let bodies = Bodies { before: Some(&before), after: None };
            shared_change::record(transaction, &object, &name, self.0.person(), at, bodies)?;
            Ok(true)
        })
    }

    /// Copies this desk's mapping to the team, after it was stored or removed while the database was unavailable. A
    /// colleague's later change stays.
    pub(crate) fn share_own_change(&self, operation: &str, headings: &str, at: Timestamp) -> Result<(), JournalError> {
        let object = mapping_object(operation, headings);
        let own = self.0.read_own(|connection| load(connection, &object))?;
        self.0.write(|transaction| {
            let existing = load(transaction, &object)?;
            let used = own.as_ref().map_or(at, |(_, used)| *used);
            if existing.as_ref().is_some_and(|(_, newest)| *newest > used) {
                return Ok(());
            }
            let (before, after) = (existing.map(|(body, _)| body), own.as_ref().map(|(body, _)| body.as_str()));
            replace(transaction, &object, after, used)?;
            let named = after.or(before.as_deref()).unwrap_or_default();
            let name = display_name(headings, named);
            let bodies = Bodies { before: before.as_deref(), after };
            shared_change::record(transaction, &object, &name, self.0.person(), used, bodies)
        })
    }

    /// Copies the desk's own mappings to the team, except those that the team already has.
    pub(crate) fn copy_own_to_team(&self, at: Timestamp) -> Result<(), JournalError> {
        let own: Vec<(String, String, String, String)> = self.0.read_own(|connection| {
            let mut statement = connection.prepare_cached("SELECT operation, headings, body, at FROM mapping")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })?;
        self.0.write(|transaction| {
            for (operation, headings, body, used) in &own {
                let object = mapping_object(operation, headings);
                if load_body(transaction, &object)?.is_none() {
                    replace(transaction, &object, Some(body), used.parse()?)?;
                    let name = display_name(headings, body);
                    let bodies = Bodies { before: None, after: Some(body) };
                    shared_change::record(transaction, &object, &name, self.0.person(), at, bodies)?;
                }
            }
            Ok(())
        })
    }
}

fn own_change(operation: &str, headings: &str, at: Timestamp) -> OwnChange {
    OwnChange::Mapping { operation: operation.to_owned(), headings: headings.to_owned(), at }
}

/// Returns the mapping's body and the time at which it was stored.
fn load(connection: &Connection<'_>, mapping: &SharedObject) -> Result<Option<(String, Timestamp)>, JournalError> {
    let sql = "SELECT body, at FROM mapping WHERE operation = ?1 AND headings = ?2";
    let read = |row: Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?));
    let found = connection.prepare_cached(sql)?.query_row(params![mapping.operation, mapping.key], read).optional()?;
    found.map(|(body, at)| Ok((body, at.parse()?))).transpose()
}

/// Identifies a mapping, which belongs to no site.
fn mapping_object(operation: &str, headings: &str) -> SharedObject {
    let (operation, key) = (operation.to_owned(), headings.to_owned());
    SharedObject { kind: SharedKind::Mapping, site: String::new(), operation, key }
}

/// Returns the headers that the engine stored with the mapping, or else their fingerprint.
fn display_name(fingerprint: &str, body: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let headings: Vec<&str> = body["headings"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let named: String = headings.join(", ").chars().take(MAX_NAME_LENGTH).collect();
    if named.is_empty() { fingerprint.to_owned() } else { named }
}

pub(crate) fn load_body(transaction: &Transaction<'_>, mapping: &SharedObject) -> Result<Option<String>, JournalError> {
    let sql = "SELECT body FROM mapping WHERE operation = ?1 AND headings = ?2";
    let values = params![mapping.operation, mapping.key];
    Ok(transaction.query_row(sql, values, |row| row.get(0)).optional()?)
}

/// Stores a mapping, or removes it if `body` is absent.
pub(crate) fn replace(
    transaction: &Transaction<'_>,
    mapping: &SharedObject,
    body: Option<&str>,
    at: Timestamp,
) -> Result<(), JournalError> {
    let SharedObject { operation, key, .. } = mapping;
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

fn mapping_record(operation: String, headings: String, body: &str, at: &str) -> Result<MappingRecord, JournalError> {
    Ok(MappingRecord { operation, headings, body: serde_json::from_str(body)?, at: at.parse()? })
}
