//! Finds submissions about an order: those with rows whose keys contain its code.

use serde::{Deserialize, Serialize};

use super::{naming::KEY_SEPARATOR, order_rows::Orders, parts::lists};
use takt_core::Problem;
use takt_submit::{
    history::HistoryQuery,
    submission::{ResultRow, SubmissionView},
};

/// The most submissions that are searched, newest first, and the most rows in each.
const MAX_SUBMISSIONS: u32 = 200;
const MAX_ROWS: u32 = 1_000;

/// A submission with rows of an order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OrderSubmission {
    pub submission: SubmissionView,
    /// The rows of the order.
    pub rows: Vec<ResultRow>,
}

impl Orders {
    /// Returns the submissions to a site with rows of an order, newest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the history can't be read.
    pub fn submissions_about(&self, site: &str, code: &str) -> Result<Vec<OrderSubmission>, Problem> {
        let query =
            HistoryQuery { text: Some(code.to_owned()), site: Some(site.to_owned()), ..HistoryQuery::default() };
        let keys = lists(&self.contract).keys;
        let mut submissions = Vec::new();
        for submission in self.history.list(&query, 0, MAX_SUBMISSIONS)?.submissions {
            let Some(positions) = keys.get(&submission.operation) else { continue };
            let is_of_order = |row: &ResultRow| {
                let parts: Vec<&str> = row.key.split(KEY_SEPARATOR).collect();
                positions.iter().any(|&position| parts.get(position as usize) == Some(&code))
            };
            let rows = self.submissions.rows_found(submission.id, None, code, 0, MAX_ROWS)?.rows;
            let rows: Vec<ResultRow> = rows.into_iter().filter(is_of_order).collect();
            if !rows.is_empty() {
                submissions.push(OrderSubmission { submission, rows });
            }
        }
        Ok(submissions)
    }
}
