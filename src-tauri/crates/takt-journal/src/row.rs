//! Rows and their results, page by page.

use crate::StoredWord;
use crate::database::{Row, Rows as FoundRows, params};
use crate::item_body::{BODY, BODY_JOIN};
use serde_json::Value;

use crate::{
    Change, Journal, JournalError, Reason, RowResult, SubmissionId, abandoned::ended_while_sending, history,
    result::parse_reasons,
};

/// One row of a submission.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRow {
    pub sheet: String,
    pub row: u32,
    /// The number of its item, which all rows of a group share.
    pub item: u32,
    pub key: String,
    pub result: RowResult,
    pub reasons: Vec<Reason>,
    /// The last request that carried it.
    pub batch: Option<u32>,
    /// The body of its item. Only present if all rows are visited.
    pub body: Option<Value>,
    /// The end of the last request that contained the row.
    pub settled: Option<jiff::Timestamp>,
    /// The result of the change preview for its item.
    pub change: Option<Change>,
}

/// A page of a submission's rows.
#[derive(Debug, Clone, PartialEq)]
pub struct RowPage {
    /// The number of rows that pass the filter.
    pub total: u32,
    pub rows: Vec<StoredRow>,
}

const SELECT: &str = "SELECT row.sheet, row.row, item.number, item.key, item.result, item.reasons, item.batch,
    (SELECT ended FROM attempt WHERE attempt.submission = item.submission AND attempt.batch = item.batch),
    item.change";

/// The order in which rows are sent.
const SENDING_ORDER: &str = "item.number, row.sheet, row.row";

/// Returns the statement for a page of rows. The rows before the page are skipped with indexes only, so that late pages
/// are as fast as early ones. In a team's database, this holds only for rejected or unconfirmed rows (`postgres-7`).
fn page_statement(inner: &str, order: &str) -> String {
    format!(
        "{SELECT} FROM ({inner} LIMIT ?2 OFFSET ?3) AS row
         JOIN item ON item.submission = row.submission AND item.number = row.item ORDER BY {order}"
    )
}

/// Returns the statement for the rows with one result. `?4` is the stored word of that result.
pub(crate) fn rows_with_result(result: RowResult, abandoned: bool) -> String {
    format!(
        "SELECT row.* FROM item JOIN row ON row.submission = item.submission AND row.item = item.number
         WHERE item.submission = ?1 AND {} ORDER BY item.number, row.sheet, row.row",
        result_condition("CAST(?4 AS TEXT)", Some(result), abandoned)
    )
}

/// The rows and items of submissions, with their results.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a>(pub(crate) &'a Journal);

impl Journal {
    /// Returns access to the rows and items of submissions.
    #[must_use]
    pub fn rows(&self) -> Rows<'_> {
        Rows(self)
    }
}

impl Rows<'_> {
    /// Returns all rows by sheet and number, or those with one result in the order of sending.
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
                    let mut statement = connection.prepare_cached(&page_statement(inner, "row.sheet, row.row"))?;
                    read_rows(statement.query(params![submission, limit, offset])?, false)?
                }
                Some(result) => {
                    let mut statement = connection
                        .prepare_cached(&page_statement(&rows_with_result(result, abandoned), SENDING_ORDER))?;
                    read_rows(statement.query(params![submission, limit, offset, result.word()])?, false)?
                }
            };
            Ok(if abandoned { rows.into_iter().map(abandoned_row).collect() } else { rows })
        })?;
        Ok(RowPage { total, rows })
    }

    /// Returns rows whose key or reasons contain the text, or that have it as their number, in the order of sending.
    /// `result` restricts them to one result.
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
        let (pattern, number) = (history::contains_pattern(text), text.parse::<u32>().ok());
        self.0.read(|connection| {
            let abandoned = self.0.is_abandoned(connection, submission)?;
            let found = format!(
                "FROM ({}) AS found JOIN item ON item.submission = ?1 AND item.number = found.number AND {}
                 JOIN row ON row.submission = ?1 AND row.item = found.number",
                history::MATCHING_ITEMS.replace("?2", "?4").replace("?3", "?5"),
                result_condition("CAST(?6 AS TEXT)", result, abandoned)
            );
            let result = result.map(RowResult::word);
            let values = params![submission, limit, offset, pattern, number, result];
            let count = format!("SELECT COUNT(*) {found} AND CAST(?2 AS BIGINT) >= 0 AND CAST(?3 AS BIGINT) >= 0");
            let total = connection.prepare_cached(&count)?.query_row(values, |row| row.get(0))?;
            let inner = format!("SELECT row.* {found} ORDER BY found.number, row.sheet, row.row");
            let mut statement = connection.prepare_cached(&page_statement(&inner, SENDING_ORDER))?;
            let rows = read_rows(statement.query(values)?, false)?;
            Ok(RowPage { total, rows: if abandoned { rows.into_iter().map(abandoned_row).collect() } else { rows } })
        })
    }

    /// Returns the rows after a given one, by sheet and number, so that all can be visited without loading them or
    /// blocking the file.
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
            let rows = read_rows(statement.query(params![submission, sheet, row, limit])?, true)?;
            let abandoned = self.0.is_abandoned(connection, submission)?;
            Ok(if abandoned { rows.into_iter().map(abandoned_row).collect() } else { rows })
        })
    }
}

/// Returns a row that was being sent as unconfirmed, because its process has ended.
fn abandoned_row(row: StoredRow) -> StoredRow {
    match row.result {
        RowResult::Sending => StoredRow { result: RowResult::Unconfirmed, reasons: vec![ended_while_sending()], ..row },
        _ => row,
    }
}

/// Returns the condition on an item's result. The placeholder is filled with the result's word, or null for all. In an
/// abandoned submission, `sending` counts as unconfirmed.
pub(crate) fn result_condition(placeholder: &str, result: Option<RowResult>, abandoned: bool) -> String {
    match result {
        Some(RowResult::Unconfirmed) if abandoned => format!("item.result IN ({placeholder}, 'sending')"),
        Some(RowResult::Sending) if abandoned => format!("{placeholder} IS NULL"),
        // The word is part of the statement, because SQLite uses a partial index only if it finds the index's
        // condition.
        Some(noted @ (RowResult::Rejected | RowResult::Unconfirmed)) => {
            format!("item.result /* noted */ = '{}' AND {placeholder} IS NOT NULL", noted.word())
        }
        Some(_) => format!("item.result = {placeholder}"),
        None => format!("{placeholder} IS NULL"),
    }
}

fn read_rows(mut found: FoundRows<'_>, has_body: bool) -> Result<Vec<StoredRow>, JournalError> {
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        rows.push(row_from_result(row, has_body)?);
    }
    Ok(rows)
}

fn row_from_result(row: Row<'_>, has_body: bool) -> Result<StoredRow, JournalError> {
    let reasons: Option<String> = row.get(5)?;
    let settled: Option<String> = row.get(7)?;
    let change: Option<String> = row.get(8)?;
    let body: Option<String> = if has_body { Some(row.get(9)?) } else { None };
    Ok(StoredRow {
        sheet: row.get(0)?,
        row: row.get(1)?,
        item: row.get(2)?,
        key: row.get(3)?,
        result: RowResult::from_word(&row.get::<_, String>(4)?)?,
        reasons: parse_reasons(reasons.as_deref())?,
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
            let steps = plan(&page_statement(&rows_with_result(result, false), SENDING_ORDER));
            assert!(steps.contains("item_noted"), "{steps}");
        }
        let steps = plan(history::MATCHING_ITEMS);
        assert!(steps.contains("item_noted") && steps.contains("item_by_key"), "{steps}");
    }
}
