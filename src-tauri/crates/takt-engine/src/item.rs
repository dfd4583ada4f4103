//! Rows and items: what keeps its identity from the file to the last outcome.

use serde::{Deserialize, Serialize};

/// A row's identity for ever: the sheet's name and the row number as Excel shows it. Rows are never joined by position.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RowId {
    pub sheet: String,
    /// 1-based, as Excel shows it.
    pub row: u32,
}

/// What is sent for a row, or for a group of rows with one business key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// The rows it was made of, in file order; never empty.
    pub rows: Vec<RowId>,
    /// The business key as text, its parts joined with ` · `.
    pub key: String,
    /// JSON by the contract's request shape.
    pub body: serde_json::Value,
    /// True where a finding of severity error stands on one of its rows: it may not be sent.
    pub blocked: bool,
    /// True where a person left its row out: it is never sent, and counted as skipped.
    #[serde(default)]
    pub left_out: bool,
}
