//! Rows and items: what keeps its identity from the file to the last outcome.

use crate::ExcelRow;
use std::collections::BTreeMap;
use takt_journal::{Change, RowResult};

use serde::{Deserialize, Serialize};

use crate::{
    finding::FindingCode,
    words::{Words, name},
};

/// A row's identity for ever: the sheet's name and the row number as Excel shows it. Rows are never joined by position.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RowId {
    pub sheet: String,
    pub row: ExcelRow,
}

/// What is sent for a row, or for a group of rows with one business key.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Item {
    /// The rows it was made of, in file order; never empty.
    pub rows: Vec<RowId>,
    /// The business key as text, its parts joined with ` · `.
    pub key: String,
    /// JSON by the contract's request shape.
    pub body: serde_json::Value,
    /// True where a finding of severity error stands on one of its rows: it may not be sent.
    pub blocked: bool,
    /// The first of those findings: why it isn't sent.
    #[serde(default)]
    pub errors: Vec<ItemError>,
    /// True where a person left its row out: it is never sent, and counted as skipped.
    #[serde(default)]
    pub skipped: bool,
    /// What the change preview said of it; absent where none was taken.
    #[serde(default)]
    pub looked: Option<Box<ItemComparison>>,
}

/// An error in one of an item's rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ItemError {
    pub code: FindingCode,
    /// What its text names; `place` is the cell as Excel shows it, where it is about one.
    pub parameters: BTreeMap<String, String>,
}

/// An item beside what the service held of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ItemComparison {
    pub change: Change,
    /// What the service held, in the request's shape: what an undo restores. Absent where there was nothing.
    pub before: Option<serde_json::Value>,
    /// Of a delete, keys of some rows beside it.
    #[serde(default)]
    pub neighbors: Vec<String>,
    /// True where it isn't sent: it would change nothing, or a person doesn't want it.
    pub skip: bool,
}

impl Words {
    #[must_use]
    pub fn result(&self, result: RowResult) -> String {
        self.text(&["result", &name(result)], &BTreeMap::new())
    }
}
