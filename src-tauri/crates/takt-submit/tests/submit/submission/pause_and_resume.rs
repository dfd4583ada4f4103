//! Pause, stop and resume: after the request in flight, and then with the same rows.

use takt_engine::{Code, submission::SubmissionState};

use super::support::{check, console, counts, ended, good, plant, request, requests, until};

#[tokio::test]
async fn pause_and_go_on() {
    let plant = plant(&["latency=20"]).await;
    let console = console(&plant, "planner");
    let engine = &console.engine;
    let mut views = engine.submissions().subscribe();
    let id = engine
        .submissions()
        .submit(request("materials.sync", (1..=60).map(good).collect(), 2))
        .await
        .unwrap()
        .id
        .first();
    let running = until(engine, id, |view| view.counts.accepted >= 6).await;
    assert_eq!(running.batches, 30);
    let twice = engine.submissions().resume(id, None).await.unwrap_err();
    assert_eq!((twice.code, twice.parameters["obstacle"].as_str()), (Code::Precondition, "is-running"));

    engine.submissions().pause(id).unwrap();
    let paused = ended(engine, id).await;
    assert_eq!((paused.state, paused.counts.sending), (SubmissionState::Paused, 0));
    assert!(paused.counts.accepted >= 6 && paused.counts.pending > 0, "{:?}", paused.counts);
    check(engine, id, &plant.log());
    assert_eq!(engine.submissions().pause(id).unwrap_err().code, Code::Precondition);
    let sent = requests(&plant.log(), "materials.sync");
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    assert_eq!(requests(&plant.log(), "materials.sync"), sent, "nothing leaves while it is paused");

    engine.submissions().resume(id, None).await.unwrap();
    let view = ended(engine, id).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 60, 0, 0)));
    assert_eq!(requests(&plant.log(), "materials.sync"), 30);
    check(engine, id, &plant.log());
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
    let console = console(&plant, "planner");
    let engine = &console.engine;
    let id = engine
        .submissions()
        .submit(request("materials.sync", (1..=40).map(good).collect(), 2))
        .await
        .unwrap()
        .id
        .first();
    until(engine, id, |view| view.counts.accepted >= 4).await;
    engine.submissions().stop(id).await.unwrap();
    let stopped = ended(engine, id).await;
    assert_eq!(stopped.state, SubmissionState::Stopped);
    assert!(stopped.ended.is_some() && stopped.counts.pending > 0);
    check(engine, id, &plant.log());
    assert_eq!(engine.submissions().list().unwrap()[0].counts, stopped.counts);

    engine.submissions().resume(id, None).await.unwrap();
    until(engine, id, |view| view.counts.accepted > stopped.counts.accepted).await;
    engine.submissions().pause(id).unwrap();
    let paused = ended(engine, id).await;
    assert_eq!(
        engine.submissions().stop(id).await.unwrap().state,
        SubmissionState::Stopped,
        "a paused one can be stopped, too"
    );
    assert_eq!(engine.submissions().view(id).unwrap().counts, paused.counts);
    engine.submissions().resume(id, None).await.unwrap();
    let view = ended(engine, id).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 40, 0, 0)));
    check(engine, id, &plant.log());
}

#[tokio::test]
async fn two_submissions_run_concurrently() {
    let plant = plant(&["latency=5"]).await;
    let console = console(&plant, "planner");
    let engine = &console.engine;
    let first = engine
        .submissions()
        .submit(request("materials.sync", (1..=40).map(good).collect(), 2))
        .await
        .unwrap()
        .id
        .first();
    let second = engine
        .submissions()
        .submit(request("materials.sync", (101..=140).map(good).collect(), 3))
        .await
        .unwrap()
        .id
        .first();
    for id in [first, second] {
        let view = ended(engine, id).await;
        assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 40, 0, 0)));
    }
    check(engine, first, &plant.log());
    check(engine, second, &plant.log());
}
