//! Reads a home's journal, or its team's database, without the product. Tests compare it with the plant's record.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, types::ValueRef};

/// A row of a submission, with its result as the journal stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRow {
    pub submission: u32,
    pub operation: String,
    pub sheet: String,
    pub row: u32,
    /// The business key. Its parts are joined with ` · `.
    pub key: String,
    /// The result as stored, such as `unconfirmed`.
    pub result: String,
}

/// A submission, with its counters as the journal stores them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSubmission {
    pub id: u32,
    pub state: String,
    pub total: u32,
    /// The sum of its counters, which must equal `total`.
    pub counted: u32,
    /// Rows that are pending or in flight.
    pub open: u32,
    pub unconfirmed: u32,
    /// Pending rows that wait for a row of an earlier step that isn't accepted yet.
    pub waiting: u32,
}

/// Returns the rows of submissions with an ID of at least `from`. Excludes submissions that are being prepared.
#[must_use]
pub fn stored_rows(home: &Path, from: u32) -> Vec<StoredRow> {
    let sql = format!(
        "SELECT item.submission, submission.operation, row.sheet, row.row, item.key, item.result
         FROM row JOIN item ON item.submission = row.submission AND item.number = row.item
         JOIN submission ON submission.id = item.submission
         WHERE item.submission >= {from} AND NOT submission.preparing ORDER BY 1, 3, 4"
    );
    let rows = query::<6>(home, &sql).into_iter();
    rows.map(|[submission, operation, sheet, row, key, result]| StoredRow {
        submission: parse_number(&submission),
        operation,
        sheet,
        row: parse_number(&row),
        key,
        result,
    })
    .collect()
}

/// Returns the submissions with an ID of at least `from`. Excludes submissions that are being prepared.
#[must_use]
pub fn stored_submissions(home: &Path, from: u32) -> Vec<StoredSubmission> {
    let sql = format!(
        "SELECT id, state, total, pending + sending + accepted + rejected + unconfirmed + skipped,
         pending + sending, unconfirmed,
             (SELECT count(*) FROM item WHERE item.submission = submission.id AND result = 'pending' AND EXISTS
                 (SELECT 1 FROM wait JOIN item AS other
                      ON other.submission = wait.other_submission AND other.number = wait.other_item
                  WHERE wait.submission = item.submission AND wait.item = item.number
                      AND other.result != 'accepted'))
         FROM submission WHERE id >= {from} AND NOT preparing ORDER BY id"
    );
    let rows = query::<7>(home, &sql).into_iter();
    rows.map(|[id, state, total, counted, open, unconfirmed, waiting]| StoredSubmission {
        id: parse_number(&id),
        state,
        total: parse_number(&total),
        counted: parse_number(&counted),
        open: parse_number(&open),
        unconfirmed: parse_number(&unconfirmed),
        waiting: parse_number(&waiting),
    })
    .collect()
}

fn parse_number(text: &str) -> u32 {
    text.parse().expect("a counter is a number")
}

/// Runs a query on the home's journal, or on its team's database. Returns every value as text.
fn query<const COLUMNS: usize>(home: &Path, sql: &str) -> Vec<[String; COLUMNS]> {
    #[cfg(unix)]
    if let Ok(team) = std::fs::read_to_string(home.join("team.json")) {
        return query_team_database(&team, sql);
    }
    let connection = open(home);
    let mut statement = connection.prepare(sql).expect("the journal has its tables");
    let rows = statement.query_map([], |row| {
        let mut texts = [const { String::new() }; COLUMNS];
        for (column, text) in texts.iter_mut().enumerate() {
            *text = match row.get_ref(column)? {
                ValueRef::Integer(number) => number.to_string(),
                ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                _ => String::new(),
            };
        }
        Ok(texts)
    });
    rows.and_then(Iterator::collect).expect("the journal can be read")
}

#[cfg(unix)]
fn query_team_database<const COLUMNS: usize>(team: &str, sql: &str) -> Vec<[String; COLUMNS]> {
    let team: serde_json::Value = serde_json::from_str(team).expect("the team's address is JSON");
    let address = team["address"].as_str().expect("a team has an address");
    let output = crate::postgres::query(address, sql);
    let rows = output.lines().filter(|line| !line.is_empty());
    rows.map(|line| {
        let texts: Vec<String> = line.split('\u{1F}').map(str::to_owned).collect();
        texts.try_into().expect("a row has its columns")
    })
    .collect()
}

fn open(home: &Path) -> Connection {
    let file = home.join("journal.sqlite");
    // After a kill, opening the file merges its write-ahead log, so the connection can't be read-only.
    Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE).expect("the journal can be opened")
}
