//! A trial run stops after its rows. Rejected rows are sent by a separate submission, and no others.

use takt_engine::{
    Code, Problem,
    import::ImportId,
    item::{Change, Item, ItemComparison},
    sites::{Site, SiteKind},
    submission::{
        ImportToSend, Relation, ResultCounts, SendOptions, SubmissionId, SubmissionOrigin, SubmissionState,
        SubmissionView,
    },
};
use takt_test_support::setup::site_of_plant;

use super::support::{
    EngineFixture, SITE, check_against_log, count_applied, counts, engine_fixture, good_material, material, plant,
    request, request_count, send, wait_for_end, with_options,
};

#[tokio::test]
async fn a_trial_run_sends_its_rows_and_pauses() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    // Two of the first five aren't sent, so the sixth and seventh are part of the trial.
    let mut items: Vec<Item> = (1..=9).chain(11..=31).map(good_material).collect();
    items[1].skipped = true;
    items[3].comparison =
        Some(Box::new(ItemComparison { change: Change::Same, before: None, neighbors: Vec::new(), skip: true }));
    let asked =
        with_options(request("materials.sync", items, 3), SendOptions { trial: Some(5), ..SendOptions::default() });
    let view = send(&fixture.engine, asked).await;
    assert_eq!((view.state, view.trial), (SubmissionState::Paused, Some(7)));
    assert_eq!((view.counts.accepted, view.counts.skipped, view.counts.pending), (5, 2, 23));
    let sent: Vec<String> = count_applied(&plant.log()).into_keys().collect();
    assert_eq!(sent, ["T-00001", "T-00003", "T-00005", "T-00006", "T-00007"]);

    fixture.engine.submissions().resume(view.id, None).await.unwrap();
    let view = wait_for_end(&fixture.engine, view.id).await;
    assert_eq!((view.state, view.trial), (SubmissionState::Finished, None));
    assert_eq!((view.counts.accepted, view.counts.skipped, view.counts.pending), (28, 2, 0));
    check_against_log(&fixture.engine, view.id, &plant.log());
}

#[tokio::test]
async fn a_trial_of_everything_is_none() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let asked = with_options(
        request("materials.sync", (1..=4).map(good_material).collect(), 3),
        SendOptions { trial: Some(4), ..SendOptions::default() },
    );
    let view = send(&fixture.engine, asked).await;
    assert_eq!((view.state, view.counts, view.trial), (SubmissionState::Finished, counts(0, 4, 0, 0), None));
}

#[tokio::test]
async fn rejected_rows_are_sent_again_and_accepted_ones_never() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let engine = &fixture.engine;
    let first = send(engine, request("materials.sync", (1..=30).map(material).collect(), 10)).await;
    assert_eq!(first.counts, counts(0, 27, 3, 0));
    let rejected: Vec<u32> =
        engine.submissions().rejected_rows(first.id).unwrap().iter().map(|row| row.row.get()).collect();
    assert_eq!(rejected, [10, 20, 30]);

    // Unchanged rows are refused again, and no others are sent.
    let before = request_count(&plant.log(), "materials.sync");
    let asked = engine.submissions().create_retry(first.id).unwrap();
    assert_eq!(asked.options.follows, Some(SubmissionOrigin { submission: first.id, relation: Relation::Retry }));
    let again = send(engine, asked).await;
    assert_eq!((again.total, again.counts), (3, counts(0, 0, 3, 0)));
    assert_eq!((again.follows, request_count(&plant.log(), "materials.sync") - before), (Some(first.id), 1));

    // A corrected file with all rows but the last: one of its two rejected rows is corrected, the other still wrong.
    let rows: Vec<Item> = (2..=29).map(|row| if row == 20 { material(row) } else { good_material(row) }).collect();
    let corrected = open(&fixture, "materials.sync", &rows);
    let fixed = retry(&fixture, first.id, corrected, SITE).await.unwrap();
    let expected = ResultCounts { accepted: 1, skipped: 1, ..ResultCounts::default() };
    assert_eq!((fixed.file.as_str(), fixed.counts), ("Materials.csv", expected));
    assert_eq!(engine.submissions().view(first.id).unwrap().counts, counts(0, 27, 3, 0), "the old results stay");
    assert!(count_applied(&plant.log()).values().all(|times| *times == 1), "nothing was applied twice");

    // Rows that a later submission has accepted aren't listed as rejected.
    let left: Vec<u32> =
        engine.submissions().rejected_rows(first.id).unwrap().iter().map(|row| row.row.get()).collect();
    assert_eq!(left, [20, 30]);
}

/// A row that moved would be sent in place of the rejected one, although the service has accepted it.
#[tokio::test]
async fn a_corrected_file_whose_rows_have_moved_is_refused() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let first = send(&fixture.engine, request("materials.sync", (2..=12).map(material).collect(), 20)).await;
    assert_eq!(first.counts, counts(0, 10, 1, 0));
    // Row 5 was deleted, so row 10 has the former content of row 11.
    let rows: Vec<Item> = (2..=12).filter(|row| *row != 5).map(good_material).collect();
    let moved = open(&fixture, "materials.sync", &rows);
    let problem = retry(&fixture, first.id, moved, SITE).await.unwrap_err();
    assert_eq!(problem.parameters["obstacle"], "rows-moved");
    assert!(problem.message.contains("row 10") && problem.message.contains("T-00011"), "{}", problem.message);
    assert!(count_applied(&plant.log()).values().all(|times| *times == 1), "nothing was sent again");
}

/// The results of moved rows would be stored for the wrong rows.
#[tokio::test]
async fn rejected_rows_that_changed_places_are_refused() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let first = send(&fixture.engine, request("materials.sync", (2..=21).map(material).collect(), 30)).await;
    let place = |row: u32| match row {
        10 => 20,
        20 => 10,
        row => row,
    };
    let rows: Vec<Item> = (2..=21).map(|row| good_material(place(row))).collect();
    let moved = open(&fixture, "materials.sync", &rows);
    let problem = retry(&fixture, first.id, moved, SITE).await.unwrap_err();
    assert_eq!(problem.parameters["obstacle"], "rows-moved");
    assert_eq!(request_count(&plant.log(), "materials.sync"), 1);
}

#[tokio::test]
async fn a_row_accepted_under_another_key_isnt_sent_again() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let submissions = fixture.engine.submissions();
    let first = send(&fixture.engine, request("materials.sync", (2..=21).map(material).collect(), 30)).await;
    let stale = submissions.create_retry(first.id).unwrap();
    // Row 10 gets another code, and row 20 stays wrong.
    let rows: Vec<Item> = (2..=21).map(|row| if row == 10 { good_material(50) } else { material(row) }).collect();
    let corrected = open(&fixture, "materials.sync", &rows);
    let fixed = retry(&fixture, first.id, corrected, SITE).await.unwrap();
    assert_eq!(fixed.counts, ResultCounts { accepted: 1, skipped: 1, ..ResultCounts::default() });
    let left: Vec<u32> = submissions.rejected_rows(first.id).unwrap().iter().map(|row| row.row.get()).collect();
    assert_eq!(left, [20]);
    // Rows that were listed before are compared again when they are sent.
    let again = send(&fixture.engine, stale).await;
    assert_eq!((again.total, again.counts), (1, counts(0, 0, 1, 0)));
}

#[tokio::test]
async fn impossible_retries_are_refused() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let view = send(&fixture.engine, request("materials.sync", vec![good_material(1)], 10)).await;
    let submissions = fixture.engine.submissions();
    let obstacle = |problem: Problem| problem.parameters["obstacle"].clone();
    assert_eq!(obstacle(submissions.create_retry(view.id).unwrap_err()), "nothing-rejected");
    assert_eq!(submissions.create_retry(SubmissionId::new(99)).unwrap_err().code, Code::Unknown);
    let same = open(&fixture, "materials.sync", &[good_material(2)]);
    assert_eq!(obstacle(retry(&fixture, view.id, same, SITE).await.unwrap_err()), "nothing-rejected");
    let options = SendOptions {
        follows: Some(SubmissionOrigin { submission: view.id, relation: Relation::Undo }),
        ..SendOptions::default()
    };
    let import = ImportToSend { import: same, site: SITE.to_owned(), preview: None, close: false };
    assert_eq!(submissions.send(import, options).await.unwrap_err().code, Code::InvalidInput);
    let other = open(&fixture, "stock.sync", &[good_material(2)]);
    assert_eq!(obstacle(retry(&fixture, view.id, other, SITE).await.unwrap_err()), "other-operation");
    assert_eq!(obstacle(submissions.load_mappings(view.id).unwrap_err()), "no-mapping-kept");

    let another_site = Site { time_zone: "UTC".to_owned(), ..site_of_plant("works", SiteKind::Test, &plant) };
    fixture.engine.save_site(another_site, None).unwrap();
    fixture.engine.sites().select_site("works").unwrap();
    let elsewhere = open(&fixture, "materials.sync", &[good_material(2)]);
    assert_eq!(obstacle(retry(&fixture, view.id, elsewhere, "works").await.unwrap_err()), "other-site");
}

/// Opens a csv file of materials. Their rows must begin with 2, without gaps.
fn open(fixture: &EngineFixture, operation: &str, rows: &[Item]) -> ImportId {
    let mut text = "code,description".to_owned();
    for item in rows {
        let cell = |name: &str| item.body.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
        text.push_str(&format!("\n{},{}", cell("code"), cell("description")));
    }
    let path = fixture.home.path().join("Materials.csv");
    std::fs::write(&path, text).unwrap();
    let imports = fixture.engine.imports();
    let view = imports.open(&path).unwrap();
    imports.choose_operation(view.id, operation).unwrap().id
}

/// Sends the rejected rows of a submission as an import has them, and waits for their results.
async fn retry(
    fixture: &EngineFixture,
    submission: SubmissionId,
    import: ImportId,
    site: &str,
) -> Result<SubmissionView, Problem> {
    let import = ImportToSend { import, site: site.to_owned(), preview: None, close: false };
    let options = SendOptions {
        skip_blocked: true,
        batch_size: Some(1),
        follows: Some(SubmissionOrigin { submission, relation: Relation::Retry }),
        ..SendOptions::default()
    };
    let plan = fixture.engine.submissions().send(import, options).await?;
    Ok(wait_for_end(&fixture.engine, plan.id.first()).await)
}
