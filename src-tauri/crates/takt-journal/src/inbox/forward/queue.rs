//! A target's queue: what came after its cursor, in the order in which it came.

use crate::StoredWord;
use crate::database::{Connection, DatabaseError, OptionalExtension, PreparedChange, params};
use jiff::Timestamp;

use super::{
    super::{RAW, RawEvent, SenderLock, raw, time},
    BlockedEvent, Fault, Target, Targets,
};
use crate::JournalError;

/// What became of an event that was sent on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForwardResult {
    pub event: i64,
    pub at: Timestamp,
    /// How often it was sent.
    pub tries: u32,
    /// Absent where it was taken.
    pub fault: Option<Fault>,
    pub status: Option<u16>,
    /// The beginning of the answer, or the technical cause. Not trusted.
    pub response: String,
    /// It was owed to the target beside its queue.
    pub owed: bool,
}

/// The next event for a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueEvent {
    pub raw: RawEvent,
    /// Owed beside the queue, whose cursor it leaves as it is.
    pub owed: bool,
    /// The delivery's id where the event has none and it isn't the usual one.
    pub delivery: Option<String>,
}

/// What a target hasn't got yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Backlog {
    /// No more than 10,000 are counted.
    pub waiting: u32,
    /// When the oldest of them came.
    pub oldest: Option<Timestamp>,
    /// Set aside, those among them too that are to be sent again.
    pub set_aside: u32,
    /// Some are owed to it beside its queue.
    pub owed: bool,
}

const COUNTED: u32 = 10_000;
/// As the index has it: only with the same words it is used. `?3` is the target's number.
const FORWARDABLE_OF_FILE: &str = "event.replay = 0 AND event.signed IN ('unchecked', 'valid') AND ?3 IS NOT NULL";
/// The same of a team, whose events may have come along with a desk: to a target that has one already it isn't sent again.
const FORWARDABLE_OF_TEAM: &str = "event.replay = 0 AND event.carried = 0 AND event.signed IN ('unchecked', 'valid')
    AND NOT EXISTS (SELECT 1 FROM forwarded WHERE forwarded.event = event.id AND forwarded.target = ?3)";

impl Targets<'_> {
    /// The next events for a target, oldest first: at most so many, and no more once they have so many bytes. Those are
    /// among them, too, whose kind it doesn't want. What is owed to it comes before its queue.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn due(&self, target: &Target, most: u32, bytes: usize) -> Result<Vec<DueEvent>, JournalError> {
        self.0.store.read(|connection| {
            if self.0.is_shared() {
                let owed = owed(connection, target, (most, bytes))?;
                if !owed.is_empty() {
                    return Ok(owed);
                }
            }
            let sql = format!(
                "SELECT {RAW} FROM event INDEXED BY event_forwardable
                 WHERE site = ?1 AND id > ?2 AND {} ORDER BY id LIMIT ?4",
                self.forwardable()
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![target.site, target.cursor, target.id, most])?;
            let (mut events, mut held) = (Vec::new(), 0);
            while held < bytes {
                let Some(row) = rows.next()? else { break };
                let raw = raw(row)?;
                held += raw.body.len();
                events.push(DueEvent { raw, owed: false, delivery: None });
            }
            Ok(events)
        })
    }

    /// A condition on `event`, in which `?3` is the target's number.
    fn forwardable(&self) -> &'static str {
        if self.0.is_shared() { FORWARDABLE_OF_TEAM } else { FORWARDABLE_OF_FILE }
    }

    /// These aren't for the target: nothing is owed of them. `lock` is the sender's.
    ///
    /// # Errors
    ///
    /// - [`JournalError::SentElsewhere`]: another desk has the target by now; nothing was written.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn pass_over(&self, target: i64, events: &[i64], lock: Option<&SenderLock>) -> Result<(), JournalError> {
        // A file owes nothing.
        if !self.0.is_shared() {
            return Ok(());
        }
        let changes = events.iter().map(|event| no_longer_owed(target, *event)).collect::<Result<_, _>>()?;
        self.by_sender(target, changes, lock).map(drop)
    }

    /// The targets that are to get an event still; nothing is known of that where the events are the desk's own.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn awaiting(&self, event: i64) -> Result<Option<Vec<i64>>, JournalError> {
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

    /// Writes down what was sent, and that everything up to `cursor` is settled. False where somebody has moved the target's
    /// cursor meanwhile: what was sent is written down all the same. `lock` is the sender's, of a team's target.
    ///
    /// # Errors
    ///
    /// - [`JournalError::SentElsewhere`]: another desk has the target by now; nothing was written.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn settle(
        &self,
        target: &Target,
        (sent, cursor): (&[ForwardResult], i64),
        lock: Option<&SenderLock>,
    ) -> Result<bool, JournalError> {
        let taken = |sent: &&ForwardResult| sent.fault.is_none();
        let took = sent.iter().filter(taken).map(|sent| sent.at.as_millisecond()).max();
        let refused = sent
            .iter()
            .filter(|sent| sent.owed || sent.event > target.cursor)
            .fold(target.refused, |refused, sent| if sent.fault.is_none() { 0 } else { refused + 1 });
        let mut changes = sent.iter().map(|sent| write(target.id, sent)).collect::<Result<Vec<_>, _>>()?;
        let owed = sent.iter().filter(|sent| sent.owed);
        for sent in owed.clone() {
            changes.push(no_longer_owed(target.id, sent.event)?);
        }
        let sql = "UPDATE target SET took = COALESCE(?2, took) WHERE id = ?1";
        changes.push(PreparedChange::of(sql, params![target.id, took])?);
        let is_of_queue = cursor != target.cursor || owed.count() > 0;
        if is_of_queue {
            let sql = "UPDATE target SET cursor = ?3, halt = NULL,
                 refused = CASE WHEN revision = ?5 THEN CAST(?4 AS BIGINT) ELSE refused END WHERE id = ?1 AND cursor = ?2";
            changes.push(PreparedChange::of(sql, params![target.id, target.cursor, cursor, refused, target.revision])?);
        }
        let changed = self.by_sender(target.id, changes, lock)?;
        Ok(!is_of_queue || changed.last().is_some_and(|moved| *moved > 0))
    }

    /// An event wasn't taken: the others wait for it. False where a person has resumed or changed the target since it was read:
    /// nothing was written. `lock` is the sender's, of a team's target.
    ///
    /// # Errors
    ///
    /// - [`JournalError::SentElsewhere`]: another desk has the target by now; nothing was written.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn halt(&self, target: &Target, halt: &BlockedEvent, lock: Option<&SenderLock>) -> Result<bool, JournalError> {
        let halt = serde_json::to_string(halt)?;
        let sql = "UPDATE target SET halt = ?2 WHERE id = ?1 AND revision = ?3";
        let change = PreparedChange::of(sql, params![target.id, halt, target.revision])?;
        let changed = self.by_sender(target.id, vec![change], lock)?;
        Ok(changed.last().is_some_and(|halted| *halted > 0))
    }

    /// Makes changes at a target whose sender this desk is still, all in one go. Gives how many rows each of them changed.
    fn by_sender(
        &self,
        target: i64,
        mut changes: Vec<PreparedChange>,
        lock: Option<&SenderLock>,
    ) -> Result<Vec<usize>, JournalError> {
        let asks = lock.map(SenderLock::question).transpose()?;
        let is_asked = asks.is_some();
        changes.splice(0..0, asks);
        self.0.store.write_together(move |transaction| {
            let mut changed = transaction.execute_all(changes)?;
            // Where this desk isn't the sender, what was changed with the question is undone.
            if is_asked && changed.drain(..1).next() != Some(1) {
                return Err(JournalError::SentElsewhere(target));
            }
            Ok(changed)
        })
    }

    /// The oldest event that was set aside and is to be sent again.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn requested_again(&self, target: i64) -> Result<Option<RawEvent>, JournalError> {
        let columns = RAW.split(", ").map(|column| format!("event.{column}")).collect::<Vec<_>>().join(", ");
        let sql = format!(
            "SELECT {columns} FROM forwarded JOIN event ON event.id = forwarded.event
             WHERE forwarded.target = ?1 AND forwarded.state = 'again' ORDER BY forwarded.event LIMIT 1"
        );
        self.0.store.read(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([target])?;
            rows.next()?.map(raw).transpose()
        })
    }

    /// Has events sent again that were set aside: these, or all where none is named. How many.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn send_again(&self, target: i64, events: &[i64]) -> Result<usize, JournalError> {
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

    /// Whether a target has nothing left to get, of whatever kind.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn has_all(&self, target: &Target) -> Result<bool, JournalError> {
        let all = Target { kinds: Vec::new(), ..target.clone() };
        Ok(self.backlog(&all)?.waiting == 0)
    }

    /// What a target hasn't got yet. Of a target that wants some kinds alone, those count that were read.
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
                 ORDER BY id LIMIT {COUNTED}) AS owed"
            )
        } else {
            String::new()
        };
        let waiting = format!(
            "SELECT * FROM (SELECT id FROM event INDEXED BY event_forwardable WHERE site = ?1 AND id > ?2 AND {} {wanted}
             ORDER BY id LIMIT {COUNTED}) AS queued {owed}",
            self.forwardable()
        );
        self.0.store.read(|connection| {
            let sql = format!("SELECT COUNT(*), MIN(id) FROM ({waiting}) AS waiting");
            let found = connection.query_row(&sql, params![target.site, target.cursor, target.id], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
            let (waiting, first): (u32, Option<i64>) = found;
            let waiting = waiting.min(COUNTED);
            let sql = "SELECT received FROM event WHERE id = ?1";
            let oldest = connection.prepare_cached(sql)?.query_row([first], |row| row.get(0)).optional()?;
            let sql = "SELECT COUNT(*) FROM forwarded WHERE target = ?1 AND state <> 'taken'";
            let set_aside = connection.prepare_cached(sql)?.query_row([target.id], |row| row.get(0))?;
            let owed = self.0.is_shared()
                && connection.prepare_cached("SELECT 1 FROM owed WHERE target = ?1 LIMIT 1")?.exists([target.id])?;
            Ok(Backlog { waiting, oldest: oldest.map(time).transpose()?, set_aside, owed })
        })
    }
}

fn write(target: i64, sent: &ForwardResult) -> Result<PreparedChange, DatabaseError> {
    let ForwardResult { event, at, tries, fault, status, response: told, owed: _ } = sent;
    let (state, at) = (if fault.is_none() { "taken" } else { "aside" }, at.as_millisecond());
    // Who removes a target while it is sent to needs no record of it.
    let sql = "INSERT INTO forwarded (target, event, state, at, tries, fault, status, told)
         SELECT id, CAST(?2 AS BIGINT), ?3, CAST(?4 AS BIGINT), CAST(?5 AS BIGINT), ?6, CAST(?7 AS BIGINT), ?8
         FROM target WHERE id = ?1
         ON CONFLICT (event, target) DO UPDATE SET state = excluded.state, at = excluded.at,
         tries = forwarded.tries + excluded.tries, fault = excluded.fault, status = excluded.status, told = excluded.told";
    let fault = fault.map(Fault::word);
    PreparedChange::of(sql, params![target, event, state, at, tries, fault, status, told])
}

/// What is owed to a target beside its queue: at most so many, and no more once they have so many bytes.
fn owed(
    connection: &Connection<'_>,
    target: &Target,
    (most, bytes): (u32, usize),
) -> Result<Vec<DueEvent>, JournalError> {
    let columns = RAW.split(", ").map(|column| format!("event.{column}")).collect::<Vec<_>>().join(", ");
    let sql = format!(
        "SELECT {columns}, owed.delivery FROM owed JOIN event ON event.id = owed.event
         WHERE owed.target = ?1 ORDER BY owed.event LIMIT ?2"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params![target.id, most])?;
    let (mut events, mut held) = (Vec::new(), 0);
    while held < bytes {
        let Some(row) = rows.next()? else { break };
        let delivery = row.get(RAW.split(", ").count())?;
        let raw = raw(row)?;
        held += raw.body.len();
        events.push(DueEvent { raw, owed: true, delivery });
    }
    Ok(events)
}

/// An event isn't owed to a target any more.
fn no_longer_owed(target: i64, event: i64) -> Result<PreparedChange, DatabaseError> {
    PreparedChange::of("DELETE FROM owed WHERE target = ?1 AND event = ?2", params![target, event])
}
