//! The history: sender and mapping, search, original requests, the report for the next shift, the support bundle, and
//! results in the original workbook.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Read,
    path::Path,
};

use jiff::tz::TimeZone;
use serde_json::Value;
use takt_engine::{
    Code, Engine, Language,
    history::{BundleChoice, HistoryQuery},
    item::{Change, Item, ItemComparison, RowResult},
    submission::{SendOptions, SubmissionId, SubmissionRequest},
};
use takt_sheet::{
    Limits, Workbook,
    writer::{OutColumn, OutSheet, write_workbook},
};

use super::support::{
    EngineFixture, SITE, counts, engine_fixture, good_material, material, parse_faults, plant, request, send,
    wait_for_end, with_options,
};

fn text_query(text: &str) -> HistoryQuery {
    HistoryQuery { text: Some(text.to_owned()), ..HistoryQuery::default() }
}

fn submission_ids(engine: &Engine, query: &HistoryQuery) -> Vec<SubmissionId> {
    engine.history().list(query, 0, 100).unwrap().submissions.into_iter().map(|view| view.id).collect()
}

/// A workbook with two materials. The second lacks a value that the service requires and no check finds.
fn write_materials_workbook(folder: &Path, name: &str) -> std::path::PathBuf {
    let path = folder.join(name);
    let columns = ["Material code", "Description"].map(OutColumn::new).to_vec();
    let rows = vec![vec!["KRX-4711".into(), "=Zahnrad".into()], vec!["KRX-4712".into(), "Ritzel".into()]];
    let sheet = OutSheet { name: "Stammdaten".to_owned(), columns, rows, ..OutSheet::default() };
    write_workbook(&path, &[sheet]).unwrap();
    path
}

fn sheet_names(path: &Path) -> Vec<String> {
    let workbook = Workbook::open(path, &Limits::default()).unwrap();
    workbook.sheets().iter().map(|sheet| sheet.name.clone()).collect()
}

/// Returns all cells of a sheet as Excel shows them.
fn sheet_text(path: &Path, sheet: &str) -> String {
    let limits = Limits::default();
    let sheet = Workbook::open(path, &limits).unwrap().read(sheet, &limits, &|| false).unwrap();
    let rows = sheet
        .rows
        .iter()
        .map(|row| row.cells.iter().map(|cell| cell.shown().into_owned()).collect::<Vec<_>>().join("|"));
    rows.collect::<Vec<_>>().join("\n")
}

/// Opens and sends a file like both user interfaces.
async fn send_file(fixture: &EngineFixture, path: &Path) -> SubmissionId {
    let imports = fixture.engine.imports();
    let view = imports.open(path).unwrap();
    let items = imports.prepare_items(view.id).unwrap();
    imports.close(view.id);
    let wanted = SubmissionRequest { site: SITE.to_owned(), steps: items, ..SubmissionRequest::default() };
    send(&fixture.engine, wanted).await.id
}

#[tokio::test]
async fn person_and_mapping_are_kept_and_everything_is_found_again() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let engine = &fixture.engine;
    let first = send_file(&fixture, &write_materials_workbook(fixture.home.path(), "KW 48.xlsx")).await;
    let second = send(engine, request("materials.sync", (1..=12).map(material).collect(), 5)).await.id;
    assert_eq!(engine.submissions().view(first).unwrap().person, "anna");

    for (what, wanted) in [
        ("anna", [second, first].as_slice()),
        ("kw 48", &[first]),
        ("krx-4712", &[first]),
        ("T-00010", &[second]),
        ("Materials", &[second, first]),
        ("Materialien", &[second, first]),
        ("nobody", &[]),
    ] {
        assert_eq!(submission_ids(engine, &text_query(what)), wanted, "{what}");
    }
    let none = HistoryQuery { unconfirmed: true, ..HistoryQuery::default() };
    assert!(submission_ids(engine, &none).is_empty());
    let later = HistoryQuery { since: Some("2999-01-01T00:00:00Z".to_owned()), ..HistoryQuery::default() };
    assert!(submission_ids(engine, &later).is_empty());
    let wrong = HistoryQuery { since: Some("yesterday".to_owned()), ..HistoryQuery::default() };
    assert_eq!(engine.history().list(&wrong, 0, 1).unwrap_err().code, Code::InvalidInput);

    // The stored mapping is a valid argument of `--mapping`.
    let story = engine.history().submission_context(first).unwrap();
    let mapping_file = fixture.home.path().join("mapping.json");
    fs::write(&mapping_file, story.mapping.unwrap()).unwrap();
    let read = takt_engine::import::MappingFile::read_all(&mapping_file).unwrap();
    assert_eq!((read[0].operation.as_str(), read[0].columns.len()), ("materials.sync", 2));
    assert_eq!(story.chain.len(), 1);

    let rows = engine.submissions().search_rows(second, Some(RowResult::Rejected), "T-0001", 0, 10).unwrap();
    assert_eq!((rows.total, rows.rows[0].key.as_str()), (1, "T-00010"));
}

#[tokio::test]
async fn requests_are_told_and_their_bodies_made_again_to_the_letter() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let id = send(&fixture.engine, request("materials.sync", (1..=12).map(material).collect(), 5)).await.id;
    let page = fixture.engine.submissions().requests(id, 0, 2).unwrap();
    assert_eq!((page.total, page.requests.len()), (3, 2));
    let mut codes = Vec::new();
    for number in 1..=3 {
        let body = fixture.engine.submissions().request_body(id, number).unwrap();
        assert!(body.exact, "{body:?}");
        let read: Value = serde_json::from_str(&body.body).unwrap();
        codes.extend(read["items"].as_array().unwrap().iter().map(|item| item["code"].as_str().unwrap().to_owned()));
        assert!(!body.body.contains("Bearer") && body.path.ends_with("batch"));
    }
    codes.sort();
    assert_eq!(codes.len(), 12);
    assert_eq!(fixture.engine.submissions().request_body(id, 9).unwrap_err().code, Code::Unknown);
}

#[tokio::test]
async fn a_plans_steps_keep_their_mappings_with_those_of_their_parts() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let path = fixture.home.path().join("plan.xlsx");
    let sheet = |name: &str, headings: &[&str], cells: &[&str]| OutSheet {
        name: name.to_owned(),
        columns: headings.iter().copied().map(OutColumn::new).collect(),
        rows: vec![cells.iter().map(|&cell| cell.into()).collect()],
        ..OutSheet::default()
    };
    let sheets = [
        sheet("Materials", &["Material code", "Description"], &["MAT-P2", "Nut"]),
        sheet(
            "Orders",
            &["Work order", "Operation", "Material", "Requested quantity"],
            &["WO-P2", "010", "MAT-P2", "6"],
        ),
        sheet("Raw materials", &["Work order", "Operation", "Material", "Quantity"], &["WO-P2", "010", "MAT-P2", "2"]),
    ];
    write_workbook(&path, &sheets).unwrap();
    let imports = fixture.engine.imports();
    let view = imports.plan(imports.open(&path).unwrap().id).unwrap();
    let steps = imports.prepare_items(view.id).unwrap();
    imports.close(view.id);
    let wanted = SubmissionRequest { site: SITE.to_owned(), steps, ..SubmissionRequest::default() };
    let plan = fixture.engine.submissions().submit(wanted).await.unwrap();
    let plan = fixture.engine.submissions().wait(plan.id.first()).await.unwrap();
    let mapping_file = fixture.home.path().join("mapping.json");
    fs::write(
        &mapping_file,
        fixture.engine.history().submission_context(plan.submissions[1].id).unwrap().mapping.unwrap(),
    )
    .unwrap();
    let read = takt_engine::import::MappingFile::read_all(&mapping_file).unwrap();
    let named: Vec<_> =
        read.iter().map(|mapping| (mapping.sheet.as_deref().unwrap(), mapping.list.as_deref())).collect();
    assert_eq!(named, [("Orders", None), ("Raw materials", Some("rawMaterials"))]);

    // The original workbook can receive the results of all steps.
    let out = fixture.home.path().join("returned.xlsx");
    let saved = fixture.engine.history().save_results_in_sent_workbook(plan.submissions[1].id, &path, &out).unwrap();
    assert!(saved.keeps_original);
    let accepted = sheet_text(Path::new(&saved.path), "Materials");
    assert!(accepted.contains("accepted"), "{accepted}");
}

#[tokio::test]
async fn results_go_into_the_workbook_that_was_sent_and_into_no_other() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let path = write_materials_workbook(fixture.home.path(), "KW 48.xlsx");
    let id = send_file(&fixture, &path).await;
    let out = fixture.home.path().join("returned.xlsx");
    let saved = fixture.engine.history().save_results_in_sent_workbook(id, &path, &out).unwrap();
    assert!(saved.keeps_original);
    assert_eq!(sheet_names(Path::new(&saved.path)), ["Stammdaten", "Results"]);

    let other = fixture.home.path().join("other.xlsx");
    let columns = vec![OutColumn::new("Material code")];
    let sheet =
        OutSheet { name: "Stammdaten".to_owned(), columns, rows: vec![vec!["X".into()]], ..OutSheet::default() };
    write_workbook(&other, &[sheet]).unwrap();
    let refused = fixture.engine.history().save_results_in_sent_workbook(id, &other, &out).unwrap_err();
    assert_eq!(refused.parameters["obstacle"], "another-file");
    let own = fixture.engine.history().save_results_in_sent_workbook(id, &path, &path).unwrap_err();
    assert_eq!(own.parameters["obstacle"], "own-file", "never over the planner's file");
}

#[tokio::test]
async fn the_next_shift_reads_what_was_done_and_what_is_open() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let engine = &fixture.engine;
    send_file(&fixture, &write_materials_workbook(fixture.home.path(), "=KW 48.xlsx")).await;
    send(engine, request("materials.sync", (1..=12).map(material).collect(), 5)).await;
    plant.plant().set_faults(parse_faults(&["apply-then-drop:1"]), 1);
    let left = request("materials.sync", (21..=22).map(material).collect(), 5);
    let unconfirmed =
        send(engine, with_options(left, SendOptions { leave_unconfirmed: true, ..SendOptions::default() })).await;
    assert!(unconfirmed.counts.unconfirmed > 0, "{unconfirmed:?}");

    for language in Language::ALL {
        engine.set_language(language);
        let path = fixture.home.path().join("handover.xlsx");
        let began = engine.submissions().view(SubmissionId::new(1)).unwrap().started;
        assert_eq!(engine.history().save_handover(&began, &TimeZone::UTC, &path).unwrap(), 3);
        let names = sheet_names(&path);
        let (runs, open) = (sheet_text(&path, &names[0]), sheet_text(&path, &names[1]));
        assert!(runs.contains("anna") && runs.contains("=KW 48.xlsx") && !runs.contains("handover."), "{runs}");
        assert!(open.contains("T-00010") && open.contains("T-00021"), "{open}");
        assert!(!open.contains("KRX-4711") && !open.contains("handover."), "what was accepted isn't open: {open}");
    }
    engine.set_language(Language::En);
    let path = fixture.home.path().join("later.xlsx");
    assert_eq!(engine.history().save_handover("2999-01-01T00:00:00Z", &TimeZone::UTC, &path).unwrap(), 0);
    let open = sheet_text(&path, "Open rows");
    assert!(open.contains("T-00021"), "what is unconfirmed from before is told again: {open}");
    assert!(!open.contains("T-00010"), "what failed before was told then: {open}");
}

#[tokio::test]
async fn the_next_shift_learns_how_many_accepted_rows_are_new_and_which_are_still_open() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let engine = &fixture.engine;
    let compared = |item: Item, change: Change| {
        let comparison = ItemComparison { change, before: None, neighbors: Vec::new(), skip: false };
        Item { comparison: Some(Box::new(comparison)), ..item }
    };
    let items = vec![
        compared(good_material(2), Change::New),
        compared(good_material(3), Change::New),
        compared(good_material(4), Change::Changed),
        compared(material(10), Change::New),
        compared(material(20), Change::Changed),
    ];
    send(engine, request("materials.sync", items, 10)).await;
    let path = fixture.home.path().join("handover.xlsx");
    let save = || {
        engine.history().save_handover("2000-01-01T00:00:00Z", &TimeZone::UTC, &path).unwrap();
        (sheet_text(&path, "Handover"), sheet_text(&path, "Open rows"))
    };
    let (runs, open) = save();
    let cells = |number: &str| -> BTreeMap<String, String> {
        let line =
            |start: &str| runs.lines().find(|line| line.starts_with(start)).unwrap().split('|').map(str::to_owned);
        line("No.").zip(line(number)).collect()
    };
    let first = cells("1|");
    assert_eq!(
        ["Accepted", "including new", "including changed", "Rejected"].map(|name| first[name].as_str()),
        ["3", "2", "1", "2"]
    );
    assert!(open.contains("T-00010") && open.contains("T-00020"), "{open}");
    // Rows that were corrected since then aren't open.
    send(engine, request("materials.sync", vec![good_material(10)], 10)).await;
    let (_, open) = save();
    assert!(!open.contains("T-00010") && open.contains("T-00020"), "{open}");
}

#[tokio::test]
async fn the_bundle_holds_no_value_and_no_secret() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let engine = &fixture.engine;
    let id = send_file(&fixture, &write_materials_workbook(fixture.home.path(), "KW 48.xlsx")).await;
    send(engine, request("materials.sync", (1..=12).map(material).collect(), 5)).await;
    let tokens = plant.issue_tokens("planner").unwrap();
    let log = format!(
        "2026-11-22T00:13:39Z  INFO takt_client::http: sent KRX-4711 with {} to {} items=2\n",
        tokens.access_token, plant.base_url
    );
    fs::write(engine.home().logs().join("takt.log"), log).unwrap();

    let path = fixture.home.path().join("bundle.zip");
    engine.history().save_bundle(&BundleChoice::default(), &path).unwrap();
    let files = unzip(&path);
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    for name in ["about.json", "sites.json", "journal.json", "logs/1.log"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let all: String = files.values().cloned().collect();
    let secrets = [plant.client_secret.as_str(), &tokens.access_token, plant.base_url.as_str(), "anna"];
    // Four digits alone can be part of a random identifier, so the dash is included.
    let values = ["KRX", "x-4711", "Zahnrad", "Ritzel", "Stammdaten", "KW 48", "Material code", "T-000", "Bolt"];
    for hidden in secrets.into_iter().chain(values) {
        assert!(!all.contains(hidden), "{hidden} is in the bundle");
    }
    let items = &files[&format!("submission-{id}/items.jsonl")];
    let first: Value = serde_json::from_str(items.lines().next().unwrap()).unwrap();
    assert_eq!((&first["key"], &first["body"]["code"]), (&Value::from("xxx-0000"), &Value::from("xxx-0000")));
    assert_eq!(first["result"], "accepted", "{first}");
    let journal: Value = serde_json::from_str(&files["journal.json"]).unwrap();
    assert_eq!((&journal["whole"], &journal["rows"]["item"]), (&Value::from(true), &Value::from(14)));
    assert!(files["logs/1.log"].contains("takt_client::http:"));
    assert_eq!(files[&format!("submission-{id}/requests.jsonl")].lines().count(), 1);

    engine.history().save_bundle(&BundleChoice { submissions: vec![id], addresses: true }, &path).unwrap();
    let files = unzip(&path);
    assert!(files["sites.json"].contains(&plant.base_url), "addresses stay where somebody wants them to");
    assert_eq!(files.keys().filter(|name| name.contains("submission-")).count(), 4);
    let unknown = engine
        .history()
        .save_bundle(&BundleChoice { submissions: vec![SubmissionId::new(99)], addresses: false }, &path);
    assert_eq!(unknown.unwrap_err().code, Code::Unknown);
}

fn unzip(path: &Path) -> BTreeMap<String, String> {
    let mut zip = zip::ZipArchive::new(File::open(path).unwrap()).unwrap();
    let names: Vec<String> = zip.file_names().map(|name| name.unwrap().into_owned()).collect();
    let read = |name: String| {
        let mut text = String::new();
        zip.by_name(&name).unwrap().read_to_string(&mut text).unwrap();
        (name, text)
    };
    names.into_iter().map(read).collect()
}

#[tokio::test]
async fn every_submission_of_a_chain_lists_the_chain() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let engine = &fixture.engine;
    // The tenth material is rejected, so it can be sent again.
    let first = send(engine, request("materials.sync", vec![material(10)], 1)).await.id;
    let mut last = first;
    for relation in [takt_engine::submission::Relation::Retry, takt_engine::submission::Relation::Undo] {
        let follows = Some(takt_engine::submission::SubmissionOrigin { submission: last, relation });
        let wanted = with_options(
            request("materials.sync", vec![good_material(10)], 1),
            SendOptions { follows, ..SendOptions::default() },
        );
        last = engine.submissions().submit(wanted).await.unwrap().id.first();
        assert_eq!(wait_for_end(engine, last).await.counts, counts(0, 1, 0, 0));
    }
    for id in [first, last] {
        let chain: Vec<SubmissionId> =
            engine.history().submission_context(id).unwrap().chain.iter().map(|view| view.id).collect();
        assert_eq!(chain, [1, 2, 3].map(SubmissionId::new));
    }
}
