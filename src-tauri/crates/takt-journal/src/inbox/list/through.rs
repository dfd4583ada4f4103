//! Iterates over any number of events in pages, for exports.

use super::{
    super::{Inbox, NamedOrder},
    COLUMNS, EventFilter, EventRow, EventSelection, event_from_row, page, select_events,
};
use crate::JournalError;
use crate::database::params_from_iter;

impl Inbox {
    /// Returns the numbers of matching events, oldest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn numbers(&self, filter: &EventFilter, limit: u32) -> Result<Vec<i64>, JournalError> {
        self.store.read(|connection| {
            let EventSelection { from, values } = select_events(connection, filter);
            let sql = format!("SELECT DISTINCT found.event FROM {from} ORDER BY found.event LIMIT {limit}");
            let mut statement = connection.prepare_cached(&sql)?;
            let numbers = statement.query_map(params_from_iter(&values), |row| row.get(0))?;
            Ok(numbers.collect::<Result<_, _>>()?)
        })
    }

    /// Returns matching events before a given one, newest first, to visit a list of any length.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn earlier(&self, filter: &EventFilter, before: i64, limit: u32) -> Result<Vec<EventRow>, JournalError> {
        let up_to = filter.up_to.unwrap_or(i64::MAX).min(before.saturating_sub(1));
        let filter = EventFilter { up_to: Some(up_to), ..filter.clone() };
        self.store.read(|connection| page(connection, &filter, 0, limit))
    }

    /// Returns events by their numbers, oldest first, without those that don't exist.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn rows(&self, numbers: &[i64]) -> Result<Vec<EventRow>, JournalError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM reading JOIN event ON event.id = reading.event WHERE reading.event IN ({})
             ORDER BY reading.event",
            (1..=numbers.len()).map(|number| format!("?{number}")).collect::<Vec<_>>().join(", ")
        );
        self.store.read(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params_from_iter(numbers))?;
            let mut events = Vec::new();
            while let Some(found) = rows.next()? {
                events.push(event_from_row(found)?);
            }
            Ok(events)
        })
    }

    /// Returns the orders that an event names.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn orders_named(&self, event: i64) -> Result<Vec<NamedOrder>, JournalError> {
        self.store.read(|connection| {
            let sql = "SELECT code, operation FROM named WHERE event = ?1 ORDER BY code, operation";
            let mut statement = connection.prepare_cached(sql)?;
            let named =
                statement.query_map([event], |row| Ok(NamedOrder { code: row.get(0)?, operation: row.get(1)? }))?;
            Ok(named.collect::<Result<_, _>>()?)
        })
    }
}
