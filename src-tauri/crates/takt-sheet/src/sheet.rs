//! A sheet as rows of cells, and how readers fill it within the limits.

use crate::{
    Cell, Limits, Measure, SheetError,
    shape::{Merge, Shape},
};

/// How often a reader asks whether it was cancelled.
const CANCEL_EVERY: u64 = 4096;

/// A sheet of a workbook, before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetEntry {
    pub name: String,
    /// False where Excel hides it.
    pub visible: bool,
}

/// A sheet's rows. Rows and cells without content are not kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sheet {
    pub name: String,
    /// By row number, ascending.
    pub rows: Vec<SheetRow>,
    /// The widest row's number of columns.
    pub columns: u32,
    /// Cells with content that the reader saw.
    pub cells: u64,
    /// Columns that are hidden, 0-based and ascending.
    pub hidden_columns: Vec<u32>,
    /// Cells that are shown as one; the first of them has the content.
    pub merges: Vec<Merge>,
}

/// A row that holds something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetRow {
    /// 1-based, as Excel shows it.
    pub number: u32,
    /// By column, from A; what follows the last cell with content is left out.
    pub cells: Vec<Cell>,
    /// True where Excel doesn't show the row: hidden by hand, folded away or filtered out.
    pub hidden: bool,
}

impl SheetRow {
    /// The cell of a column; an empty one beyond the row's end.
    #[must_use]
    pub fn cell(&self, column: u32) -> Option<&Cell> {
        self.cells.get(column as usize)
    }
}

/// Takes cells in any order and makes a [`Sheet`] of them.
pub(crate) struct SheetBuilder<'a> {
    sheet: Sheet,
    limits: &'a Limits,
    cancel: &'a dyn Fn() -> bool,
    places: u64,
    steps: u64,
    in_order: bool,
    /// How many of the rows are in order for good.
    settled: usize,
    pub(crate) shape: Shape,
}

impl<'a> SheetBuilder<'a> {
    pub(crate) fn new(name: &str, limits: &'a Limits, cancel: &'a dyn Fn() -> bool) -> Self {
        let sheet = Sheet { name: name.to_owned(), ..Sheet::default() };
        Self { sheet, limits, cancel, places: 0, steps: 0, in_order: true, settled: 0, shape: Shape::default() }
    }

    /// Counts something that was looked at, and stops where reading was cancelled.
    pub(crate) fn step(&mut self) -> Result<(), SheetError> {
        self.steps += 1;
        if self.steps.is_multiple_of(CANCEL_EVERY) && (self.cancel)() {
            return Err(SheetError::Cancelled);
        }
        Ok(())
    }

    /// Puts a cell at a 0-based place. Of two at one place the later one stays.
    pub(crate) fn put(&mut self, row: u32, column: u32, cell: Cell) -> Result<(), SheetError> {
        if cell.is_empty() && !cell.is_formula_without_value() {
            return Ok(());
        }
        if column >= self.limits.columns {
            return Err(SheetError::too_large(Measure::Columns, self.limits.columns));
        }
        if row >= self.limits.rows {
            return Err(SheetError::too_large(Measure::Rows, self.limits.rows));
        }
        if cell.shown_length() > self.limits.text_bytes {
            return Err(SheetError::too_large(Measure::TextBytes, self.limits.text_bytes as u64));
        }
        let number = row + 1;
        let same = self.sheet.rows.last().is_some_and(|last| last.number == number);
        if !same {
            self.in_order &= self.sheet.rows.last().is_none_or(|last| last.number < number);
            if let Some(last) = self.sheet.rows.last_mut() {
                last.cells.shrink_to_fit();
            }
            self.sheet.rows.push(SheetRow { number, cells: Vec::new(), hidden: false });
        }
        let Some(last) = self.sheet.rows.last_mut() else { return Ok(()) };
        let index = column as usize;
        if index >= last.cells.len() {
            self.places += (index + 1 - last.cells.len()) as u64;
            if self.places > self.limits.cells {
                return Err(SheetError::too_large(Measure::Cells, self.limits.cells));
            }
            last.cells.resize_with(index + 1, Cell::default);
        }
        if let Some(place) = last.cells.get_mut(index) {
            self.sheet.cells += u64::from(place.is_empty());
            *place = cell;
        }
        Ok(())
    }

    /// Brings the rows into order, after which [`Self::has`] may be asked.
    pub(crate) fn settle(&mut self) {
        if self.in_order {
            self.settled = self.sheet.rows.len();
            return;
        }
        self.sheet.rows.sort_by_key(|row| row.number);
        self.sheet.rows.dedup_by(|later, earlier| {
            let same = later.number == earlier.number;
            if same {
                merge(&mut earlier.cells, std::mem::take(&mut later.cells));
            }
            same
        });
        self.in_order = true;
        self.settled = self.sheet.rows.len();
    }

    /// Whether a cell with content had been put there when the rows were last settled.
    pub(crate) fn has(&self, row: u32, column: u32) -> bool {
        let settled = self.sheet.rows.get(..self.settled).unwrap_or_default();
        let found = settled.binary_search_by_key(&(row + 1), |row| row.number).ok().and_then(|at| settled.get(at));
        found.and_then(|row| row.cell(column)).is_some_and(|cell| !cell.is_empty())
    }

    pub(crate) fn finish(mut self) -> Sheet {
        self.settle();
        let widest = self.sheet.rows.iter().map(|row| row.cells.len()).max().unwrap_or_default();
        self.sheet.columns = u32::try_from(widest).unwrap_or(u32::MAX);
        self.sheet.rows.shrink_to_fit();
        self.shape.mark(&mut self.sheet.rows);
        self.sheet.hidden_columns = self.shape.columns(self.sheet.columns);
        self.sheet.merges = self.shape.into_merges();
        self.sheet
    }
}

/// A row that came in two pieces.
fn merge(cells: &mut Vec<Cell>, later: Vec<Cell>) {
    if later.len() > cells.len() {
        cells.resize_with(later.len(), Cell::default);
    }
    for (place, cell) in cells.iter_mut().zip(later) {
        if !cell.is_empty() || cell.is_formula_without_value() {
            *place = cell;
        }
    }
}
