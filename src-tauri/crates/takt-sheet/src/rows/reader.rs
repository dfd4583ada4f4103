//! Rows one after the other: what was unpacked for one row serves its neighbours, too.

use super::{Rows, block::Opened};
use crate::{Cell, CellRef, SheetRow};

/// Reads rows, fastest in their order: it remembers the block that it read last.
#[derive(Debug)]
pub struct RowReader<'a> {
    rows: &'a Rows,
    /// Position before which nothing is read.
    from: usize,
    /// Other columns are passed over.
    only: Option<Vec<u32>>,
    opened: Option<Opened<'a>>,
}

impl<'a> RowReader<'a> {
    pub(super) fn new(rows: &'a Rows, from: usize, only: Option<Vec<u32>>) -> Self {
        Self { rows, from, only, opened: None }
    }

    /// A row with all of its cells, or those of the columns that are read.
    #[must_use = "unpacking takes time"]
    pub fn get(&mut self, position: usize) -> Option<SheetRow> {
        let stored = self.rows.stored(self.from + position)?;
        let number = self.rows.numbers.get(stored)?;
        let only = self.only.take();
        let mut cells =
            self.open(stored).map(|(opened, place)| opened.cells(place, only.as_deref())).unwrap_or_default();
        for (&column, cell) in self.rows.patches.get(&stored).into_iter().flatten() {
            if only.as_ref().is_none_or(|only| only.contains(&column)) {
                if column as usize >= cells.len() {
                    cells.resize_with(column as usize + 1, Cell::default);
                }
                if let Some(place) = cells.get_mut(column as usize) {
                    place.clone_from(cell);
                }
            }
        }
        self.only = only;
        Some(SheetRow { number, cells, hidden: self.rows.hidden.contains(number) })
    }

    /// A single cell, without unpacking any other column; absent where there is none.
    pub fn cell(&mut self, position: usize, column: u32) -> Option<CellRef<'_>> {
        let stored = self.rows.stored(self.from + position)?;
        if let Some(patch) = self.rows.patches.get(&stored).and_then(|cells| cells.get(&column)) {
            return Some(patch.as_ref());
        }
        let (opened, place) = self.open(stored)?;
        opened.cell(place, column)
    }

    /// The block of a row, and the row's place in it.
    fn open(&mut self, stored: u32) -> Option<(&mut Opened<'a>, u16)> {
        let block = self.rows.block(stored)?;
        if !self.opened.as_ref().is_some_and(|opened| opened.is(block)) {
            self.opened = Some(Opened::new(block));
        }
        let place = u16::try_from(stored - block.first).ok()?;
        Some((self.opened.as_mut()?, place))
    }
}

/// Owned rows in their order.
#[derive(Debug)]
pub struct RowIter<'a> {
    reader: RowReader<'a>,
    next: usize,
}

impl<'a> RowIter<'a> {
    pub(super) fn new(reader: RowReader<'a>) -> Self {
        Self { reader, next: 0 }
    }
}

impl Iterator for RowIter<'_> {
    type Item = SheetRow;

    fn next(&mut self) -> Option<SheetRow> {
        let row = self.reader.get(self.next)?;
        self.next += 1;
        Some(row)
    }

    /// Passes over rows without unpacking them.
    fn nth(&mut self, count: usize) -> Option<SheetRow> {
        self.next += count;
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.reader.rows.len().saturating_sub(self.reader.from + self.next);
        (left, Some(left))
    }
}

impl ExactSizeIterator for RowIter<'_> {}
