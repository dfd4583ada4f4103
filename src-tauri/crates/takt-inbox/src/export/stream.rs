//! Reads events for an export page by page, the newest first, from one state of the list.

use std::{cell::RefCell, collections::VecDeque, sync::Arc};

use takt_client::Canceller;
use takt_journal::{
    Inbox,
    inbox::{EventFilter, EventRow, NamedOrder, RawEvent},
};

use takt_core::Problem;

/// The events of one page.
const PAGE_SIZE: u32 = 500;
/// The events between two reports of progress.
const PROGRESS_INTERVAL: u32 = 500;

/// The events of an export. Can be read several times.
pub(super) struct ExportSource {
    inbox: Arc<Inbox>,
    filter: EventFilter,
    limit: u32,
    canceller: Canceller,
    on_progress: Box<dyn Fn(u32) + Send + Sync>,
    written: RefCell<u32>,
    problem: RefCell<Option<Problem>>,
}

impl ExportSource {
    /// Creates a source without the events that arrive from now on.
    pub(super) fn new(
        inbox: Arc<Inbox>,
        mut filter: EventFilter,
        limit: Option<u32>,
        canceller: Canceller,
        on_progress: Box<dyn Fn(u32) + Send + Sync>,
    ) -> Result<Self, Problem> {
        if filter.up_to.is_none() {
            filter.up_to = Some(inbox.front()?.1);
        }
        let limit = limit.unwrap_or(u32::MAX);
        Ok(Self {
            inbox,
            filter,
            limit,
            canceller,
            on_progress,
            written: RefCell::default(),
            problem: RefCell::default(),
        })
    }

    /// Reads the events with their bytes. Ends early on a problem.
    pub(super) fn events(&self) -> impl Iterator<Item = (EventRow, RawEvent)> + '_ {
        self.rows().filter_map(|row| {
            let raw = self.ok_or_record(self.inbox.raw(row.id).map_err(Problem::from))??;
            let mut written = self.written.borrow_mut();
            *written += 1;
            if written.is_multiple_of(PROGRESS_INTERVAL) {
                (self.on_progress)(*written);
            }
            Some((row, raw))
        })
    }

    /// Reads the events with each order they name.
    pub(super) fn orders(&self) -> impl Iterator<Item = (EventRow, NamedOrder)> + '_ {
        self.rows().filter(|row| row.orders > 0).flat_map(|row| {
            let named = self.ok_or_record(self.inbox.orders_named(row.id).map_err(Problem::from)).unwrap_or_default();
            named.into_iter().map(move |order| (row.clone(), order))
        })
    }

    pub(super) fn written(&self) -> u32 {
        *self.written.borrow()
    }

    /// Returns the problem that ended reading, if any.
    pub(super) fn problem(&self) -> Option<Problem> {
        self.problem.borrow().clone()
    }

    fn rows(&self) -> impl Iterator<Item = EventRow> + '_ {
        let (mut before, mut remaining, mut page) = (i64::MAX, self.limit, VecDeque::new());
        std::iter::from_fn(move || {
            if self.canceller.is_cancelled() {
                self.ok_or_record::<()>(Err(Problem::obstacle("reading-stopped")));
            }
            if self.problem.borrow().is_some() || remaining == 0 {
                return None;
            }
            if page.is_empty() {
                let read = self.inbox.earlier(&self.filter, before, PAGE_SIZE).map_err(Problem::from);
                page.extend(self.ok_or_record(read)?);
            }
            let row: EventRow = page.pop_front()?;
            (before, remaining) = (row.id, remaining - 1);
            Some(row)
        })
    }

    fn ok_or_record<T>(&self, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.problem.borrow_mut().get_or_insert(problem).code).ok()
    }
}
