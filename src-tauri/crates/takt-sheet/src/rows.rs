//! A sheet's rows, packed: a million rows of a dozen columns take some fifty megabytes.
//!
//! Owns how rows are kept and found. What was put in the place of a cell stands beside the packed ones, and a row that is
//! left out is a position that isn't counted, so neither costs a copy. Leaves to others what a cell means.

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

/// Rows by ascending number. A position counts the rows that aren't left out, from 0.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    blocks: Vec<Block>,
    /// Of all rows that were read.
    numbers: Runs,
    hidden: Ranges,
    /// The rows that aren't left out; absent where all are in.
    included: Option<Runs>,
    /// By row among all that were read, then by column.
    patches: BTreeMap<u32, BTreeMap<u32, Cell>>,
    widest: u32,
    /// The column that was unpacked last for [`Self::look`], by its block's first row and its number.
    looked_at: Option<(u32, u32, Column)>,
}

impl Rows {
    /// Of rows by ascending number; others are passed over.
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

    /// A row's number, 1-based as Excel shows it. Cheap.
    #[must_use]
    pub fn number(&self, position: usize) -> Option<u32> {
        self.numbers.get(self.stored(position)?)
    }

    /// Where the row with this number stands; absent where it has no content or is left out. Cheap.
    #[must_use]
    pub fn position(&self, number: u32) -> Option<usize> {
        let stored = self.numbers.find(number)?;
        let position = match &self.included {
            Some(kept) => kept.find(stored)?,
            None => stored,
        };
        Some(position as usize)
    }

    /// True where Excel doesn't show the row. Cheap.
    #[must_use]
    pub fn is_hidden(&self, position: usize) -> bool {
        !self.hidden.is_empty() && self.number(position).is_some_and(|number| self.hidden.contains(number))
    }

    /// One row. For several, [`Self::iter`] or [`Self::reader`] unpack each block once.
    #[must_use]
    pub fn get(&self, position: usize) -> Option<SheetRow> {
        self.reader().get(position)
    }

    /// One cell, where the row has one there. For several, [`Self::reader`].
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

    /// The cells of one column, empty ones included, by position.
    pub fn column(&self, column: u32) -> impl Iterator<Item = Cell> + '_ {
        self.below(0).column(column)
    }

    /// The rows from a position on, with positions of their own.
    #[must_use]
    pub fn below(&self, from: usize) -> RowSpan<'_> {
        RowSpan { rows: self, from: from.min(self.len()) }
    }

    /// Puts a cell in the place of another and gives what stood there; absent where there is no such row.
    pub fn set(&mut self, position: usize, column: u32, cell: Cell) -> Option<Cell> {
        let before = self.look(position, column)?;
        self.patches.entry(self.stored(position)?).or_default().insert(column, cell);
        Some(before)
    }

    /// One cell, empty where the row has none there; absent where there is no such row. It remembers what it unpacked, for
    /// rows that are changed one after the other.
    pub fn look(&mut self, position: usize, column: u32) -> Option<Cell> {
        let stored = self.stored(position)?;
        if let Some(patch) = self.patches.get(&stored).and_then(|cells| cells.get(&column)) {
            return Some(patch.clone());
        }
        let block = self.block(stored)?;
        let place = u16::try_from(stored - block.first).ok()?;
        if self.looked_at.as_ref().is_none_or(|(first, of, _)| (*first, *of) != (block.first, column)) {
            self.looked_at = Some((block.first, column, block.column(column)));
        }
        let (_, _, cells) = self.looked_at.as_ref()?;
        Some(cells.cell(place).map(CellRef::to_cell).unwrap_or_default())
    }

    /// Leaves out the rows that aren't to be kept, by number and whether Excel hides them. Any that were left out before are
    /// asked for again.
    pub fn retain(&mut self, mut keeps: impl FnMut(u32, bool) -> bool) {
        let mut kept = Runs::default();
        for (stored, number) in (0..).zip(self.numbers.iter()) {
            if keeps(number, self.hidden.contains(number)) {
                kept.push(stored);
            }
        }
        kept.shrink();
        self.included = Some(kept).filter(|kept| kept.len() < self.numbers.len());
    }

    /// Leaves nothing out.
    pub fn retain_all(&mut self) {
        self.included = None;
    }

    /// Marks the rows of these ranges (first and last number) as those that Excel hides.
    pub(crate) fn hide(&mut self, ranges: Vec<(u32, u32)>) {
        self.hidden = Ranges::new(ranges);
    }

    /// The number of columns of the widest row that was read.
    pub(crate) fn widest(&self) -> u32 {
        self.widest
    }

    /// A position as that among all rows that were read.
    fn stored(&self, position: usize) -> Option<u32> {
        let position = u32::try_from(position).ok()?;
        match &self.included {
            Some(kept) => kept.get(position),
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

/// Rows from some position on; its positions count from there.
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

    /// Rows as if they had no other columns: the others aren't unpacked.
    #[must_use]
    pub fn reader_of(self, columns: impl Into<Cow<'a, [u32]>>) -> RowReader<'a> {
        RowReader::new(self.rows, self.from, Some(columns.into().into_owned()))
    }

    /// The same one after the other.
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
