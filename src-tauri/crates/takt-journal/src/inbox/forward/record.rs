//! The records of events at their targets.

use crate::StoredWord;
use crate::database::{Row, params};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use super::fault::Fault;
use super::target::Targets;
use crate::JournalError;
use crate::inbox::stored_time::time_from_milliseconds;

/// The state of an event at a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, EnumString)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum ForwardState {
    Taken,
    /// Set aside, so that the next events can be sent.
    #[serde(rename = "aside")]
    #[strum(serialize = "aside")]
    SetAside,
    /// Set aside, and to be sent again because a person asked for it.
    Again,
}

/// The record of one event at one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForwardRow {
    pub target: i64,
    pub event: i64,
    pub state: ForwardState,
    pub at: Timestamp,
    pub tries: u32,
    pub fault: Option<Fault>,
    pub status: Option<u16>,
    pub response: String,
}

impl Targets<'_> {
    /// Returns the events that a target didn't accept and that are set aside, oldest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn list_refused_events(&self, target: i64, offset: u32, limit: u32) -> Result<Vec<ForwardRow>, JournalError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM forwarded WHERE target = ?1 AND state <> 'taken' ORDER BY event LIMIT ?2 OFFSET ?3"
        );
        self.forward_rows(&sql, params![target, limit, offset])
    }

    /// Returns the records of a target after an event, in order.
    pub(in crate::inbox) fn rows_after(
        &self,
        target: i64,
        event: i64,
        most: u32,
    ) -> Result<Vec<ForwardRow>, JournalError> {
        let sql = format!("SELECT {COLUMNS} FROM forwarded WHERE target = ?1 AND event > ?2 ORDER BY event LIMIT ?3");
        self.forward_rows(&sql, params![target, event, most])
    }

    /// Returns the records of an event at the targets that have got it.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn forwarded(&self, event: i64) -> Result<Vec<ForwardRow>, JournalError> {
        let sql = format!("SELECT {COLUMNS} FROM forwarded WHERE event = ?1 ORDER BY target");
        self.forward_rows(&sql, params![event])
    }

    fn forward_rows(&self, sql: &str, values: &[&dyn rusqlite::ToSql]) -> Result<Vec<ForwardRow>, JournalError> {
        self.0.store.read(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query(values)?;
            let mut entries = Vec::new();
            while let Some(row) = rows.next()? {
                entries.push(forward_row(row)?);
            }
            Ok(entries)
        })
    }
}

const COLUMNS: &str = "target, event, state, at, tries, fault, status, told";

fn forward_row(row: Row<'_>) -> Result<ForwardRow, JournalError> {
    let fault: Option<String> = row.get(5)?;
    Ok(ForwardRow {
        target: row.get(0)?,
        event: row.get(1)?,
        state: ForwardState::from_word(&row.get::<_, String>(2)?)?,
        at: time_from_milliseconds(row.get(3)?)?,
        tries: row.get(4)?,
        fault: fault.map(|fault| Fault::from_word(&fault)).transpose()?,
        status: row.get(6)?,
        response: row.get(7)?,
    })
}
