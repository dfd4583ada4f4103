//! Statements as PostgreSQL writes them: what the journal's own SQL says otherwise is put into its words.

use crate::item_body::{BODY, BODY_JOIN};

/// `?1` is `$1`; a text is compared without regard to case as SQLite does; hints for SQLite's planner go, also the sign that keeps an index out. Where
/// rejected or unconfirmed items are looked for, the column is named that an index leads to, and an item's body is a column of its own. What stands
/// between apostrophes stays as it is, and so does a `?` without a number: it is an operator, or the server refuses it.
pub(crate) fn translate(sql: &str) -> String {
    // Nothing stands between two apostrophes in a row, so parts go on alternating behind them.
    let sql = sql.replace(BODY, BODY_COLUMN);
    let parts = sql.split('\'').enumerate();
    let parts: Vec<String> =
        parts.map(|(place, part)| if place % 2 == 0 { translated(part) } else { part.to_owned() }).collect();
    parts.join("'")
}

const BODY_COLUMN: &str = "item.body";

fn translated(part: &str) -> String {
    let mut translated = String::with_capacity(part.len() + 16);
    let mut rest = part;
    while let Some(place) = rest.find('?') {
        let (before, behind) = rest.split_at(place);
        let behind = behind.get(1..).unwrap_or_default();
        translated.push_str(before);
        translated.push(if behind.starts_with(|next: char| next.is_ascii_digit()) { '$' } else { '?' });
        rest = behind;
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
    let mut left = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        left.push_str(part.find(' ').and_then(|end| part.get(end..)).unwrap_or_default());
    }
    left
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
        let there = "SELECT 'why?1 LIKE ''?2'' CROSS JOIN' WHERE a = $1 AND b ILIKE '%?3' AND body::jsonb ? $2";
        assert_eq!(translate(sql), there);
        let body = format!("SELECT {BODY} FROM item{BODY_JOIN} WHERE item.key <> '?'");
        assert_eq!(translate(&body), "SELECT item.body FROM item WHERE item.key <> '?'");
    }
}
