//! Stores new submissions: a small one in one transaction, a large one in several, so that it doesn't block other
//! writers.
//!
//! A large one is in preparation until it is complete, and none of it may be sent. If it isn't wanted, fails or is left
//! by a dead process, it is discarded in several transactions as well.

use std::iter::Peekable;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use crate::approval::request_approval;
use crate::database::{OptionalExtension, Transaction, params};
use crate::item::EncodedItem;
use crate::key_claim_check::claim_keys;
use crate::{
    Journal, JournalError, NewSubmission, PlanId, Run, SubmissionId, SubmissionState,
    item::{self, NewItem},
    step::{NewPlan, NewStep, NewWait},
    submission_record, wait,
};

/// Limits of one transaction.
const MAX_ITEMS_PER_TRANSACTION: usize = 4_000;
const MAX_ROWS_PER_TRANSACTION: usize = 8_000;
const MAX_BYTES_PER_TRANSACTION: usize = 8 * 1024 * 1024;
/// The number of items that are discarded in one transaction.
const ITEMS_PER_DISCARD: u32 = 4_000;

/// Stores the steps of a plan. Discards them if `wanted` returns false, which is called once all items are known.
pub(crate) fn create(
    journal: &Journal,
    steps: Vec<NewStep<'_>>,
    wanted: impl FnOnce() -> bool,
) -> Result<Option<NewPlan>, JournalError> {
    let mut steps = steps.into_iter().map(PreparedStep::prepare).collect::<Result<Vec<_>, _>>()?;
    if fit_together(&steps) {
        return if wanted() { create_at_once(journal, &steps).map(Some) } else { Ok(None) };
    }
    let mut preparations = Vec::new();
    let written = journal.with_bulk_cache(|| prepare(journal, &mut steps, &mut preparations));
    if written.is_err() || !wanted() {
        // Last step first, because later steps refer to earlier ones.
        preparations.into_iter().rev().for_each(Preparation::discard);
        return written.map(|()| None);
    }
    let ids: Vec<SubmissionId> = preparations.iter().map(Preparation::id).collect();
    let submissions: Vec<&NewSubmission> = steps.iter().map(|step| &step.submission).collect();
    let needs_approval = match complete_all(journal, &preparations, &ids, &submissions) {
        Ok(needs_approval) => needs_approval,
        Err(error) => {
            preparations.into_iter().rev().for_each(Preparation::discard);
            return Err(error);
        }
    };
    let run = preparations.into_iter().next().ok_or(JournalError::Abandoned)?.run;
    Ok(Some(NewPlan { run, steps: ids, needs_approval }))
}

/// The items of a step that haven't been made yet.
type RemainingItems<'a> = Peekable<Box<dyn Iterator<Item = NewItem> + 'a>>;

/// A step whose first items have been made, so that it is known whether it needs more than one transaction.
struct PreparedStep<'a> {
    submission: NewSubmission,
    first: Vec<EncodedItem>,
    remaining: RemainingItems<'a>,
    /// True if the first items are all.
    is_complete: bool,
    waits: Vec<NewWait>,
}

impl<'a> PreparedStep<'a> {
    fn prepare(step: NewStep<'a>) -> Result<Self, JournalError> {
        let mut remaining = step.items.peekable();
        let first = next_piece(&mut remaining)?;
        let is_complete = remaining.peek().is_none();
        Ok(Self { submission: step.submission, first, remaining, is_complete, waits: step.waits })
    }
}

/// Returns whether all steps fit into one transaction.
fn fit_together(steps: &[PreparedStep<'_>]) -> bool {
    let items = || steps.iter().flat_map(|step| &step.first);
    let waits: usize = steps.iter().map(|step| step.waits.len()).sum();
    steps.iter().all(|step| step.is_complete)
        && items().count() <= MAX_ITEMS_PER_TRANSACTION
        && items().map(|item| item.rows.len()).sum::<usize>() <= MAX_ROWS_PER_TRANSACTION
        && waits <= MAX_ITEMS_PER_TRANSACTION
}

/// Stores all steps in one transaction, so that no reader sees a part.
fn create_at_once(journal: &Journal, steps: &[PreparedStep<'_>]) -> Result<NewPlan, JournalError> {
    journal.write(|transaction| {
        let mut ids: Vec<SubmissionId> = Vec::new();
        for step in steps {
            let id = submission_record::insert(
                transaction,
                &step.submission,
                initial_state(&ids),
                ids.first().copied().map(PlanId::of_first),
            )?;
            insert_items(transaction, id, 0, &step.first)?;
            if !step.waits.is_empty() {
                wait::insert(transaction, id, &ids, &step.waits)?;
                wait::store_wait_reasons(transaction, id, 1, u32::MAX)?;
            }
            ids.push(id);
        }
        let first = ids.first().copied().ok_or(JournalError::Abandoned)?;
        let submissions: Vec<&NewSubmission> = steps.iter().map(|step| &step.submission).collect();
        let needs_approval = end_preparations(transaction, &ids, &submissions)?;
        // Claimed before the commit, so that it is never visible as running without its lock.
        Ok(NewPlan { run: journal.claim(first)?, steps: ids, needs_approval })
    })
}

/// Returns the state of a new step. The first one runs, and the others are paused until it is their turn.
fn initial_state(before: &[SubmissionId]) -> SubmissionState {
    if before.is_empty() { SubmissionState::Running } else { SubmissionState::Paused }
}

/// Stores each step in several transactions. After an error, `preparations` contains the steps that were begun.
fn prepare<'a>(
    journal: &'a Journal,
    steps: &mut [PreparedStep<'_>],
    preparations: &mut Vec<Preparation<'a>>,
) -> Result<(), JournalError> {
    let mut ids: Vec<SubmissionId> = Vec::new();
    for step in steps {
        let preparation = Preparation::begin(journal, &step.submission, &ids)?;
        let id = preparation.id();
        preparations.push(preparation);
        if let Some(preparation) = preparations.last_mut() {
            preparation.write(std::mem::take(&mut step.first), &mut step.remaining)?;
        }
        journal.refresh_statistics()?;
        for waits in step.waits.chunks(MAX_ITEMS_PER_TRANSACTION) {
            journal.write(|transaction| wait::insert(transaction, id, &ids, waits))?;
            thread::sleep(journal.pause_length());
        }
        if !step.waits.is_empty() {
            wait::store_all_wait_reasons(journal, id)?;
        }
        ids.push(id);
    }
    Ok(())
}

/// A submission that is being stored, with its lock.
struct Preparation<'a> {
    journal: &'a Journal,
    run: Run,
    items: u32,
    /// The time of the last write.
    last_write: Instant,
    /// The time when other writers of the file last got a turn.
    last_yield: Instant,
}

impl<'a> Preparation<'a> {
    /// Inserts the submission itself, after the earlier steps of its plan.
    fn begin(journal: &'a Journal, new: &NewSubmission, before: &[SubmissionId]) -> Result<Self, JournalError> {
        let run = journal.write(|transaction| {
            let id = submission_record::insert(
                transaction,
                new,
                initial_state(before),
                before.first().copied().map(PlanId::of_first),
            )?;
            // Claimed before the commit, so that it is never visible without its lock.
            journal.claim(id)
        })?;
        let now = Instant::now();
        Ok(Self { journal, run, items: 0, last_write: now, last_yield: now })
    }

    fn id(&self) -> SubmissionId {
        self.run.submission()
    }

    /// Inserts items. The next ones are made while the previous ones are written.
    fn write(&mut self, first: Vec<EncodedItem>, remaining: &mut RemainingItems<'_>) -> Result<(), JournalError> {
        let (sender, pieces) = sync_channel::<Vec<EncodedItem>>(1);
        thread::scope(|scope| {
            // The closed channel tells the sender that a piece couldn't be written.
            let write = move || pieces.into_iter().try_for_each(|piece| self.write_piece(&piece));
            let io = |source| JournalError::Io { path: PathBuf::new(), source };
            let writer = thread::Builder::new().spawn_scoped(scope, write).map_err(io)?;
            let all = send_pieces(&sender, first, remaining);
            // The writer ends with the channel.
            drop(sender);
            let written = writer.join().unwrap_or_else(|panic| resume_unwind(panic));
            written.and(all)
        })
    }

    /// Gives other writers of the file a turn, if one is due. The time since the last write counts.
    fn yield_if_due(&mut self) {
        let left = self.journal.pause_length().saturating_sub(self.last_write.elapsed());
        if left.is_zero() {
            self.last_yield = Instant::now();
        } else if self.journal.is_pause_due(self.last_yield) {
            thread::sleep(left);
            self.last_yield = Instant::now();
        }
    }

    fn write_piece(&mut self, piece: &[EncodedItem]) -> Result<(), JournalError> {
        self.yield_if_due();
        let (id, existing) = (self.id(), self.items);
        let inserted =
            self.journal.write_by(&self.run, |transaction| insert_items(transaction, id, existing, piece))?;
        self.items += inserted;
        self.last_write = Instant::now();
        Ok(())
    }

    /// Removes the submission. If that fails, recovery does it later.
    fn discard(self) {
        // The caller reports why it is discarded, not this error.
        drop(discard(self.journal, &self.run));
    }
}

/// Sends pieces to the writing thread until there are no more, or until one couldn't be written. The writing thread has
/// that error.
fn send_pieces(
    sender: &SyncSender<Vec<EncodedItem>>,
    first: Vec<EncodedItem>,
    remaining: &mut RemainingItems<'_>,
) -> Result<(), JournalError> {
    let mut piece = first;
    while !piece.is_empty() && sender.send(piece).is_ok() {
        piece = next_piece(remaining)?;
    }
    Ok(())
}

/// Ends the preparation of all steps at once, or of none. From then on the holder of a submission's lock may send it.
fn complete_all(
    journal: &Journal,
    preparations: &[Preparation<'_>],
    ids: &[SubmissionId],
    submissions: &[&NewSubmission],
) -> Result<bool, JournalError> {
    journal.write(|transaction| {
        for preparation in preparations {
            preparation.run.ensure_held(transaction.session())?;
        }
        end_preparations(transaction, ids, submissions)
    })
}

/// Removes the records of an unfinished submission. The caller must hold its lock.
pub(crate) fn discard(journal: &Journal, run: &Run) -> Result<(), JournalError> {
    while journal.write_by(run, |transaction| discard_piece(transaction, run.submission()))? {
        thread::sleep(journal.pause_length());
    }
    Ok(())
}

/// Returns whether there is more to discard.
fn discard_piece(transaction: &Transaction<'_>, id: SubmissionId) -> Result<bool, JournalError> {
    let sql = "SELECT preparing FROM submission WHERE id = ?1";
    let preparing: Option<bool> = transaction.query_row(sql, [id], |row| row.get(0)).optional()?;
    if preparing != Some(true) {
        return Ok(false);
    }
    let sql = "SELECT MAX(number) FROM item WHERE submission = ?1";
    let last: Option<u32> = transaction.query_row(sql, [id], |row| row.get(0))?;
    let Some(last) = last else {
        // Requests exist only if they were imported. They can be removed once their submission counts as purged.
        transaction.execute("UPDATE submission SET purged = started WHERE id = ?1 AND purged IS NULL", [id])?;
        let sql = "DELETE FROM attempt WHERE submission = ?1 AND batch IN (SELECT batch FROM attempt WHERE submission = ?1 LIMIT ?2)";
        if transaction.execute(sql, params![id, ITEMS_PER_DISCARD])? > 0 {
            return Ok(true);
        }
        transaction.execute("DELETE FROM submission WHERE id = ?1", [id])?;
        return Ok(false);
    };
    let from = last.saturating_sub(ITEMS_PER_DISCARD);
    item::remove_after(transaction, id, from)?;
    Ok(true)
}

/// Ends the preparation of a plan's steps and claims their keys. Returns true if the plan waits for a second person,
/// and then claims none.
fn end_preparations(
    transaction: &Transaction<'_>,
    ids: &[SubmissionId],
    submissions: &[&NewSubmission],
) -> Result<bool, JournalError> {
    let deletes = submissions.iter().any(|step| step.deletes);
    let needs_approval = match submissions.first() {
        Some(first) => request_approval(transaction, ids, first, deletes)?,
        None => false,
    };
    for (&id, step) in ids.iter().zip(submissions) {
        if !needs_approval {
            claim_keys(transaction, id, step.claimed)?;
        }
        end_preparation(transaction, id)?;
    }
    transaction.notify_desks();
    Ok(needs_approval)
}

fn end_preparation(transaction: &Transaction<'_>, id: SubmissionId) -> Result<(), JournalError> {
    let sql = "UPDATE submission SET preparing = FALSE WHERE id = ?1 AND preparing";
    let changed = transaction.prepare_cached(sql)?.execute([id])?;
    if changed == 1 { Ok(()) } else { Err(JournalError::LostRace { submission: id, what: "the state" }) }
}

/// Inserts items after the `existing` ones and updates the counters. Returns their number.
fn insert_items(
    transaction: &Transaction<'_>,
    id: SubmissionId,
    existing: u32,
    items: &[EncodedItem],
) -> Result<u32, JournalError> {
    let inserted = item::insert(transaction, id, existing, items)?;
    transaction.execute_later(
        "UPDATE submission SET items = items + ?2, pending_items = pending_items + ?3, total = total + ?4,
             pending = pending + ?5, skipped = skipped + ?6 WHERE id = ?1",
        params![
            id,
            inserted.items,
            inserted.pending_items,
            inserted.counts.total(),
            inserted.counts.pending,
            inserted.counts.skipped
        ],
    )?;
    Ok(inserted.items)
}

/// Returns as many of the next items as fit into one transaction, or none at the end.
fn next_piece(items: &mut impl Iterator<Item = NewItem>) -> Result<Vec<EncodedItem>, JournalError> {
    let (mut piece, mut rows, mut bytes) = (Vec::new(), 0, 0);
    while piece.len() < MAX_ITEMS_PER_TRANSACTION
        && rows < MAX_ROWS_PER_TRANSACTION
        && bytes < MAX_BYTES_PER_TRANSACTION
    {
        let Some(item) = items.next() else { break };
        let item = EncodedItem::encode(item)?;
        rows += item.rows.len();
        bytes += item.size();
        piece.push(item);
    }
    Ok(piece)
}
