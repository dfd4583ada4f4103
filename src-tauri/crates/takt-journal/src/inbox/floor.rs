//! The floor as events describe it: the last known state of orders, alerts and work stations, by site.
//!
//! Owns how the state is stored and searched. Makes sure that each event changes it once and in order, whichever
//! process applies it. A newer reader rebuilds it. Doesn't know how an event changes it.

mod change;

use crate::StoredWord;
use crate::database::{Connection, OptionalExtension, Row, params};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use super::{Inbox, time_from_milliseconds};
use crate::JournalError;

pub use change::FloorChange;
#[cfg(test)]
pub(crate) use change::built_statements;

/// The state of an order, as far as events tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, EnumString)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum FloorState {
    /// Events name it, but none has its state.
    Seen,
    Planned,
    Running,
    Paused,
    Ended,
}

/// The last known state of an operation of an order.
#[derive(Debug, Clone, PartialEq)]
pub struct FloorOrder {
    pub site: String,
    pub code: String,
    /// Empty if events don't name it.
    pub operation: String,
    pub state: FloorState,
    /// The start of this state.
    pub since: Timestamp,
    pub station: Option<String>,
    pub station_name: Option<String>,
    pub employee: Option<String>,
    pub person: Option<String>,
    pub material: Option<String>,
    /// The state in the service's words, with its reason.
    pub status: Option<String>,
    pub reason: Option<String>,
    pub requested: Option<f64>,
    pub good: Option<f64>,
    pub bad: Option<f64>,
    /// The newest run that its events describe.
    pub begun: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    /// True if every event of that run had a time.
    pub exact: bool,
    /// The date of the newest quantities.
    pub recorded: Option<Timestamp>,
    /// The event that caused this state.
    pub event: i64,
    /// The last event that names it, and when it was received.
    pub last: i64,
    pub last_at: Timestamp,
    /// The number of events that came too late to change it.
    pub late: u32,
}

/// An alert of a work station. Its note is not trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FloorAlert {
    pub site: String,
    /// The number that the service assigned.
    pub alert: i64,
    pub station: Option<String>,
    pub station_name: Option<String>,
    pub employee: Option<String>,
    pub kind: Option<String>,
    pub note: Option<String>,
    pub opened: Timestamp,
    pub acknowledged: Option<Timestamp>,
    /// Absent while the alert is open.
    pub closed: Option<Timestamp>,
    /// The newest of its times, and the event with that time.
    pub newest: Timestamp,
    pub event: i64,
}

/// A work station that an event named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FloorStation {
    pub site: String,
    pub code: String,
    pub name: Option<String>,
    /// The last event that names it, and when it was received.
    pub last: i64,
    pub last_at: Timestamp,
}

/// The known state of a site's floor.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FloorKnown {
    /// Orders that run or are paused, or that were begun in an unknown state.
    pub orders: Vec<FloorOrder>,
    /// The open alerts.
    pub alerts: Vec<FloorAlert>,
    pub stations: Vec<FloorStation>,
}

/// The stored state of the floor.
#[derive(Debug, Clone, Copy)]
pub struct FloorTable<'a>(pub(crate) &'a Inbox);

impl Inbox {
    /// Returns access to the stored state of the floor.
    #[must_use]
    pub fn floor(&self) -> FloorTable<'_> {
        FloorTable(self)
    }
}

impl FloorTable<'_> {
    /// Returns the last event that this version of the reader has applied, or 0 if the floor must be rebuilt. Returns
    /// none if a newer reader has built it.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn front(&self, reader: u32) -> Result<Option<i64>, JournalError> {
        self.0.store.read(|connection| {
            let applied = change::applied(connection)?;
            Ok(match applied {
                Some((of, _)) if of > reader => None,
                Some((of, event)) if of == reader => Some(event),
                _ => Some(0),
            })
        })
    }

    /// Stores changes of the floor, unless another process stored them meanwhile.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn store(&self, reader: u32, change: &FloorChange) -> Result<(), JournalError> {
        self.0.store.write(|transaction| change.write(transaction, reader))
    }

    /// Returns the running and paused orders, the open alerts and the known stations of a site.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn of(&self, site: &str) -> Result<FloorKnown, JournalError> {
        self.0.store.read(|connection| {
            let orders = format!(
                "SELECT {ORDER_COLUMNS} FROM floor_order WHERE site = ?1 AND state IN ('running', 'paused', 'seen')
                 AND (state <> 'seen' OR (begun IS NOT NULL AND ended IS NULL)) ORDER BY since, code"
            );
            let alerts = format!(
                "SELECT {ALERT_COLUMNS} FROM floor_alert WHERE site = ?1 AND closed IS NULL ORDER BY opened, alert"
            );
            let stations = format!("SELECT {STATION_COLUMNS} FROM floor_station WHERE site = ?1 ORDER BY code");
            Ok(FloorKnown {
                orders: load_all(connection, &orders, site, order_from_row)?,
                alerts: load_all(connection, &alerts, site, alert_from_row)?,
                stations: load_all(connection, &stations, site, station_from_row)?,
            })
        })
    }

    /// Returns the operations of an order that events name.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn orders(&self, site: &str, code: &str) -> Result<Vec<FloorOrder>, JournalError> {
        self.0.store.read(|connection| {
            let sql =
                format!("SELECT {ORDER_COLUMNS} FROM floor_order WHERE site = ?1 AND code = ?2 ORDER BY operation");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([site, code])?;
            let mut orders = Vec::new();
            while let Some(row) = rows.next()? {
                orders.push(order_from_row(row)?);
            }
            Ok(orders)
        })
    }

    /// Returns the last known state of one operation of an order.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn order(&self, site: &str, code: &str, operation: &str) -> Result<Option<FloorOrder>, JournalError> {
        self.0.store.read(|connection| {
            let sql =
                format!("SELECT {ORDER_COLUMNS} FROM floor_order WHERE site = ?1 AND code = ?2 AND operation = ?3");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([site, code, operation])?;
            rows.next()?.map(order_from_row).transpose()
        })
    }

    /// Returns the last known state of an alert.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn alert(&self, site: &str, number: i64) -> Result<Option<FloorAlert>, JournalError> {
        self.0.store.read(|connection| {
            let sql = format!("SELECT {ALERT_COLUMNS} FROM floor_alert WHERE site = ?1 AND alert = ?2");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![site, number])?;
            rows.next()?.map(alert_from_row).transpose()
        })
    }

    /// Returns which of these events came too late to change anything.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn late(&self, events: &[i64]) -> Result<Vec<i64>, JournalError> {
        self.0.store.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT event FROM floor_late WHERE event = ?1")?;
            let mut late = Vec::new();
            for event in events {
                late.extend(statement.query_row([event], |row| row.get::<_, i64>(0)).optional()?);
            }
            Ok(late)
        })
    }
}

const ORDER_COLUMNS: &str =
    "site, code, operation, state, since, station, station_name, employee, person, material, status,
    reason, requested, good, bad, begun, ended, exact, recorded, event, last, last_at, late";

const STATION_COLUMNS: &str = "site, code, name, last, last_at";

const ALERT_COLUMNS: &str =
    "site, alert, station, station_name, employee, kind, note, opened, acknowledged, closed, newest, event";

fn load_all<T>(
    connection: &Connection<'_>,
    sql: &str,
    site: &str,
    read: impl Fn(Row<'_>) -> Result<T, JournalError>,
) -> Result<Vec<T>, JournalError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([site])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        entries.push(read(row)?);
    }
    Ok(entries)
}

fn order_from_row(row: Row<'_>) -> Result<FloorOrder, JournalError> {
    Ok(FloorOrder {
        site: row.get(0)?,
        code: row.get(1)?,
        operation: row.get(2)?,
        state: FloorState::from_word(&row.get::<_, String>(3)?)?,
        since: time_from_milliseconds(row.get(4)?)?,
        station: row.get(5)?,
        station_name: row.get(6)?,
        employee: row.get(7)?,
        person: row.get(8)?,
        material: row.get(9)?,
        status: row.get(10)?,
        reason: row.get(11)?,
        requested: row.get(12)?,
        good: row.get(13)?,
        bad: row.get(14)?,
        begun: optional_time(row, 15)?,
        ended: optional_time(row, 16)?,
        exact: row.get(17)?,
        recorded: optional_time(row, 18)?,
        event: row.get(19)?,
        last: row.get(20)?,
        last_at: time_from_milliseconds(row.get(21)?)?,
        late: row.get(22)?,
    })
}

fn alert_from_row(row: Row<'_>) -> Result<FloorAlert, JournalError> {
    Ok(FloorAlert {
        site: row.get(0)?,
        alert: row.get(1)?,
        station: row.get(2)?,
        station_name: row.get(3)?,
        employee: row.get(4)?,
        kind: row.get(5)?,
        note: row.get(6)?,
        opened: time_from_milliseconds(row.get(7)?)?,
        acknowledged: optional_time(row, 8)?,
        closed: optional_time(row, 9)?,
        newest: time_from_milliseconds(row.get(10)?)?,
        event: row.get(11)?,
    })
}

fn station_from_row(row: Row<'_>) -> Result<FloorStation, JournalError> {
    Ok(FloorStation {
        site: row.get(0)?,
        code: row.get(1)?,
        name: row.get(2)?,
        last: row.get(3)?,
        last_at: time_from_milliseconds(row.get(4)?)?,
    })
}

fn optional_time(row: Row<'_>, column: usize) -> Result<Option<Timestamp>, JournalError> {
    row.get::<_, Option<i64>>(column)?.map(time_from_milliseconds).transpose()
}
