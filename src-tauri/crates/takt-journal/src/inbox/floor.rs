//! The floor according to events: the last known states of orders, alerts and work stations, by site.
//!
//! Stores and searches these states. Each event is applied once and in order, even if several processes read events. A
//! newer version of the reader rebuilds the states. This module doesn't interpret events.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use crate::database::{Connection, OptionalExtension, Row, SqlValue, Transaction, params, params_from_iter};
use crate::inbox::store::Inbox;
use crate::inbox::stored_time::{optional_milliseconds, optional_time, time_from_milliseconds};
use crate::{JournalError, StoredWord};

/// The known state of a site's floor.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FloorSnapshot {
    /// Orders that run or are paused, or that have begun and are in an unknown state.
    pub orders: Vec<FloorOrder>,
    pub alerts: Vec<FloorAlert>,
    pub stations: Vec<FloorStation>,
}

/// Reads and updates the stored state of the floor.
#[derive(Debug, Clone, Copy)]
pub struct FloorStore<'a>(pub(crate) &'a Inbox);

impl Inbox {
    /// Returns access to the stored state of the floor.
    #[must_use]
    pub fn floor(&self) -> FloorStore<'_> {
        FloorStore(self)
    }
}

impl FloorStore<'_> {
    /// Returns the last event that this version of the reader has applied, or 0 if the floor must be rebuilt. Returns
    /// none if a newer reader has built it.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn last_applied_event(&self, reader: u32) -> Result<Option<i64>, JournalError> {
        self.0.store.read(|connection| {
            Ok(match load_progress(connection)? {
                Some((version, _)) if version > reader => None,
                Some((version, event)) if version == reader => Some(event),
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
    pub fn state_of_site(&self, site: &str) -> Result<FloorSnapshot, JournalError> {
        self.0.store.read(|connection| {
            let orders = format!(
                "SELECT {ORDER_COLUMNS} FROM floor_order WHERE site = ?1 AND state IN ('running', 'paused', 'seen')
                 AND (state <> 'seen' OR (begun IS NOT NULL AND ended IS NULL)) ORDER BY since, code"
            );
            let alerts = format!(
                "SELECT {ALERT_COLUMNS} FROM floor_alert WHERE site = ?1 AND closed IS NULL ORDER BY opened, alert"
            );
            let stations = format!("SELECT {STATION_COLUMNS} FROM floor_station WHERE site = ?1 ORDER BY code");
            Ok(FloorSnapshot {
                orders: load_all(connection, &orders, site, order_from_row)?,
                alerts: load_all(connection, &alerts, site, alert_from_row)?,
                stations: load_all(connection, &stations, site, station_from_row)?,
            })
        })
    }

    /// Returns the last known state of each operation of an order.
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

    /// Returns the last known state of one operation of an order, or none if no event names it.
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

    /// Returns the last known state of an alert, or none if no event names it.
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

    /// Returns the given events that were too late to change the floor.
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

/// The changes that a range of events makes to the floor.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FloorChange {
    /// The last event that was applied before. 0 if the floor is rebuilt.
    pub after: i64,
    /// The last event that is applied now.
    pub event: i64,
    pub orders: Vec<FloorOrder>,
    pub alerts: Vec<FloorAlert>,
    pub stations: Vec<FloorStation>,
    /// Events that were too late to change the floor.
    pub late: Vec<i64>,
}

/// A table of the floor.
struct Table {
    name: &'static str,
    key: &'static [&'static str],
    columns: &'static str,
}

const ORDERS: Table = Table { name: "floor_order", key: &["site", "code", "operation"], columns: ORDER_COLUMNS };
const ALERTS: Table = Table { name: "floor_alert", key: &["site", "alert"], columns: ALERT_COLUMNS };
const STATIONS: Table = Table { name: "floor_station", key: &["site", "code"], columns: STATION_COLUMNS };

const CLEAR: &str =
    "DELETE FROM floor_order; DELETE FROM floor_alert; DELETE FROM floor_station; DELETE FROM floor_late;";

/// Returns the version of the reader that built the floor, and the last event that it applied.
fn load_progress(connection: &Connection<'_>) -> Result<Option<(u32, i64)>, JournalError> {
    let mut statement = connection.prepare_cached("SELECT reader, event FROM floor")?;
    Ok(statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

impl FloorChange {
    /// Stores the changes. Does nothing if they don't follow the stored state, because two processes may update the
    /// floor at the same time.
    pub(super) fn write(&self, transaction: &Transaction<'_>, reader: u32) -> Result<(), JournalError> {
        let progress = load_progress(transaction)?;
        let is_rebuilt = progress.is_none_or(|(version, _)| version < reader);
        match progress {
            Some((version, _)) if version > reader => return Ok(()),
            Some((_, event)) if !is_rebuilt && event != self.after => return Ok(()),
            _ if is_rebuilt && self.after != 0 => return Ok(()),
            _ => {}
        }
        if is_rebuilt {
            transaction.execute_batch(CLEAR)?;
        }
        upsert(transaction, &ORDERS, self.orders.iter().map(order_values))?;
        upsert(transaction, &ALERTS, self.alerts.iter().map(alert_values))?;
        upsert(transaction, &STATIONS, self.stations.iter().map(station_values))?;
        let mut late =
            transaction.prepare_cached("INSERT INTO floor_late (event) VALUES (?1) ON CONFLICT DO NOTHING")?;
        late.execute_each(self.late.iter().map(|event| [event]))?;
        let sql = "INSERT INTO floor (one, reader, event) VALUES (1, ?1, ?2)
             ON CONFLICT (one) DO UPDATE SET reader = excluded.reader, event = excluded.event";
        transaction.prepare_cached(sql)?.execute(params![reader, self.event])?;
        Ok(())
    }
}

impl Table {
    /// Returns the statement that inserts rows or replaces those with the same key. A station whose new name is absent
    /// keeps its name.
    fn upsert_sql(&self) -> String {
        let Self { name: table, key, columns } = self;
        let names: Vec<&str> = columns.split(',').map(str::trim).collect();
        let placeholders: Vec<String> = (1..=names.len()).map(|number| format!("?{number}")).collect();
        let updated = names.iter().filter(|name| !key.contains(*name)).map(|name| match *name {
            "name" => format!("name = COALESCE(excluded.name, {table}.name)"),
            name => format!("{name} = excluded.{name}"),
        });
        format!(
            "INSERT INTO {table} ({columns}) VALUES ({}) ON CONFLICT ({}) DO UPDATE SET {}",
            placeholders.join(", "),
            key.join(", "),
            updated.collect::<Vec<_>>().join(", ")
        )
    }
}

fn upsert(
    transaction: &Transaction<'_>,
    table: &Table,
    rows: impl Iterator<Item = Vec<SqlValue>>,
) -> Result<(), JournalError> {
    Ok(transaction.prepare_cached(&table.upsert_sql())?.execute_each(rows.map(params_from_iter))?)
}

/// Returns the statements that write the floor.
#[cfg(test)]
pub(crate) fn built_statements() -> Vec<String> {
    [ORDERS, ALERTS, STATIONS].iter().map(Table::upsert_sql).collect()
}

/// The state of an operation of an order, according to events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, EnumString)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum FloorState {
    /// Events name the order, but none contains its state.
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
    /// Empty if the events name no operation.
    pub operation: String,
    pub state: FloorState,
    /// The start of this state.
    pub since: Timestamp,
    pub station: Option<String>,
    pub station_name: Option<String>,
    pub employee: Option<String>,
    pub person: Option<String>,
    pub material: Option<String>,
    /// The service's text for the state. `reason` is its reason.
    pub status: Option<String>,
    pub reason: Option<String>,
    pub requested: Option<f64>,
    pub good: Option<f64>,
    pub bad: Option<f64>,
    /// The start of the newest run that events describe. `ended` is its end.
    pub begun: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    /// True if every event of that run had a time.
    pub exact: bool,
    /// The date of the newest quantities.
    pub recorded: Option<Timestamp>,
    /// The event that caused this state.
    pub event: i64,
    /// The last event that names the order. `last_at` is the time at which it was received.
    pub last: i64,
    pub last_at: Timestamp,
    /// The number of events that were too late to change the state.
    pub late: u32,
}

const ORDER_COLUMNS: &str =
    "site, code, operation, state, since, station, station_name, employee, person, material, status,
    reason, requested, good, bad, begun, ended, exact, recorded, event, last, last_at, late";

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

/// Returns the values in the order of [`ORDER_COLUMNS`].
fn order_values(order: &FloorOrder) -> Vec<SqlValue> {
    vec![
        order.site.clone().into(),
        order.code.clone().into(),
        order.operation.clone().into(),
        order.state.word().to_owned().into(),
        order.since.as_millisecond().into(),
        order.station.clone().into(),
        order.station_name.clone().into(),
        order.employee.clone().into(),
        order.person.clone().into(),
        order.material.clone().into(),
        order.status.clone().into(),
        order.reason.clone().into(),
        order.requested.into(),
        order.good.into(),
        order.bad.into(),
        optional_milliseconds(order.begun).into(),
        optional_milliseconds(order.ended).into(),
        order.exact.into(),
        optional_milliseconds(order.recorded).into(),
        order.event.into(),
        order.last.into(),
        order.last_at.as_millisecond().into(),
        order.late.into(),
    ]
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
    /// The newest of the alert's times. `event` is the event with that time.
    pub newest: Timestamp,
    pub event: i64,
}

const ALERT_COLUMNS: &str =
    "site, alert, station, station_name, employee, kind, note, opened, acknowledged, closed, newest, event";

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

/// Returns the values in the order of [`ALERT_COLUMNS`].
fn alert_values(alert: &FloorAlert) -> Vec<SqlValue> {
    vec![
        alert.site.clone().into(),
        alert.alert.into(),
        alert.station.clone().into(),
        alert.station_name.clone().into(),
        alert.employee.clone().into(),
        alert.kind.clone().into(),
        alert.note.clone().into(),
        alert.opened.as_millisecond().into(),
        optional_milliseconds(alert.acknowledged).into(),
        optional_milliseconds(alert.closed).into(),
        alert.newest.as_millisecond().into(),
        alert.event.into(),
    ]
}

/// A work station that an event named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FloorStation {
    pub site: String,
    pub code: String,
    pub name: Option<String>,
    /// The last event that names the station. `last_at` is the time at which it was received.
    pub last: i64,
    pub last_at: Timestamp,
}

const STATION_COLUMNS: &str = "site, code, name, last, last_at";

fn station_from_row(row: Row<'_>) -> Result<FloorStation, JournalError> {
    Ok(FloorStation {
        site: row.get(0)?,
        code: row.get(1)?,
        name: row.get(2)?,
        last: row.get(3)?,
        last_at: time_from_milliseconds(row.get(4)?)?,
    })
}

/// Returns the values in the order of [`STATION_COLUMNS`].
fn station_values(station: &FloorStation) -> Vec<SqlValue> {
    let FloorStation { site, code, name, last, last_at } = station;
    vec![site.clone().into(), code.clone().into(), name.clone().into(), (*last).into(), last_at.as_millisecond().into()]
}
