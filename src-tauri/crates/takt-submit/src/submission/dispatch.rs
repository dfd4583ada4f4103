//! Sends one request: stores the attempt, sends it, classifies the response and stores the outcome.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use takt_client::{Client, RequestPermit};
use takt_journal::{RowResult, Run, attempt::AttemptEnd, item::StoredItem};

use super::{
    change_operation::ChangeOperation,
    response_classification::{self, NextAction, ResponseClassification},
    submissions_state::SubmissionsState,
};
use takt_core::Problem;
use takt_core::blocking::run_blocking;
use tokio::sync::Notify;

/// The time after a request was recorded in which no other desk can have taken over the run.
const RUN_LEASE: SignedDuration = SignedDuration::from_millis(250);

/// The context that all requests of a run share.
#[derive(Clone)]
pub(super) struct DispatchContext {
    pub(super) shared: Arc<SubmissionsState>,
    pub(super) run: Arc<Run>,
    pub(super) target: Arc<ChangeOperation>,
    pub(super) client: Client,
    pub(super) stopwatch: Stopwatch,
    pub(super) persisting: PersistingCount,
}

/// Counts answered requests whose outcomes are being stored. The next requests may be sent meanwhile.
#[derive(Clone, Default)]
pub(super) struct PersistingCount {
    count: Arc<AtomicUsize>,
    /// Notified when the outcome of another request begins to be stored.
    started: Arc<Notify>,
}

impl PersistingCount {
    pub(super) fn count(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }

    /// Waits until the outcome of another request begins to be stored.
    pub(super) async fn wait_for_start(&self) {
        self.started.notified().await;
    }

    /// Counts a request until the returned guard is dropped.
    fn begin(&self) -> PersistingGuard {
        self.count.fetch_add(1, Ordering::SeqCst);
        self.started.notify_one();
        PersistingGuard(Arc::clone(&self.count))
    }
}

/// Counts a request in [`PersistingCount`] until it is dropped.
struct PersistingGuard(Arc<AtomicUsize>);

impl Drop for PersistingGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A request whose outcome is stored.
pub(super) struct CompletedRequest {
    pub(super) classification: ResponseClassification,
    /// The number of the request's items, and of their rows.
    pub(super) items: u32,
    pub(super) rows: u32,
    /// The items that are pending again.
    pub(super) pending: Vec<StoredItem>,
    pub(super) started_at: Instant,
    /// The time from sending the first byte to receiving the last.
    pub(super) duration: Duration,
}

/// Dispatches one request. An error means that the journal failed, and recovery settles the items.
pub(super) async fn dispatch(
    ctx: DispatchContext,
    permit: RequestPermit,
    items: Vec<StoredItem>,
) -> Result<CompletedRequest, Problem> {
    let body = request_body(&ctx.target, &items);
    let wire_hash = sha256_hex(&body);
    let numbers: Vec<u32> = items.iter().map(|item| item.number).collect();
    let (shared, run, at) = (Arc::clone(&ctx.shared), Arc::clone(&ctx.run), (ctx.shared.clock)());
    let pass = |failpoint| ctx.shared.failpoints.pass(failpoint);
    pass("before-attempt");
    let attempt = run_blocking(move || Ok(shared.journal.begin_attempt(&run, &numbers, at, &wire_hash)?)).await?;
    pass("attempt-written");
    let (count, rows) = (u32::try_from(items.len()).unwrap_or(u32::MAX), attempt.rows());

    let started_at = Instant::now();
    let may_send = || may_send(&ctx, at);
    let (method, path) = (&ctx.target.method, &ctx.target.path);
    let result = ctx.client.send_text_while(permit, method, path, body, may_send).await;
    let duration = started_at.elapsed();
    pass("answer-received");
    let mut classification = response_classification::classify(&ctx.target, &items, result);
    let redactor = ctx.client.redactor();
    classification.error = classification.error.map(|error| error.redacted(redactor));
    // Other responses may forbid sending more, which is decided only after they are stored.
    let persisting = (classification.next_action == NextAction::Continue).then(|| ctx.persisting.begin());

    let end = AttemptEnd {
        at: (ctx.shared.clock)(),
        class: classification.class,
        status: classification.status,
        milliseconds: classification.milliseconds.unwrap_or_else(|| positive_milliseconds(duration)),
        active_milliseconds: ctx.stopwatch.lap(),
        log_id: classification.log_id.clone(),
        answer: classification.response.take().map(|response| redactor.redact_text(&response).into_owned()),
    };
    let outcomes = std::mem::take(&mut classification.outcomes);
    let is_pending: Vec<bool> = outcomes.iter().map(|outcome| outcome.result == RowResult::Pending).collect();
    let (shared, run) = (Arc::clone(&ctx.shared), Arc::clone(&ctx.run));
    run_blocking(move || Ok(shared.journal.finish_attempt(&run, attempt, &outcomes, &end)?)).await?;
    drop(persisting);
    pass("outcome-written");
    let pending = items.into_iter().zip(is_pending).filter_map(|(item, pending)| pending.then_some(item)).collect();
    Ok(CompletedRequest { classification, items: count, rows, pending, started_at, duration })
}

/// Returns at least 1, because 0 means that the sender was killed before the outcome was known.
fn positive_milliseconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX).max(1)
}

/// Returns whether the run still belongs to this process, so that it may send.
///
/// Within [`RUN_LEASE`] after the attempt was recorded, the run belongs to this process. Later, the team's server is
/// asked, because another desk may have resumed the run while this computer was suspended. Only the wall clock includes
/// the time of a suspension.
async fn may_send(ctx: &DispatchContext, written: Timestamp) -> bool {
    if ctx.run.is_lost() {
        return false;
    }
    let passed = (ctx.shared.clock)().duration_since(written);
    if !passed.is_negative() && passed < RUN_LEASE {
        return true;
    }
    let run = Arc::clone(&ctx.run);
    run_blocking(move || Ok(run.is_held())).await.unwrap_or(false)
}

/// Returns the request's body from the stored texts of its items.
pub(super) fn request_body(target: &ChangeOperation, items: &[StoredItem]) -> String {
    target.shape.encode_body(items.iter().map(|item| item.body.as_str()), &target.zone)
}

pub(super) fn sha256_hex(body: &str) -> String {
    takt_core::hex::to_hex(&Sha256::digest(body.as_bytes()))
}

/// The sending time that isn't stored yet, shared by all requests in flight.
#[derive(Clone)]
pub(super) struct Stopwatch(Arc<Mutex<Instant>>);

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }

    /// Returns the milliseconds since the last call, or since the start. The fraction of a millisecond is carried over
    /// to the next call.
    pub(super) fn lap(&self) -> u32 {
        let mut mark = self.0.lock();
        let passed = u32::try_from(mark.elapsed().as_millis()).unwrap_or(u32::MAX);
        *mark += Duration::from_millis(passed.into());
        passed
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use serde_json::{Value, json};
    use takt_contract::RowSchema;

    use super::*;

    #[test]
    fn requests_are_counted_while_their_outcomes_are_stored() {
        let persisting = PersistingCount::default();
        let (first, second) = (persisting.begin(), persisting.begin());
        assert_eq!(persisting.count(), 2);
        drop(first);
        assert_eq!(persisting.clone().count(), 1);
        drop(second);
        assert_eq!(persisting.count(), 0);
    }

    #[test]
    fn an_instant_failure_takes_at_least_a_millisecond() {
        let duration = [Duration::ZERO, Duration::from_micros(999), Duration::from_millis(1_200)];
        assert_eq!(duration.map(positive_milliseconds), [1, 1, 1_200]);
    }

    #[test]
    fn bodies_are_sent_as_stored() {
        let item = |number: u32, body: &str| StoredItem {
            number,
            key: number.to_string(),
            body: body.to_owned(),
            unknown_attempts: 0,
        };
        let items = [item(1, r#"{"a":0.10,"b":"\u00e9"}"#), item(2, "7")];
        let shape = RowSchema { member: "it\"ems".to_owned(), ..RowSchema::default() };
        let body = shape.encode_body(items.iter().map(|item| item.body.as_str()), &TimeZone::UTC);
        assert_eq!(body, r#"{"it\"ems":[{"a":0.10,"b":"\u00e9"},7]}"#);
        let read: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(read, json!({ "it\"ems": [{ "a": 0.1, "b": "é" }, 7] }));
        assert_eq!(sha256_hex("").len(), 64);
    }
}
