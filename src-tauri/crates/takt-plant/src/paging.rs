//! Parses and represents pages of lists.

pub(crate) const MAX_PAGE_SIZE: u64 = 100;

/// A page of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageRange {
    pub(crate) number: u64,
    pub(crate) limit: u64,
    skip: u64,
}

impl PageRange {
    /// Creates the page with this 1-based number.
    pub(crate) fn new(number: u64, limit: u64) -> Self {
        Self { number, limit, skip: (number - 1).saturating_mul(limit) }
    }

    /// Creates the page of `limit` rows after the first `skip` rows.
    pub(crate) fn from_offset(skip: u64, limit: u64) -> Self {
        Self { number: skip / limit.max(1) + 1, limit, skip }
    }

    /// Creates a page with all rows.
    pub(crate) fn all_rows() -> Self {
        Self { number: 1, limit: u64::MAX, skip: 0 }
    }

    pub(crate) fn skip(self) -> u64 {
        self.skip
    }

    /// Returns the number of rows to skip and the number of rows to return.
    pub(crate) fn range(self) -> (usize, usize) {
        (usize::try_from(self.skip).unwrap_or(usize::MAX), usize::try_from(self.limit).unwrap_or(usize::MAX))
    }

    pub(crate) fn page_count(self, total: usize) -> usize {
        total.div_ceil(usize::try_from(self.limit).unwrap_or(1).max(1))
    }

    /// Creates a page from numbers that may be out of range.
    pub(crate) fn from_numbers(number: i64, limit: i64) -> Result<Self, String> {
        let number = u64::try_from(number).ok().filter(|number| *number >= 1);
        let limit = u64::try_from(limit).ok().filter(|limit| (1..=MAX_PAGE_SIZE).contains(limit));
        Ok(Self::new(number.ok_or(PAGE_RULE)?, limit.ok_or(LIMIT_RULE)?))
    }
}

const PAGE_RULE: &str = "page must be a whole number from 1.";
const LIMIT_RULE: &str = "limit must be a whole number from 1 to 100.";
