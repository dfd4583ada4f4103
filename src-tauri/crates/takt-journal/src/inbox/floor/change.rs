//! What events changed on the floor, and writing it down once.

use crate::StoredWord;
use crate::database::{Connection, OptionalExtension, Transaction, params};
use jiff::Timestamp;

use super::{FloorAlert, FloorOrder, FloorStation};
use crate::JournalError;

/// What the events after one of them, up to another, changed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FloorChange {
    /// The last event that the floor held before; 0 where it is made anew.
    pub after: i64,
    /// The last event that it holds now.
    pub event: i64,
    pub orders: Vec<FloorOrder>,
    pub alerts: Vec<FloorAlert>,
    pub stations: Vec<FloorStation>,
    /// Events that came too late to change anything.
    pub late: Vec<i64>,
}

const EMPTY: &str =
    "DELETE FROM floor_order; DELETE FROM floor_alert; DELETE FROM floor_station; DELETE FROM floor_late;";

/// The version of the reader that made the floor, and the last event that it holds.
pub(super) fn made(connection: &Connection<'_>) -> Result<Option<(u32, i64)>, JournalError> {
    let mut statement = connection.prepare_cached("SELECT reader, event FROM floor")?;
    Ok(statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

impl FloorChange {
    /// Two processes may make the floor at once: what doesn't go on from where it stands is left out.
    pub(in crate::inbox) fn write(&self, transaction: &Transaction<'_>, reader: u32) -> Result<(), JournalError> {
        let made = made(transaction)?;
        let is_anew = made.is_none_or(|(of, _)| of < reader);
        match made {
            Some((of, _)) if of > reader => return Ok(()),
            Some((_, event)) if !is_anew && event != self.after => return Ok(()),
            _ if is_anew && self.after != 0 => return Ok(()),
            _ => {}
        }
        if is_anew {
            transaction.execute_batch(EMPTY)?;
        }
        self.orders.iter().try_for_each(|order| put_order(transaction, order))?;
        self.alerts.iter().try_for_each(|alert| put_alert(transaction, alert))?;
        self.stations.iter().try_for_each(|station| put_station(transaction, station))?;
        let mut late = transaction.prepare_cached("INSERT OR IGNORE INTO floor_late (event) VALUES (?1)")?;
        for event in &self.late {
            late.execute([event])?;
        }
        let sql = "INSERT OR REPLACE INTO floor (one, reader, event) VALUES (1, ?1, ?2)";
        transaction.prepare_cached(sql)?.execute(params![reader, self.event])?;
        Ok(())
    }
}

fn put_order(transaction: &Transaction<'_>, order: &FloorOrder) -> Result<(), JournalError> {
    let sql = "INSERT OR REPLACE INTO floor_order (site, code, operation, state, since, station, station_name, employee,
         person, material, status, reason, requested, good, bad, begun, ended, exact, recorded, event, last, last_at, late)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23)";
    transaction.prepare_cached(sql)?.execute(params![
        order.site,
        order.code,
        order.operation,
        order.state.word(),
        order.since.as_millisecond(),
        order.station,
        order.station_name,
        order.employee,
        order.person,
        order.material,
        order.status,
        order.reason,
        order.requested,
        order.good,
        order.bad,
        milliseconds(order.begun),
        milliseconds(order.ended),
        order.exact,
        milliseconds(order.recorded),
        order.event,
        order.last,
        order.last_at.as_millisecond(),
        order.late,
    ])?;
    Ok(())
}

fn put_alert(transaction: &Transaction<'_>, alert: &FloorAlert) -> Result<(), JournalError> {
    let sql = "INSERT OR REPLACE INTO floor_alert (site, alert, station, station_name, employee, kind, note, opened,
         acknowledged, closed, newest, event) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    transaction.prepare_cached(sql)?.execute(params![
        alert.site,
        alert.alert,
        alert.station,
        alert.station_name,
        alert.employee,
        alert.kind,
        alert.note,
        alert.opened.as_millisecond(),
        milliseconds(alert.acknowledged),
        milliseconds(alert.closed),
        alert.newest.as_millisecond(),
        alert.event,
    ])?;
    Ok(())
}

fn put_station(transaction: &Transaction<'_>, station: &FloorStation) -> Result<(), JournalError> {
    let sql = "INSERT INTO floor_station (site, code, name, last, last_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (site, code) DO UPDATE SET name = COALESCE(excluded.name, name), last = excluded.last,
         last_at = excluded.last_at";
    let FloorStation { site, code, name, last, last_at } = station;
    transaction.prepare_cached(sql)?.execute(params![site, code, name, last, last_at.as_millisecond()])?;
    Ok(())
}

fn milliseconds(time: Option<Timestamp>) -> Option<i64> {
    time.map(Timestamp::as_millisecond)
}
