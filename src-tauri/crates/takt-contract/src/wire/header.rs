//! Response headers, spelled as the specification spells them.

/// Total number of requests allowed.
pub const X_RATE_LIMIT_LIMIT: &str = "X-RateLimit-Limit";
/// Requests remaining.
pub const X_RATE_LIMIT_REMAINING: &str = "X-RateLimit-Remaining";
/// Timestamp at which the limit resets.
pub const X_RATE_LIMIT_RESET: &str = "X-RateLimit-Reset";
/// Total number of items.
pub const X_PAGINATION_TOTAL: &str = "X-Pagination-Total";
/// Total number of pages.
pub const X_PAGINATION_PAGES: &str = "X-Pagination-Pages";
/// Current page, from 1.
pub const X_PAGINATION_CURRENT: &str = "X-Pagination-Current";
