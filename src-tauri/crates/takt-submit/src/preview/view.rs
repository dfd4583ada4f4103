//! What the window and the command line see of a change preview.

use std::collections::BTreeMap;
use takt_core::ExcelRow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use takt_core::{
    ItemError, Problem,
    words::{Words, name},
};
use takt_import::import::ImportId;

/// What becomes of an item, as far as can be told before it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub enum PreviewKind {
    New,
    Changed,
    /// It would change nothing.
    Same,
    /// Nothing is there that a delete could remove.
    NotLinked,
    /// It would undo what was changed on the service since the workbook was exported, or change what is locked.
    Conflict,
    /// Not compared: the service doesn't show it, or its response proves nothing. [`PreviewStep::problem`] says why.
    Unknown,
    /// Findings stop it.
    Blocked,
}

/// Rows of the file by what becomes of their items. What a person left out isn't counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PreviewCounts {
    pub new: u32,
    pub changed: u32,
    pub same: u32,
    pub not_linked: u32,
    pub conflict: u32,
    pub unknown: u32,
    pub blocked: u32,
}

impl PreviewCounts {
    pub(crate) fn count(&mut self, kind: PreviewKind, rows: u32) {
        let place = match kind {
            PreviewKind::New => &mut self.new,
            PreviewKind::Changed => &mut self.changed,
            PreviewKind::Same => &mut self.same,
            PreviewKind::NotLinked => &mut self.not_linked,
            PreviewKind::Conflict => &mut self.conflict,
            PreviewKind::Unknown => &mut self.unknown,
            PreviewKind::Blocked => &mut self.blocked,
        };
        *place += rows;
    }

    #[must_use]
    pub fn total(self) -> u32 {
        self.new + self.changed + self.same + self.not_linked + self.conflict + self.unknown + self.blocked
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            new: self.new + other.new,
            changed: self.changed + other.changed,
            same: self.same + other.same,
            not_linked: self.not_linked + other.not_linked,
            conflict: self.conflict + other.conflict,
            unknown: self.unknown + other.unknown,
            blocked: self.blocked + other.blocked,
        }
    }
}

/// What looks wrong although every row by itself is valid. Each has a sentence in the language files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum AlarmKind {
    /// The column's values stand `number` rows above or below (negative) their own.
    ColumnShifted,
    /// The column's values stand at other rows: it was sorted by itself.
    ColumnSorted,
    /// All values are `number` times what the service holds.
    Scaled,
    /// The names of most things would change.
    Renamed,
    /// Most of what the service holds would change, most often this field.
    MostChanged,
    /// All moments move by the same span, `number` as `[-][d.]hh:mm:ss`. Often meant.
    DatesMoved,
}

/// One alarm of a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PreviewAlarm {
    pub kind: AlarmKind,
    pub field: String,
    /// Items that it is seen in, of so many.
    pub rows: u32,
    pub of: u32,
    /// See [`AlarmKind`]; empty where that has none.
    pub number: String,
}

/// How often a field would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ChangedField {
    pub field: String,
    pub rows: u32,
}

/// One step's items beside what the service holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PreviewStep {
    pub sheet: String,
    pub operation: String,
    pub deletes: bool,
    /// The read that told; absent where the service shows nothing of it.
    pub list: Option<String>,
    /// Fields of the key that the list doesn't show: a row of it may be about another item.
    pub unshown_key: Vec<String>,
    /// Why the list couldn't be read, or contradicts itself: the items that aren't compared are unknown.
    pub problem: Option<Problem>,
    pub counts: PreviewCounts,
    /// Most often changed first.
    pub fields: Vec<ChangedField>,
    pub alarms: Vec<PreviewAlarm>,
    pub requests: u32,
}

/// A change preview of an import.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PreviewView {
    pub import: ImportId,
    pub site: String,
    pub file: String,
    /// In the order in which they go.
    pub steps: Vec<PreviewStep>,
    /// Of all steps.
    pub counts: PreviewCounts,
    pub seconds: f64,
    /// True where the import changed since: it tells nothing of what would be sent now.
    pub stale: bool,
}

/// Why a changed field is a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum ConflictReason {
    Locked,
    /// The service holds another value than when the workbook was exported.
    ChangedSince,
}

/// One field of an item, old beside new.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PreviewField {
    /// For example `note`, `properties[COLOUR].value`.
    pub field: String,
    /// Null where nothing is held.
    pub old: Value,
    /// Null where it would be gone.
    pub new: Value,
    pub conflict: Option<ConflictReason>,
}

/// One item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PreviewRow {
    pub sheet: String,
    /// Its first row, as Excel shows it.
    pub row: ExcelRow,
    /// How many rows it has.
    pub rows: u32,
    pub key: String,
    pub kind: PreviewKind,
    /// What would change; of a new one, what it is created with.
    pub fields: Vec<PreviewField>,
    /// Why it isn't sent, where findings stop it: the first of them.
    pub errors: Vec<ItemError>,
    /// Why it wasn't compared.
    pub reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PreviewPage {
    pub total: u32,
    pub offset: u32,
    pub rows: Vec<PreviewRow>,
}

/// How far reading for a preview is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PreviewProgress {
    pub sheet: String,
    /// Requests that were answered.
    pub requests: u32,
    /// As far as it can be told.
    pub of: Option<u32>,
}

/// What is sent of a preview in addition to new and changed items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PreviewChoice {
    /// Also what would change nothing, and deletes of what isn't there.
    pub send_same: bool,
    /// Also deletes of what couldn't be compared. Other operations send such items in any case.
    #[serde(default)]
    pub send_unchecked: bool,
    pub conflicts: ConflictChoice,
}

/// What becomes of conflicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum ConflictChoice {
    /// One of them refuses the whole.
    #[default]
    Stop,
    Skip,
    Send,
}

impl AlarmKind {
    /// A sentence about all rows of a preview together.
    #[must_use]
    pub fn text(self, parameters: &BTreeMap<String, String>, words: &Words) -> String {
        words.text(&["alarm", &name(self)], parameters)
    }
}
