//! The storage of a sheet's rows: packed blocks of up to a thousand rows, row numbers, and the cells that were
//! replaced.
//!
//! Each column of a block is packed separately, and unpacked columns are cached.

use std::collections::BTreeMap;

use super::{
    column::Column,
    runs::{Ranges, Runs},
};
use crate::{Cell, CellKind, CellRef};

/// The packed rows by ascending number. A position is the 0-based index of a row among the included rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct PackedRows {
    pub(super) blocks: Vec<Block>,
    /// The numbers of all rows that were read.
    pub(super) numbers: Runs,
    pub(super) hidden: Ranges,
    /// The indexes of the included rows among all rows that were read. `None` if all are included.
    pub(super) included: Option<Runs>,
    /// The cells that replace packed ones, by row index and column.
    pub(super) patches: BTreeMap<u32, BTreeMap<u32, Cell>>,
    /// The number of columns of the widest row.
    pub(super) width: u32,
}

impl PackedRows {
    /// Returns the number of included rows.
    pub(super) fn len(&self) -> usize {
        self.included.as_ref().unwrap_or(&self.numbers).len() as usize
    }

    /// Returns an included row's number, 1-based as Excel shows it.
    pub(super) fn number(&self, position: usize) -> Option<u32> {
        self.numbers.get(self.stored_index(position)?)
    }

    /// Returns the position of the row with this number.
    pub(super) fn position(&self, number: u32) -> Option<usize> {
        let stored = self.numbers.position(number)?;
        let position = match &self.included {
            Some(included) => included.position(stored)?,
            None => stored,
        };
        Some(position as usize)
    }

    /// Returns true if Excel doesn't show the row.
    pub(super) fn is_hidden(&self, position: usize) -> bool {
        !self.hidden.is_empty() && self.number(position).is_some_and(|number| self.hidden.contains(number))
    }

    /// Returns the cell that replaces a packed one.
    pub(super) fn patch(&self, stored: u32, column: u32) -> Option<&Cell> {
        self.patches.get(&stored).and_then(|cells| cells.get(&column))
    }

    /// Excludes all rows for which `keeps` returns false. `keeps` gets a row's number and whether Excel hides the row.
    pub(super) fn retain(&mut self, mut keeps: impl FnMut(u32, bool) -> bool) {
        let mut included = Runs::default();
        for (stored, number) in (0..).zip(self.numbers.iter()) {
            if keeps(number, self.hidden.contains(number)) {
                included.push(stored);
            }
        }
        included.shrink();
        self.included = Some(included).filter(|included| included.len() < self.numbers.len());
    }

    /// Returns the index of an included row among all rows that were read.
    pub(super) fn stored_index(&self, position: usize) -> Option<u32> {
        let position = u32::try_from(position).ok()?;
        match &self.included {
            Some(included) => included.get(position),
            None => Some(position).filter(|&position| position < self.numbers.len()),
        }
    }

    pub(super) fn block(&self, stored: u32) -> Option<&Block> {
        self.blocks.get(self.blocks.partition_point(|block| block.first <= stored).checked_sub(1)?)
    }

    pub(super) fn block_index(&self, stored: u32) -> usize {
        self.blocks.partition_point(|block| block.first <= stored).saturating_sub(1)
    }
}

/// A block of packed rows whose columns can be unpacked separately.
#[derive(Debug, Clone)]
pub(super) struct Block {
    /// The index of the block's first row among all rows that were read.
    pub(super) first: u32,
    /// Each column with content and the end of its bytes in `packed`, by ascending column.
    ends: Box<[(u32, u32)]>,
    /// All columns in a single allocation, because thousands of small allocations are expensive.
    packed: Box<[u8]>,
}

impl Block {
    pub(super) fn pack(first: u32, columns: &[Column]) -> Self {
        let mut packed = Vec::new();
        let filled = (0..).zip(columns).filter(|(_, column)| !column.is_empty());
        let ends = filled.map(|(number, column)| {
            column.pack(&mut packed);
            (number, u32::try_from(packed.len()).unwrap_or(u32::MAX))
        });
        let ends = ends.collect();
        Self { first, ends, packed: packed.into() }
    }

    /// Returns each packed column with content.
    pub(super) fn columns(&self) -> impl Iterator<Item = (u32, &[u8])> {
        (0..self.ends.len()).filter_map(|index| self.packed(index))
    }

    /// Returns a packed column with its number. `index` is its index among the columns with content.
    fn packed(&self, index: usize) -> Option<(u32, &[u8])> {
        let &(number, end) = self.ends.get(index)?;
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&(_, end)| end as usize);
        Some((number, self.packed.get(start..end as usize)?))
    }

    /// Returns the index of a column among the columns with content.
    fn index_of(&self, column: u32) -> Option<usize> {
        self.ends.binary_search_by_key(&column, |(number, _)| *number).ok()
    }

    /// Unpacks one column. The result is empty if the column has no content.
    pub(super) fn column(&self, column: u32) -> Column {
        self.index_of(column)
            .and_then(|index| self.packed(index))
            .map(|(_, packed)| Column::unpack(packed))
            .unwrap_or_default()
    }

    /// Returns whether a column has a cell of one of these kinds.
    pub(super) fn has_kind(&self, column: u32, kinds: &[CellKind]) -> bool {
        let packed = self.index_of(column).and_then(|index| self.packed(index));
        packed.is_some_and(|(_, packed)| kinds.iter().any(|&kind| Column::has_kind(packed, kind)))
    }
}

/// A block with the columns that have been unpacked so far.
#[derive(Debug)]
pub(super) struct UnpackedBlock<'a> {
    block: &'a Block,
    /// In the order of the block's columns with content.
    columns: Vec<Option<Column>>,
}

impl<'a> UnpackedBlock<'a> {
    pub(super) fn new(block: &'a Block) -> Self {
        Self { block, columns: vec![None; block.ends.len()] }
    }

    pub(super) fn is_unpacked_from(&self, block: &Block) -> bool {
        std::ptr::eq(self.block, block)
    }

    fn column(&mut self, index: usize) -> Option<&Column> {
        let (_, packed) = self.block.packed(index)?;
        Some(self.columns.get_mut(index)?.get_or_insert_with(|| Column::unpack(packed)))
    }

    pub(super) fn cell(&mut self, block_row: u16, column: u32) -> Option<CellRef<'_>> {
        let index = self.block.index_of(column)?;
        self.column(index)?.cell(block_row)
    }

    /// Returns a row's cells up to the last one with content. With `wanted_columns`, other columns stay empty.
    pub(super) fn cells(&mut self, block_row: u16, wanted_columns: Option<&[u32]>) -> Vec<Cell> {
        let mut cells = Vec::with_capacity(if wanted_columns.is_none() { self.columns.len() } else { 0 });
        for index in 0..self.columns.len() {
            let Some(&(number, _)) = self.block.ends.get(index) else { continue };
            if wanted_columns.is_some_and(|wanted_columns| !wanted_columns.contains(&number)) {
                continue;
            }
            if let Some(cell) = self.column(index).and_then(|column| column.cell(block_row)) {
                cells.resize_with(number as usize, Cell::default);
                cells.push(cell.to_cell());
            }
        }
        cells
    }
}
