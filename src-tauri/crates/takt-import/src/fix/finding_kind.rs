//! The findings of one kind, with the texts that have them.

use serde::{Deserialize, Serialize};
use takt_core::finding::{FindingCode, Severity};

/// One kind of finding, as [`crate::Facet`] counts it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FindingKind {
    pub severity: Severity,
    pub code: FindingCode,
    /// The field's path.
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
    /// Rows with this finding.
    pub rows: u32,
    /// Rows with this finding that aren't the first with their business key.
    pub later: u32,
}

/// A text with a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FindingValue {
    pub text: String,
    /// Cells of the column that show it.
    pub count: u32,
    /// The likely intended value, if one value is clearly the nearest.
    pub suggestion: Option<String>,
}
