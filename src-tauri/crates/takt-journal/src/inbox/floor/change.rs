//! Changes of the floor by events, each stored once.

use crate::database::{Connection, OptionalExtension, SqlValue, Transaction, params, params_from_iter};

use super::alert::{ALERT_COLUMNS, FloorAlert, alert_values};
use super::order::{FloorOrder, ORDER_COLUMNS, order_values};
use super::station::{FloorStation, STATION_COLUMNS, station_values};
use crate::JournalError;

/// The changes by a range of events.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FloorChange {
    /// The last event that was applied before. 0 if the floor is rebuilt.
    pub after: i64,
    /// The last event that is applied now.
    pub event: i64,
    pub orders: Vec<FloorOrder>,
    pub alerts: Vec<FloorAlert>,
    pub stations: Vec<FloorStation>,
    /// Events that came too late to change anything.
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
pub(super) fn applied(connection: &Connection<'_>) -> Result<Option<(u32, i64)>, JournalError> {
    let mut statement = connection.prepare_cached("SELECT reader, event FROM floor")?;
    Ok(statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

impl FloorChange {
    /// Stores the changes. Does nothing if they don't follow the stored state, because two processes may update the
    /// floor at once.
    pub(in crate::inbox) fn write(&self, transaction: &Transaction<'_>, reader: u32) -> Result<(), JournalError> {
        let applied = applied(transaction)?;
        let is_rebuilt = applied.is_none_or(|(of, _)| of < reader);
        match applied {
            Some((of, _)) if of > reader => return Ok(()),
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
    /// Returns the statement that inserts rows or replaces those with the same key. A station without a name keeps its
    /// name.
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
