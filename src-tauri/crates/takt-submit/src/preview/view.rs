//! The views of change previews for the window and the command line.

use std::collections::BTreeMap;
use takt_core::ExcelRow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use takt_core::{
    ItemError, Problem,
    words::{Words, serialized_name},
};
use takt_import::ImportId;

/// The expected effect of sending an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub enum PreviewKind {
    New,
    Changed,
    /// Nothing would change.
    Same,
    /// A delete would find no row.
    NotLinked,
    /// Sending would undo a change on the service since the workbook was exported, or change a locked field.
    Conflict,
    /// Not compared: the service doesn't show the item, or its response proves nothing. See [`PreviewStep::problem`].
    Unknown,
    /// Findings prevent sending.
    Blocked,
}

/// The number of rows by the kind of their items. Excluded rows aren't included.
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
    pub(crate) fn add_rows(&mut self, kind: PreviewKind, rows: u32) {
        let count = match kind {
            PreviewKind::New => &mut self.new,
            PreviewKind::Changed => &mut self.changed,
            PreviewKind::Same => &mut self.same,
            PreviewKind::NotLinked => &mut self.not_linked,
            PreviewKind::Conflict => &mut self.conflict,
            PreviewKind::Unknown => &mut self.unknown,
            PreviewKind::Blocked => &mut self.blocked,
        };
        *count += rows;
    }

    #[must_use]
    pub fn total(self) -> u32 {
        self.new + self.changed + self.same + self.not_linked + self.conflict + self.unknown + self.blocked
    }

    /// Adds the counts of another step, kind by kind.
    #[must_use]
    pub fn sum_with(self, other: Self) -> Self {
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

/// Suspicious patterns of rows that are valid one by one. Their texts are in the language files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum AlarmKind {
    /// The column's values are `number` rows below the rows that they belong to, or above if `number` is negative.
    ColumnShifted,
    /// The column's values are in other rows, as if it was sorted alone.
    ColumnSorted,
    /// Most changed values are multiplied by `number`.
    Scaled,
    /// The names of most items would change.
    Renamed,
    /// Most existing items would change, most often this field.
    MostChanged,
    /// Most changed dates move by the same span, `number` as `[-][d.]hh:mm:ss`. Often intended.
    DatesMoved,
}

/// A suspicious pattern in the new values of a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PreviewAlarm {
    pub kind: AlarmKind,
    pub field: String,
    /// The number of items with the pattern. `of` is the number of compared items.
    pub rows: u32,
    pub of: u32,
    /// See [`AlarmKind`]. Empty if the kind has no number.
    pub number: String,
}

/// The number of items in which a field would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ChangedField {
    pub field: String,
    pub rows: u32,
}

/// The comparison of one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PreviewStep {
    pub sheet: String,
    pub operation: String,
    pub deletes: bool,
    /// The operation that reads the list. Absent if no list shows the items.
    pub list: Option<String>,
    /// Key fields that the list doesn't show, so that a row may belong to another item.
    pub unshown_key: Vec<String>,
    /// The reason why the list couldn't be read or contradicts itself. Items that aren't compared are unknown.
    pub problem: Option<Problem>,
    pub counts: PreviewCounts,
    /// The most often changed field first.
    pub fields: Vec<ChangedField>,
    pub alarms: Vec<PreviewAlarm>,
    pub requests: u32,
    /// The changed rows, conflicts excluded, whose earlier values can be sent back.
    pub undoable_changes: u32,
    /// The rows with conflicts whose earlier values can be sent back.
    pub undoable_conflicts: u32,
}

/// A change preview of an import.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PreviewView {
    pub import: ImportId,
    pub site: String,
    pub file: String,
    /// In the order of sending.
    pub steps: Vec<PreviewStep>,
    /// The sums of all steps.
    pub counts: PreviewCounts,
    pub seconds: f64,
    /// Whether the import has changed since. Then the preview may not match the items that would be sent.
    pub stale: bool,
}

/// The reason why a change of a field needs the user's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum ConflictReason {
    Locked,
    /// The service's value has changed since the workbook was exported.
    ChangedSince,
}

/// The old and new value of a field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PreviewField {
    /// For example `note` or `properties[COLOUR].value`.
    pub field: String,
    /// Null if the service has no value.
    pub old: Value,
    /// Null if the value would be removed.
    pub new: Value,
    pub conflict: Option<ConflictReason>,
}

/// The preview of an item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PreviewRow {
    pub sheet: String,
    /// The item's first row, as Excel numbers it.
    pub row: ExcelRow,
    /// The number of file rows that form the item.
    pub rows: u32,
    pub key: String,
    pub kind: PreviewKind,
    /// The changed fields, or all fields of a new item.
    pub fields: Vec<PreviewField>,
    /// The first findings that prevent sending.
    pub errors: Vec<ItemError>,
    /// The reason why the item wasn't compared.
    pub reason: Option<String>,
}

/// The items of a step to return.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PreviewFilter {
    /// Absent for all items.
    pub kind: Option<PreviewKind>,
    /// Whether unchanged items are among all items. A search always finds them.
    pub unchanged: bool,
    /// Only items whose key or whose first file row contains this text, ignoring case. Empty for all.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PreviewPage {
    pub total: u32,
    pub offset: u32,
    pub rows: Vec<PreviewRow>,
}

/// The progress of reading for a preview.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PreviewProgress {
    pub sheet: String,
    /// The number of completed requests.
    pub requests: u32,
    /// The total number of requests. Absent if it can't be estimated.
    pub of: Option<u32>,
}

/// The items of a preview to send in addition to new and changed ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PreviewChoice {
    /// Send items that would change nothing, and deletes of missing rows.
    pub send_same: bool,
    /// Send deletes that couldn't be compared. Other operations always send such items.
    #[serde(default)]
    pub send_unchecked: bool,
    pub conflicts: ConflictChoice,
}

/// The choice for items in conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum ConflictChoice {
    /// A conflict prevents sending.
    #[default]
    Stop,
    Skip,
    Send,
}

impl AlarmKind {
    /// Formats the alarm's text in the user's language.
    #[must_use]
    pub fn format_text(self, parameters: &BTreeMap<String, String>, words: &Words) -> String {
        words.text(&["alarm", &serialized_name(self)], parameters)
    }
}
