//! Copies a desk's own events to the team's database when it joins the team, with answers, duplicates, and the state of
//! its targets.
//!
//! An event is copied once, because the same transaction records its number in the team. An event that the team has
//! already isn't copied. Copied events get new numbers, so an old event may have a later number than a new one. They
//! don't enter the queues of targets (`carried`), but are owed to targets that still wait for them (`owed`).

mod targets;

use std::collections::HashMap;
use std::ops::ControlFlow;

use jiff::SignedDuration;

use super::answer::{AnswerRecord, load_answer};
use super::event::{RAW, RawEvent, raw_from_row};
use super::store::Inbox;
use super::unverified;
use crate::database::{SqlValue, Transaction, params, params_from_iter};
use crate::{JournalError, StoredWord};

pub use targets::{CarriedTarget, TargetDestination};

/// The number of events that are copied in one transaction, and their size.
const EVENTS_PER_TRANSACTION: u32 = 500;
const BYTES_PER_TRANSACTION: usize = 4 * 1024 * 1024;

/// The two inboxes between which events are copied.
#[derive(Clone, Copy)]
pub struct InboxCarryOver<'a> {
    pub own: &'a Inbox,
    pub team: &'a Inbox,
    /// The site whose events aren't copied.
    pub except: &'a str,
}

impl std::fmt::Debug for InboxCarryOver<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("InboxCarryOver").field("except", &self.except).finish_non_exhaustive()
    }
}

/// An event of the desk's own file, with everything that belongs to it.
struct OwnEvent {
    raw: RawEvent,
    key: i64,
    signed_key: Option<i64>,
    /// The times and headers of its duplicates.
    copies: Vec<(i64, String)>,
    answer: Option<AnswerRecord>,
}

/// Returns whether the event identifies its delivery.
type IsIdentified<'a> = dyn Fn(&RawEvent) -> bool + 'a;

impl InboxCarryOver<'_> {
    /// Returns the number of events that are still to be copied.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn left(&self) -> Result<u32, JournalError> {
        let after = self.carried_up_to()?;
        self.own.store.read(|connection| {
            let sql = "SELECT COUNT(*) FROM event WHERE id > ?1 AND site <> ?2";
            Ok(connection.query_row(sql, params![after, self.except], |row| row.get(0))?)
        })
    }

    /// Copies the events that the team doesn't have yet, oldest first, and returns their number. `progress` receives it
    /// as it grows, and may stop copying.
    ///
    /// `is_identified` returns whether the event identifies its delivery. Other events with the same bytes are the same
    /// if they were received within `same`.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading) or [write error](crate::JournalError#writing). The copied data
    /// stays.
    pub fn carry_events(
        &self,
        is_identified: &dyn Fn(&RawEvent) -> bool,
        same: SignedDuration,
        progress: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> Result<u32, JournalError> {
        let origin = self.own.targets().origin()?;
        self.carry_gaps()?;
        let (mut after, mut carried) = (self.carried_up_to()?, 0);
        loop {
            let events = self.read_own(after)?;
            let Some(last) = events.last() else { return Ok(carried) };
            after = last.raw.id;
            self.team.store.write(|transaction| {
                transaction.notify_desks();
                write_events(transaction, &origin, &events, is_identified, same)?;
                unverified::recount(transaction)
            })?;
            carried += u32::try_from(events.len()).unwrap_or(u32::MAX);
            if progress(carried).is_break() {
                return Ok(carried);
            }
        }
    }

    /// Returns the number of the newest event of the file that the team has.
    fn carried_up_to(&self) -> Result<i64, JournalError> {
        let origin = self.own.targets().origin()?;
        self.team.store.read(|connection| {
            let sql = "SELECT COALESCE(MAX(own_id), 0) FROM carried_event WHERE origin = ?1";
            Ok(connection.query_row(sql, [origin], |row| row.get(0))?)
        })
    }

    fn read_own(&self, after: i64) -> Result<Vec<OwnEvent>, JournalError> {
        self.own.store.read(|connection| {
            let sql = format!(
                "SELECT {RAW}, key, signed_key FROM event WHERE id > ?1 AND site <> ?2 ORDER BY id LIMIT {EVENTS_PER_TRANSACTION}"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![after, self.except])?;
            let (mut events, mut bytes) = (Vec::new(), 0);
            while bytes < BYTES_PER_TRANSACTION {
                let Some(row) = rows.next()? else { break };
                let columns = RAW.split(", ").count();
                let (key, signed_key) = (row.get(columns)?, row.get(columns + 1)?);
                let raw = raw_from_row(row)?;
                bytes += raw.body.len();
                events.push(OwnEvent { raw, key, signed_key, copies: Vec::new(), answer: None });
            }
            let mut copies =
                connection.prepare_cached("SELECT received, headers FROM copy WHERE event = ?1 ORDER BY rowid")?;
            for event in &mut events {
                let found = copies.query_map([event.raw.id], |row| Ok((row.get(0)?, row.get(1)?)))?;
                event.copies = found.collect::<Result<_, _>>()?;
                event.answer = load_answer(connection, event.raw.id)?;
            }
            Ok(events)
        })
    }

    /// Copies the gaps of sites for which the team never had a receiver.
    fn carry_gaps(&self) -> Result<(), JournalError> {
        let pulses = query_rows(self.own, "SELECT site, at FROM pulse WHERE site <> ?1", self.except)?;
        let gaps =
            query_rows(self.own, "SELECT site, since, until, why FROM gap WHERE site <> ?1 ORDER BY id", self.except)?;
        self.team.store.write(|transaction| {
            let mut known = transaction.prepare_cached("SELECT 1 FROM pulse WHERE site = ?1")?;
            let known =
                known.query_each(pulses.iter().map(|pulse| params_from_iter(pulse.iter().take(1))), |_| Ok(()))?;
            let new = |gap: &&Vec<SqlValue>| {
                pulses.iter().zip(&known).any(|(pulse, known)| known.is_empty() && pulse.first() == gap.first())
            };
            let sql = "INSERT INTO gap (site, since, until, why) VALUES (?1, ?2, ?3, ?4)";
            transaction.prepare_cached(sql)?.execute_each(gaps.iter().filter(new).map(params_from_iter))?;
            let sql = "INSERT INTO pulse (site, at) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            Ok(transaction.prepare_cached(sql)?.execute_each(pulses.iter().map(params_from_iter))?)
        })
    }
}

/// Returns the rows of a query with one placeholder.
fn query_rows(inbox: &Inbox, sql: &str, value: &str) -> Result<Vec<Vec<SqlValue>>, JournalError> {
    inbox.store.read(|connection| {
        let count = sql.split(" FROM ").next().map_or(0, |columns| columns.split(',').count());
        let mut statement = connection.prepare_cached(sql)?;
        let rows = statement
            .query_map([value], |row| (0..count).map(|index| row.get(index)).collect::<Result<Vec<SqlValue>, _>>())?;
        Ok(rows.collect::<Result<_, _>>()?)
    })
}

/// Stores events in order, and records their numbers in the team.
fn write_events(
    transaction: &Transaction<'_>,
    origin: &str,
    events: &[OwnEvent],
    is_identified: &IsIdentified<'_>,
    same: SignedDuration,
) -> Result<(), JournalError> {
    let events = not_yet_carried(transaction, origin, events)?;
    let known = events_by_key(transaction, &events)?;
    let found: Vec<Option<i64>> = events
        .iter()
        .map(|event| {
            let window = if is_identified(&event.raw) { None } else { Some(same) };
            known.get(&event.key).into_iter().flatten().find(|known| known.is_same(event, window)).map(|known| known.id)
        })
        .collect();
    let new = i64::try_from(found.iter().filter(|found| found.is_none()).count()).unwrap_or_default();
    let mut next: i64 =
        transaction
            .query_row("UPDATE event_number SET last = last + ?1 RETURNING last - ?1", [new], |row| row.get(0))?;
    let numbered: Vec<(&OwnEvent, i64, bool)> = events
        .into_iter()
        .zip(found)
        .map(|(event, found)| {
            let number = found.unwrap_or_else(|| {
                next += 1;
                next
            });
            (event, number, found.is_none())
        })
        .collect();
    insert_events(transaction, &numbered)?;
    let sql = "INSERT INTO carried_event (origin, own_id, event) VALUES (?1, ?2, ?3)";
    let pairs = numbered.iter().map(|(event, number, _)| (origin, event.raw.id, *number));
    Ok(transaction.prepare_cached(sql)?.execute_each(pairs)?)
}

/// Returns the events that another process hasn't copied meanwhile.
fn not_yet_carried<'a>(
    transaction: &Transaction<'_>,
    origin: &str,
    events: &'a [OwnEvent],
) -> Result<Vec<&'a OwnEvent>, JournalError> {
    let sql = "SELECT COALESCE(MAX(own_id), 0) FROM carried_event WHERE origin = ?1";
    let up_to: i64 = transaction.query_row(sql, [origin], |row| row.get(0))?;
    Ok(events.iter().filter(|event| event.raw.id > up_to).collect())
}

/// An event of the team that may be the same as one of the file.
struct TeamEvent {
    id: i64,
    site: String,
    received: i64,
    replay: bool,
    body: Vec<u8>,
}

impl TeamEvent {
    fn is_same(&self, own: &OwnEvent, window: Option<SignedDuration>) -> bool {
        let apart = (self.received - own.raw.received.as_millisecond()).unsigned_abs();
        let is_near = window.is_none_or(|window| i128::from(apart) <= window.as_millis());
        is_near && self.site == own.raw.site && self.replay == own.raw.replay && self.body == own.raw.body
    }
}

/// Returns the team's events with the keys of these.
fn events_by_key(
    transaction: &Transaction<'_>,
    events: &[&OwnEvent],
) -> Result<HashMap<i64, Vec<TeamEvent>>, JournalError> {
    let mut known: HashMap<i64, Vec<TeamEvent>> = HashMap::new();
    if events.is_empty() {
        return Ok(known);
    }
    // Numbers can safely be part of the statement.
    let keys: Vec<String> = events.iter().map(|event| event.key.to_string()).collect();
    let sql = format!("SELECT key, id, site, received, replay, body FROM event WHERE key IN ({})", keys.join(", "));
    let mut statement = transaction.prepare_cached(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let event = TeamEvent {
            id: row.get(1)?,
            site: row.get(2)?,
            received: row.get(3)?,
            replay: row.get(4)?,
            body: row.get(5)?,
        };
        known.entry(row.get(0)?).or_default().push(event);
    }
    Ok(known)
}

/// Inserts new events with their answers. Others are stored as duplicates of the team's event.
fn insert_events(transaction: &Transaction<'_>, events: &[(&OwnEvent, i64, bool)]) -> Result<(), JournalError> {
    let mut sets = Vec::new();
    for (own, number, _) in events.iter().filter(|(_, _, is_new)| *is_new) {
        let RawEvent { site, received, headers, body, signed, replay, .. } = &own.raw;
        let headers = serde_json::to_string(headers)?;
        sets.push(params_from_iter([
            SqlValue::from(*number),
            site.clone().into(),
            received.as_millisecond().into(),
            own.key.into(),
            headers.into(),
            body.clone().into(),
            signed.word().to_owned().into(),
            (*replay).into(),
            own.signed_key.into(),
        ]));
    }
    let sql = "INSERT INTO event (id, site, received, key, headers, body, signed, replay, signed_key, carried)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 1)";
    transaction.prepare_cached(sql)?.execute_each(sets)?;
    let mut copies: Vec<(i64, i64, String)> = Vec::new();
    for (own, number, is_new) in events {
        if !is_new {
            copies.push((*number, own.raw.received.as_millisecond(), serde_json::to_string(&own.raw.headers)?));
        }
        copies.extend(own.copies.iter().map(|(received, headers)| (*number, *received, headers.clone())));
    }
    let sql = "INSERT INTO copy (event, received, headers) VALUES (?1, ?2, ?3)";
    transaction.prepare_cached(sql)?.execute_each(copies)?;
    // The first answer stays.
    let answers = events.iter().filter_map(|(own, number, _)| Some((own.answer.as_ref()?, *number)));
    let sql = "INSERT INTO answer (event, at, allowed, by, told, milliseconds) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (event) DO NOTHING";
    let sets = answers.map(|(answer, number)| {
        params_from_iter([
            SqlValue::from(number),
            answer.at.as_millisecond().into(),
            answer.allowed.into(),
            answer.by.clone().into(),
            answer.detail.clone().into(),
            answer.milliseconds.into(),
        ])
    });
    Ok(transaction.prepare_cached(sql)?.execute_each(sets)?)
}
