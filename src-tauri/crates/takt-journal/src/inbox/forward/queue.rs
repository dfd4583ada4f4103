//! A target's queue (the events after its cursor, in the order of reception), and the records of sent events.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use crate::database::{Connection, DatabaseError, OptionalExtension, PreparedChange, Row, params};
use crate::inbox::desk_lock::SenderLock;
use crate::inbox::event::{RAW_COLUMNS, RawEvent, raw_from_row};
use crate::inbox::forward::target::{BlockedEvent, Fault, Target, Targets};
use crate::inbox::stored_time::time_from_milliseconds;
use crate::{JournalError, StoredWord};

/// The result of forwarding an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForwardResult {
    pub event: i64,
    pub at: Timestamp,
    pub tries: u32,
    /// Absent if the target accepted the event.
    pub fault: Option<Fault>,
    pub status: Option<u16>,
    /// The beginning of the response, or the technical cause. Not trusted.
    pub response: String,
    /// True if the event was owed to the target, so it wasn't in its queue.
    pub owed: bool,
}

/// An event that is to be sent to a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueEvent {
    pub raw: RawEvent,
    /// True if the event is owed to the target, so it isn't in its queue and the cursor doesn't move.
    pub owed: bool,
    /// A delivery ID in place of the usual one, for an event that was received without a delivery ID.
    pub delivery: Option<String>,
}

/// The numbers and age of events that a target hasn't received yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Backlog {
    /// The number of waiting events, at most 10,000.
    pub waiting: u32,
    /// The arrival of the oldest of these events.
    pub oldest: Option<Timestamp>,
    /// The number of events that are set aside, including those to be sent again.
    pub set_aside: u32,
    /// True if events that aren't in its queue are owed to the target.
    pub owed: bool,
}

const MAX_COUNTED_EVENTS: u32 = 10_000;
/// The condition for a file, which repeats the condition of the index `event_forwardable`. Otherwise, SQLite doesn't
/// use that index. `?3` is the target's number.
const FORWARDABLE_OF_FILE: &str = "event.replay = 0 AND event.signed IN ('unchecked', 'valid') AND ?3 IS NOT NULL";
/// The condition for a team. Excludes events that a desk brought into the team, and events that were sent to the
/// target.
const FORWARDABLE_OF_TEAM: &str = "event.replay = 0 AND event.carried = 0 AND event.signed IN ('unchecked', 'valid')
    AND NOT EXISTS (SELECT 1 FROM forwarded WHERE forwarded.event = event.id AND forwarded.target = ?3)";

impl Targets<'_> {
    /// Returns the next events for a target, oldest first, limited in number and in bytes. Includes events of kinds
    /// that the target doesn't want. If events are owed to the target, only these are returned.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn due_events(&self, target: &Target, limit: u32, bytes: usize) -> Result<Vec<DueEvent>, JournalError> {
        self.0.store.read(|connection| {
            if self.0.is_shared() {
                let owed = load_owed(connection, target, limit, bytes)?;
                if !owed.is_empty() {
                    return Ok(owed);
                }
            }
            let sql = format!(
                "SELECT {RAW_COLUMNS} FROM event INDEXED BY event_forwardable
                 WHERE site = ?1 AND id > ?2 AND {} ORDER BY id LIMIT ?4",
                self.forwardable_condition()
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![target.site, target.cursor, target.id, limit])?;
            let (mut events, mut size) = (Vec::new(), 0);
            while size < bytes {
                let Some(row) = rows.next()? else { break };
                let raw = raw_from_row(row)?;
                size += raw.body.len();
                events.push(DueEvent { raw, owed: false, delivery: None });
            }
            Ok(events)
        })
    }

    /// Returns the condition for events that may be forwarded, in which `?3` is the target's number.
    fn forwardable_condition(&self) -> &'static str {
        if self.0.is_shared() { FORWARDABLE_OF_TEAM } else { FORWARDABLE_OF_FILE }
    }

    /// Removes owed events that aren't sent to the target, because of their kind or because they would return to their
    /// sender. `lock` is this desk's right to send.
    ///
    /// # Errors
    ///
    /// - [`JournalError::SentElsewhere`]: another desk now forwards events to the target. Nothing was written.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn skip_events(&self, target: i64, events: &[i64], lock: Option<&SenderLock>) -> Result<(), JournalError> {
        // A file has no owed events.
        if !self.0.is_shared() {
            return Ok(());
        }
        let changes = events.iter().map(|event| remove_owed(target, *event)).collect::<Result<_, _>>()?;
        self.change_as_sender(target, changes, lock).map(drop)
    }

    /// Returns the targets for which an event still waits, or none without a team.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn pending_targets(&self, event: i64) -> Result<Option<Vec<i64>>, JournalError> {
        if !self.0.is_shared() {
            return Ok(None);
        }
        self.0.store.read(|connection| {
            let sql = "SELECT target.id FROM target JOIN event ON event.site = target.site WHERE event.id = ?1
                 AND ((event.carried = 0 AND event.id > target.cursor)
                     OR EXISTS (SELECT 1 FROM owed WHERE owed.target = target.id AND owed.event = event.id))";
            let mut statement = connection.prepare_cached(sql)?;
            let found = statement.query_map([event], |row| row.get(0))?;
            Ok(Some(found.collect::<Result<_, _>>()?))
        })
    }

    /// Records the results of sent events, and that all events up to `cursor` are settled. Returns false if the cursor
    /// was moved meanwhile. The results are recorded even then. `lock` is this desk's right to send to a team's target.
    ///
    /// # Errors
    ///
    /// - [`JournalError::SentElsewhere`]: another desk now forwards events to the target. Nothing was written.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn record_results(
        &self,
        target: &Target,
        sent: &[ForwardResult],
        cursor: i64,
        lock: Option<&SenderLock>,
    ) -> Result<bool, JournalError> {
        let is_accepted = |sent: &&ForwardResult| sent.fault.is_none();
        let last_accepted = sent.iter().filter(is_accepted).map(|sent| sent.at.as_millisecond()).max();
        let refused = sent
            .iter()
            .filter(|sent| sent.owed || sent.event > target.cursor)
            .fold(target.consecutive_refusals, |refused, sent| if sent.fault.is_none() { 0 } else { refused + 1 });
        let mut changes = sent.iter().map(|sent| result_change(target.id, sent)).collect::<Result<Vec<_>, _>>()?;
        let owed = sent.iter().filter(|sent| sent.owed);
        for sent in owed.clone() {
            changes.push(remove_owed(target.id, sent.event)?);
        }
        let sql = "UPDATE target SET took = COALESCE(?2, took) WHERE id = ?1";
        changes.push(PreparedChange::new(sql, params![target.id, last_accepted])?);
        let moves_queue = cursor != target.cursor || owed.count() > 0;
        if moves_queue {
            let sql = "UPDATE target SET cursor = ?3, halt = NULL,
                 refused = CASE WHEN revision = ?5 THEN CAST(?4 AS BIGINT) ELSE refused END WHERE id = ?1 AND cursor = ?2";
            changes
                .push(PreparedChange::new(sql, params![target.id, target.cursor, cursor, refused, target.revision])?);
        }
        let changed = self.change_as_sender(target.id, changes, lock)?;
        Ok(!moves_queue || changed.last().is_some_and(|moved| *moved > 0))
    }

    /// Records that an event blocks the queue. Returns false and writes nothing if a person has resumed or changed the
    /// target meanwhile. `lock` is this desk's right to send to a team's target.
    ///
    /// # Errors
    ///
    /// - [`JournalError::SentElsewhere`]: another desk now forwards events to the target. Nothing was written.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn block_queue(
        &self,
        target: &Target,
        blocked: &BlockedEvent,
        lock: Option<&SenderLock>,
    ) -> Result<bool, JournalError> {
        let blocked = serde_json::to_string(blocked)?;
        let sql = "UPDATE target SET halt = ?2 WHERE id = ?1 AND revision = ?3";
        let change = PreparedChange::new(sql, params![target.id, blocked, target.revision])?;
        let changed = self.change_as_sender(target.id, vec![change], lock)?;
        Ok(changed.last().is_some_and(|rows| *rows > 0))
    }

    /// Makes changes in one transaction if this desk is still the target's sender. Returns the number of changed rows
    /// for each of them.
    fn change_as_sender(
        &self,
        target: i64,
        mut changes: Vec<PreparedChange>,
        lock: Option<&SenderLock>,
    ) -> Result<Vec<usize>, JournalError> {
        let check = lock.map(SenderLock::ownership_check).transpose()?;
        let is_checked = check.is_some();
        changes.splice(0..0, check);
        self.0.store.write_together(move |transaction| {
            let mut changed = transaction.execute_all(changes)?;
            // If this desk isn't the sender, the changes are rolled back.
            if is_checked && changed.drain(..1).next() != Some(1) {
                return Err(JournalError::SentElsewhere(target));
            }
            Ok(changed)
        })
    }

    /// Returns the oldest event that was set aside and is to be sent again.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn next_event_to_resend(&self, target: i64) -> Result<Option<RawEvent>, JournalError> {
        let columns = RAW_COLUMNS.split(", ").map(|column| format!("event.{column}")).collect::<Vec<_>>().join(", ");
        let sql = format!(
            "SELECT {columns} FROM forwarded JOIN event ON event.id = forwarded.event
             WHERE forwarded.target = ?1 AND forwarded.state = 'again' ORDER BY forwarded.event LIMIT 1"
        );
        self.0.store.read(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([target])?;
            rows.next()?.map(raw_from_row).transpose()
        })
    }

    /// Requests to send the given set-aside events again, or all of them if the list is empty. Returns their number.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn request_resend(&self, target: i64, events: &[i64]) -> Result<usize, JournalError> {
        self.0.store.write(|transaction| {
            if events.is_empty() {
                let sql = "UPDATE forwarded SET state = 'again' WHERE target = ?1 AND state = 'aside'";
                return Ok(transaction.prepare_cached(sql)?.execute([target])?);
            }
            let sql = "UPDATE forwarded SET state = 'again' WHERE target = ?1 AND event = ?2 AND state = 'aside'";
            let mut statement = transaction.prepare_cached(sql)?;
            let changed = events.iter().map(|event| statement.execute([target, *event]));
            Ok(changed.sum::<Result<usize, _>>()?)
        })
    }

    /// Returns whether no event of any kind waits for a target.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn is_queue_empty(&self, target: &Target) -> Result<bool, JournalError> {
        let all = Target { kinds: Vec::new(), ..target.clone() };
        Ok(self.backlog(&all)?.waiting == 0)
    }

    /// Returns the numbers and age of the events that a target hasn't received yet. For a target that wants certain
    /// kinds, only events that the reader has read are included.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn backlog(&self, target: &Target) -> Result<Backlog, JournalError> {
        let wanted = match target.kinds.as_slice() {
            [] => String::new(),
            kinds => {
                let list = kinds.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
                format!(
                    "AND EXISTS (SELECT 1 FROM reading WHERE reading.event = event.id AND reading.kind IN ({list}))"
                )
            }
        };
        let owed = if self.0.is_shared() {
            format!(
                "UNION ALL SELECT * FROM (SELECT id FROM owed JOIN event ON event.id = owed.event WHERE owed.target = ?3 {wanted}
                 ORDER BY id LIMIT {MAX_COUNTED_EVENTS}) AS owed"
            )
        } else {
            String::new()
        };
        let waiting = format!(
            "SELECT * FROM (SELECT id FROM event INDEXED BY event_forwardable WHERE site = ?1 AND id > ?2 AND {} {wanted}
             ORDER BY id LIMIT {MAX_COUNTED_EVENTS}) AS queued {owed}",
            self.forwardable_condition()
        );
        self.0.store.read(|connection| {
            let sql = format!("SELECT COUNT(*), MIN(id) FROM ({waiting}) AS waiting");
            let found = connection.query_row(&sql, params![target.site, target.cursor, target.id], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
            let (waiting, first): (u32, Option<i64>) = found;
            let waiting = waiting.min(MAX_COUNTED_EVENTS);
            let sql = "SELECT received FROM event WHERE id = ?1";
            let oldest = connection.prepare_cached(sql)?.query_row([first], |row| row.get(0)).optional()?;
            let sql = "SELECT COUNT(*) FROM forwarded WHERE target = ?1 AND state <> 'taken'";
            let set_aside = connection.prepare_cached(sql)?.query_row([target.id], |row| row.get(0))?;
            let owed = self.0.is_shared()
                && connection.prepare_cached("SELECT 1 FROM owed WHERE target = ?1 LIMIT 1")?.exists([target.id])?;
            Ok(Backlog { waiting, oldest: oldest.map(time_from_milliseconds).transpose()?, set_aside, owed })
        })
    }
}

/// Returns the change that records the result of a sent event.
fn result_change(target: i64, sent: &ForwardResult) -> Result<PreparedChange, DatabaseError> {
    let ForwardResult { event, at, tries, fault, status, response, owed: _ } = sent;
    let (state, at) = (if fault.is_none() { "taken" } else { "aside" }, at.as_millisecond());
    // Selected from `target`, because a target that was removed while sending needs no record.
    let sql = "INSERT INTO forwarded (target, event, state, at, tries, fault, status, told)
         SELECT id, CAST(?2 AS BIGINT), ?3, CAST(?4 AS BIGINT), CAST(?5 AS BIGINT), ?6, CAST(?7 AS BIGINT), ?8
         FROM target WHERE id = ?1
         ON CONFLICT (event, target) DO UPDATE SET state = excluded.state, at = excluded.at,
         tries = forwarded.tries + excluded.tries, fault = excluded.fault, status = excluded.status, told = excluded.told";
    let fault = fault.map(Fault::word);
    PreparedChange::new(sql, params![target, event, state, at, tries, fault, status, response])
}

/// Returns events that are owed to a target and aren't in its queue, limited in number and in bytes.
fn load_owed(
    connection: &Connection<'_>,
    target: &Target,
    limit: u32,
    bytes: usize,
) -> Result<Vec<DueEvent>, JournalError> {
    let columns = RAW_COLUMNS.split(", ").map(|column| format!("event.{column}")).collect::<Vec<_>>().join(", ");
    let sql = format!(
        "SELECT {columns}, owed.delivery FROM owed JOIN event ON event.id = owed.event
         WHERE owed.target = ?1 ORDER BY owed.event LIMIT ?2"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params![target.id, limit])?;
    let (mut events, mut size) = (Vec::new(), 0);
    while size < bytes {
        let Some(row) = rows.next()? else { break };
        let delivery = row.get(RAW_COLUMNS.split(", ").count())?;
        let raw = raw_from_row(row)?;
        size += raw.body.len();
        events.push(DueEvent { raw, owed: true, delivery });
    }
    Ok(events)
}

/// Returns the change that removes an event that is owed to a target.
fn remove_owed(target: i64, event: i64) -> Result<PreparedChange, DatabaseError> {
    PreparedChange::new("DELETE FROM owed WHERE target = ?1 AND event = ?2", params![target, event])
}

/// The state of an event at a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, EnumString)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum ForwardState {
    Taken,
    /// Set aside, so that the next events can be sent.
    #[serde(rename = "aside")]
    #[strum(serialize = "aside")]
    SetAside,
    /// Set aside, and to be sent again because a person asked for it.
    Again,
}

/// The record of one event at one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForwardRow {
    pub target: i64,
    pub event: i64,
    pub state: ForwardState,
    pub at: Timestamp,
    pub tries: u32,
    pub fault: Option<Fault>,
    pub status: Option<u16>,
    pub response: String,
}

impl Targets<'_> {
    /// Returns the events that a target didn't accept and that are set aside, oldest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn list_refused_events(&self, target: i64, offset: u32, limit: u32) -> Result<Vec<ForwardRow>, JournalError> {
        let sql = format!(
            "SELECT {RECORD_COLUMNS} FROM forwarded WHERE target = ?1 AND state <> 'taken' ORDER BY event LIMIT ?2 OFFSET ?3"
        );
        self.forward_rows(&sql, params![target, limit, offset])
    }

    /// Returns the records of a target after an event, in order.
    pub(in crate::inbox) fn rows_after(
        &self,
        target: i64,
        event: i64,
        limit: u32,
    ) -> Result<Vec<ForwardRow>, JournalError> {
        let sql =
            format!("SELECT {RECORD_COLUMNS} FROM forwarded WHERE target = ?1 AND event > ?2 ORDER BY event LIMIT ?3");
        self.forward_rows(&sql, params![target, event, limit])
    }

    /// Returns the records of an event at all targets to which it was sent.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn list_forwards(&self, event: i64) -> Result<Vec<ForwardRow>, JournalError> {
        let sql = format!("SELECT {RECORD_COLUMNS} FROM forwarded WHERE event = ?1 ORDER BY target");
        self.forward_rows(&sql, params![event])
    }

    fn forward_rows(&self, sql: &str, values: &[&dyn rusqlite::ToSql]) -> Result<Vec<ForwardRow>, JournalError> {
        self.0.store.read(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query(values)?;
            let mut entries = Vec::new();
            while let Some(row) = rows.next()? {
                entries.push(forward_row(row)?);
            }
            Ok(entries)
        })
    }
}

const RECORD_COLUMNS: &str = "target, event, state, at, tries, fault, status, told";

fn forward_row(row: Row<'_>) -> Result<ForwardRow, JournalError> {
    let fault: Option<String> = row.get(5)?;
    Ok(ForwardRow {
        target: row.get(0)?,
        event: row.get(1)?,
        state: ForwardState::from_word(&row.get::<_, String>(2)?)?,
        at: time_from_milliseconds(row.get(3)?)?,
        tries: row.get(4)?,
        fault: fault.map(|fault| Fault::from_word(&fault)).transpose()?,
        status: row.get(6)?,
        response: row.get(7)?,
    })
}
