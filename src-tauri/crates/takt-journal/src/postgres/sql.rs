//! Statements as PostgreSQL writes them: what the journal's own SQL says otherwise is put into its words.

use crate::item_body::{BODY, BODY_JOIN};

/// `?1` is `$1`; a text is compared without regard to case as SQLite does; hints for SQLite's planner go, also the sign that keeps an index out. Where
/// rejected or unconfirmed items are looked for, the column is named that an index leads to, and an item's body is a column of its own.
pub(super) fn translate(sql: &str) -> String {
    let mut translated = String::with_capacity(sql.len() + 16);
    let mut rest = sql;
    while let Some(place) = rest.find('?') {
        let (before, behind) = rest.split_at(place);
        translated.push_str(before);
        translated.push('$');
        rest = behind.get(1..).unwrap_or_default();
    }
    translated.push_str(rest);
    let translated = translated
        .replace(" LIKE ", " ILIKE ")
        .replace("CROSS JOIN", "JOIN")
        .replace("+reading.", "reading.")
        .replace("result /* noted */", "noted")
        .replace(BODY, "item.body")
        .replace(BODY_JOIN, "");
    without_index_hints(&translated)
}

/// Removes `INDEXED BY name`.
fn without_index_hints(sql: &str) -> String {
    const HINT: &str = " INDEXED BY ";
    let mut parts = sql.split(HINT);
    let mut left = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        left.push_str(part.find(' ').and_then(|end| part.get(end..)).unwrap_or_default());
    }
    left
}

#[cfg(test)]
mod tests {
    use super::translate;

    #[test]
    fn places_comparisons_and_hints_are_translated() {
        let sql = "SELECT 1 FROM item INDEXED BY item_by_key WHERE id = ?1 AND key LIKE ?12 ESCAPE '\\'";
        assert_eq!(translate(sql), "SELECT 1 FROM item WHERE id = $1 AND key ILIKE $12 ESCAPE '\\'");
        assert_eq!(
            translate("SELECT result FROM item WHERE item.result /* noted */ = ?1"),
            "SELECT result FROM item WHERE item.noted = $1"
        );
    }
}
