//! What stands in the sheet instead of what was read, and which rows count.

use std::collections::{HashMap, HashSet};

use takt_contract::FieldKind;
use takt_sheet::{Cell, RowSpan, Sheet};

use super::super::{FormatChoice, reading::Format};

/// The sheet shows what was mended; what the file holds in those places is kept here, so that nothing of it is lost.
#[derive(Debug, Default)]
pub(crate) struct Overlay {
    /// By row number, then by column.
    originals: HashMap<u32, HashMap<u32, Cell>>,
    cells: u32,
    /// By row number.
    excluded: HashSet<u32>,
}

impl Overlay {
    pub(crate) fn excludes(&self, row: u32) -> bool {
        !self.excluded.is_empty() && self.excluded.contains(&row)
    }

    pub(crate) fn is_edited(&self, row: u32) -> bool {
        !self.originals.is_empty() && self.originals.contains_key(&row)
    }

    /// What the file holds in a cell that was mended.
    pub(crate) fn original(&self, row: u32, column: u32) -> Option<&Cell> {
        if self.originals.is_empty() {
            return None;
        }
        self.originals.get(&row)?.get(&column)
    }

    /// Cells that differ from the file.
    pub(crate) fn edited(&self) -> u32 {
        self.cells
    }

    pub(crate) fn edited_rows(&self) -> u32 {
        u32::try_from(self.originals.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn excluded(&self) -> &HashSet<u32> {
        &self.excluded
    }

    /// True where the row's state became another one.
    pub(super) fn set_excluded(&mut self, row: u32, excluded: bool) -> bool {
        if excluded { self.excluded.insert(row) } else { self.excluded.remove(&row) }
    }

    /// Puts a cell into the sheet and gives what stood there.
    pub(super) fn put(&mut self, sheet: &mut Sheet, row: u32, column: u32, cell: &Cell) -> Option<Cell> {
        let before = sheet.rows.set(sheet.rows.position(row)?, column, cell.clone())?;
        let of_row = self.originals.entry(row).or_default();
        match of_row.get(&column) {
            Some(original) if original == cell => {
                of_row.remove(&column);
                self.cells -= 1;
            }
            None if before != *cell => {
                of_row.insert(column, before.clone());
                self.cells += 1;
            }
            Some(_) | None => {}
        }
        if of_row.is_empty() {
            self.originals.remove(&row);
        }
        Some(before)
    }

    /// How a column's texts are read. What was typed obeys what the file's own cells prove; where they prove nothing, it
    /// counts as evidence too; what the file proved once stays proven when the proof itself is mended; and where nothing proves
    /// anything, the person's choice counts.
    pub(crate) fn format(
        &self,
        kind: FieldKind,
        choice: Option<FormatChoice>,
        column: u32,
        rows: RowSpan<'_>,
    ) -> Format {
        let numbered = || (0..).map(move |position| rows.number(position).unwrap_or_default()).zip(rows.column(column));
        let counted = || numbered().filter(|(row, _)| !self.excludes(*row));
        let all = |choice| Format::of(kind, choice, counted().map(|(_, cell)| cell));
        if !self.originals.values().any(|cells| cells.contains_key(&column)) {
            return all(choice);
        }
        let kept = counted().filter(|(row, _)| self.original(*row, column).is_none());
        let kept = Format::of(kind, None, kept.map(|(_, cell)| cell));
        if !kept.is_open() {
            return kept;
        }
        let now = all(choice);
        if !now.is_open() {
            return now;
        }
        let cells = counted().map(|(row, cell)| self.original(row, column).cloned().unwrap_or(cell));
        let read = Format::of(kind, None, cells);
        if read.is_open() { now } else { read }
    }
}
