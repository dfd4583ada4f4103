//! What the window and the command line see of a submission.

use super::ApprovalView;
use serde::{Deserialize, Serialize};
use takt_core::ExcelRow;
use takt_core::{Problem, RowResult};
use takt_journal::{PlanId, Relation, ResultCounts, SubmissionId, SubmissionState};

/// One request's worth of items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct BatchView {
    /// 1-based.
    pub number: u32,
    pub counts: ResultCounts,
    /// The answer's HTTP status; absent while sending and where none came.
    pub status: Option<u16>,
    pub milliseconds: Option<u32>,
}

/// Everything about a submission but its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SubmissionView {
    pub id: SubmissionId,
    /// Who sent it: the name of the computer's account; empty where that isn't known.
    pub person: String,
    pub operation: String,
    pub site: String,
    /// The file's name, or empty where the rows came from the window (template cleanup).
    pub file: String,
    pub hash: String,
    pub sheet: String,
    /// ISO 8601 with Z.
    pub started: String,
    pub ended: Option<String>,
    pub state: SubmissionState,
    /// Rows.
    pub total: u32,
    /// Of which its rows make so many: where that is their number, each row is one.
    pub items: u32,
    pub counts: ResultCounts,
    /// Planned batches.
    pub batches: u32,
    pub requests: u32,
    /// Seconds of sending, without pauses.
    pub seconds: f64,
    /// Rows per second over the last requests; absent before the first answer.
    pub rate: Option<f64>,
    pub remaining_seconds: Option<f64>,
    /// The last batches, newest last (at most 200).
    pub recent: Vec<BatchView>,
    /// Why it is interrupted or waits.
    pub problem: Option<Problem>,
    /// Until when it waits for the rate limit; ISO 8601.
    pub waiting_until: Option<String>,
    /// The plan that it is a step of.
    pub plan: PlanId,
    /// Pending rows that wait for rows of earlier steps which weren't accepted.
    pub waiting: u32,
    /// Skipped rows of a delete that weren't there: nothing was deleted.
    pub not_linked: u32,
    /// True while unconfirmed rows are read back.
    pub finding_out: bool,
    /// The submission that it follows, and why.
    pub follows: Option<SubmissionId>,
    pub relation: Option<Relation>,
    /// A trial run: the number of the last item that may be sent before somebody goes on.
    pub trial: Option<u32>,
    /// When its rows and requests were removed because they were old; the counts stay.
    pub purged: Option<String>,
    /// Whether a second person has to approve its plan, and has; absent if none is needed.
    pub approval: Option<ApprovalView>,
}

/// Submissions that go one after the other: the steps of a workbook, or whatever else was sent at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PlanView {
    /// The number of its first submission.
    pub id: PlanId,
    /// True while this process sends it.
    pub running: bool,
    /// In the plan's order.
    pub submissions: Vec<SubmissionView>,
}

/// One row's result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ResultRow {
    pub sheet: String,
    pub row: ExcelRow,
    pub key: String,
    pub result: RowResult,
    /// True if it was skipped because nothing was there to delete.
    pub not_linked: bool,
    /// The service's words (not trusted), or why it is unconfirmed or was skipped.
    pub reasons: Vec<String>,
    pub batch: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ResultPage {
    pub total: u32,
    pub offset: u32,
    pub rows: Vec<ResultRow>,
}

impl SubmissionView {
    /// True if every row was accepted, needed no change, or was left out by choice.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.counts.accepted + self.counts.skipped == self.total && self.not_linked == 0
    }
}

/// Sums over a submission's unconfirmed rows, for a person who decides about all of them at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct UnconfirmedTotals {
    /// The field that is added up.
    pub of: String,
    /// The fields by which the sums are told apart.
    pub by: Vec<String>,
    /// In the order of what tells them apart.
    pub totals: Vec<UnconfirmedTotal>,
    /// Further sums that aren't told.
    pub more: u32,
}

/// What the service should show of one sum. Of unconfirmed rows that didn't arrive, what was accepted last under their keys counts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct UnconfirmedTotal {
    /// The values of the fields by which it is told apart, in their order.
    pub by: Vec<String>,
    /// Unconfirmed rows.
    pub rows: u32,
    pub if_not: f64,
    pub if_arrived: f64,
    /// Unconfirmed items of which nothing was sent before from here: they count as nothing where they didn't arrive.
    pub unknown_before: u32,
}

/// One delete, and the workbook that is kept of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DeletedView {
    /// The workbook's name in its folder.
    pub file: String,
    /// Absent where the journal doesn't know it: then only the workbook is left.
    pub submission: Option<SubmissionId>,
    /// ISO 8601.
    pub started: String,
    pub site: String,
    pub person: String,
    pub total: u32,
    pub counts: ResultCounts,
    pub state: SubmissionState,
    /// Why the workbook isn't as it should be.
    pub problem: Option<Problem>,
}
