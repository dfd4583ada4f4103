//! Stores new plans: a small one in one transaction, a large one in several, so that it doesn't block other writers.
//!
//! A large plan is in preparation until it is complete, and none of its items may be sent before. If storing fails or
//! is canceled, or the process dies, the plan is discarded, also in several transactions.

use std::thread;
use std::time::Instant;

use crate::approval::request_approval;
use crate::database::{OptionalExtension, Transaction, params};
use crate::item::EncodedItem;
use crate::key_claim_check::claim_keys;
use crate::{
    Journal, JournalError, NewSubmission, PlanId, Plans, Run, SubmissionId, SubmissionState, item,
    plan::{self, NewWait},
    submission_record,
};

/// The limits of one transaction. They limit how long other writers are blocked.
const MAX_ITEMS_PER_TRANSACTION: usize = 4_000;
const MAX_ROWS_PER_TRANSACTION: usize = 8_000;
const MAX_BYTES_PER_TRANSACTION: usize = 8 * 1024 * 1024;
/// The number of items or requests that one transaction discards. It limits how long other writers are blocked.
const ITEMS_PER_DISCARD: u32 = 4_000;

/// A stored plan, with the right to run its first step.
#[derive(Debug)]
pub struct NewPlan {
    /// The right to run the first step.
    pub run: Run,
    /// The submissions of all steps, in order. The plan has the number of the first one.
    pub steps: Vec<SubmissionId>,
    /// True if a second person has to approve the plan before any of it runs.
    pub needs_approval: bool,
}

impl<'a> Plans<'a> {
    /// Returns a writer that stores a plan.
    #[must_use]
    pub fn writer(&self) -> PlanWriter<'a> {
        PlanWriter::new(self.0)
    }
}

/// Stores a plan step by step, with the items of each step in order.
///
/// Nothing of the plan may be sent before [`Self::complete`]. If the writer is dropped before, it discards everything
/// it stored.
///
/// ```
/// use takt_journal::{Journal, NewSubmission, item::NewItem};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let journal = Journal::open(&folder.path().join("journal.sqlite"))?;
/// let mut writer = journal.plans().writer();
/// writer.begin_step(NewSubmission { operation: "materials.sync".to_owned(), ..NewSubmission::default() });
/// for row in 2..5 {
///     let item = NewItem { rows: vec![("Sheet1".to_owned(), row)], key: format!("M-{row}"), ..NewItem::default() };
///     writer.add_item(item.encode()?)?;
/// }
/// let plan = writer.complete()?;
/// assert_eq!(journal.submission(plan.steps[0])?.items, 3);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct PlanWriter<'a> {
    journal: &'a Journal,
    steps: Vec<WrittenStep<'a>>,
    /// The total size of the items that aren't stored yet, in all steps.
    unstored: UnstoredSize,
    has_bulk_cache: bool,
}

/// A step whose items are stored once there are too many for one transaction.
#[derive(Debug)]
struct WrittenStep<'a> {
    submission: NewSubmission,
    /// The items that aren't stored yet.
    items: Vec<EncodedItem>,
    waits: Vec<NewWait>,
    /// Absent while all items of the plan fit into one transaction.
    preparation: Option<Preparation<'a>>,
}

/// The total size of the items that the next transaction stores.
#[derive(Debug, Default)]
struct UnstoredSize {
    items: usize,
    rows: usize,
    bytes: usize,
}

impl UnstoredSize {
    fn add(&mut self, item: &EncodedItem) {
        self.items += 1;
        self.rows += item.rows.len();
        self.bytes += item.size();
    }

    /// Returns whether a limit of one transaction is reached.
    fn is_full(&self) -> bool {
        self.items >= MAX_ITEMS_PER_TRANSACTION
            || self.rows >= MAX_ROWS_PER_TRANSACTION
            || self.bytes >= MAX_BYTES_PER_TRANSACTION
    }
}

impl<'a> PlanWriter<'a> {
    fn new(journal: &'a Journal) -> Self {
        Self { journal, steps: Vec::new(), unstored: UnstoredSize::default(), has_bulk_cache: false }
    }

    /// Begins the plan's next step. The following items belong to it.
    pub fn begin_step(&mut self, submission: NewSubmission) {
        self.steps.push(WrittenStep { submission, items: Vec::new(), waits: Vec::new(), preparation: None });
    }

    /// Adds an item to the current step. Stores the earlier items first if there are enough for a transaction.
    ///
    /// # Errors
    ///
    /// - [`JournalError::Abandoned`]: no step was begun.
    /// - [`JournalError::RowsDiffer`]: two earlier items of a step have the same row.
    /// - A [write error](crate::JournalError#writing): the earlier items can't be stored.
    pub fn add_item(&mut self, item: EncodedItem) -> Result<(), JournalError> {
        if self.unstored.is_full() {
            self.store_items()?;
        }
        self.unstored.add(&item);
        self.steps.last_mut().ok_or(JournalError::Abandoned)?.items.push(item);
        Ok(())
    }

    /// Limits the current step to a trial run, which sends no item after the item with this number.
    ///
    /// # Errors
    ///
    /// - [`JournalError::Abandoned`]: no step was begun.
    /// - A [write error](crate::JournalError#writing): the limit can't be stored.
    pub fn limit_trial(&mut self, last: u32) -> Result<(), JournalError> {
        let step = self.steps.last_mut().ok_or(JournalError::Abandoned)?;
        step.submission.trial = Some(last);
        let Some(preparation) = &step.preparation else { return Ok(()) };
        let (journal, id) = (self.journal, preparation.id());
        journal.write_with_run(&preparation.run, |transaction| {
            transaction.execute("UPDATE submission SET trial = ?2 WHERE id = ?1", params![id, last])?;
            Ok(())
        })
    }

    /// Makes items of the current step wait for items of earlier steps.
    ///
    /// # Errors
    ///
    /// [`JournalError::Abandoned`]: no step was begun.
    pub fn add_waits(&mut self, waits: Vec<NewWait>) -> Result<(), JournalError> {
        self.steps.last_mut().ok_or(JournalError::Abandoned)?.waits.extend(waits);
        Ok(())
    }

    /// Completes the plan, so that its first step may be sent by the holder of the returned [`Run`].
    ///
    /// # Errors
    ///
    /// - [`JournalError::Abandoned`]: the plan has no steps.
    /// - [`JournalError::RowsDiffer`]: two items of a step have the same row, or an item waits for an item of a step
    ///   that isn't earlier.
    /// - [`JournalError::KeysClaimed`]: other desks of the team are sending some of the keys.
    /// - [`JournalError::FileBeingSent`]: without a team, another plan is sending the same file.
    /// - A [write error](crate::JournalError#writing): the plan can't be written. Its stored parts are discarded, at
    ///   the latest by the next recovery.
    pub fn complete(mut self) -> Result<NewPlan, JournalError> {
        let waits: usize = self.steps.iter().map(|step| step.waits.len()).sum();
        let is_unstored = self.steps.iter().all(|step| step.preparation.is_none());
        if is_unstored && waits <= MAX_ITEMS_PER_TRANSACTION {
            return store_at_once(self.journal, &self.steps);
        }
        self.store_items()?;
        self.store_waits()?;
        let needs_approval = self.end_all_preparations()?;
        let mut preparations = self.steps.drain(..).filter_map(|step| step.preparation);
        let first = preparations.next().ok_or(JournalError::Abandoned)?;
        let steps = std::iter::once(first.id()).chain(preparations.map(|preparation| preparation.id())).collect();
        Ok(NewPlan { run: first.run, steps, needs_approval })
    }

    /// Stores all items that aren't stored yet. Afterwards the plan is in preparation.
    fn store_items(&mut self) -> Result<(), JournalError> {
        let journal = self.journal;
        if !self.has_bulk_cache {
            journal.use_bulk_cache(true)?;
            self.has_bulk_cache = true;
        }
        let mut ids: Vec<SubmissionId> = Vec::new();
        for step in &mut self.steps {
            if step.preparation.is_none() {
                step.preparation = Some(Preparation::begin(journal, &step.submission, &ids)?);
            }
            let Some(preparation) = &mut step.preparation else { continue };
            ids.push(preparation.id());
            if !step.items.is_empty() {
                preparation.write_items(&step.items)?;
                step.items.clear();
            }
        }
        self.unstored = UnstoredSize::default();
        Ok(())
    }

    fn store_waits(&mut self) -> Result<(), JournalError> {
        let journal = self.journal;
        let mut ids: Vec<SubmissionId> = Vec::new();
        journal.refresh_statistics()?;
        for step in &self.steps {
            let Some(preparation) = &step.preparation else { continue };
            let id = preparation.id();
            for waits in step.waits.chunks(MAX_ITEMS_PER_TRANSACTION) {
                journal.write(|transaction| plan::insert_waits(transaction, id, &ids, waits))?;
                thread::sleep(journal.pause_length());
            }
            if !step.waits.is_empty() {
                plan::store_all_wait_reasons(journal, id)?;
            }
            ids.push(id);
        }
        Ok(())
    }

    /// Ends the preparation of all steps in one transaction. Afterwards, the holder of a submission's lock may send it.
    /// Returns whether the plan waits for a second person.
    fn end_all_preparations(&self) -> Result<bool, JournalError> {
        let preparations = || self.steps.iter().filter_map(|step| step.preparation.as_ref());
        let ids: Vec<SubmissionId> = preparations().map(Preparation::id).collect();
        let submissions: Vec<&NewSubmission> = self.steps.iter().map(|step| &step.submission).collect();
        self.journal.write(|transaction| {
            for preparation in preparations() {
                preparation.run.ensure_held(transaction.session())?;
            }
            end_preparations(self.journal, transaction, &ids, &submissions)
        })
    }
}

impl Drop for PlanWriter<'_> {
    fn drop(&mut self) {
        // Last step first, because later steps refer to earlier ones.
        self.steps.drain(..).rev().filter_map(|step| step.preparation).for_each(Preparation::discard);
        if self.has_bulk_cache {
            // If this fails, the cache is only larger than needed.
            drop(self.journal.use_bulk_cache(false));
        }
    }
}

/// Stores all steps in one transaction, so that no reader sees a part.
fn store_at_once(journal: &Journal, steps: &[WrittenStep<'_>]) -> Result<NewPlan, JournalError> {
    journal.write(|transaction| {
        let mut ids: Vec<SubmissionId> = Vec::new();
        for step in steps {
            let id = submission_record::insert(
                transaction,
                &step.submission,
                initial_state(&ids),
                ids.first().copied().map(PlanId::from_first),
            )?;
            insert_items(transaction, id, 0, &step.items)?;
            if !step.waits.is_empty() {
                plan::insert_waits(transaction, id, &ids, &step.waits)?;
                plan::store_wait_reasons(transaction, id, 1, u32::MAX)?;
            }
            ids.push(id);
        }
        let first = ids.first().copied().ok_or(JournalError::Abandoned)?;
        let submissions: Vec<&NewSubmission> = steps.iter().map(|step| &step.submission).collect();
        let needs_approval = end_preparations(journal, transaction, &ids, &submissions)?;
        // Claimed before the commit, so that the submission is never visible as running without its lock.
        Ok(NewPlan { run: journal.claim(first)?, steps: ids, needs_approval })
    })
}

/// Returns the state of a new step. The first one runs, and the others are paused until it is their turn.
fn initial_state(before: &[SubmissionId]) -> SubmissionState {
    if before.is_empty() { SubmissionState::Running } else { SubmissionState::Paused }
}

/// A submission that is being stored, with its lock.
#[derive(Debug)]
struct Preparation<'a> {
    journal: &'a Journal,
    run: Run,
    items: u32,
    last_write: Instant,
    /// The time of the last pause for other writers of the file.
    last_yield: Instant,
}

impl<'a> Preparation<'a> {
    /// Inserts the record of a submission and claims it. `before` are the earlier steps of its plan.
    fn begin(journal: &'a Journal, new: &NewSubmission, before: &[SubmissionId]) -> Result<Self, JournalError> {
        let run = journal.write(|transaction| {
            let id = submission_record::insert(
                transaction,
                new,
                initial_state(before),
                before.first().copied().map(PlanId::from_first),
            )?;
            // Claimed before the commit, so that the submission is never visible without its lock.
            journal.claim(id)
        })?;
        let now = Instant::now();
        Ok(Self { journal, run, items: 0, last_write: now, last_yield: now })
    }

    fn id(&self) -> SubmissionId {
        self.run.submission()
    }

    /// Pauses for other writers if a pause is due. The time since the last write is part of the pause.
    fn yield_if_due(&mut self) {
        let pause = self.journal.pause_length().saturating_sub(self.last_write.elapsed());
        if pause.is_zero() {
            self.last_yield = Instant::now();
        } else if self.journal.is_pause_due(self.last_yield) {
            thread::sleep(pause);
            self.last_yield = Instant::now();
        }
    }

    fn write_items(&mut self, items: &[EncodedItem]) -> Result<(), JournalError> {
        self.yield_if_due();
        let (id, existing) = (self.id(), self.items);
        let inserted =
            self.journal.write_with_run(&self.run, |transaction| insert_items(transaction, id, existing, items))?;
        self.items += inserted;
        self.last_write = Instant::now();
        Ok(())
    }

    /// Removes the submission. If that fails, recovery does it later.
    fn discard(self) {
        // Ignores the error, because the caller reports why the submission is discarded.
        drop(discard(self.journal, &self.run));
    }
}

/// Removes the records of an unfinished submission. The caller must hold its lock.
pub(crate) fn discard(journal: &Journal, run: &Run) -> Result<(), JournalError> {
    while journal.write_with_run(run, |transaction| discard_some_records(transaction, run.submission()))? {
        thread::sleep(journal.pause_length());
    }
    Ok(())
}

/// Removes some records of an unfinished submission. Returns whether more remain.
fn discard_some_records(transaction: &Transaction<'_>, id: SubmissionId) -> Result<bool, JournalError> {
    let sql = "SELECT preparing FROM submission WHERE id = ?1";
    let preparing: Option<bool> = transaction.query_row(sql, [id], |row| row.get(0)).optional()?;
    if preparing != Some(true) {
        return Ok(false);
    }
    let sql = "SELECT MAX(number) FROM item WHERE submission = ?1";
    let last: Option<u32> = transaction.query_row(sql, [id], |row| row.get(0))?;
    let Some(last) = last else {
        // Only an imported submission has requests. The database allows removing them once the submission is marked as
        // purged.
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

/// Ends the preparation of a plan's steps and claims their keys. Returns true if the plan waits for a second person.
/// Then no keys are claimed.
fn end_preparations(
    journal: &Journal,
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
            claim_keys(journal, transaction, id, step.claimed)?;
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

/// Inserts items after the `existing` ones and updates the submission's counters. Returns the number of inserted items.
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
