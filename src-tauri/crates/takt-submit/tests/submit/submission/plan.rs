//! Tests plans: the order of steps, items with parts, and rows that wait for rows that weren't accepted.

use serde_json::json;
use takt_engine::{
    Engine, Problem,
    import::{Drafts, ImportId},
    item::{Change, ItemComparison, RowResult},
    submission::{
        ImportToSend, PlanView, Relation, ResultRow, SendOptions, SubmissionId, SubmissionOrigin, SubmissionRequest,
        SubmissionState,
    },
};
use takt_plant::RunningPlant;
use takt_sheet::{
    Workbook,
    writer::{OutColumn, OutSheet, write_workbook},
};

use super::support::{
    EngineFixture, SITE, counts, engine, engine_fixture, good_material, item, material, plant, request, rows, send,
    wait_for_end, with_options,
};

fn sheet(name: &str, headings: &[&str], rows: &[&[&str]]) -> OutSheet {
    OutSheet {
        name: name.to_owned(),
        columns: headings.iter().copied().map(OutColumn::new).collect(),
        rows: rows.iter().map(|row| row.iter().map(|&cell| cell.into()).collect()).collect(),
        ..OutSheet::default()
    }
}

/// Dates for two orders, and parts of both on a third sheet. The plant refuses the first order, because its material is
/// unknown.
fn factory_sheets() -> Vec<OutSheet> {
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

fn prepare_plan(fixture: &EngineFixture, sheets: &[OutSheet]) -> (ImportId, SubmissionRequest) {
    let path = fixture.home.path().join("plan.xlsx");
    write_workbook(&path, sheets).unwrap();
    let imports = fixture.engine.imports();
    let view = imports.plan(imports.open(&path).unwrap().id).unwrap();
    let steps = imports.prepare_items(view.id).unwrap();
    (view.id, SubmissionRequest { site: SITE.to_owned(), steps, ..SubmissionRequest::default() })
}

async fn send_plan(engine: &Engine, request: SubmissionRequest) -> PlanView {
    let id = engine.submissions().submit(request).await.unwrap().id.first();
    tokio::time::timeout(std::time::Duration::from_secs(60), engine.submissions().wait(id)).await.unwrap().unwrap()
}

fn results(engine: &Engine, id: SubmissionId) -> Vec<(String, u32, RowResult)> {
    rows(engine, id, None).into_iter().map(|ResultRow { sheet, row, result, .. }| (sheet, row.get(), result)).collect()
}

async fn send_factory_plan() -> (RunningPlant, EngineFixture, ImportId, PlanView) {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let (import, request) = prepare_plan(&fixture, &factory_sheets());
    let plan = send_plan(&fixture.engine, request).await;
    (plant, fixture, import, plan)
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_go_in_order_and_a_row_waits_for_one_that_was_refused() {
    let (plant, fixture, _, plan) = send_factory_plan().await;
    let engine = &fixture.engine;
    let operations: Vec<&str> = plan.submissions.iter().map(|view| view.operation.as_str()).collect();
    assert_eq!(operations, ["materials.sync", "work-orders.sync", "work-orders.planning-dates"]);
    let [materials, orders, dates] = &plan.submissions[..] else { panic!("three steps") };
    assert_eq!(materials.counts, counts(0, 2, 0, 0));
    assert_eq!(orders.counts, counts(0, 3, 1, 0), "an item with two parts has three rows");
    assert_eq!((dates.counts, dates.waiting), (counts(1, 1, 0, 0), 1));
    assert_eq!(
        results(engine, orders.id),
        [
            ("Orders".to_owned(), 2, RowResult::Rejected),
            ("Orders".to_owned(), 3, RowResult::Accepted),
            ("Raw materials".to_owned(), 2, RowResult::Accepted),
            ("Raw materials".to_owned(), 3, RowResult::Accepted),
        ]
    );
    let waiting = &rows(engine, dates.id, Some(RowResult::Pending))[0];
    assert_eq!((waiting.row.get(), &waiting.reasons[..]), (2, &["Waits for row 2 on sheet Orders.".to_owned()][..]));
    let log = plant.log();
    let order = log.iter().filter_map(|entry| entry.operation.as_deref()).filter(|id| operations.contains(id));
    assert_eq!(order.collect::<Vec<_>>(), operations);
    let still = engine.submissions().resume(plan.id.first(), None).await.unwrap_err();
    assert_eq!(still.parameters["obstacle"], "all-wait", "there is something pending");
    let again = engine.submissions().wait(plan.id.first()).await.unwrap();
    assert_eq!(again.submissions[2].counts, counts(1, 1, 0, 0), "it still waits");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_files_counts_the_rows_of_all_steps() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    Drafts::new(fixture.engine.imports()).enable_drafts();
    let (import, _) = prepare_plan(&fixture, &factory_sheets());
    let import = ImportToSend { import, site: SITE.to_owned(), preview: None, close: true };
    let plan = fixture.engine.submissions().send(import, SendOptions::default()).await.unwrap().id;
    let plan = fixture.engine.submissions().wait(plan.first()).await.unwrap();
    let files = Drafts::new(fixture.engine.imports()).recent_files().unwrap();
    let sent = files[0].sent.as_ref().unwrap();
    assert_eq!((sent.counts, sent.submission), (plan.counts(), plan.submissions[2].id));
    assert_eq!(sent.counts, counts(1, 6, 1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_rows_are_sent_once_the_other_is_accepted_also_after_a_restart() {
    let (plant, fixture, _, plan) = send_factory_plan().await;
    let body = json!({"code": "WO-P1", "operationCode": "010", "materialCode": "MAT-P2", "requestedQuantity": 5});
    let fixed = send(&fixture.engine, request("work-orders.sync", vec![item(2, "WO-P1 · 010", body)], 10)).await;
    assert_eq!(fixed.counts, counts(0, 1, 0, 0));
    let EngineFixture { engine: before, home } = fixture;
    drop(before);
    let engine = engine(&home, &plant, "planner");
    let id = plan.submissions[2].id;
    assert_eq!(engine.submissions().view(id).unwrap().waiting, 1, "the wait was written down");
    engine.submissions().resume(id, None).await.unwrap();
    let view = wait_for_end(&engine, id).await;
    assert_eq!((view.counts, view.waiting, view.state), (counts(0, 2, 0, 0), 0, SubmissionState::Finished));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_may_decide_that_what_waits_is_not_sent() {
    let (_plant, fixture, import, plan) = send_factory_plan().await;
    let id = plan.submissions[2].id;
    let view = fixture.engine.submissions().skip_waiting(id).await.unwrap();
    assert_eq!((view.counts.skipped, view.counts.accepted, view.counts.pending), (1, 1, 0));
    assert!(view.is_complete());
    let skipped = &rows(&fixture.engine, id, Some(RowResult::Skipped))[0];
    assert_eq!(skipped.reasons, ["Waits for row 2 on sheet Orders."]);
    let out = fixture.home.path().join("out.xlsx");
    let original = fixture.engine.imports().original(import).unwrap();
    let saved = fixture.engine.submissions().export_results(plan.id.first(), Some(&original), &out).unwrap();
    assert!(saved.keeps_original);
    let limits = takt_sheet::Limits::default();
    let workbook = Workbook::open(&out, &limits).unwrap();
    for (sheet, row, column, text) in [
        ("Materials", 2, 2, "accepted"),
        ("Orders", 2, 4, "rejected"),
        ("Raw materials", 3, 4, "accepted"),
        ("Dates", 2, 4, "skipped"),
        ("Dates", 2, 5, "Waits for row 2 on sheet Orders."),
    ] {
        let read = workbook.read(sheet, &limits, &|| false).unwrap();
        let position = read.rows.position(row).unwrap();
        let cell = read.rows.cell(position, column).unwrap();
        assert!(cell.shown().ends_with(text), "{sheet} {row}: {}", cell.shown());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trial_run_sends_the_first_items_of_all_steps_together() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let engine = &fixture.engine;
    let results = |plan: &PlanView| {
        plan.submissions.iter().map(|step| (step.counts.accepted, step.counts.pending)).collect::<Vec<_>>()
    };
    // Two materials, then two orders of which one is refused, then their dates.
    for (trial, after) in [(1, [(1, 1), (0, 4), (0, 2)]), (2, [(2, 0), (0, 4), (0, 2)]), (3, [(2, 0), (0, 3), (0, 2)])]
    {
        let (import, request) = prepare_plan(&fixture, &factory_sheets());
        fixture.engine.imports().close(import);
        let plan =
            send_plan(engine, with_options(request, SendOptions { trial: Some(trial), ..SendOptions::default() }))
                .await;
        assert_eq!(results(&plan), after, "{trial}");
        assert!(!plan.running && plan.submissions.iter().any(|step| step.state == SubmissionState::Paused));
        engine.submissions().resume(plan.id.first(), None).await.unwrap();
        let plan = engine.submissions().wait(plan.id.first()).await.unwrap();
        assert_eq!(results(&plan), [(2, 0), (3, 0), (1, 1)], "{trial}: as without a trial run");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_dont_wait_for_items_that_exist() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let sheets = |quantity: &str| {
        let orders: &[&str] = &["WO-P2", "010", "MAT-P2", quantity];
        vec![
            sheet("Materials", &["Material code", "Description"], &[&["MAT-P2", "Nut"]]),
            sheet("Orders", &["Work order", "Operation", "Material", "Requested quantity"], &[orders]),
        ]
    };
    let (_, request) = prepare_plan(&fixture, &sheets("5"));
    send_plan(&fixture.engine, request).await;
    let (_, mut request) = prepare_plan(&fixture, &sheets("6"));
    assert_eq!(request.steps[1].waits.len(), 1);
    // As in a preview of items that already exist with the same values.
    let same = ItemComparison { change: Change::Same, before: None, neighbors: Vec::new(), skip: true };
    request.steps[0].set.items[0].comparison = Some(Box::new(same));
    let plan = send_plan(&fixture.engine, request).await;
    let [materials, orders] = &plan.submissions[..] else { panic!("two steps") };
    assert_eq!((materials.counts.skipped, materials.state), (1, SubmissionState::Finished));
    assert_eq!((orders.counts, orders.waiting), (counts(0, 1, 0, 0), 0));
}

/// Orders with parts on a second sheet. Each order is its material, and each part is an order and its material.
fn orders_with_parts(orders: &[&str], parts: &[(&str, &str)]) -> Vec<OutSheet> {
    let codes = ["WO-R1", "WO-R2", "WO-R3"];
    let orders: Vec<Vec<&str>> =
        orders.iter().zip(codes).map(|(material, code)| vec![code, "010", material, "5"]).collect();
    let parts: Vec<Vec<&str>> = parts.iter().map(|(order, material)| vec![*order, "010", *material, "2"]).collect();
    let rows = |rows: &[Vec<&str>], name: &str, headings: &[&str]| {
        let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
        sheet(name, headings, &rows)
    };
    vec![
        rows(&orders, "Orders", &["Work order", "Operation", "Material", "Requested quantity"]),
        rows(&parts, "Raw materials", &["Work order", "Operation", "Material", "Quantity"]),
    ]
}

/// Sends the rejected rows of a submission as a corrected workbook has them.
async fn retry(fixture: &EngineFixture, submission: SubmissionId, sheets: &[OutSheet]) -> Result<PlanView, Problem> {
    let (import, _) = prepare_plan(fixture, sheets);
    let import = ImportToSend { import, site: SITE.to_owned(), preview: None, close: true };
    let follows = Some(SubmissionOrigin { submission, relation: Relation::Retry });
    let options = SendOptions { skip_blocked: true, follows, ..SendOptions::default() };
    let plan = fixture.engine.submissions().send(import, options).await?;
    fixture.engine.submissions().wait(plan.id.first()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_item_is_never_sent_with_fewer_rows_or_rows_of_others() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let materials = [json!({"code": "MAT-1", "description": "Nut"}), json!({"code": "RAW-1", "description": "Steel"})];
    let items = materials.iter().zip(2..).map(|(body, row)| item(row, body["code"].as_str().unwrap(), body.clone()));
    send(&fixture.engine, request("materials.sync", items.collect(), 10)).await;
    let parts = [("WO-R1", "RAW-1"), ("WO-R1", "MAT-1"), ("WO-R2", "RAW-1")];
    let (_, first) = prepare_plan(&fixture, &orders_with_parts(&["UNKNOWN", "MAT-1", "UNKNOWN"], &parts));
    let first = send_plan(&fixture.engine, first).await.submissions[0].clone();
    assert_eq!(first.counts, counts(0, 2, 4, 0), "two orders are rejected, one of them with two parts");

    for (what, orders, parts, obstacle) in [
        ("a part was deleted", vec!["MAT-1", "MAT-1"], vec![parts[0]], "row-lost"),
        (
            "a part belongs to another order",
            vec!["MAT-1", "MAT-1"],
            vec![parts[0], ("WO-R2", "MAT-1"), parts[2]],
            "row-lost",
        ),
    ] {
        let problem = retry(&fixture, first.id, &orders_with_parts(&orders, &parts)).await.unwrap_err();
        assert_eq!(problem.parameters["obstacle"], obstacle, "{what}");
        assert!(
            problem.message.contains("Raw materials 3") && problem.message.contains("WO-R1"),
            "{}",
            problem.message
        );
    }

    // Another part of the same order is part of the correction. An order without its row stays rejected.
    let more = [parts[0], parts[1], parts[2], ("WO-R1", "RAW-1")];
    let plan = retry(&fixture, first.id, &orders_with_parts(&["MAT-1", "MAT-1"], &more)).await.unwrap();
    assert_eq!(plan.counts(), counts(0, 4, 0, 0), "one order with three parts");
    let left = fixture.engine.submissions().rejected_rows(first.id).unwrap();
    assert_eq!(left.iter().map(|row| (row.sheet.as_str(), row.row.get())).collect::<Vec<_>>(), [("Orders", 4)]);
}

#[tokio::test]
async fn rejected_rows_follow_the_step_that_has_them() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let mut both = request("materials.sync", vec![good_material(2), material(10)], 10);
    let mut later = request("materials.sync", vec![good_material(3), material(20)], 10).steps;
    later[0].set.sheet = "More".to_owned();
    later[0].set.items.iter_mut().flat_map(|item| &mut item.rows).for_each(|row| row.sheet = "More".to_owned());
    both.steps.append(&mut later);
    let plan = send_plan(&fixture.engine, both).await;
    let second = plan.submissions[1].id;
    let again = fixture.engine.submissions().create_retry(second).unwrap();
    let again = send(&fixture.engine, again).await;
    assert_eq!((again.follows, again.sheet.as_str()), (Some(second), "More"));
}

/// Another sheet or operation of the same file is another import, also if the file's name differs.
#[tokio::test]
async fn a_file_is_known_only_by_the_sheets_and_operations_that_were_sent() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let (imports, submissions) = (fixture.engine.imports(), fixture.engine.submissions());
    let write = |name: &str| {
        let path = fixture.home.path().join(name);
        std::fs::write(&path, "Material code,Description\nMAT-K1,Nut\n").unwrap();
        path
    };
    let open = |path: &std::path::Path, operation: &str| {
        imports.choose_operation(imports.open(path).unwrap().id, operation).unwrap()
    };
    let first = open(&write("one.csv"), "materials.sync");
    assert_eq!(submissions.sent_files().find_same_import(SITE, &first).unwrap(), None);
    let import = ImportToSend { import: first.id, site: SITE.to_owned(), preview: None, close: true };
    let sent = submissions.send(import, SendOptions::default()).await.unwrap().id.first();
    wait_for_end(&fixture.engine, sent).await;

    let found = |view| submissions.sent_files().find_same_import(SITE, &view).unwrap().map(|view| view.id);
    let renamed = write("other.csv");
    assert_eq!(found(open(&renamed, "materials.sync")), Some(sent));
    assert_eq!(found(open(&renamed, "stock.sync")), None);

    let sheets = factory_sheets();
    let path = fixture.home.path().join("sheets.xlsx");
    write_workbook(&path, &sheets[2..]).unwrap();
    let sheet = |name: &str| imports.choose_sheet(imports.open(&path).unwrap().id, name).unwrap();
    let import = ImportToSend { import: sheet("Materials").id, site: SITE.to_owned(), preview: None, close: true };
    let sent = submissions.send(import, SendOptions::default()).await.unwrap().id.first();
    wait_for_end(&fixture.engine, sent).await;
    assert_eq!((found(sheet("Materials")), found(sheet("Orders"))), (Some(sent), None));
    let workbook = imports.plan(imports.open(&path).unwrap().id).unwrap();
    assert_eq!(found(workbook), None, "one of its sheets wasn't sent");
}
