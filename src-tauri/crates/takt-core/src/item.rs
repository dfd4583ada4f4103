//! Rows and items with their identity, from the file to the result.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};
use takt_journal::{Change, RowResult};

use crate::{
    finding::FindingCode,
    words::{Words, serialized_name},
};

/// A row's number in its sheet, 1-based, as Excel shows it. A separate type, so that it isn't confused with an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(transparent)]
pub struct ExcelRow(u32);

impl ExcelRow {
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for ExcelRow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// A row's permanent identity: the sheet's name and the row number as Excel shows it. Never an index.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RowId {
    pub sheet: String,
    pub row: ExcelRow,
}

/// The data that is sent for a row, or for a group of rows with one business key.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Item {
    /// The rows of the item, in file order. Never empty.
    pub rows: Vec<RowId>,
    /// The business key as text, its parts joined with ` · `.
    pub key: String,
    /// The JSON body in the contract's request shape.
    pub body: serde_json::Value,
    /// True if one of its rows has a finding of severity error, so that it may not be sent.
    pub blocked: bool,
    /// The first errors of its rows.
    #[serde(default)]
    pub errors: Vec<ItemError>,
    /// True if the user excluded its row. It is never sent, and counted as skipped.
    #[serde(default)]
    pub skipped: bool,
    /// The result of the change preview, if there was one.
    #[serde(default)]
    pub comparison: Option<Box<ItemComparison>>,
}

/// An error that blocks an item, with the parameters of its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ItemError {
    pub code: FindingCode,
    /// The parameters of its text. `place` is the cell's address, if the error is about a cell.
    pub parameters: BTreeMap<String, String>,
}

/// An item compared to its state on the service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ItemComparison {
    pub change: Change,
    /// The state on the service in the request's shape, which an undo restores. `None` if the item didn't exist.
    pub before: Option<serde_json::Value>,
    /// For a delete, keys of some neighboring rows.
    #[serde(default)]
    pub neighbors: Vec<String>,
    /// True if it isn't sent, because it would change nothing or the user excluded it.
    pub skip: bool,
}

impl Words {
    #[must_use]
    pub fn result_text(&self, result: RowResult) -> String {
        self.text(&["result", &serialized_name(result)], &BTreeMap::new())
    }
}
