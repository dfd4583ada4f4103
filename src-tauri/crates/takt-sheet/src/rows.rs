//! A sheet's rows in packed form. A million rows of a dozen columns take about 50 MB.
//!
//! This module stores rows and finds them. Replaced cells are stored separately from the packed ones, and excluded rows
//! just aren't counted, so neither needs a copy.

mod block;
mod column;
mod column_reader;
mod layers;
mod packer;
mod part;
mod reader;
mod runs;
mod search;

use std::{borrow::Cow, collections::BTreeMap};

use crate::{Cell, CellRef, SheetRow};
use block::Block;
use column::Column;
use column_reader::ColumnReader;
pub(crate) use layers::Layers;
use packer::Packer;
pub use part::{ColumnCells, ColumnTexts, Part, PartRow};
pub use reader::{RowIter, RowReader};
use runs::{Ranges, Runs};

/// The rows of a sheet by ascending number. A position counts the included rows, from 0.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    blocks: Vec<Block>,
    /// The numbers of all rows that were read.
    numbers: Runs,
    hidden: Ranges,
    /// The indexes of the included rows among all that were read. `None` if all are included.
    included: Option<Runs>,
    /// The cells that replace packed ones, by row index and column.
    patches: BTreeMap<u32, BTreeMap<u32, Cell>>,
    widest: u32,
    /// The column that [`Self::look`] unpacked last, with the first row of its block and its number.
    cached_column: Option<(u32, u32, Column)>,
}

impl Rows {
    /// Packs rows by ascending number. Rows that are out of order are left out.
    pub fn of(rows: impl IntoIterator<Item = SheetRow>) -> Self {
        let mut packer = Packer::default();
        let mut hidden = Vec::new();
        for row in rows {
            if packer.last().is_some_and(|last| last >= row.number) {
                continue;
            }
            if row.hidden {
                hidden.push((row.number, row.number));
            }
            packer.put_row(&row);
        }
        let mut rows = packer.finish();
        rows.hide(hidden);
        rows
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.included.as_ref().unwrap_or(&self.numbers).len() as usize
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a row's number, 1-based as Excel shows it. Cheap.
    #[must_use]
    pub fn number(&self, position: usize) -> Option<u32> {
        self.numbers.get(self.stored(position)?)
    }

    /// Returns the position of the row with this number, or `None` if it has no content or is excluded. Cheap.
    #[must_use]
    pub fn position(&self, number: u32) -> Option<usize> {
        let stored = self.numbers.find(number)?;
        let position = match &self.included {
            Some(included) => included.find(stored)?,
            None => stored,
        };
        Some(position as usize)
    }

    /// Returns true if Excel doesn't show the row. Cheap.
    #[must_use]
    pub fn is_hidden(&self, position: usize) -> bool {
        !self.hidden.is_empty() && self.number(position).is_some_and(|number| self.hidden.contains(number))
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
        self.below(0).iter()
    }

    #[must_use]
    pub fn reader(&self) -> RowReader<'_> {
        self.below(0).reader()
    }

    /// Returns the cells of one column by position, including empty ones.
    pub fn column(&self, column: u32) -> impl Iterator<Item = Cell> + '_ {
        self.below(0).column(column)
    }

    /// Returns the rows from a position on. Their positions count from there.
    #[must_use]
    pub fn below(&self, from: usize) -> RowSpan<'_> {
        RowSpan { rows: self, from: from.min(self.len()) }
    }

    /// Replaces a cell and returns the previous one, or `None` if there is no such row.
    pub fn set(&mut self, position: usize, column: u32, cell: Cell) -> Option<Cell> {
        let before = self.look(position, column)?;
        self.patches.entry(self.stored(position)?).or_default().insert(column, cell);
        Some(before)
    }

    /// Returns one cell, empty if the row has none there, or `None` if there is no such row. The unpacked column is
    /// cached, for callers that change one row after the other.
    pub fn look(&mut self, position: usize, column: u32) -> Option<Cell> {
        let stored = self.stored(position)?;
        if let Some(patch) = self.patches.get(&stored).and_then(|cells| cells.get(&column)) {
            return Some(patch.clone());
        }
        let block = self.block(stored)?;
        let block_row = u16::try_from(stored - block.first).ok()?;
        if self.cached_column.as_ref().is_none_or(|(first, of, _)| (*first, *of) != (block.first, column)) {
            self.cached_column = Some((block.first, column, block.column(column)));
        }
        let (_, _, cells) = self.cached_column.as_ref()?;
        Some(cells.cell(block_row).map(CellRef::to_cell).unwrap_or_default())
    }

    /// Excludes all rows for which `keeps` returns false. It gets a row's number and whether Excel hides the row. Rows
    /// that were excluded before are checked again.
    pub fn retain(&mut self, mut keeps: impl FnMut(u32, bool) -> bool) {
        let mut included = Runs::default();
        for (stored, number) in (0..).zip(self.numbers.iter()) {
            if keeps(number, self.hidden.contains(number)) {
                included.push(stored);
            }
        }
        included.shrink();
        self.included = Some(included).filter(|included| included.len() < self.numbers.len());
    }

    /// Includes all rows again.
    pub fn retain_all(&mut self) {
        self.included = None;
    }

    /// Marks the rows of these ranges (first and last number) as hidden by Excel.
    pub(crate) fn hide(&mut self, ranges: Vec<(u32, u32)>) {
        self.hidden = Ranges::new(ranges);
    }

    /// Returns the number of columns of the widest row that was read.
    pub(crate) fn widest(&self) -> u32 {
        self.widest
    }

    /// Returns the index of an included row among all rows that were read.
    fn stored(&self, position: usize) -> Option<u32> {
        let position = u32::try_from(position).ok()?;
        match &self.included {
            Some(included) => included.get(position),
            None => Some(position).filter(|&position| position < self.numbers.len()),
        }
    }

    fn block(&self, stored: u32) -> Option<&Block> {
        self.blocks.get(self.blocks.partition_point(|block| block.first <= stored).checked_sub(1)?)
    }

    fn block_index(&self, stored: u32) -> usize {
        self.blocks.partition_point(|block| block.first <= stored).saturating_sub(1)
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

/// The rows from a position on. Positions count from there.
#[derive(Debug, Clone, Copy)]
pub struct RowSpan<'a> {
    rows: &'a Rows,
    from: usize,
}

impl<'a> RowSpan<'a> {
    #[must_use]
    pub fn len(self) -> usize {
        self.rows.len().saturating_sub(self.from)
    }

    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// See [`Rows::number`].
    #[must_use]
    pub fn number(self, position: usize) -> Option<u32> {
        self.rows.number(self.from + position)
    }

    /// See [`Rows::position`].
    #[must_use]
    pub fn position(self, number: u32) -> Option<usize> {
        self.rows.position(number)?.checked_sub(self.from)
    }

    /// See [`Rows::is_hidden`].
    #[must_use]
    pub fn is_hidden(self, position: usize) -> bool {
        self.rows.is_hidden(self.from + position)
    }

    /// See [`Rows::get`].
    #[must_use]
    pub fn get(self, position: usize) -> Option<SheetRow> {
        self.reader().get(position)
    }

    #[must_use]
    pub fn iter(self) -> RowIter<'a> {
        RowIter::new(self.reader())
    }

    #[must_use]
    pub fn reader(self) -> RowReader<'a> {
        RowReader::new(self.rows, self.from, None)
    }

    /// Returns a reader that unpacks only these columns. Other columns appear empty.
    #[must_use]
    pub fn reader_of(self, columns: impl Into<Cow<'a, [u32]>>) -> RowReader<'a> {
        RowReader::new(self.rows, self.from, Some(columns.into().into_owned()))
    }

    /// Like [`Self::reader_of`], but returns an iterator.
    #[must_use]
    pub fn iter_of(self, columns: impl Into<Cow<'a, [u32]>>) -> RowIter<'a> {
        RowIter::new(self.reader_of(columns))
    }

    /// See [`Rows::column`].
    pub fn column(self, column: u32) -> impl Iterator<Item = Cell> + use<'a> {
        let mut reader = ColumnReader::new(self.rows, self.from, column);
        (0..self.len()).map(move |position| reader.cell(position).unwrap_or_default())
    }
}

impl<'a> IntoIterator for RowSpan<'a> {
    type Item = SheetRow;
    type IntoIter = RowIter<'a>;

    fn into_iter(self) -> RowIter<'a> {
        self.iter()
    }
}
