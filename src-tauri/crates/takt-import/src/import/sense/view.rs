//! What the window and the command line see of it.

use serde::{Deserialize, Serialize};
use takt_core::{
    Problem,
    words::{Words, name},
};

/// How far the rows were held against what a site holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SenseView {
    /// The site; absent where the rows weren't held against any.
    pub site: Option<String>,
    /// When the oldest of what is used was read, ISO 8601; absent where nothing was.
    pub at: Option<String>,
    /// True where a field needs to know something of a site.
    pub needed: bool,
    /// Fields that couldn't be checked; each once.
    pub unchecked: Vec<UncheckedField>,
    /// Why the site couldn't be read when that was tried last.
    pub problem: Option<Problem>,
}

/// A field that couldn't be held against what the site holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct UncheckedField {
    /// The field's path.
    pub field: String,
    pub reason: UncheckedReason,
    /// When what is known was read; absent where nothing is known.
    pub at: Option<String>,
    /// How many rows the list has, where it is too long to be read.
    pub rows: Option<u32>,
}

/// Why a field couldn't be checked. Each has a text in the language files, section `unchecked`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum UncheckedReason {
    /// Nothing was read of the site.
    NotLoaded,
    /// What was read is too old to tell anything.
    Stale,
    /// The service has no operation that tells.
    NotListed,
    /// The list is too long to be read, and the sheet names too much of it to be asked for one by one.
    TooLong,
}

impl UncheckedField {
    /// Why the field couldn't be held against what the site holds. `at` is a moment as the reader is to see it.
    #[must_use]
    pub fn text(&self, words: &Words, at: &str) -> String {
        let rows = self.rows.map(|rows| ("rows".to_owned(), rows.to_string()));
        let places = rows.into_iter().chain([("at".to_owned(), at.to_owned())]).collect();
        words.text(&["unchecked", &name(self.reason)], &places)
    }
}
