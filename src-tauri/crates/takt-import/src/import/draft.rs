//! Drafts: what a person made of a workbook that isn't sent, written down after each change and found again by the file's content.
//!
//! Owns what a draft holds and when it is kept. Leaves the table to takt-journal. A draft holds cells and choices, never a secret.

mod storage;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use takt_journal::SubmissionOrigin;

pub use self::storage::{DraftOnFile, Drafts, FileState, RecentFileView, SentFileView};
use super::{ImportSite, MappingFile, RowChoice, TextReading, fix::FixesDraft, plan::Scope};

/// Where a person was in an import, as the window says it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ImportPosition {
    /// The window's step.
    pub step: String,
    /// The submission that is fixed, or done again, with this file.
    pub follows: Option<SubmissionOrigin>,
}

/// How a draft of an import stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DraftView {
    /// What a person changed is written down; false where nothing was changed, or where it can't be kept.
    pub kept: bool,
    /// What was there when the file was opened.
    pub restored: Option<RestoredDraft>,
    /// A draft of what stood in the same file before: its rows may be others now.
    pub earlier: Option<EarlierDraft>,
}

/// A draft that is in force again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RestoredDraft {
    /// When it was changed last (ISO 8601).
    pub changed: String,
    /// Cells that hold something else than the file.
    pub edited: u32,
    /// Rows that are left out.
    pub excluded: u32,
    pub position: ImportPosition,
}

/// A draft of an earlier content of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct EarlierDraft {
    /// Of that content.
    pub hash: String,
    pub changed: String,
    pub edited: u32,
    pub excluded: u32,
}

/// What is written down of a workbook.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BookDraft {
    /// How a text is read; absent for workbooks.
    #[serde(default)]
    pub(super) text: Option<TextReading>,
    /// Those that were looked at, in the workbook's order.
    pub(super) sheets: Vec<SheetDraft>,
    /// The one that is looked at.
    pub(super) sheet: String,
    pub(super) scope: Scope,
    pub(super) order: Vec<String>,
    pub(super) skipped: BTreeSet<String>,
    pub(super) owners: BTreeMap<String, String>,
    pub(super) decided: BTreeSet<String>,
    pub(super) destination: Option<ImportSite>,
    pub(super) position: ImportPosition,
}

/// What is written down of a sheet.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SheetDraft {
    pub(super) sheet: String,
    /// As Excel numbers it.
    pub(super) header_row: Option<u32>,
    pub(super) header_rows: u32,
    pub(super) rows: RowChoice,
    /// Operation, columns and formats. Absent if the sheet's operation isn't known.
    pub(super) mapping: Option<MappingFile>,
    pub(super) fixes: FixesDraft,
}

/// How a workbook's draft stands.
#[derive(Debug, Clone, Default)]
pub(super) struct DraftStatus {
    /// A person changed something that isn't sent.
    pub(super) touched: bool,
    /// Something was changed since it was written down.
    pub(super) due: bool,
    pub(super) view: DraftView,
    pub(super) position: ImportPosition,
}

impl DraftStatus {
    /// A person changed something.
    pub(super) fn touch(&mut self) {
        (self.touched, self.due) = (true, true);
    }
}

fn shown(at: Timestamp) -> String {
    at.to_string()
}
