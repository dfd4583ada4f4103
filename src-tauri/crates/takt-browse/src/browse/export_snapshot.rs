//! What an exported workbook remembers of the service: which rows stood there, where and when, in a sheet that Excel doesn't
//! show. An edited copy can then be told from what changed on the service meanwhile.

use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::Value;
use takt_client::same_address;
use takt_sheet::{
    Limits, Sheet, Workbook,
    writer::{OutCell, OutSheet, OutStream},
};

use crate::read_back::ReadBack;

/// The sheet in which an exported workbook remembers what the service held; Excel doesn't show it.
pub const SHEET: &str = "Takt";
const MARK: &str = "takt-export";
/// Of the sheet's form.
const VERSION: &str = "1";
/// Longer lists remember nothing: the file would be twice as large.
pub const MAX_ROWS: usize = 100_000;
/// Characters of a cell; Excel takes 32,767.
const PIECE: usize = 30_000;

/// Where rows were exported from.
#[derive(Debug, Clone, Copy)]
pub struct ExportOrigin<'a> {
    pub site: &'a str,
    pub list: &'a str,
    /// Of the site at that time; empty for the practice plant.
    pub address: &'a str,
}

/// Rows of a list as they were when they were exported.
#[derive(Debug)]
pub struct ExportSnapshot {
    list: String,
    site: String,
    /// Absent in what an earlier Takt wrote.
    address: Option<String>,
    rows: Vec<Value>,
}

/// The same, found again by what a read back calls the key.
#[derive(Debug)]
pub struct SnapshotIndex<'a> {
    back: &'a ReadBack,
    rows: HashMap<String, &'a Value>,
}

/// The sheet to be hidden; absent where there is too much to remember.
pub fn sheet(place: ExportOrigin<'_>, at: Timestamp, rows: &[Value]) -> Option<OutSheet> {
    let stream = stream(place, at, rows.len(), rows.iter().cloned())?;
    Some(OutSheet { name: stream.name.to_owned(), rows: stream.rows.collect(), ..OutSheet::default() })
}

/// The same, row by row. `count` is how many rows there are.
pub(super) fn stream<'a>(
    place: ExportOrigin<'_>,
    at: Timestamp,
    count: usize,
    rows: impl Iterator<Item = Value> + 'a,
) -> Option<OutStream<'a>> {
    if count > MAX_ROWS {
        return None;
    }
    let ExportOrigin { site, list, address } = place;
    let first = [MARK, VERSION, list, site, &at.to_string(), address].map(OutCell::from).to_vec();
    let lines = rows.map(|row| pieces(&row.to_string()).into_iter().map(OutCell::Text).collect());
    Some(OutStream { name: SHEET, columns: Vec::new(), rows: Box::new(std::iter::once(first).chain(lines)) })
}

fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(PIECE).map(|piece| piece.iter().collect()).collect()
}

impl ExportSnapshot {
    /// Absent where the workbook isn't one of Takt's exports, or that can't be read any more.
    pub fn of(workbook: &Workbook, limits: &Limits) -> Option<Self> {
        let own = |entry: &&takt_sheet::SheetEntry| !entry.visible && entry.name == SHEET;
        workbook.sheets().iter().find(own)?;
        let read = workbook.read(SHEET, limits, &|| false);
        Self::read(&read.inspect_err(|error| tracing::warn!(%error, "what was exported couldn't be read")).ok()?)
    }

    fn read(sheet: &Sheet) -> Option<Self> {
        let mut lines =
            sheet.rows.iter().map(|row| row.cells.iter().map(|cell| cell.shown().into_owned()).collect::<Vec<_>>());
        let first = lines.next()?;
        let [mark, version, list, site, ..] = first.as_slice() else { return None };
        if mark != MARK || version != VERSION {
            return None;
        }
        let rows = lines.filter_map(|cells| serde_json::from_str(&cells.concat()).ok()).collect();
        let address = first.get(5).filter(|address| !address.is_empty()).cloned();
        Some(Self { list: list.clone(), site: site.clone(), address, rows })
    }

    /// Whether it stood there: at another address of the same name is another service.
    pub fn is_of(&self, site: &str, address: &str) -> bool {
        self.site == site && self.address.as_ref().is_none_or(|known| same_address(known, address))
    }

    /// Absent where another list was exported than the one that is read back.
    pub fn by<'a>(&'a self, back: &'a ReadBack) -> Option<SnapshotIndex<'a>> {
        let rows = self.rows.iter().map(|row| (back.key_of_row(row), row)).collect();
        (self.list == back.list()).then_some(SnapshotIndex { back, rows })
    }
}

impl SnapshotIndex<'_> {
    /// What was held of an item, in the request's shape.
    pub fn of(&self, sent: &Value) -> Option<Value> {
        let row = self.rows.get(&self.back.key_of_item(sent)?)?;
        self.back.item_in_row(row, sent)
    }
}
