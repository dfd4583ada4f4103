//! A target's queue: what came after its cursor, in the order in which it came.

use crate::StoredWord;
use crate::database::{DatabaseError, OptionalExtension, PreparedChange, params};
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
}

const COUNTED: u32 = 10_000;
/// As the index has it: only with the same words it is used.
const FORWARDABLE: &str = "event.replay = 0 AND event.signed IN ('unchecked', 'valid')";

impl Targets<'_> {
    /// The next events for a target, oldest first: at most so many, and no more once they have so many bytes. Those are
    /// among them, too, whose kind it doesn't want.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn due(&self, target: &Target, most: u32, bytes: usize) -> Result<Vec<RawEvent>, JournalError> {
        let sql = format!(
            "SELECT {RAW} FROM event INDEXED BY event_forwardable
             WHERE site = ?1 AND id > ?2 AND {FORWARDABLE} ORDER BY id LIMIT ?3"
        );
        self.0.store.read(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![target.site, target.cursor, most])?;
            let (mut events, mut held) = (Vec::new(), 0);
            while held < bytes {
                let Some(row) = rows.next()? else { break };
                let event = raw(row)?;
                held += event.body.len();
                events.push(event);
            }
            Ok(events)
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
            .filter(|sent| sent.event > target.cursor)
            .fold(target.refused, |refused, sent| if sent.fault.is_none() { 0 } else { refused + 1 });
        let mut changes = sent.iter().map(|sent| write(target.id, sent)).collect::<Result<Vec<_>, _>>()?;
        let sql = "UPDATE target SET took = COALESCE(?2, took) WHERE id = ?1";
        changes.push(PreparedChange::of(sql, params![target.id, took])?);
        let moves = cursor != target.cursor;
        if moves {
            let sql = "UPDATE target SET cursor = ?3, refused = ?4, halt = NULL WHERE id = ?1 AND cursor = ?2";
            changes.push(PreparedChange::of(sql, params![target.id, target.cursor, cursor, refused])?);
        }
        let changed = self.by_sender(target.id, changes, lock)?;
        Ok(!moves || changed.last().is_some_and(|moved| *moved > 0))
    }

    /// An event wasn't taken: the others wait for it. `lock` is the sender's, of a team's target.
    ///
    /// # Errors
    ///
    /// - [`JournalError::SentElsewhere`]: another desk has the target by now; nothing was written.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn halt(&self, target: i64, halt: &BlockedEvent, lock: Option<&SenderLock>) -> Result<(), JournalError> {
        let halt = serde_json::to_string(halt)?;
        let sql = "UPDATE target SET halt = ?2 WHERE id = ?1";
        self.by_sender(target, vec![PreparedChange::of(sql, params![target, halt])?], lock).map(drop)
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
        let waiting = format!(
            "SELECT id FROM event INDEXED BY event_forwardable WHERE site = ?1 AND id > ?2 AND {FORWARDABLE} {wanted}
             ORDER BY id LIMIT {COUNTED}"
        );
        self.0.store.read(|connection| {
            let sql = format!("SELECT COUNT(*), MIN(id) FROM ({waiting}) AS waiting");
            let found = connection
                .query_row(&sql, params![target.site, target.cursor], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let (waiting, first): (u32, Option<i64>) = found;
            let sql = "SELECT received FROM event WHERE id = ?1";
            let oldest = connection.prepare_cached(sql)?.query_row([first], |row| row.get(0)).optional()?;
            let sql = "SELECT COUNT(*) FROM forwarded WHERE target = ?1 AND state <> 'taken'";
            let set_aside = connection.prepare_cached(sql)?.query_row([target.id], |row| row.get(0))?;
            Ok(Backlog { waiting, oldest: oldest.map(time).transpose()?, set_aside })
        })
    }
}

fn write(target: i64, sent: &ForwardResult) -> Result<PreparedChange, DatabaseError> {
    let ForwardResult { event, at, tries, fault, status, response: told } = sent;
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
