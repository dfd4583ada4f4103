//! Tests restarts of Takt or the service: the state afterwards, and continuing with the same rows.

use std::{sync::Arc, time::Duration};

use takt_engine::{
    Code,
    item::RowResult,
    submission::{ClaimChoice, SubmissionState},
};

use super::support::{
    check_against_log, count_applied, counts, engine, engine_fixture, good_material, material, plant, request,
    request_count, rows, sign_in, wait_for_end, wait_for_view,
};

#[tokio::test]
async fn the_service_stops_between_two_batches() {
    let first = plant(&["latency=20"]).await;
    let fixture = engine_fixture(&first, "planner");
    let id = fixture
        .engine
        .submissions()
        .submit(request("materials.sync", (1..=60).map(material).collect(), 3))
        .await
        .unwrap()
        .id
        .first();
    wait_for_view(&fixture.engine, id, |view| view.counts.accepted >= 9).await;
    first.stop().await;
    let view = wait_for_end(&fixture.engine, id).await;
    assert_eq!(view.state, SubmissionState::Interrupted);
    assert_eq!(view.problem.as_ref().unwrap().code, Code::ServiceUnreachable);
    assert!(view.counts.pending > 0, "{:?}", view.counts);
    check_against_log(&fixture.engine, id, &first.log());
    // The first plant may have applied the rows in flight. The second one doesn't have them.
    let lost: Vec<String> =
        rows(&fixture.engine, id, Some(RowResult::Unconfirmed)).into_iter().map(|row| row.key).collect();
    let still_open = |result: &RowResult| matches!(result, RowResult::Pending | RowResult::Unconfirmed);
    let open: Vec<u32> =
        rows(&fixture.engine, id, None).iter().filter(|row| still_open(&row.result)).map(|row| row.row.get()).collect();

    let second = plant(&[]).await;
    sign_in(&fixture.engine, &second, "planner");
    fixture.engine.submissions().resume(id, None).await.unwrap();
    let after = wait_for_end(&fixture.engine, id).await;
    assert_eq!((after.state, after.counts.pending), (SubmissionState::Finished, 0));
    assert_eq!(after.counts.unconfirmed, 0, "what isn't there is sent again");
    let sent: Vec<u32> = count_applied(&second.log()).keys().map(|code| code[2..].parse().unwrap()).collect();
    let wanted: Vec<u32> = open.into_iter().filter(|row| row % 10 != 0).collect();
    assert_eq!(sent, wanted, "exactly the rows without a certain result were sent");
    let is_lost = |code: &serde_json::Value| lost.iter().any(|key| *code == key.as_str());
    let certain = first.log().into_iter().filter(|entry| !entry.applied.iter().any(|line| is_lost(&line["code"])));
    check_against_log(&fixture.engine, id, &certain.chain(second.log()).collect::<Vec<_>>());
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
            .submit(request("materials.sync", (1..=20).map(good_material).collect(), 4))
            .await
            .unwrap()
            .id
            .first();
        wait_for_view(&first, id, |view| view.counts.accepted >= 4 && view.counts.sending == 4).await;
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
    let sent_before = request_count(&plant.log(), "materials.sync");
    plant.plant().set_faults(vec![], 1);
    let view = outside.block_on(async {
        second.submissions().resume(id, None).await.unwrap();
        wait_for_end(&second, id).await
    });
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 20, 0, 0)));
    // The plant may have applied the rows in flight, so they were read back before they were sent again.
    let log = plant.log();
    check_against_log(&second, id, &log);
    assert!(request_count(&log, "materials.sync") >= sent_before);
}

/// On several threads, waiting callers resume immediately, repeatedly.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiting_caller_can_resume_at_once() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let id = fixture
        .engine
        .submissions()
        .submit(request("materials.sync", (1..=40).map(good_material).collect(), 1))
        .await
        .unwrap()
        .id
        .first();
    let mut view = fixture.engine.submissions().view(id).unwrap();
    while view.state != SubmissionState::Finished {
        // It may already have finished.
        drop(fixture.engine.submissions().pause(id));
        view = wait_for_end(&fixture.engine, id).await;
        if view.state == SubmissionState::Paused {
            fixture.engine.submissions().resume(id, None).await.unwrap();
            let more = view.counts.accepted + 3;
            view =
                wait_for_view(&fixture.engine, id, |now| now.counts.accepted >= more || now.counts.pending == 0).await;
        }
    }
    assert_eq!(view.counts, counts(0, 40, 0, 0));
    check_against_log(&fixture.engine, id, &plant.log());
}

#[tokio::test]
async fn a_second_takt_leaves_a_running_submission_alone() {
    let plant = plant(&["latency=50"]).await;
    let fixture = engine_fixture(&plant, "planner");
    let id = fixture
        .engine
        .submissions()
        .submit(request("materials.sync", (1..=20).map(good_material).collect(), 2))
        .await
        .unwrap()
        .id
        .first();
    wait_for_view(&fixture.engine, id, |view| view.counts.accepted >= 2).await;

    let second: Arc<_> = engine(&fixture.home, &plant, "planner");
    assert_eq!(second.submissions().view(id).unwrap().state, SubmissionState::Running);
    for refused in [
        second.submissions().resume(id, None).await.map(drop),
        second.submissions().stop(id).await.map(drop),
        second.submissions().send_unconfirmed(id, None, ClaimChoice::Refuse).await.map(drop),
    ] {
        let problem = refused.unwrap_err();
        assert_eq!((problem.code, problem.parameters["obstacle"].as_str()), (Code::Precondition, "running-elsewhere"));
    }
    let view = wait_for_end(&fixture.engine, id).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 20, 0, 0)));
    check_against_log(&second, id, &plant.log());
}
