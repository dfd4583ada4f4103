//! The text of statements that take many rows at once: inserts, and PostgreSQL's copying.

/// An insert of one row as one of many; nothing where its values aren't simply its places in their order.
pub(crate) fn of_many_rows(sql: &str, columns: usize, rows: usize) -> Option<String> {
    let (head, rest) = sql.split_once("VALUES (")?;
    let (values, tail) = rest.split_once(')')?;
    let places: Vec<String> = (1..=columns).map(|place| format!("?{place}")).collect();
    if !head.trim_start().starts_with("INSERT INTO") || values != places.join(", ") {
        return None;
    }
    let row = |row: usize| {
        let places = (1..=columns).map(|place| format!("?{}", row * columns + place));
        format!("({})", places.collect::<Vec<_>>().join(", "))
    };
    Some(format!("{head}VALUES {}{tail}", (0..rows).map(row).collect::<Vec<_>>().join(", ")))
}

/// An insert of one row as a copy of many, in PostgreSQL's binary form; nothing where its values aren't simply its places, or where it does
/// more than inserting.
pub(crate) fn copy_of(sql: &str, columns: usize) -> Option<String> {
    let (head, tail) =
        of_many_rows(sql, columns, 1)?.split_once("VALUES (").map(|(head, tail)| (head.to_owned(), tail.to_owned()))?;
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
        assert_eq!(copy_of(sql, 2).as_deref(), Some("COPY row (item, row) FROM STDIN BINARY"));
        assert_eq!(copy_of("INSERT INTO wait (item) VALUES (?1) ON CONFLICT DO NOTHING", 1), None);
        assert_eq!(copy_of("INSERT INTO wait (item) VALUES (?1 + 1)", 1), None);
    }

    #[test]
    fn an_insert_takes_many_rows_where_its_values_are_places() {
        let sql = "INSERT INTO wait (item, other) VALUES (?1, ?2)\n ON CONFLICT DO NOTHING";
        let many = "INSERT INTO wait (item, other) VALUES (?1, ?2), (?3, ?4)\n ON CONFLICT DO NOTHING";
        assert_eq!(of_many_rows(sql, 2, 2).as_deref(), Some(many));
        assert_eq!(of_many_rows("INSERT INTO wait (item) VALUES (?1 + 1)", 1, 2), None);
        assert_eq!(of_many_rows("DELETE FROM wait WHERE item = ?1", 1, 2), None);
    }
}
