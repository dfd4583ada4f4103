//! What the window and the command line see of what the service holds.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One page of rows. Rows are JSON objects by the contract's answer shape; their text is not trusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct BrowsePage {
    pub rows: Vec<Value>,
    /// 1-based.
    pub page: u32,
    /// Absent where the service didn't say.
    pub pages: Option<u32>,
    pub total: Option<u32>,
    /// Members that the contract doesn't know, in the order of their first appearance.
    pub unknown: Vec<String>,
}

/// What is said of one page whose rows went into a set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PageSaid {
    /// 1-based.
    pub page: u32,
    /// Absent where the service didn't say.
    pub pages: Option<u32>,
    pub total: Option<u32>,
    /// Rows that came.
    pub count: u32,
    /// Members that the contract doesn't know, in the order of their first appearance.
    pub unknown: Vec<String>,
}

/// How reading every page ended, where nothing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum BrowseEnd {
    /// Every row that the service says it has; where it doesn't say, until no more came.
    Whole,
    /// Somebody stopped it. It can go on.
    Stopped,
    /// The list changed while it was read, or holds more or fewer rows than it says: some may be missing or there twice.
    Uneven,
}

/// How far reading all pages has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct BrowseProgress {
    pub rows: u32,
    pub total: Option<u32>,
    pub page: u32,
    pub pages: Option<u32>,
    /// Until when it waits for the service's limit; absent while it doesn't.
    #[cfg_attr(feature = "specta", specta(type = Option<String>))]
    pub waiting_until: Option<Timestamp>,
}
