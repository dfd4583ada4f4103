//! The SQL that reads the body of an item: see the schema's 13th update.

/// The expression for the body of an item, in a statement that reads `item` followed by [`BODY_JOIN`]. In a file,
/// bodies have their own table, except for items of an earlier version. In a team's database, the body is a column of
/// `item` (see `postgres::sql`).
pub(crate) const BODY: &str = "COALESCE(NULLIF(item.body, ''), item_body.body)";
pub(crate) const BODY_JOIN: &str =
    " LEFT JOIN item_body ON item_body.submission = item.submission AND item_body.item = item.number";
