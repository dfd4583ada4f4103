//! Rows that are read together, however far apart they are.

use super::span::RowSpan;
use crate::SheetRow;

/// Rows of a span that were read together.
#[derive(Debug)]
pub struct RowBatch {
    /// The positions of the rows, ascending.
    positions: Vec<usize>,
    rows: Vec<SheetRow>,
}

impl RowBatch {
    /// Reads the rows at these positions, in any order. Positions without a row are left out.
    ///
    /// A [`RowReader`](super::RowReader) that jumps unpacks a whole block for each row. Here each block is unpacked
    /// once.
    #[must_use]
    pub fn read(span: RowSpan<'_>, mut positions: Vec<usize>) -> Self {
        positions.sort_unstable();
        positions.dedup();
        positions.retain(|&position| position < span.len());
        let mut reader = span.reader();
        let rows = positions.iter().filter_map(|&position| reader.get(position)).collect();
        Self { positions, rows }
    }

    /// Returns the row at a position of the span, if it was read.
    #[must_use]
    pub fn get(&self, position: usize) -> Option<&SheetRow> {
        self.rows.get(self.positions.binary_search(&position).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cell, Rows};

    #[test]
    fn rows_are_found_in_any_order() {
        let row = |number: u32| SheetRow { number, cells: vec![Cell::text(format!("row {number}"))], hidden: false };
        let rows = Rows::of((1..=5_000).map(row));
        let batch = RowBatch::read(rows.below(1), vec![4_998, 7, 2_000, 7, 9_000]);
        let number = |position| batch.get(position).map(|row| row.number);
        assert_eq!([7, 2_000, 4_998].map(number), [Some(9), Some(2_002), Some(5_000)]);
        assert_eq!([8, 9_000].map(number), [None, None]);
    }
}
