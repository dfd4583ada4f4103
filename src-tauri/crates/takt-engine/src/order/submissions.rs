//! What Takt itself sent about an order: submissions with rows whose key has its code.

use serde::{Deserialize, Serialize};

use super::{naming::JOINT, parts::lists};
use crate::order::Orders;
use takt_core::Problem;
use takt_submit::{
    history::HistoryQuery,
    submission::{ResultRow, SubmissionView},
};

/// Submissions that are looked at, newest first, and rows that are looked at in each.
const MAX_SUBMISSIONS: u32 = 200;
const MAX_ROWS: u32 = 1_000;

/// A submission that touched an order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OrderSubmission {
    pub submission: SubmissionView,
    /// Its rows about the order.
    pub rows: Vec<ResultRow>,
}

impl Orders {
    /// The submissions to a site that touched an order, newest first.
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
            let Some(places) = keys.get(&submission.operation) else { continue };
            let is_of_it = |row: &ResultRow| {
                let parts: Vec<&str> = row.key.split(JOINT).collect();
                places.iter().any(|&place| parts.get(place as usize) == Some(&code))
            };
            let rows = self.submissions.rows_found(submission.id, None, code, 0, MAX_ROWS)?.rows;
            let rows: Vec<ResultRow> = rows.into_iter().filter(is_of_it).collect();
            if !rows.is_empty() {
                submissions.push(OrderSubmission { submission, rows });
            }
        }
        Ok(submissions)
    }
}
