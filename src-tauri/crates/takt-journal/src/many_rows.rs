//! The text of inserts that take many rows by one statement.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_insert_takes_many_rows_where_its_values_are_places() {
        let sql = "INSERT INTO wait (item, other) VALUES (?1, ?2)\n ON CONFLICT DO NOTHING";
        let many = "INSERT INTO wait (item, other) VALUES (?1, ?2), (?3, ?4)\n ON CONFLICT DO NOTHING";
        assert_eq!(of_many_rows(sql, 2, 2).as_deref(), Some(many));
        assert_eq!(of_many_rows("INSERT INTO wait (item) VALUES (?1 + 1)", 1, 2), None);
        assert_eq!(of_many_rows("DELETE FROM wait WHERE item = ?1", 1, 2), None);
    }
}
