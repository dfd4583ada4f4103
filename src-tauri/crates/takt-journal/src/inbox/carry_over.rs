//! What a desk received before it joined a team comes along: its events, with what was answered and what came again, and its targets with
//! what each has got and is to get still.
//!
//! An event comes once: the team keeps which event of a file is which of its own, in the transaction that copies it. One that the team
//! has already, as the same delivery, is that one. Numbers are given in the order in which events come along, so an old event may have
//! a later number than a new one; no target gets it for that (`carried`), and those that were waiting for it are owed it (`owed`).

mod targets;

use std::collections::HashMap;
use std::ops::ControlFlow;

use jiff::SignedDuration;

use super::{AnswerRecord, Inbox, RAW, RawEvent, answer::given, raw, unverified};
use crate::database::{SqlValue, Transaction, params, params_from_iter};
use crate::{JournalError, StoredWord};

pub use targets::{CarriedTarget, TargetDestination};

/// Events that are copied in one transaction, and their bytes.
const AT_ONCE: u32 = 500;
const BYTES_AT_ONCE: usize = 4 * 1024 * 1024;

/// What of a desk's own events comes along.
#[derive(Clone, Copy)]
pub struct InboxCarryOver<'a> {
    pub own: &'a Inbox,
    pub team: &'a Inbox,
    /// The site whose events stay the desk's own.
    pub except: &'a str,
}

impl std::fmt::Debug for InboxCarryOver<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("InboxCarryOver").field("except", &self.except).finish_non_exhaustive()
    }
}

/// An event of the file, with all that belongs to it.
struct Own {
    raw: RawEvent,
    key: i64,
    signed_key: Option<i64>,
    /// When it came again, and with which headers.
    copies: Vec<(i64, String)>,
    answer: Option<AnswerRecord>,
}

/// Whether what came with an event tells its delivery from others.
type IsIdentified<'a> = dyn Fn(&RawEvent) -> bool + 'a;

impl InboxCarryOver<'_> {
    /// How many events are to come along still.
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

    /// Copies the events that the team doesn't have yet, oldest first, and gives how many those are; `progress` hears it as it grows, and may
    /// have it stopped. `is_identified`: what came with an event tells its delivery from others; of others with the same bytes those are
    /// the same that came within `same`.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading) or [write error](crate::JournalError#writing); what was copied stays.
    pub fn carry_events(
        &self,
        (is_identified, same): (&dyn Fn(&RawEvent) -> bool, SignedDuration),
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
                transaction.tell();
                write_events(transaction, &origin, &events, (is_identified, same))?;
                unverified::recount(transaction)
            })?;
            carried += u32::try_from(events.len()).unwrap_or(u32::MAX);
            if progress(carried).is_break() {
                return Ok(carried);
            }
        }
    }

    /// The newest event of the file that the team has.
    fn carried_up_to(&self) -> Result<i64, JournalError> {
        let origin = self.own.targets().origin()?;
        self.team.store.read(|connection| {
            let sql = "SELECT COALESCE(MAX(own_id), 0) FROM carried_event WHERE origin = ?1";
            Ok(connection.query_row(sql, [origin], |row| row.get(0))?)
        })
    }

    fn read_own(&self, after: i64) -> Result<Vec<Own>, JournalError> {
        self.own.store.read(|connection| {
            let sql = format!(
                "SELECT {RAW}, key, signed_key FROM event WHERE id > ?1 AND site <> ?2 ORDER BY id LIMIT {AT_ONCE}"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![after, self.except])?;
            let (mut events, mut bytes) = (Vec::new(), 0);
            while bytes < BYTES_AT_ONCE {
                let Some(row) = rows.next()? else { break };
                let columns = RAW.split(", ").count();
                let (key, signed_key) = (row.get(columns)?, row.get(columns + 1)?);
                let raw = raw(row)?;
                bytes += raw.body.len();
                events.push(Own { raw, key, signed_key, copies: Vec::new(), answer: None });
            }
            let mut copies =
                connection.prepare_cached("SELECT received, headers FROM copy WHERE event = ?1 ORDER BY rowid")?;
            for event in &mut events {
                let found = copies.query_map([event.raw.id], |row| Ok((row.get(0)?, row.get(1)?)))?;
                event.copies = found.collect::<Result<_, _>>()?;
                event.answer = given(connection, event.raw.id)?;
            }
            Ok(events)
        })
    }

    /// Of a site of which the team never had a receiver: when nothing could come.
    fn carry_gaps(&self) -> Result<(), JournalError> {
        let pulses = rows(self.own, "SELECT site, at FROM pulse WHERE site <> ?1", self.except)?;
        let gaps = rows(self.own, "SELECT site, since, until, why FROM gap WHERE site <> ?1 ORDER BY id", self.except)?;
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

/// All rows of a question with one place.
fn rows(inbox: &Inbox, sql: &str, given: &str) -> Result<Vec<Vec<SqlValue>>, JournalError> {
    inbox.store.read(|connection| {
        let count = sql.split(" FROM ").next().map_or(0, |columns| columns.split(',').count());
        let mut statement = connection.prepare_cached(sql)?;
        let rows = statement
            .query_map([given], |row| (0..count).map(|place| row.get(place)).collect::<Result<Vec<SqlValue>, _>>())?;
        Ok(rows.collect::<Result<_, _>>()?)
    })
}

/// In their order, each with its number in the team.
fn write_events(
    transaction: &Transaction<'_>,
    origin: &str,
    events: &[Own],
    (is_identified, same): (&IsIdentified<'_>, SignedDuration),
) -> Result<(), JournalError> {
    let events = not_there(transaction, origin, events)?;
    let known = known(transaction, &events)?;
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
    let numbered: Vec<(&Own, i64, bool)> = events
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
    insert(transaction, &numbered)?;
    let sql = "INSERT INTO carried_event (origin, own_id, event) VALUES (?1, ?2, ?3)";
    let pairs = numbered.iter().map(|(event, number, _)| (origin, event.raw.id, *number));
    Ok(transaction.prepare_cached(sql)?.execute_each(pairs)?)
}

/// Those that another process hasn't brought along a moment ago.
fn not_there<'a>(transaction: &Transaction<'_>, origin: &str, events: &'a [Own]) -> Result<Vec<&'a Own>, JournalError> {
    let sql = "SELECT COALESCE(MAX(own_id), 0) FROM carried_event WHERE origin = ?1";
    let up_to: i64 = transaction.query_row(sql, [origin], |row| row.get(0))?;
    Ok(events.iter().filter(|event| event.raw.id > up_to).collect())
}

/// An event of the team that may be the same as one of the file.
struct Known {
    id: i64,
    site: String,
    received: i64,
    replay: bool,
    body: Vec<u8>,
}

impl Known {
    fn is_same(&self, own: &Own, window: Option<SignedDuration>) -> bool {
        let apart = (self.received - own.raw.received.as_millisecond()).unsigned_abs();
        let is_near = window.is_none_or(|window| i128::from(apart) <= window.as_millis());
        is_near && self.site == own.raw.site && self.replay == own.raw.replay && self.body == own.raw.body
    }
}

/// The team's events under the keys of these.
fn known(transaction: &Transaction<'_>, events: &[&Own]) -> Result<HashMap<i64, Vec<Known>>, JournalError> {
    let mut known: HashMap<i64, Vec<Known>> = HashMap::new();
    if events.is_empty() {
        return Ok(known);
    }
    // Numbers, so they may stand in the statement.
    let keys: Vec<String> = events.iter().map(|event| event.key.to_string()).collect();
    let sql = format!("SELECT key, id, site, received, replay, body FROM event WHERE key IN ({})", keys.join(", "));
    let mut statement = transaction.prepare_cached(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let event =
            Known { id: row.get(1)?, site: row.get(2)?, received: row.get(3)?, replay: row.get(4)?, body: row.get(5)? };
        known.entry(row.get(0)?).or_default().push(event);
    }
    Ok(known)
}

/// The new ones; and that the others came here, too.
fn insert(transaction: &Transaction<'_>, events: &[(&Own, i64, bool)]) -> Result<(), JournalError> {
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
    // What was answered first holds.
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

/// An event that had come along came from its site now: targets that haven't got it are to get it, as they would have without that.
pub(super) fn owe_to_all(transaction: &Transaction<'_>, event: i64) -> Result<(), JournalError> {
    if transaction.session().is_none() {
        return Ok(());
    }
    let sql = "INSERT INTO owed (target, event)
         SELECT target.id, event.id FROM event JOIN target ON target.site = event.site
         WHERE event.id = ?1 AND event.carried = 1 AND event.replay = 0 AND event.signed IN ('unchecked', 'valid')
             AND NOT EXISTS (SELECT 1 FROM forwarded WHERE forwarded.event = event.id AND forwarded.target = target.id)
         ON CONFLICT DO NOTHING";
    Ok(transaction.execute_later(sql, [event])?)
}
