//! The order and filters of a table, and the rows that they select.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The order of a table's rows, and the filters that select them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Arrangement {
    /// Rows are sorted by the first field, equal rows by the next one, and finally by their position in the set.
    pub sort: Vec<SortBy>,
    /// A row must pass all of them.
    pub filters: Vec<Filter>,
    /// A text to search in all values of a row, ignoring case. Empty if nothing is searched.
    pub find: String,
}

/// A field to sort by. Empty cells come last in both directions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SortBy {
    /// A field of the row, or of a nested part: `area.code`.
    pub path: String,
    pub descending: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Filter {
    pub path: String,
    pub test: Test,
}

/// A test of a cell. Case is ignored. An empty cell passes only [`Test::Empty`] and [`Test::Lacks`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "is", rename_all = "camelCase")]
pub enum Test {
    Contains {
        text: String,
    },
    Lacks {
        text: String,
    },
    Equals {
        text: String,
    },
    OneOf {
        texts: Vec<String>,
    },
    Empty,
    Filled,
    /// Including both ends. Time spans are in ticks, lists are counted by their parts.
    Between {
        from: Option<f64>,
        to: Option<f64>,
    },
    /// `yyyy-mm-dd[Thh:mm[:ss]]` in the site's time zone, including the complete last day, minute or second.
    During {
        from: Option<String>,
        to: Option<String>,
    },
    Truth {
        value: bool,
    },
}

/// The positions of rows in a set, in display order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrangedRows {
    pub positions: Arc<[u32]>,
    /// The number of rows in the set when it was arranged.
    pub row_count: usize,
}

impl Arrangement {
    /// Returns true if all rows are shown in the service's order.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.sort.is_empty() && self.filters.is_empty() && self.find.trim().is_empty()
    }

    /// Returns the sort fields' paths, then the filters' paths.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        let sorts = self.sort.iter().map(|by| by.path.as_str());
        sorts.chain(self.filters.iter().map(|filter| filter.path.as_str()))
    }
}
