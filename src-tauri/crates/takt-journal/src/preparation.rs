//! Writing a submission down: what is small at once, what is large piece by piece, so that it holds up nobody who writes at the
//! same time.
//!
//! Until all of a large one is there it is being prepared, and nothing of it may be sent. What isn't wanted, fails or is left by a
//! dead Takt is discarded, piece by piece as well.

use std::iter::Peekable;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use crate::approval::ask_where_wanted;
use crate::database::{OptionalExtension, Transaction, params};
use crate::item::WrittenItem;
use crate::key_claim_check::claim_keys;
use crate::{
    Journal, JournalError, NewSubmission, PlanId, Run, SubmissionId, SubmissionState,
    item::{self, NewItem},
    step::{NewPlan, NewStep, NewWait},
    submission_record, wait,
};

/// Bounds of what is written in one transaction.
const MAX_ITEMS: usize = 4_000;
const MAX_ROWS: usize = 8_000;
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Items that are discarded in one transaction.
const DISCARDED: u32 = 4_000;

/// Writes the steps of a plan down. Nothing of them stays where `wanted` says no, once all items are known.
pub(crate) fn create(
    journal: &Journal,
    steps: Vec<NewStep<'_>>,
    wanted: impl FnOnce() -> bool,
) -> Result<Option<NewPlan>, JournalError> {
    let mut begun = steps.into_iter().map(PreparedStep::of).collect::<Result<Vec<_>, _>>()?;
    if fit_together(&begun) {
        return if wanted() { create_at_once(journal, &begun).map(Some) } else { Ok(None) };
    }
    let mut preparations = Vec::new();
    let written = journal.with_bulk_cache(|| prepare(journal, &mut begun, &mut preparations));
    if written.is_err() || !wanted() {
        // Later steps refer to earlier ones.
        preparations.into_iter().rev().for_each(Preparation::discard);
        return written.map(|()| None);
    }
    let steps: Vec<SubmissionId> = preparations.iter().map(Preparation::id).collect();
    let new: Vec<&NewSubmission> = begun.iter().map(|step| &step.submission).collect();
    let needs_approval = match complete_all(journal, &preparations, (&steps, &new)) {
        Ok(needs_approval) => needs_approval,
        Err(error) => {
            preparations.into_iter().rev().for_each(Preparation::discard);
            return Err(error);
        }
    };
    let run = preparations.into_iter().next().ok_or(JournalError::Abandoned)?.run;
    Ok(Some(NewPlan { run, steps, needs_approval }))
}

/// The items of a step that aren't made yet.
type FurtherItems<'a> = Peekable<Box<dyn Iterator<Item = NewItem> + 'a>>;

/// A step of which the first items are made: whether there is more of it than goes into one piece is known.
struct PreparedStep<'a> {
    submission: NewSubmission,
    first: Vec<WrittenItem>,
    further: FurtherItems<'a>,
    /// Whether the first items are all.
    is_whole: bool,
    waits: Vec<NewWait>,
}

impl<'a> PreparedStep<'a> {
    fn of(step: NewStep<'a>) -> Result<Self, JournalError> {
        let mut further = step.items.peekable();
        let first = next_piece(&mut further)?;
        let is_whole = further.peek().is_none();
        Ok(Self { submission: step.submission, first, further, is_whole, waits: step.waits })
    }
}

/// Whether they fit into one piece.
fn fit_together(steps: &[PreparedStep<'_>]) -> bool {
    let items = || steps.iter().flat_map(|step| &step.first);
    let waits: usize = steps.iter().map(|step| step.waits.len()).sum();
    steps.iter().all(|step| step.is_whole)
        && items().count() <= MAX_ITEMS
        && items().map(|item| item.rows.len()).sum::<usize>() <= MAX_ROWS
        && waits <= MAX_ITEMS
}

/// What fits into one piece is never seen half.
fn create_at_once(journal: &Journal, begun: &[PreparedStep<'_>]) -> Result<NewPlan, JournalError> {
    journal.write(|transaction| {
        let mut steps: Vec<SubmissionId> = Vec::new();
        for step in begun {
            let id = submission_record::insert(
                transaction,
                &step.submission,
                state_of(&steps),
                steps.first().copied().map(PlanId::of_first),
            )?;
            insert_items(transaction, id, 0, &step.first)?;
            if !step.waits.is_empty() {
                wait::insert(transaction, id, &steps, &step.waits)?;
                wait::store_wait_reasons(transaction, id, (1, u32::MAX))?;
            }
            steps.push(id);
        }
        let first = steps.first().copied().ok_or(JournalError::Abandoned)?;
        let new: Vec<&NewSubmission> = begun.iter().map(|step| &step.submission).collect();
        let needs_approval = all_ready(transaction, &steps, &new)?;
        // Claimed before the commit, so that it is never visible as running without its lock.
        Ok(NewPlan { run: journal.claim(first)?, steps, needs_approval })
    })
}

/// What a step is once it is ready: the first runs, and the others wait for it.
fn state_of(before: &[SubmissionId]) -> SubmissionState {
    if before.is_empty() { SubmissionState::Running } else { SubmissionState::Paused }
}

/// Writes each step down in pieces; what was begun is there also where that fails.
fn prepare<'a>(
    journal: &'a Journal,
    begun: &mut [PreparedStep<'_>],
    preparations: &mut Vec<Preparation<'a>>,
) -> Result<(), JournalError> {
    let mut steps: Vec<SubmissionId> = Vec::new();
    for step in begun {
        let preparation = Preparation::begin(journal, &step.submission, &steps)?;
        let id = preparation.id();
        preparations.push(preparation);
        if let Some(preparation) = preparations.last_mut() {
            preparation.write(std::mem::take(&mut step.first), &mut step.further)?;
        }
        journal.refresh_statistics()?;
        for waits in step.waits.chunks(MAX_ITEMS) {
            journal.write(|transaction| wait::insert(transaction, id, &steps, waits))?;
            thread::sleep(journal.give_way());
        }
        if !step.waits.is_empty() {
            wait::store_all_wait_reasons(journal, id)?;
        }
        steps.push(id);
    }
    Ok(())
}

/// A submission that is being written down. Its lock is held.
struct Preparation<'a> {
    journal: &'a Journal,
    run: Run,
    items: u32,
    /// When the last piece was written.
    written: Instant,
    /// When other writers of the file last got a turn.
    gave_way: Instant,
}

impl<'a> Preparation<'a> {
    /// Writes the submission itself down, behind the plan's steps that are there.
    fn begin(journal: &'a Journal, new: &NewSubmission, before: &[SubmissionId]) -> Result<Self, JournalError> {
        let run = journal.write(|transaction| {
            let id = submission_record::insert(
                transaction,
                new,
                state_of(before),
                before.first().copied().map(PlanId::of_first),
            )?;
            // Claimed before the commit, so that it is never visible without its lock.
            journal.claim(id)
        })?;
        let begun = Instant::now();
        Ok(Self { journal, run, items: 0, written: begun, gave_way: begun })
    }

    fn id(&self) -> SubmissionId {
        self.run.submission()
    }

    /// Writes items down behind those that are there. The next ones are made while those before are written.
    fn write(&mut self, first: Vec<WrittenItem>, further: &mut FurtherItems<'_>) -> Result<(), JournalError> {
        let (made, pieces) = sync_channel::<Vec<WrittenItem>>(1);
        thread::scope(|scope| {
            // The closed channel tells the sender that a piece couldn't be written.
            let write = move || pieces.into_iter().try_for_each(|piece| self.write_piece(&piece));
            let io = |source| JournalError::Io { path: PathBuf::new(), source };
            let writer = thread::Builder::new().spawn_scoped(scope, write).map_err(io)?;
            let all = hand_over(&made, first, further);
            // The writer ends with the channel.
            drop(made);
            let written = writer.join().unwrap_or_else(|panic| resume_unwind(panic));
            written.and(all)
        })
    }

    /// Gives other writers of the file a turn, if one is due. The time in which the items were made counts.
    fn give_way(&mut self) {
        let left = self.journal.give_way().saturating_sub(self.written.elapsed());
        if left.is_zero() {
            self.gave_way = Instant::now();
        } else if self.journal.is_pause_due(self.gave_way) {
            thread::sleep(left);
            self.gave_way = Instant::now();
        }
    }

    fn write_piece(&mut self, piece: &[WrittenItem]) -> Result<(), JournalError> {
        self.give_way();
        let (id, there) = (self.id(), self.items);
        let inserted = self.journal.write_by(&self.run, |transaction| insert_items(transaction, id, there, piece))?;
        self.items += inserted;
        self.written = Instant::now();
        Ok(())
    }

    /// Nothing of it stays. Where that fails, recovery does it later.
    fn discard(self) {
        // What is to be told is why it is discarded.
        drop(discard(self.journal, &self.run));
    }
}

/// Sends pieces to the writing thread until there are no more, or one couldn't be written. The writing thread has the error.
fn hand_over(
    made: &SyncSender<Vec<WrittenItem>>,
    first: Vec<WrittenItem>,
    further: &mut FurtherItems<'_>,
) -> Result<(), JournalError> {
    let mut piece = first;
    while !piece.is_empty() && made.send(piece).is_ok() {
        piece = next_piece(further)?;
    }
    Ok(())
}

/// Makes all of them ready at once, or none. From here on, the holder of a submission's lock may send it.
fn complete_all(
    journal: &Journal,
    preparations: &[Preparation<'_>],
    (steps, new): (&[SubmissionId], &[&NewSubmission]),
) -> Result<bool, JournalError> {
    journal.write(|transaction| {
        for preparation in preparations {
            preparation.run.ensure_held(transaction.session())?;
        }
        all_ready(transaction, steps, new)
    })
}

/// Removes the records of an unfinished submission. The caller holds its lock.
pub(crate) fn discard(journal: &Journal, run: &Run) -> Result<(), JournalError> {
    while journal.write_by(run, |transaction| discard_piece(transaction, run.submission()))? {
        thread::sleep(journal.give_way());
    }
    Ok(())
}

/// Says whether there is more to discard.
fn discard_piece(transaction: &Transaction<'_>, id: SubmissionId) -> Result<bool, JournalError> {
    let sql = "SELECT preparing FROM submission WHERE id = ?1";
    let preparing: Option<bool> = transaction.query_row(sql, [id], |row| row.get(0)).optional()?;
    if preparing != Some(true) {
        return Ok(false);
    }
    let sql = "SELECT MAX(number) FROM item WHERE submission = ?1";
    let last: Option<u32> = transaction.query_row(sql, [id], |row| row.get(0))?;
    let Some(last) = last else {
        // Requests that were carried over: they may go where their submission counts as purged.
        transaction.execute("UPDATE submission SET purged = started WHERE id = ?1 AND purged IS NULL", [id])?;
        let sql = "DELETE FROM attempt WHERE submission = ?1 AND batch IN (SELECT batch FROM attempt WHERE submission = ?1 LIMIT ?2)";
        if transaction.execute(sql, params![id, DISCARDED])? > 0 {
            return Ok(true);
        }
        transaction.execute("DELETE FROM submission WHERE id = ?1", [id])?;
        return Ok(false);
    };
    let from = last.saturating_sub(DISCARDED);
    item::remove_behind(transaction, id, from)?;
    Ok(true)
}

/// From here on the steps of a plan are no longer being prepared. Says whether they wait for a second person; only what doesn't has
/// its keys claimed.
fn all_ready(
    transaction: &Transaction<'_>,
    steps: &[SubmissionId],
    new: &[&NewSubmission],
) -> Result<bool, JournalError> {
    let deletes = new.iter().any(|step| step.deletes);
    let needs_approval = match new.first() {
        Some(first) => ask_where_wanted(transaction, steps, (first, deletes))?,
        None => false,
    };
    for (&id, step) in steps.iter().zip(new) {
        if !needs_approval {
            claim_keys(transaction, id, step.claimed)?;
        }
        ready(transaction, id)?;
    }
    transaction.tell();
    Ok(needs_approval)
}

fn ready(transaction: &Transaction<'_>, id: SubmissionId) -> Result<(), JournalError> {
    let sql = "UPDATE submission SET preparing = FALSE WHERE id = ?1 AND preparing";
    let changed = transaction.prepare_cached(sql)?.execute([id])?;
    if changed == 1 { Ok(()) } else { Err(JournalError::LostRace { submission: id, what: "the state" }) }
}

/// Writes items down behind the `there` ones, and counts them. Gives how many they are.
fn insert_items(
    transaction: &Transaction<'_>,
    id: SubmissionId,
    there: u32,
    items: &[WrittenItem],
) -> Result<u32, JournalError> {
    let inserted = item::insert(transaction, id, there, items)?;
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

/// As many of the next items as go into one piece; none where there are no more.
fn next_piece(items: &mut impl Iterator<Item = NewItem>) -> Result<Vec<WrittenItem>, JournalError> {
    let (mut piece, mut rows, mut bytes) = (Vec::new(), 0, 0);
    while piece.len() < MAX_ITEMS && rows < MAX_ROWS && bytes < MAX_BYTES {
        let Some(item) = items.next() else { break };
        let item = WrittenItem::of(item)?;
        rows += item.rows.len();
        bytes += item.bytes();
        piece.push(item);
    }
    Ok(piece)
}
