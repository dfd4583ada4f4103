//! Plans: submissions that go one after the other, and items that wait for others of earlier ones.

use std::collections::{BTreeMap, HashSet};

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::{
    Fate, Journal, JournalError, NewStep, NewWait, Reason, Run, SubmissionState,
    connection::GIVE_WAY,
    fate::reasons_text,
    preparation::{Plan, Preparation, complete_all, create_steps_at_once, fit_together},
    submission_record,
};

/// Items that are changed in one transaction.
const AT_ONCE: usize = 4_000;
/// The reason code of items that wait for another; `sheet` and `row` name it.
pub const WAITS_FOR: &str = "waits-for";

/// Submissions that go one after the other, and what waits between them.
#[derive(Debug, Clone, Copy)]
pub struct Plans<'a>(pub(crate) &'a Journal);

impl Journal {
    /// Submissions that go one after the other, and what waits between them.
    #[must_use]
    pub fn plans(&self) -> Plans<'_> {
        Plans(self)
    }
}

impl Plans<'_> {
    /// Writes all steps down, as paused. Gives their numbers; the first one is the plan's, too. Large ones take several
    /// transactions; all steps are ready with the last one, until then they are being prepared.
    ///
    /// # Errors
    /// Where the journal can't be written.
    pub fn create(&self, steps: Vec<NewStep>) -> Result<Vec<u32>, JournalError> {
        if fit_together(&steps) {
            return create_steps_at_once(self.0, steps, |transaction, id, ids, waits| {
                insert(transaction, id, ids, waits)?;
                tell(transaction, id, (1, u32::MAX))
            });
        }
        let mut preparations = Vec::new();
        match self.prepare_steps(steps, &mut preparations) {
            Ok(()) => {
                let runs = complete_all(preparations)?;
                Ok(runs.iter().map(Run::submission).collect())
            }
            Err(error) => {
                // Later steps refer to earlier ones.
                preparations.into_iter().rev().for_each(Preparation::discard);
                Err(error)
            }
        }
    }

    fn prepare_steps<'a>(
        &'a self,
        steps: Vec<NewStep>,
        preparations: &mut Vec<Preparation<'a>>,
    ) -> Result<(), JournalError> {
        let mut ids: Vec<u32> = Vec::new();
        for step in steps {
            let plan = ids.first().map_or(Plan::First, |first| Plan::Of(*first));
            let preparation = Preparation::begin(self.0, &step.submission, SubmissionState::Paused, plan)?;
            let id = preparation.id();
            preparations.push(preparation);
            if let Some(preparation) = preparations.last_mut() {
                preparation.write(step.items)?;
            }
            for waits in step.waits.chunks(AT_ONCE) {
                self.0.write(|transaction| insert(transaction, id, &ids, waits))?;
                std::thread::sleep(GIVE_WAY);
            }
            self.tell(id)?;
            ids.push(id);
        }
        Ok(())
    }

    /// The submissions of a plan, in its order. Nothing where there is no such plan.
    ///
    /// # Errors
    /// Where the journal can't be read.
    pub fn steps(&self, plan: u32) -> Result<Vec<u32>, JournalError> {
        self.0.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT id FROM submission WHERE plan = ?1 ORDER BY id")?;
            let ids = statement.query_map([plan], |row| row.get(0))?.collect::<Result<_, _>>()?;
            Ok(ids)
        })
    }

    /// Rows of pending items that wait for others.
    ///
    /// # Errors
    /// Where the journal can't be read.
    pub fn waiting(&self, submission: u32) -> Result<u32, JournalError> {
        self.0.read(|connection| {
            let sql = "SELECT COALESCE(SUM(rows), 0) FROM item WHERE submission = ?1 AND fate = 'pending'
                       AND number IN (SELECT item FROM wait WHERE submission = ?1)";
            Ok(connection.prepare_cached(sql)?.query_row([submission], |row| row.get(0))?)
        })
    }

    /// Lets go what waits for nothing any more: the other was accepted, or a later submission to the same site had the same
    /// item accepted. Gives the rows that still wait.
    ///
    /// # Errors
    /// Where the journal can't be written.
    pub fn release_waits(&self, run: &Run) -> Result<u32, JournalError> {
        let submission = run.submission();
        let accepted = self.0.read(|connection| accepted(connection, submission))?;
        for others in accepted.chunks(AT_ONCE) {
            self.0.write(|transaction| release(transaction, submission, others))?;
        }
        self.tell(submission)?;
        self.waiting(submission)
    }

    /// A person decided that what waits isn't sent. Gives its rows.
    ///
    /// # Errors
    /// Where the journal can't be written.
    pub fn skip_waiting(&self, run: &Run) -> Result<u32, JournalError> {
        let submission = run.submission();
        let mut skipped = 0;
        loop {
            let piece = self.0.write(|transaction| skip_piece(transaction, submission))?;
            match piece {
                Some(rows) => skipped += rows,
                None => return Ok(skipped),
            }
        }
    }

    /// Says of each pending item for which row it waits, or that it doesn't.
    fn tell(&self, submission: u32) -> Result<(), JournalError> {
        let waits = self.0.read(|connection| {
            let sql = "SELECT EXISTS (SELECT 1 FROM wait WHERE submission = ?1) OR EXISTS (SELECT 1 FROM item
                       WHERE submission = ?1 AND fate = 'pending' AND reasons LIKE ?2)";
            Ok(connection.query_row(sql, params![submission, told()], |row| row.get::<_, bool>(0))?)
        })?;
        if !waits {
            return Ok(());
        }
        let items = items_of(submission, self.0)?;
        let step = u32::try_from(AT_ONCE).unwrap_or(u32::MAX);
        for first in (1..=items).step_by(AT_ONCE) {
            self.0.write(|transaction| tell(transaction, submission, (first, first.saturating_add(step - 1))))?;
        }
        Ok(())
    }
}

/// How many items a submission has.
fn items_of(submission: u32, journal: &Journal) -> Result<u32, JournalError> {
    journal.read(|connection| {
        Ok(connection.query_row("SELECT items FROM submission WHERE id = ?1", [submission], |row| row.get(0))?)
    })
}

fn release(transaction: &Transaction<'_>, submission: u32, others: &[(u32, u32)]) -> Result<(), JournalError> {
    let mut statement = transaction.prepare_cached(
        "DELETE FROM wait WHERE submission = ?1 AND (item, reference) IN
         (SELECT item, reference FROM wait WHERE submission = ?1 AND other_submission = ?2 AND other_item = ?3)",
    )?;
    for (other, item) in others {
        statement.execute(params![submission, other, item])?;
    }
    Ok(())
}

/// Gives the rows of some items that waited; nothing where none is left.
fn skip_piece(transaction: &Transaction<'_>, submission: u32) -> Result<Option<u32>, JournalError> {
    let mut statement =
        transaction.prepare_cached("SELECT DISTINCT item FROM wait WHERE submission = ?1 ORDER BY item LIMIT ?2")?;
    let items: Vec<u32> = statement
        .query_map(params![submission, i64::try_from(AT_ONCE).unwrap_or(i64::MAX)], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    if items.is_empty() {
        return Ok(None);
    }
    let mut skip = transaction.prepare_cached(
        "UPDATE item SET fate = 'skipped' WHERE submission = ?1 AND number = ?2 AND fate = 'pending' RETURNING rows",
    )?;
    let mut release = transaction.prepare_cached("DELETE FROM wait WHERE submission = ?1 AND item = ?2")?;
    let mut moved = (0, 0);
    for item in items {
        let rows: Option<u32> = skip.query_row([submission, item], |row| row.get(0)).optional()?;
        moved = (moved.0 + u32::from(rows.is_some()), moved.1 + rows.unwrap_or(0));
        release.execute([submission, item])?;
    }
    submission_record::move_counts(transaction, submission, Fate::Pending, Fate::Skipped, moved)?;
    Ok(Some(moved.1))
}

fn insert(transaction: &Transaction<'_>, id: u32, steps: &[u32], waits: &[NewWait]) -> Result<(), JournalError> {
    let mut statement = transaction.prepare_cached(
        "INSERT OR IGNORE INTO wait (submission, item, reference, other_submission, other_item) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for wait in waits {
        let other = steps.get(wait.step).ok_or(JournalError::RowsDiffer)?;
        statement.execute(params![id, wait.item, wait.reference, other, wait.other])?;
    }
    Ok(())
}

/// Those that are waited for and were accepted, there or in a later submission.
fn accepted(connection: &Connection, submission: u32) -> Result<Vec<(u32, u32)>, JournalError> {
    let mut statement = connection.prepare_cached(
        "SELECT DISTINCT other_submission, other_item, item.key, item.fate = 'accepted' FROM wait
         JOIN item ON item.submission = other_submission AND item.number = other_item WHERE wait.submission = ?1",
    )?;
    let others: Vec<(u32, u32, String, bool)> = statement
        .query_map([submission], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
        .collect::<Result<_, _>>()?;
    let mut open: BTreeMap<u32, Vec<(u32, String)>> = BTreeMap::new();
    let mut accepted = Vec::new();
    for (other, item, key, is_accepted) in others {
        if is_accepted {
            accepted.push((other, item));
        } else {
            open.entry(other).or_default().push((item, key));
        }
    }
    for (other, items) in open {
        let since = accepted_since(connection, other)?;
        accepted.extend(items.into_iter().filter(|(_, key)| since.contains(key)).map(|(item, _)| (other, item)));
    }
    Ok(accepted)
}

/// The keys that later submissions of the same operation to the same site had accepted.
pub(crate) fn accepted_since(connection: &Connection, submission: u32) -> Result<HashSet<String>, JournalError> {
    let mut statement = connection.prepare_cached(
        "SELECT item.key FROM submission AS own
         JOIN submission AS later ON later.id > own.id AND later.site = own.site AND later.base_url = own.base_url
             AND later.operation = own.operation
         JOIN item ON item.submission = later.id AND item.fate = 'accepted' WHERE own.id = ?1",
    )?;
    let keys = statement.query_map([submission], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(keys)
}

/// The same of some items, by their numbers.
fn tell(transaction: &Transaction<'_>, submission: u32, (first, last): (u32, u32)) -> Result<(), JournalError> {
    let mut statement = transaction.prepare_cached(
        "SELECT wait.item, row.sheet, MIN(row.row) FROM wait
         JOIN submission AS other ON other.id = other_submission
         JOIN row ON row.submission = other_submission AND row.item = other_item AND row.sheet = other.sheet
         JOIN item ON item.submission = wait.submission AND item.number = wait.item AND item.fate = 'pending'
         WHERE wait.submission = ?1 AND wait.item BETWEEN ?2 AND ?3 GROUP BY wait.item",
    )?;
    let waiting: Vec<(u32, String, u32)> = statement
        .query_map([submission, first, last], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<Result<_, _>>()?;
    transaction
        .prepare_cached(
            "UPDATE item SET reasons = NULL WHERE submission = ?1 AND number BETWEEN ?2 AND ?3
             AND fate = 'pending' AND reasons LIKE ?4",
        )?
        .execute(params![submission, first, last, told()])?;
    let mut statement =
        transaction.prepare_cached("UPDATE item SET reasons = ?3 WHERE submission = ?1 AND number = ?2")?;
    for (item, sheet, row) in waiting {
        let parameters = BTreeMap::from([("sheet".to_owned(), sheet), ("row".to_owned(), row.to_string())]);
        let reason = Reason::Because { code: WAITS_FOR.to_owned(), parameters };
        statement.execute(params![submission, item, reasons_text(&[reason])?])?;
    }
    Ok(())
}

/// What reasons look like that name a row that is waited for.
fn told() -> String {
    format!("%\"{WAITS_FOR}\"%")
}
