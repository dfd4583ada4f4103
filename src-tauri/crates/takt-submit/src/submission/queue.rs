//! The queue: the items that go next are read from the journal while others are on their way.
//!
//! Holds a few requests' worth of items, however many a submission has.

use std::{collections::VecDeque, sync::Arc};

use takt_journal::{JournalError, SubmissionId, item::StoredItem};
use tokio::task::JoinHandle;

use super::Shared;
use takt_core::blocking::run_blocking;
use takt_core::{Code, Problem};

/// How many requests' worth is read at once.
const REQUESTS: u32 = 4;

/// The pending items of a submission in their order, but for those that were taken.
pub(super) struct ItemQueue {
    shared: Arc<Shared>,
    submission: SubmissionId,
    queue: VecDeque<StoredItem>,
    /// The number up to which was read.
    read: u32,
    /// Nothing lies behind what was read.
    ended: bool,
    reading: Option<JoinHandle<Result<Vec<StoredItem>, JournalError>>>,
}

impl ItemQueue {
    pub(super) fn new(shared: Arc<Shared>, submission: SubmissionId) -> Self {
        Self { shared, submission, queue: VecDeque::new(), read: 0, ended: false, reading: None }
    }

    /// The next items, fewer only where there are no more. Reading goes on behind the caller's back.
    pub(super) async fn take(&mut self, at_most: u32) -> Result<Vec<StoredItem>, Problem> {
        let wanted = at_most as usize;
        while self.queue.len() < wanted && !self.ended {
            self.begin(at_most);
            self.finish().await?;
        }
        let items: Vec<StoredItem> = self.queue.drain(..wanted.min(self.queue.len())).collect();
        if self.queue.len() < wanted {
            self.begin(at_most);
        }
        Ok(items)
    }

    /// Items that were taken and are pending after all. They go first again.
    pub(super) fn put_back(&mut self, items: Vec<StoredItem>) {
        self.queue.extend(items);
        self.queue.make_contiguous().sort_unstable_by_key(|item| item.number);
    }

    /// Looks from the beginning whether anything can be sent. Only while nothing is on its way.
    pub(super) async fn again(&mut self) -> Result<bool, Problem> {
        *self = Self::new(Arc::clone(&self.shared), self.submission);
        let (shared, id) = (Arc::clone(&self.shared), self.submission);
        run_blocking(move || Ok(!shared.journal.next_items(id, 1)?.is_empty())).await
    }

    fn begin(&mut self, at_most: u32) {
        if self.ended || self.reading.is_some() {
            return;
        }
        let (shared, id, after) = (Arc::clone(&self.shared), self.submission, self.read);
        let count = at_most.saturating_mul(REQUESTS);
        self.reading = Some(tokio::task::spawn_blocking(move || shared.journal.items_after(id, after, count)));
    }

    async fn finish(&mut self) -> Result<(), Problem> {
        let Some(reading) = self.reading.take() else { return Ok(()) };
        let items = reading.await.map_err(|error| Problem::new(Code::Bug).details(error))??;
        match items.last() {
            Some(last) => self.read = last.number,
            None => self.ended = true,
        }
        self.queue.extend(items);
        Ok(())
    }
}
