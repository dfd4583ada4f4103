//! The pipeline of one transaction. Statements whose results aren't needed immediately are sent with the next query.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::session::{Step, StepResult};
use super::{PostgresError, Session, StoredValue, StoredValues};

/// Queues statements of a session and sends them in order.
#[derive(Debug)]
pub(crate) struct Pipeline<'a> {
    session: &'a Session,
    /// Statements that are sent with the next query.
    unsent: RefCell<Vec<Step>>,
    /// The number of times that statements were sent.
    sends: Cell<u64>,
}

/// A position in a pipeline.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PipelineMark {
    unsent: usize,
    sends: u64,
}

impl<'a> Pipeline<'a> {
    pub(crate) fn new(session: &'a Session) -> Self {
        Self { session, unsent: RefCell::default(), sends: Cell::new(0) }
    }

    pub(crate) fn session(&self) -> &'a Session {
        self.session
    }

    /// Adds a step, which is sent with the next query. If the step fails, that query fails.
    pub(crate) fn push(&self, step: Step) {
        self.unsent.borrow_mut().push(step);
    }

    pub(crate) fn mark(&self) -> PipelineMark {
        PipelineMark { unsent: self.unsent.borrow().len(), sends: self.sends.get() }
    }

    /// Returns whether steps that were added since the mark aren't sent yet.
    pub(crate) fn has_unsent_since(&self, mark: PipelineMark) -> bool {
        let unsent = self.unsent.borrow().len();
        if self.sends.get() == mark.sends { unsent > mark.unsent } else { unsent > 0 }
    }

    /// Removes the steps that were added since the mark and aren't sent. Returns true if none of them was sent.
    pub(crate) fn discard_since(&self, mark: PipelineMark) -> bool {
        let unsent_only = self.sends.get() == mark.sends;
        self.unsent.borrow_mut().truncate(if unsent_only { mark.unsent } else { 0 });
        unsent_only
    }

    /// Sends the added steps followed by `steps`. Returns the results of `steps`.
    pub(crate) fn run(&self, steps: impl IntoIterator<Item = Step>) -> Result<Vec<StepResult>, PostgresError> {
        let mut all = self.unsent.take();
        let pending = all.len();
        all.extend(steps);
        self.sends.set(self.sends.get() + 1);
        let mut answers = self.session.run(all)?;
        answers.drain(..pending.min(answers.len()));
        Ok(answers)
    }

    pub(crate) fn query(&self, sql: &Arc<str>, values: Vec<StoredValue>) -> Result<Vec<StoredValues>, PostgresError> {
        let answers = self.run([Step::Query(Arc::clone(sql), values)])?;
        Ok(answers.into_iter().next().map(StepResult::into_rows).unwrap_or_default())
    }

    pub(crate) fn execute(&self, sql: &Arc<str>, values: Vec<StoredValue>) -> Result<usize, PostgresError> {
        let answers = self.run([Step::Execute(Arc::clone(sql), values)])?;
        Ok(answers.first().map_or(0, StepResult::count))
    }

    pub(crate) fn execute_each(&self, sql: &Arc<str>, sets: Vec<Vec<StoredValue>>) -> Result<(), PostgresError> {
        if sets.is_empty() {
            return Ok(());
        }
        self.wait()?;
        self.sends.set(self.sends.get() + 1);
        self.session.execute_each(sql, sets)
    }

    /// Sends the added steps and waits for their results.
    pub(crate) fn wait(&self) -> Result<(), PostgresError> {
        if self.unsent.borrow().is_empty() { Ok(()) } else { self.run([]).map(drop) }
    }

    pub(crate) fn execute_batch(&self, sql: &str) -> Result<(), PostgresError> {
        self.run([Step::Batch(sql.into())]).map(drop)
    }
}
