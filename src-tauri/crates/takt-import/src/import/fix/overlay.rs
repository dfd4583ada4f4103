//! What stands in the sheet instead of what was read, and which rows count.

use std::collections::{HashMap, HashSet};
use takt_core::ExcelRow;

use takt_contract::FieldKind;
use takt_sheet::{Cell, CellKind, CellRef, RowSpan, Sheet};

use super::super::reading::{ChosenFormat, ColumnFormatCounts, Format};

/// The sheet shows what was fixed; what the file holds in those places is kept here, so that nothing of it is lost.
#[derive(Debug, Default)]
pub(crate) struct Overlay {
    /// By row number, then by column.
    originals: HashMap<ExcelRow, HashMap<u32, Cell>>,
    cells: u32,
    /// By row number.
    excluded: HashSet<ExcelRow>,
}

impl Overlay {
    pub(crate) fn excludes(&self, row: ExcelRow) -> bool {
        !self.excluded.is_empty() && self.excluded.contains(&row)
    }

    /// What the file holds in a cell that was fixed.
    pub(crate) fn original(&self, row: ExcelRow, column: u32) -> Option<&Cell> {
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

    /// The rows in which a cell differs from the file, by number.
    pub(crate) fn edited_numbers(&self) -> impl Iterator<Item = ExcelRow> {
        self.originals.keys().copied()
    }

    pub(crate) fn excluded(&self) -> &HashSet<ExcelRow> {
        &self.excluded
    }

    /// True where the row's state became another one.
    pub(crate) fn set_excluded(&mut self, row: ExcelRow, excluded: bool) -> bool {
        if excluded { self.excluded.insert(row) } else { self.excluded.remove(&row) }
    }

    /// Puts a cell into the sheet and gives what stood there.
    pub(super) fn put(&mut self, sheet: &mut Sheet, row: ExcelRow, column: u32, cell: &Cell) -> Option<Cell> {
        let before = sheet.rows.set(sheet.rows.position(row.get())?, column, cell.clone())?;
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

    /// What the cells of columns say about how their texts are read, each for the kind of field that it is matched with.
    pub(crate) fn evidence(&self, columns: &[(FieldKind, u32)], rows: RowSpan<'_>) -> Vec<ColumnEvidence> {
        let mut all: Vec<ColumnEvidence> = columns.iter().map(|&(kind, _)| ColumnEvidence::new(kind)).collect();
        let needed: Vec<(usize, u32)> = (0..)
            .zip(columns)
            .filter(|(_, (kind, _))| ColumnFormatCounts::new(*kind).is_needed())
            .map(|(at, &(_, column))| (at, column))
            .collect();
        if needed.is_empty() {
            return all;
        }
        let kinds = |at: usize| all.get(at).map_or(&[][..], |of: &ColumnEvidence| of.unfixed.kinds());
        let read: Vec<(u32, &[CellKind])> = needed.iter().map(|&(at, column)| (column, kinds(at))).collect();
        let plain = self.excluded.is_empty() && self.originals.is_empty();
        let found = rows.parts_of_kinds(&read, |part| {
            let mut found: Vec<ColumnEvidence> = needed.iter().filter_map(|&(at, _)| all.get(at).cloned()).collect();
            if plain {
                for (&(_, column), found) in needed.iter().zip(&mut found) {
                    part.cells(column).flatten().for_each(|cell| found.unfixed.see(cell));
                }
                return found;
            }
            for row in part.rows() {
                let number = ExcelRow::new(row.number());
                if self.excludes(number) {
                    continue;
                }
                for (&(_, column), found) in needed.iter().zip(&mut found) {
                    found.see(row.cell(column), self.original(number, column));
                }
            }
            found
        });
        for found in found {
            for (&(at, _), found) in needed.iter().zip(&found) {
                if let Some(all) = all.get_mut(at) {
                    all.add(found);
                }
            }
        }
        all
    }
}

/// What a column's cells say about how its texts are read.
#[derive(Debug, Clone)]
pub(crate) struct ColumnEvidence {
    /// Of the cells that weren't fixed.
    unfixed: ColumnFormatCounts,
    /// Of the fixed ones, as they are now.
    now: ColumnFormatCounts,
    /// Of the same ones, as the file has them.
    before: ColumnFormatCounts,
    is_edited: bool,
}

impl ColumnEvidence {
    fn new(kind: FieldKind) -> Self {
        let none = ColumnFormatCounts::new(kind);
        Self { unfixed: none, now: none, before: none, is_edited: false }
    }

    fn see(&mut self, cell: Option<CellRef<'_>>, original: Option<&Cell>) {
        let Some(original) = original else {
            cell.into_iter().for_each(|cell| self.unfixed.see(cell));
            return;
        };
        self.is_edited = true;
        cell.into_iter().for_each(|cell| self.now.see(cell));
        self.before.see(original.as_ref());
    }

    fn add(&mut self, other: &Self) {
        self.unfixed.add(&other.unfixed);
        self.now.add(&other.now);
        self.before.add(&other.before);
        self.is_edited |= other.is_edited;
    }

    /// The verdict. What was typed obeys what the file's own cells prove; where they prove nothing, it counts as evidence too;
    /// what the file proved once stays proven when the proof itself is fixed; and where nothing proves anything, the person's
    /// choice counts.
    pub(crate) fn format(&self, choice: Option<ChosenFormat>) -> Format {
        self.verdict(choice).settled(choice)
    }

    fn verdict(&self, choice: Option<ChosenFormat>) -> Format {
        let with = |more: &ColumnFormatCounts| {
            let mut all = self.unfixed;
            all.add(more);
            all
        };
        let kept = self.unfixed.format(None);
        let now = with(&self.now).format(choice);
        if !self.is_edited || !now.is_open() && kept.is_open() {
            return now;
        }
        if !kept.is_open() {
            return kept;
        }
        let read = with(&self.before).format(None);
        if read.is_open() { now } else { read }
    }
}
