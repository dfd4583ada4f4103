//! Writing a submission down: what is small at once, what is large piece by piece, so that it holds up nobody who writes at the
//! same time.
//!
//! Until all of a large one is there it is being prepared, and nothing of it may be sent. What isn't wanted, fails or is left by a
//! dead Takt is discarded, piece by piece as well.

use std::time::Instant;

use rusqlite::{OptionalExtension, Transaction, params};

use crate::connection::GIVE_WAY;
use crate::item::WrittenItem;
use crate::{Journal, JournalError, NewItem, NewStep, NewSubmission, NewWait, Run, SubmissionState, item, submission};

/// Bounds of what is written in one transaction.
const MOST_ITEMS: usize = 4_000;
const MOST_ROWS: usize = 8_000;
const MOST_BYTES: usize = 8 * 1024 * 1024;
/// Items that are discarded in one transaction.
const DISCARDED: u32 = 4_000;

/// Writes a submission down. Nothing of it stays where `wanted` says no, once all items are known.
pub(crate) fn create(
    journal: &Journal,
    new: &NewSubmission,
    items: impl Iterator<Item = NewItem>,
    wanted: impl FnOnce() -> bool,
) -> Result<Option<Run>, JournalError> {
    let mut pieces = Pieces { items };
    let (first, second) = (pieces.next()?, pieces.next()?);
    if second.is_empty() {
        return if wanted() { create_at_once(journal, new, &first).map(Some) } else { Ok(None) };
    }
    let mut preparation = Preparation::begin(journal, new, SubmissionState::Running, Plan::None)?;
    let written = preparation.write_pieces([first, second], &mut pieces);
    if written.is_err() || !wanted() {
        preparation.discard();
        return written.map(|()| None);
    }
    preparation.complete().map(Some)
}

/// What fits into one piece is never seen half.
fn create_at_once(journal: &Journal, new: &NewSubmission, items: &[WrittenItem]) -> Result<Run, JournalError> {
    journal.write(|transaction| {
        let id = submission::insert(transaction, new, SubmissionState::Running)?;
        insert_items(transaction, id, 0, items)?;
        ready(transaction, id)?;
        // Claimed before the commit: nobody can see it running without its lock held.
        journal.claim(id)
    })
}

/// The steps of a plan that fit into one piece together, each with its waits. Gives their numbers.
pub(crate) fn create_steps_at_once(
    journal: &Journal,
    steps: Vec<NewStep>,
    mut then: impl FnMut(&Transaction<'_>, u32, &[u32], &[NewWait]) -> Result<(), JournalError>,
) -> Result<Vec<u32>, JournalError> {
    journal.write(|transaction| {
        let mut ids: Vec<u32> = Vec::new();
        for step in steps {
            let id = submission::insert(transaction, &step.submission, SubmissionState::Paused)?;
            submission::set_plan(transaction, id, ids.first().copied().unwrap_or(id))?;
            let items = step.items.into_iter().map(WrittenItem::of).collect::<Result<Vec<_>, _>>()?;
            insert_items(transaction, id, 0, &items)?;
            then(transaction, id, &ids, &step.waits)?;
            ready(transaction, id)?;
            ids.push(id);
        }
        Ok(ids)
    })
}

/// Whether they fit into one piece.
pub(crate) fn fit_together(steps: &[NewStep]) -> bool {
    let items = || steps.iter().flat_map(|step| &step.items);
    let waits: usize = steps.iter().map(|step| step.waits.len()).sum();
    items().count() <= MOST_ITEMS
        && items().map(|item| item.rows.len()).sum::<usize>() <= MOST_ROWS
        && waits <= MOST_ITEMS
}

/// A submission that is being written down. Its lock is held.
pub(crate) struct Preparation<'a> {
    journal: &'a Journal,
    run: Run,
    items: u32,
    /// When the last piece was written.
    written: Option<Instant>,
}

impl<'a> Preparation<'a> {
    /// Writes the submission itself down. `state` is what it has once it is ready.
    pub(crate) fn begin(
        journal: &'a Journal,
        new: &NewSubmission,
        state: SubmissionState,
        plan: Plan,
    ) -> Result<Self, JournalError> {
        let run = journal.write(|transaction| {
            let id = submission::insert(transaction, new, state)?;
            match plan {
                Plan::None => {}
                Plan::First => submission::set_plan(transaction, id, id)?,
                Plan::Of(first) => submission::set_plan(transaction, id, first)?,
            }
            // Claimed before the commit: nobody can see it without its lock held.
            journal.claim(id)
        })?;
        Ok(Self { journal, run, items: 0, written: None })
    }

    pub(crate) fn id(&self) -> u32 {
        self.run.submission()
    }

    /// Writes items down behind those that are there. They are made between the transactions.
    pub(crate) fn write(&mut self, items: impl IntoIterator<Item = NewItem>) -> Result<(), JournalError> {
        self.write_pieces([], &mut Pieces { items: items.into_iter() })
    }

    fn write_pieces<const N: usize>(
        &mut self,
        first: [Vec<WrittenItem>; N],
        further: &mut Pieces<impl Iterator<Item = NewItem>>,
    ) -> Result<(), JournalError> {
        for piece in first {
            self.write_piece(&piece)?;
        }
        loop {
            let piece = further.next()?;
            if piece.is_empty() {
                return Ok(());
            }
            self.write_piece(&piece)?;
        }
    }

    fn write_piece(&mut self, piece: &[WrittenItem]) -> Result<(), JournalError> {
        if let Some(written) = self.written {
            // Whoever waits for the file gets it now. The time in which the items were made counts.
            std::thread::sleep(GIVE_WAY.saturating_sub(written.elapsed()));
        }
        let (id, there) = (self.id(), self.items);
        let inserted = self.journal.write(|transaction| insert_items(transaction, id, there, piece))?;
        self.items += inserted;
        self.written = Some(Instant::now());
        Ok(())
    }

    /// From here on it may be sent by whoever holds the lock.
    pub(crate) fn complete(self) -> Result<Run, JournalError> {
        let mut runs = complete_all(vec![self])?;
        runs.pop().ok_or(JournalError::Abandoned)
    }

    /// Nothing of it stays. Where that fails, recovery does it later.
    pub(crate) fn discard(self) {
        // What is to be told is why it is discarded.
        drop(discard(self.journal, self.id()));
    }
}

/// The plan that a submission is a step of.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Plan {
    None,
    /// Its own.
    First,
    Of(u32),
}

/// All of them are ready at once, or none.
pub(crate) fn complete_all(preparations: Vec<Preparation<'_>>) -> Result<Vec<Run>, JournalError> {
    let Some(journal) = preparations.first().map(|first| first.journal) else { return Ok(Vec::new()) };
    journal.write(|transaction| {
        for preparation in &preparations {
            ready(transaction, preparation.id())?;
        }
        Ok(())
    })?;
    Ok(preparations.into_iter().map(|preparation| preparation.run).collect())
}

/// Removes what was written down of a submission that is being prepared. Whoever calls holds its lock.
pub(crate) fn discard(journal: &Journal, id: u32) -> Result<(), JournalError> {
    while journal.write(|transaction| discard_piece(transaction, id))? {
        std::thread::sleep(GIVE_WAY);
    }
    Ok(())
}

/// Says whether there is more to discard.
fn discard_piece(transaction: &Transaction<'_>, id: u32) -> Result<bool, JournalError> {
    let sql = "SELECT preparing FROM submission WHERE id = ?1";
    let preparing: Option<bool> = transaction.query_row(sql, [id], |row| row.get(0)).optional()?;
    if preparing != Some(true) {
        return Ok(false);
    }
    let sql = "SELECT MAX(number) FROM item WHERE submission = ?1";
    let last: Option<u32> = transaction.query_row(sql, [id], |row| row.get(0))?;
    let Some(last) = last else {
        transaction.execute("DELETE FROM submission WHERE id = ?1", [id])?;
        return Ok(false);
    };
    let from = last.saturating_sub(DISCARDED);
    for sql in [
        "DELETE FROM wait WHERE submission = ?1 AND item > ?2",
        "DELETE FROM before WHERE submission = ?1 AND item > ?2",
        "DELETE FROM row WHERE submission = ?1 AND item > ?2",
        "DELETE FROM item WHERE submission = ?1 AND number > ?2",
    ] {
        transaction.execute(sql, [id, from])?;
    }
    Ok(true)
}

/// From here on it is no longer being prepared.
fn ready(transaction: &Transaction<'_>, id: u32) -> Result<(), JournalError> {
    let sql = "UPDATE submission SET preparing = 0 WHERE id = ?1 AND preparing";
    let changed = transaction.prepare_cached(sql)?.execute([id])?;
    if changed == 1 { Ok(()) } else { Err(JournalError::LostRace { submission: id, what: "the state" }) }
}

/// Writes items down behind the `there` ones, and counts them. Gives how many they are.
fn insert_items(
    transaction: &Transaction<'_>,
    id: u32,
    there: u32,
    items: &[WrittenItem],
) -> Result<u32, JournalError> {
    let inserted = item::insert(transaction, id, there, items)?;
    transaction
        .prepare_cached(
            "UPDATE submission SET items = items + ?2, pending_items = pending_items + ?3, total = total + ?4,
                 pending = pending + ?5, skipped = skipped + ?6 WHERE id = ?1",
        )?
        .execute(params![
            id,
            inserted.items,
            inserted.pending_items,
            inserted.counts.total(),
            inserted.counts.pending,
            inserted.counts.skipped
        ])?;
    Ok(inserted.items)
}

/// Cuts items into pieces of bounded size.
struct Pieces<I> {
    items: I,
}

impl<I: Iterator<Item = NewItem>> Pieces<I> {
    /// Empty where there are no more.
    fn next(&mut self) -> Result<Vec<WrittenItem>, JournalError> {
        let (mut piece, mut rows, mut bytes) = (Vec::new(), 0, 0);
        while piece.len() < MOST_ITEMS && rows < MOST_ROWS && bytes < MOST_BYTES {
            let Some(item) = self.items.next() else { break };
            let item = WrittenItem::of(item)?;
            rows += item.rows.len();
            bytes += item.bytes();
            piece.push(item);
        }
        Ok(piece)
    }
}
