//! The floor as the events have it: the last known of orders, alerts and work stations, per site.
//!
//! Owns how it is kept and found, and that it is made of every event once and in order, whoever makes it. It is a view: a
//! better reader makes it anew. Leaves to others what an event changes on it.

mod change;

use crate::StoredWord;
use crate::database::{Connection, OptionalExtension, Row, params};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use super::{Inbox, time};
use crate::JournalError;

pub use change::FloorChange;
#[cfg(test)]
pub(crate) use change::made_statements;

/// Where an order stands, as far as events tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, EnumString)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum FloorState {
    /// Events name it, and none says where it stands.
    Seen,
    Planned,
    Running,
    Paused,
    Ended,
}

/// The last known of an operation of an order.
#[derive(Debug, Clone, PartialEq)]
pub struct FloorOrder {
    pub site: String,
    pub code: String,
    /// Empty where events don't say.
    pub operation: String,
    pub state: FloorState,
    /// Since when it is in this state.
    pub since: Timestamp,
    pub station: Option<String>,
    pub station_name: Option<String>,
    pub employee: Option<String>,
    pub person: Option<String>,
    pub material: Option<String>,
    /// The service's words for its state, and what it says beside.
    pub status: Option<String>,
    pub reason: Option<String>,
    pub requested: Option<f64>,
    pub good: Option<f64>,
    pub bad: Option<f64>,
    /// The newest run that its events tell of.
    pub begun: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    /// Whether no event without a time of its own has moved it in that run.
    pub exact: bool,
    /// The date of the newest entry of its quantities.
    pub recorded: Option<Timestamp>,
    /// The event that brought it into this state.
    pub event: i64,
    /// The last that names it, and when that came.
    pub last: i64,
    pub last_at: Timestamp,
    /// Events that came too late to change it.
    pub late: u32,
}

/// An alert of a work station. Its note is not trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FloorAlert {
    pub site: String,
    /// The service's number.
    pub alert: i64,
    pub station: Option<String>,
    pub station_name: Option<String>,
    pub employee: Option<String>,
    pub kind: Option<String>,
    pub note: Option<String>,
    pub opened: Timestamp,
    pub acknowledged: Option<Timestamp>,
    /// Absent while it is open.
    pub closed: Option<Timestamp>,
    /// The newest of its times, and the event that tells of it.
    pub newest: Timestamp,
    pub event: i64,
}

/// A work station that an event named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FloorStation {
    pub site: String,
    pub code: String,
    pub name: Option<String>,
    /// The last event that names it, and when it came.
    pub last: i64,
    pub last_at: Timestamp,
}

/// What is known of a site's floor.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FloorKnown {
    /// Those that run or are paused, and those that are begun without it being said which.
    pub orders: Vec<FloorOrder>,
    /// Those that are open.
    pub alerts: Vec<FloorAlert>,
    pub stations: Vec<FloorStation>,
}

/// The floor as it is kept.
#[derive(Debug, Clone, Copy)]
pub struct FloorTable<'a>(pub(crate) &'a Inbox);

impl Inbox {
    /// The floor as it is kept.
    #[must_use]
    pub fn floor(&self) -> FloorTable<'_> {
        FloorTable(self)
    }
}

impl FloorTable<'_> {
    /// The last event that the floor holds, as this version of the reader makes it; 0 where it is to be made from the first
    /// event on. None where a newer reader has made it: it isn't ours.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn front(&self, reader: u32) -> Result<Option<i64>, JournalError> {
        self.0.store.read(|connection| {
            let made = change::made(connection)?;
            Ok(match made {
                Some((of, _)) if of > reader => None,
                Some((of, event)) if of == reader => Some(event),
                _ => Some(0),
            })
        })
    }

    /// Keeps what events changed on the floor, unless somebody else did so meanwhile.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn store(&self, reader: u32, change: &FloorChange) -> Result<(), JournalError> {
        self.0.store.write(|transaction| change.write(transaction, reader))
    }

    /// What runs, is paused, or is alarmed at a site, and the stations that are known.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn of(&self, site: &str) -> Result<FloorKnown, JournalError> {
        self.0.store.read(|connection| {
            let orders = format!(
                "SELECT {ORDER} FROM floor_order WHERE site = ?1 AND state IN ('running', 'paused', 'seen')
                 AND (state <> 'seen' OR (begun IS NOT NULL AND ended IS NULL)) ORDER BY since, code"
            );
            let alerts =
                format!("SELECT {ALERT} FROM floor_alert WHERE site = ?1 AND closed IS NULL ORDER BY opened, alert");
            let stations = format!("SELECT {STATION} FROM floor_station WHERE site = ?1 ORDER BY code");
            Ok(FloorKnown {
                orders: all(connection, &orders, site, order)?,
                alerts: all(connection, &alerts, site, alert)?,
                stations: all(connection, &stations, site, station)?,
            })
        })
    }

    /// The operations of an order that events name.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn orders(&self, site: &str, code: &str) -> Result<Vec<FloorOrder>, JournalError> {
        self.0.store.read(|connection| {
            let sql = format!("SELECT {ORDER} FROM floor_order WHERE site = ?1 AND code = ?2 ORDER BY operation");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([site, code])?;
            let mut orders = Vec::new();
            while let Some(row) = rows.next()? {
                orders.push(order(row)?);
            }
            Ok(orders)
        })
    }

    /// The last known of one operation of an order.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn order(&self, site: &str, code: &str, operation: &str) -> Result<Option<FloorOrder>, JournalError> {
        self.0.store.read(|connection| {
            let sql = format!("SELECT {ORDER} FROM floor_order WHERE site = ?1 AND code = ?2 AND operation = ?3");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([site, code, operation])?;
            rows.next()?.map(order).transpose()
        })
    }

    /// The last known of an alert.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn alert(&self, site: &str, number: i64) -> Result<Option<FloorAlert>, JournalError> {
        self.0.store.read(|connection| {
            let sql = format!("SELECT {ALERT} FROM floor_alert WHERE site = ?1 AND alert = ?2");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![site, number])?;
            rows.next()?.map(alert).transpose()
        })
    }

    /// Which of these events came too late to change anything.
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

const ORDER: &str = "site, code, operation, state, since, station, station_name, employee, person, material, status,
    reason, requested, good, bad, begun, ended, exact, recorded, event, last, last_at, late";

const STATION: &str = "site, code, name, last, last_at";

const ALERT: &str =
    "site, alert, station, station_name, employee, kind, note, opened, acknowledged, closed, newest, event";

fn all<T>(
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

fn order(row: Row<'_>) -> Result<FloorOrder, JournalError> {
    Ok(FloorOrder {
        site: row.get(0)?,
        code: row.get(1)?,
        operation: row.get(2)?,
        state: FloorState::from_word(&row.get::<_, String>(3)?)?,
        since: time(row.get(4)?)?,
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
        begun: maybe(row, 15)?,
        ended: maybe(row, 16)?,
        exact: row.get(17)?,
        recorded: maybe(row, 18)?,
        event: row.get(19)?,
        last: row.get(20)?,
        last_at: time(row.get(21)?)?,
        late: row.get(22)?,
    })
}

fn alert(row: Row<'_>) -> Result<FloorAlert, JournalError> {
    Ok(FloorAlert {
        site: row.get(0)?,
        alert: row.get(1)?,
        station: row.get(2)?,
        station_name: row.get(3)?,
        employee: row.get(4)?,
        kind: row.get(5)?,
        note: row.get(6)?,
        opened: time(row.get(7)?)?,
        acknowledged: maybe(row, 8)?,
        closed: maybe(row, 9)?,
        newest: time(row.get(10)?)?,
        event: row.get(11)?,
    })
}

fn station(row: Row<'_>) -> Result<FloorStation, JournalError> {
    Ok(FloorStation {
        site: row.get(0)?,
        code: row.get(1)?,
        name: row.get(2)?,
        last: row.get(3)?,
        last_at: time(row.get(4)?)?,
    })
}

fn maybe(row: Row<'_>, column: usize) -> Result<Option<Timestamp>, JournalError> {
    row.get::<_, Option<i64>>(column)?.map(time).transpose()
}
