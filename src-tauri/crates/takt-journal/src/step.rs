//! A step of a plan before it is written down: a submission, its items, and the items of earlier steps that these wait for.

use std::fmt;

use crate::{NewSubmission, Run, SubmissionId, item::NewItem};

/// An item that is sent only after another one was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewWait {
    /// 1-based, as the items are numbered.
    pub item: u32,
    /// For each reference of an item one accepted other is enough.
    pub reference: u32,
    /// An earlier step, 0-based.
    pub step: usize,
    /// That step's item, 1-based.
    pub other: u32,
}

/// A step before it is written down. Its items are made while they are written.
pub struct NewStep<'a> {
    pub submission: NewSubmission,
    pub items: Box<dyn Iterator<Item = NewItem> + 'a>,
    pub waits: Vec<NewWait>,
}

impl fmt::Debug for NewStep<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("NewStep").field("submission", &self.submission).finish_non_exhaustive()
    }
}

impl<'a> NewStep<'a> {
    /// A step that waits for none.
    pub fn new<I: IntoIterator<Item = NewItem>>(submission: NewSubmission, items: I) -> Self
    where
        I::IntoIter: 'a,
    {
        Self { submission, items: Box::new(items.into_iter()), waits: Vec::new() }
    }
}

/// A plan that is written down.
#[derive(Debug)]
pub struct NewPlan {
    /// The right to run the first step.
    pub run: Run,
    /// The numbers of all steps, in their order; the first one is the plan's, too.
    pub steps: Vec<SubmissionId>,
    /// A second person has to approve it before any of it runs.
    pub needs_approval: bool,
}
