//! A step of a plan before it is stored: a submission, its items, and the items of earlier steps that these wait for.

use std::fmt;

use crate::{NewSubmission, Run, SubmissionId, item::NewItem};

/// An item that is sent only after another one was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewWait {
    /// The 1-based number of the item.
    pub item: u32,
    /// The item's reference to others. One accepted item is enough for each reference.
    pub reference: u32,
    /// The 0-based index of an earlier step.
    pub step: usize,
    /// The 1-based number of that step's item.
    pub other: u32,
}

/// A step before it is stored. Its items are made while they are written.
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
    /// Returns a step that waits for no other.
    pub fn new<I: IntoIterator<Item = NewItem>>(submission: NewSubmission, items: I) -> Self
    where
        I::IntoIter: 'a,
    {
        Self { submission, items: Box::new(items.into_iter()), waits: Vec::new() }
    }
}

/// A plan that was stored.
#[derive(Debug)]
pub struct NewPlan {
    /// The right to run the first step.
    pub run: Run,
    /// The submissions of all steps, in order. The number of the first one is also the plan's.
    pub steps: Vec<SubmissionId>,
    /// True if a second person has to approve the plan before any of it runs.
    pub needs_approval: bool,
}
