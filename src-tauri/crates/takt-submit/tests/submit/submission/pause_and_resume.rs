//! Tests that pause and stop wait for requests in flight, and that resuming sends the same rows.

use takt_engine::{Code, submission::SubmissionState};

use super::support::{
    check_against_log, counts, engine_fixture, good_material, plant, request, request_count, wait_for_end,
    wait_for_view,
};

#[tokio::test]
async fn pause_and_go_on() {
    let plant = plant(&["latency=20"]).await;
    let fixture = engine_fixture(&plant, "planner");
    let engine = &fixture.engine;
    let mut views = engine.submissions().subscribe();
    let id = engine
        .submissions()
        .submit(request("materials.sync", (1..=60).map(good_material).collect(), 2))
        .await
        .unwrap()
        .id
        .first();
    let running = wait_for_view(engine, id, |view| view.counts.accepted >= 6).await;
    assert_eq!(running.batches, 30);
    let twice = engine.submissions().resume(id, None).await.unwrap_err();
    assert_eq!((twice.code, twice.parameters["obstacle"].as_str()), (Code::Precondition, "is-running"));

    engine.submissions().pause(id).unwrap();
    let paused = wait_for_end(engine, id).await;
    assert_eq!((paused.state, paused.counts.sending), (SubmissionState::Paused, 0));
    assert!(paused.counts.accepted >= 6 && paused.counts.pending > 0, "{:?}", paused.counts);
    check_against_log(engine, id, &plant.log());
    assert_eq!(engine.submissions().pause(id).unwrap_err().code, Code::Precondition);
    let sent = request_count(&plant.log(), "materials.sync");
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    assert_eq!(request_count(&plant.log(), "materials.sync"), sent, "nothing leaves while it is paused");

    engine.submissions().resume(id, None).await.unwrap();
    let view = wait_for_end(engine, id).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 60, 0, 0)));
    assert_eq!(request_count(&plant.log(), "materials.sync"), 30);
    check_against_log(engine, id, &plant.log());
    assert_eq!(engine.submissions().resume(id, None).await.unwrap_err().code, Code::Precondition);

    let mut last = None;
    let mut accepted = 0;
    while let Ok(view) = views.try_recv() {
        assert!(view.counts.accepted >= accepted, "views go forward");
        accepted = view.counts.accepted;
        last = Some(view);
    }
    assert_eq!(last.unwrap().state, SubmissionState::Finished);
}

#[tokio::test]
async fn stop_keeps_the_rest_pending() {
    let plant = plant(&["latency=20"]).await;
    let fixture = engine_fixture(&plant, "planner");
    let engine = &fixture.engine;
    let id = engine
        .submissions()
        .submit(request("materials.sync", (1..=40).map(good_material).collect(), 2))
        .await
        .unwrap()
        .id
        .first();
    wait_for_view(engine, id, |view| view.counts.accepted >= 4).await;
    engine.submissions().stop(id).await.unwrap();
    let stopped = wait_for_end(engine, id).await;
    assert_eq!(stopped.state, SubmissionState::Stopped);
    assert!(stopped.ended.is_some() && stopped.counts.pending > 0);
    check_against_log(engine, id, &plant.log());
    assert_eq!(engine.submissions().list().unwrap()[0].counts, stopped.counts);

    engine.submissions().resume(id, None).await.unwrap();
    wait_for_view(engine, id, |view| view.counts.accepted > stopped.counts.accepted).await;
    engine.submissions().pause(id).unwrap();
    let paused = wait_for_end(engine, id).await;
    assert_eq!(
        engine.submissions().stop(id).await.unwrap().state,
        SubmissionState::Stopped,
        "a paused one can be stopped, too"
    );
    assert_eq!(engine.submissions().view(id).unwrap().counts, paused.counts);
    engine.submissions().resume(id, None).await.unwrap();
    let view = wait_for_end(engine, id).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 40, 0, 0)));
    check_against_log(engine, id, &plant.log());
}

#[tokio::test]
async fn two_submissions_run_concurrently() {
    let plant = plant(&["latency=5"]).await;
    let fixture = engine_fixture(&plant, "planner");
    let engine = &fixture.engine;
    let first = engine
        .submissions()
        .submit(request("materials.sync", (1..=40).map(good_material).collect(), 2))
        .await
        .unwrap()
        .id
        .first();
    let second = engine
        .submissions()
        .submit(request("materials.sync", (101..=140).map(good_material).collect(), 3))
        .await
        .unwrap()
        .id
        .first();
    for id in [first, second] {
        let view = wait_for_end(engine, id).await;
        assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 40, 0, 0)));
    }
    check_against_log(engine, first, &plant.log());
    check_against_log(engine, second, &plant.log());
}
