//! Drafts are the user's unsent changes to a workbook. They're saved after each change and found again by the file's
//! content.
//!
//! Defines a draft's content. takt-journal owns the table. A draft contains cells and choices, never a secret.

mod storage;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use takt_journal::SubmissionOrigin;

pub use self::storage::{DraftOnFile, Drafts, FileState, RecentFileView, SentFileView};
use super::{ImportSite, MappingFile, RowChoice, TextReading, fix::FixesDraft, plan::Scope};

/// The user's position in an import, as reported by the window.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ImportPosition {
    /// The window's step.
    pub step: String,
    /// The submission that this file fixes or repeats.
    pub follows: Option<SubmissionOrigin>,
}

/// The state of an import's draft.
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

/// A draft that was restored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RestoredDraft {
    /// When it was last changed (ISO 8601).
    pub changed: String,
    /// Cells that differ from the file.
    pub edited: u32,
    /// Excluded rows.
    pub excluded: u32,
    pub position: ImportPosition,
}

/// A draft of an earlier content of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct EarlierDraft {
    /// The hash of that content.
    pub hash: String,
    pub changed: String,
    pub edited: u32,
    pub excluded: u32,
}

/// The saved draft of a workbook.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BookDraft {
    /// How a text file is read. `None` for workbooks.
    #[serde(default)]
    pub(super) text: Option<TextReading>,
    /// The opened sheets, in the workbook's order.
    pub(super) sheets: Vec<SheetDraft>,
    /// The current sheet.
    pub(super) sheet: String,
    pub(super) scope: Scope,
    pub(super) order: Vec<String>,
    pub(super) skipped: BTreeSet<String>,
    pub(super) owners: BTreeMap<String, String>,
    pub(super) decided: BTreeSet<String>,
    pub(super) destination: Option<ImportSite>,
    pub(super) position: ImportPosition,
}

/// The saved draft of a sheet.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SheetDraft {
    pub(super) sheet: String,
    /// 1-based, as in Excel.
    pub(super) header_row: Option<u32>,
    pub(super) header_rows: u32,
    pub(super) rows: RowChoice,
    /// Operation, columns and formats. `None` if the sheet's operation isn't known.
    pub(super) mapping: Option<MappingFile>,
    pub(super) fixes: FixesDraft,
}

/// The state of a workbook's draft.
#[derive(Debug, Clone, Default)]
pub(super) struct DraftStatus {
    /// True if the user changed something that isn't sent.
    pub(super) has_changes: bool,
    /// True if something changed since the draft was saved.
    pub(super) is_unsaved: bool,
    pub(super) view: DraftView,
    pub(super) position: ImportPosition,
}

impl DraftStatus {
    /// Records a change by the user.
    pub(super) fn mark_changed(&mut self) {
        (self.has_changes, self.is_unsaved) = (true, true);
    }
}

fn timestamp_text(at: Timestamp) -> String {
    at.to_string()
}
