//! The journal's records as the window sees them.

use takt_core::ExcelRow;
use takt_journal::{
    Journal, JournalError, RowResult, SubmissionId, SubmissionRecord, SubmissionState, attempt::AttemptRecord,
    row::StoredRow,
};

use super::{ApprovalView, BatchView, ResultRow, SubmissionView, result_reason};
use takt_core::{Problem, Words};

/// Batches in [`SubmissionView::recent`].
const RECENT: u32 = 200;

/// What only the run itself knows.
#[derive(Debug, Clone, Default)]
pub(super) struct LiveState {
    pub(super) rate: Option<f64>,
    pub(super) waiting_until: Option<jiff::Timestamp>,
    pub(super) problem: Option<Problem>,
    pub(super) finding_out: bool,
}

pub(super) fn view(
    journal: &Journal,
    id: SubmissionId,
    (live, person): (Option<&LiveState>, &str),
) -> Result<SubmissionView, JournalError> {
    let (record, attempts) = journal.standing(id, RECENT)?;
    let waiting = if record.counts.pending > 0 { journal.plans().waiting(id)? } else { 0 };
    let approval = journal.plans().approvals().of(record.plan)?;
    let approval = approval.map(|approval| ApprovalView::of(approval, person));
    Ok(SubmissionView { waiting, approval, ..of(record, &attempts, live) })
}

pub(super) fn of(record: SubmissionRecord, attempts: &[AttemptRecord], live: Option<&LiveState>) -> SubmissionView {
    let seconds = milliseconds(record.active_milliseconds) / 1_000.0;
    let rate = live.map_or_else(|| average(&record, seconds), |live| live.rate);
    let open = record.counts.pending + record.counts.sending;
    let runs = record.state == SubmissionState::Running;
    let open_attempts = attempts.iter().filter(|attempt| attempt.ended.is_none()).count();
    let under_way = u32::try_from(open_attempts).unwrap_or(u32::MAX).max(u32::from(record.counts.sending > 0));
    SubmissionView {
        id: record.id,
        batches: record.batches + under_way + record.pending_items.div_ceil(record.batch_size),
        requests: record.requests + under_way,
        started: record.started.to_string(),
        ended: record.ended.map(|ended| ended.to_string()),
        state: record.state,
        total: record.total,
        items: record.items,
        counts: record.counts,
        seconds,
        rate,
        remaining_seconds: rate.filter(|rate| runs && *rate > 0.0).map(|rate| f64::from(open) / rate),
        recent: attempts.iter().map(batch).collect(),
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
        person: record.person,
        operation: record.operation,
        site: record.site,
        file: record.file,
        hash: record.hash,
        sheet: record.sheet,
    }
}

pub(crate) fn row(words: &Words, row: &StoredRow) -> ResultRow {
    let mut reasons: Vec<String> = row.reasons.iter().map(|reason| result_reason::text(words, reason)).collect();
    if row.result == RowResult::Skipped && reasons.is_empty() {
        reasons.push(words.text(&["resultReason", result_reason::LEFT_OUT], &std::collections::BTreeMap::new()));
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

fn batch(attempt: &AttemptRecord) -> BatchView {
    BatchView {
        number: attempt.batch,
        counts: attempt.counts,
        status: attempt.status,
        milliseconds: attempt.milliseconds,
    }
}

/// A problem that a newer Takt wrote down may not be readable; the state says enough then.
fn stored_problem(record: &SubmissionRecord) -> Option<Problem> {
    serde_json::from_value(record.problem.clone()?).ok()
}

/// Over the whole time of sending.
fn average(record: &SubmissionRecord, seconds: f64) -> Option<f64> {
    let settled = record.counts.accepted + record.counts.rejected + record.counts.unconfirmed;
    (settled > 0 && seconds > 0.0).then(|| f64::from(settled) / seconds)
}

#[expect(clippy::cast_precision_loss, reason = "a run that long is past caring for a millisecond")]
fn milliseconds(count: u64) -> f64 {
    count as f64
}
