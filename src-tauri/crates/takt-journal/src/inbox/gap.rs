//! Gaps: periods in which no event could be received, because a site's receiver was off or the computer slept.

use crate::StoredWord;
use crate::database::{OptionalExtension, params};
use jiff::Timestamp;
use strum::{EnumString, IntoStaticStr};

use super::store::Inbox;
use super::stored_time::time_from_milliseconds;
use crate::JournalError;

/// The cause of a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum GapCause {
    /// The receiver wasn't running.
    Off,
    /// The computer slept.
    Asleep,
}

/// A period in which no event could be received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    pub site: String,
    pub since: Timestamp,
    pub until: Timestamp,
    pub cause: GapCause,
}

/// Records the heartbeats of receivers, and the gaps between them.
#[derive(Debug, Clone, Copy)]
pub struct Heartbeats<'a>(&'a Inbox);

impl Inbox {
    /// Returns access to the heartbeats of receivers, and the gaps between them.
    #[must_use]
    pub fn heartbeats(&self) -> Heartbeats<'_> {
        Heartbeats(self)
    }
}

impl Heartbeats<'_> {
    /// Records that the site's receiver is alive. If its last heartbeat is more than `max_age_seconds` ago, stores and
    /// returns a gap.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn record(
        &self,
        site: &str,
        now: Timestamp,
        max_age_seconds: i64,
        cause: GapCause,
    ) -> Result<Option<Gap>, JournalError> {
        self.0.store.write(|transaction| {
            let sql = "SELECT at FROM pulse WHERE site = ?1";
            let last: Option<i64> = transaction.prepare_cached(sql)?.query_row([site], |row| row.get(0)).optional()?;
            let sql = "INSERT INTO pulse (site, at) VALUES (?1, ?2) ON CONFLICT (site) DO UPDATE SET at = excluded.at";
            transaction.prepare_cached(sql)?.execute(params![site, now.as_millisecond()])?;
            let Some(last) = last.map(time_from_milliseconds).transpose()? else { return Ok(None) };
            if now.as_second().saturating_sub(last.as_second()) <= max_age_seconds {
                return Ok(None);
            }
            let gap = Gap { site: site.to_owned(), since: last, until: now, cause };
            let sql = "INSERT INTO gap (site, since, until, why) VALUES (?1, ?2, ?3, ?4)";
            let (since, until) = (gap.since.as_millisecond(), gap.until.as_millisecond());
            transaction.prepare_cached(sql)?.execute(params![site, since, until, cause.word()])?;
            Ok(Some(gap))
        })
    }

    /// Returns the time of the last heartbeat of a site's receiver, or none if there was none.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn last(&self, site: &str) -> Result<Option<Timestamp>, JournalError> {
        self.0.store.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT at FROM pulse WHERE site = ?1")?;
            let at: Option<i64> = statement.query_row([site], |row| row.get(0)).optional()?;
            at.map(time_from_milliseconds).transpose()
        })
    }

    /// Returns the latest gaps, newest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn gaps(&self, limit: u32) -> Result<Vec<Gap>, JournalError> {
        self.0.store.read(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT site, since, until, why FROM gap ORDER BY id DESC LIMIT ?1")?;
            let mut rows = statement.query([limit])?;
            let mut gaps = Vec::new();
            while let Some(row) = rows.next()? {
                let cause = GapCause::from_word(&row.get::<_, String>(3)?)?;
                gaps.push(Gap {
                    site: row.get(0)?,
                    since: time_from_milliseconds(row.get(1)?)?,
                    until: time_from_milliseconds(row.get(2)?)?,
                    cause,
                });
            }
            Ok(gaps)
        })
    }
}
