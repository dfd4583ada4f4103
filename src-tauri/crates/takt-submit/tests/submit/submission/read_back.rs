//! Unconfirmed rows are resolved by reading back. Afterwards, every row's result matches the plant's log.

use serde_json::json;
use takt_engine::item::ExcelRow;
use takt_engine::{
    Code,
    item::{Change, Item, ItemComparison, RowId, RowResult},
    submission::{ClaimChoice, Decision, SendOptions, SubmissionState},
};

use super::result_workbook::links;
use super::support::{
    SHEET, check_against_log, count_applied, counts, engine_fixture, good_material, item, material, parse_faults,
    plant, request, request_count, rows, run_concurrently, send, wait_for_end, with_options,
};

const SEED: u64 = 20_261_122;

/// Sends 120 rows with an intermittent fault, and resumes whenever the submission stops. At the end no row is
/// unconfirmed, and exactly the applied rows are accepted.
async fn check_all_rows_settled(fault: &'static str) {
    let plant = plant(&[]).await;
    plant.plant().set_faults(parse_faults(&[&format!("{fault}:0.3")]), SEED);
    let fixture = engine_fixture(&plant, "planner");
    let mut view = send(&fixture.engine, request("materials.sync", (1..=120).map(material).collect(), 8)).await;
    for _ in 0..20 {
        check_against_log(&fixture.engine, view.id, &plant.log());
        if view.counts.pending + view.counts.unconfirmed == 0 {
            break;
        }
        fixture.engine.submissions().resume(view.id, None).await.unwrap();
        view = wait_for_end(&fixture.engine, view.id).await;
    }
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 108, 12, 0)), "{fault}, seed {SEED}");
    assert!(plant.log().iter().any(|entry| entry.fault.is_some()), "the fault never struck");
}

#[tokio::test]
async fn answers_that_get_lost_are_found_out() {
    run_concurrently(
        ["apply-then-drop", "drop-before-apply", "apply-then-502", "truncate"].map(check_all_rows_settled),
    )
    .await;
}

#[tokio::test]
async fn answers_that_say_nothing_are_found_out() {
    let faults = ["results-missing", "results-reordered", "not-json", "wrong-counts", "error-500"];
    run_concurrently(faults.map(check_all_rows_settled)).await;
}

#[tokio::test]
async fn read_back_reasons_contain_the_time() {
    let plant = plant(&[]).await;
    plant.plant().set_faults(parse_faults(&["wrong-counts"]), SEED);
    let fixture = engine_fixture(&plant, "planner");
    let view = send(&fixture.engine, request("materials.sync", (1..=4).map(good_material).collect(), 4)).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 4, 0, 0)));
    let row = &rows(&fixture.engine, view.id, Some(RowResult::Accepted))[0];
    assert_eq!(row.reasons.len(), 2, "why it was unconfirmed, and what was found: {row:?}");
    assert!(row.reasons[1].contains("the service has what was sent"), "{row:?}");
    assert_eq!(request_count(&plant.log(), "materials.sync"), 1, "nothing was sent again");
}

#[tokio::test]
async fn without_a_read_side_a_person_is_asked() {
    let plant = plant(&["apply-then-drop"]).await;
    let fixture = engine_fixture(&plant, "planner");
    let stock = |row: u32| {
        let body = json!({ "materialCode": "MAT-1001", "quantity": 5, "serialNumber": format!("S-{row}") });
        item(row, &format!("MAT-1001 · S-{row}"), body)
    };
    let view = send(&fixture.engine, request("stock.sync", (1..=4).map(stock).collect(), 2)).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 0, 0, 4)));
    let sent = request_count(&plant.log(), "stock.sync");
    let problem = fixture.engine.submissions().read_back_unconfirmed(view.id, None).await.unwrap_err();
    assert_eq!(problem.parameters["obstacle"], "no-read-side");
    assert_eq!(
        fixture.engine.submissions().resume(view.id, None).await.unwrap_err().parameters["obstacle"],
        "nothing-pending"
    );

    // The user decides that one of the rows arrived, and sends another one again. The other two stay open.
    plant.plant().set_faults(vec![], 1);
    let of = |row| RowId { sheet: SHEET.to_owned(), row };
    let view = fixture
        .engine
        .submissions()
        .decide(view.id, &[of(ExcelRow::new(1))], Decision::Arrived, None, ClaimChoice::Refuse)
        .await
        .unwrap();
    assert_eq!(view.counts, counts(0, 1, 0, 3));
    let decided = &rows(&fixture.engine, view.id, Some(RowResult::Accepted))[0];
    assert!(decided.row == ExcelRow::new(1) && decided.reasons[0].contains("marked it as accepted"), "{decided:?}");
    assert_eq!(request_count(&plant.log(), "stock.sync"), sent, "nothing is sent by that");
    fixture
        .engine
        .submissions()
        .decide(view.id, &[of(ExcelRow::new(3))], Decision::SendAgain, None, ClaimChoice::Refuse)
        .await
        .unwrap();
    let view = wait_for_end(&fixture.engine, view.id).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 2, 0, 2)));
    assert_eq!(request_count(&plant.log(), "stock.sync"), sent + 1);

    let late = fixture
        .engine
        .submissions()
        .decide(view.id, &[of(ExcelRow::new(1))], Decision::SendAgain, None, ClaimChoice::Refuse)
        .await
        .unwrap_err();
    assert_eq!(late.parameters["obstacle"], "not-unconfirmed");
    let nobody = fixture
        .engine
        .submissions()
        .decide(view.id, &[of(ExcelRow::new(99))], Decision::Arrived, None, ClaimChoice::Refuse)
        .await
        .unwrap_err();
    assert_eq!(nobody.parameters["obstacle"], "no-such-row");
    let view =
        fixture.engine.submissions().decide(view.id, &[], Decision::Arrived, None, ClaimChoice::Refuse).await.unwrap();
    assert!(
        view.recent.iter().all(|batch| batch.counts.unconfirmed == 0),
        "no batch is unconfirmed any more: {:?}",
        view.recent
    );
    assert_eq!(view.counts, counts(0, 4, 0, 0));
    assert_eq!(
        fixture
            .engine
            .submissions()
            .decide(view.id, &[], Decision::Arrived, None, ClaimChoice::Refuse)
            .await
            .unwrap_err()
            .parameters["obstacle"],
        "nothing-unconfirmed"
    );
}

#[tokio::test]
async fn doubt_can_be_left_and_found_out_later() {
    let plant = plant(&["apply-then-drop"]).await;
    let fixture = engine_fixture(&plant, "planner");
    let asked = with_options(
        request("materials.sync", (1..=4).map(good_material).collect(), 2),
        SendOptions { leave_unconfirmed: true, ..SendOptions::default() },
    );
    let view = send(&fixture.engine, asked).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 0, 0, 4)));
    plant.plant().set_faults(vec![], 1);
    fixture.engine.submissions().read_back_unconfirmed(view.id, None).await.unwrap();
    let view = wait_for_end(&fixture.engine, view.id).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 4, 0, 0)));
    assert_eq!(request_count(&plant.log(), "materials.sync"), 2, "nothing was sent again");
    check_against_log(&fixture.engine, view.id, &plant.log());
    assert_eq!(
        fixture.engine.submissions().read_back_unconfirmed(view.id, None).await.unwrap_err().parameters["obstacle"],
        "nothing-unconfirmed"
    );
}

#[tokio::test]
async fn finding_out_sends_nothing_while_other_rows_wait_for_a_person() {
    let plant = plant(&["apply-then-drop"]).await;
    let fixture = engine_fixture(&plant, "planner");
    let asked = with_options(
        request("materials.sync", (1..=30).map(good_material).collect(), 2),
        SendOptions { leave_unconfirmed: true, ..SendOptions::default() },
    );
    let view = send(&fixture.engine, asked).await;
    assert_eq!(view.state, SubmissionState::Interrupted);
    assert!(view.counts.unconfirmed >= 10 && view.counts.pending > 0, "{:?}", view.counts);
    let sent = request_count(&plant.log(), "materials.sync");
    plant.plant().set_faults(vec![], 1);
    fixture.engine.submissions().read_back_unconfirmed(view.id, None).await.unwrap();
    let after = wait_for_end(&fixture.engine, view.id).await;
    assert_eq!((after.state, after.counts.unconfirmed), (SubmissionState::Interrupted, 0));
    assert_eq!(after.counts.accepted, view.counts.unconfirmed);
    assert_eq!(request_count(&plant.log(), "materials.sync"), sent);
    fixture.engine.submissions().resume(view.id, None).await.unwrap();
    let done = wait_for_end(&fixture.engine, view.id).await;
    assert_eq!((done.state, done.counts), (SubmissionState::Finished, counts(0, 30, 0, 0)));
    check_against_log(&fixture.engine, view.id, &plant.log());
}

#[tokio::test]
async fn values_that_are_neither_old_nor_sent_need_a_decision() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let now = |text: &str| item(1, "T-1", json!({ "code": "T-1", "description": text }));
    send(&fixture.engine, request("materials.sync", vec![now("Bolt")], 1)).await;
    // The submission was prepared for "Bolt". Then another user writes "Screw".
    let comparison = ItemComparison {
        change: Change::Changed,
        before: Some(json!({ "code": "T-1", "description": "Bolt" })),
        neighbors: Vec::new(),
        skip: false,
    };
    let ours = Item { comparison: Some(Box::new(comparison)), ..now("Nut") };
    send(&fixture.engine, request("materials.sync", vec![now("Screw")], 1)).await;
    plant.plant().set_faults(parse_faults(&["drop-before-apply"]), SEED);
    let asked = with_options(
        request("materials.sync", vec![ours], 1),
        SendOptions { leave_unconfirmed: true, ..SendOptions::default() },
    );
    let view = send(&fixture.engine, asked).await;
    assert_eq!(view.counts, counts(0, 0, 0, 1));
    plant.plant().set_faults(vec![], 1);
    let sent = request_count(&plant.log(), "materials.sync");
    fixture.engine.submissions().read_back_unconfirmed(view.id, None).await.unwrap();
    let view = wait_for_end(&fixture.engine, view.id).await;
    assert_eq!(view.counts, counts(0, 0, 0, 1), "{:?}", view.problem);
    let row = &rows(&fixture.engine, view.id, None)[0];
    let reason_text = row.reasons.join("\n");
    assert!(["description", "Screw", "Nut"].iter().all(|word| reason_text.contains(word)), "{reason_text}");
    assert_eq!(request_count(&plant.log(), "materials.sync"), sent, "nothing is resent while its unconfirmed is open");
}

#[tokio::test]
async fn a_delete_is_confirmed_by_reading_the_templates_processes() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    for (fault, sent) in [("apply-then-drop", 1), ("drop-before-apply", 2)] {
        let links = links(&plant, 3).await;
        let seen = |link: &serde_json::Value| ItemComparison {
            change: Change::Changed,
            before: Some(link.clone()),
            neighbors: Vec::new(),
            skip: false,
        };
        let item = |(link, row): (&serde_json::Value, u32)| Item {
            comparison: Some(Box::new(seen(link))),
            ..item(row, &row.to_string(), link.clone())
        };
        let items = links.iter().zip(1..).map(item).collect();
        plant.plant().set_faults(parse_faults(&[fault]), SEED);
        let before = request_count(&plant.log(), "template-processes.delete");
        let asked = with_options(
            request("template-processes.delete", items, 10),
            SendOptions { leave_unconfirmed: true, ..SendOptions::default() },
        );
        let view = send(&fixture.engine, asked).await;
        assert_eq!(view.counts, counts(0, 0, 0, 3), "{fault}");
        plant.plant().set_faults(vec![], 1);
        fixture.engine.submissions().read_back_unconfirmed(view.id, None).await.unwrap();
        let view = wait_for_end(&fixture.engine, view.id).await;
        assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 3, 0, 0)), "{fault}");
        assert_eq!(request_count(&plant.log(), "template-processes.delete") - before, sent, "{fault}");
    }
}

#[tokio::test]
async fn reading_that_fails_leaves_rows_unconfirmed_and_says_why() {
    let plant = plant(&["error-500"]).await;
    let fixture = engine_fixture(&plant, "planner");
    let view = send(&fixture.engine, request("materials.sync", (1..=4).map(good_material).collect(), 2)).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 0, 0, 4)));
    assert_eq!(view.problem.unwrap().code, Code::ServiceFailed);
    assert!(count_applied(&plant.log()).is_empty());
}

#[tokio::test]
async fn a_read_back_that_breaks_off_says_that_rows_may_have_arrived() {
    let plant = plant(&["truncate"]).await;
    let fixture = engine_fixture(&plant, "planner");
    let view = send(&fixture.engine, request("materials.sync", (1..=2).map(good_material).collect(), 2)).await;
    assert_eq!(view.counts, counts(0, 0, 0, 2));
    let problem = view.problem.unwrap();
    let case = problem.parameters.get("case").map(String::as_str);
    assert_eq!((problem.code, case), (Code::ReadBroken, Some("unconfirmed")), "{problem:?}");
    let hint = takt_engine::Words::load(takt_engine::Language::En).problem_hint(problem.code, &problem.parameters);
    assert!(hint.contains("may have arrived"), "{hint}");
}
