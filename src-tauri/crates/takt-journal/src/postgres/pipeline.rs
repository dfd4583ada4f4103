//! The statements of one transaction on their way: what needn't be answered at once goes with whatever is asked next.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::driver::{Step, StepAnswer};
use super::{PostgresError, Session, StoredValue, StoredValues};

/// A session's statements, in their order.
#[derive(Debug)]
pub(crate) struct Pipeline<'a> {
    session: &'a Session,
    /// What goes with the next question.
    unsent: RefCell<Vec<Step>>,
    /// How often something was asked.
    asked: Cell<u64>,
}

/// How far a pipeline had come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PipelineMark {
    unsent: usize,
    asked: u64,
}

impl<'a> Pipeline<'a> {
    pub(crate) fn of(session: &'a Session) -> Self {
        Self { session, unsent: RefCell::default(), asked: Cell::new(0) }
    }

    pub(crate) fn session(&self) -> &'a Session {
        self.session
    }

    /// Goes with the next question, which tells where it fails.
    pub(crate) fn push(&self, step: Step) {
        self.unsent.borrow_mut().push(step);
    }

    pub(crate) fn mark(&self) -> PipelineMark {
        PipelineMark { unsent: self.unsent.borrow().len(), asked: self.asked.get() }
    }

    /// Whether something was pushed since that isn't sent yet.
    pub(crate) fn has_unsent_since(&self, mark: PipelineMark) -> bool {
        let unsent = self.unsent.borrow().len();
        if self.asked.get() == mark.asked { unsent > mark.unsent } else { unsent > 0 }
    }

    /// Forgets what was pushed since and isn't sent. True where nothing of it was sent.
    pub(crate) fn forget_since(&self, mark: PipelineMark) -> bool {
        let unsent_only = self.asked.get() == mark.asked;
        self.unsent.borrow_mut().truncate(if unsent_only { mark.unsent } else { 0 });
        unsent_only
    }

    /// The answers to these alone.
    pub(crate) fn run(&self, steps: impl IntoIterator<Item = Step>) -> Result<Vec<StepAnswer>, PostgresError> {
        let mut all = self.unsent.take();
        let ahead = all.len();
        all.extend(steps);
        self.asked.set(self.asked.get() + 1);
        let mut answers = self.session.run(all)?;
        answers.drain(..ahead.min(answers.len()));
        Ok(answers)
    }

    pub(crate) fn query(&self, sql: &Arc<str>, values: Vec<StoredValue>) -> Result<Vec<StoredValues>, PostgresError> {
        let answers = self.run([Step::Query(Arc::clone(sql), values)])?;
        Ok(answers.into_iter().next().map(StepAnswer::into_rows).unwrap_or_default())
    }

    pub(crate) fn execute(&self, sql: &Arc<str>, values: Vec<StoredValue>) -> Result<usize, PostgresError> {
        let answers = self.run([Step::Execute(Arc::clone(sql), values)])?;
        Ok(answers.first().map_or(0, StepAnswer::count))
    }

    pub(crate) fn execute_each(&self, sql: &Arc<str>, sets: Vec<Vec<StoredValue>>) -> Result<(), PostgresError> {
        if sets.is_empty() {
            return Ok(());
        }
        self.wait()?;
        self.asked.set(self.asked.get() + 1);
        self.session.execute_each(sql, sets)
    }

    /// The answers to all that was pushed.
    pub(crate) fn wait(&self) -> Result<(), PostgresError> {
        if self.unsent.borrow().is_empty() { Ok(()) } else { self.run([]).map(drop) }
    }

    pub(crate) fn execute_batch(&self, sql: &str) -> Result<(), PostgresError> {
        self.run([Step::Batch(sql.into())]).map(drop)
    }
}
