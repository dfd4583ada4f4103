//! The parameters for reading a list by pages, and the counts in its responses.

use serde::{Deserialize, Serialize};

/// The place of a count in a response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum CountPlace {
    /// The name of a header.
    Header(String),
    /// A dotted path in the body.
    Member(String),
}

/// The paging of a list. The counts are claims of the service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct Paging {
    /// The parameter for the page. A dotted path if the parameters are in the body.
    pub page: String,
    /// The parameter for the rows per page, or its dotted path in the body. Absent if the service decides.
    pub limit: Option<String>,
    /// The first page's number.
    pub first: u32,
    /// The maximum rows per page. 0 if unknown.
    pub rows: u32,
    /// Whether `page` is the number of rows to skip.
    pub counts_rows: bool,
    /// Whether both parameters are in the request's body.
    pub in_body: bool,
    /// The place of the number of rows.
    pub total: Option<CountPlace>,
    /// The place of the number of pages.
    pub pages: Option<CountPlace>,
    /// The place of the current page's number.
    pub current: Option<CountPlace>,
}

impl Paging {
    /// Returns the value of the page parameter for the 1-based `page` with `rows` rows per page.
    #[must_use]
    pub fn number(&self, page: u32, rows: u32) -> u32 {
        let before = page.saturating_sub(1);
        if self.counts_rows { before.saturating_mul(rows) } else { self.first.saturating_add(before) }
    }

    /// Returns how many rows a value of the page parameter skips, with `rows` rows per page. None if there is no such
    /// page.
    #[must_use]
    pub fn skipped(&self, number: u32, rows: u32) -> Option<u64> {
        if self.counts_rows {
            return Some(number.into());
        }
        Some(u64::from(number.checked_sub(self.first)?) * u64::from(rows))
    }

    /// Returns whether a parameter belongs to the paging.
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
