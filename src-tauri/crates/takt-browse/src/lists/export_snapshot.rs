//! Stores a snapshot of the exported rows in a hidden sheet of the workbook. With it, edits of a copy can be told apart
//! from later changes on the service.

use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::Value;
use takt_client::is_same_address;
use takt_sheet::writer::{OutCell, OutSheet, OutStream};
use takt_sheet::{Limits, Sheet, Workbook};

use crate::read_back::ReadBack;

/// The name of the hidden sheet with the snapshot.
pub const SNAPSHOT_SHEET: &str = "Takt";
const FORMAT_NAME: &str = "takt-export";
/// The version of the sheet's format.
const FORMAT_VERSION: &str = "1";
/// The maximum rows of a snapshot. Longer lists get none, because it would double the file's size.
pub const MAX_SNAPSHOT_ROWS: usize = 100_000;
/// The maximum characters of a cell. Excel accepts 32,767.
const MAX_CELL_LENGTH: usize = 30_000;

/// The origin of exported rows.
#[derive(Debug, Clone, Copy)]
pub struct ExportOrigin<'a> {
    pub site: &'a str,
    pub list: &'a str,
    /// The site's address at that time. Empty for the practice plant.
    pub address: &'a str,
}

/// The rows of a list as of their export.
#[derive(Debug)]
pub struct ExportSnapshot {
    list: String,
    site: String,
    /// `None` if an earlier version wrote the file.
    address: Option<String>,
    rows: Vec<Value>,
}

/// A snapshot indexed by the read-back's key.
#[derive(Debug)]
pub struct SnapshotIndex<'a> {
    read_back: &'a ReadBack,
    rows: HashMap<String, &'a Value>,
}

/// Creates the hidden sheet. Returns `None` if there are too many rows.
pub fn snapshot_sheet(origin: ExportOrigin<'_>, at: Timestamp, rows: &[Value]) -> Option<OutSheet> {
    let stream = snapshot_stream(origin, at, rows.len(), rows.iter().cloned())?;
    Some(OutSheet { name: stream.name.to_owned(), rows: stream.rows.collect(), ..OutSheet::default() })
}

/// Creates the hidden sheet row by row. `count` is the number of rows.
pub(super) fn snapshot_stream<'a>(
    origin: ExportOrigin<'_>,
    at: Timestamp,
    count: usize,
    rows: impl Iterator<Item = Value> + 'a,
) -> Option<OutStream<'a>> {
    if count > MAX_SNAPSHOT_ROWS {
        return None;
    }
    let ExportOrigin { site, list, address } = origin;
    let first = [FORMAT_NAME, FORMAT_VERSION, list, site, &at.to_string(), address].map(OutCell::from).to_vec();
    let json_rows = rows.map(|row| split_into_cells(&row.to_string()).into_iter().map(OutCell::Text).collect());
    Some(OutStream {
        name: SNAPSHOT_SHEET,
        columns: Vec::new(),
        rows: Box::new(std::iter::once(first).chain(json_rows)),
    })
}

fn split_into_cells(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(MAX_CELL_LENGTH).map(|piece| piece.iter().collect()).collect()
}

impl ExportSnapshot {
    /// Reads the snapshot of a workbook. Returns `None` if it has none, or if the snapshot is unreadable.
    pub fn read_from(workbook: &Workbook, limits: &Limits) -> Option<Self> {
        let is_snapshot = |entry: &&takt_sheet::SheetEntry| !entry.visible && entry.name == SNAPSHOT_SHEET;
        workbook.sheets().iter().find(is_snapshot)?;
        let read = workbook.read(SNAPSHOT_SHEET, limits, &|| false);
        Self::read(&read.inspect_err(|error| tracing::warn!(%error, "what was exported couldn't be read")).ok()?)
    }

    fn read(sheet: &Sheet) -> Option<Self> {
        let mut sheet_rows =
            sheet.rows.iter().map(|row| row.cells.iter().map(|cell| cell.shown().into_owned()).collect::<Vec<_>>());
        let first = sheet_rows.next()?;
        let [name, version, list, site, ..] = first.as_slice() else { return None };
        if name != FORMAT_NAME || version != FORMAT_VERSION {
            return None;
        }
        let rows = sheet_rows.filter_map(|cells| serde_json::from_str(&cells.concat()).ok()).collect();
        let address = first.get(5).filter(|address| !address.is_empty()).cloned();
        Some(Self { list: list.clone(), site: site.clone(), address, rows })
    }

    /// Returns true if the snapshot is from this site. A site of the same name at another address is another service.
    pub fn is_from_site(&self, site: &str, address: &str) -> bool {
        self.site == site && self.address.as_ref().is_none_or(|known| is_same_address(known, address))
    }

    /// Indexes the snapshot. Returns `None` if another list was exported.
    pub fn index<'a>(&'a self, read_back: &'a ReadBack) -> Option<SnapshotIndex<'a>> {
        let rows = self.rows.iter().map(|row| (read_back.key_of_row(row), row)).collect();
        (self.list == read_back.list()).then_some(SnapshotIndex { read_back, rows })
    }
}

impl SnapshotIndex<'_> {
    /// Returns an item's state at the time of the export, in the request's shape.
    pub fn find_item(&self, sent: &Value) -> Option<Value> {
        let row = self.rows.get(&self.read_back.key_of_item(sent)?)?;
        self.read_back.item_in_row(row, sent)
    }
}
