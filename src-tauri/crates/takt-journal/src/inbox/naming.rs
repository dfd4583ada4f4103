//! The events that name an order since a moment: what happened after something was sent about it.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::{Inbox, time};
use crate::JournalError;
use crate::database::params;

/// Which events are wanted: those of a site that name an order, or one operation of it, and came since then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderEventQuery {
    pub site: String,
    pub code: String,
    /// Absent: whatever operation. An event that names the order without an operation is about each.
    pub operation: Option<String>,
    pub since: Timestamp,
}

/// An event that names an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamingEvent {
    pub event: i64,
    pub received: Timestamp,
    /// The service's id of the event.
    pub kind: Option<i64>,
    pub station: Option<String>,
}

/// What wasn't believed or was replayed tells nothing.
const FROM: &str = "FROM named JOIN reading ON reading.event = named.event JOIN event ON event.id = named.event
    WHERE named.code = ?1 AND reading.site = ?2 AND reading.received >= ?3 AND (CAST(?4 AS TEXT) IS NULL OR named.operation IN (?4, ''))
    AND event.replay = 0 AND event.signed IN ('unchecked', 'valid')";

impl Inbox {
    /// How many events there are, and the newest of them, newest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn naming(&self, asked: &OrderEventQuery, most: u32) -> Result<(u32, Vec<NamingEvent>), JournalError> {
        let OrderEventQuery { site, code, operation, since } = asked;
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
                 ORDER BY named.event DESC LIMIT {most}"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![code, site, since, operation])?;
            let mut events = Vec::new();
            while let Some(row) = rows.next()? {
                let received = time(row.get(1)?)?;
                events.push(NamingEvent { event: row.get(0)?, received, kind: row.get(2)?, station: row.get(3)? });
            }
            Ok((count, events))
        })
    }

    /// Whether there is one of these kinds among them.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn named_by(&self, asked: &OrderEventQuery, kinds: &BTreeSet<i64>) -> Result<bool, JournalError> {
        let OrderEventQuery { site, code, operation, since } = asked;
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
