//! Plans: steps in their order, parts with their items, and rows that wait for rows that weren't accepted.

use serde_json::json;
use takt_engine::{Engine, Fate, FateRow, PlanRequest, PlanView, SubmissionState};
use takt_plant::RunningPlant;
use takt_sheet::{OutColumn, OutSheet, Workbook, write_workbook};

use crate::support::{Console, SITE, console, counts, ended, engine, item, plant, request, rows, send};

fn sheet(name: &str, headings: &[&str], rows: &[&[&str]]) -> OutSheet {
    OutSheet {
        name: name.to_owned(),
        columns: headings.iter().copied().map(OutColumn::new).collect(),
        rows: rows.iter().map(|row| row.iter().map(|&cell| cell.into()).collect()).collect(),
        ..OutSheet::default()
    }
}

/// Dates for two orders, of which the plant refuses the first: nobody knows its material. Parts of both on a third sheet.
fn factory() -> Vec<OutSheet> {
    vec![
        sheet(
            "Dates",
            &["Work order", "Operation", "Planned begin", "Planned end"],
            &[
                &["WO-P1", "010", "2026-11-24T06:00:00", "2026-11-24T08:00:00"],
                &["WO-P2", "010", "2026-11-24T06:00:00", "2026-11-24T08:00:00"],
            ],
        ),
        sheet(
            "Raw materials",
            &["Work order", "Operation", "Material", "Quantity"],
            &[&["WO-P2", "010", "RAW-P3", "2"], &["WO-P2", "010", "RAW-P4", "3"]],
        ),
        sheet(
            "Orders",
            &["Work order", "Operation", "Material", "Requested quantity"],
            &[&["WO-P1", "010", "NOBODY-KNOWS", "5"], &["WO-P2", "010", "MAT-P2", "6"]],
        ),
        sheet("Materials", &["Material code", "Description"], &[&["MAT-P2", "Nut"], &["RAW-P3", "Steel"]]),
    ]
}

fn plan_of(console: &Console, sheets: &[OutSheet]) -> (u32, PlanRequest) {
    let path = console.home.path().join("plan.xlsx");
    write_workbook(&path, sheets).unwrap();
    let imports = console.engine.imports();
    let view = imports.plan(imports.open(&path).unwrap().id).unwrap();
    let steps = imports.plan_items(view.id).unwrap();
    (view.id, PlanRequest { site: SITE.to_owned(), steps, skip_blocked: false, ..PlanRequest::default() })
}

async fn sent(engine: &Engine, request: PlanRequest) -> PlanView {
    let id = engine.submissions().submit_plan(request).await.unwrap().id;
    tokio::time::timeout(std::time::Duration::from_secs(60), engine.submissions().wait_plan(id)).await.unwrap().unwrap()
}

fn fates(engine: &Engine, id: u32) -> Vec<(String, u32, Fate)> {
    rows(engine, id, None).into_iter().map(|FateRow { sheet, row, fate, .. }| (sheet, row, fate)).collect()
}

async fn setting() -> (RunningPlant, Console, u32, PlanView) {
    let plant = plant(&[]).await;
    let console = console(&plant, "planner");
    let (import, request) = plan_of(&console, &factory());
    let plan = sent(&console.engine, request).await;
    (plant, console, import, plan)
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_go_in_order_and_a_row_waits_for_one_that_was_refused() {
    let (plant, console, _, plan) = setting().await;
    let engine = &console.engine;
    let operations: Vec<&str> = plan.submissions.iter().map(|view| view.operation.as_str()).collect();
    assert_eq!(operations, ["materials.sync", "work-orders.sync", "work-orders.planning-dates"]);
    let [materials, orders, dates] = &plan.submissions[..] else { panic!("three steps") };
    assert_eq!(materials.counts, counts(0, 2, 0, 0));
    assert_eq!(orders.counts, counts(0, 3, 1, 0), "an item with two parts has three rows");
    assert_eq!((dates.counts, dates.waiting), (counts(1, 1, 0, 0), 1));
    assert_eq!(
        fates(engine, orders.id),
        [
            ("Orders".to_owned(), 2, Fate::Rejected),
            ("Orders".to_owned(), 3, Fate::Accepted),
            ("Raw materials".to_owned(), 2, Fate::Accepted),
            ("Raw materials".to_owned(), 3, Fate::Accepted),
        ]
    );
    let waiting = &rows(engine, dates.id, Some(Fate::Pending))[0];
    assert_eq!((waiting.row, &waiting.reasons[..]), (2, &["Waits for row 2 of sheet Orders.".to_owned()][..]));
    let log = plant.log();
    let order = log.iter().filter_map(|entry| entry.operation.as_deref()).filter(|id| operations.contains(id));
    assert_eq!(order.collect::<Vec<_>>(), operations);
    assert!(engine.submissions().resume_plan(plan.id, None).await.is_ok(), "there is something pending");
    let again = engine.submissions().wait_plan(plan.id).await.unwrap();
    assert_eq!(again.submissions[2].counts, counts(1, 1, 0, 0), "it still waits");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waited_goes_once_the_other_was_accepted_also_after_a_restart() {
    let (plant, console, _, plan) = setting().await;
    let body = json!({"code": "WO-P1", "operationCode": "010", "materialCode": "MAT-P2", "requestedQuantity": 5});
    let mended = send(&console.engine, request("work-orders.sync", vec![item(2, "WO-P1 · 010", body)], 10)).await;
    assert_eq!(mended.counts, counts(0, 1, 0, 0));
    let Console { engine: before, home } = console;
    drop(before);
    let engine = engine(&home, &plant, "planner");
    let id = plan.submissions[2].id;
    assert_eq!(engine.submissions().view(id).unwrap().waiting, 1, "the wait was written down");
    engine.submissions().resume(id, None).await.unwrap();
    let view = ended(&engine, id).await;
    assert_eq!((view.counts, view.waiting, view.state), (counts(0, 2, 0, 0), 0, SubmissionState::Finished));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_may_decide_that_what_waits_is_not_sent() {
    let (_plant, console, import, plan) = setting().await;
    let id = plan.submissions[2].id;
    let view = console.engine.submissions().skip_waiting(id).await.unwrap();
    assert_eq!((view.counts.skipped, view.counts.accepted, view.counts.pending), (1, 1, 0));
    assert!(view.complete());
    let skipped = &rows(&console.engine, id, Some(Fate::Skipped))[0];
    assert_eq!(skipped.reasons, ["Waits for row 2 of sheet Orders."]);
    let out = console.home.path().join("out.xlsx");
    let original = console.engine.imports().plan_original(import).unwrap();
    let saved = console.engine.submissions().export_plan(plan.id, Some(&original), &out).unwrap();
    assert!(saved.whole);
    let limits = takt_sheet::Limits::default();
    let workbook = Workbook::open(&out, &limits).unwrap();
    for (sheet, row, column, text) in [
        ("Materials", 2, 2, "accepted"),
        ("Orders", 2, 4, "rejected"),
        ("Raw materials", 3, 4, "accepted"),
        ("Dates", 2, 4, "skipped"),
        ("Dates", 2, 5, "Waits for row 2 of sheet Orders."),
    ] {
        let read = workbook.read(sheet, &limits, &|| false).unwrap();
        let position = read.rows.position(row).unwrap();
        let cell = read.rows.cell(position, column).unwrap();
        assert!(cell.shown().ends_with(text), "{sheet} {row}: {}", cell.shown());
    }
}
