//! The number of a row set as a separate type, so that it can't be confused with other numbers.

use std::fmt;

use serde::{Deserialize, Serialize};
use specta::Type;

/// The number of a set of rows, 1-based, in the order in which they were opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Type)]
#[serde(transparent)]
pub(crate) struct RowSetId(u32);

impl RowSetId {
    pub(crate) const fn new(number: u32) -> Self {
        Self(number)
    }
}

impl fmt::Display for RowSetId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
