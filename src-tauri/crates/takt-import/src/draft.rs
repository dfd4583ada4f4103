//! Drafts are the user's unsent changes to a workbook. They're saved after each change and found again by the file's
//! content.
//!
//! Defines a draft's content and state. A draft contains cells and choices, never a secret.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use takt_journal::SubmissionOrigin;

use crate::{
    fix::FixesDraft,
    import_site::ImportSite,
    mapping::MappingFile,
    plan::PlanScope,
    reading_view::{RowChoice, TextReading},
};

/// The user's position in an import, as reported by the window.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ImportPosition {
    /// The name of the window's current step.
    pub step: String,
    /// The submission that this file fixes or repeats.
    pub follows: Option<SubmissionOrigin>,
}

/// Whether an import's draft is saved, and the draft that was restored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DraftView {
    /// True if the user's changes are saved. False if nothing was changed or the draft can't be saved.
    pub kept: bool,
    /// The draft that was restored when the file was opened.
    pub restored: Option<RestoredDraft>,
    /// A draft of an earlier content of the same file. Its rows may differ now.
    pub earlier: Option<EarlierDraft>,
}

/// A draft that was restored when its file was opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RestoredDraft {
    /// When it was last changed (ISO 8601).
    pub changed: String,
    /// Number of cells that differ from the file.
    pub edited: u32,
    /// Number of excluded rows.
    pub excluded: u32,
    pub position: ImportPosition,
}

/// A draft of an earlier content of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct EarlierDraft {
    /// Hexadecimal SHA-256 of the earlier content.
    pub hash: String,
    pub changed: String,
    pub edited: u32,
    pub excluded: u32,
}

/// The unsent choices and fixes of a workbook, as stored in the journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkbookDraft {
    /// The choices for reading a text file. `None` for workbooks.
    #[serde(default)]
    pub(crate) text: Option<TextReading>,
    /// The opened sheets, in the workbook's order.
    pub(crate) sheets: Vec<SheetDraft>,
    /// The name of the current sheet.
    pub(crate) sheet: String,
    pub(crate) scope: PlanScope,
    pub(crate) order: Vec<String>,
    pub(crate) skipped: BTreeSet<String>,
    pub(crate) owners: BTreeMap<String, String>,
    #[serde(rename = "decided")]
    pub(crate) chosen_sheets: BTreeSet<String>,
    pub(crate) destination: Option<ImportSite>,
    pub(crate) position: ImportPosition,
}

/// The unsent choices and fixes of a sheet.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SheetDraft {
    pub(crate) sheet: String,
    /// 1-based, as in Excel.
    pub(crate) header_row: Option<u32>,
    pub(crate) header_rows: u32,
    pub(crate) rows: RowChoice,
    /// Operation, columns and formats. `None` if the sheet's operation isn't known.
    pub(crate) mapping: Option<MappingFile>,
    pub(crate) fixes: FixesDraft,
}

/// Whether a workbook has unsent changes, and whether they're saved.
#[derive(Debug, Clone, Default)]
pub(crate) struct DraftStatus {
    /// True if the user made changes that aren't sent.
    pub(crate) has_changes: bool,
    /// True if there were changes since the draft was saved.
    pub(crate) is_unsaved: bool,
    pub(crate) view: DraftView,
    pub(crate) position: ImportPosition,
}

impl DraftStatus {
    /// Records that the user changed something, so that the draft is saved.
    pub(crate) fn mark_changed(&mut self) {
        (self.has_changes, self.is_unsaved) = (true, true);
    }
}
