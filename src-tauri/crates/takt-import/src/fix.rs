//! Fixes are the user's changes to cells and rows, with undo.
//!
//! `overlay` contains the fixed cells. `stack` contains the steps for undo and redo, and the fixes that are repeated on
//! the next file. Never checks rows.

mod overlay;
mod stack;

pub use self::overlay::SentTo;
pub(crate) use self::{
    overlay::Overlay,
    stack::{FixStack, FixStep, FixesDraft, FormatChange},
};
use serde::{Deserialize, Serialize};
use takt_core::{
    ExcelRow,
    finding::{FindingCode, Severity},
};

/// One change to the rows. Rows have Excel's numbers, and columns are 0-based.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Fix {
    /// Sets a cell's text. It's read like a text of the file.
    Set {
        row: ExcelRow,
        column: u32,
        text: String,
    },
    /// Copies a cell of one row into other rows.
    Fill {
        column: u32,
        from: ExcelRow,
        to: Vec<ExcelRow>,
    },
    /// Pastes a block of texts into these rows and columns. The block repeats if there are more cells than texts. A
    /// line that is shorter than the others leaves the cells beyond its end unchanged.
    Paste {
        rows: Vec<ExcelRow>,
        columns: Vec<u32>,
        texts: Vec<Vec<String>>,
    },
    /// Copies a block of rows and columns into others, and repeats it until they're full.
    #[serde(rename = "fill-block")]
    FillBlock {
        from_rows: Vec<ExcelRow>,
        from_columns: Vec<u32>,
        rows: Vec<ExcelRow>,
        columns: Vec<u32>,
    },
    /// Replaces the text of every cell in the column that shows exactly `from`.
    Replace {
        column: u32,
        from: String,
        to: String,
    },
    /// Excludes rows. They're neither checked nor sent.
    Exclude {
        rows: Vec<ExcelRow>,
    },
    Include {
        rows: Vec<ExcelRow>,
    },
    /// Replaces several texts of one column, each in all its cells, as one step.
    #[serde(rename = "replace-many")]
    ReplaceMany {
        column: u32,
        texts: Vec<TextChange>,
    },
    /// Excludes every row with this kind of finding. With `keep_first`, the first row of each business key stays.
    #[serde(rename = "exclude-found")]
    ExcludeFound {
        finding: FindingKind,
        keep_first: bool,
    },
    /// Copies the first row of merged cells into the empty rows below it.
    #[serde(rename = "fill-merged")]
    FillMerged,
    /// Changes every cell with this kind of finding in the same way.
    #[serde(rename = "fix-found")]
    FixFound {
        finding: FindingKind,
        way: FoundFix,
    },
}

/// A change that fixes all cells with one kind of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum FoundFix {
    /// Removes invisible characters, and replaces other kinds of spaces by a plain space.
    RemoveInvisible,
    /// Adds the first offset to a time that the clock shows twice.
    FirstOffset,
    /// Adds the second offset to such a time.
    SecondOffset,
    /// Removes the unit behind a number: `75 Stk` becomes `75`. Applies only if all these cells have the same unit.
    RemoveUnit,
}

/// Maximum number of cells that are pasted or filled as one step.
const MAX_CELLS_PER_STEP: usize = 100_000;

impl Fix {
    /// Returns the columns that the fix names, for checking that they exist.
    pub(crate) fn columns(&self) -> Vec<u32> {
        match self {
            Self::Set { column, .. } | Self::Fill { column, .. } | Self::Replace { column, .. } => vec![*column],
            Self::Paste { columns, .. } => columns.clone(),
            Self::FillBlock { from_columns, columns, .. } => from_columns.iter().chain(columns).copied().collect(),
            _ => Vec::new(),
        }
    }

    /// Returns true if the fix changes more cells than one step allows.
    pub(crate) fn is_too_large(&self) -> bool {
        match self {
            Self::Paste { rows, columns, .. } | Self::FillBlock { rows, columns, .. } => {
                rows.len().saturating_mul(columns.len()) > MAX_CELLS_PER_STEP
            }
            _ => false,
        }
    }
}

/// A text of the file and its replacement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TextChange {
    pub from: String,
    pub to: String,
}

/// One kind of finding: a severity, a code and a field. [`crate::Facet`] has the number of such findings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FindingKind {
    pub severity: Severity,
    pub code: FindingCode,
    /// The path of the field. `None` for findings that aren't about a field.
    pub field: Option<String>,
}

/// The texts and rows with one kind of finding.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FindingValues {
    /// The column whose texts can be replaced. `None` if the finding isn't about a text.
    pub column: Option<u32>,
    /// The distinct texts, most frequent first.
    pub values: Vec<FindingValue>,
    /// Number of distinct texts that aren't listed.
    pub more: u32,
    /// Number of rows with this finding.
    pub rows: u32,
    /// Number of rows with this finding that aren't the first with their business key.
    pub later: u32,
    /// The unit behind the numbers in these cells, if all units are the same.
    pub unit: Option<FoundUnit>,
}

/// A unit that is written behind numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FoundUnit {
    pub unit: String,
    /// Number of cells with the unit.
    pub count: u32,
}

/// A text that has a finding of this kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FindingValue {
    pub text: String,
    /// Number of cells in the column that show the text.
    pub count: u32,
    /// The likely intended value, if one value is clearly the nearest.
    pub suggestion: Option<String>,
    /// The values that are suggested at a cell with this text, nearest first.
    pub suggestions: Vec<String>,
}
