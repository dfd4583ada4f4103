//! Where a row stands among the rows below a sheet's heading. Excel's number of the row is another thing.

/// 0-based, among the rows below the heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct Position(u32);

impl Position {
    pub(super) const fn new(position: u32) -> Self {
        Self(position)
    }

    /// Nothing beyond what a sheet can hold.
    pub(super) fn of_index(index: usize) -> Option<Self> {
        u32::try_from(index).ok().map(Self)
    }

    pub(super) const fn get(self) -> u32 {
        self.0
    }

    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}
