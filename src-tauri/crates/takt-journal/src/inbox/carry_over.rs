//! Copies a desk's own events and targets to the team's database when it joins the team.
//!
//! An event is copied only once, with its answer and duplicates, because the same transaction records its number in the
//! team. An event that the team already has becomes a duplicate there. Copied events get new numbers, so an old event
//! may have a later number than a new one. They don't enter the queues of targets (`carried`).
//!
//! Events that a desk's target has received are recorded as delivered to the team's target. Waiting events become owed
//! to it (`owed`): they are sent before its queue. A new target stays paused until all of that is copied.

use std::collections::HashMap;
use std::ops::ControlFlow;

use jiff::{SignedDuration, Timestamp};

use crate::database::{OptionalExtension, SqlValue, Transaction, params, params_from_iter};
use crate::inbox::answer::{AnswerRecord, load_answer};
use crate::inbox::change_record::target_object;
use crate::inbox::event::{RAW_COLUMNS, RawEvent, raw_from_row};
use crate::inbox::forward::{ForwardRow, ForwardStart, NewTarget, Target, insert_target};
use crate::inbox::store::Inbox;
use crate::inbox::unverified;
use crate::{JournalError, StoredWord};

/// The limits of one transaction. They limit how long other desks are blocked.
const EVENTS_PER_TRANSACTION: u32 = 500;
const BYTES_PER_TRANSACTION: usize = 4 * 1024 * 1024;

/// The two inboxes between which events are copied.
#[derive(Clone, Copy)]
pub struct InboxCarryOver<'a> {
    pub own: &'a Inbox,
    pub team: &'a Inbox,
    /// The site whose events aren't copied.
    pub excluded_site: &'a str,
}

impl std::fmt::Debug for InboxCarryOver<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("InboxCarryOver").field("except", &self.excluded_site).finish_non_exhaustive()
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

/// Returns whether the headers of an event identify its delivery, so that a repetition is recognized.
type IsIdentified<'a> = dyn Fn(&RawEvent) -> bool + 'a;

impl InboxCarryOver<'_> {
    /// Returns the number of events that are still to be copied.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn count_remaining(&self) -> Result<u32, JournalError> {
        let after = self.last_carried_event()?;
        self.own.store.read(|connection| {
            let sql = "SELECT COUNT(*) FROM event WHERE id > ?1 AND site <> ?2";
            Ok(connection.query_row(sql, params![after, self.excluded_site], |row| row.get(0))?)
        })
    }

    /// Copies the events that the team doesn't have yet, oldest first, and returns their number. `progress` receives
    /// the number of events copied so far, and may stop copying.
    ///
    /// `is_identified` returns whether the headers of an event identify its delivery. Other events are the same if
    /// their bytes are equal and they were received within `max_distance` of each other.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading) or [write error](crate::JournalError#writing). The copied data
    /// stays.
    pub fn carry_events(
        &self,
        is_identified: &dyn Fn(&RawEvent) -> bool,
        max_distance: SignedDuration,
        progress: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> Result<u32, JournalError> {
        let origin = self.own.targets().origin()?;
        self.carry_gaps()?;
        let (mut after, mut carried) = (self.last_carried_event()?, 0);
        loop {
            let events = self.load_own_events(after)?;
            let Some(last) = events.last() else { return Ok(carried) };
            after = last.raw.id;
            self.team.store.write(|transaction| {
                transaction.notify_desks();
                write_events(transaction, &origin, &events, is_identified, max_distance)?;
                unverified::recount_unverified(transaction)
            })?;
            carried += u32::try_from(events.len()).unwrap_or(u32::MAX);
            if progress(carried).is_break() {
                return Ok(carried);
            }
        }
    }

    /// Returns the number of the newest event that was copied from the desk's file, or 0 if none was.
    fn last_carried_event(&self) -> Result<i64, JournalError> {
        let origin = self.own.targets().origin()?;
        self.team.store.read(|connection| {
            let sql = "SELECT COALESCE(MAX(own_id), 0) FROM carried_event WHERE origin = ?1";
            Ok(connection.query_row(sql, [origin], |row| row.get(0))?)
        })
    }

    fn load_own_events(&self, after: i64) -> Result<Vec<OwnEvent>, JournalError> {
        self.own.store.read(|connection| {
            let sql = format!(
                "SELECT {RAW_COLUMNS}, key, signed_key FROM event WHERE id > ?1 AND site <> ?2 ORDER BY id LIMIT {EVENTS_PER_TRANSACTION}"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![after, self.excluded_site])?;
            let (mut events, mut bytes) = (Vec::new(), 0);
            while bytes < BYTES_PER_TRANSACTION {
                let Some(row) = rows.next()? else { break };
                let columns = RAW_COLUMNS.split(", ").count();
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
        let pulses = query_rows(self.own, "SELECT site, at FROM pulse WHERE site <> ?1", self.excluded_site)?;
        let gaps = query_rows(
            self.own,
            "SELECT site, since, until, why FROM gap WHERE site <> ?1 ORDER BY id",
            self.excluded_site,
        )?;
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
    max_distance: SignedDuration,
) -> Result<(), JournalError> {
    let events = exclude_carried(transaction, origin, events)?;
    let known = events_by_key(transaction, &events)?;
    let found: Vec<Option<i64>> = events
        .iter()
        .map(|event| {
            let max_distance = if is_identified(&event.raw) { None } else { Some(max_distance) };
            known
                .get(&event.key)
                .into_iter()
                .flatten()
                .find(|known| known.is_same(event, max_distance))
                .map(|known| known.id)
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
fn exclude_carried<'a>(
    transaction: &Transaction<'_>,
    origin: &str,
    events: &'a [OwnEvent],
) -> Result<Vec<&'a OwnEvent>, JournalError> {
    let sql = "SELECT COALESCE(MAX(own_id), 0) FROM carried_event WHERE origin = ?1";
    let up_to: i64 = transaction.query_row(sql, [origin], |row| row.get(0))?;
    Ok(events.iter().filter(|event| event.raw.id > up_to).collect())
}

/// An event of the team that may be the same as one of the file.
struct KnownTeamEvent {
    id: i64,
    site: String,
    received: i64,
    replay: bool,
    body: Vec<u8>,
}

impl KnownTeamEvent {
    fn is_same(&self, own: &OwnEvent, max_distance: Option<SignedDuration>) -> bool {
        let apart = (self.received - own.raw.received.as_millisecond()).unsigned_abs();
        let is_near = max_distance.is_none_or(|max| i128::from(apart) <= max.as_millis());
        is_near && self.site == own.raw.site && self.replay == own.raw.replay && self.body == own.raw.body
    }
}

/// Returns the team's events that have the same keys as the given events.
fn events_by_key(
    transaction: &Transaction<'_>,
    events: &[&OwnEvent],
) -> Result<HashMap<i64, Vec<KnownTeamEvent>>, JournalError> {
    let mut known: HashMap<i64, Vec<KnownTeamEvent>> = HashMap::new();
    if events.is_empty() {
        return Ok(known);
    }
    // Numbers in the statement's text can't inject SQL.
    let keys: Vec<String> = events.iter().map(|event| event.key.to_string()).collect();
    let sql = format!("SELECT key, id, site, received, replay, body FROM event WHERE key IN ({})", keys.join(", "));
    let mut statement = transaction.prepare_cached(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let event = KnownTeamEvent {
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

/// Inserts new events. Events that the team already has are inserted as duplicates. Also inserts the answers.
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
    // The team's answer stays if there is one.
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

/// The number of delivery records per transaction. It limits how long other desks are blocked.
const ROWS_PER_TRANSACTION: u32 = 2_000;

/// The choice of the team's target that replaces a target of the desk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetDestination {
    /// An existing target.
    Same(i64),
    /// A new target with this name.
    New(String),
}

/// The recorded target of the team that replaces a target of the desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CarriedTarget {
    /// The target's number in the team.
    pub target: i64,
    /// True if the team has removed the target since.
    pub removed: bool,
    /// True if the target was created for the desk's target and isn't in use yet.
    pub is_new: bool,
}

impl InboxCarryOver<'_> {
    /// Returns the desk's own targets, except the targets of the site whose events aren't copied.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn own_targets(&self) -> Result<Vec<Target>, JournalError> {
        let targets = self.own.targets().list()?;
        Ok(targets.into_iter().filter(|target| target.site != self.excluded_site).collect())
    }

    /// Returns the team's target that replaces a target of the desk, or none if none is recorded.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn carried_target(&self, own: i64) -> Result<Option<CarriedTarget>, JournalError> {
        let origin = self.own.targets().origin()?;
        self.team.store.read(|connection| {
            let sql = "SELECT target, made, NOT EXISTS (SELECT 1 FROM target WHERE target.id = carried_target.target)
                 FROM carried_target WHERE origin = ?1 AND own_id = ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let read = |row: crate::database::Row<'_>| {
                Ok(CarriedTarget { target: row.get(0)?, is_new: row.get(1)?, removed: row.get(2)? })
            };
            Ok(statement.query_row(params![origin, own], read).optional()?)
        })
    }

    /// Records the team's target that replaces a target of the desk. A new target is paused until
    /// [`Self::hand_over_deliveries`].
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn record_target(
        &self,
        own: &Target,
        destination: &TargetDestination,
        at: Timestamp,
    ) -> Result<CarriedTarget, JournalError> {
        let origin = self.own.targets().origin()?;
        self.team.store.write(|transaction| {
            let (target, is_new) = match destination {
                TargetDestination::Same(target) => (*target, false),
                TargetDestination::New(name) => (self.create_target(transaction, own, name, at)?, true),
            };
            let sql = "INSERT INTO carried_target (origin, own_id, target, made, paused) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (origin, own_id) DO UPDATE SET target = excluded.target, made = excluded.made,
                 paused = excluded.paused";
            transaction.execute(sql, params![origin, own.id, target, is_new, own.paused])?;
            Ok(CarriedTarget { target, removed: false, is_new })
        })
    }

    fn create_target(
        &self,
        transaction: &Transaction<'_>,
        own: &Target,
        name: &str,
        at: Timestamp,
    ) -> Result<i64, JournalError> {
        let Target { site, address, kinds, keys, .. } = own.clone();
        let target = NewTarget { site, name: name.to_owned(), address, kinds, keys, at };
        let object = target_object(&target.site, &target.name);
        let add = |transaction: &Transaction<'_>| {
            let id = insert_target(transaction, &target, ForwardStart::Now)?;
            transaction.execute("UPDATE target SET paused = 1 WHERE id = ?1", [id])?;
            Ok(id)
        };
        self.team.store.change_shared(transaction, &object, &object, at, add)
    }

    /// Hands the deliveries of a desk's target over to the team's target. Delivered and set-aside events are recorded
    /// there, and waiting events become owed. The desk's target is paused with an empty queue. No other thread may send
    /// to it meanwhile.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading) or [write error](crate::JournalError#writing). The copied data
    /// stays, and copying it again changes nothing.
    pub fn hand_over_deliveries(&self, own: &Target, carried: CarriedTarget) -> Result<(), JournalError> {
        let origin = self.own.targets().origin()?;
        let mut after = 0;
        loop {
            let rows = self.load_forward_rows(own.id, after)?;
            let Some(last) = rows.last() else { break };
            after = last.event;
            self.team.store.write(|transaction| insert_forward_rows(transaction, &origin, carried.target, &rows))?;
        }
        // Events that were received after copying stay in the desk's queue until the next copying.
        let newest = self.last_carried_event()?;
        self.team.store.write(|transaction| {
            transaction.notify_desks();
            start_team_target(transaction, &origin, own, carried)
        })?;
        self.own.store.write(|transaction| {
            let sql = "UPDATE target SET paused = 1, halt = NULL, refused = 0, revision = revision + 1,
                 began = CASE WHEN began > ?2 THEN began ELSE ?2 END, cursor = CASE WHEN cursor > ?2 THEN cursor ELSE ?2 END
                 WHERE id = ?1";
            transaction.execute(sql, params![own.id, newest])?;
            let sql = "UPDATE forwarded SET state = 'aside' WHERE target = ?1 AND state = 'again'";
            transaction.execute(sql, [own.id])?;
            Ok(())
        })
    }

    fn load_forward_rows(&self, target: i64, after: i64) -> Result<Vec<ForwardRow>, JournalError> {
        self.own.targets().rows_after(target, after, ROWS_PER_TRANSACTION)
    }
}

/// Inserts delivery records under the team's event numbers. Existing records stay.
fn insert_forward_rows(
    transaction: &Transaction<'_>,
    origin: &str,
    target: i64,
    rows: &[ForwardRow],
) -> Result<(), JournalError> {
    let sql = "INSERT INTO forwarded (target, event, state, at, tries, fault, status, told)
         SELECT CAST(?3 AS BIGINT), carried_event.event, ?4, CAST(?5 AS BIGINT), CAST(?6 AS BIGINT), ?7, CAST(?8 AS BIGINT), ?9
         FROM carried_event JOIN event ON event.id = carried_event.event WHERE origin = ?1 AND own_id = ?2
         ON CONFLICT (event, target) DO NOTHING";
    let sets = rows.iter().map(|row| {
        params_from_iter([
            SqlValue::from(origin.to_owned()),
            row.event.into(),
            target.into(),
            row.state.word().to_owned().into(),
            row.at.as_millisecond().into(),
            row.tries.into(),
            row.fault.map(|fault| fault.word().to_owned()).into(),
            row.status.into(),
            row.response.clone().into(),
        ])
    });
    Ok(transaction.prepare_cached(sql)?.execute_each(sets)?)
}

/// Starts the team's target if it was created for the desk's target. Makes waiting events owed to it, unless they are
/// in its queue or were sent to it.
fn start_team_target(
    transaction: &Transaction<'_>,
    origin: &str,
    own: &Target,
    carried: CarriedTarget,
) -> Result<(), JournalError> {
    let sql = "UPDATE target SET paused = (SELECT paused FROM carried_target WHERE origin = ?2 AND own_id = ?3),
             began = (SELECT COALESCE(MAX(id), 0) FROM event), cursor = (SELECT COALESCE(MAX(id), 0) FROM event)
         WHERE id = ?1 AND EXISTS (SELECT 1 FROM carried_target WHERE origin = ?2 AND own_id = ?3 AND made = 1)";
    transaction.execute(sql, params![carried.target, origin, own.id])?;
    let sql = "UPDATE carried_target SET made = 0 WHERE origin = ?1 AND own_id = ?2";
    transaction.execute(sql, params![origin, own.id])?;
    let sql = "INSERT INTO owed (target, event, delivery)
         SELECT target.id, event.id, 'takt-' || carried_event.origin || '-' || carried_event.own_id
         FROM carried_event JOIN event ON event.id = carried_event.event JOIN target ON target.site = event.site
         WHERE target.id = ?1 AND carried_event.origin = ?2 AND carried_event.own_id > ?3
             AND event.replay = 0 AND event.signed IN ('unchecked', 'valid')
             AND NOT (event.carried = 0 AND event.id > target.cursor)
             AND NOT EXISTS (SELECT 1 FROM forwarded WHERE forwarded.event = event.id AND forwarded.target = target.id)
         ON CONFLICT DO NOTHING";
    transaction.execute(sql, params![carried.target, origin, own.cursor])?;
    let sql = "DELETE FROM owed WHERE target = ?1
         AND EXISTS (SELECT 1 FROM forwarded WHERE forwarded.event = owed.event AND forwarded.target = owed.target)";
    transaction.execute(sql, [carried.target])?;
    Ok(())
}
