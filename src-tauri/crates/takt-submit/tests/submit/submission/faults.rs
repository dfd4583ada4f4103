//! Tests every fault of the plant: no result is assumed, and nothing is sent twice.

use takt_engine::{
    Code,
    item::RowResult,
    submission::{ClaimChoice, SendOptions, SubmissionState},
};

use super::support::{
    check_against_log, counts, engine_fixture, good_material, material, parse_faults, plant, request, request_count,
    rows, send, sign_in, wait_for_end, with_options,
};

const SEED: u64 = 20_261_121;

/// Sends 120 rows with an intermittent fault, and resumes whenever the submission stops.
async fn send_despite_fault(fault: &str) -> takt_engine::submission::SubmissionView {
    let plant = plant(&[]).await;
    plant.plant().set_faults(parse_faults(&[&format!("{fault}:0.4")]), SEED);
    let fixture = engine_fixture(&plant, "planner");
    let asked = with_options(
        request("materials.sync", (1..=120).map(material).collect(), 8),
        SendOptions { leave_unconfirmed: true, ..SendOptions::default() },
    );
    let mut view = send(&fixture.engine, asked).await;
    while view.state == SubmissionState::Interrupted {
        assert!(view.problem.is_some());
        check_against_log(&fixture.engine, view.id, &plant.log());
        fixture.engine.submissions().resume(view.id, None).await.unwrap();
        view = wait_for_end(&fixture.engine, view.id).await;
    }
    assert_eq!((view.state, view.counts.pending), (SubmissionState::Finished, 0), "{fault}, seed {SEED}");
    check_against_log(&fixture.engine, view.id, &plant.log())
}

#[tokio::test]
async fn a_failing_service_leaves_rows_unconfirmed() {
    for fault in ["error-500", "error-500-dev", "apply-then-502"] {
        let view = send_despite_fault(fault).await;
        assert!(view.counts.unconfirmed > 0 && view.counts.accepted > 0, "{fault}: {:?}", view.counts);
    }
}

#[tokio::test]
async fn a_lost_connection_leaves_rows_unconfirmed() {
    for fault in ["drop-before-apply", "apply-then-drop", "truncate"] {
        let view = send_despite_fault(fault).await;
        assert!(view.counts.unconfirmed > 0 && view.counts.accepted > 0, "{fault}: {:?}", view.counts);
    }
}

#[tokio::test]
async fn an_answer_that_is_none_leaves_rows_unconfirmed() {
    for fault in ["not-json", "wrong-counts", "results-missing", "results-reordered"] {
        let view = send_despite_fault(fault).await;
        assert!(view.counts.unconfirmed > 0 && view.counts.accepted > 0, "{fault}: {:?}", view.counts);
    }
}

#[tokio::test]
async fn refused_items_are_rejected() {
    let view = send_despite_fault("reject-item").await;
    assert!(view.counts.unconfirmed == 0 && view.counts.rejected > 12, "{:?}", view.counts);
}

#[tokio::test]
async fn an_expired_token_is_renewed_on_the_way() {
    let view = send_despite_fault("expire-token").await;
    assert_eq!(view.counts, counts(0, 108, 12, 0));
}

#[tokio::test]
async fn five_failures_in_a_row_stop_and_ask() {
    let plant = plant(&["error-500"]).await;
    let fixture = engine_fixture(&plant, "planner");
    let view = send(&fixture.engine, request("materials.sync", (1..=40).map(good_material).collect(), 4)).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Interrupted, counts(20, 0, 0, 20)));
    let problem = view.problem.unwrap();
    assert_eq!(problem.code, Code::ServiceFailed);
    let log_id = problem.log_id.unwrap();
    let unconfirmed = rows(&fixture.engine, view.id, Some(RowResult::Unconfirmed));
    assert!(unconfirmed[19].reasons[0].contains(&log_id), "{:?}", unconfirmed[19]);
    assert!(unconfirmed[0].reasons.len() > 1, "the service's own words are kept: {:?}", unconfirmed[0]);
    assert_eq!(request_count(&plant.log(), "materials.sync"), 5);

    // The user has checked, and sends unconfirmed rows again.
    plant.plant().set_faults(vec![], 1);
    fixture.engine.submissions().send_unconfirmed(view.id, None, ClaimChoice::Refuse).await.unwrap();
    let view = wait_for_end(&fixture.engine, view.id).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 40, 0, 0)));
    check_against_log(&fixture.engine, view.id, &plant.log());
    let again = fixture.engine.submissions().send_unconfirmed(view.id, None, ClaimChoice::Refuse).await.unwrap_err();
    assert_eq!(again.code, Code::Precondition);
}

#[tokio::test]
async fn unconfirmed_rows_are_read_back_before_the_user_is_asked() {
    let plant = plant(&["apply-then-drop"]).await;
    let fixture = engine_fixture(&plant, "planner");
    let view = send(&fixture.engine, request("materials.sync", (1..=30).map(good_material).collect(), 2)).await;
    assert_eq!((view.state, view.problem.unwrap().code), (SubmissionState::Interrupted, Code::ConnectionLost));
    check_against_log(&fixture.engine, view.id, &plant.log());
    plant.plant().set_faults(vec![], 1);
    fixture.engine.submissions().resume(view.id, None).await.unwrap();
    let view = wait_for_end(&fixture.engine, view.id).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 30, 0, 0)));
    assert!(view.is_complete());
    check_against_log(&fixture.engine, view.id, &plant.log());
}

#[tokio::test]
async fn a_viewer_cannot_send_and_no_row_is_lost() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "viewer");
    let view = send(&fixture.engine, request("materials.sync", (1..=12).map(material).collect(), 5)).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Interrupted, counts(12, 0, 0, 0)));
    assert_eq!(view.problem.as_ref().unwrap().code, Code::AccessDenied);
    assert_eq!(request_count(&plant.log(), "materials.sync"), 1);
    sign_in(&fixture.engine, &plant, "planner");
    fixture.engine.submissions().resume(view.id, None).await.unwrap();
    let view = wait_for_end(&fixture.engine, view.id).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 11, 1, 0)));
    assert_eq!(view.problem, None);
    check_against_log(&fixture.engine, view.id, &plant.log());
}

#[tokio::test]
async fn nobody_signed_in_sends_nothing() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    fixture.engine.sites().sign_out("practice").unwrap();
    let view = send(&fixture.engine, request("materials.sync", (1..=3).map(good_material).collect(), 5)).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Interrupted, counts(3, 0, 0, 0)));
    assert_eq!((view.problem.unwrap().code, view.requests), (Code::SignInNeeded, 0));
    assert_eq!(request_count(&plant.log(), "materials.sync"), 0);
}
