//! Views of the checks against a site, for the window and the command line.

use serde::{Deserialize, Serialize};
use takt_core::{
    Problem,
    words::{Words, name},
};

/// How far the rows were checked against a site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ReferenceChecksView {
    /// The site. `None` if the rows weren't checked against any.
    pub site: Option<String>,
    /// When the oldest data in use was read, ISO 8601. `None` if none was.
    pub at: Option<String>,
    /// True if a field needs data of a site.
    pub needed: bool,
    /// Fields that couldn't be checked, each once.
    pub unchecked: Vec<UncheckedField>,
    /// Why the site couldn't be read at the last attempt.
    pub problem: Option<Problem>,
}

/// A field that couldn't be checked against the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct UncheckedField {
    /// The field's path.
    pub field: String,
    pub reason: UncheckedReason,
    /// When the known data was read. `None` if nothing is known.
    pub at: Option<String>,
    /// Number of rows in the list, if it's too long to be read.
    pub rows: Option<u32>,
}

/// Why a field couldn't be checked. Each has a text in the language files, section `unchecked`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum UncheckedReason {
    /// No data of the site was read.
    NotLoaded,
    /// The data is too old.
    Stale,
    /// The service has no operation for it.
    NotListed,
    /// The list is too long to be read, and the sheet names too many of its codes to request them one by one.
    TooLong,
}

impl UncheckedField {
    /// Returns the text about why the field couldn't be checked. `at` is the time in the reader's format.
    #[must_use]
    pub fn text(&self, words: &Words, at: &str) -> String {
        let rows = self.rows.map(|rows| ("rows".to_owned(), rows.to_string()));
        let places = rows.into_iter().chain([("at".to_owned(), at.to_owned())]).collect();
        words.text(&["unchecked", &name(self.reason)], &places)
    }
}
