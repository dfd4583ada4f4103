//! A sheet as rows of cells, and its builder, which collects the cells that a reader finds and enforces the limits.

use std::collections::HashSet;

use crate::{
    CellRef, LimitKind, Limits, MergedRange, Rows, SheetError, ShownTextDoubt, TextDoubts,
    layout::SheetLayout,
    progress::{ProgressReporter, REPORTED_HEAD_ROWS},
    rows::LayeredPacker,
};

/// The number of steps after which a reader reports progress and checks for cancellation.
const REPORT_INTERVAL: u64 = 4096;
/// If more cells show another text than they contain, only this many are listed.
const MAX_SHOWN_DOUBTS: usize = 10_000;
/// The bytes of the shown texts of all listed cells.
const MAX_SHOWN_BYTES: usize = 16 * 1024 * 1024;

/// A sheet in the list of a workbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetEntry {
    pub name: String,
    /// False if Excel hides the sheet.
    pub visible: bool,
}

/// Makes the names of sheets unique, so that users can choose any of them. A file may have two sheets with the same
/// name.
pub(crate) fn make_names_unique<'a>(names: impl IntoIterator<Item = &'a mut String>) {
    let names: Vec<&mut String> = names.into_iter().collect();
    let original_names: HashSet<String> = names.iter().map(|name| name.to_string()).collect();
    let mut used_names: HashSet<String> = HashSet::new();
    for name in names {
        let mut unique_name = name.clone();
        let mut number = 2;
        while used_names.contains(&unique_name) || (number > 2 && original_names.contains(&unique_name)) {
            unique_name = format!("{name} ({number})");
            number += 1;
        }
        used_names.insert(unique_name.clone());
        *name = unique_name;
    }
}

/// The content of a sheet. Rows and cells without content aren't stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sheet {
    pub name: String,
    /// By ascending row number.
    pub rows: Rows,
    /// The number of columns of the widest row.
    pub columns: u32,
    /// The number of cells with content.
    pub cells: u64,
    /// The hidden columns, 0-based and ascending.
    pub hidden_columns: Vec<u32>,
    /// Ranges of cells that are shown as one. The first cell of each has the content.
    pub merges: Vec<MergedRange>,
    /// The parts of the file that are ambiguous.
    pub doubts: TextDoubts,
}

/// Collects cells in any order, fastest row by row.
pub(crate) struct SheetBuilder<'a> {
    sheet: Sheet,
    limits: &'a Limits,
    progress: &'a ProgressReporter<'a>,
    grid_cells: u64,
    /// Bytes of all texts so far.
    text_bytes: u64,
    shown_bytes: usize,
    steps: u64,
    is_head_reported: bool,
    rows: LayeredPacker,
    /// The current row, 1-based, or 0 before the first one.
    row_number: u32,
    /// The number of columns of the current row so far.
    row_width: u32,
    pub(crate) layout: SheetLayout,
}

impl<'a> SheetBuilder<'a> {
    pub(crate) fn new(name: &str, limits: &'a Limits, progress: &'a ProgressReporter<'a>) -> Self {
        let sheet = Sheet { name: name.to_owned(), ..Sheet::default() };
        Self {
            sheet,
            limits,
            progress,
            grid_cells: 0,
            text_bytes: 0,
            shown_bytes: 0,
            steps: 0,
            is_head_reported: false,
            rows: LayeredPacker::default(),
            row_number: 0,
            row_width: 0,
            layout: SheetLayout::default(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.sheet.name
    }

    /// Counts a step. Reports progress regularly, and fails if reading is canceled.
    #[inline]
    pub(crate) fn count_step(&mut self) -> Result<(), SheetError> {
        self.steps += 1;
        if self.steps.is_multiple_of(REPORT_INTERVAL) { self.progress.report(self.rows.count(), None) } else { Ok(()) }
    }

    /// Like [`Self::count_step`], but for several steps.
    pub(crate) fn count_steps(&mut self, count: u64) -> Result<(), SheetError> {
        let reported = self.steps / REPORT_INTERVAL;
        self.steps += count;
        if self.steps / REPORT_INTERVAL > reported { self.progress.report(self.rows.count(), None) } else { Ok(()) }
    }

    /// Records that the text cell at a 0-based address shows another text than it contains.
    pub(crate) fn add_shown_doubt(&mut self, row: u32, column: u32, shown: &str) {
        let doubts = &mut self.sheet.doubts.shown_texts;
        if doubts.len() < MAX_SHOWN_DOUBTS && self.shown_bytes + shown.len() <= MAX_SHOWN_BYTES {
            self.shown_bytes += shown.len();
            doubts.push(ShownTextDoubt { row: row.saturating_add(1), column, shown: shown.to_owned() });
        }
    }

    /// Adds a cell at a 0-based address.
    ///
    /// # Errors
    /// [`SheetError::Repeated`] if there already is a different cell, because Takt can't know which one is right.
    /// [`SheetError::TooLarge`] if a limit is exceeded.
    #[inline]
    pub(crate) fn put_cell(&mut self, row: u32, column: u32, cell: CellRef<'_>) -> Result<(), SheetError> {
        if cell.is_empty() && !cell.is_formula_without_value() {
            return Ok(());
        }
        if column >= self.limits.columns {
            return Err(SheetError::too_large(LimitKind::Columns, self.limits.columns));
        }
        if row >= self.limits.rows {
            return Err(SheetError::too_large(LimitKind::Rows, self.limits.rows));
        }
        if cell.text_length() > self.limits.text_bytes {
            return Err(SheetError::too_large(LimitKind::TextBytes, self.limits.text_bytes as u64));
        }
        self.text_bytes += cell.text_length() as u64;
        if self.text_bytes > self.limits.sheet_text_bytes {
            return Err(SheetError::too_large(LimitKind::SheetTextBytes, self.limits.sheet_text_bytes));
        }
        let number = row + 1;
        if self.row_number != number {
            self.begin_row(number)?;
        }
        if column >= self.row_width {
            self.grid_cells += u64::from(column + 1 - self.row_width);
            if self.grid_cells > self.limits.cells {
                return Err(SheetError::too_large(LimitKind::Cells, self.limits.cells));
            }
            self.row_width = column + 1;
        }
        self.add_cell(column, cell)
    }

    /// Adds a cell to the current row.
    #[inline]
    fn add_cell(&mut self, column: u32, cell: CellRef<'_>) -> Result<(), SheetError> {
        if self.rows.put_cell(column, cell) {
            self.sheet.cells += 1;
        } else if self.rows.last_cell(column) != Some(cell) {
            return Err(self.repeated_cell_error(self.row_number, column));
        }
        Ok(())
    }

    /// Returns the error for a repeated cell. The row is 1-based.
    #[cold]
    fn repeated_cell_error(&self, row: u32, column: u32) -> SheetError {
        SheetError::Repeated { sheet: self.sheet.name.clone(), row, column: Some(column) }
    }

    /// Like [`Self::put_cell`], but for a text. Nearly every cell of a csv is in the current row, after the previous
    /// cell.
    #[inline]
    pub(crate) fn put_text(&mut self, row: u32, column: u32, text: &str) -> Result<(), SheetError> {
        let wider = u64::from((column.saturating_add(1)).saturating_sub(self.row_width));
        let is_simple = self.row_number == row.saturating_add(1)
            && column < self.limits.columns
            && (1..=self.limits.text_bytes).contains(&text.len())
            && self.grid_cells.saturating_add(wider) <= self.limits.cells;
        if !is_simple {
            return self.put_cell(row, column, CellRef::of_text(text));
        }
        self.grid_cells += wider;
        self.row_width = self.row_width.max(column + 1);
        self.add_cell(column, CellRef::of_text(text))
    }

    fn begin_row(&mut self, number: u32) -> Result<(), SheetError> {
        if !self.is_head_reported && self.rows.count() as usize >= REPORTED_HEAD_ROWS {
            self.report_head()?;
        }
        self.rows.begin_row(number);
        (self.row_number, self.row_width) = (number, 0);
        Ok(())
    }

    /// Reports the first rows, unless earlier rows may still follow.
    fn report_head(&mut self) -> Result<(), SheetError> {
        self.is_head_reported = true;
        let head = self.rows.head(REPORTED_HEAD_ROWS);
        if head.is_empty() { Ok(()) } else { self.progress.report(self.rows.count(), Some(&head)) }
    }

    pub(crate) fn finish(mut self) -> Result<Sheet, SheetError> {
        if !self.is_head_reported {
            self.report_head()?;
        }
        let rows = std::mem::take(&mut self.rows).finish();
        let rows = rows.map_err(|address| self.repeated_cell_error(address.row, address.column))?;
        let Self { mut sheet, layout, .. } = self;
        sheet.rows = Rows::from_packed(rows);
        sheet.columns = sheet.rows.width();
        sheet.hidden_columns = layout.hidden_columns(sheet.columns);
        let (hidden, merges) = layout.into_parts();
        sheet.rows.hide(hidden);
        sheet.merges = merges;
        Ok(sheet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares `put_cell` and `put_text` with texts within the limits and beyond each of them.
    #[test]
    fn a_text_is_put_as_any_cell() {
        let mut state = 37_u64;
        println!("seed {state}");
        let mut next = move |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u32::try_from(state >> 33).unwrap() % below
        };
        let limits = Limits { cells: 24, columns: 6, rows: 12, text_bytes: 3, ..Limits::default() };
        let progress = ProgressReporter::new(&|_| true);
        let mut refused = 0;
        for _ in 0..2_000 {
            let (mut texts, mut cells) =
                (SheetBuilder::new("a", &limits, &progress), SheetBuilder::new("a", &limits, &progress));
            let (mut row, mut column) = (0, 0);
            for _ in 0..next(30) {
                let longest = if next(9) == 0 { 5 } else { 4 };
                let text = "abcd".get(..next(longest) as usize).unwrap();
                let put = texts.put_text(row, column, text);
                let same = cells.put_cell(row, column, CellRef::of_text(text));
                assert_eq!(format!("{put:?}"), format!("{same:?}"), "{text} in {row}, {column}");
                if put.is_err() {
                    refused += 1;
                    break;
                }
                if next(4) == 0 {
                    (row, column) = (row + next(3), next(3));
                } else {
                    column += 1 + next(2);
                }
            }
            let (texts, cells) = (texts.finish().unwrap(), cells.finish().unwrap());
            assert_eq!((texts.cells, texts.columns), (cells.cells, cells.columns));
            assert!(texts.rows == cells.rows);
        }
        assert!((200..1_990).contains(&refused), "{refused}");
    }

    #[test]
    fn sheets_of_one_name_are_told_apart() {
        let mut names = ["Plan", "Plan", "Plan (2)", "Plan", "Other"].map(str::to_owned);
        make_names_unique(&mut names);
        assert_eq!(names, ["Plan", "Plan (3)", "Plan (2)", "Plan (4)", "Other"]);
    }
}
