//! The records of events at their targets.

use crate::StoredWord;
use crate::database::{Row, params};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use super::{super::time_from_milliseconds, Targets};
use crate::JournalError;

/// Why a target didn't accept an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, EnumString)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Fault {
    /// The connection, the name lookup or TLS failed.
    Unreachable,
    /// It didn't respond in time.
    Late,
    /// The connection broke before the response was complete.
    Lost,
    /// It refused the event.
    Refused,
    /// It is busy or out of order for now.
    Busy,
    /// It refused the sender's credentials.
    Denied,
    /// It redirected to another address, and redirects aren't followed.
    Redirected,
    /// Its secrets were only stored until the computer or Takt was restarted.
    KeysMissing,
    /// Its address or a header can't be used.
    Unusable,
    /// It responded that it is gone for good. Nothing is sent until a person resumes it.
    Gone,
}

impl Fault {
    /// Returns whether the fault is about the target's secrets, which another computer of the team may have.
    #[must_use]
    pub fn is_of_secrets(self) -> bool {
        matches!(self, Self::Denied | Self::KeysMissing)
    }
}

/// The state of an event at a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, EnumString)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum ForwardState {
    Taken,
    /// Set aside, so that the next events can be sent.
    Aside,
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
    pub fn aside(&self, target: i64, offset: u32, limit: u32) -> Result<Vec<ForwardRow>, JournalError> {
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
