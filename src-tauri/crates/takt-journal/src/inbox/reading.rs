//! The readings of events: the data that a version of the reader extracts. A newer reader reads all stored events
//! again.

use crate::StoredWord;
use crate::database::{SqlValue, Transaction, params_from_iter};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use super::event::{RAW_COLUMNS, RawEvent, raw_from_row};
use super::floor::FloorChange;
use super::search_text;
use super::store::Inbox;
use crate::JournalError;

/// The result of checking an event against the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, EnumString)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum EventState {
    /// The event conforms to the contract.
    Sound,
    /// The event was understood, but doesn't conform to the contract.
    Odd,
    /// The contract doesn't define this kind of event.
    Unknown,
    /// The event isn't a JSON object.
    Malformed,
}

/// An order that an event names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NamedOrder {
    pub code: String,
    /// Empty if the event names no operation.
    pub operation: String,
}

/// The data that the reader extracted from an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    pub event: i64,
    pub state: EventState,
    /// The service's number for the kind of the event.
    pub kind: Option<i64>,
    pub station: Option<String>,
    pub station_name: Option<String>,
    pub employee: Option<String>,
    /// The person who triggered the event.
    pub person: Option<String>,
    pub description: Option<String>,
    pub orders: Vec<NamedOrder>,
    /// The text for the search index.
    pub text: String,
}

impl Inbox {
    /// Returns events that weren't read yet, oldest first. If there are none, returns events that only an older version
    /// of the reader has read.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn unread_events(&self, reader: u32, limit: u32) -> Result<Vec<RawEvent>, JournalError> {
        let new = format!(
            "SELECT {RAW_COLUMNS} FROM event WHERE id > (SELECT COALESCE(MAX(event), 0) FROM reading) ORDER BY id LIMIT ?1"
        );
        let old = format!(
            "SELECT {RAW_COLUMNS} FROM event WHERE id IN
             (SELECT event FROM reading WHERE reader < ?1 ORDER BY event LIMIT ?2) ORDER BY id"
        );
        self.store.read(|connection| {
            let mut events = Vec::new();
            let mut statement = connection.prepare_cached(&new)?;
            let mut rows = statement.query([limit])?;
            while let Some(row) = rows.next()? {
                events.push(raw_from_row(row)?);
            }
            if events.is_empty() {
                let mut statement = connection.prepare_cached(&old)?;
                let mut rows = statement.query([reader, limit])?;
                while let Some(row) = rows.next()? {
                    events.push(raw_from_row(row)?);
                }
            }
            Ok(events)
        })
    }

    /// Returns the numbers of the newest event and of the newest event that was read. Each is 0 if there is none.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn reading_progress(&self) -> Result<(i64, i64), JournalError> {
        self.store.read(|connection| {
            let sql = "SELECT (SELECT COALESCE(MAX(id), 0) FROM event), (SELECT COALESCE(MAX(event), 0) FROM reading)";
            Ok(connection.prepare_cached(sql)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?)
        })
    }

    /// Stores readings, and replaces earlier readings of the same events.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn store_readings(&self, reader: u32, readings: &[Reading]) -> Result<(), JournalError> {
        self.store_readings_and_floor(reader, readings, None)
    }

    /// Like [`Inbox::store_readings`], and stores the changes of the floor in the same commit.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn store_readings_and_floor(
        &self,
        reader: u32,
        readings: &[Reading],
        floor: Option<&FloorChange>,
    ) -> Result<(), JournalError> {
        self.store.write(|transaction| {
            remove_readings(transaction, readings)?;
            insert_readings(transaction, reader, readings)?;
            floor.map_or(Ok(()), |change| change.write(transaction, reader))?;
            // The texts are inserted last and together. Otherwise, each larger change between them would write the
            // search index.
            search_text::insert(transaction, readings.iter().map(|reading| (reading.event, reading.text.as_str())))
        })
    }

    /// Returns events with numbers greater than `event` and at most `up_to`, oldest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn raw_events_after(&self, event: i64, up_to: i64, limit: u32) -> Result<Vec<RawEvent>, JournalError> {
        self.store.read(|connection| {
            let sql = format!("SELECT {RAW_COLUMNS} FROM event WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT ?3");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([event, up_to, i64::from(limit)])?;
            let mut events = Vec::new();
            while let Some(row) = rows.next()? {
                events.push(raw_from_row(row)?);
            }
            Ok(events)
        })
    }
}

/// Removes earlier readings of the same events, which an older version of the reader or another desk stored.
fn remove_readings(transaction: &Transaction<'_>, readings: &[Reading]) -> Result<(), JournalError> {
    let mut exists = transaction.prepare_cached("SELECT 1 FROM reading WHERE event >= ?1 AND event <= ?2")?;
    let (first, last) = (readings.iter().map(|one| one.event).min(), readings.iter().map(|one| one.event).max());
    if !exists.exists([first, last])? {
        return Ok(());
    }
    for sql in [
        "DELETE FROM reading WHERE event = ?1",
        "DELETE FROM named WHERE event = ?1",
        "DELETE FROM event_text WHERE rowid = ?1",
    ] {
        transaction.prepare_cached(sql)?.execute_each(readings.iter().map(|reading| [reading.event]))?;
    }
    Ok(())
}

/// Inserts readings. Inserts single rows and replaces none, so that SQLite needs no statement journal.
fn insert_readings(transaction: &Transaction<'_>, reader: u32, readings: &[Reading]) -> Result<(), JournalError> {
    let sql =
        "INSERT INTO reading (event, site, received, reader, state, kind, station, station_name, employee, person,
         description, order_code, orders)
         VALUES (?1, (SELECT site FROM event WHERE id = ?1), (SELECT received FROM event WHERE id = ?1),
         ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    let values = readings.iter().map(|reading| params_from_iter(reading_values(reader, reading)));
    transaction.prepare_cached(sql)?.execute_each(values)?;
    let sql = "INSERT INTO named (code, operation, event) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
    let named = readings.iter().flat_map(|reading| {
        reading.orders.iter().map(|NamedOrder { code, operation }| (code, operation, reading.event))
    });
    Ok(transaction.prepare_cached(sql)?.execute_each(named)?)
}

fn reading_values(reader: u32, reading: &Reading) -> [SqlValue; 11] {
    let Reading { event, state, kind, station, station_name, employee, person, description, orders, text: _ } = reading;
    [
        (*event).into(),
        reader.into(),
        state.word().to_owned().into(),
        (*kind).into(),
        station.clone().into(),
        station_name.clone().into(),
        employee.clone().into(),
        person.clone().into(),
        description.clone().into(),
        orders.first().map(|order| order.code.clone()).into(),
        i64::try_from(orders.len()).unwrap_or(i64::MAX).into(),
    ]
}
