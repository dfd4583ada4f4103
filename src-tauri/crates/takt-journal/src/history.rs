//! The history: searches submissions, their rows and their requests, and finds the submissions that follow them.
//!
//! Everything is returned in pages and searched through indexes, so that a long history stays fast.

use jiff::Timestamp;

use crate::abandoned::abandoned_result;
use crate::database::{SqlValue, params_from_iter};
use crate::{
    Change, Journal, JournalError, Relation, RowResult, StoredWord, SubmissionId, SubmissionRecord, SubmissionState,
};

/// The filter of a history search. An absent or empty field matches everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryFilter {
    /// A part of the file's or sheet's name, operation, site or person, of a row's key, or of the reason for a rejected
    /// or unconfirmed row. Also the beginning of the file's hash, or the submission's number.
    pub text: Option<String>,
    /// Operations whose displayed names contain `text`. Their submissions match too.
    pub operations: Vec<String>,
    /// Codes of reasons whose displayed texts contain `text`. Rows with these reasons match too.
    pub codes: Vec<String>,
    pub site: Option<String>,
    pub states: Vec<SubmissionState>,
    /// True to find only submissions with unconfirmed rows.
    pub unconfirmed: bool,
    /// True to find only submissions with unconfirmed or unsent rows.
    pub unsettled: bool,
    /// Finds only submissions that were started at this time or later.
    pub since: Option<Timestamp>,
    /// Finds only submissions that were started before this time.
    pub until: Option<Timestamp>,
}

/// A page of the matching submissions, newest first, with their total number.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryPage {
    pub total: u32,
    pub submissions: Vec<SubmissionRecord>,
}

/// A submission that follows another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Follower {
    pub submission: SubmissionId,
    pub relation: Relation,
}

/// The condition that a submission, a row's key or a reason contains the text. Only reasons of rejected and unconfirmed
/// rows are searched: they are few, an index finds them, and the counters show whether there are any.
const TEXT_CONDITION: &str = "(file LIKE ?1 ESCAPE '\\' OR operation LIKE ?1 ESCAPE '\\' OR person LIKE ?1 ESCAPE '\\'
    OR site LIKE ?1 ESCAPE '\\' OR sheet LIKE ?1 ESCAPE '\\' OR hash LIKE ?2 ESCAPE '\\' OR CAST(id AS TEXT) = ?3
    OR EXISTS (SELECT 1 FROM item INDEXED BY item_by_key WHERE item.submission = submission.id AND item.key LIKE ?1 ESCAPE '\\')
    OR (rejected + unconfirmed > 0 AND EXISTS (SELECT 1 FROM item WHERE item.submission = submission.id
        AND (item.result /* noted */ = 'rejected' OR item.result /* noted */ = 'unconfirmed') AND (item.reasons LIKE ?1 ESCAPE '\\'{codes})))
    {operations})";

/// The condition for unconfirmed rows. Rows being sent match too if their submission is abandoned. `{left}` is replaced
/// by the numbers of such submissions.
const UNCONFIRMED_CONDITION: &str = "(unconfirmed > 0 OR (sending > 0 AND id IN ({left})))";

impl Journal {
    /// Returns the submissions that match, newest first.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn history(&self, filter: &HistoryFilter, offset: u32, limit: u32) -> Result<HistoryPage, JournalError> {
        let (condition, values) = filter_condition(filter);
        self.read(|connection| {
            let (visible, abandoned) = (self.visible_condition(connection)?, self.abandoned_while_sending(connection)?);
            let condition = condition.replace("{left}", &abandoned);
            let count = format!("SELECT COUNT(*) FROM submission WHERE {visible} AND {condition}");
            let total = connection.prepare_cached(&count)?.query_row(params_from_iter(&values), |row| row.get(0))?;
            let submissions = self.list(connection, &condition, &values, offset, limit)?;
            Ok(HistoryPage { total, submissions })
        })
    }

    /// Returns the submissions that directly follow the given one, oldest first.
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

    /// Returns the numbers of rows for each combination of change preview and result.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn row_counts_by_change(
        &self,
        submission: SubmissionId,
    ) -> Result<Vec<(Option<Change>, RowResult, u32)>, JournalError> {
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
                changes.push((change, if abandoned { abandoned_result(result) } else { result }, row.get(2)?));
            }
            Ok(changes)
        })
    }
}

/// Returns the filter as SQL, with the values of its placeholders in order.
pub(crate) fn filter_condition(filter: &HistoryFilter) -> (String, Vec<SqlValue>) {
    let mut parts = Vec::new();
    let mut values = Vec::new();
    let mut placeholder = |value: String| {
        values.push(SqlValue::Text(value));
        format!("?{}", values.len())
    };
    if let Some(text) = filter.text.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        placeholder(contains_pattern(text));
        placeholder(format!("{}%", escape_like(&text.to_lowercase())));
        placeholder(text.trim_start_matches('#').to_owned());
        let codes: Vec<String> = filter
            .codes
            .iter()
            .map(|code| format!(" OR item.reasons LIKE {}", placeholder(code_pattern(code))))
            .collect();
        let operations: Vec<String> =
            filter.operations.iter().map(|operation| placeholder(operation.clone())).collect();
        let operations = match operations.as_slice() {
            [] => String::new(),
            places => format!("OR operation IN ({})", places.join(", ")),
        };
        parts.push(TEXT_CONDITION.replace("{codes}", &codes.concat()).replace("{operations}", &operations));
    }
    if let Some(site) = &filter.site {
        parts.push(format!("site = {}", placeholder(site.clone())));
    }
    if !filter.states.is_empty() {
        let states: Vec<String> = filter.states.iter().map(|state| placeholder(state.word().to_owned())).collect();
        parts.push(format!("CASE WHEN preparing THEN 'preparing' ELSE state END IN ({})", states.join(", ")));
    }
    if let Some(since) = filter.since {
        parts.push(format!("julianday(started) >= julianday({})", placeholder(since.to_string())));
    }
    if let Some(until) = filter.until {
        parts.push(format!("julianday(started) < julianday({})", placeholder(until.to_string())));
    }
    if filter.unconfirmed {
        parts.push(UNCONFIRMED_CONDITION.to_owned());
    }
    if filter.unsettled {
        parts.push("unconfirmed + pending + sending > 0".to_owned());
    }
    if parts.is_empty() {
        parts.push("TRUE".to_owned());
    }
    (parts.join(" AND "), values)
}

/// Finds the items with a text in their key or reasons, and the item of the row with that number in the submission's
/// main sheet.
pub(crate) const MATCHING_ITEMS: &str =
    "SELECT number FROM item INDEXED BY item_by_key WHERE submission = ?1 AND key LIKE ?2 ESCAPE '\\'
    UNION SELECT number FROM item INDEXED BY item_noted WHERE submission = ?1
        AND (result /* noted */ = 'rejected' OR result /* noted */ = 'unconfirmed')
        AND reasons LIKE ?2 ESCAPE '\\'
    UNION SELECT item FROM row WHERE submission = ?1 AND row.row = ?3
        AND sheet = (SELECT sheet FROM submission WHERE id = ?1)";

pub(crate) fn contains_pattern(text: &str) -> String {
    format!("%{}%", escape_like(text))
}

/// Returns the pattern for a code in a stored [`crate::Reason`].
fn code_pattern(code: &str) -> String {
    format!("%\"code\":\"{code}\"%")
}

fn escape_like(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_types_is_no_pattern() {
        assert_eq!(contains_pattern(r"50%_a\b"), r"%50\%\_a\\b%");
    }
}
