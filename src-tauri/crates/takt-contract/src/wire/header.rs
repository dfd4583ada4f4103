//! The names of response headers, spelled as in the specification.

/// The total number of requests allowed.
pub const X_RATE_LIMIT_LIMIT: &str = "X-RateLimit-Limit";
/// The number of requests remaining.
pub const X_RATE_LIMIT_REMAINING: &str = "X-RateLimit-Remaining";
/// The timestamp at which the limit resets.
pub const X_RATE_LIMIT_RESET: &str = "X-RateLimit-Reset";
/// The total number of items.
pub const X_PAGINATION_TOTAL: &str = "X-Pagination-Total";
/// The total number of pages.
pub const X_PAGINATION_PAGES: &str = "X-Pagination-Pages";
/// The current page, 1-based.
pub const X_PAGINATION_CURRENT: &str = "X-Pagination-Current";
