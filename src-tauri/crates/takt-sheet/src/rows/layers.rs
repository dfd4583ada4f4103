//! Rows in any order. In nearly every file they are in order. When a row number goes back, a new layer begins, and at
//! the end all layers are merged. If it goes back too often, the rows are sorted in memory, within the limits.
//!
//! Two different cells at one address are never merged, because each of them may be right.

use std::iter::Peekable;

use super::{packed_rows::PackedRows, packer::Packer, reader::RowIter};
use crate::{Cell, CellRef, SheetRow};

/// The maximum number of layers.
const MAX_LAYERS: usize = 8;

#[derive(Debug, Default)]
pub(crate) struct Layers {
    finished: Vec<PackedRows>,
    current: Packer,
    /// Rows in any order that came after the last layer.
    unsorted: Vec<SheetRow>,
}

impl Layers {
    /// Returns the number of rows so far.
    pub(crate) fn count(&self) -> u32 {
        let unsorted = u32::try_from(self.unsorted.len()).unwrap_or(u32::MAX);
        self.finished.iter().map(|rows| u32::try_from(rows.len()).unwrap_or(u32::MAX)).sum::<u32>()
            + self.current.count()
            + unsorted
    }

    /// Returns the first rows, or none once their order isn't certain any more.
    pub(crate) fn head(&self, count: usize) -> Vec<SheetRow> {
        if self.finished.is_empty() && self.unsorted.is_empty() { self.current.head(count) } else { Vec::new() }
    }

    pub(crate) fn begin(&mut self, number: u32) {
        let back = self.current.last().is_some_and(|last| last >= number);
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
        self.current.begin(number);
    }

    /// Adds a cell to the last row. Returns false if there already is one, which stays.
    #[inline]
    pub(crate) fn put(&mut self, column: u32, cell: CellRef<'_>) -> bool {
        match self.unsorted.last_mut() {
            None => self.current.put(column, cell),
            Some(row) => put(&mut row.cells, column as usize, cell.to_cell()).is_ok(),
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
    /// The first address that has two different cells.
    pub(crate) fn finish(self) -> Result<PackedRows, CellAddress> {
        let Self { mut finished, current, mut unsorted } = self;
        finished.push(current.finish());
        unsorted.sort_by_key(|row| row.number);
        let mut repeated = None;
        unsorted.dedup_by(|later, earlier| {
            let same = later.number == earlier.number;
            if same && let Err(column) = merge(&mut earlier.cells, std::mem::take(&mut later.cells)) {
                repeated.get_or_insert(CellAddress { row: earlier.number, column });
            }
            same
        });
        if let Some(address) = repeated {
            return Err(address);
        }
        finished.push(Packer::pack(unsorted));
        finished.retain(|rows| rows.len() > 0);
        if finished.len() < 2 { Ok(finished.pop().unwrap_or_default()) } else { merged(&finished) }
    }
}

/// The address of a cell. The row is 1-based, the column 0-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CellAddress {
    pub(crate) row: u32,
    pub(crate) column: u32,
}

fn merged(layers: &[PackedRows]) -> Result<PackedRows, CellAddress> {
    let mut layers: Vec<Peekable<_>> = layers.iter().map(|rows| RowIter::of_all(rows).peekable()).collect();
    let mut packer = Packer::default();
    while let Some(number) = layers.iter_mut().filter_map(|layer| Some(layer.peek()?.number)).min() {
        let mut pieces = layers.iter_mut().filter_map(|layer| layer.next_if(|row| row.number == number));
        let Some(mut row) = pieces.next() else { break };
        pieces
            .try_for_each(|later| merge(&mut row.cells, later.cells))
            .map_err(|column| CellAddress { row: number, column })?;
        packer.put_row(&row);
    }
    Ok(packer.finish())
}

/// Merges two pieces of a row.
///
/// # Errors
/// The first column in which they differ.
fn merge(cells: &mut Vec<Cell>, later: Vec<Cell>) -> Result<(), u32> {
    for (column, cell) in (0_u32..).zip(later) {
        let index = column as usize;
        if has_content(&cell)
            && let Err(cell) = put(cells, index, cell)
            && cells.get(index) != Some(&cell)
        {
            return Err(column);
        }
    }
    Ok(())
}

/// Stores a cell, or returns it if there already is one.
fn put(cells: &mut Vec<Cell>, column: usize, cell: Cell) -> Result<(), Cell> {
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

    fn shown(layers: Layers) -> Result<Vec<(u32, Vec<String>)>, CellAddress> {
        let rows = layers.finish()?;
        let texts = |row: SheetRow| row.cells.iter().map(|cell| cell.shown().into_owned()).collect();
        Ok(RowIter::of_all(&rows).map(|row| (row.number, texts(row))).collect())
    }

    /// Returns layers with rows in this order. Each row has a text in the column of its turn.
    fn turns(turns: u32) -> Layers {
        let mut layers = Layers::default();
        for turn in 0..=turns {
            for number in [2, 5, 9] {
                layers.begin(number + turn % 2);
                assert!(layers.put(turn, CellRef::of_text(&turn.to_string())));
            }
        }
        layers
    }

    #[test]
    fn rows_come_into_order_without_loss() {
        // Few turns make layers, many are sorted.
        for last in [1_u32, 3, 40] {
            let rows = shown(turns(last)).unwrap();
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
                let mut layers = turns(last);
                layers.begin(5);
                let is_new = layers.put(0, CellRef::of_text(text));
                assert!(is_new, "{last}");
                let found = shown(layers);
                assert_eq!(found.is_ok(), is_alike, "{last} turns, {text}");
                assert!(is_alike || found == Err(CellAddress { row: 5, column: 0 }));
            }
        }
    }

    #[test]
    fn a_row_begun_anew_stays_one_row() {
        let mut layers = Layers::default();
        layers.begin(1);
        assert!(layers.put(0, CellRef::of_text("a")) && !layers.put(0, CellRef::of_text("b")));
        assert_eq!(layers.last_cell(0), Some(CellRef::of_text("a")));
        assert_eq!(shown(layers), Ok(vec![(1, vec!["a".to_owned()])]));
    }
}
