//! The views of submissions for the window and the command line, and how they are created from the journal's records.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use takt_core::{ExcelRow, Problem, RowResult, Words};
use takt_journal::{
    Journal, JournalError, PlanId, Relation, ResultCounts, SubmissionId, SubmissionRecord, SubmissionState,
    approval::{Approval, ApprovalDecision},
    attempt::AttemptRecord,
    row::StoredRow,
};

use takt_sites::Sites;

use super::practice_plant;
use crate::result_reason;

/// Limits [`SubmissionView::recent`].
const MAX_RECENT_BATCHES: u32 = 200;

/// The results of one request.
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
    /// The number of rows, including skipped ones.
    pub total: u32,
    /// The number of items. If it is equal to `total`, each row is an item.
    pub items: u32,
    pub counts: ResultCounts,
    /// The sent requests, and the requests planned for pending items.
    pub batches: u32,
    pub requests: u32,
    /// The seconds of sending, without pauses.
    pub seconds: f64,
    /// The rows per second over the last requests. Absent before the first response.
    pub rate: Option<f64>,
    pub remaining_seconds: Option<f64>,
    /// The last batches, at most 200. The newest is last.
    pub recent: Vec<BatchView>,
    /// The reason why the submission is interrupted or waits.
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
    pub follows: Option<SubmissionId>,
    /// The reason why this submission follows the other one.
    pub relation: Option<Relation>,
    /// For a trial run, the number of the last item that may be sent until the submission is resumed.
    pub trial: Option<u32>,
    /// The time when the rows and requests were purged because of their age. The counts remain.
    pub purged: Option<String>,
    /// The approval of its plan by a second person. Absent if none is needed.
    pub approval: Option<ApprovalView>,
    /// Whether it went to a practice plant that was reset since or runs elsewhere. Then it can't be resumed, checked,
    /// retried or undone.
    pub plant_gone: bool,
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
    pub(super) fn new(approval: Approval, person: &str) -> Self {
        let is_own = approval.is_requested_by(person);
        let Approval { rows, deletes, requested_at: asked, requested_by: asked_by, outcome, .. } = approval;
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
    /// Equals the number of the plan's first submission.
    pub id: PlanId,
    /// Whether this process is sending the plan.
    pub running: bool,
    /// In the plan's order.
    pub submissions: Vec<SubmissionView>,
}

impl PlanView {
    /// Returns the rows by result, of all steps together.
    #[must_use]
    pub fn counts(&self) -> ResultCounts {
        self.submissions.iter().map(|view| view.counts).sum()
    }

    /// Returns whether every row has a final result.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.counts().open() == 0
    }

    /// Returns whether there are pending rows that wait for no other row.
    #[must_use]
    pub fn has_rows_to_send(&self) -> bool {
        self.submissions.iter().any(|view| view.counts.pending > view.waiting)
    }
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
    /// Whether the row was skipped because there was nothing to delete.
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
    /// Returns whether a second person has yet to approve the submission, or has declined it.
    #[must_use]
    pub fn needs_approval(&self) -> bool {
        self.approval.as_ref().is_some_and(|approval| approval.decision != Some(ApprovalDecision::Approved))
    }

    /// Returns whether the only pending rows wait for rows of earlier steps that weren't accepted.
    #[must_use]
    pub fn only_waits(&self) -> bool {
        self.waiting > 0 && self.counts.pending == self.waiting
    }

    /// Returns whether every row was accepted, needed no change, or was skipped by choice.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.counts.accepted + self.counts.skipped == self.total && self.not_linked == 0
    }
}

/// The state of a run that isn't stored in the journal.
#[derive(Debug, Clone, Default)]
pub(super) struct LiveState {
    pub(super) rate: Option<f64>,
    pub(super) waiting_until: Option<jiff::Timestamp>,
    pub(super) problem: Option<Problem>,
    pub(super) finding_out: bool,
}

pub(super) fn read_view(
    sites: &Sites,
    journal: &Journal,
    id: SubmissionId,
    live: Option<&LiveState>,
    person: &str,
) -> Result<SubmissionView, JournalError> {
    let (record, attempts) = journal.load_with_attempts(id, MAX_RECENT_BATCHES)?;
    let waiting = if record.counts.pending > 0 { journal.plans().count_waiting_rows(id)? } else { 0 };
    let approval = journal.plans().approvals().find(record.plan)?;
    let approval = approval.map(|approval| ApprovalView::new(approval, person));
    Ok(SubmissionView { waiting, approval, ..submission_view(sites, record, &attempts, live) })
}

pub(super) fn submission_view(
    sites: &Sites,
    record: SubmissionRecord,
    attempts: &[AttemptRecord],
    live: Option<&LiveState>,
) -> SubmissionView {
    let seconds = to_f64(record.active_milliseconds) / 1_000.0;
    let rate = live.map_or_else(|| average_rate(&record, seconds), |live| live.rate);
    let open = record.counts.pending + record.counts.sending;
    let is_running = record.state == SubmissionState::Running;
    let open_attempts = attempts.iter().filter(|attempt| attempt.ended.is_none()).count();
    let in_flight = u32::try_from(open_attempts).unwrap_or(u32::MAX).max(u32::from(record.counts.sending > 0));
    SubmissionView {
        id: record.id,
        batches: record.batches + in_flight + record.pending_items.div_ceil(record.batch_size),
        requests: record.requests + in_flight,
        started: record.started.to_string(),
        ended: record.ended.map(|ended| ended.to_string()),
        state: record.state,
        total: record.total,
        items: record.items,
        counts: record.counts,
        seconds,
        rate,
        remaining_seconds: rate.filter(|rate| is_running && *rate > 0.0).map(|rate| f64::from(open) / rate),
        recent: attempts.iter().map(batch_view).collect(),
        problem: live.and_then(|live| live.problem.clone()).or_else(|| stored_problem(&record)),
        waiting_until: live.and_then(|live| live.waiting_until).map(|until| until.to_string()),
        finding_out: live.is_some_and(|live| live.finding_out),
        plan: record.plan,
        follows: record.follows.map(|follows| follows.submission),
        relation: record.follows.map(|follows| follows.relation),
        trial: record.trial,
        purged: record.purged.map(|purged| purged.to_string()),
        waiting: 0,
        not_linked: 0,
        approval: None,
        plant_gone: practice_plant::is_from_former_plant(sites, &record),
        person: record.person,
        operation: record.operation,
        site: record.site,
        file: record.file,
        hash: record.hash,
        sheet: record.sheet,
    }
}

pub(crate) fn result_row(words: &Words, row: &StoredRow) -> ResultRow {
    let mut reasons: Vec<String> = row.reasons.iter().map(|reason| result_reason::reason_text(words, reason)).collect();
    if row.result == RowResult::Skipped && reasons.is_empty() {
        reasons.push(words.text(&["resultReason", result_reason::EXCLUDED_CODE], &BTreeMap::new()));
    }
    ResultRow {
        sheet: row.sheet.clone(),
        row: ExcelRow::new(row.row),
        key: row.key.clone(),
        result: row.result,
        not_linked: row.reasons.iter().any(result_reason::is_not_linked),
        reasons,
        batch: row.batch,
    }
}

fn batch_view(attempt: &AttemptRecord) -> BatchView {
    BatchView {
        number: attempt.batch,
        counts: attempt.counts,
        status: attempt.status,
        milliseconds: attempt.milliseconds,
    }
}

/// Returns the stored problem. Returns `None` if it can't be parsed, for example because a newer version stored it.
fn stored_problem(record: &SubmissionRecord) -> Option<Problem> {
    serde_json::from_value(record.problem.clone()?).ok()
}

/// Returns the average rate over the whole sending time.
fn average_rate(record: &SubmissionRecord, seconds: f64) -> Option<f64> {
    let settled = record.counts.accepted + record.counts.rejected + record.counts.unconfirmed;
    (settled > 0 && seconds > 0.0).then(|| f64::from(settled) / seconds)
}

#[expect(clippy::cast_precision_loss, reason = "a run is far shorter than 2^53 milliseconds")]
fn to_f64(count: u64) -> f64 {
    count as f64
}
