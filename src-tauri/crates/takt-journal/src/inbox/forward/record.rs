//! What became of events at their targets.

use crate::StoredWord;
use crate::database::{Row, params};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use super::{super::time, Targets};
use crate::JournalError;

/// Why a target didn't take an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, EnumString)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Fault {
    /// No connection, no name, no TLS.
    Unreachable,
    /// No answer in time.
    Late,
    /// The connection broke before the answer was complete.
    Lost,
    /// It answered that it doesn't take it.
    Refused,
    /// It answered that it is busy or out of order for now.
    Busy,
    /// It doesn't believe who sends.
    Denied,
    /// It redirected to another address, and redirects aren't followed.
    Redirected,
    /// What is secret about it was kept until the computer or Takt was started anew.
    KeysMissing,
    /// Its address or a header can't be used.
    Unusable,
    /// It answered that it is gone for good: nothing more is sent until a person wants it.
    Gone,
}

impl Fault {
    /// It is about what is secret about the target: another computer of a team may have what it believes.
    #[must_use]
    pub fn is_of_secrets(self) -> bool {
        matches!(self, Self::Denied | Self::KeysMissing)
    }
}

/// How far an event is at a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, EnumString)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum ForwardState {
    Taken,
    /// Given up, so that the others get through.
    Aside,
    /// Set aside, and to be sent once more by a person's choice.
    Again,
}

/// What became of one event at one target.
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
    /// What a target gave back and is set aside, oldest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn aside(&self, target: i64, offset: u32, limit: u32) -> Result<Vec<ForwardRow>, JournalError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM forwarded WHERE target = ?1 AND state <> 'taken' ORDER BY event LIMIT ?2 OFFSET ?3"
        );
        self.forward_rows(&sql, params![target, limit, offset])
    }

    /// What became of events behind a number at a target, in their order.
    pub(in crate::inbox) fn rows_after(
        &self,
        target: i64,
        event: i64,
        most: u32,
    ) -> Result<Vec<ForwardRow>, JournalError> {
        let sql = format!("SELECT {COLUMNS} FROM forwarded WHERE target = ?1 AND event > ?2 ORDER BY event LIMIT ?3");
        self.forward_rows(&sql, params![target, event, most])
    }

    /// What became of an event at each target that got it; nothing of those that haven't yet.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn forwarded(&self, event: i64) -> Result<Vec<ForwardRow>, JournalError> {
        let sql = format!("SELECT {COLUMNS} FROM forwarded WHERE event = ?1 ORDER BY target");
        self.forward_rows(&sql, params![event])
    }

    fn forward_rows(&self, sql: &str, given: &[&dyn rusqlite::ToSql]) -> Result<Vec<ForwardRow>, JournalError> {
        self.0.store.read(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query(given)?;
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
        at: time(row.get(3)?)?,
        tries: row.get(4)?,
        fault: fault.map(|fault| Fault::from_word(&fault)).transpose()?,
        status: row.get(6)?,
        response: row.get(7)?,
    })
}
