//! Collects cells row by row and packs each full block.

use std::iter::Peekable;

use super::{
    column::Column,
    packed_rows::{Block, PackedRows},
    reader::{RowIter, SheetRow},
    runs::Ranges,
};
use crate::{Cell, CellAddress, CellRef};

/// The rows of a block. Similar cells compress well, and a single row is still unpacked quickly.
const MAX_BLOCK_ROWS: u16 = 1024;
/// A block of very wide rows or long texts ends earlier.
const MAX_BLOCK_BYTES: usize = 8 * 1024 * 1024;

/// If row numbers go back more often, the following rows are sorted in memory.
const MAX_LAYERS: usize = 8;

/// Packs rows in order. The rows of the last block aren't packed before it is closed.
#[derive(Debug, Default)]
pub(super) struct Packer {
    rows: PackedRows,
    columns: Vec<Column>,
    /// The number of leading columns that may have cells in this block.
    used_columns: usize,
    /// The number of rows in this block.
    block_rows: u16,
    bytes: usize,
}

impl Packer {
    /// Packs rows by ascending number. Rows that are out of order are left out.
    pub(super) fn pack(rows: impl IntoIterator<Item = SheetRow>) -> PackedRows {
        let mut packer = Self::default();
        let mut hidden = Vec::new();
        for row in rows {
            if packer.last_number().is_some_and(|last| last >= row.number) {
                continue;
            }
            if row.hidden {
                hidden.push((row.number, row.number));
            }
            packer.put_row(&row);
        }
        let mut rows = packer.finish();
        rows.hidden = Ranges::new(hidden);
        rows
    }

    /// Returns the number of the last row.
    fn last_number(&self) -> Option<u32> {
        self.rows.numbers.last()
    }

    fn count(&self) -> u32 {
        self.rows.numbers.len()
    }

    /// Returns the first rows, either from packed blocks or, before a block is packed, from the current one.
    fn head(&self, count: usize) -> Vec<SheetRow> {
        let first = self.rows.numbers.len() - u32::from(self.block_rows);
        if first > 0 {
            return RowIter::over_all(&self.rows).take(count.min(first as usize)).collect();
        }
        let used = self.columns.get(..self.used_columns).unwrap_or_default();
        let cells = |block_row: u16| {
            let mut cells: Vec<Cell> =
                used.iter().map(|column| column.cell(block_row).map(CellRef::to_cell).unwrap_or_default()).collect();
            while cells.pop_if(|cell| cell.is_empty() && !cell.is_formula_without_value()).is_some() {}
            cells
        };
        let numbered = (0..self.block_rows).zip(self.rows.numbers.iter()).take(count);
        numbered.map(|(block_row, number)| SheetRow { number, cells: cells(block_row), hidden: false }).collect()
    }

    /// Begins a row below the last one.
    fn begin_row(&mut self, number: u32) {
        if self.block_rows >= MAX_BLOCK_ROWS || self.bytes >= MAX_BLOCK_BYTES {
            self.close_block();
        }
        self.rows.numbers.push(number);
        self.block_rows += 1;
    }

    /// Adds a cell to the last row. If there already is one, returns false and doesn't replace it.
    #[inline]
    fn put_cell(&mut self, column: u32, cell: CellRef<'_>) -> bool {
        let index = column as usize;
        if index >= self.columns.len() {
            self.columns.resize_with(index + 1, Column::default);
        }
        self.used_columns = self.used_columns.max(index + 1);
        self.rows.width = self.rows.width.max(column + 1);
        let Some(cells) = self.columns.get_mut(index) else { return false };
        let before = cells.byte_size();
        let is_new = cells.put_cell(self.block_rows.saturating_sub(1), cell);
        self.bytes = (self.bytes + cells.byte_size()).saturating_sub(before);
        is_new
    }

    /// Returns a cell of the last row.
    fn last_cell(&self, column: u32) -> Option<CellRef<'_>> {
        self.columns.get(column as usize)?.cell(self.block_rows.checked_sub(1)?)
    }

    /// Adds a complete row below the last one.
    fn put_row(&mut self, row: &SheetRow) {
        self.begin_row(row.number);
        for (column, cell) in (0..).zip(&row.cells) {
            if !cell.is_empty() || cell.is_formula_without_value() {
                self.put_cell(column, cell.as_ref());
            }
        }
    }

    fn finish(mut self) -> PackedRows {
        self.close_block();
        self.rows.numbers.shrink();
        self.rows.blocks.shrink_to_fit();
        self.rows
    }

    fn close_block(&mut self) {
        if self.block_rows == 0 {
            return;
        }
        let first = self.rows.numbers.len() - u32::from(self.block_rows);
        self.rows.blocks.push(Block::pack(first, self.columns.get(..self.used_columns).unwrap_or_default()));
        if self.bytes >= MAX_BLOCK_BYTES {
            // The memory of an unusually large block is released.
            self.columns = Vec::new();
        }
        self.columns.iter_mut().for_each(Column::clear);
        (self.used_columns, self.block_rows, self.bytes) = (0, 0, 0);
    }
}

/// Packs rows in any order. In nearly every file they are in order. When a row number goes back, a new layer begins,
/// and at the end all layers are merged. If it goes back too often, the rows are sorted in memory, within the limits.
///
/// Two different cells at one address are never merged, because each of them may be right.
#[derive(Debug, Default)]
pub(crate) struct LayeredPacker {
    finished: Vec<PackedRows>,
    current: Packer,
    /// The rows after the last layer, in the order of the file.
    unsorted: Vec<SheetRow>,
}

impl LayeredPacker {
    /// Returns the number of rows so far.
    pub(crate) fn count(&self) -> u32 {
        let unsorted = u32::try_from(self.unsorted.len()).unwrap_or(u32::MAX);
        self.finished.iter().map(|rows| u32::try_from(rows.len()).unwrap_or(u32::MAX)).sum::<u32>()
            + self.current.count()
            + unsorted
    }

    /// Returns the first rows, or none if earlier rows may still follow.
    pub(crate) fn head(&self, count: usize) -> Vec<SheetRow> {
        if self.finished.is_empty() && self.unsorted.is_empty() { self.current.head(count) } else { Vec::new() }
    }

    /// Begins a row, also if its number isn't larger than the previous one.
    pub(crate) fn begin_row(&mut self, number: u32) {
        let back = self.current.last_number().is_some_and(|last| last >= number);
        if !self.unsorted.is_empty() || (back && self.finished.len() >= MAX_LAYERS) {
            if let Some(last) = self.unsorted.last_mut() {
                last.cells.shrink_to_fit();
            }
            self.unsorted.push(SheetRow { number, cells: Vec::new(), hidden: false });
            return;
        }
        if back {
            self.finished.push(std::mem::take(&mut self.current).finish());
        }
        self.current.begin_row(number);
    }

    /// Adds a cell to the last row. If there already is one, returns false and doesn't replace it.
    #[inline]
    pub(crate) fn put_cell(&mut self, column: u32, cell: CellRef<'_>) -> bool {
        match self.unsorted.last_mut() {
            None => self.current.put_cell(column, cell),
            Some(row) => put_new_cell(&mut row.cells, column as usize, cell.to_cell()).is_ok(),
        }
    }

    /// Returns a cell of the last row.
    pub(crate) fn last_cell(&self, column: u32) -> Option<CellRef<'_>> {
        match self.unsorted.last() {
            None => self.current.last_cell(column),
            Some(row) => row.cells.get(column as usize).map(Cell::as_ref),
        }
    }

    /// Returns all rows in order.
    ///
    /// # Errors
    /// An address that has two different cells.
    pub(crate) fn finish(self) -> Result<PackedRows, CellAddress> {
        let Self { mut finished, current, mut unsorted } = self;
        finished.push(current.finish());
        unsorted.sort_by_key(|row| row.number);
        let mut repeated = None;
        unsorted.dedup_by(|later, earlier| {
            let same = later.number == earlier.number;
            if same && let Err(column) = merge_cells(&mut earlier.cells, std::mem::take(&mut later.cells)) {
                repeated.get_or_insert(CellAddress { row: earlier.number, column });
            }
            same
        });
        if let Some(address) = repeated {
            return Err(address);
        }
        finished.push(Packer::pack(unsorted));
        finished.retain(|rows| rows.len() > 0);
        if finished.len() < 2 { Ok(finished.pop().unwrap_or_default()) } else { merge_layers(&finished) }
    }
}

fn merge_layers(layers: &[PackedRows]) -> Result<PackedRows, CellAddress> {
    let mut layers: Vec<Peekable<_>> = layers.iter().map(|rows| RowIter::over_all(rows).peekable()).collect();
    let mut packer = Packer::default();
    while let Some(number) = layers.iter_mut().filter_map(|layer| Some(layer.peek()?.number)).min() {
        let mut pieces = layers.iter_mut().filter_map(|layer| layer.next_if(|row| row.number == number));
        let Some(mut row) = pieces.next() else { break };
        pieces
            .try_for_each(|later| merge_cells(&mut row.cells, later.cells))
            .map_err(|column| CellAddress { row: number, column })?;
        packer.put_row(&row);
    }
    Ok(packer.finish())
}

/// Merges two pieces of a row. Equal cells are merged.
///
/// # Errors
/// The first column in which they differ.
fn merge_cells(cells: &mut Vec<Cell>, later: Vec<Cell>) -> Result<(), u32> {
    for (column, cell) in (0_u32..).zip(later) {
        let index = column as usize;
        if has_content(&cell)
            && let Err(cell) = put_new_cell(cells, index, cell)
            && cells.get(index) != Some(&cell)
        {
            return Err(column);
        }
    }
    Ok(())
}

/// Stores a cell. Fails with the cell if there already is one.
fn put_new_cell(cells: &mut Vec<Cell>, column: usize, cell: Cell) -> Result<(), Cell> {
    if column >= cells.len() {
        cells.resize_with(column + 1, Cell::default);
    }
    match cells.get_mut(column) {
        Some(target) if !has_content(target) => *target = cell,
        _ => return Err(cell),
    }
    Ok(())
}

fn has_content(cell: &Cell) -> bool {
    !cell.is_empty() || cell.is_formula_without_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown_rows(layers: LayeredPacker) -> Result<Vec<(u32, Vec<String>)>, CellAddress> {
        let rows = layers.finish()?;
        let texts = |row: SheetRow| row.cells.iter().map(|cell| cell.shown().into_owned()).collect();
        Ok(RowIter::over_all(&rows).map(|row| (row.number, texts(row))).collect())
    }

    /// Returns layers with the same rows in each turn. Each row has a text in the column of its turn.
    fn layers_by_turn(turns: u32) -> LayeredPacker {
        let mut layers = LayeredPacker::default();
        for turn in 0..=turns {
            for number in [2, 5, 9] {
                layers.begin_row(number + turn % 2);
                assert!(layers.put_cell(turn, CellRef::of_text(&turn.to_string())));
            }
        }
        layers
    }

    #[test]
    fn rows_come_into_order_without_loss() {
        // Few turns become layers. The rows of many turns are sorted.
        for last in [1_u32, 3, 40] {
            let rows = shown_rows(layers_by_turn(last)).unwrap();
            assert_eq!(rows.iter().map(|row| row.0).collect::<Vec<_>>(), [2, 3, 5, 6, 9, 10]);
            for (number, cells) in rows {
                let of = u32::from([3, 6, 10].contains(&number));
                let expected: Vec<_> =
                    (0..=last).map(|turn| if turn % 2 == of { turn.to_string() } else { String::new() }).collect();
                assert_eq!(cells, expected[..cells.len()], "{last} turns, row {number}");
                assert!(cells.len() as u32 > last - 1);
            }
        }
    }

    #[test]
    fn two_cells_at_one_place_are_refused_unless_they_are_alike() {
        for last in [0_u32, 3, 40] {
            for (text, is_alike) in [("0", true), ("b", false)] {
                let mut layers = layers_by_turn(last);
                layers.begin_row(5);
                let is_new = layers.put_cell(0, CellRef::of_text(text));
                assert!(is_new, "{last}");
                let found = shown_rows(layers);
                assert_eq!(found.is_ok(), is_alike, "{last} turns, {text}");
                assert!(is_alike || found == Err(CellAddress { row: 5, column: 0 }));
            }
        }
    }

    #[test]
    fn a_row_begun_anew_stays_one_row() {
        let mut layers = LayeredPacker::default();
        layers.begin_row(1);
        assert!(layers.put_cell(0, CellRef::of_text("a")) && !layers.put_cell(0, CellRef::of_text("b")));
        assert_eq!(layers.last_cell(0), Some(CellRef::of_text("a")));
        assert_eq!(shown_rows(layers), Ok(vec![(1, vec!["a".to_owned()])]));
    }
}
