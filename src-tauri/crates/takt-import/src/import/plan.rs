//! A workbook as an ordered plan of one or several sheets. Knows each sheet's operation, the sheets with parts of
//! another sheet's items, and the order of sending.
//!
//! Owns the sheets' states, and the effects of one sheet on another. `session` owns each sheet.

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
    parts::KeyedRow,
};
pub use self::{
    items::{ItemWait, StepItems},
    view::{PartChoice, PlanStep, StepPart, StepState},
};
