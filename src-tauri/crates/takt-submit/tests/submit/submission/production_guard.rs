//! Tests that nothing is sent to a production site without its name.

use std::sync::Arc;

use takt_engine::{
    Code, Engine, Problem,
    cleanup::Link,
    sites::{Site, SiteKind},
    submission::{ClaimChoice, SendOptions, SubmissionRequest},
};
use takt_plant::RunningPlant;
use takt_test_support::setup::site_of_plant;

use super::support::{
    EngineFixture, engine_fixture, good_material, plant, request, request_count, wait_for_end, with_options,
};

const WORKS: &str = "Works Süd";

/// Adds the plant as a user's site.
fn add_site(engine: &Arc<Engine>, plant: &RunningPlant, kind: SiteKind) {
    let site = Site { time_zone: "UTC".to_owned(), ..site_of_plant(WORKS, kind, plant) };
    engine.save_site(site, None).unwrap();
    let tokens = plant.issue_tokens("planner").unwrap();
    engine.sites().adopt_tokens(WORKS, &tokens.access_token, None, Some(tokens.expires_in)).unwrap();
}

fn confirmed_request(confirmed: Option<&str>) -> SubmissionRequest {
    let confirmed = confirmed.map(str::to_owned);
    SubmissionRequest {
        site: WORKS.to_owned(),
        ..with_options(
            request("materials.sync", vec![good_material(1), good_material(2)], 1),
            SendOptions { confirmed, ..SendOptions::default() },
        )
    }
}

fn assert_confirmation_needed<T: std::fmt::Debug>(result: Result<T, Problem>, what: &str) {
    let problem = result.unwrap_err();
    assert_eq!(problem.code, Code::ConfirmationNeeded, "{what}");
    assert!(problem.message.contains(WORKS) && problem.hint.contains(WORKS), "{problem:?}");
}

#[tokio::test]
async fn a_production_site_is_written_to_only_by_who_typed_its_name() {
    let plant = plant(&[]).await;
    let EngineFixture { engine, home: _home } = engine_fixture(&plant, "planner");
    add_site(&engine, &plant, SiteKind::Production);

    for (what, confirmed) in [("nothing", None), ("yes", Some("yes")), ("in small letters", Some("works süd"))] {
        assert_confirmation_needed(engine.submissions().submit(confirmed_request(confirmed)).await, what);
    }
    let link = Link { template_id: 1, process_code: "P".to_owned(), operation_code: "010".to_owned() };
    assert_confirmation_needed(
        engine.templates().delete_links(WORKS, &[link.into()], None, ClaimChoice::Refuse).await,
        "a delete",
    );
    assert_confirmation_needed(engine.submissions().submit(two_step_plan(&engine, None)).await, "a plan");
    assert!(engine.submissions().list().unwrap().is_empty(), "nothing was written down either");
    assert_eq!(request_count(&plant.log(), "materials.sync"), 0);

    let view = engine.submissions().submit(confirmed_request(Some(&format!(" {WORKS} ")))).await.unwrap();
    assert_eq!(wait_for_end(&engine, view.id.first()).await.counts.accepted, 2);
}

#[tokio::test]
async fn going_on_asks_again() {
    let plant = plant(&["apply-then-drop:1"]).await;
    let EngineFixture { engine, home: _home } = engine_fixture(&plant, "planner");
    add_site(&engine, &plant, SiteKind::Production);
    let left = confirmed_request(Some(WORKS));
    let left = SubmissionRequest { options: SendOptions { leave_unconfirmed: true, ..left.options }, ..left };
    let id = engine.submissions().submit(left).await.unwrap().id.first();
    let view = wait_for_end(&engine, id).await;
    assert!(view.counts.unconfirmed > 0, "{view:?}");
    let sent = request_count(&plant.log(), "materials.sync");
    assert_confirmation_needed(engine.submissions().resume(id, None).await, "resume");
    assert_confirmation_needed(
        engine.submissions().send_unconfirmed(id, Some("yes"), ClaimChoice::Refuse).await,
        "send unconfirmed",
    );
    assert_eq!(request_count(&plant.log(), "materials.sync"), sent);
}

#[tokio::test]
async fn a_plan_is_sent_with_one_typed_name() {
    let plant = plant(&[]).await;
    let EngineFixture { engine, home: _home } = engine_fixture(&plant, "planner");
    add_site(&engine, &plant, SiteKind::Production);
    let sent = engine.submissions().submit(two_step_plan(&engine, Some(WORKS))).await.unwrap();
    let ended = engine.submissions().wait(sent.id.first()).await.unwrap();
    assert_eq!(ended.submissions.iter().map(|step| step.counts.accepted).collect::<Vec<_>>(), [2, 2]);
}

#[tokio::test]
async fn practice_and_test_sites_ask_nothing() {
    let plant = plant(&[]).await;
    let EngineFixture { engine, home: _home } = engine_fixture(&plant, "planner");
    add_site(&engine, &plant, SiteKind::Test);
    for request in [confirmed_request(None), request("materials.sync", vec![good_material(7)], 1)] {
        let id = engine.submissions().submit(request).await.unwrap().id.first();
        assert_eq!(wait_for_end(&engine, id).await.counts.rejected, 0);
    }
}

/// Two steps with two rows each.
fn two_step_plan(engine: &Engine, confirmed: Option<&str>) -> SubmissionRequest {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.xlsx");
    let sheet = |name: &str, headings: [&str; 2], rows: [[&str; 2]; 2]| takt_sheet::writer::OutSheet {
        name: name.to_owned(),
        columns: headings.into_iter().map(takt_sheet::writer::OutColumn::new).collect(),
        rows: rows.iter().map(|row| row.iter().map(|&cell| cell.into()).collect()).collect(),
        ..takt_sheet::writer::OutSheet::default()
    };
    let materials = sheet("Materials", ["Material code", "Description"], [["G-1", "Nut"], ["G-2", "Bolt"]]);
    let processes = sheet("Processes", ["Process code", "Description"], [["GP-1", "Turn"], ["GP-2", "Mill"]]);
    takt_sheet::writer::write_workbook(&path, &[materials, processes]).unwrap();
    let imports = engine.imports();
    let id = imports.open(&path).unwrap().id;
    imports.plan(id).unwrap();
    imports.choose_sheet(id, "Processes").unwrap();
    imports.choose_operation(id, "inspection-processes.sync").unwrap();
    let steps = imports.prepare_items(id).unwrap();
    let confirmed = confirmed.map(str::to_owned);
    SubmissionRequest {
        site: WORKS.to_owned(),
        steps,
        options: SendOptions { confirmed, ..SendOptions::default() },
        ..SubmissionRequest::default()
    }
}
