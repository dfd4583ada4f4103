//! Limits untrusted events, because anyone who knows the address can send them. Trusted events are never limited. On a
//! nearly full disk, no untrusted event is stored.
//!
//! Owns the limits, and counts the stored bytes and the omitted events. The `signature` module of takt-inbox decides
//! which events are trusted.

use std::sync::atomic::Ordering;

use jiff::Timestamp;

use super::event::NewEvent;
use super::store::Inbox;
use super::stored_time::time_from_milliseconds;
use crate::JournalError;
use crate::database::{Transaction, params};

/// The limit in bytes for the stored unverified events of one site.
pub const MAX_UNVERIFIED_BYTES: u64 = 16 * 1024 * 1024;
/// The number of unverified events of one site that may be stored within an hour.
pub const MAX_UNVERIFIED_PER_HOUR: u32 = 1_000;
/// The size of an event's row, reading and index entries, in addition to its bytes.
const BYTES_PER_EVENT: u64 = 1024;
const MILLISECONDS_PER_HOUR: i64 = 3_600_000;

/// The counts of a site's unverified events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnverifiedEvents {
    pub site: String,
    /// The size of the stored events in bytes.
    pub bytes: u64,
    /// The number of events that weren't stored since a person last reset it.
    pub omitted: u64,
    /// The arrival of the first and the last of the events that weren't stored.
    pub omitted_first: Option<Timestamp>,
    pub omitted_last: Option<Timestamp>,
}

/// Reads and resets the counts of unverified events.
#[derive(Debug, Clone, Copy)]
pub struct UnverifiedEventCounts<'a>(&'a Inbox);

impl Inbox {
    /// Returns access to the counts of unverified events.
    #[must_use]
    pub fn unverified(&self) -> UnverifiedEventCounts<'_> {
        UnverifiedEventCounts(self)
    }
}

impl UnverifiedEventCounts<'_> {
    /// Returns the counts of unverified events by site.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn by_site(&self) -> Result<Vec<UnverifiedEvents>, JournalError> {
        self.0.store.read(|connection| {
            let sql = "SELECT site, bytes, omitted, omitted_first, omitted_last FROM unverified ORDER BY site";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let (bytes, omitted): (i64, i64) = (row.get(1)?, row.get(2)?);
                found.push(UnverifiedEvents {
                    site: row.get(0)?,
                    bytes: bytes.unsigned_abs(),
                    omitted: omitted.unsigned_abs(),
                    omitted_first: row.get::<_, Option<i64>>(3)?.map(time_from_milliseconds).transpose()?,
                    omitted_last: row.get::<_, Option<i64>>(4)?.map(time_from_milliseconds).transpose()?,
                });
            }
            Ok(found)
        })
    }

    /// Sets the space in bytes that unverified events leave free, in place of
    /// [`MIN_FREE_SPACE_FOR_UNVERIFIED`](super::MIN_FREE_SPACE_FOR_UNVERIFIED).
    pub fn set_reserve(&self, bytes: u64) {
        self.0.unverified_reserve.store(bytes, Ordering::Relaxed);
    }

    /// Resets the number of events that weren't stored, because a person has seen it.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn reset_omitted(&self) -> Result<(), JournalError> {
        self.0.store.write(|transaction| {
            let sql = "UPDATE unverified SET omitted = 0, omitted_first = NULL, omitted_last = NULL WHERE omitted > 0";
            transaction.execute(sql, params![])?;
            Ok(())
        })
    }
}

/// Returns whether the disk has space for the unverified ones among these events. Always true for a team's database,
/// which is on another computer.
pub(super) fn has_space(inbox: &Inbox, events: &[NewEvent]) -> bool {
    let Some(file) = inbox.store.path() else { return true };
    // If the free space can't be determined, only the other limits apply.
    let is_nearly_full =
        || fs4::available_space(file).is_ok_and(|free| free < inbox.unverified_reserve.load(Ordering::Relaxed));
    events.iter().all(|event| event.signed.is_trusted()) || !is_nearly_full()
}

/// Returns whether an event of this size may be stored. If so, adds its size to the site's bytes. Otherwise counts the
/// event as omitted.
pub(super) fn admit_unverified(
    transaction: &Transaction<'_>,
    event: &NewEvent,
    bytes: usize,
    has_space: bool,
) -> Result<bool, JournalError> {
    let bytes = i64::try_from(bytes as u64 + BYTES_PER_EVENT).unwrap_or(i64::MAX);
    let received = event.received.as_millisecond();
    let hour = received.div_euclid(MILLISECONDS_PER_HOUR);
    let sql = "INSERT INTO unverified (site, bytes, hour, stored) VALUES (?1, 0, ?2, 0) ON CONFLICT (site) DO NOTHING";
    transaction.prepare_cached(sql)?.execute(params![event.site, hour])?;
    let sql =
        "UPDATE unverified SET bytes = bytes + ?2, stored = CASE WHEN hour = ?3 THEN stored ELSE 0 END + 1, hour = ?3
         WHERE site = ?1 AND bytes + ?2 <= ?4 AND (hour <> ?3 OR stored < ?5)";
    let limits = (i64::try_from(MAX_UNVERIFIED_BYTES).unwrap_or(i64::MAX), i64::from(MAX_UNVERIFIED_PER_HOUR));
    let values = params![event.site, bytes, hour, limits.0, limits.1];
    if has_space && transaction.prepare_cached(sql)?.execute(values)? > 0 {
        return Ok(true);
    }
    let sql =
        "UPDATE unverified SET omitted = omitted + 1, omitted_first = COALESCE(omitted_first, ?2), omitted_last = ?2
         WHERE site = ?1";
    transaction.prepare_cached(sql)?.execute(params![event.site, received])?;
    Ok(false)
}

/// Recomputes the bytes of stored unverified events, after events were removed or copied.
pub(crate) fn recount_unverified(transaction: &Transaction<'_>) -> Result<(), JournalError> {
    let sql = "INSERT INTO unverified (site, bytes, hour, stored)
         SELECT DISTINCT site, 0, 0, 0 FROM event WHERE signed NOT IN ('unchecked', 'valid') ON CONFLICT (site) DO NOTHING";
    transaction.execute(sql, params![])?;
    let sql = format!(
        "UPDATE unverified SET bytes = CAST(
             COALESCE((SELECT SUM(octet_length(body) + octet_length(headers) + {BYTES_PER_EVENT}) FROM event
                 WHERE event.site = unverified.site AND signed NOT IN ('unchecked', 'valid')), 0)
             + COALESCE((SELECT SUM(octet_length(copy.headers) + {BYTES_PER_EVENT}) FROM event JOIN copy ON copy.event = event.id
                 WHERE event.site = unverified.site AND signed NOT IN ('unchecked', 'valid')), 0) AS BIGINT)"
    );
    transaction.execute(&sql, params![])?;
    Ok(())
}
