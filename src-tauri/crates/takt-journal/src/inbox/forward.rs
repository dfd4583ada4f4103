//! Targets: where a site's events are sent on to, and how far each has come.
//!
//! Owns that a target's queue is what came after its cursor: an event that is kept is queued by that alone, and can't be
//! lost between two commits. Leaves to others: sending, what an answer means, what is secret about a target.

mod queue;
mod record;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Inbox, shared::target_of, time};
use crate::JournalError;
use crate::database::{OptionalExtension, Row, Transaction, params};

pub use queue::{Backlog, DueEvent, ForwardResult};
pub use record::{Fault, ForwardRow, ForwardState};

/// Where a site's events are to be sent on to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewTarget {
    pub site: String,
    /// One per site.
    pub name: String,
    pub address: String,
    /// The service's numbers of events; empty for all.
    pub kinds: Vec<i64>,
    pub keys: TargetKeys,
    /// When a person wanted it so.
    pub at: Timestamp,
}

/// What is secret about a target, by name alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetKeys {
    /// Names of headers that go along.
    pub headers: Vec<String>,
    /// What is sent is signed.
    pub signs: bool,
    /// Goes up whenever what is secret changes.
    pub version: u32,
    /// A person chose that others may read on the way what is sent. Nobody did where an earlier Takt kept it.
    #[serde(default)]
    pub open: bool,
}

/// The first event that a target gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// The next one that comes.
    Now,
    /// The oldest one that is kept.
    Beginning,
    /// The first one that came at this moment or later.
    Since(Timestamp),
}

/// A target, and how far it has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub id: i64,
    pub site: String,
    pub name: String,
    pub address: String,
    pub kinds: Vec<i64>,
    pub keys: TargetKeys,
    pub paused: bool,
    /// Every event up to this one is none of its business by a person's choice.
    pub began: i64,
    /// Every event up to this one is settled.
    pub cursor: i64,
    /// When it last took one.
    pub took: Option<Timestamp>,
    /// How many in a row were set aside since.
    pub refused: u32,
    pub halt: Option<BlockedEvent>,
    /// Goes up whenever a person resumes it, changes it, or has it tried at once. A delivery that began before says nothing about it since.
    pub revision: u32,
}

impl Target {
    /// It is gone for good, as it said: nothing more is sent until a person resumes it or changes it.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.halt.as_ref().is_some_and(|halt| halt.fault == Fault::Gone)
    }
}

/// An event that a target didn't take, and for which the others wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockedEvent {
    pub event: i64,
    /// How often it was tried.
    pub tries: u32,
    /// When it was tried first.
    pub since: Timestamp,
    pub next: Timestamp,
    pub fault: Fault,
    /// The answer's HTTP status.
    pub status: Option<u16>,
    /// The beginning of the answer, or the technical cause. Not trusted.
    #[serde(rename = "told")]
    pub response: String,
}

/// To whom events are sent on, and how far that is.
#[derive(Debug, Clone, Copy)]
pub struct Targets<'a>(pub(crate) &'a Inbox);

impl Inbox {
    /// To whom events are sent on, and how far that is.
    #[must_use]
    pub fn targets(&self) -> Targets<'_> {
        Targets(self)
    }
}

impl Targets<'_> {
    /// A new target. Its number is none that another ever had.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn add(&self, target: &NewTarget, start: Start) -> Result<Target, JournalError> {
        let thing = target_of(&target.site, &target.name);
        self.0.store.write(|transaction| {
            let add = |transaction: &Transaction<'_>| insert_target(transaction, target, start);
            let id = self.0.store.change_shared(transaction, (&thing, &thing), target.at, add)?;
            one(transaction, id)?.ok_or(JournalError::NoSuchTarget)
        })
    }

    /// Changes what a target is; how far it has come stays. What wasn't taken is tried again at once.
    ///
    /// # Errors
    ///
    /// - [`JournalError::NoSuchTarget`]: there is no such target.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn change(&self, id: i64, target: &NewTarget) -> Result<Target, JournalError> {
        self.0.store.write(|transaction| {
            let before = one(transaction, id)?.ok_or(JournalError::NoSuchTarget)?;
            let things = (target_of(&before.site, &before.name), target_of(&target.site, &target.name));
            let change = |transaction: &Transaction<'_>| update_target(transaction, id, target);
            self.0.store.change_shared(transaction, (&things.0, &things.1), target.at, change)?;
            one(transaction, id)?.ok_or(JournalError::NoSuchTarget)
        })
    }

    /// Forgets a target with all that is known about what it got.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn remove(&self, id: i64, at: Timestamp) -> Result<bool, JournalError> {
        self.0.store.write(|transaction| {
            let Some(before) = one(transaction, id)? else { return Ok(false) };
            let thing = target_of(&before.site, &before.name);
            let remove = |transaction: &Transaction<'_>| delete_target(transaction, id);
            self.0.store.change_shared(transaction, (&thing, &thing), at, remove)
        })
    }

    /// What comes waits until the target is resumed.
    ///
    /// # Errors
    ///
    /// - [`JournalError::NoSuchTarget`]: there is no such target.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn pause(&self, id: i64) -> Result<(), JournalError> {
        self.set_target(id, "UPDATE target SET paused = 1 WHERE id = ?1")
    }

    /// Goes on where it stopped, or with the next event that comes: then nothing that waited is sent.
    ///
    /// # Errors
    ///
    /// - [`JournalError::NoSuchTarget`]: there is no such target.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn resume(&self, id: i64, from_now: bool) -> Result<(), JournalError> {
        let changed = self.0.store.write(|transaction| {
            if from_now {
                if self.0.is_shared() {
                    transaction.prepare_cached("DELETE FROM owed WHERE target = ?1")?.execute([id])?;
                }
                let sql = "UPDATE target SET began = COALESCE((SELECT MAX(id) FROM event WHERE event.id > target.began), began) WHERE id = ?1";
                transaction.prepare_cached(sql)?.execute([id])?;
                let sql = "UPDATE target SET cursor = CASE WHEN cursor > began THEN cursor ELSE began END WHERE id = ?1";
                transaction.prepare_cached(sql)?.execute([id])?;
            }
            let sql = "UPDATE target SET paused = 0, halt = NULL, refused = 0, revision = revision + 1 WHERE id = ?1";
            Ok(transaction.prepare_cached(sql)?.execute([id])?)
        })?;
        if changed == 0 { Err(JournalError::NoSuchTarget) } else { Ok(()) }
    }

    /// What wasn't taken is tried again at once; how often it was tried is kept. A target that had stopped goes on.
    ///
    /// # Errors
    ///
    /// - [`JournalError::NoSuchTarget`]: there is no such target.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn try_now(&self, id: i64, now: Timestamp) -> Result<(), JournalError> {
        self.0.store.write(|transaction| {
            let Some(target) = one(transaction, id)? else { return Err(JournalError::NoSuchTarget) };
            let is_stopped = target.is_stopped();
            let Some(halt) = target.halt else { return Ok(()) };
            let halt = Some(BlockedEvent { next: now, ..halt }).filter(|_| !is_stopped);
            let halt = halt.map(|halt| serde_json::to_string(&halt)).transpose()?;
            let sql = "UPDATE target SET halt = ?2, revision = revision + 1 WHERE id = ?1";
            transaction.prepare_cached(sql)?.execute(params![id, halt])?;
            Ok(())
        })
    }

    /// All targets in the order in which they were added.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn list(&self) -> Result<Vec<Target>, JournalError> {
        self.0.store.read(|connection| {
            let mut statement = connection.prepare_cached(&format!("SELECT {TARGET} FROM target ORDER BY id"))?;
            let mut rows = statement.query([])?;
            let mut targets = Vec::new();
            while let Some(row) = rows.next()? {
                targets.push(target(row)?);
            }
            Ok(targets)
        })
    }

    /// By what this file's own events are known when they come back.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn origin(&self) -> Result<String, JournalError> {
        self.0.store.read(|connection| Ok(connection.query_row("SELECT name FROM origin", [], |row| row.get(0))?))
    }

    fn set_target(&self, id: i64, sql: &str) -> Result<(), JournalError> {
        let changed = self.0.store.write(|transaction| Ok(transaction.prepare_cached(sql)?.execute([id])?))?;
        if changed == 0 { Err(JournalError::NoSuchTarget) } else { Ok(()) }
    }
}

const TARGET: &str = "id, site, name, address, kinds, keys, paused, began, cursor, took, refused, halt, revision";

fn one(transaction: &Transaction<'_>, id: i64) -> Result<Option<Target>, JournalError> {
    let mut statement = transaction.prepare_cached(&format!("SELECT {TARGET} FROM target WHERE id = ?1"))?;
    let mut rows = statement.query([id])?;
    rows.next()?.map(target).transpose()
}

/// Gives its number.
pub(super) fn insert_target(
    transaction: &Transaction<'_>,
    target: &NewTarget,
    start: Start,
) -> Result<i64, JournalError> {
    let before = before(transaction, start)?;
    let sql = "INSERT INTO target (site, name, address, kinds, keys, began, cursor) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
         RETURNING id";
    let (kinds, keys) = (serde_json::to_string(&target.kinds)?, serde_json::to_string(&target.keys)?);
    let NewTarget { site, name, address, .. } = target;
    let given = params![site, name, address, kinds, keys, before];
    Ok(transaction.prepare_cached(sql)?.query_row(given, |row| row.get(0))?)
}

pub(super) fn update_target(transaction: &Transaction<'_>, id: i64, target: &NewTarget) -> Result<(), JournalError> {
    let sql = "UPDATE target SET name = ?2, address = ?3, kinds = ?4, keys = ?5, halt = NULL, refused = 0,
         revision = revision + 1
         WHERE id = ?1 AND site = ?6";
    let (kinds, keys) = (serde_json::to_string(&target.kinds)?, serde_json::to_string(&target.keys)?);
    let NewTarget { site, name, address, .. } = target;
    transaction.prepare_cached(sql)?.execute(params![id, name, address, kinds, keys, site])?;
    Ok(())
}

/// False where there is none.
pub(super) fn delete_target(transaction: &Transaction<'_>, id: i64) -> Result<bool, JournalError> {
    Ok(transaction.prepare_cached("DELETE FROM target WHERE id = ?1")?.execute([id])? > 0)
}

/// The number of a site's target.
pub(super) fn target_number(
    transaction: &Transaction<'_>,
    site: &str,
    name: &str,
) -> Result<Option<i64>, JournalError> {
    let sql = "SELECT id FROM target WHERE site = ?1 AND name = ?2";
    Ok(transaction.prepare_cached(sql)?.query_row([site, name], |row| row.get(0)).optional()?)
}

/// The number of the last event that came before the start.
fn before(transaction: &Transaction<'_>, start: Start) -> Result<i64, JournalError> {
    let last: i64 = transaction.query_row("SELECT COALESCE(MAX(id), 0) FROM event", [], |row| row.get(0))?;
    let Start::Since(moment) = start else { return Ok(if start == Start::Now { last } else { 0 }) };
    // From the newest on: whoever names a moment means one of the last days.
    // What came along with a desk is older than its number tells.
    let of_team = "AND NOT EXISTS (SELECT 1 FROM event WHERE event.id = reading.event AND event.carried = 1)";
    let of_team = if transaction.session().is_some() { of_team } else { "" };
    let sql = format!("SELECT event FROM reading WHERE received < ?1 {of_team} ORDER BY event DESC LIMIT 1");
    let found = transaction.prepare_cached(&sql)?.query_row([moment.as_millisecond()], |row| row.get(0)).optional()?;
    Ok(found.unwrap_or(0))
}

fn target(row: Row<'_>) -> Result<Target, JournalError> {
    let (kinds, keys): (String, String) = (row.get(4)?, row.get(5)?);
    let halt: Option<String> = row.get(11)?;
    Ok(Target {
        id: row.get(0)?,
        site: row.get(1)?,
        name: row.get(2)?,
        address: row.get(3)?,
        kinds: serde_json::from_str(&kinds)?,
        keys: serde_json::from_str(&keys)?,
        paused: row.get(6)?,
        began: row.get(7)?,
        cursor: row.get(8)?,
        took: row.get::<_, Option<i64>>(9)?.map(time).transpose()?,
        refused: row.get(10)?,
        halt: halt.map(|halt| serde_json::from_str(&halt)).transpose()?,
        revision: row.get(12)?,
    })
}
