//! Finds the events that name an order since a time, to show what happened after something was sent about it.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::store::Inbox;
use super::stored_time::time_from_milliseconds;
use crate::JournalError;
use crate::database::params;

/// Selects events of a site that name an order, or one operation of it, since a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderEventQuery {
    pub site: String,
    pub code: String,
    /// Absent for any operation. An event that names the order without an operation matches every operation.
    pub operation: Option<String>,
    pub since: Timestamp,
}

/// An event that names an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamingEvent {
    pub event: i64,
    pub received: Timestamp,
    /// The service's number of the event.
    pub kind: Option<i64>,
    pub station: Option<String>,
}

/// Events that aren't trusted, and replays, don't count.
const FROM: &str = "FROM named JOIN reading ON reading.event = named.event JOIN event ON event.id = named.event
    WHERE named.code = ?1 AND reading.site = ?2 AND reading.received >= ?3 AND (CAST(?4 AS TEXT) IS NULL OR named.operation IN (?4, ''))
    AND event.replay = 0 AND event.signed IN ('unchecked', 'valid')";

impl Inbox {
    /// Returns the number of matching events, and the newest of them, newest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn find_order_events(
        &self,
        query: &OrderEventQuery,
        limit: u32,
    ) -> Result<(u32, Vec<NamingEvent>), JournalError> {
        let OrderEventQuery { site, code, operation, since } = query;
        let since = since.as_millisecond();
        self.store.read(|connection| {
            let sql = format!("SELECT COUNT(DISTINCT named.event) {FROM}");
            let mut statement = connection.prepare_cached(&sql)?;
            let count = statement.query_row(params![code, site, since, operation], |row| row.get(0))?;
            if count == 0 {
                return Ok((0, Vec::new()));
            }
            let sql = format!(
                "SELECT DISTINCT named.event, reading.received, reading.kind, reading.station {FROM}
                 ORDER BY named.event DESC LIMIT {limit}"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![code, site, since, operation])?;
            let mut events = Vec::new();
            while let Some(row) = rows.next()? {
                let received = time_from_milliseconds(row.get(1)?)?;
                events.push(NamingEvent { event: row.get(0)?, received, kind: row.get(2)?, station: row.get(3)? });
            }
            Ok((count, events))
        })
    }

    /// Returns whether a matching event has one of these kinds.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn has_order_event(&self, query: &OrderEventQuery, kinds: &BTreeSet<i64>) -> Result<bool, JournalError> {
        let OrderEventQuery { site, code, operation, since } = query;
        self.store.read(|connection| {
            let sql = format!("SELECT DISTINCT reading.kind {FROM} AND reading.kind IS NOT NULL");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![code, site, since.as_millisecond(), operation])?;
            while let Some(row) = rows.next()? {
                if kinds.contains(&row.get(0)?) {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }
}
