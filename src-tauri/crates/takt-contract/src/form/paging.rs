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
    /// The parameter that names the page; a dotted path where the parameters stand in the body.
    pub page: String,
    /// The parameter for the rows per page, likewise. Absent where the service decides.
    pub limit: Option<String>,
    /// The first page's number.
    pub first: u32,
    /// Rows per page: the most that the service gives. 0 where that isn't known.
    pub rows: u32,
    /// True where `page` takes the number of rows to pass over.
    pub counts_rows: bool,
    /// True where both parameters stand in the request's body.
    pub in_body: bool,
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

    /// What the page parameter's value asks for: how many rows are passed over, of pages with `rows` rows. Nothing where there
    /// is no such page.
    #[must_use]
    pub fn skipped(&self, number: u32, rows: u32) -> Option<u64> {
        if self.counts_rows {
            return Some(number.into());
        }
        Some(u64::from(number.checked_sub(self.first)?) * u64::from(rows))
    }

    /// Whether a parameter belongs to the paging.
    #[must_use]
    pub fn asks_with(&self, parameter: &str) -> bool {
        self.page == parameter || self.limit.as_deref() == Some(parameter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_passes_over_is_what_its_number_says() {
        for (first, counts_rows) in [(0, false), (1, false), (0, true)] {
            let paging = Paging { first, counts_rows, ..Paging::default() };
            for (page, rows) in [(1, 25), (2, 25), (40, 100)] {
                let skipped = paging.skipped(paging.number(page, rows), rows);
                assert_eq!(skipped, Some(u64::from((page - 1) * rows)));
            }
        }
        assert_eq!(Paging { first: 1, ..Paging::default() }.skipped(0, 25), None);
    }
}
