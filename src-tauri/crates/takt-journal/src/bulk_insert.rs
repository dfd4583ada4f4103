//! The text of statements that insert many rows at once: `INSERT`, and PostgreSQL's `COPY`.

/// Turns an insert of one row into an insert of many. Returns none if its values aren't just its placeholders in order.
pub(crate) fn multi_row_insert(sql: &str, columns: usize, rows: usize) -> Option<String> {
    let (head, rest) = sql.split_once("VALUES (")?;
    let (values, tail) = rest.split_once(')')?;
    let placeholders: Vec<String> = (1..=columns).map(|number| format!("?{number}")).collect();
    if !head.trim_start().starts_with("INSERT INTO") || values != placeholders.join(", ") {
        return None;
    }
    let row = |row: usize| {
        let placeholders = (1..=columns).map(|number| format!("?{}", row * columns + number));
        format!("({})", placeholders.collect::<Vec<_>>().join(", "))
    };
    Some(format!("{head}VALUES {}{tail}", (0..rows).map(row).collect::<Vec<_>>().join(", ")))
}

/// Turns an insert of one row into a binary `COPY` of many. Returns none if its values aren't just its placeholders in
/// order, or if it does more than insert.
pub(crate) fn copy_statement(sql: &str, columns: usize) -> Option<String> {
    let (head, tail) = multi_row_insert(sql, columns, 1)?
        .split_once("VALUES (")
        .map(|(head, tail)| (head.to_owned(), tail.to_owned()))?;
    let table = head.trim().strip_prefix("INSERT INTO ")?;
    tail.split_once(')').filter(|(_, rest)| rest.trim().is_empty())?;
    Some(format!("COPY {table} FROM STDIN BINARY"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_insert_is_copied_where_it_does_nothing_else() {
        let sql = "INSERT INTO row (item, row)\n VALUES (?1, ?2)";
        assert_eq!(copy_statement(sql, 2).as_deref(), Some("COPY row (item, row) FROM STDIN BINARY"));
        assert_eq!(copy_statement("INSERT INTO wait (item) VALUES (?1) ON CONFLICT DO NOTHING", 1), None);
        assert_eq!(copy_statement("INSERT INTO wait (item) VALUES (?1 + 1)", 1), None);
    }

    #[test]
    fn an_insert_takes_many_rows_where_its_values_are_places() {
        let sql = "INSERT INTO wait (item, other) VALUES (?1, ?2)\n ON CONFLICT DO NOTHING";
        let many = "INSERT INTO wait (item, other) VALUES (?1, ?2), (?3, ?4)\n ON CONFLICT DO NOTHING";
        assert_eq!(multi_row_insert(sql, 2, 2).as_deref(), Some(many));
        assert_eq!(multi_row_insert("INSERT INTO wait (item) VALUES (?1 + 1)", 1, 2), None);
        assert_eq!(multi_row_insert("DELETE FROM wait WHERE item = ?1", 1, 2), None);
    }
}
