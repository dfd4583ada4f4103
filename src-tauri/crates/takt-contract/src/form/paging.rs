//! How a list is asked for page by page, and where an answer says how much there is.

use serde::{Deserialize, Serialize};

/// Where an answer carries a count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum CountPlace {
    /// A header's name.
    Header(String),
    /// A dotted path in the body.
    Member(String),
}

/// How a paged list is asked for. The counts are claims of the service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct Paging {
    /// The query parameter that names the page.
    pub page: String,
    /// The query parameter for the rows per page. Absent where the service decides.
    pub limit: Option<String>,
    /// The first page's number.
    pub first: u32,
    /// Rows per page: the most that the service gives. 0 where that isn't known.
    pub rows: u32,
    /// True where `page` takes the number of rows to pass over.
    pub counts_rows: bool,
    /// How many rows there are.
    pub total: Option<CountPlace>,
    /// How many pages there are.
    pub pages: Option<CountPlace>,
    /// Which page this is.
    pub current: Option<CountPlace>,
}

impl Paging {
    /// The value of the page parameter for the n-th page, counted from 1, of `rows` rows each.
    #[must_use]
    pub fn number(&self, page: u32, rows: u32) -> u32 {
        let before = page.saturating_sub(1);
        if self.counts_rows { before.saturating_mul(rows) } else { self.first.saturating_add(before) }
    }

    /// Whether a query parameter belongs to the paging.
    #[must_use]
    pub fn asks_with(&self, parameter: &str) -> bool {
        self.page == parameter || self.limit.as_deref() == Some(parameter)
    }
}
