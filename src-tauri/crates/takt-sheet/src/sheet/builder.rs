//! Takes cells as a reader finds them, holds them against the limits, and makes a [`Sheet`] of them.

use crate::{
    CellRef, Limits, Measure, Sheet, SheetError, ShownDoubt,
    progress::{HEAD_ROWS, ProgressReporter},
    rows::Layers,
    shape::Shape,
};

/// How often a reader tells how far it is, and asks whether it is still wanted.
const REPORT_INTERVAL: u64 = 4096;
/// So many cells that show another text than they hold are listed.
const MAX_SHOWN_DOUBTS: usize = 10_000;
/// Bytes of the texts that these show, together.
const MAX_SHOWN_BYTES: usize = 16 * 1024 * 1024;

/// Takes cells in any order; fastest row by row.
pub(crate) struct SheetBuilder<'a> {
    sheet: Sheet,
    limits: &'a Limits,
    progress: &'a ProgressReporter<'a>,
    places: u64,
    /// Bytes of all texts so far.
    text_bytes: u64,
    shown_bytes: usize,
    steps: u64,
    head_told: bool,
    rows: Layers,
    /// The row that cells are put into now, 1-based; 0 before the first one.
    number: u32,
    /// Its columns so far.
    width: u32,
    pub(crate) shape: Shape,
}

impl<'a> SheetBuilder<'a> {
    pub(crate) fn new(name: &str, limits: &'a Limits, progress: &'a ProgressReporter<'a>) -> Self {
        let sheet = Sheet { name: name.to_owned(), ..Sheet::default() };
        Self {
            sheet,
            limits,
            progress,
            places: 0,
            text_bytes: 0,
            shown_bytes: 0,
            steps: 0,
            head_told: false,
            rows: Layers::default(),
            number: 0,
            width: 0,
            shape: Shape::default(),
        }
    }

    /// The sheet's name.
    pub(crate) fn name(&self) -> &str {
        &self.sheet.name
    }

    /// Counts a step, reports progress now and then, and fails if reading was cancelled.
    #[inline]
    pub(crate) fn step(&mut self) -> Result<(), SheetError> {
        self.steps += 1;
        if self.steps.is_multiple_of(REPORT_INTERVAL) { self.progress.report(self.rows.count(), None) } else { Ok(()) }
    }

    /// The same for several of them.
    pub(crate) fn steps(&mut self, count: u64) -> Result<(), SheetError> {
        let told = self.steps / REPORT_INTERVAL;
        self.steps += count;
        if self.steps / REPORT_INTERVAL > told { self.progress.report(self.rows.count(), None) } else { Ok(()) }
    }

    /// Notes that the text cell at a 0-based place shows another text than it holds.
    pub(crate) fn doubt_shown(&mut self, (row, column): (u32, u32), shown: &str) {
        let doubts = &mut self.sheet.doubts.shown;
        if doubts.len() < MAX_SHOWN_DOUBTS && self.shown_bytes + shown.len() <= MAX_SHOWN_BYTES {
            self.shown_bytes += shown.len();
            doubts.push(ShownDoubt { row: row.saturating_add(1), column, shown: shown.to_owned() });
        }
    }

    /// Puts a cell at a 0-based place.
    ///
    /// # Errors
    /// [`SheetError::Repeated`] if the place has a different cell already, which one is right can't be known. Else a limit.
    #[inline]
    pub(crate) fn put(&mut self, row: u32, column: u32, cell: CellRef<'_>) -> Result<(), SheetError> {
        if cell.is_empty() && !cell.is_formula_without_value() {
            return Ok(());
        }
        if column >= self.limits.columns {
            return Err(SheetError::too_large(Measure::Columns, self.limits.columns));
        }
        if row >= self.limits.rows {
            return Err(SheetError::too_large(Measure::Rows, self.limits.rows));
        }
        if cell.text_length() > self.limits.text_bytes {
            return Err(SheetError::too_large(Measure::TextBytes, self.limits.text_bytes as u64));
        }
        self.text_bytes += cell.text_length() as u64;
        if self.text_bytes > self.limits.sheet_text_bytes {
            return Err(SheetError::too_large(Measure::SheetTextBytes, self.limits.sheet_text_bytes));
        }
        let number = row + 1;
        if self.number != number {
            self.begin(number)?;
        }
        if column >= self.width {
            self.places += u64::from(column + 1 - self.width);
            if self.places > self.limits.cells {
                return Err(SheetError::too_large(Measure::Cells, self.limits.cells));
            }
            self.width = column + 1;
        }
        self.add(column, cell)
    }

    /// Puts a cell into the row that was begun.
    #[inline]
    fn add(&mut self, column: u32, cell: CellRef<'_>) -> Result<(), SheetError> {
        if self.rows.put(column, cell) {
            self.sheet.cells += 1;
        } else if self.rows.last_cell(column) != Some(cell) {
            return Err(self.repeated(self.number, column));
        }
        Ok(())
    }

    /// The row is 1-based.
    #[cold]
    fn repeated(&self, row: u32, column: u32) -> SheetError {
        SheetError::Repeated { sheet: self.sheet.name.clone(), row, column: Some(column) }
    }

    /// The same for a text. Nearly every cell of a csv stands in the row that was begun, behind the one before.
    #[inline]
    pub(crate) fn put_text(&mut self, row: u32, column: u32, text: &str) -> Result<(), SheetError> {
        let wider = u64::from((column.saturating_add(1)).saturating_sub(self.width));
        let is_usual = self.number == row.saturating_add(1)
            && column < self.limits.columns
            && (1..=self.limits.text_bytes).contains(&text.len())
            && self.places.saturating_add(wider) <= self.limits.cells;
        if !is_usual {
            return self.put(row, column, CellRef::of_text(text));
        }
        self.places += wider;
        self.width = self.width.max(column + 1);
        self.add(column, CellRef::of_text(text))
    }

    fn begin(&mut self, number: u32) -> Result<(), SheetError> {
        if !self.head_told && self.rows.count() as usize >= HEAD_ROWS {
            self.report_head()?;
        }
        self.rows.begin(number);
        (self.number, self.width) = (number, 0);
        Ok(())
    }

    /// Rows that go back and forth are told when all are there.
    fn report_head(&mut self) -> Result<(), SheetError> {
        self.head_told = true;
        let head = self.rows.head(HEAD_ROWS);
        if head.is_empty() { Ok(()) } else { self.progress.report(self.rows.count(), Some(&head)) }
    }

    pub(crate) fn finish(mut self) -> Result<Sheet, SheetError> {
        if !self.head_told {
            self.report_head()?;
        }
        let rows = std::mem::take(&mut self.rows).finish();
        let rows = rows.map_err(|place| self.repeated(place.row, place.column))?;
        let Self { mut sheet, shape, .. } = self;
        sheet.rows = rows;
        sheet.columns = sheet.rows.widest();
        sheet.hidden_columns = shape.columns(sheet.columns);
        let (hidden, merges) = shape.into_parts();
        sheet.rows.hide(hidden);
        sheet.merges = merges;
        Ok(sheet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Within the limits and beyond each of them.
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
                let same = cells.put(row, column, CellRef::of_text(text));
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
}
