//! Looking back: submissions found by what people remember of them, their rows by key, their requests, and what followed from them.
//!
//! Everything comes in pages; what is searched through are indexes, so that many submissions and many rows stay quick.

use crate::StoredWord;
use crate::database::{OptionalExtension, SqlValue, params, params_from_iter};
use crate::item_body::{BODY, BODY_JOIN};
use jiff::Timestamp;

use crate::{
    Change, Journal, JournalError, Relation, RowResult, SubmissionId, SubmissionRecord, SubmissionState,
    abandoned::result_as_left,
    attempt::{self, AttemptRecord, Requests, attempt_as_left},
    item::StoredItem,
};

/// What a person remembers of a submission. Absent: whatever it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryFilter {
    /// Part of its file's name, hash, operation, site or person, of a row's key, or of a reason. Its number, too.
    pub text: Option<String>,
    /// Operations whose names people read hold the text.
    pub operations: Vec<String>,
    /// Codes of reasons whose texts hold the text.
    pub codes: Vec<String>,
    pub site: Option<String>,
    pub states: Vec<SubmissionState>,
    /// Only those with unconfirmed rows.
    pub unconfirmed: bool,
    /// Only those with unconfirmed rows or still to be sent.
    pub unsettled: bool,
    /// Started at this moment or later.
    pub since: Option<Timestamp>,
    /// Started before this moment.
    pub until: Option<Timestamp>,
}

/// A window onto the submissions that fit, newest first.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryPage {
    pub total: u32,
    pub submissions: Vec<SubmissionRecord>,
}

/// A submission that follows from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Follower {
    pub submission: SubmissionId,
    pub relation: Relation,
}

/// Where a text may stand: in the submission itself, in a row's key, or in a reason. Only the reasons of rows that somebody must look
/// at are worth a search: they are few, an index leads to them, and the counters tell where there are any.
const HOLDS: &str = "(file LIKE ?1 ESCAPE '\\' OR operation LIKE ?1 ESCAPE '\\' OR person LIKE ?1 ESCAPE '\\'
    OR site LIKE ?1 ESCAPE '\\' OR sheet LIKE ?1 ESCAPE '\\' OR hash LIKE ?2 ESCAPE '\\' OR CAST(id AS TEXT) = ?3
    OR EXISTS (SELECT 1 FROM item INDEXED BY item_by_key WHERE item.submission = submission.id AND item.key LIKE ?1 ESCAPE '\\')
    OR (rejected + unconfirmed > 0 AND EXISTS (SELECT 1 FROM item WHERE item.submission = submission.id
        AND (item.result /* noted */ = 'rejected' OR item.result /* noted */ = 'unconfirmed') AND (item.reasons LIKE ?1 ESCAPE '\\'{codes})))
    {operations})";

/// What is being sent may be unconfirmed already: {left} are those whose run is gone.
const DOUBTFUL: &str = "(unconfirmed > 0 OR (sending > 0 AND id IN ({left})))";

impl Journal {
    /// Newest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn history(&self, filter: &HistoryFilter, offset: u32, limit: u32) -> Result<HistoryPage, JournalError> {
        let (condition, given) = condition(filter);
        self.read(|connection| {
            let (there, left) = (self.there(connection)?, self.left_sending(connection)?);
            let condition = condition.replace("{left}", &left);
            let count = format!("SELECT COUNT(*) FROM submission WHERE {there} AND {condition}");
            let total = connection.prepare_cached(&count)?.query_row(params_from_iter(&given), |row| row.get(0))?;
            let submissions = self.list(connection, &condition, &given, (offset, limit))?;
            Ok(HistoryPage { total, submissions })
        })
    }

    /// What follows directly from it, oldest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn followers(&self, submission: SubmissionId) -> Result<Vec<Follower>, JournalError> {
        self.read(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT id, relation FROM submission WHERE follows = ?1 ORDER BY id")?;
            let mut rows = statement.query([submission])?;
            let mut followers = Vec::new();
            while let Some(row) = rows.next()? {
                let relation: Option<String> = row.get(1)?;
                if let Some(relation) = relation {
                    followers.push(Follower { submission: row.get(0)?, relation: Relation::from_word(&relation)? });
                }
            }
            Ok(followers)
        })
    }

    /// Rows by what the change preview said of their items, and by result.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn changes(&self, submission: SubmissionId) -> Result<Vec<(Option<Change>, RowResult, u32)>, JournalError> {
        self.read(|connection| {
            let abandoned = self.is_abandoned(connection, submission)?;
            let sql = "SELECT change, result, SUM(rows) FROM item WHERE submission = ?1 GROUP BY change, result";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([submission])?;
            let mut changes = Vec::new();
            while let Some(row) = rows.next()? {
                let change: Option<String> = row.get(0)?;
                let change = change.as_deref().map(Change::from_word).transpose()?;
                let result = RowResult::from_word(&row.get::<_, String>(1)?)?;
                changes.push((change, if abandoned { result_as_left(result) } else { result }, row.get(2)?));
            }
            Ok(changes)
        })
    }
}

impl Requests<'_> {
    /// Requests, newest first, and how many there are.
    ///
    /// # Errors
    ///
    /// - [`JournalError::UnknownSubmission`]: there is no such submission.
    /// - A [read error](crate::JournalError#reading): the requests can't be read.
    pub fn page(
        &self,
        submission: SubmissionId,
        offset: u32,
        limit: u32,
    ) -> Result<(u32, Vec<AttemptRecord>), JournalError> {
        self.0.read(|connection| {
            let total = connection
                .prepare_cached("SELECT attempts FROM submission WHERE id = ?1")?
                .query_row([submission], |row| row.get(0))
                .optional()?
                .ok_or(JournalError::UnknownSubmission(submission))?;
            let sql = "SELECT * FROM attempt WHERE submission = ?1 ORDER BY batch DESC LIMIT ?2 OFFSET ?3";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query(params![submission, limit, offset])?;
            let mut requests = Vec::new();
            while let Some(row) = rows.next()? {
                requests.push(attempt::record(row)?);
            }
            if self.0.is_abandoned(connection, submission)? {
                requests = requests.into_iter().map(attempt_as_left).collect();
            }
            Ok((total, requests))
        })
    }

    /// One request. Nothing where there is none of that number.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn get(&self, submission: SubmissionId, batch: u32) -> Result<Option<AttemptRecord>, JournalError> {
        self.0.read(|connection| {
            let sql = "SELECT * FROM attempt WHERE submission = ?1 AND batch = ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query(params![submission, batch])?;
            let request = rows.next()?.map(attempt::record).transpose()?;
            let abandoned = self.0.is_abandoned(connection, submission)?;
            Ok(if abandoned { request.map(attempt_as_left) } else { request })
        })
    }

    /// The items that a request carried, in its order.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn items_of(&self, submission: SubmissionId, request: &AttemptRecord) -> Result<Vec<StoredItem>, JournalError> {
        self.0.read(|connection| {
            let sql = format!(
                "SELECT key, {BODY}, unknown_attempts FROM item{BODY_JOIN} WHERE item.submission = ?1 AND number = ?2"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let numbers = attempt::numbers(&request.numbers);
            let item = |number| {
                Ok(statement.query_row(params![submission, number], |row| {
                    Ok(StoredItem { number, key: row.get(0)?, body: row.get(1)?, unknown_attempts: row.get(2)? })
                })?)
            };
            numbers.map(item).collect()
        })
    }
}

/// The filter as SQL with what its places are filled with, 1-based.
pub(crate) fn condition(filter: &HistoryFilter) -> (String, Vec<SqlValue>) {
    let mut parts = Vec::new();
    let mut given = Vec::new();
    let mut place = |value: String| {
        given.push(SqlValue::Text(value));
        format!("?{}", given.len())
    };
    if let Some(text) = filter.text.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        place(pattern(text));
        place(format!("{}%", escaped(&text.to_lowercase())));
        place(text.trim_start_matches('#').to_owned());
        let codes: Vec<String> =
            filter.codes.iter().map(|code| format!(" OR item.reasons LIKE {}", place(coded(code)))).collect();
        let operations: Vec<String> = filter.operations.iter().map(|operation| place(operation.clone())).collect();
        let operations = match operations.as_slice() {
            [] => String::new(),
            places => format!("OR operation IN ({})", places.join(", ")),
        };
        parts.push(HOLDS.replace("{codes}", &codes.concat()).replace("{operations}", &operations));
    }
    if let Some(site) = &filter.site {
        parts.push(format!("site = {}", place(site.clone())));
    }
    if !filter.states.is_empty() {
        let states: Vec<String> = filter.states.iter().map(|state| place(state.word().to_owned())).collect();
        parts.push(format!("CASE WHEN preparing THEN 'preparing' ELSE state END IN ({})", states.join(", ")));
    }
    if let Some(since) = filter.since {
        parts.push(format!("julianday(started) >= julianday({})", place(since.to_string())));
    }
    if let Some(until) = filter.until {
        parts.push(format!("julianday(started) < julianday({})", place(until.to_string())));
    }
    if filter.unconfirmed {
        parts.push(DOUBTFUL.to_owned());
    }
    if filter.unsettled {
        parts.push("unconfirmed + pending + sending > 0".to_owned());
    }
    if parts.is_empty() {
        parts.push("TRUE".to_owned());
    }
    (parts.join(" AND "), given)
}

/// Rows whose key, or whose reasons, hold a text, and the row of the submission's own sheet with that number.
pub(crate) const FOUND: &str =
    "SELECT number FROM item INDEXED BY item_by_key WHERE submission = ?1 AND key LIKE ?2 ESCAPE '\\'
    UNION SELECT number FROM item INDEXED BY item_noted WHERE submission = ?1
        AND (result /* noted */ = 'rejected' OR result /* noted */ = 'unconfirmed')
        AND reasons LIKE ?2 ESCAPE '\\'
    UNION SELECT item FROM row WHERE submission = ?1 AND row.row = ?3
        AND sheet = (SELECT sheet FROM submission WHERE id = ?1)";

pub(crate) fn pattern(text: &str) -> String {
    format!("%{}%", escaped(text))
}

/// As [`crate::Reason`] is kept.
fn coded(code: &str) -> String {
    format!("%\"code\":\"{code}\"%")
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_types_is_no_pattern() {
        assert_eq!(pattern(r"50%_a\b"), r"%50\%\_a\\b%");
    }
}
