//! Rows and their results, page by page.

use crate::StoredWord;
use crate::database::{Row, Rows as FoundRows, params};
use crate::item_body::{BODY, BODY_JOIN};
use serde_json::Value;

use crate::{
    Change, Journal, JournalError, Reason, RowResult, SubmissionId, abandoned::ended_while_sending, history,
    result::reasons_read,
};

/// One row of a submission.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRow {
    pub sheet: String,
    pub row: u32,
    /// Its item's number: rows of one group share it.
    pub item: u32,
    pub key: String,
    pub result: RowResult,
    pub reasons: Vec<Reason>,
    /// The last batch that carried it.
    pub batch: Option<u32>,
    /// What is sent for its item; only where all rows are walked.
    pub body: Option<Value>,
    /// When the last batch that carried it ended.
    pub settled: Option<jiff::Timestamp>,
    /// What the change preview said of its item.
    pub change: Option<Change>,
}

/// A window onto the rows of a submission.
#[derive(Debug, Clone, PartialEq)]
pub struct RowPage {
    /// Rows that pass the filter.
    pub total: u32,
    pub rows: Vec<StoredRow>,
}

const SELECT: &str = "SELECT row.sheet, row.row, item.number, item.key, item.result, item.reasons, item.batch,
    (SELECT ended FROM attempt WHERE attempt.submission = item.submission AND attempt.batch = item.batch),
    item.change";

/// The order of sending.
const SENT: &str = "item.number, row.sheet, row.row";

/// A page of rows. Which rows they are is read from indexes alone, so that a page far down costs no look at those above it;
/// in a team of those of one result alone that are rejected or unconfirmed (`postgres-7`).
fn page(inner: &str, order: &str) -> String {
    format!(
        "{SELECT} FROM ({inner} LIMIT ?2 OFFSET ?3) AS row
         JOIN item ON item.submission = row.submission AND item.number = row.item ORDER BY {order}"
    )
}

/// The rows of one result, whose word is the fourth place.
pub(crate) fn of_result(result: RowResult, abandoned: bool) -> String {
    format!(
        "SELECT row.* FROM item JOIN row ON row.submission = item.submission AND row.item = item.number
         WHERE item.submission = ?1 AND {} ORDER BY item.number, row.sheet, row.row",
        result_condition("CAST(?4 AS TEXT)", Some(result), abandoned)
    )
}

/// Rows and items of submissions, and what became of them.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a>(pub(crate) &'a Journal);

impl Journal {
    /// Rows and items of submissions, and what became of them.
    #[must_use]
    pub fn rows(&self) -> Rows<'_> {
        Rows(self)
    }
}

impl Rows<'_> {
    /// All rows by sheet and number, or those of one result in the order of sending.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn page(
        &self,
        submission: SubmissionId,
        result: Option<RowResult>,
        offset: u32,
        limit: u32,
    ) -> Result<RowPage, JournalError> {
        let record = self.0.submission(submission)?;
        if record.purged.is_some() {
            return Ok(RowPage { total: 0, rows: Vec::new() });
        }
        let total = result.map_or(record.total, |result| record.counts.of(result));
        let rows = self.0.read(|connection| {
            let abandoned = self.0.is_abandoned(connection, submission)?;
            let rows = match result {
                None => {
                    let inner = "SELECT * FROM row WHERE submission = ?1 ORDER BY sheet, row";
                    let mut statement = connection.prepare_cached(&page(inner, "row.sheet, row.row"))?;
                    collect(statement.query(params![submission, limit, offset])?, false)?
                }
                Some(result) => {
                    let mut statement = connection.prepare_cached(&page(&of_result(result, abandoned), SENT))?;
                    collect(statement.query(params![submission, limit, offset, result.word()])?, false)?
                }
            };
            Ok(if abandoned { rows.into_iter().map(row_as_left).collect() } else { rows })
        })?;
        Ok(RowPage { total, rows })
    }

    /// Rows whose key or reasons hold the text, or whose number it is, of any result or of one, in the order of sending.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn search(
        &self,
        submission: SubmissionId,
        result: Option<RowResult>,
        text: &str,
        offset: u32,
        limit: u32,
    ) -> Result<RowPage, JournalError> {
        let (pattern, number) = (history::pattern(text), text.parse::<u32>().ok());
        self.0.read(|connection| {
            let abandoned = self.0.is_abandoned(connection, submission)?;
            let found = format!(
                "FROM ({}) AS found JOIN item ON item.submission = ?1 AND item.number = found.number AND {}
                 JOIN row ON row.submission = ?1 AND row.item = found.number",
                history::FOUND.replace("?2", "?4").replace("?3", "?5"),
                result_condition("CAST(?6 AS TEXT)", result, abandoned)
            );
            let result = result.map(RowResult::word);
            let given = params![submission, limit, offset, pattern, number, result];
            let count = format!("SELECT COUNT(*) {found} AND CAST(?2 AS BIGINT) >= 0 AND CAST(?3 AS BIGINT) >= 0");
            let total = connection.prepare_cached(&count)?.query_row(given, |row| row.get(0))?;
            let inner = format!("SELECT row.* {found} ORDER BY found.number, row.sheet, row.row");
            let mut statement = connection.prepare_cached(&page(&inner, SENT))?;
            let rows = collect(statement.query(given)?, false)?;
            Ok(RowPage { total, rows: if abandoned { rows.into_iter().map(row_as_left).collect() } else { rows } })
        })
    }

    /// The rows behind a given one, by sheet and number: to walk all of them without holding them, or the file, for long.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn after(
        &self,
        submission: SubmissionId,
        after: Option<(&str, u32)>,
        limit: u32,
    ) -> Result<Vec<StoredRow>, JournalError> {
        let (sheet, row) = after.unwrap_or(("", 0));
        self.0.read(|connection| {
            let sql = format!(
                "{SELECT}, {BODY} FROM row
                 JOIN item ON item.submission = row.submission AND item.number = row.item{BODY_JOIN}
                 WHERE row.submission = ?1 AND (row.sheet, row.row) > (?2, ?3) ORDER BY row.sheet, row.row LIMIT ?4"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = collect(statement.query(params![submission, sheet, row, limit])?, true)?;
            let abandoned = self.0.is_abandoned(connection, submission)?;
            Ok(if abandoned { rows.into_iter().map(row_as_left).collect() } else { rows })
        })
    }
}

/// A row as it reads where its Takt ended without a word.
fn row_as_left(row: StoredRow) -> StoredRow {
    match row.result {
        RowResult::Sending => StoredRow { result: RowResult::Unconfirmed, reasons: vec![ended_while_sending()], ..row },
        _ => row,
    }
}

/// Which results are meant; the place holds the result's word, or nothing. Where the run is gone, what was being sent is unconfirmed.
pub(crate) fn result_condition(place: &str, result: Option<RowResult>, abandoned: bool) -> String {
    match result {
        Some(RowResult::Unconfirmed) if abandoned => format!("item.result IN ({place}, 'sending')"),
        Some(RowResult::Sending) if abandoned => format!("{place} IS NULL"),
        // The word stands in the statement itself: SQLite uses a partial index only where it sees the index's own condition.
        Some(noted @ (RowResult::Rejected | RowResult::Unconfirmed)) => {
            format!("item.result /* noted */ = '{}' AND {place} IS NOT NULL", noted.word())
        }
        Some(_) => format!("item.result = {place}"),
        None => format!("{place} IS NULL"),
    }
}

fn collect(mut found: FoundRows<'_>, bodies: bool) -> Result<Vec<StoredRow>, JournalError> {
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        rows.push(read(row, bodies)?);
    }
    Ok(rows)
}

fn read(row: Row<'_>, bodies: bool) -> Result<StoredRow, JournalError> {
    let reasons: Option<String> = row.get(5)?;
    let settled: Option<String> = row.get(7)?;
    let change: Option<String> = row.get(8)?;
    let body: Option<String> = if bodies { Some(row.get(9)?) } else { None };
    Ok(StoredRow {
        sheet: row.get(0)?,
        row: row.get(1)?,
        item: row.get(2)?,
        key: row.get(3)?,
        result: RowResult::from_word(&row.get::<_, String>(4)?)?,
        reasons: reasons_read(reasons.as_deref())?,
        batch: row.get(6)?,
        body: body.as_deref().map(serde_json::from_str).transpose()?,
        settled: settled.as_deref().map(str::parse).transpose()?,
        change: change.as_deref().map(Change::from_word).transpose()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_leads_to_what_people_look_at() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("journal.db");
        drop(Journal::open(&path).unwrap());
        let file = rusqlite::Connection::open(&path).unwrap();
        let plan = |sql: &str| {
            let mut statement = file.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let (mut rows, mut steps) = (statement.raw_query(), String::new());
            while let Some(row) = rows.next().unwrap() {
                steps += &row.get::<_, String>(3).unwrap();
                steps.push('\n');
            }
            steps
        };
        for result in [RowResult::Rejected, RowResult::Unconfirmed] {
            let steps = plan(&page(&of_result(result, false), SENT));
            assert!(steps.contains("item_noted"), "{steps}");
        }
        let steps = plan(history::FOUND);
        assert!(steps.contains("item_noted") && steps.contains("item_by_key"), "{steps}");
    }
}
