//! A workbook as an ordered plan, of one sheet or of several: which sheet is for what, which ones hold parts of another's items, and
//! what comes first.
//!
//! Owns the sheets' states side by side, and what follows from one sheet for another. Leaves each sheet to its `session`.

mod book;
mod choice;
mod draft;
mod items;
mod order;
mod parts;
mod predecessors;
mod reference;
mod steps;
mod view;

pub(super) use self::{
    book::{Book, Scope},
    choice::targets as part_targets,
    parts::Row,
};
pub use self::{
    items::{ItemWait, StepItems},
    view::{PartChoice, PlanStep, StepPart, StepState},
};
