//! Up to some thousand rows, each column packed by itself, and what was unpacked of them.

use super::column::Column;
use crate::{Cell, cell::CellRef};

/// Packed rows.
#[derive(Debug, Clone)]
pub(super) struct Block {
    /// Position of its first row among all that were read.
    pub(super) first: u32,
    /// Ascending; those without content are left out.
    columns: Box<[(u32, Box<[u8]>)]>,
}

impl Block {
    /// `raw` is room that is used again and again.
    pub(super) fn pack(first: u32, columns: &[Column], raw: &mut Vec<u8>) -> Self {
        let filled = (0..).zip(columns).filter(|(_, column)| !column.is_empty());
        Self { first, columns: filled.map(|(number, column)| (number, column.pack(raw))).collect() }
    }

    /// Each column that has content, packed.
    pub(super) fn columns(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.columns.iter().map(|(number, packed)| (*number, &**packed))
    }

    /// One column alone; an empty one where it has no content.
    pub(super) fn column(&self, column: u32) -> Column {
        self.column_in(column, &mut Vec::new())
    }

    /// The same in room that is used again and again.
    pub(super) fn column_in(&self, column: u32, room: &mut Vec<u8>) -> Column {
        let at = self.columns.binary_search_by_key(&column, |(number, _)| *number).ok();
        at.and_then(|at| self.columns.get(at)).map(|(_, packed)| Column::unpack_in(packed, room)).unwrap_or_default()
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
        Self { block, columns: vec![None; block.columns.len()] }
    }

    pub(super) fn is(&self, block: &Block) -> bool {
        std::ptr::eq(self.block, block)
    }

    fn column(&mut self, at: usize) -> Option<&Column> {
        let (_, packed) = self.block.columns.get(at)?;
        Some(self.columns.get_mut(at)?.get_or_insert_with(|| Column::unpack(packed)))
    }

    pub(super) fn cell(&mut self, place: u16, column: u32) -> Option<CellRef<'_>> {
        let at = self.block.columns.binary_search_by_key(&column, |(number, _)| *number).ok()?;
        self.column(at)?.cell(place)
    }

    /// All of a row's cells up to the last one with content, or those of some columns, ascending.
    pub(super) fn cells(&mut self, place: u16, only: Option<&[u32]>) -> Vec<Cell> {
        let mut cells = Vec::with_capacity(if only.is_none() { self.columns.len() } else { 0 });
        for at in 0..self.columns.len() {
            let Some(&(number, _)) = self.block.columns.get(at) else { continue };
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
