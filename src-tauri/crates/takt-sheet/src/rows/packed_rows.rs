//! The storage of a sheet's rows: packed blocks of cells, row numbers, and the cells that were replaced.

use std::collections::BTreeMap;

use super::{
    block::Block,
    runs::{Ranges, Runs},
};
use crate::Cell;

/// The packed rows by ascending number. A position counts the included rows, from 0.
#[derive(Debug, Clone, Default)]
pub(crate) struct PackedRows {
    pub(super) blocks: Vec<Block>,
    /// The numbers of all rows that were read.
    pub(super) numbers: Runs,
    pub(super) hidden: Ranges,
    /// The indexes of the included rows among all that were read. `None` if all are included.
    pub(super) included: Option<Runs>,
    /// The cells that replace packed ones, by row index and column.
    pub(super) patches: BTreeMap<u32, BTreeMap<u32, Cell>>,
    /// The number of columns of the widest row.
    pub(super) widest: u32,
}

impl PackedRows {
    /// Returns the number of included rows.
    pub(super) fn len(&self) -> usize {
        self.included.as_ref().unwrap_or(&self.numbers).len() as usize
    }

    /// Returns the number of an included row.
    pub(super) fn number(&self, position: usize) -> Option<u32> {
        self.numbers.get(self.stored(position)?)
    }

    /// Returns the position of the row with this number.
    pub(super) fn position(&self, number: u32) -> Option<usize> {
        let stored = self.numbers.find(number)?;
        let position = match &self.included {
            Some(included) => included.find(stored)?,
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

    /// Excludes all rows for which `keeps` returns false. It gets a row's number and whether Excel hides the row.
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
    pub(super) fn stored(&self, position: usize) -> Option<u32> {
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
