//! What is known of a workbook while it is still being read.

use serde::Serialize;
use takt_core::ExcelRow;
use takt_sheet::{ReadProgress, SheetRow};

use super::HeadRow;

/// Called now and then while a workbook is read. False once reading is cancelled.
pub type OpenWatch<'a> = dyn Fn(ImportProgress) -> bool + 'a;

/// How far the reading of a workbook is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ImportProgress {
    /// The sheet that is read.
    pub sheet: String,
    /// Bytes that were read for it, and how many there are to read; both 0 where that isn't known.
    pub read: u32,
    pub of: u32,
    /// Rows with content so far, the heading and what stands above it included.
    pub rows: u32,
    /// The first rows as they stand (at most 100), told once: as soon as they are there.
    pub head: Option<Vec<HeadRow>>,
}

impl ImportProgress {
    pub(super) fn of(sheet: &str, glimpse: ReadProgress<'_>) -> Self {
        let bytes = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX);
        Self {
            sheet: sheet.to_owned(),
            read: bytes(glimpse.read),
            of: bytes(glimpse.of),
            rows: glimpse.rows,
            head: glimpse.head.map(|rows| rows.iter().map(HeadRow::of).collect()),
        }
    }
}

impl HeadRow {
    pub(super) fn of(row: &SheetRow) -> Self {
        Self { row: ExcelRow::new(row.number), cells: row.cells.iter().map(|cell| cell.shown().into_owned()).collect() }
    }
}
