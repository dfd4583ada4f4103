//! Targets that come along: each as it is, or as the team's target that is the same. What it has got, it has got there, too; what it was to
//! get still is owed to it.
//!
//! A target that is made for one isn't in use before all of that is there, however copying ends.

use jiff::Timestamp;

use super::super::{
    forward::{ForwardRow, NewTarget, Start, Target, insert_target},
    shared::target_of,
};
use super::InboxCarryOver;
use crate::database::{OptionalExtension, SqlValue, Transaction, params, params_from_iter};
use crate::{JournalError, StoredWord};

/// Rows that are copied in one transaction.
const AT_ONCE: u32 = 2_000;

/// Which target of the team one of the desk's own is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetDestination {
    /// One that stands there.
    Same(i64),
    /// A new one under this name.
    New(String),
}

/// A target of the desk's own that has come along, or is about to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CarriedTarget {
    /// Its number in the team.
    pub target: i64,
    /// The team has removed it since.
    pub removed: bool,
    /// It was made for this one.
    pub made: bool,
}

impl InboxCarryOver<'_> {
    /// The desk's own targets that come along.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn own_targets(&self) -> Result<Vec<Target>, JournalError> {
        let targets = self.own.targets().list()?;
        Ok(targets.into_iter().filter(|target| target.site != self.except).collect())
    }

    /// As which target of the team one of the desk's own has come along; nothing where it hasn't.
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
                Ok(CarriedTarget { target: row.get(0)?, made: row.get(1)?, removed: row.get(2)? })
            };
            Ok(statement.query_row(params![origin, own], read).optional()?)
        })
    }

    /// Writes down which target of the team one of the desk's own is. A new one is paused until [`Self::hand_over`].
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn place_target(
        &self,
        own: &Target,
        destination: &TargetDestination,
        at: Timestamp,
    ) -> Result<CarriedTarget, JournalError> {
        let origin = self.own.targets().origin()?;
        self.team.store.write(|transaction| {
            let (target, made) = match destination {
                TargetDestination::Same(target) => (*target, false),
                TargetDestination::New(name) => (self.make(transaction, own, (name, at))?, true),
            };
            let sql = "INSERT INTO carried_target (origin, own_id, target, made, paused) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (origin, own_id) DO UPDATE SET target = excluded.target, made = excluded.made,
                 paused = excluded.paused";
            transaction.execute(sql, params![origin, own.id, target, made, own.paused])?;
            Ok(CarriedTarget { target, removed: false, made })
        })
    }

    fn make(
        &self,
        transaction: &Transaction<'_>,
        own: &Target,
        (name, at): (&str, Timestamp),
    ) -> Result<i64, JournalError> {
        let Target { site, address, kinds, keys, .. } = own.clone();
        let target = NewTarget { site, name: name.to_owned(), address, kinds, keys, at };
        let thing = target_of(&target.site, &target.name);
        let add = |transaction: &Transaction<'_>| {
            let id = insert_target(transaction, &target, Start::Now)?;
            transaction.execute("UPDATE target SET paused = 1 WHERE id = ?1", [id])?;
            Ok(id)
        };
        self.team.store.change_shared(transaction, (&thing, &thing), at, add)
    }

    /// What the desk's own target got counts as got by the team's, what is set aside is so there, and what it was to get still is owed to
    /// it; from here on the team sends. The desk's own target is paused, and nothing waits for it any more: it must not be sent to
    /// meanwhile.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading) or [write error](crate::JournalError#writing); what was copied stays, and once more
    /// changes nothing of it.
    pub fn hand_over(&self, own: &Target, carried: CarriedTarget) -> Result<(), JournalError> {
        let origin = self.own.targets().origin()?;
        let mut after = 0;
        loop {
            let rows = self.own_rows(own.id, after)?;
            let Some(last) = rows.last() else { break };
            after = last.event;
            self.team.store.write(|transaction| write_rows(transaction, (&origin, carried.target), &rows))?;
        }
        // What came since hasn't come along, and waits for the next time.
        let newest = self.carried_up_to()?;
        self.team.store.write(|transaction| {
            transaction.tell();
            begin_using(transaction, (&origin, own), carried)
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

    fn own_rows(&self, target: i64, after: i64) -> Result<Vec<ForwardRow>, JournalError> {
        self.own.targets().rows_after(target, after, AT_ONCE)
    }
}

/// By the numbers that these events have in the team. What is known there already stays.
fn write_rows(
    transaction: &Transaction<'_>,
    (origin, target): (&str, i64),
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

/// What waited at the desk's own target is owed to the team's, unless it is in its queue or was sent to it; and one that was made for it is
/// used from here on.
fn begin_using(
    transaction: &Transaction<'_>,
    (origin, own): (&str, &Target),
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
