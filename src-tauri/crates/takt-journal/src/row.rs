//! The rows and items of submissions with their results, page by page.

use std::collections::HashSet;

use serde_json::Value;

use crate::abandoned::ended_while_sending;
use crate::database::{Connection, DatabaseError, OptionalExtension, Parameters, Row, Rows as FoundRows, params};
use crate::item_body::{BODY, BODY_JOIN};
use crate::result::parse_reasons;
use crate::{Change, Journal, JournalError, Reason, RowResult, StoredWord, SubmissionId, history, plan};

/// A row of a submission, with the result of its item.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRow {
    pub sheet: String,
    pub row: u32,
    /// The number of its item, which all rows of a group share.
    pub item: u32,
    pub key: String,
    pub result: RowResult,
    pub reasons: Vec<Reason>,
    /// The number of the last request that contained the row.
    pub batch: Option<u32>,
    /// The body of the row's item. Only [`Rows::after`] sets it.
    pub body: Option<Value>,
    /// The end of the last request that contained the row.
    pub settled: Option<jiff::Timestamp>,
    /// The result of the change preview for its item.
    pub change: Option<Change>,
}

/// An item with its body, its previous value and its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemDetail {
    pub number: u32,
    pub key: String,
    pub body: Value,
    /// The service's value before the item was sent, in the request's shape.
    pub before: Option<Value>,
    /// The keys of some neighboring rows before the item was deleted.
    pub neighbors: Vec<String>,
    pub change: Option<Change>,
    pub reasons: Vec<Reason>,
    /// The number of attempts with an unknown effect.
    pub unknown_attempts: u32,
    /// The sheets and row numbers, as Excel shows them.
    pub rows: Vec<(String, u32)>,
}

/// A page of a submission's rows.
#[derive(Debug, Clone, PartialEq)]
pub struct RowPage {
    /// The number of matching rows on all pages.
    pub total: u32,
    pub rows: Vec<StoredRow>,
}

const SELECT_ROWS: &str = "SELECT row.sheet, row.row, item.number, item.key, item.result, item.reasons, item.batch,
    (SELECT ended FROM attempt WHERE attempt.submission = item.submission AND attempt.batch = item.batch),
    item.change";

/// The order in which requests contain rows: by item, then by sheet and row.
const SENDING_ORDER: &str = "item.number, row.sheet, row.row";

/// Returns the statement for a page of rows. The rows before the page are skipped with indexes only, so that late pages
/// are as fast as early ones. In a team's database, this holds only for rejected or unconfirmed rows (`postgres-7`).
fn page_statement(inner: &str, order: &str) -> String {
    format!(
        "{SELECT_ROWS} FROM ({inner} LIMIT ?2 OFFSET ?3) AS row
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

/// Queries on the rows and items of submissions: see [`Journal::rows`].
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
    /// Returns a page of rows: all rows by sheet and number, or the rows with one result in the order of sending. Empty
    /// if the submission was purged.
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
        let total = result.map_or(record.total, |result| record.counts.count(result));
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

    /// Returns rows whose key or reasons contain the text, or whose row number it is, in the order of sending. `result`
    /// restricts them to one result.
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

    /// Returns the next rows after `after`, by sheet and number. Repeated calls visit all rows without loading them at
    /// once or blocking the file.
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
                "{SELECT_ROWS}, {BODY} FROM row
                 JOIN item ON item.submission = row.submission AND item.number = row.item{BODY_JOIN}
                 WHERE row.submission = ?1 AND (row.sheet, row.row) > (?2, ?3) ORDER BY row.sheet, row.row LIMIT ?4"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = read_rows(statement.query(params![submission, sheet, row, limit])?, true)?;
            let abandoned = self.0.is_abandoned(connection, submission)?;
            Ok(if abandoned { rows.into_iter().map(abandoned_row).collect() } else { rows })
        })
    }
    /// Returns the next items that have this result and a number greater than `after`, in order. Repeated calls visit
    /// all of them without loading them at once.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn item_details(
        &self,
        submission: SubmissionId,
        result: RowResult,
        after: u32,
        at_most: u32,
    ) -> Result<Vec<ItemDetail>, JournalError> {
        self.0.read(|connection| {
            let is_noted = matches!(result, RowResult::Rejected | RowResult::Unconfirmed);
            let column = if is_noted { "result /* noted */" } else { "result" };
            // The word is part of the statement, because SQLite uses a partial index only if it finds the index's
            // condition.
            let word = result.word();
            let condition = format!("{column} = '{word}' AND number > ?2 ORDER BY number LIMIT ?3");
            read_item_details(connection, submission, &condition, params![submission, after, at_most])
        })
    }

    /// Returns the item with this number, or none if the submission has no such item.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn item_detail(&self, submission: SubmissionId, number: u32) -> Result<Option<ItemDetail>, JournalError> {
        self.0.read(|connection| {
            Ok(read_item_details(connection, submission, "number = ?2", params![submission, number])?.pop())
        })
    }

    /// Returns the number of pending rows for each result of the change preview.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn pending_by_change(&self, submission: SubmissionId) -> Result<Vec<(Option<Change>, u32)>, JournalError> {
        self.0.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT change, CAST(SUM(rows) AS BIGINT) FROM item WHERE submission = ?1 AND result = 'pending'
                 GROUP BY change ORDER BY change",
            )?;
            let found = statement.query_map([submission], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let found: Vec<(Option<String>, u32)> = found.collect::<Result<_, DatabaseError>>()?;
            found
                .into_iter()
                .map(|(word, rows)| Ok((word.as_deref().map(Change::from_word).transpose()?, rows)))
                .collect()
        })
    }

    /// Returns the number of rows that were skipped for a reason with this code.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn count_skipped(&self, submission: SubmissionId, code: &str) -> Result<u32, JournalError> {
        let reason = format!("%\"code\":\"{code}\"%");
        self.0.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT CAST(COALESCE(SUM(rows), 0) AS BIGINT) FROM item
                 WHERE submission = ?1 AND result = 'skipped' AND reasons LIKE ?2",
            )?;
            Ok(statement.query_row(params![submission, reason], |row| row.get(0))?)
        })
    }

    /// Returns the number of accepted rows that an undo may restore. Their previous values are stored, and sending them
    /// was expected to change something. Rows that an earlier undo has restored don't count, unless it was undone.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn count_restorable(&self, submission: SubmissionId) -> Result<u32, JournalError> {
        self.0.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT COALESCE(SUM(item.rows), 0) FROM before
                 JOIN item ON item.submission = before.submission AND item.number = before.item
                 WHERE before.submission = ?1 AND item.result = 'accepted' AND (item.change IS NULL OR item.change <> 'same')
                     AND NOT EXISTS (
                         SELECT 1 FROM submission AS undo
                         JOIN row AS restored ON restored.submission = undo.id
                         JOIN item AS sent ON sent.submission = undo.id AND sent.number = restored.item
                         JOIN row AS own ON own.sheet = restored.sheet AND own.row = restored.row
                         WHERE undo.follows = ?1 AND undo.relation = 'undo' AND sent.result = 'accepted'
                             AND NOT EXISTS (
                                 SELECT 1 FROM submission AS redo WHERE redo.follows = undo.id AND redo.relation = 'undo')
                             AND own.submission = item.submission AND own.item = item.number)",
            )?;
            Ok(statement.query_row([submission], |row| row.get(0))?)
        })
    }

    /// Returns the number of the item that a row belongs to, or none if the submission has no such row.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn find_item(&self, submission: SubmissionId, sheet: &str, row: u32) -> Result<Option<u32>, JournalError> {
        self.0.read(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT item FROM row WHERE submission = ?1 AND sheet = ?2 AND row = ?3")?;
            Ok(statement.query_row(params![submission, sheet, row], |found| found.get(0)).optional()?)
        })
    }

    /// Returns the last body that the service accepted for a key in an earlier submission of the same operation to the
    /// same site.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn last_accepted_body(&self, submission: SubmissionId, key: &str) -> Result<Option<Value>, JournalError> {
        self.0.read(|connection| {
            let sql = format!("SELECT {BODY} FROM submission AS own
                 JOIN submission AS other ON other.operation = own.operation AND other.site = own.site AND other.id < own.id
                 JOIN item ON item.submission = other.id AND item.key = ?2 AND item.result = 'accepted'{BODY_JOIN}
                 WHERE own.id = ?1 ORDER BY other.id DESC LIMIT 1");
            let mut statement = connection.prepare_cached(&sql)?;
            let found: Option<String> = statement.query_row(params![submission, key], |row| row.get(0)).optional()?;
            Ok(found.as_deref().map(serde_json::from_str).transpose()?)
        })
    }

    /// Returns the keys of items that the service accepted in later submissions of the same operation to the same site.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn keys_accepted_later(&self, submission: SubmissionId) -> Result<HashSet<String>, JournalError> {
        self.0.read(|connection| plan::keys_accepted_since(connection, submission))
    }

    /// Returns the sheets and rows that the service accepted in retries of the submission, or in retries of these.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn accepted_in_retries(&self, submission: SubmissionId) -> Result<HashSet<(String, u32)>, JournalError> {
        self.0.read(|connection| {
            let sql = "WITH RECURSIVE retries (id) AS (
                     SELECT id FROM submission WHERE follows = ?1 AND relation = 'retry'
                     UNION SELECT later.id FROM retries
                         JOIN submission AS later ON later.follows = retries.id AND later.relation = 'retry')
                 SELECT placed.sheet, placed.row FROM retries
                 JOIN item ON item.submission = retries.id AND item.result = 'accepted'
                 JOIN row AS placed ON placed.submission = item.submission AND placed.item = item.number";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([submission], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<Result<_, DatabaseError>>()?)
        })
    }
}

/// Returns the row as unconfirmed if it was being sent, because the process that sent it has ended.
fn abandoned_row(row: StoredRow) -> StoredRow {
    match row.result {
        RowResult::Sending => StoredRow { result: RowResult::Unconfirmed, reasons: vec![ended_while_sending()], ..row },
        _ => row,
    }
}

/// Returns the SQL condition on an item's result. The caller binds the placeholder to the result's word, or to null for
/// all results. In an abandoned submission, `sending` is treated as unconfirmed.
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

/// Reads the items of a submission that meet a condition.
fn read_item_details(
    connection: &Connection<'_>,
    submission: SubmissionId,
    condition: &str,
    values: impl Parameters,
) -> Result<Vec<ItemDetail>, JournalError> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT number, key, {BODY}, before.body, before.neighbors, change, reasons, unknown_attempts
         FROM item{BODY_JOIN}
         LEFT JOIN before ON before.submission = item.submission AND before.item = item.number
         WHERE item.submission = ?1 AND {condition}"
    ))?;
    let mut row_statement = connection
        .prepare_cached("SELECT sheet, row FROM row WHERE submission = ?1 AND item = ?2 ORDER BY sheet, row")?;
    let mut found = statement.query(values)?;
    let mut items = Vec::new();
    while let Some(row) = found.next()? {
        let mut item = item_from_row(row)?;
        item.rows = row_statement
            .query_map(params![submission, item.number], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?;
        items.push(item);
    }
    Ok(items)
}

fn item_from_row(row: Row<'_>) -> Result<ItemDetail, JournalError> {
    let (body, before, neighbors): (String, Option<String>, Option<String>) = (row.get(2)?, row.get(3)?, row.get(4)?);
    let (change, reasons): (Option<String>, Option<String>) = (row.get(5)?, row.get(6)?);
    Ok(ItemDetail {
        number: row.get(0)?,
        key: row.get(1)?,
        body: serde_json::from_str(&body)?,
        before: before.as_deref().map(serde_json::from_str).transpose()?,
        neighbors: neighbors.as_deref().map(serde_json::from_str).transpose()?.unwrap_or_default(),
        change: change.as_deref().map(Change::from_word).transpose()?,
        reasons: parse_reasons(reasons.as_deref())?,
        unknown_attempts: row.get(7)?,
        rows: Vec::new(),
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
