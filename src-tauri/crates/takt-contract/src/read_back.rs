//! Where what a change wrote is read again.

use serde::{Deserialize, Serialize};

use crate::{FieldPair, Provenance};

/// A parameter of a read, and the field of an item that it is asked with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct QueryParameter {
    pub parameter: String,
    pub own: String,
}

/// The part of a row's list that an item is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Entry {
    /// The row's list; what `key` calls theirs are fields of its parts.
    pub list: String,
    pub key: Vec<FieldPair>,
}

/// A list within an item, and the field that tells its parts apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct KeyedList {
    pub list: String,
    pub key: String,
}

/// The read that shows what a change wrote (`x-takt-read-back`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReadBack {
    /// The operation that reads it.
    pub list: String,
    /// Which of its rows an item is about. A field that the item leaves out is blank in the row.
    pub key: Vec<FieldPair>,
    /// Fields of the item that it leaves out to mean every row, whatever stands there.
    #[serde(default)]
    pub every: Vec<String>,
    /// Where the item isn't a row but a part of one.
    #[serde(default)]
    pub entry: Option<Entry>,
    /// By what the read can be narrowed to an item. Empty where only the whole list can be read.
    #[serde(default)]
    pub asks: Vec<QueryParameter>,
    /// The item's own lists.
    #[serde(default)]
    pub lists: Vec<KeyedList>,
    pub provenance: Provenance,
}
