//! Fixing: what a person puts in place of what the file holds, which rows they leave out, and the way back.
//!
//! Owns the fixes, their one stack, and what of them can be done again on next week's file. Leaves checking to `check`.

mod draft;
mod overlay;
mod recheck;
mod sorting;
mod stack;
mod suggestions;

use serde::{Deserialize, Serialize};
use takt_core::ExcelRow;
use takt_core::finding::{FindingCode, Severity};

pub(super) use self::{
    draft::FixesDraft,
    overlay::Overlay,
    recheck::recheck,
    sorting::{SortedPositions, is_reversed},
    stack::{FixStack, Step},
    suggestions::{clear_suggestion, suggestions},
};

/// One thing that a person does to the rows. Rows are named as Excel numbers them, columns from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Fix {
    /// Puts a text into a cell, which is read towards its field as any other text.
    Set {
        row: ExcelRow,
        column: u32,
        text: String,
    },
    /// Puts what stands in one row into others.
    Fill {
        column: u32,
        from: ExcelRow,
        to: Vec<ExcelRow>,
    },
    /// Puts a block of texts into these rows and columns. It repeats where there are more cells than texts; a line that is shorter
    /// than the others leaves its cells as they are.
    Paste {
        rows: Vec<ExcelRow>,
        columns: Vec<u32>,
        texts: Vec<Vec<String>>,
    },
    /// Puts what stands in some rows and columns into others, again and again until those are full.
    #[serde(rename = "fill-block")]
    FillBlock {
        from_rows: Vec<ExcelRow>,
        from_columns: Vec<u32>,
        rows: Vec<ExcelRow>,
        columns: Vec<u32>,
    },
    /// Every cell of the column that shows exactly `from`.
    Replace {
        column: u32,
        from: String,
        to: String,
    },
    /// These rows are neither checked nor sent.
    Exclude {
        rows: Vec<ExcelRow>,
    },
    Include {
        rows: Vec<ExcelRow>,
    },
    /// Several texts of one column, each in all its cells, as one step.
    #[serde(rename = "replace-many")]
    ReplaceMany {
        column: u32,
        texts: Vec<TextChange>,
    },
    /// Every row with this kind of finding is left out; with `keep_first`, the first row of each business key stays.
    #[serde(rename = "exclude-found")]
    ExcludeFound {
        finding: FindingKind,
        keep_first: bool,
    },
    /// What stands in the first row of merged cells comes into the empty rows below it.
    #[serde(rename = "fill-merged")]
    FillMerged,
    /// Every cell with this kind of finding is changed in the same way.
    #[serde(rename = "fix-found")]
    FixFound {
        finding: FindingKind,
        way: FoundFix,
    },
}

/// How all cells with one kind of finding are changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum FoundFix {
    /// Removes the invisible characters; spaces of other kinds become a plain space.
    RemoveInvisible,
    /// Adds the first offset to a time that the clock shows twice.
    FirstOffset,
    /// Adds the second offset.
    SecondOffset,
}

/// The most cells that are pasted or filled as one step.
const MAX_CELLS: usize = 100_000;

impl Fix {
    /// The columns that it names.
    pub(super) fn columns(&self) -> Vec<u32> {
        match self {
            Self::Set { column, .. } | Self::Fill { column, .. } | Self::Replace { column, .. } => vec![*column],
            Self::Paste { columns, .. } => columns.clone(),
            Self::FillBlock { from_columns, columns, .. } => from_columns.iter().chain(columns).copied().collect(),
            _ => Vec::new(),
        }
    }

    /// True where it names more cells than are changed as one step.
    pub(super) fn is_too_large(&self) -> bool {
        match self {
            Self::Paste { rows, columns, .. } | Self::FillBlock { rows, columns, .. } => {
                rows.len().saturating_mul(columns.len()) > MAX_CELLS
            }
            _ => false,
        }
    }
}

/// A text of the file, and what comes into its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TextChange {
    pub from: String,
    pub to: String,
}

/// One kind of finding, as [`crate::import::Facet`] counts it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FindingKind {
    pub severity: Severity,
    pub code: FindingCode,
    /// The field's path.
    pub field: Option<String>,
}

/// Everything of one kind of finding: what can be done with all of it at once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FindingValues {
    /// The column whose texts can be replaced; absent where the finding isn't about a text.
    pub column: Option<u32>,
    /// The different texts, most frequent first.
    pub values: Vec<FindingValue>,
    /// Different texts that aren't listed.
    pub more: u32,
    /// Rows with this finding.
    pub rows: u32,
    /// Those of them that aren't the first with their business key.
    pub later: u32,
}

/// A text that was found wanting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FindingValue {
    pub text: String,
    /// Cells of the column that show it.
    pub count: u32,
    /// What it may have been meant to be, where one value is clearly the nearest.
    pub suggestion: Option<String>,
}
