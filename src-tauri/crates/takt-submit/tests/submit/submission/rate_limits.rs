//! Tests the service's limits: waits are shown, and no row is lost or sent twice.

use std::time::{Duration, Instant};

use takt_engine::{Code, browse::BrowseQuery, submission::SubmissionState};
use takt_plant::{PlantConfig, RateLimit};
use takt_test_support::setup::start_plant;

use super::support::{
    SITE, check_against_log, counts, engine_fixture, good_material, item, plant, request, request_count, send,
    wait_for_end, wait_for_view,
};

#[tokio::test]
async fn a_429_is_waited_for_in_every_unit() {
    for fault in ["limit-429-s", "limit-429-ms", "limit-429-header"] {
        let plant = plant(&[fault]).await;
        let fixture = engine_fixture(&plant, "planner");
        let began = Instant::now();
        let id = fixture
            .engine
            .submissions()
            .submit(request("materials.sync", (1..=6).map(good_material).collect(), 2))
            .await
            .unwrap()
            .id
            .first();
        let waiting = wait_for_view(&fixture.engine, id, |view| view.waiting_until.is_some()).await;
        assert_eq!((waiting.state, waiting.counts), (SubmissionState::Running, counts(6, 0, 0, 0)), "{fault}");
        assert_eq!(waiting.problem.unwrap().code, Code::RateLimited);
        plant.plant().set_faults(vec![], 1);
        let view = wait_for_end(&fixture.engine, id).await;
        assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 6, 0, 0)), "{fault}");
        assert_eq!((view.waiting_until.clone(), view.problem.clone()), (None, None));
        let took = began.elapsed();
        assert!(took > Duration::from_millis(500) && took < Duration::from_secs(20), "{fault} took {took:?}");
        assert_eq!((view.requests, view.batches), (4, 3), "{fault}");
        check_against_log(&fixture.engine, id, &plant.log());
    }
}

#[tokio::test]
async fn the_limit_is_heeded_before_it_is_hit() {
    let rate_limit = RateLimit { requests: 4, window: Duration::from_secs(2) };
    let plant = start_plant(PlantConfig { rate_limit, ..PlantConfig::default() }).await;
    let fixture = engine_fixture(&plant, "planner");
    let view = send(&fixture.engine, request("materials.sync", (1..=9).map(good_material).collect(), 1)).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 9, 0, 0)));
    let log = plant.log();
    let refused = log.iter().filter(|entry| entry.status == Some(429)).count();
    assert!(refused <= 1, "{refused} requests hit the limit");
    check_against_log(&fixture.engine, view.id, &log);
}

#[tokio::test]
async fn a_wait_can_be_stopped() {
    let rate_limit = RateLimit { requests: 1, window: Duration::from_secs(3600) };
    let plant = start_plant(PlantConfig { rate_limit, ..PlantConfig::default() }).await;
    let fixture = engine_fixture(&plant, "planner");
    let id = fixture
        .engine
        .submissions()
        .submit(request("materials.sync", (1..=4).map(good_material).collect(), 1))
        .await
        .unwrap()
        .id
        .first();
    wait_for_view(&fixture.engine, id, |view| view.waiting_until.is_some()).await;
    fixture.engine.submissions().stop(id).await.unwrap();
    let view = wait_for_end(&fixture.engine, id).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Stopped, counts(3, 1, 0, 0)));
}

#[tokio::test]
async fn a_request_that_is_too_large_is_halved() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    // Two of these exceed the plant's request size, one doesn't.
    let large = "x".repeat(9 * 1024 * 1024);
    let items = (1..=2)
        .map(|row| {
            let code = format!("T-{row:05}");
            item(row, &code, serde_json::json!({ "code": code, "description": large }))
        })
        .collect();
    let view = send(&fixture.engine, request("materials.sync", items, 4)).await;
    assert_eq!(view.state, SubmissionState::Finished);
    assert_eq!((view.counts.pending, view.counts.unconfirmed), (0, 0), "{:?}", view.counts);
    let log = plant.log();
    let too_large = log.iter().filter(|entry| entry.status == Some(413)).count();
    assert!(too_large >= 1 && request_count(&log, "materials.sync") >= 3, "{too_large}");
    check_against_log(&fixture.engine, view.id, &log);
}

/// The allowed rate is used, and rarely exceeded.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_is_used_up_and_hardly_hit() {
    let (requests_allowed, window) = (40, Duration::from_secs(2));
    let rate_limit = RateLimit { requests: requests_allowed, window };
    let plant = start_plant(PlantConfig { rate_limit, ..PlantConfig::default() }).await;
    let fixture = engine_fixture(&plant, "planner");
    let engine = &fixture.engine;
    let began = Instant::now();
    let id = engine
        .submissions()
        .submit(request("materials.sync", (1..=400).map(good_material).collect(), 2))
        .await
        .unwrap()
        .id
        .first();
    let view = wait_for_end(engine, id).await;
    let took = began.elapsed();
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 400, 0, 0)));
    let log = plant.log();
    assert_eq!(log.iter().filter(|entry| entry.status == Some(429)).count(), 0);
    // The requests use the limit of five windows, so at least four windows must pass. A busy computer may need longer.
    // `cargo xtask bench submit` measures the used part of each window.
    assert!(took <= window * 10, "took {took:?}: hardly half of what is allowed was used");
    assert!(took >= window * 4, "took {took:?}: the limit wasn't one");
    check_against_log(engine, id, &log);
}

/// A list is read while a submission uses up the rate limit.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_get_through_while_a_submission_uses_the_limit() {
    let rate_limit = RateLimit { requests: 40, window: Duration::from_secs(5) };
    let plant = start_plant(PlantConfig { rate_limit, ..PlantConfig::default() }).await;
    let fixture = engine_fixture(&plant, "planner");
    let engine = &fixture.engine;
    let id = engine
        .submissions()
        .submit(request("materials.sync", (1..=60).map(good_material).collect(), 1))
        .await
        .unwrap()
        .id
        .first();
    wait_for_view(engine, id, |view| view.counts.accepted >= 36).await;
    for _ in 0..2 {
        let query = BrowseQuery { operation: "materials.list".to_owned(), ..BrowseQuery::default() };
        let began = Instant::now();
        engine.browse().fetch_page(SITE, &query, 1, 10).await.unwrap();
        assert!(began.elapsed() < Duration::from_secs(2), "it waited {:?}", began.elapsed());
    }
    let view = wait_for_end(engine, id).await;
    assert_eq!(view.counts, counts(0, 60, 0, 0));
    assert_eq!(plant.log().iter().filter(|entry| entry.status == Some(429)).count(), 0);
    check_against_log(engine, id, &plant.log());
}
