//! Targets: the addresses to which a site's events are forwarded, with their progress.
//!
//! A target's queue consists of the events after its cursor. So storing an event also queues it, and it can't be lost
//! between two commits. This module doesn't send events, interpret responses or store a target's secrets.

mod queue;
mod target;

use jiff::Timestamp;

use super::change_record::target_object;
use super::stored_time::time_from_milliseconds;
use crate::JournalError;
use crate::database::{OptionalExtension, Row, Transaction, params};

pub use queue::{Backlog, DueEvent, ForwardResult, ForwardRow, ForwardState};
pub use target::{BlockedEvent, Fault, ForwardStart, NewTarget, Target, TargetKeys, Targets};

impl Targets<'_> {
    /// Adds a target. Its number is never reused.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn add(&self, target: &NewTarget, start: ForwardStart) -> Result<Target, JournalError> {
        let object = target_object(&target.site, &target.name);
        self.0.store.write(|transaction| {
            let add = |transaction: &Transaction<'_>| insert_target(transaction, target, start);
            let id = self.0.store.change_shared(transaction, &object, &object, target.at, add)?;
            load_target(transaction, id)?.ok_or(JournalError::NoSuchTarget)
        })
    }

    /// Changes a target, but not its progress. A blocked event is retried at once.
    ///
    /// # Errors
    ///
    /// - [`JournalError::NoSuchTarget`]: there is no such target.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn change(&self, id: i64, target: &NewTarget) -> Result<Target, JournalError> {
        self.0.store.write(|transaction| {
            let before = load_target(transaction, id)?.ok_or(JournalError::NoSuchTarget)?;
            let old = target_object(&before.site, &before.name);
            let new = target_object(&target.site, &target.name);
            let change = |transaction: &Transaction<'_>| update_target(transaction, id, target);
            self.0.store.change_shared(transaction, &old, &new, target.at, change)?;
            load_target(transaction, id)?.ok_or(JournalError::NoSuchTarget)
        })
    }

    /// Removes a target with the records of its events. Returns false if there is no such target.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn remove(&self, id: i64, at: Timestamp) -> Result<bool, JournalError> {
        self.0.store.write(|transaction| {
            let Some(before) = load_target(transaction, id)? else { return Ok(false) };
            let object = target_object(&before.site, &before.name);
            let remove = |transaction: &Transaction<'_>| delete_target(transaction, id);
            self.0.store.change_shared(transaction, &object, &object, at, remove)
        })
    }

    /// Pauses a target, so that events wait until it is resumed.
    ///
    /// # Errors
    ///
    /// - [`JournalError::NoSuchTarget`]: there is no such target.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn pause(&self, id: i64) -> Result<(), JournalError> {
        self.update_by_id(id, "UPDATE target SET paused = 1 WHERE id = ?1")
    }

    /// Resumes a target where it stopped. With `from_now`, it resumes with the next received event, and waiting events
    /// are never sent.
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

    /// Retries a blocked event at once, without resetting its number of tries. A stopped target continues.
    ///
    /// # Errors
    ///
    /// - [`JournalError::NoSuchTarget`]: there is no such target.
    /// - A [write error](crate::JournalError#writing): it can't be written.
    pub fn try_now(&self, id: i64, now: Timestamp) -> Result<(), JournalError> {
        self.0.store.write(|transaction| {
            let Some(target) = load_target(transaction, id)? else { return Err(JournalError::NoSuchTarget) };
            let is_stopped = target.is_stopped();
            let Some(blocked) = target.blocked_event else { return Ok(()) };
            let blocked = Some(BlockedEvent { next: now, ..blocked }).filter(|_| !is_stopped);
            let blocked = blocked.map(|blocked| serde_json::to_string(&blocked)).transpose()?;
            let sql = "UPDATE target SET halt = ?2, revision = revision + 1 WHERE id = ?1";
            transaction.prepare_cached(sql)?.execute(params![id, blocked])?;
            Ok(())
        })
    }

    /// Returns all targets in the order in which they were added.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn list(&self) -> Result<Vec<Target>, JournalError> {
        self.0.store.read(|connection| {
            let mut statement =
                connection.prepare_cached(&format!("SELECT {TARGET_COLUMNS} FROM target ORDER BY id"))?;
            let mut rows = statement.query([])?;
            let mut targets = Vec::new();
            while let Some(row) = rows.next()? {
                targets.push(target_from_row(row)?);
            }
            Ok(targets)
        })
    }

    /// Returns the unique name of the inbox. Forwarded events contain it, so that they are recognized if they are sent
    /// back.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn origin(&self) -> Result<String, JournalError> {
        self.0.store.read(|connection| Ok(connection.query_row("SELECT name FROM origin", [], |row| row.get(0))?))
    }

    fn update_by_id(&self, id: i64, sql: &str) -> Result<(), JournalError> {
        let changed = self.0.store.write(|transaction| Ok(transaction.prepare_cached(sql)?.execute([id])?))?;
        if changed == 0 { Err(JournalError::NoSuchTarget) } else { Ok(()) }
    }
}

const TARGET_COLUMNS: &str =
    "id, site, name, address, kinds, keys, paused, began, cursor, took, refused, halt, revision";

fn load_target(transaction: &Transaction<'_>, id: i64) -> Result<Option<Target>, JournalError> {
    let mut statement = transaction.prepare_cached(&format!("SELECT {TARGET_COLUMNS} FROM target WHERE id = ?1"))?;
    let mut rows = statement.query([id])?;
    rows.next()?.map(target_from_row).transpose()
}

/// Inserts a target and returns its number.
pub(super) fn insert_target(
    transaction: &Transaction<'_>,
    target: &NewTarget,
    start: ForwardStart,
) -> Result<i64, JournalError> {
    let before = event_before(transaction, start)?;
    let sql = "INSERT INTO target (site, name, address, kinds, keys, began, cursor) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
         RETURNING id";
    let (kinds, keys) = (serde_json::to_string(&target.kinds)?, serde_json::to_string(&target.keys)?);
    let NewTarget { site, name, address, .. } = target;
    let values = params![site, name, address, kinds, keys, before];
    Ok(transaction.prepare_cached(sql)?.query_row(values, |row| row.get(0))?)
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

/// Removes a target. Returns false if there is no such target.
pub(super) fn delete_target(transaction: &Transaction<'_>, id: i64) -> Result<bool, JournalError> {
    Ok(transaction.prepare_cached("DELETE FROM target WHERE id = ?1")?.execute([id])? > 0)
}

/// Returns the number of the site's target with this name, or none if there is no such target.
pub(super) fn find_target(transaction: &Transaction<'_>, site: &str, name: &str) -> Result<Option<i64>, JournalError> {
    let sql = "SELECT id FROM target WHERE site = ?1 AND name = ?2";
    Ok(transaction.prepare_cached(sql)?.query_row([site, name], |row| row.get(0)).optional()?)
}

/// Makes an event that a desk brought into the team owed to all targets that haven't received it. Called if the site
/// sends the event again.
pub(super) fn requeue_for_all_targets(transaction: &Transaction<'_>, event: i64) -> Result<(), JournalError> {
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

/// Returns the number of the last event before the start, or 0 if there is none.
fn event_before(transaction: &Transaction<'_>, start: ForwardStart) -> Result<i64, JournalError> {
    let last: i64 = transaction.query_row("SELECT COALESCE(MAX(id), 0) FROM event", [], |row| row.get(0))?;
    let ForwardStart::Since(time) = start else { return Ok(if start == ForwardStart::Now { last } else { 0 }) };
    // Searches from the newest event, because a chosen time is usually in the last days. Skips events that a desk
    // brought into the team, because their numbers don't follow their times.
    let team_condition = "AND NOT EXISTS (SELECT 1 FROM event WHERE event.id = reading.event AND event.carried = 1)";
    let team_condition = if transaction.session().is_some() { team_condition } else { "" };
    let sql = format!("SELECT event FROM reading WHERE received < ?1 {team_condition} ORDER BY event DESC LIMIT 1");
    let found = transaction.prepare_cached(&sql)?.query_row([time.as_millisecond()], |row| row.get(0)).optional()?;
    Ok(found.unwrap_or(0))
}

fn target_from_row(row: Row<'_>) -> Result<Target, JournalError> {
    let (kinds, keys): (String, String) = (row.get(4)?, row.get(5)?);
    let blocked: Option<String> = row.get(11)?;
    Ok(Target {
        id: row.get(0)?,
        site: row.get(1)?,
        name: row.get(2)?,
        address: row.get(3)?,
        kinds: serde_json::from_str(&kinds)?,
        keys: serde_json::from_str(&keys)?,
        paused: row.get(6)?,
        start_after: row.get(7)?,
        cursor: row.get(8)?,
        last_accepted: row.get::<_, Option<i64>>(9)?.map(time_from_milliseconds).transpose()?,
        consecutive_refusals: row.get(10)?,
        blocked_event: blocked.map(|blocked| serde_json::from_str(&blocked)).transpose()?,
        revision: row.get(12)?,
    })
}
