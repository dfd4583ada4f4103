//! Events on their way into a file, newest first: as many as are needed at a time, in one state of the list.

use std::{cell::RefCell, collections::VecDeque, sync::Arc};

use takt_client::Canceller;
use takt_journal::{
    Inbox,
    inbox::{EventFilter, EventRow, NamedOrder, RawEvent},
};

use super::named;
use takt_core::Problem;

/// Events that are read at a time.
const CHUNK: u32 = 500;
/// How many are written between two words about it.
const TELL: u32 = 500;

/// What is to be written, gone through as often as it is needed.
pub(super) struct ExportSource {
    inbox: Arc<Inbox>,
    filter: EventFilter,
    most: u32,
    canceller: Canceller,
    on_progress: Box<dyn Fn(u32) + Send + Sync>,
    written: RefCell<u32>,
    problem: RefCell<Option<Problem>>,
}

impl ExportSource {
    /// What comes from now on isn't among them.
    pub(super) fn new(
        inbox: Arc<Inbox>,
        mut filter: EventFilter,
        most: Option<u32>,
        canceller: Canceller,
        told: Box<dyn Fn(u32) + Send + Sync>,
    ) -> Result<Self, Problem> {
        if filter.up_to.is_none() {
            filter.up_to = Some(inbox.front()?.1);
        }
        let most = most.unwrap_or(u32::MAX);
        Ok(Self {
            inbox,
            filter,
            most,
            canceller,
            on_progress: told,
            written: RefCell::default(),
            problem: RefCell::default(),
        })
    }

    /// Each with what came. Ends early where something is in the way.
    pub(super) fn events(&self) -> impl Iterator<Item = (EventRow, RawEvent)> + '_ {
        self.rows().filter_map(|row| {
            let raw = self.keep_ok(self.inbox.raw(row.id).map_err(Problem::from))??;
            let mut written = self.written.borrow_mut();
            *written += 1;
            if written.is_multiple_of(TELL) {
                (self.on_progress)(*written);
            }
            Some((row, raw))
        })
    }

    /// Each with every order that it names.
    pub(super) fn orders(&self) -> impl Iterator<Item = (EventRow, NamedOrder)> + '_ {
        self.rows().filter(|row| row.orders > 0).flat_map(|row| {
            let named = self.keep_ok(named(&self.inbox, &row)).unwrap_or_default();
            named.into_iter().map(move |order| (row.clone(), order))
        })
    }

    pub(super) fn written(&self) -> u32 {
        *self.written.borrow()
    }

    /// What was in the way.
    pub(super) fn problem(&self) -> Option<Problem> {
        self.problem.borrow().clone()
    }

    fn rows(&self) -> impl Iterator<Item = EventRow> + '_ {
        let (mut before, mut left, mut held) = (i64::MAX, self.most, VecDeque::new());
        std::iter::from_fn(move || {
            if self.canceller.is_cancelled() {
                self.keep_ok::<()>(Err(Problem::in_the_way("reading-stopped")));
            }
            if self.problem.borrow().is_some() || left == 0 {
                return None;
            }
            if held.is_empty() {
                let read = self.inbox.earlier(&self.filter, before, CHUNK).map_err(Problem::from);
                held.extend(self.keep_ok(read)?);
            }
            let row: EventRow = held.pop_front()?;
            (before, left) = (row.id, left - 1);
            Some(row)
        })
    }

    fn keep_ok<T>(&self, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.problem.borrow_mut().get_or_insert(problem).code).ok()
    }
}
