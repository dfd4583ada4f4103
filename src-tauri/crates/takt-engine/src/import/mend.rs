//! Mending: what a person puts in place of what the file holds, which rows they leave out, and the way back.
//!
//! Owns the fixes, their one stack, and what of them can be done again on next week's file. Leaves checking to `check`.

mod overlay;
mod recheck;
mod sorting;
mod stack;
mod suggestions;

use serde::{Deserialize, Serialize};

pub(super) use self::{
    overlay::Overlay,
    recheck::recheck,
    sorting::sort,
    stack::{Mend, Step},
    suggestions::suggestions,
};

/// One thing that a person does to the rows. Rows are named as Excel numbers them, columns from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Fix {
    /// Puts a text into a cell, which is read towards its field as any other text.
    Set {
        row: u32,
        column: u32,
        text: String,
    },
    /// Puts what stands in one row into others.
    Fill {
        column: u32,
        from: u32,
        to: Vec<u32>,
    },
    /// Every cell of the column that shows exactly `from`.
    Replace {
        column: u32,
        from: String,
        to: String,
    },
    /// These rows are neither checked nor sent.
    Exclude {
        rows: Vec<u32>,
    },
    Include {
        rows: Vec<u32>,
    },
}
