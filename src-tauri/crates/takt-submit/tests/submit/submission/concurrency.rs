//! Tests several requests in flight: no row is sent twice or lost, and a run ends after all of them.

use std::time::Duration;

use takt_engine::{
    client::Timeouts,
    submission::{SubmissionId, SubmissionState},
};

use super::support::{
    EngineFixture, check_against_log, counts, engine, engine_fixture, good_material, material, parse_faults, plant,
    request, request_count, wait_for_end, wait_for_view,
};

const SEED: u64 = 5_150;
const SIZE: u32 = 5;

/// Starts a submission of good rows, and waits until it has as many requests in flight as possible.
async fn start_concurrent_submission(fixture: &EngineFixture, rows: u32) -> SubmissionId {
    let id = fixture
        .engine
        .submissions()
        .submit(request("materials.sync", (1..=rows).map(good_material).collect(), SIZE))
        .await
        .unwrap()
        .id
        .first();
    let view = wait_for_view(&fixture.engine, id, |view| view.counts.sending >= 4 * SIZE).await;
    // The rows are compared to the log at the end, because both change in between.
    assert!(view.counts.sending <= 8 * SIZE, "{:?}", view.counts);
    id
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_service_gets_concurrent_requests() {
    let plant = plant(&["latency=40"]).await;
    let fixture = engine_fixture(&plant, "planner");
    let id = start_concurrent_submission(&fixture, 600).await;
    let view = wait_for_end(&fixture.engine, id).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 600, 0, 0)));
    check_against_log(&fixture.engine, id, &plant.log());
    assert_eq!(request_count(&plant.log(), "materials.sync"), 120);
    assert_eq!(view.requests, 120);
}

/// The results of some requests are lost while as many requests as allowed are in flight.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_occur_while_requests_are_in_flight() {
    check_faults_in_flight(&["apply-then-drop", "stall"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long: each of the other faults takes seconds"]
async fn every_fault_occurs_while_requests_are_in_flight() {
    check_faults_in_flight(&[
        "error-500",
        "drop-before-apply",
        "apply-then-502",
        "truncate",
        "not-json",
        "wrong-counts",
        "results-missing",
        "results-reordered",
        "reject-item",
        "expire-token",
        "limit-429-bare",
    ])
    .await;
}

async fn check_faults_in_flight(faults: &[&str]) {
    for &fault in faults {
        let plant = plant(&["latency=10"]).await;
        let fixture = engine_fixture(&plant, "planner");
        let engine = &fixture.engine;
        let whole = Duration::from_millis(if fault == "stall" { 400 } else { 20_000 });
        engine.sites().set_timeouts(Timeouts { request: whole, ..Timeouts::default() });
        let id = start_concurrent_submission(&fixture, 400).await;
        let odds = if fault == "limit-429-bare" { 0.03 } else { 0.1 };
        plant.plant().set_faults(parse_faults(&["latency=10", &format!("{fault}:{odds}")]), SEED);
        let mut view = wait_for_end(engine, id).await;
        while view.state == SubmissionState::Interrupted {
            check_against_log(engine, id, &plant.log());
            engine.submissions().resume(id, None).await.unwrap();
            view = wait_for_end(engine, id).await;
        }
        let view = check_against_log(engine, id, &plant.log());
        assert_eq!(
            (view.state, view.counts.pending, view.counts.sending),
            (SubmissionState::Finished, 0, 0),
            "{fault}"
        );
        assert!(view.counts.accepted >= 200, "{fault}: {:?}", view.counts);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pause_waits_for_requests_in_flight() {
    let plant = plant(&["latency=30"]).await;
    let fixture = engine_fixture(&plant, "planner");
    let engine = &fixture.engine;
    let id = start_concurrent_submission(&fixture, 500).await;
    engine.submissions().pause(id).unwrap();
    let paused = wait_for_end(engine, id).await;
    assert_eq!((paused.state, paused.counts.sending, paused.counts.unconfirmed), (SubmissionState::Paused, 0, 0));
    assert!(paused.counts.pending > 0, "{:?}", paused.counts);
    check_against_log(engine, id, &plant.log());
    let sent = request_count(&plant.log(), "materials.sync");
    assert_eq!(usize::try_from(paused.requests).unwrap(), sent);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(request_count(&plant.log(), "materials.sync"), sent, "nothing leaves while it is paused");
    engine.submissions().resume(id, None).await.unwrap();
    let view = wait_for_end(engine, id).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 500, 0, 0)));
    check_against_log(engine, id, &plant.log());
}

/// A separate runtime represents the whole process. Dropping it ends every request immediately.
#[test]
fn takt_ends_with_requests_in_flight() {
    let outside = tokio::runtime::Runtime::new().unwrap();
    let plant = outside.block_on(plant(&["latency=20"]));
    let inside = tokio::runtime::Runtime::new().unwrap();
    let EngineFixture { engine: first, home } = engine_fixture(&plant, "planner");
    let fixture = EngineFixture { engine: first, home };
    let id = inside.block_on(async {
        let id = start_concurrent_submission(&fixture, 300).await;
        plant.plant().set_faults(parse_faults(&["latency=500"]), SEED);
        tokio::time::sleep(Duration::from_millis(200)).await;
        id
    });
    inside.shutdown_timeout(Duration::from_millis(50));
    let EngineFixture { engine: first, home } = fixture;
    let left = first.submissions().view(id).unwrap().counts;
    // No process runs the submission, so it is shown in the state in which the next process will find it.
    assert!(left.unconfirmed >= 3 * SIZE && left.sending == 0, "{left:?}");
    let second = engine(&home, &plant, "planner");
    drop(first);
    let view = second.submissions().view(id).unwrap();
    assert_eq!((view.state, view.counts.sending), (SubmissionState::Interrupted, 0));
    assert_eq!((view.counts.unconfirmed, view.counts.pending), (left.unconfirmed, left.pending));
    plant.plant().set_faults(vec![], SEED);
    let view = outside.block_on(async {
        second.submissions().resume(id, None).await.unwrap();
        wait_for_end(&second, id).await
    });
    // Rows in flight were read back before they were sent again, so no row was applied twice.
    assert_eq!(view.counts, counts(0, 300, 0, 0));
    check_against_log(&second, id, &plant.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn timeouts_shrink_requests_and_successes_grow_them() {
    let plant = plant(&["stall"]).await;
    let fixture = engine_fixture(&plant, "planner");
    let engine = &fixture.engine;
    engine.sites().set_timeouts(Timeouts { request: Duration::from_millis(300), ..Timeouts::default() });
    let id = engine
        .submissions()
        .submit(request("materials.sync", (1..=800).map(material).collect(), 16))
        .await
        .unwrap()
        .id
        .first();
    wait_for_view(engine, id, |view| view.counts.unconfirmed >= 16).await;
    engine.sites().set_timeouts(Timeouts::default());
    plant.plant().set_faults(vec![], SEED);
    let mut view = wait_for_end(engine, id).await;
    if view.state == SubmissionState::Interrupted {
        engine.submissions().resume(id, None).await.unwrap();
        view = wait_for_end(engine, id).await;
    }
    assert_eq!((view.state, view.counts.pending), (SubmissionState::Finished, 0));
    check_against_log(engine, id, &plant.log());
    let sizes: Vec<usize> = plant.log().iter().map(|entry| entry.applied.len()).filter(|size| *size > 0).collect();
    assert!(sizes[0] <= 8, "half of it at most: {sizes:?}");
    assert_eq!(sizes.iter().max(), Some(&15), "up to just below what was too much: {sizes:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_items_of_one_key_keep_their_order() {
    let plant = plant(&["latency=15"]).await;
    let fixture = engine_fixture(&plant, "planner");
    let mut items: Vec<_> = (1..=200).map(good_material).collect();
    for (place, item) in items.iter_mut().enumerate() {
        let body = serde_json::json!({ "code": "T-SAME", "description": format!("{place}") });
        if place % 4 == 0 {
            (item.key, item.body) = ("T-SAME".to_owned(), body);
        }
    }
    let id = fixture.engine.submissions().submit(request("materials.sync", items, 4)).await.unwrap().id.first();
    let view = wait_for_end(&fixture.engine, id).await;
    assert_eq!(view.counts, counts(0, 200, 0, 0));
    assert_eq!(request_count(&plant.log(), "materials.sync"), 50);
    let seen =
        |name: &str| plant.log().iter().flat_map(|entry| &entry.applied).filter(|line| line["code"] == name).count();
    assert_eq!(seen("T-SAME"), 50);
}
