//! The views of submissions for the window and the command line.

use serde::{Deserialize, Serialize};
use takt_core::ExcelRow;
use takt_core::{Problem, RowResult};
use takt_journal::{
    PlanId, Relation, ResultCounts, SubmissionId, SubmissionState,
    approval::{Approval, ApprovalDecision},
};

/// One request's items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct BatchView {
    /// 1-based.
    pub number: u32,
    pub counts: ResultCounts,
    /// The response's HTTP status. Absent while sending and without a response.
    pub status: Option<u16>,
    pub milliseconds: Option<u32>,
}

/// A submission without its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SubmissionView {
    pub id: SubmissionId,
    /// The account name of the sending person. Empty if unknown.
    pub person: String,
    pub operation: String,
    pub site: String,
    /// The file's name. Empty if the rows come from the window (template cleanup).
    pub file: String,
    pub hash: String,
    pub sheet: String,
    /// ISO 8601 with Z.
    pub started: String,
    pub ended: Option<String>,
    pub state: SubmissionState,
    /// The number of rows.
    pub total: u32,
    /// The number of items. If it is equal to `total`, each row is an item.
    pub items: u32,
    pub counts: ResultCounts,
    /// The planned batches.
    pub batches: u32,
    pub requests: u32,
    /// The seconds of sending, without pauses.
    pub seconds: f64,
    /// The rows per second over the last requests. Absent before the first response.
    pub rate: Option<f64>,
    pub remaining_seconds: Option<f64>,
    /// The last batches, at most 200. The newest is last.
    pub recent: Vec<BatchView>,
    /// The reason why it is interrupted or waits.
    pub problem: Option<Problem>,
    /// The end of a wait for the rate limit (ISO 8601).
    pub waiting_until: Option<String>,
    /// The plan that this submission is a step of.
    pub plan: PlanId,
    /// Pending rows that wait for rows of earlier steps that weren't accepted.
    pub waiting: u32,
    /// Skipped rows of a delete that didn't exist.
    pub not_linked: u32,
    /// Whether unconfirmed rows are being read back.
    pub finding_out: bool,
    /// The submission that this one follows, and why.
    pub follows: Option<SubmissionId>,
    pub relation: Option<Relation>,
    /// For a trial run, the number of the last item that may be sent until it is resumed.
    pub trial: Option<u32>,
    /// The time when its rows and requests were purged because of their age. The counts remain.
    pub purged: Option<String>,
    /// The approval of its plan by a second person. Absent if none is needed.
    pub approval: Option<ApprovalView>,
}

/// The approval of a submission's plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalView {
    /// The rows to send, of all steps of the plan.
    pub rows: u32,
    /// Whether a step deletes.
    pub deletes: bool,
    /// ISO 8601 with Z.
    pub asked: String,
    pub asked_by: String,
    /// Whether this desk's person requested the approval, and so can only withdraw it.
    pub is_own: bool,
    /// Absent while the decision is pending.
    pub decision: Option<ApprovalDecision>,
    pub decided: Option<String>,
    pub decided_by: Option<String>,
    /// The second person's note, often empty.
    pub note: String,
}

impl ApprovalView {
    /// Creates the view for this desk's person.
    pub(super) fn of(approval: Approval, person: &str) -> Self {
        let is_own = approval.is_asked_by(person);
        let Approval { rows, deletes, asked, asked_by, outcome, .. } = approval;
        let (decision, decided, decided_by, note) = match outcome {
            Some(outcome) => (Some(outcome.decision), Some(outcome.at.to_string()), Some(outcome.person), outcome.note),
            None => (None, None, None, String::new()),
        };
        Self { rows, deletes, asked: asked.to_string(), asked_by, is_own, decision, decided, decided_by, note }
    }
}

/// The submissions of a plan: the steps of a workbook, or of another request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PlanView {
    /// The number of the first submission.
    pub id: PlanId,
    /// Whether this process is sending it.
    pub running: bool,
    /// In the plan's order.
    pub submissions: Vec<SubmissionView>,
}

/// A row's result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ResultRow {
    pub sheet: String,
    pub row: ExcelRow,
    pub key: String,
    pub result: RowResult,
    /// Whether it was skipped because there was nothing to delete.
    pub not_linked: bool,
    /// The service's messages (not trusted), or why the row is unconfirmed or was skipped.
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
    /// Returns whether every row was accepted, needed no change, or was skipped by choice.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.counts.accepted + self.counts.skipped == self.total && self.not_linked == 0
    }
}

/// Sums over a submission's unconfirmed rows, for a decision about all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct UnconfirmedTotals {
    /// The summed field.
    pub of: String,
    /// The fields by which rows are grouped.
    pub by: Vec<String>,
    /// Sorted by group.
    pub totals: Vec<UnconfirmedTotal>,
    /// The number of sums that aren't listed.
    pub more: u32,
}

/// The expected sum on the service. For rows that didn't arrive, the last accepted values of their keys count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct UnconfirmedTotal {
    /// The group's values of the fields in `by`, in their order.
    pub by: Vec<String>,
    /// The unconfirmed rows.
    pub rows: u32,
    pub if_not: f64,
    pub if_arrived: f64,
    /// Unconfirmed items without an earlier accepted value. They count as 0 if they didn't arrive.
    pub unknown_before: u32,
}

/// A delete and its workbook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DeletedView {
    /// The workbook's file name.
    pub file: String,
    /// Absent if the journal doesn't have it, so that only the workbook remains.
    pub submission: Option<SubmissionId>,
    /// ISO 8601.
    pub started: String,
    pub site: String,
    pub person: String,
    pub total: u32,
    pub counts: ResultCounts,
    pub state: SubmissionState,
    /// The reason why the workbook couldn't be updated.
    pub problem: Option<Problem>,
}
