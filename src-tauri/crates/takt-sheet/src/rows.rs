//! A sheet's rows in packed form. A million rows of a dozen columns take about 50 MB.
//!
//! Replaced cells are stored separately from the packed ones, and excluded rows are only skipped. So neither needs a
//! copy of the sheet.

mod column;
mod packed_rows;
mod packer;
mod reader;
mod row_block;
mod runs;
mod search;

use self::{column::Column, packed_rows::PackedRows, packer::Packer, runs::Ranges};
use crate::{Cell, CellRef};

pub(crate) use self::packer::LayeredPacker;
pub use self::{
    reader::{RowBatch, RowIter, RowReader, RowSpan, SheetRow},
    row_block::{BlockRow, ColumnCells, ColumnTexts, RowBlock},
};

/// The rows of a sheet by ascending number. A position is the 0-based index of a row among the included rows.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    packed: PackedRows,
    /// The column that [`Self::cached_cell`] unpacked last, with the first row of its block and its number.
    cached_column: Option<(u32, u32, Column)>,
}

impl Rows {
    /// Packs rows by ascending number. Rows that are out of order are left out.
    pub fn from_rows(rows: impl IntoIterator<Item = SheetRow>) -> Self {
        Self::from_packed(Packer::pack(rows))
    }

    pub(crate) fn from_packed(packed: PackedRows) -> Self {
        Self { packed, cached_column: None }
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.packed.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a row's number, 1-based as Excel shows it. Unpacks no cells.
    #[must_use]
    pub fn number(&self, position: usize) -> Option<u32> {
        self.packed.number(position)
    }

    /// Returns the position of the row with this number, or `None` if it has no content or is excluded.
    /// Unpacks no cells.
    #[must_use]
    pub fn position(&self, number: u32) -> Option<usize> {
        self.packed.position(number)
    }

    /// Returns true if Excel doesn't show the row. Unpacks no cells.
    #[must_use]
    pub fn is_hidden(&self, position: usize) -> bool {
        self.packed.is_hidden(position)
    }

    /// Unpacks one row. For several rows, [`Self::iter`] and [`Self::reader`] unpack each block only once.
    #[must_use]
    pub fn get(&self, position: usize) -> Option<SheetRow> {
        self.reader().get(position)
    }

    /// Returns one cell, or `None` if the row has none there. For several cells, use [`Self::reader`].
    #[must_use]
    pub fn cell(&self, position: usize, column: u32) -> Option<Cell> {
        self.reader().cell(position, column).map(CellRef::to_cell)
    }

    #[must_use]
    pub fn iter(&self) -> RowIter<'_> {
        self.span_from(0).iter()
    }

    #[must_use]
    pub fn reader(&self) -> RowReader<'_> {
        self.span_from(0).reader()
    }

    /// Returns the cells of one column by position, including empty ones.
    pub fn column(&self, column: u32) -> impl Iterator<Item = Cell> + '_ {
        self.span_from(0).column(column)
    }

    /// Returns the rows from a position on. Positions in the span are relative to its first row.
    #[must_use]
    pub fn span_from(&self, from: usize) -> RowSpan<'_> {
        RowSpan::new(&self.packed, from)
    }

    /// Replaces a cell and returns the previous one, or `None` if there is no such row.
    pub fn replace_cell(&mut self, position: usize, column: u32, cell: Cell) -> Option<Cell> {
        let before = self.cached_cell(position, column)?;
        self.packed.patches.entry(self.packed.stored_index(position)?).or_default().insert(column, cell);
        Some(before)
    }

    /// Returns one cell, which is empty if the row has none there, or `None` if there is no such row. The unpacked
    /// column is cached, for callers that change one row after the other.
    pub fn cached_cell(&mut self, position: usize, column: u32) -> Option<Cell> {
        let stored = self.packed.stored_index(position)?;
        if let Some(patch) = self.packed.patch(stored, column) {
            return Some(patch.clone());
        }
        let block = self.packed.block(stored)?;
        let block_row = u16::try_from(stored - block.first).ok()?;
        if self.cached_column.as_ref().is_none_or(|(first, of, _)| (*first, *of) != (block.first, column)) {
            self.cached_column = Some((block.first, column, block.column(column)));
        }
        let (_, _, cells) = self.cached_column.as_ref()?;
        Some(cells.cell(block_row).map(CellRef::to_cell).unwrap_or_default())
    }

    /// Excludes all rows for which `keeps` returns false. `keeps` gets a row's number and whether Excel hides the row.
    /// Rows that were excluded before are checked again.
    pub fn retain(&mut self, keeps: impl FnMut(u32, bool) -> bool) {
        self.packed.retain(keeps);
    }

    /// Includes all rows again.
    pub fn include_all(&mut self) {
        self.packed.included = None;
    }

    /// Marks the rows of these ranges (first and last number) as hidden by Excel.
    pub(crate) fn hide(&mut self, ranges: Vec<(u32, u32)>) {
        self.packed.hidden = Ranges::new(ranges);
    }

    /// Returns the number of columns of the widest row.
    pub(crate) fn width(&self) -> u32 {
        self.packed.width
    }
}

impl PartialEq for Rows {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for Rows {}

impl<'a> IntoIterator for &'a Rows {
    type Item = SheetRow;
    type IntoIter = RowIter<'a>;

    fn into_iter(self) -> RowIter<'a> {
        self.iter()
    }
}
