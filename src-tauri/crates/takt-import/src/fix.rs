//! Fixes are the user's changes to cells and rows, with undo.
//!
//! Owns the fixes, their single undo stack, and what can be replayed on next week's file. `check` checks the rows.

mod change;
mod finding_kind;
mod overlay;
mod recheck;
mod sorting;
mod stack;
mod suggestions;

pub use self::{
    change::{Fix, FoundFix, TextChange},
    finding_kind::{FindingKind, FindingValue, FindingValues},
};
pub(crate) use self::{
    overlay::Overlay,
    recheck::recheck,
    sorting::{SortedPositions, is_reversed},
    stack::{FixStack, FixesDraft, Step},
    suggestions::{clear_suggestion, suggestions},
};
