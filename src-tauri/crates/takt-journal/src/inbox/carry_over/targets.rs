//! Copies a desk's own targets to the team, as new targets or into existing ones. Events that a target has received
//! count as delivered there, and those that wait are owed to it.
//!
//! A new target isn't used before all of that is copied, even if copying is interrupted.

use jiff::Timestamp;

use super::InboxCarryOver;
use crate::database::{OptionalExtension, SqlValue, Transaction, params, params_from_iter};
use crate::inbox::forward::{ForwardRow, NewTarget, Start, Target, insert_target};
use crate::inbox::shared::target_object;
use crate::{JournalError, StoredWord};

/// The number of rows that are copied in one transaction.
const ROWS_PER_TRANSACTION: u32 = 2_000;

/// The team's target for one of the desk's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetDestination {
    /// An existing target.
    Same(i64),
    /// A new target with this name.
    New(String),
}

/// A target of the desk's own that was copied or is being copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CarriedTarget {
    /// The target's number in the team.
    pub target: i64,
    /// True if the team has removed it since.
    pub removed: bool,
    /// True if it was created for this one.
    pub made: bool,
}

impl InboxCarryOver<'_> {
    /// Returns the desk's own targets that are copied.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn own_targets(&self) -> Result<Vec<Target>, JournalError> {
        let targets = self.own.targets().list()?;
        Ok(targets.into_iter().filter(|target| target.site != self.except).collect())
    }

    /// Returns the team's target for one of the desk's own, or none if it wasn't copied.
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

    /// Records the team's target for one of the desk's own. A new one is paused until [`Self::hand_over`].
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
                TargetDestination::New(name) => (self.create_target(transaction, own, name, at)?, true),
            };
            let sql = "INSERT INTO carried_target (origin, own_id, target, made, paused) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (origin, own_id) DO UPDATE SET target = excluded.target, made = excluded.made,
                 paused = excluded.paused";
            transaction.execute(sql, params![origin, own.id, target, made, own.paused])?;
            Ok(CarriedTarget { target, removed: false, made })
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
            let id = insert_target(transaction, &target, Start::Now)?;
            transaction.execute("UPDATE target SET paused = 1 WHERE id = ?1", [id])?;
            Ok(id)
        };
        self.team.store.change_shared(transaction, &object, &object, at, add)
    }

    /// Hands the deliveries of the desk's own target over to the team's target. Delivered and set-aside events are
    /// recorded there, and waiting ones become owed. The desk's own target is paused with an empty queue. No other
    /// thread may send to it meanwhile.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading) or [write error](crate::JournalError#writing). The copied data
    /// stays, and copying it again changes nothing.
    pub fn hand_over(&self, own: &Target, carried: CarriedTarget) -> Result<(), JournalError> {
        let origin = self.own.targets().origin()?;
        let mut after = 0;
        loop {
            let rows = self.own_rows(own.id, after)?;
            let Some(last) = rows.last() else { break };
            after = last.event;
            self.team.store.write(|transaction| write_rows(transaction, &origin, carried.target, &rows))?;
        }
        // Events that were received since weren't copied. They wait for the next time.
        let newest = self.carried_up_to()?;
        self.team.store.write(|transaction| {
            transaction.notify_desks();
            begin_using(transaction, &origin, own, carried)
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
        self.own.targets().rows_after(target, after, ROWS_PER_TRANSACTION)
    }
}

/// Inserts rows with the team's numbers of their events. Existing rows stay.
fn write_rows(
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

/// Makes waiting events owed to the team's target, unless they are in its queue or were sent to it. Starts to use a
/// target that was created for the desk's own.
fn begin_using(
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
