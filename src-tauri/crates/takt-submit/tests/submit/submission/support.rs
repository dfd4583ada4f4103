//! A plant, an engine in its own folder, rows to send, and the comparison of results to the plant's log.

use std::{collections::BTreeMap, sync::Arc, time::Duration};
use takt_engine::item::ExcelRow;

use serde_json::{Value, json};
use takt_engine::{
    Engine,
    import::ItemSet,
    item::{Item, RowId, RowResult},
    submission::{ResultCounts, ResultRow, SendOptions, SubmissionId, SubmissionRequest, SubmissionView},
};
use takt_plant::{Fault, LogEntry, PlantConfig, RunningPlant};
use takt_test_support::setup::{self, NO_RATE_LIMIT, engine_config, start_plant};
use tokio::task::JoinSet;

pub(crate) const SITE: &str = "practice";
pub(crate) const SHEET: &str = "Materials";
const TIMEOUT: Duration = Duration::from_secs(60);

/// A plant with these faults and a rate limit that no test reaches.
pub(crate) async fn plant(faults: &[&str]) -> RunningPlant {
    start_plant(PlantConfig { rate_limit: NO_RATE_LIMIT, faults: parse_faults(faults), ..PlantConfig::default() }).await
}

pub(crate) fn parse_faults(faults: &[&str]) -> Vec<Fault> {
    faults.iter().map(|fault| Fault::parse(fault).unwrap()).collect()
}

/// Runs parts of a test concurrently, because they mostly wait. The test fails if a part fails.
pub(crate) async fn run_concurrently<F: Future<Output = ()> + Send + 'static>(parts: impl IntoIterator<Item = F>) {
    let mut running = JoinSet::new();
    for part in parts {
        running.spawn(part);
    }
    running.join_all().await;
}

pub(crate) struct EngineFixture {
    pub(crate) engine: Arc<Engine>,
    pub(crate) home: tempfile::TempDir,
}

/// An engine on the plant, signed in as that user.
pub(crate) fn engine_fixture(plant: &RunningPlant, user: &str) -> EngineFixture {
    let home = tempfile::tempdir().unwrap();
    let engine = engine(&home, plant, user);
    EngineFixture { engine, home }
}

/// Opens the home folder like a restart.
pub(crate) fn engine(home: &tempfile::TempDir, plant: &RunningPlant, user: &str) -> Arc<Engine> {
    let engine = Engine::open(engine_config(home.path())).unwrap();
    sign_in(&engine, plant, user);
    engine
}

pub(crate) fn sign_in(engine: &Engine, plant: &RunningPlant, user: &str) {
    engine.set_practice(plant.access());
    setup::sign_in(engine, plant, SITE, user);
}

/// A material in the row with that number. Every tenth lacks a required value.
pub(crate) fn material(row: u32) -> Item {
    let code = format!("T-{row:05}");
    let body =
        if row.is_multiple_of(10) { json!({ "code": code }) } else { json!({ "code": code, "description": "Bolt" }) };
    item(row, &code, body)
}

pub(crate) fn good_material(row: u32) -> Item {
    let code = format!("T-{row:05}");
    item(row, &code, json!({ "code": code, "description": "Bolt" }))
}

pub(crate) fn item(row: u32, key: &str, body: Value) -> Item {
    Item {
        rows: vec![RowId { sheet: SHEET.to_owned(), row: ExcelRow::new(row) }],
        key: key.to_owned(),
        body,
        ..Item::default()
    }
}

pub(crate) fn request(operation: &str, items: Vec<Item>, batch_size: u32) -> SubmissionRequest {
    let set = ItemSet {
        operation: operation.to_owned(),
        file: "file.xlsx".to_owned(),
        hash: "00".to_owned(),
        sheet: SHEET.to_owned(),
        items,
        mapping: None,
    };
    SubmissionRequest {
        site: SITE.to_owned(),
        steps: vec![set.into()],
        options: SendOptions { batch_size: Some(batch_size), ..SendOptions::default() },
        ..SubmissionRequest::default()
    }
}

/// Returns the request with these options, and with its own number of items per request.
pub(crate) fn with_options(request: SubmissionRequest, options: SendOptions) -> SubmissionRequest {
    let options = SendOptions { batch_size: request.options.batch_size, ..options };
    SubmissionRequest { options, ..request }
}

/// Sends a request, and waits until it no longer runs.
pub(crate) async fn send(engine: &Engine, request: SubmissionRequest) -> SubmissionView {
    let id = engine.submissions().submit(request).await.unwrap().id.first();
    wait_for_end(engine, id).await
}

pub(crate) async fn wait_for_end(engine: &Engine, id: SubmissionId) -> SubmissionView {
    tokio::time::timeout(TIMEOUT, engine.submissions().wait(id)).await.unwrap().unwrap();
    engine.submissions().view(id).unwrap()
}

/// Waits for a view that matches. The submission may continue afterwards.
pub(crate) async fn wait_for_view(
    engine: &Engine,
    id: SubmissionId,
    fits: impl Fn(&SubmissionView) -> bool,
) -> SubmissionView {
    let mut views = engine.submissions().subscribe();
    let matching_view = async {
        loop {
            let view = engine.submissions().view(id).unwrap();
            if fits(&view) {
                return view;
            }
            drop(tokio::time::timeout(Duration::from_millis(5), views.recv()).await);
        }
    };
    tokio::time::timeout(TIMEOUT, matching_view).await.unwrap()
}

pub(crate) fn rows(engine: &Engine, id: SubmissionId, result: Option<RowResult>) -> Vec<ResultRow> {
    engine.submissions().result_rows(id, result, 0, 1_000_000).unwrap().rows
}

pub(crate) fn counts(pending: u32, accepted: u32, rejected: u32, unconfirmed: u32) -> ResultCounts {
    ResultCounts { pending, accepted, rejected, unconfirmed, ..ResultCounts::default() }
}

/// Compares every row to the log: accepted rows were applied, rejected and pending ones weren't, nothing was applied
/// twice, and the view's counts match the rows.
pub(crate) fn check_against_log(engine: &Engine, id: SubmissionId, log: &[LogEntry]) -> SubmissionView {
    let view = engine.submissions().view(id).unwrap();
    let applied = count_applied(log);
    let mut counted = ResultCounts::default();
    for row in rows(engine, id, None) {
        let times = applied.get(&row.key).copied().unwrap_or_default();
        assert!(times <= 1, "{} was applied {times} times", row.key);
        match row.result {
            RowResult::Pending => counted.pending += 1,
            RowResult::Sending => counted.sending += 1,
            RowResult::Accepted => counted.accepted += 1,
            RowResult::Rejected => counted.rejected += 1,
            RowResult::Unconfirmed => counted.unconfirmed += 1,
            RowResult::Skipped => counted.skipped += 1,
        }
        match row.result {
            RowResult::Accepted => assert_eq!(times, 1, "{} is accepted but was never applied", row.key),
            RowResult::Pending | RowResult::Rejected | RowResult::Skipped => {
                assert_eq!(times, 0, "{} is {:?} but was applied", row.key, row.result);
            }
            RowResult::Sending | RowResult::Unconfirmed => {}
        }
        if matches!(row.result, RowResult::Rejected | RowResult::Unconfirmed | RowResult::Skipped) {
            assert!(
                !row.reasons.is_empty() && row.reasons.iter().all(|reason| !reason.starts_with("unconfirmed.")),
                "{row:?}"
            );
        }
    }
    assert_eq!(view.counts, counted);
    let counts = view.counts;
    let sum = counts.pending + counts.sending + counts.accepted + counts.rejected + counts.unconfirmed + counts.skipped;
    assert_eq!(sum, view.total);
    view
}

/// Returns how often each code was applied.
pub(crate) fn count_applied(log: &[LogEntry]) -> BTreeMap<String, u32> {
    let mut applied = BTreeMap::new();
    for line in log.iter().flat_map(|entry| &entry.applied) {
        if line["success"] == json!(true) {
            *applied.entry(line["code"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
        }
    }
    applied
}

/// Returns the number of requests of an operation that reached the plant.
pub(crate) fn request_count(log: &[LogEntry], operation: &str) -> usize {
    log.iter().filter(|entry| entry.operation.as_deref() == Some(operation)).count()
}
