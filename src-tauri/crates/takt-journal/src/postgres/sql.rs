//! Translates the journal's SQL to PostgreSQL.

use crate::item_body::{BODY, BODY_JOIN};

/// Translates `?1` to `$1` and `LIKE` to `ILIKE`, which ignores case like SQLite. Removes hints for SQLite's planner,
/// including the `+` that avoids an index. Replaces the expression for an item's body with the column `body`, and a
/// result marked as noted with the column `noted`. Doesn't change text between apostrophes, or a `?` without a number,
/// which is an operator.
pub(crate) fn translate(sql: &str) -> String {
    // Even parts are SQL and odd parts are quoted text. An escaped apostrophe adds an empty part, so this still holds.
    let sql = sql.replace(BODY, BODY_COLUMN);
    let parts = sql.split('\'').enumerate();
    let parts: Vec<String> =
        parts.map(|(index, part)| if index % 2 == 0 { translate_part(part) } else { part.to_owned() }).collect();
    parts.join("'")
}

const BODY_COLUMN: &str = "item.body";

fn translate_part(part: &str) -> String {
    let mut translated = String::with_capacity(part.len() + 16);
    let mut rest = part;
    while let Some(index) = rest.find('?') {
        let (before, after) = rest.split_at(index);
        let after = after.get(1..).unwrap_or_default();
        translated.push_str(before);
        translated.push(if after.starts_with(|next: char| next.is_ascii_digit()) { '$' } else { '?' });
        rest = after;
    }
    translated.push_str(rest);
    let translated = translated
        .replace(" LIKE ", " ILIKE ")
        .replace("CROSS JOIN", "JOIN")
        .replace("+reading.", "reading.")
        .replace("result /* noted */", "noted")
        .replace(BODY_JOIN, "");
    without_index_hints(&translated)
}

/// Removes `INDEXED BY name`.
fn without_index_hints(sql: &str) -> String {
    const HINT: &str = " INDEXED BY ";
    let mut parts = sql.split(HINT);
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        result.push_str(part.find(' ').and_then(|end| part.get(end..)).unwrap_or_default());
    }
    result
}

#[cfg(test)]
mod tests {
    use super::{BODY, BODY_JOIN, translate};

    #[test]
    fn places_comparisons_and_hints_are_translated() {
        let sql = "SELECT 1 FROM item INDEXED BY item_by_key WHERE id = ?1 AND key LIKE ?12 ESCAPE '\\'";
        assert_eq!(translate(sql), "SELECT 1 FROM item WHERE id = $1 AND key ILIKE $12 ESCAPE '\\'");
        assert_eq!(
            translate("SELECT result FROM item WHERE item.result /* noted */ = ?1"),
            "SELECT result FROM item WHERE item.noted = $1"
        );
    }

    #[test]
    fn what_stands_between_apostrophes_and_an_operator_stay_as_they_are() {
        let sql = "SELECT 'why?1 LIKE ''?2'' CROSS JOIN' WHERE a = ?1 AND b LIKE '%?3' AND body::jsonb ? ?2";
        let expected = "SELECT 'why?1 LIKE ''?2'' CROSS JOIN' WHERE a = $1 AND b ILIKE '%?3' AND body::jsonb ? $2";
        assert_eq!(translate(sql), expected);
        let body = format!("SELECT {BODY} FROM item{BODY_JOIN} WHERE item.key <> '?'");
        assert_eq!(translate(&body), "SELECT item.body FROM item WHERE item.key <> '?'");
    }
}
