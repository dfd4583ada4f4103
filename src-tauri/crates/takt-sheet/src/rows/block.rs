//! Up to some thousand rows, each column packed by itself, and what was unpacked of them.

use super::column::Column;
use crate::{Cell, CellKind, cell::CellRef};

/// Packed rows.
#[derive(Debug, Clone)]
pub(super) struct Block {
    /// Position of its first row among all that were read.
    pub(super) first: u32,
    /// Each column with where it ends in `packed`, ascending; those without content are left out.
    ends: Box<[(u32, u32)]>,
    /// One column after the other, in a single piece of memory: to take and give back thousands of pieces costs.
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

    /// Each column that has content, packed.
    pub(super) fn columns(&self) -> impl Iterator<Item = (u32, &[u8])> {
        (0..self.ends.len()).filter_map(|at| self.packed(at))
    }

    /// One of the columns that have content, with its number.
    fn packed(&self, at: usize) -> Option<(u32, &[u8])> {
        let &(number, end) = self.ends.get(at)?;
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&(_, end)| end as usize);
        Some((number, self.packed.get(start..end as usize)?))
    }

    /// Which of the columns that have content this is.
    fn at(&self, column: u32) -> Option<usize> {
        self.ends.binary_search_by_key(&column, |(number, _)| *number).ok()
    }

    /// One column alone; an empty one where it has no content.
    pub(super) fn column(&self, column: u32) -> Column {
        self.at(column).and_then(|at| self.packed(at)).map(|(_, packed)| Column::unpack(packed)).unwrap_or_default()
    }

    /// Whether a column has a cell of one of these kinds.
    pub(super) fn has_kind(&self, column: u32, kinds: &[CellKind]) -> bool {
        let packed = self.at(column).and_then(|at| self.packed(at));
        packed.is_some_and(|(_, packed)| kinds.iter().any(|&kind| Column::has_kind(packed, kind)))
    }
}

/// A block as far as it was unpacked.
#[derive(Debug)]
pub(super) struct Opened<'a> {
    block: &'a Block,
    /// Beside the block's columns.
    columns: Vec<Option<Column>>,
}

impl<'a> Opened<'a> {
    pub(super) fn new(block: &'a Block) -> Self {
        Self { block, columns: vec![None; block.ends.len()] }
    }

    pub(super) fn is(&self, block: &Block) -> bool {
        std::ptr::eq(self.block, block)
    }

    fn column(&mut self, at: usize) -> Option<&Column> {
        let (_, packed) = self.block.packed(at)?;
        Some(self.columns.get_mut(at)?.get_or_insert_with(|| Column::unpack(packed)))
    }

    pub(super) fn cell(&mut self, place: u16, column: u32) -> Option<CellRef<'_>> {
        let at = self.block.at(column)?;
        self.column(at)?.cell(place)
    }

    /// All of a row's cells up to the last one with content, or those of some columns, ascending.
    pub(super) fn cells(&mut self, place: u16, only: Option<&[u32]>) -> Vec<Cell> {
        let mut cells = Vec::with_capacity(if only.is_none() { self.columns.len() } else { 0 });
        for at in 0..self.columns.len() {
            let Some(&(number, _)) = self.block.ends.get(at) else { continue };
            if only.is_some_and(|only| !only.contains(&number)) {
                continue;
            }
            if let Some(cell) = self.column(at).and_then(|column| column.cell(place)) {
                cells.resize_with(number as usize, Cell::default);
                cells.push(cell.to_cell());
            }
        }
        cells
    }
}
