//! Takt or the service ends: the state afterwards, and continuing with the same rows.

use std::{sync::Arc, time::Duration};

use takt_engine::{
    Code,
    item::RowResult,
    submission::{ClaimChoice, SubmissionState},
};

use super::support::{
    applied, check, console, counts, ended, engine, good, material, plant, request, requests, rows, sign_in, until,
};

#[tokio::test]
async fn the_service_stops_between_two_batches() {
    let first = plant(&["latency=20"]).await;
    let console = console(&first, "planner");
    let id = console
        .engine
        .submissions()
        .submit(request("materials.sync", (1..=60).map(material).collect(), 3))
        .await
        .unwrap()
        .id
        .first();
    until(&console.engine, id, |view| view.counts.accepted >= 9).await;
    first.stop().await;
    let view = ended(&console.engine, id).await;
    assert_eq!(view.state, SubmissionState::Interrupted);
    assert_eq!(view.problem.as_ref().unwrap().code, Code::ServiceUnreachable);
    assert!(view.counts.pending > 0, "{:?}", view.counts);
    check(&console.engine, id, &first.log());
    // The first plant may have applied the rows in flight. The second one doesn't know them.
    let lost: Vec<String> =
        rows(&console.engine, id, Some(RowResult::Unconfirmed)).into_iter().map(|row| row.key).collect();
    let still_open = |result: &RowResult| matches!(result, RowResult::Pending | RowResult::Unconfirmed);
    let open: Vec<u32> =
        rows(&console.engine, id, None).iter().filter(|row| still_open(&row.result)).map(|row| row.row.get()).collect();

    let second = plant(&[]).await;
    sign_in(&console.engine, &second, "planner");
    console.engine.submissions().resume(id, None).await.unwrap();
    let after = ended(&console.engine, id).await;
    assert_eq!((after.state, after.counts.pending), (SubmissionState::Finished, 0));
    assert_eq!(after.counts.unconfirmed, 0, "what isn't there is sent again");
    let sent: Vec<u32> = applied(&second.log()).keys().map(|code| code[2..].parse().unwrap()).collect();
    let wanted: Vec<u32> = open.into_iter().filter(|row| row % 10 != 0).collect();
    assert_eq!(sent, wanted, "exactly the rows without a certain result were sent");
    let is_lost = |code: &serde_json::Value| lost.iter().any(|key| *code == key.as_str());
    let certain = first.log().into_iter().filter(|entry| !entry.applied.iter().any(|line| is_lost(&line["code"])));
    check(&console.engine, id, &certain.chain(second.log()).collect::<Vec<_>>());
}

/// A separate runtime represents the whole process. Dropping it ends every run immediately.
#[test]
fn takt_ends_in_the_middle_of_a_request() {
    let outside = tokio::runtime::Runtime::new().unwrap();
    let plant = outside.block_on(plant(&["latency=400"]));
    let home = tempfile::tempdir().unwrap();

    let inside = tokio::runtime::Runtime::new().unwrap();
    let first = engine(&home, &plant, "planner");
    let id = inside.block_on(async {
        let id = first
            .submissions()
            .submit(request("materials.sync", (1..=20).map(good).collect(), 4))
            .await
            .unwrap()
            .id
            .first();
        until(&first, id, |view| view.counts.accepted >= 4 && view.counts.sending == 4).await;
        id
    });
    inside.shutdown_timeout(Duration::from_millis(50));
    // The first engine's journal is still open, but nothing runs. Only the run's lock matters.
    let second = engine(&home, &plant, "planner");
    drop(first);

    let view = second.submissions().view(id).unwrap();
    assert_eq!((view.state, view.counts.sending, view.counts.unconfirmed), (SubmissionState::Interrupted, 0, 4));
    let unconfirmed = rows(&second, id, Some(RowResult::Unconfirmed));
    assert!(unconfirmed[0].reasons[0].contains("Takt was closed"), "{:?}", unconfirmed[0]);
    let sent_before = requests(&plant.log(), "materials.sync");
    plant.plant().set_faults(vec![], 1);
    let view = outside.block_on(async {
        second.submissions().resume(id, None).await.unwrap();
        ended(&second, id).await
    });
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 20, 0, 0)));
    // The plant may have applied the rows in flight, so they were read back before they were sent again.
    let log = plant.log();
    check(&second, id, &log);
    assert!(requests(&log, "materials.sync") >= sent_before);
}

/// On several threads, waiting callers resume immediately, repeatedly.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiting_caller_can_resume_at_once() {
    let plant = plant(&[]).await;
    let console = console(&plant, "planner");
    let id = console
        .engine
        .submissions()
        .submit(request("materials.sync", (1..=40).map(good).collect(), 1))
        .await
        .unwrap()
        .id
        .first();
    let mut view = console.engine.submissions().view(id).unwrap();
    while view.state != SubmissionState::Finished {
        // It may already have finished.
        drop(console.engine.submissions().pause(id));
        view = ended(&console.engine, id).await;
        if view.state == SubmissionState::Paused {
            console.engine.submissions().resume(id, None).await.unwrap();
            let more = view.counts.accepted + 3;
            view = until(&console.engine, id, |now| now.counts.accepted >= more || now.counts.pending == 0).await;
        }
    }
    assert_eq!(view.counts, counts(0, 40, 0, 0));
    check(&console.engine, id, &plant.log());
}

#[tokio::test]
async fn a_second_takt_leaves_a_running_submission_alone() {
    let plant = plant(&["latency=50"]).await;
    let console = console(&plant, "planner");
    let id = console
        .engine
        .submissions()
        .submit(request("materials.sync", (1..=20).map(good).collect(), 2))
        .await
        .unwrap()
        .id
        .first();
    until(&console.engine, id, |view| view.counts.accepted >= 2).await;

    let second: Arc<_> = engine(&console.home, &plant, "planner");
    assert_eq!(second.submissions().view(id).unwrap().state, SubmissionState::Running);
    for refused in [
        second.submissions().resume(id, None).await.map(drop),
        second.submissions().stop(id).await.map(drop),
        second.submissions().send_unconfirmed(id, None, ClaimChoice::Refuse).await.map(drop),
    ] {
        let problem = refused.unwrap_err();
        assert_eq!((problem.code, problem.parameters["obstacle"].as_str()), (Code::Precondition, "running-elsewhere"));
    }
    let view = ended(&console.engine, id).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 20, 0, 0)));
    check(&second, id, &plant.log());
}
