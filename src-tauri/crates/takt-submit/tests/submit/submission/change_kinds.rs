//! Tests every kind of change, and submissions that are refused before they begin.

use serde_json::json;
use takt_engine::item::ExcelRow;
use takt_engine::{
    Code,
    item::{Item, RowId, RowResult},
    submission::{ResultCounts, SubmissionId, SubmissionState},
};

use super::support::{
    SHEET, check_against_log, counts, engine_fixture, good_material, item, material, plant, request, request_count,
    rows, send, with_options,
};

#[tokio::test]
async fn all_rows_are_accepted() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let view =
        send(&fixture.engine, request("materials.sync", (1..=9).chain(11..=19).map(good_material).collect(), 5)).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 18, 0, 0)));
    assert!(view.is_complete());
    assert_eq!((view.batches, view.requests, view.total), (4, 4, 18));
    assert_eq!(request_count(&plant.log(), "materials.sync"), 4);
    check_against_log(&fixture.engine, view.id, &plant.log());
    assert_eq!(view.recent.len(), 4);
    assert_eq!(view.recent.iter().map(|batch| batch.counts.accepted).sum::<u32>(), 18);
    assert!(view.recent.iter().all(|batch| batch.status == Some(200) && batch.milliseconds.is_some()));
    assert!(view.rate.unwrap() > 0.0 && view.seconds > 0.0 && view.ended.is_some());
    assert_eq!(view.remaining_seconds, None);
}

#[tokio::test]
async fn refused_rows_carry_the_services_words() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let view = send(&fixture.engine, request("materials.sync", (1..=50).map(material).collect(), 20)).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 45, 5, 0)));
    assert!(!view.is_complete());
    check_against_log(&fixture.engine, view.id, &plant.log());
    let rejected = rows(&fixture.engine, view.id, Some(RowResult::Rejected));
    assert_eq!(rejected.iter().map(|row| row.row.get()).collect::<Vec<_>>(), [10, 20, 30, 40, 50]);
    assert!(rejected.iter().all(|row| row.reasons.iter().any(|reason| reason.contains("description"))), "{rejected:?}");
    let page = fixture.engine.submissions().result_rows(view.id, None, 48, 10).unwrap();
    assert_eq!((page.total, page.rows.iter().map(|row| row.row.get()).collect::<Vec<_>>()), (50, vec![49, 50]));
}

#[tokio::test]
async fn links_are_deleted_the_same_way() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let link = |row: u32, process: &str| {
        let body = json!({ "templateId": 1, "processCode": process, "operationCode": "010" });
        item(row, &format!("1 · {process} · 010"), body)
    };
    let view =
        send(&fixture.engine, request("template-processes.delete", vec![link(1, "NOWHERE"), link(2, "NOT")], 10)).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 0, 2, 0)));
    let rows = rows(&fixture.engine, view.id, None);
    assert!(rows.iter().all(|row| !row.reasons.is_empty()), "{rows:?}");
}

#[tokio::test]
async fn an_item_of_several_rows_counts_each() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let rows_of = |numbers: &[u32]| {
        numbers.iter().map(|row| RowId { sheet: SHEET.to_owned(), row: ExcelRow::new(*row) }).collect()
    };
    let items = vec![
        Item { rows: rows_of(&[2, 3, 4]), ..good_material(2) },
        Item { rows: rows_of(&[5, 6]), blocked: true, ..good_material(5) },
        Item { rows: rows_of(&[7]), ..good_material(7) },
    ];
    let refused = fixture.engine.submissions().submit(request("materials.sync", items.clone(), 10)).await.unwrap_err();
    assert_eq!((refused.code, refused.parameters["count"].as_str()), (Code::Precondition, "2"));
    assert!(refused.message.contains("2 rows have errors"), "{}", refused.message);
    assert!(fixture.engine.submissions().list().unwrap().is_empty(), "nothing was written down");

    let wanted = with_options(
        request("materials.sync", items, 10),
        takt_engine::submission::SendOptions { skip_blocked: true, ..Default::default() },
    );
    let view = send(&fixture.engine, wanted).await;
    assert_eq!(view.counts, ResultCounts { accepted: 4, skipped: 2, ..ResultCounts::default() });
    assert!(view.is_complete());
    let skipped = rows(&fixture.engine, view.id, Some(RowResult::Skipped));
    assert_eq!(skipped.iter().map(|row| row.row.get()).collect::<Vec<_>>(), [5, 6]);
    assert!(skipped[0].reasons[0].contains("errors"), "nobody chose it");
    fixture.engine.set_language(takt_engine::Language::De);
    assert!(rows(&fixture.engine, view.id, Some(RowResult::Skipped))[0].reasons[0].contains("Fehler"));
}

#[tokio::test]
async fn invalid_submissions_are_refused() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let code = async |request| fixture.engine.submissions().submit(request).await.unwrap_err().code;
    assert_eq!(code(request("materials.sync", vec![], 10)).await, Code::Precondition);
    assert_eq!(code(request("materials.list", vec![good_material(1)], 10)).await, Code::Precondition);
    assert_eq!(code(request("nothing", vec![good_material(1)], 10)).await, Code::Unknown);
    let elsewhere = takt_engine::submission::SubmissionRequest {
        site: "moon".to_owned(),
        ..request("materials.sync", vec![good_material(1)], 1)
    };
    assert_eq!(code(elsewhere).await, Code::Unknown);
    assert_eq!(fixture.engine.submissions().view(SubmissionId::new(9)).unwrap_err().code, Code::Unknown);
    assert_eq!(fixture.engine.submissions().resume(SubmissionId::new(9), None).await.unwrap_err().code, Code::Unknown);
    assert!(plant.log().is_empty());
}

#[tokio::test]
async fn a_whole_batch_is_refused_at_once() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    // An unknown member next to the items makes no difference, but a body that isn't an object does.
    let view = send(&fixture.engine, request("materials.sync", vec![item(1, "x", json!("no object"))], 10)).await;
    let view = check_against_log(&fixture.engine, view.id, &plant.log());
    assert_eq!(view.counts.accepted, 0);
    assert_eq!(view.state, SubmissionState::Finished);
}

#[tokio::test]
async fn a_refused_submission_stores_nothing() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let engine = &fixture.engine;
    let last_blocked = (1..=9_000).map(|row: u32| Item { blocked: row > 8_998, ..good_material(row) }).collect();
    let refused = engine.submissions().submit(request("materials.sync", last_blocked, 10)).await.unwrap_err();
    assert_eq!((refused.code, refused.parameters["count"].as_str()), (Code::Precondition, "2"));
    let skipped = (1..=9_000).map(|row| Item { skipped: true, ..good_material(row) }).collect();
    let nothing = engine.submissions().submit(request("materials.sync", skipped, 10)).await.unwrap_err();
    assert_eq!(nothing.parameters["obstacle"], "nothing-to-send");
    assert!(engine.submissions().list().unwrap().is_empty(), "nothing of them was written down");
    assert_eq!(request_count(&plant.log(), "materials.sync"), 0);
}

#[tokio::test]
async fn the_beginning_of_an_answer_that_was_no_plain_yes_is_kept() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let view = send(&fixture.engine, request("materials.sync", (6..=15).map(material).collect(), 3)).await;
    let path = takt_engine::Home::open(fixture.home.path()).unwrap().journal();
    let attempts = takt_journal::Journal::open(&path).unwrap().requests().attempts(view.id, 10).unwrap();
    let has_answer: Vec<bool> = attempts.iter().map(|attempt| attempt.answer.is_some()).collect();
    assert_eq!(has_answer, [false, true, false, false], "row 10 is the only one that is refused");
    let answer = attempts[1].answer.as_deref().unwrap();
    assert!(answer.contains("T-00010") && answer.chars().count() <= 4_000, "{answer}");
    assert_eq!(
        attempts.iter().map(|attempt| attempt.numbers.as_str()).collect::<Vec<_>>(),
        ["1-3", "4-6", "7-9", "10"]
    );
}
