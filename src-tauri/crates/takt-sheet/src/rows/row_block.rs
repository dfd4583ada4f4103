//! Blocks of neighboring rows whose requested columns are unpacked at once. Cells are read without copying, and blocks
//! are processed on all cores.

use std::{
    ops::Range,
    panic,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use super::{
    column::Column,
    packed_rows::{Block, PackedRows},
    reader::RowSpan,
};
use crate::{CellKind, CellRef};

/// With fewer blocks per core, starting another thread isn't worthwhile.
const MIN_BLOCKS_PER_CORE: usize = 4;
/// The slot of a column that isn't in the row block.
const ABSENT: u16 = u16::MAX;

/// Neighboring rows of a span with their unpacked columns.
#[derive(Debug)]
pub struct RowBlock<'a> {
    rows: &'a PackedRows,
    block: &'a Block,
    /// The position of the row block's first row in the span.
    first: usize,
    /// For each row of the row block, its row within the packed block. `None` if the rows are consecutive.
    block_rows: Option<Vec<u16>>,
    first_block_row: u16,
    length: usize,
    columns: Vec<Column>,
    /// Each column's index among the unpacked ones.
    slots: Vec<u16>,
    is_patched: bool,
}

/// A column to unpack.
struct WantedColumn {
    number: u32,
    /// The column is unpacked only if the packed block has a cell of one of these kinds. `None` for any kind.
    kinds: Option<Vec<CellKind>>,
}

/// A row of a row block.
#[derive(Debug, Clone, Copy)]
pub struct BlockRow<'p> {
    row_block: &'p RowBlock<'p>,
    block_row: u16,
}

/// The cells of a column of a row block, row by row. A cell is `None` if its row has none.
#[derive(Debug)]
pub struct ColumnCells<'p> {
    row_block: &'p RowBlock<'p>,
    /// The column's number.
    number: u32,
    unpacked: Option<&'p Column>,
    /// True if the rows are consecutive and no cell is replaced.
    is_contiguous: bool,
    /// True if, in addition, all cells are plain texts in consecutive rows, so `next` is the row's cell if there is
    /// one.
    is_dense_text: bool,
    /// The index of the next cell among the column's cells with content.
    next: usize,
    /// The index of the next row in the row block.
    at: usize,
    end: usize,
}

/// The texts of a column of a row block that contains only texts.
#[derive(Debug, Clone, Copy)]
pub struct ColumnTexts<'p> {
    unpacked: &'p Column,
    first_block_row: u16,
}

impl<'p> ColumnTexts<'p> {
    /// Returns all texts, concatenated.
    #[must_use]
    pub fn text(self) -> &'p str {
        self.unpacked.text()
    }

    /// Returns the end of each text. A text begins at the end of the previous one.
    #[must_use]
    pub fn ends(self) -> &'p [u32] {
        self.unpacked.ends()
    }

    /// Returns the rows within the row block that have a text, ascending.
    pub fn rows(self) -> impl Iterator<Item = usize> + use<'p> {
        self.unpacked.block_rows().map(move |block_row| usize::from(block_row.saturating_sub(self.first_block_row)))
    }
}

impl<'p> Iterator for ColumnCells<'p> {
    type Item = Option<CellRef<'p>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.end {
            return None;
        }
        let at = self.at;
        self.at += 1;
        if !self.is_contiguous {
            return Some(self.row_block.row(at).and_then(|row| row.cell(self.number)));
        }
        let Some(unpacked) = self.unpacked else { return Some(None) };
        if self.is_dense_text {
            let text = unpacked.text_at(self.next);
            self.next += 1;
            return Some(text.map(|text| CellRef::from_parts(CellKind::Text, 0, 0, text)));
        }
        let block_row = usize::from(self.row_block.first_block_row) + at;
        if unpacked.block_row(self.next).is_none_or(|next| usize::from(next) != block_row) {
            return Some(None);
        }
        let cell = unpacked.cell_at(self.next);
        self.next += 1;
        Some(cell)
    }
}

impl<'a> RowSpan<'a> {
    /// Calls `work` for every row block of the span with these columns, on all cores. Returns the results in order.
    pub fn map_blocks<T: Send>(self, columns: &[u32], work: impl Fn(&RowBlock<'_>) -> T + Sync) -> Vec<T> {
        let wanted: Vec<_> = columns.iter().map(|&number| WantedColumn { number, kinds: None }).collect();
        self.map_wanted_columns(&wanted, work)
    }

    /// Like [`Self::map_blocks`], but unpacks a column only for blocks that have cells of some kinds. In other blocks,
    /// the column has no cells.
    pub fn map_blocks_with_kinds<T: Send>(
        self,
        columns: &[(u32, &[CellKind])],
        work: impl Fn(&RowBlock<'_>) -> T + Sync,
    ) -> Vec<T> {
        let kinds = |number: u32| {
            let of_column = columns.iter().filter(|(other, _)| *other == number);
            of_column.flat_map(|(_, kinds)| kinds.iter().copied()).collect()
        };
        let wanted = columns.iter().map(|&(number, _)| WantedColumn { number, kinds: Some(kinds(number)) });
        self.map_wanted_columns(&wanted.collect::<Vec<_>>(), work)
    }

    fn map_wanted_columns<T: Send>(self, columns: &[WantedColumn], work: impl Fn(&RowBlock<'_>) -> T + Sync) -> Vec<T> {
        let blocks = self.rows.blocks.len();
        let first = self.rows.stored_index(self.from).map_or(blocks, |stored| self.rows.block_index(stored));
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let cores = cores.min((blocks - first) / MIN_BLOCKS_PER_CORE).max(1);
        let next = AtomicUsize::new(first);
        let work_on_blocks = || {
            let mut results = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= blocks {
                    return results;
                }
                results.extend(self.row_block(index, columns).map(|block| (index, work(&block))));
            }
        };
        let mut results = thread::scope(|scope| {
            let threads: Vec<_> = (1..cores).map(|_| scope.spawn(work_on_blocks)).collect();
            let mut results = work_on_blocks();
            for thread in threads {
                results.extend(thread.join().unwrap_or_else(|reason| panic::resume_unwind(reason)));
            }
            results
        });
        results.sort_unstable_by_key(|(index, _)| *index);
        results.into_iter().map(|(_, found)| found).collect()
    }

    /// Returns the rows of a packed block that belong to the span, or `None` if there are none.
    fn row_block(self, index: usize, columns: &[WantedColumn]) -> Option<RowBlock<'a>> {
        let block = self.rows.blocks.get(index)?;
        let end = self.rows.blocks.get(index + 1).map_or(u32::MAX, |next| next.first);
        let first = self.at_or_after(block.first);
        let length = self.at_or_after(end) - first;
        if length == 0 {
            return None;
        }
        let block_row = |at: usize| {
            let stored = self.rows.stored_index(self.from + first + at).unwrap_or_default();
            u16::try_from(stored - block.first).unwrap_or_default()
        };
        let mut slots = vec![ABSENT; columns.iter().map(|column| column.number as usize + 1).max().unwrap_or_default()];
        let mut unpacked = Vec::with_capacity(columns.len());
        for WantedColumn { number, kinds } in columns {
            if let Some(slot) = slots.get_mut(*number as usize).filter(|slot| **slot == ABSENT) {
                *slot = u16::try_from(unpacked.len()).unwrap_or(ABSENT);
                let counts = kinds.as_ref().is_none_or(|kinds| block.has_kind(*number, kinds));
                unpacked.push(if counts { block.column(*number) } else { Column::default() });
            }
        }
        Some(RowBlock {
            rows: self.rows,
            block,
            first,
            block_rows: self.rows.included.is_some().then(|| (0..length).map(block_row).collect()),
            first_block_row: block_row(0),
            length,
            columns: unpacked,
            slots,
            is_patched: self.rows.patches.range(block.first..end).next().is_some(),
        })
    }

    /// Returns the position in the span of the first row whose index among all rows is at least `stored`.
    fn at_or_after(self, stored: u32) -> usize {
        let position = match &self.rows.included {
            Some(included) => included.count_below(stored) as usize,
            None => stored.min(self.rows.numbers.len()) as usize,
        };
        position.max(self.from) - self.from
    }
}

impl<'a> RowBlock<'a> {
    /// Returns the position of the row block's first row in the span.
    #[must_use]
    pub fn first(&self) -> usize {
        self.first
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the row block's rows in order.
    pub fn rows(&self) -> impl Iterator<Item = BlockRow<'_>> {
        (0..self.length).filter_map(|at| self.row(at))
    }

    /// Returns the cells of one of the row block's columns, row by row.
    pub fn cells(&self, column: u32) -> ColumnCells<'_> {
        self.cells_of(column, 0..self.length)
    }

    /// Like [`Self::cells`], but only for some rows, by their indexes in the row block.
    pub fn cells_of(&self, column: u32, rows: Range<usize>) -> ColumnCells<'_> {
        let unpacked = self.column(column);
        let first = u16::try_from(rows.start).unwrap_or(u16::MAX).saturating_add(self.first_block_row);
        let next = unpacked.map_or(0, |unpacked| unpacked.index_from(first));
        let is_contiguous = !self.is_patched && self.block_rows.is_none();
        let is_dense_text = is_contiguous && unpacked.is_some_and(Column::is_dense_text);
        ColumnCells {
            row_block: self,
            number: column,
            unpacked,
            is_contiguous,
            is_dense_text,
            next,
            at: rows.start,
            end: rows.end.min(self.length),
        }
    }

    /// Returns the texts of one of the row block's columns. Returns `None` if rows are excluded, or if the column has
    /// no cells, cells that aren't texts, replaced cells, or cells outside of the row block.
    #[must_use]
    pub fn texts(&self, column: u32) -> Option<ColumnTexts<'_>> {
        let unpacked = self
            .column(column)
            .filter(|unpacked| !self.is_patched && self.block_rows.is_none() && unpacked.is_plain_text())?;
        let (first, last) = (unpacked.block_row(0)?, unpacked.last_block_row()?);
        let is_in_block = first >= self.first_block_row && usize::from(last - self.first_block_row) < self.length;
        is_in_block.then_some(ColumnTexts { unpacked, first_block_row: self.first_block_row })
    }

    /// Returns a row by its index in the row block.
    #[must_use]
    pub fn row(&self, at: usize) -> Option<BlockRow<'_>> {
        let block_row = match &self.block_rows {
            Some(block_rows) => *block_rows.get(at)?,
            None if at < self.length => self.first_block_row + u16::try_from(at).ok()?,
            None => return None,
        };
        Some(BlockRow { row_block: self, block_row })
    }

    /// Returns all columns with content of the packed block.
    pub(super) fn packed_columns(&self) -> impl Iterator<Item = (u32, &'a [u8])> {
        self.block.columns()
    }

    fn column(&self, column: u32) -> Option<&Column> {
        self.columns.get(usize::from(*self.slots.get(column as usize)?))
    }

    /// Converts a row within the packed block to an index in the row block.
    pub(super) fn row_index(&self, block_row: u16) -> Option<usize> {
        match &self.block_rows {
            Some(block_rows) => block_rows.binary_search(&block_row).ok(),
            None => block_row.checked_sub(self.first_block_row).map(usize::from).filter(|&at| at < self.length),
        }
    }

    pub(super) fn is_row_patched(&self, at: usize) -> bool {
        self.is_patched && self.row(at).is_some_and(|row| self.rows.patches.contains_key(&row.stored_index()))
    }
}

impl<'p> BlockRow<'p> {
    /// Returns the row's number, 1-based as Excel shows it.
    #[must_use]
    pub fn number(self) -> u32 {
        self.row_block.rows.numbers.get(self.stored_index()).unwrap_or_default()
    }

    /// Returns the cell of one of the row block's columns, or `None` if there is none.
    #[must_use]
    pub fn cell(self, column: u32) -> Option<CellRef<'p>> {
        if self.row_block.is_patched
            && let Some(patch) = self.row_block.rows.patch(self.stored_index(), column)
        {
            return Some(patch.as_ref());
        }
        self.row_block.column(column)?.cell(self.block_row)
    }

    fn stored_index(self) -> u32 {
        self.row_block.block.first + u32::from(self.block_row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cell, Rows, SheetRow};

    fn rows(count: u32) -> Rows {
        let row = |number: u32| SheetRow {
            number: number * 2 + 1,
            cells: vec![Cell::text(format!("row {number}")), Cell::default(), Cell::number(f64::from(number))],
            hidden: number.is_multiple_of(5),
        };
        Rows::from_rows((0..count).map(row))
    }

    /// Columns with texts in every row, in some rows, in the first ones only, and with other cells.
    #[test]
    fn texts_stand_in_their_rows() {
        let text = |is: bool, text: String| if is { Cell::text(text) } else { Cell::default() };
        let row = |number: u32| SheetRow {
            number: number + 1,
            cells: vec![
                Cell::text(format!("a{number}")),
                text(number.is_multiple_of(3), format!("b{number}")),
                text(number < 1_500, format!("c{number}")),
                if number.is_multiple_of(7) { Cell::number(1.5) } else { Cell::text("d") },
            ],
            hidden: false,
        };
        let rows = Rows::from_rows((0..5_000).map(row));
        for from in [0, 700, 1_024, 1_499] {
            rows.span_from(from).map_blocks(&[0, 1, 2, 3], |block| {
                for column in 0..4 {
                    for start in [0, 1, 32, 475, 477, 1_000] {
                        let cells = block.cells_of(column, start..block.len()).map(|cell| cell.map(CellRef::to_cell));
                        let expected = (from + block.first() + start..).map(|at| {
                            let cell = row(u32::try_from(at).unwrap()).cells.swap_remove(column as usize);
                            Some(cell).filter(|cell| !cell.is_empty())
                        });
                        let expected = expected.take(block.len().saturating_sub(start));
                        assert!(cells.eq(expected), "column {column} from {from} and {start}");
                    }
                }
            });
        }
    }

    /// Columns of one kind, of several kinds and of none, some of them only in some blocks.
    #[test]
    fn cells_of_kinds_that_count_are_there() {
        let row = |number: u32| SheetRow {
            number: number + 1,
            cells: vec![
                Cell::text(format!("a{number}")),
                Cell::number(f64::from(number)),
                if number == 3_000 { Cell::text("b") } else { Cell::number(1.5) },
                if number < 1_500 { Cell::boolean(true) } else { Cell::default() },
            ],
            hidden: false,
        };
        let mut rows = Rows::from_rows((0..5_000).map(row));
        rows.replace_cell(4_500, 1, Cell::text("fixed"));
        const TEXT: &[CellKind] = &[CellKind::Text];
        let columns = [(0, TEXT), (1, TEXT), (2, TEXT), (3, TEXT), (1, &[CellKind::Error])];
        let blocks = rows.span_from(10).map_blocks_with_kinds(&columns, |block| {
            let texts = (0..4).map(|column| {
                let cells = block.cells(column).flatten();
                cells.filter(|cell| cell.kind() == CellKind::Text).map(|cell| cell.shown().into_owned()).collect()
            });
            let is_left_out = block.cells(3).all(|cell| cell.is_none());
            (texts.collect::<Vec<Vec<String>>>(), is_left_out)
        });
        assert!(blocks.len() > 4 && blocks.iter().all(|(_, is_left_out)| *is_left_out), "booleans don't count");
        let texts = |column: usize| blocks.iter().flat_map(|(texts, _)| texts[column].clone()).collect::<Vec<_>>();
        assert_eq!(texts(0), (10..5_000).map(|number| format!("a{number}")).collect::<Vec<_>>());
        assert_eq!((texts(1), texts(2)), (vec!["fixed".to_owned()], vec!["b".to_owned()]));
    }

    fn shown_cells(span: RowSpan<'_>) -> Vec<(usize, u32, String, String)> {
        let text = |cell: Option<CellRef<'_>>| cell.map(|cell| cell.shown().into_owned()).unwrap_or_default();
        let blocks = span.map_blocks(&[2, 0], |block| {
            for column in [0, 1, 2] {
                assert!(block.cells(column).eq(block.rows().map(|row| row.cell(column))));
                if let Some(texts) = block.texts(column) {
                    let mut start = 0;
                    let cells = texts.rows().zip(texts.ends()).map(|(row, &end)| {
                        let text = &texts.text()[start..end as usize];
                        start = end as usize;
                        (row, Some(CellRef::of_text(text)))
                    });
                    assert!(cells.eq(block.cells(column).enumerate().filter(|(_, cell)| cell.is_some())));
                }
                for rows in [
                    0..block.len(),
                    1..block.len(),
                    block.len() / 2..block.len() / 2 + 7,
                    block.len()..0,
                    9..block.len() + 9,
                ] {
                    let cells = block.rows().map(|row| row.cell(column)).take(rows.end).skip(rows.start);
                    assert!(block.cells_of(column, rows.clone()).eq(cells), "{rows:?}");
                }
            }
            let rows = (block.first()..).zip(block.rows());
            rows.map(|(at, row)| (at, row.number(), text(row.cell(0)), text(row.cell(2)))).collect::<Vec<_>>()
        });
        blocks.concat()
    }

    #[test]
    fn parts_hold_what_the_rows_hold() {
        let mut rows = rows(12_345);
        rows.replace_cell(7_000, 2, Cell::text("fixed"));
        for leaves_out in [false, true] {
            if leaves_out {
                rows.retain(|_, hidden| !hidden);
            }
            for from in [0, 1, 1_023, 1_024, 5_000, rows.len() - 1, rows.len(), rows.len() + 9] {
                let span = rows.span_from(from);
                let text = |row: &SheetRow, column| row.cell(column).map(|cell| cell.shown().into_owned());
                let expected = span.iter().enumerate().map(|(at, row)| {
                    (at, row.number, text(&row, 0).unwrap_or_default(), text(&row, 2).unwrap_or_default())
                });
                assert_eq!(shown_cells(span), expected.collect::<Vec<_>>(), "from {from}");
            }
        }
    }
}
