//! Where what is sent for an item lies, as statements read it: see the schema's 13th step.

/// What is sent for an item, in a statement that reads `item` with [`BODY_JOIN`] behind it. A file has it in a table of its own,
/// but for items that an earlier version wrote; a team's database has it in a column of `item` (see `postgres::sql`).
pub(crate) const BODY: &str = "COALESCE(NULLIF(item.body, ''), item_body.body)";
pub(crate) const BODY_JOIN: &str =
    " LEFT JOIN item_body ON item_body.submission = item.submission AND item_body.item = item.number";
