//! A step of a plan before it is written down: a submission, its items, and the items of earlier steps that these wait for.

use crate::{NewItem, NewSubmission};

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

/// A step before it is written down.
#[derive(Debug)]
pub struct NewStep {
    pub submission: NewSubmission,
    pub items: Vec<NewItem>,
    pub waits: Vec<NewWait>,
}
