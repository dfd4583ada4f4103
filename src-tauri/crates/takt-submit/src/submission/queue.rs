//! The queue of items to send. Reads the next items from the journal while requests are in flight.
//!
//! Buffers only the items of a few requests, even if a submission has many.

use std::{collections::VecDeque, sync::Arc};

use takt_journal::{JournalError, SubmissionId, item::StoredItem};
use tokio::task::JoinHandle;

use super::submissions_state::SubmissionsState;
use takt_core::blocking::run_blocking;
use takt_core::{Code, Problem};

/// The number of requests whose items are read at once.
const REQUESTS_PER_READ: u32 = 4;

/// The pending items of a submission in order, without those in flight.
pub(super) struct ItemQueue {
    shared: Arc<SubmissionsState>,
    submission: SubmissionId,
    queue: VecDeque<StoredItem>,
    /// The number of the last item that was read.
    read_up_to: u32,
    /// Whether the journal has no further items.
    ended: bool,
    reading: Option<JoinHandle<Result<Vec<StoredItem>, JournalError>>>,
}

impl ItemQueue {
    pub(super) fn new(shared: Arc<SubmissionsState>, submission: SubmissionId) -> Self {
        Self { shared, submission, queue: VecDeque::new(), read_up_to: 0, ended: false, reading: None }
    }

    /// Returns the next items, fewer only at the end, and reads ahead in the background.
    pub(super) async fn next_items(&mut self, at_most: u32) -> Result<Vec<StoredItem>, Problem> {
        let wanted = at_most as usize;
        while self.queue.len() < wanted && !self.ended {
            self.start_reading(at_most);
            self.finish_reading().await?;
        }
        let items: Vec<StoredItem> = self.queue.drain(..wanted.min(self.queue.len())).collect();
        if self.queue.len() < wanted {
            self.start_reading(at_most);
        }
        Ok(items)
    }

    /// Returns items to the queue that are pending again. They are sent first.
    pub(super) fn put_back(&mut self, items: Vec<StoredItem>) {
        self.queue.extend(items);
        self.queue.make_contiguous().sort_unstable_by_key(|item| item.number);
    }

    /// Restarts from the first item. Returns whether any item can be sent. Call it only while nothing is in flight.
    pub(super) async fn restart(&mut self) -> Result<bool, Problem> {
        *self = Self::new(Arc::clone(&self.shared), self.submission);
        let (shared, id) = (Arc::clone(&self.shared), self.submission);
        run_blocking(move || Ok(!shared.journal.next_items(id, 1)?.is_empty())).await
    }

    fn start_reading(&mut self, at_most: u32) {
        if self.ended || self.reading.is_some() {
            return;
        }
        let (shared, id, after) = (Arc::clone(&self.shared), self.submission, self.read_up_to);
        let count = at_most.saturating_mul(REQUESTS_PER_READ);
        self.reading = Some(tokio::task::spawn_blocking(move || shared.journal.items_after(id, after, count)));
    }

    async fn finish_reading(&mut self) -> Result<(), Problem> {
        let Some(reading) = self.reading.take() else { return Ok(()) };
        let items = reading.await.map_err(|error| Problem::new(Code::Bug).details(error))??;
        match items.last() {
            Some(last) => self.read_up_to = last.number,
            None => self.ended = true,
        }
        self.queue.extend(items);
        Ok(())
    }
}
