//! The floor as events describe it: the last known state of orders, alerts and work stations, by site.
//!
//! Owns how the state is stored and searched. Makes sure that each event changes it once and in order, whichever
//! process applies it. A newer reader rebuilds it. Doesn't know how an event changes it.

mod alert;
mod change;
mod order;
mod station;

use super::store::Inbox;
use crate::JournalError;
use crate::database::{Connection, OptionalExtension, Row, params};
use alert::{ALERT_COLUMNS, alert_from_row};
use order::{ORDER_COLUMNS, order_from_row};
use station::{STATION_COLUMNS, station_from_row};

pub use alert::FloorAlert;
pub use change::FloorChange;
#[cfg(test)]
pub(crate) use change::built_statements;
pub use order::{FloorOrder, FloorState};
pub use station::FloorStation;

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
    pub fn find_late_events(&self, events: &[i64]) -> Result<Vec<i64>, JournalError> {
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
