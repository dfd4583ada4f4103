//! The progress of reading a workbook.

use serde::Serialize;
use takt_sheet::ReadProgress;

use crate::header::HeadRow;

/// Called repeatedly while a workbook is read. Returns false to cancel.
pub type ProgressListener<'a> = dyn Fn(ImportProgress) -> bool + 'a;

/// The progress of reading a workbook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ImportProgress {
    pub sheet: String,
    /// Bytes read for the sheet, out of `of` bytes. Both are 0 if unknown.
    pub read: u32,
    pub of: u32,
    /// Rows with content so far, including the header row and the rows above it.
    pub rows: u32,
    /// The first rows (at most 100), reported once as soon as they were read.
    pub head: Option<Vec<HeadRow>>,
}

impl ImportProgress {
    pub(crate) fn from_read_progress(sheet: &str, progress: ReadProgress<'_>) -> Self {
        let bytes = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX);
        Self {
            sheet: sheet.to_owned(),
            read: bytes(progress.bytes_read),
            of: bytes(progress.total_bytes),
            rows: progress.rows,
            head: progress.head.map(|rows| rows.iter().map(HeadRow::from_row).collect()),
        }
    }
}
