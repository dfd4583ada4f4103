//! Converts the journal's records to views.

use takt_core::ExcelRow;
use takt_journal::{
    Journal, JournalError, RowResult, SubmissionId, SubmissionRecord, SubmissionState, attempt::AttemptRecord,
    row::StoredRow,
};

use super::{
    runs::LiveState,
    view::{ApprovalView, BatchView, ResultRow, SubmissionView},
};
use crate::result_reason;
use takt_core::{Problem, Words};

/// The most batches in [`SubmissionView::recent`].
const MAX_RECENT_BATCHES: u32 = 200;

pub(super) fn read_view(
    journal: &Journal,
    id: SubmissionId,
    live: Option<&LiveState>,
    person: &str,
) -> Result<SubmissionView, JournalError> {
    let (record, attempts) = journal.load_with_attempts(id, MAX_RECENT_BATCHES)?;
    let waiting = if record.counts.pending > 0 { journal.plans().waiting(id)? } else { 0 };
    let approval = journal.plans().approvals().of(record.plan)?;
    let approval = approval.map(|approval| ApprovalView::of(approval, person));
    Ok(SubmissionView { waiting, approval, ..submission_view(record, &attempts, live) })
}

pub(super) fn submission_view(
    record: SubmissionRecord,
    attempts: &[AttemptRecord],
    live: Option<&LiveState>,
) -> SubmissionView {
    let seconds = milliseconds(record.active_milliseconds) / 1_000.0;
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
        reasons.push(words.text(&["resultReason", result_reason::EXCLUDED], &std::collections::BTreeMap::new()));
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

/// Returns the stored problem. One of a newer version may be unreadable, and then only the state is shown.
fn stored_problem(record: &SubmissionRecord) -> Option<Problem> {
    serde_json::from_value(record.problem.clone()?).ok()
}

/// Returns the average rate over the whole sending time.
fn average_rate(record: &SubmissionRecord, seconds: f64) -> Option<f64> {
    let settled = record.counts.accepted + record.counts.rejected + record.counts.unconfirmed;
    (settled > 0 && seconds > 0.0).then(|| f64::from(settled) / seconds)
}

#[expect(clippy::cast_precision_loss, reason = "a run that long is past caring for a millisecond")]
fn milliseconds(count: u64) -> f64 {
    count as f64
}
