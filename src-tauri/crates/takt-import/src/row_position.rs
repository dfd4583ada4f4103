//! The position of a row among the rows below the header row, as opposed to Excel's row number.

/// A 0-based position among the rows below the header row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct RowPosition(u32);

impl RowPosition {
    pub(crate) const fn new(position: u32) -> Self {
        Self(position)
    }

    /// Returns `None` if the index doesn't fit into 32 bits.
    pub(crate) fn from_index(index: usize) -> Option<Self> {
        u32::try_from(index).ok().map(Self)
    }

    pub(crate) const fn get(self) -> u32 {
        self.0
    }

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}
