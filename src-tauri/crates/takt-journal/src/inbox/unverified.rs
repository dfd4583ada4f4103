//! Events that aren't believed: anybody who finds the address can send them, so what they take is bounded, and signed events always have
//! room. On a disk that is nearly full none of them is stored.
//!
//! Owns the bounds, the account of what is stored, and the count of what isn't. Leaves to `signature` of takt-inbox whom to believe.

use std::sync::atomic::Ordering;

use jiff::Timestamp;

use super::{Inbox, NewEvent, time};
use crate::JournalError;
use crate::database::{Transaction, params};

/// Bytes that the unverified events of one site take at most.
pub const MAX_UNVERIFIED_BYTES: u64 = 16 * 1024 * 1024;
/// Unverified events of one site that are stored within an hour at most.
pub const MAX_UNVERIFIED_PER_HOUR: u32 = 1_000;
/// Bytes that unverified events leave free on the disk of the events' file: they are there for verified ones.
pub const MIN_FREE_SPACE_FOR_UNVERIFIED: u64 = 256 * 1024 * 1024;
/// What an event takes beside its bytes: its row, its reading and their indexes.
const BYTES_PER_EVENT: u64 = 1024;
const MILLISECONDS_PER_HOUR: i64 = 3_600_000;

/// What is known of a site's unverified events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnverifiedEvents {
    pub site: String,
    /// What those take that are stored.
    pub bytes: u64,
    /// How many weren't stored since somebody last removed all of them.
    pub omitted: u64,
    /// When the first and the last of those came that weren't stored.
    pub omitted_first: Option<Timestamp>,
    pub omitted_last: Option<Timestamp>,
}

/// What is known of unverified events.
#[derive(Debug, Clone, Copy)]
pub struct UnverifiedAccount<'a>(&'a Inbox);

impl Inbox {
    /// What is known of unverified events.
    #[must_use]
    pub fn unverified(&self) -> UnverifiedAccount<'_> {
        UnverifiedAccount(self)
    }
}

impl UnverifiedAccount<'_> {
    /// What is known of unverified events, by site.
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
                    omitted_first: row.get::<_, Option<i64>>(3)?.map(time).transpose()?,
                    omitted_last: row.get::<_, Option<i64>>(4)?.map(time).transpose()?,
                });
            }
            Ok(found)
        })
    }

    /// Has unverified events leave so many bytes free, instead of [`MIN_FREE_SPACE_FOR_UNVERIFIED`].
    pub fn set_reserve(&self, bytes: u64) {
        self.0.unverified_reserve.store(bytes, Ordering::Relaxed);
    }

    /// Forgets how many weren't stored: a person knows.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn forget_omitted(&self) -> Result<(), JournalError> {
        self.0.store.write(|transaction| {
            let sql = "UPDATE unverified SET omitted = 0, omitted_first = NULL, omitted_last = NULL WHERE omitted > 0";
            transaction.execute(sql, params![])?;
            Ok(())
        })
    }
}

/// Whether unverified events among these leave the reserve free. A team's database is on another computer's disk.
pub(super) fn has_room(inbox: &Inbox, events: &[NewEvent]) -> bool {
    let Some(file) = inbox.store.path() else { return true };
    // On a disk that doesn't tell how much is free the other bounds still hold.
    let is_nearly_full =
        || fs4::available_space(file).is_ok_and(|free| free < inbox.unverified_reserve.load(Ordering::Relaxed));
    events.iter().all(|event| event.signed.is_believed()) || !is_nearly_full()
}

/// Whether so many bytes of an event may be stored, which then count; else the event is counted.
pub(super) fn admit(
    transaction: &Transaction<'_>,
    event: &NewEvent,
    (bytes, has_room): (usize, bool),
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
    let given = params![event.site, bytes, hour, limits.0, limits.1];
    if has_room && transaction.prepare_cached(sql)?.execute(given)? > 0 {
        return Ok(true);
    }
    let sql =
        "UPDATE unverified SET omitted = omitted + 1, omitted_first = COALESCE(omitted_first, ?2), omitted_last = ?2
         WHERE site = ?1";
    transaction.prepare_cached(sql)?.execute(params![event.site, received])?;
    Ok(false)
}

/// Counts anew what is stored, after some of it was removed or came along.
pub(crate) fn recount(transaction: &Transaction<'_>) -> Result<(), JournalError> {
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
