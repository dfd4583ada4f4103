//! One request's way: written down, sent, understood, and its outcome written down.

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
    Shared,
    draft::Target,
    lock,
    response_classification::{self, NextAction, ResponseClassification},
};
use takt_core::Problem;
use takt_core::blocking::run_blocking;
use tokio::sync::Notify;

/// After a request was recorded, no other desk can have taken over the run for this time.
const RUN_LEASE: SignedDuration = SignedDuration::from_millis(250);

/// What all requests of a run have in common.
#[derive(Clone)]
pub(super) struct Route {
    pub(super) shared: Arc<Shared>,
    pub(super) run: Arc<Run>,
    pub(super) target: Arc<Target>,
    pub(super) client: Client,
    pub(super) watch: Stopwatch,
    pub(super) persisting: PersistingCount,
}

/// Requests that were answered as they should be, and whose outcomes are being written down: the next ones leave meanwhile.
#[derive(Clone, Default)]
pub(super) struct PersistingCount {
    count: Arc<AtomicUsize>,
    /// Told with each of them.
    begun: Arc<Notify>,
}

impl PersistingCount {
    pub(super) fn count(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }

    /// Until one more is being settled.
    pub(super) async fn begun(&self) {
        self.begun.notified().await;
    }

    /// One more, until what is given back is dropped.
    fn begin(&self) -> SettlingRequest {
        self.count.fetch_add(1, Ordering::SeqCst);
        self.begun.notify_one();
        SettlingRequest(Arc::clone(&self.count))
    }
}

/// A request of [`PersistingCount`].
struct SettlingRequest(Arc<AtomicUsize>);

impl Drop for SettlingRequest {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A request whose outcome is on disk.
pub(super) struct Completed {
    pub(super) classification: ResponseClassification,
    /// Items that it carried, and their rows.
    pub(super) items: u32,
    pub(super) rows: u32,
    /// Those that are pending again.
    pub(super) back: Vec<StoredItem>,
    pub(super) began: Instant,
    /// From the first byte that left to the last that came.
    pub(super) took: Duration,
}

/// One request. Where this fails the journal has failed, and what became of the items is for recovery to say.
pub(super) async fn dispatch(
    route: Route,
    permit: RequestPermit,
    items: Vec<StoredItem>,
) -> Result<Completed, Problem> {
    let body = body(&route.target, &items);
    let wire_hash = hash(&body);
    let numbers: Vec<u32> = items.iter().map(|item| item.number).collect();
    let (shared, run, at) = (Arc::clone(&route.shared), Arc::clone(&route.run), (route.shared.clock)());
    let pass = |failpoint| route.shared.failpoints.pass(failpoint);
    pass("before-attempt");
    let attempt = run_blocking(move || Ok(shared.journal.begin_attempt(&run, &numbers, at, &wire_hash)?)).await?;
    pass("attempt-written");
    let (count, rows) = (u32::try_from(items.len()).unwrap_or(u32::MAX), attempt.rows());

    let began = Instant::now();
    let may_leave = || may_leave(&route, at);
    let (method, path) = (&route.target.method, &route.target.path);
    let result = route.client.send_text_while(permit, method, path, body, may_leave).await;
    let took = began.elapsed();
    pass("answer-received");
    let mut classification = response_classification::classify(&route.target, &items, result);
    let redactor = route.client.redactor();
    classification.error = classification.error.map(|error| error.redacted(redactor));
    // What came back otherwise may say that nothing more is to leave: that is decided once it is written down.
    let persisting = (classification.next_action == NextAction::GoOn).then(|| route.persisting.begin());

    let end = AttemptEnd {
        at: (route.shared.clock)(),
        class: classification.class,
        status: classification.status,
        milliseconds: classification.milliseconds.unwrap_or_else(|| whole_milliseconds(took)),
        active_milliseconds: route.watch.lap(),
        log_id: classification.log_id.clone(),
        answer: classification.answer.take().map(|answer| redactor.text(&answer).into_owned()),
    };
    let outcomes = std::mem::take(&mut classification.outcomes);
    let pending: Vec<bool> = outcomes.iter().map(|outcome| outcome.result == RowResult::Pending).collect();
    let (shared, run) = (Arc::clone(&route.shared), Arc::clone(&route.run));
    run_blocking(move || Ok(shared.journal.finish_attempt(&run, attempt, &outcomes, &end)?)).await?;
    drop(persisting);
    pass("outcome-written");
    let back = items.into_iter().zip(pending).filter_map(|(item, pending)| pending.then_some(item)).collect();
    Ok(Completed { classification, items: count, rows, back, began, took })
}

/// Never 0: that says that whoever sent the request was gone before its outcome was known.
fn whole_milliseconds(took: Duration) -> u32 {
    u32::try_from(took.as_millis()).unwrap_or(u32::MAX).max(1)
}

/// Whether the run is still this one's. What was written down a moment ago is; after that a team's server is asked: this computer may have
/// slept, and another desk may have taken the run up. The clock on the wall is what counts a sleep.
async fn may_leave(route: &Route, written: Timestamp) -> bool {
    if route.run.is_lost() {
        return false;
    }
    let passed = (route.shared.clock)().duration_since(written);
    if !passed.is_negative() && passed < RUN_LEASE {
        return true;
    }
    let run = Arc::clone(&route.run);
    run_blocking(move || Ok(run.is_held())).await.unwrap_or(false)
}

/// The stored texts as they travel to the site, in the member that carries them.
pub(super) fn body(target: &Target, items: &[StoredItem]) -> String {
    target.shape.body(items.iter().map(|item| item.body.as_str()), &target.zone)
}

pub(super) fn hash(body: &str) -> String {
    takt_core::hex::hex(&Sha256::digest(body.as_bytes()))
}

/// The running time that isn't written down yet, however many requests are on their way.
#[derive(Clone)]
pub(super) struct Stopwatch(Arc<Mutex<Instant>>);

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }

    /// Milliseconds since the last lap. What is less than one is left for the next.
    pub(super) fn lap(&self) -> u32 {
        let mut mark = lock(&self.0);
        let passed = u32::try_from(mark.elapsed().as_millis()).unwrap_or(u32::MAX);
        *mark += Duration::from_millis(passed.into());
        passed
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use serde_json::{Value, json};
    use takt_contract::Shape;

    use super::*;

    #[test]
    fn a_request_is_being_settled_until_its_outcome_is_written_down_or_cannot_be() {
        let persisting = PersistingCount::default();
        let (first, second) = (persisting.begin(), persisting.begin());
        assert_eq!(persisting.count(), 2);
        drop(first);
        assert_eq!(persisting.clone().count(), 1);
        drop(second);
        assert_eq!(persisting.count(), 0);
    }

    #[test]
    fn a_request_that_broke_off_at_once_isnt_taken_for_one_whose_sender_was_gone() {
        let took = [Duration::ZERO, Duration::from_micros(999), Duration::from_millis(1_200)];
        assert_eq!(took.map(whole_milliseconds), [1, 1, 1_200]);
    }

    #[test]
    fn bodies_leave_as_they_were_written_down() {
        let item = |number: u32, body: &str| StoredItem {
            number,
            key: number.to_string(),
            body: body.to_owned(),
            unknown_attempts: 0,
        };
        let items = [item(1, r#"{"a":0.10,"b":"\u00e9"}"#), item(2, "7")];
        let shape = Shape { member: "it\"ems".to_owned(), ..Shape::default() };
        let body = shape.body(items.iter().map(|item| item.body.as_str()), &TimeZone::UTC);
        assert_eq!(body, r#"{"it\"ems":[{"a":0.10,"b":"\u00e9"},7]}"#);
        let read: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(read, json!({ "it\"ems": [{ "a": 0.1, "b": "é" }, 7] }));
        assert_eq!(hash("").len(), 64);
    }
}
