//! The fixed cells of a sheet, and its excluded rows.

use std::collections::{HashMap, HashSet};
use takt_core::ExcelRow;

use serde::{Deserialize, Serialize};
use takt_contract::FieldKind;
use takt_sheet::{Cell, CellKind, CellRef, RowSpan, Sheet};

use super::super::cell_value::{ChosenFormats, ColumnFormatCounts, Format};

/// The original content of fixed cells, and the excluded rows. The sheet has the fixed content.
#[derive(Debug, Default)]
pub(crate) struct Overlay {
    /// By row number, then by column, the file's cell.
    originals: HashMap<ExcelRow, HashMap<u32, Cell>>,
    edited_cells: u32,
    excluded: HashSet<ExcelRow>,
    /// The rows that were sent, by site and operation.
    sent: Vec<SentRows>,
    /// The index of the rows that were sent to the import's current site and operation.
    current_sent: Option<usize>,
}

/// The site and the operation that rows were sent to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentTo {
    pub site: String,
    pub operation: String,
}

/// Rows that were sent. They aren't part of an import to the same site and operation.
#[derive(Debug)]
pub(super) struct SentRows {
    pub(super) to: SentTo,
    pub(super) rows: HashSet<ExcelRow>,
}

impl Overlay {
    /// Returns true if the user excluded the row, or if it was sent.
    pub(crate) fn excludes(&self, row: ExcelRow) -> bool {
        !self.excluded.is_empty() && self.excluded.contains(&row) || self.is_sent(row)
    }

    pub(crate) fn is_sent(&self, row: ExcelRow) -> bool {
        self.current_sent().is_some_and(|sent| sent.rows.contains(&row))
    }

    /// Returns the number of rows that were sent to the current site and operation.
    pub(crate) fn sent_count(&self) -> usize {
        self.current_sent().map_or(0, |sent| sent.rows.len())
    }

    /// Returns true if rows were sent, to any site and operation.
    pub(crate) fn has_sent_rows(&self) -> bool {
        !self.sent.is_empty()
    }

    fn current_sent(&self) -> Option<&SentRows> {
        self.sent.get(self.current_sent?)
    }

    pub(super) fn all_sent_rows(&self) -> &[SentRows] {
        &self.sent
    }

    /// Removes sent rows from imports to this site and operation. A fix or an undo doesn't bring them back.
    pub(crate) fn add_sent_rows(&mut self, to: SentTo, rows: impl IntoIterator<Item = ExcelRow>) {
        match self.sent.iter_mut().find(|sent| sent.to == to) {
            Some(sent) => sent.rows.extend(rows),
            None => self.sent.push(SentRows { to, rows: rows.into_iter().collect() }),
        }
    }

    /// Sets the site and operation that the import is for. Rows that were only sent elsewhere are part of it.
    pub(crate) fn set_target(&mut self, site: Option<&str>, operation: Option<&str>) {
        let is_current = |sent: &SentRows| Some(&*sent.to.site) == site && Some(&*sent.to.operation) == operation;
        self.current_sent = self.sent.iter().position(is_current);
    }

    /// Forgets the fixes, but not the sent rows.
    pub(super) fn clear_fixes(&mut self) {
        let (sent, current_sent) = (std::mem::take(&mut self.sent), self.current_sent);
        *self = Self { sent, current_sent, ..Self::default() };
    }

    /// Returns the file's cell if it was fixed.
    pub(crate) fn original_cell(&self, row: ExcelRow, column: u32) -> Option<&Cell> {
        if self.originals.is_empty() {
            return None;
        }
        self.originals.get(&row)?.get(&column)
    }

    /// Returns the number of cells that differ from the file.
    pub(crate) fn edited_cells(&self) -> u32 {
        self.edited_cells
    }

    /// Returns the numbers of the rows in which a cell differs from the file.
    pub(crate) fn edited_row_numbers(&self) -> impl Iterator<Item = ExcelRow> {
        self.originals.keys().copied()
    }

    /// Returns the rows that the user excluded.
    pub(crate) fn excluded_rows(&self) -> &HashSet<ExcelRow> {
        &self.excluded
    }

    /// Excludes or includes a row. Returns true if its state changed.
    pub(crate) fn set_excluded(&mut self, row: ExcelRow, excluded: bool) -> bool {
        if excluded { self.excluded.insert(row) } else { self.excluded.remove(&row) }
    }

    /// Puts a cell into the sheet and returns the previous cell.
    pub(super) fn set_cell(&mut self, sheet: &mut Sheet, row: ExcelRow, column: u32, cell: &Cell) -> Option<Cell> {
        let before = sheet.rows.replace_cell(sheet.rows.position(row.get())?, column, cell.clone())?;
        let of_row = self.originals.entry(row).or_default();
        match of_row.get(&column) {
            Some(original) if original == cell => {
                of_row.remove(&column);
                self.edited_cells -= 1;
            }
            None if before != *cell => {
                of_row.insert(column, before.clone());
                self.edited_cells += 1;
            }
            Some(_) | None => {}
        }
        if of_row.is_empty() {
            self.originals.remove(&row);
        }
        Some(before)
    }

    /// Counts the cells that determine the formats of these columns. Each column is given with its field's kind.
    pub(crate) fn column_counts(&self, columns: &[(FieldKind, u32)], rows: RowSpan<'_>) -> Vec<ColumnCounts> {
        let mut all: Vec<ColumnCounts> = columns.iter().map(|&(kind, _)| ColumnCounts::new(kind)).collect();
        let needed: Vec<(usize, u32)> = (0..)
            .zip(columns)
            .filter(|(_, (kind, _))| ColumnFormatCounts::new(*kind).is_needed())
            .map(|(at, &(_, column))| (at, column))
            .collect();
        if needed.is_empty() {
            return all;
        }
        let kinds = |at: usize| all.get(at).map_or(&[][..], |of: &ColumnCounts| of.unfixed.kinds());
        let read: Vec<(u32, &[CellKind])> = needed.iter().map(|&(at, column)| (column, kinds(at))).collect();
        let is_unfixed = self.excluded.is_empty() && self.sent_count() == 0 && self.originals.is_empty();
        let found = rows.map_blocks_with_kinds(&read, |block| {
            let mut found: Vec<ColumnCounts> = needed.iter().filter_map(|&(at, _)| all.get(at).cloned()).collect();
            if is_unfixed {
                for (&(_, column), found) in needed.iter().zip(&mut found) {
                    block.cells(column).flatten().for_each(|cell| found.unfixed.add_cell(cell));
                }
                return found;
            }
            for row in block.rows() {
                let number = ExcelRow::new(row.number());
                if self.excludes(number) {
                    continue;
                }
                for (&(_, column), found) in needed.iter().zip(&mut found) {
                    found.add_cell(row.cell(column), self.original_cell(number, column));
                }
            }
            found
        });
        for found in found {
            for (&(at, _), found) in needed.iter().zip(&found) {
                if let Some(all) = all.get_mut(at) {
                    all.merge(found);
                }
            }
        }
        all
    }
}

/// The counts that determine how a column's texts are read.
#[derive(Debug, Clone)]
pub(crate) struct ColumnCounts {
    /// Counts of the cells that weren't fixed.
    unfixed: ColumnFormatCounts,
    /// Counts of the fixed cells with their current content.
    fixed: ColumnFormatCounts,
    /// Counts of the fixed cells with the file's content.
    replaced: ColumnFormatCounts,
    is_edited: bool,
}

impl ColumnCounts {
    fn new(kind: FieldKind) -> Self {
        let none = ColumnFormatCounts::new(kind);
        Self { unfixed: none, fixed: none, replaced: none, is_edited: false }
    }

    fn add_cell(&mut self, cell: Option<CellRef<'_>>, original: Option<&Cell>) {
        let Some(original) = original else {
            cell.into_iter().for_each(|cell| self.unfixed.add_cell(cell));
            return;
        };
        self.is_edited = true;
        cell.into_iter().for_each(|cell| self.fixed.add_cell(cell));
        self.replaced.add_cell(original.as_ref());
    }

    fn merge(&mut self, other: &Self) {
        self.unfixed.merge(&other.unfixed);
        self.fixed.merge(&other.fixed);
        self.replaced.merge(&other.replaced);
        self.is_edited |= other.is_edited;
    }

    /// Determines the column's format by the first of these that decides it: the unfixed cells, the fixed cells, the
    /// user's choice, the file's original cells.
    pub(crate) fn format(&self, choice: Option<ChosenFormats>) -> Format {
        self.detected_format(choice).with_choices(choice)
    }

    fn detected_format(&self, choice: Option<ChosenFormats>) -> Format {
        let with = |more: &ColumnFormatCounts| {
            let mut all = self.unfixed;
            all.merge(more);
            all
        };
        let unfixed = self.unfixed.format(None);
        let now = with(&self.fixed).format(choice);
        if !self.is_edited || !now.is_open() && unfixed.is_open() {
            return now;
        }
        if !unfixed.is_open() {
            return unfixed;
        }
        let read = with(&self.replaced).format(None);
        if read.is_open() { now } else { read }
    }
}
