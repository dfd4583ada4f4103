//! Tests that deleted links are saved to a workbook: before the first request, after a kill, and at the end.

use std::{
    fs,
    sync::{Arc, Mutex},
    time::Duration,
};

use takt_engine::{
    Code, Engine, EngineConfig, Home,
    cleanup::{CleanupLink, DeletedTable, Link},
    client::{Failpoints, Vault},
    submission::{ClaimChoice, SubmissionState},
};
use takt_plant::{Fault, Plant, PlantConfig};
use takt_test_support::{
    plant_fixture::{Fixture, PRACTICE, open, set_practice},
    setup::{control_answer, engine_config, sign_in, start_plant},
};
use tempfile::TempDir;

async fn first_links(plant: &takt_plant::RunningPlant, count: usize) -> Vec<CleanupLink> {
    let state = control_answer(plant, "state/template-processes").await;
    let link = |row: &serde_json::Value| CleanupLink {
        description: "what it was".to_owned(),
        labor_seconds: Some(90.0),
        ..CleanupLink::from(Link {
            template_id: row["templateId"].as_i64().unwrap(),
            process_code: row["processCode"].as_str().unwrap().to_owned(),
            operation_code: row["operationCode"].as_str().unwrap().to_owned(),
        })
    };
    state["data"].as_array().unwrap().iter().take(count).map(link).collect()
}

fn column_values<'a>(table: &'a DeletedTable, heading: &str) -> Vec<&'a str> {
    let column_index = table.columns.iter().position(|column| column == heading).unwrap();
    table.rows.iter().map(|row| row[column_index].as_str()).collect()
}

#[tokio::test]
async fn deleted_links_are_gone_and_kept() {
    let fixture = Fixture::signed_in().await;
    let mut links = first_links(&fixture.plant, 1).await;
    links.push(CleanupLink::from(Link { process_code: "IP-none".to_owned(), ..links[0].link.clone() }));
    let id =
        fixture.engine.templates().delete_links(PRACTICE, &links, None, ClaimChoice::Refuse).await.unwrap().id.first();
    let done =
        tokio::time::timeout(Duration::from_secs(30), fixture.engine.submissions().wait(id)).await.unwrap().unwrap();
    let [done] = &done.submissions[..] else { panic!("one step") };
    assert_eq!(done.state, SubmissionState::Finished);
    assert_eq!((done.total, done.counts.accepted, done.counts.rejected), (2, 1, 1));
    let left = control_answer(&fixture.plant, "state/template-processes").await;
    let gone = serde_json::to_value(&links[0].link).unwrap();
    assert!(!left["data"].as_array().unwrap().contains(&gone));
    let suggested = fixture.engine.templates().operation_codes(PRACTICE).unwrap();
    assert_eq!(suggested, [links[0].link.operation_code.as_str()], "the code is suggested from now on");
    let listed = fixture.engine.templates().list_deletes().unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!((listed[0].submission, listed[0].site.as_str(), listed[0].total), (Some(id), PRACTICE, 2));
    assert_eq!((listed[0].counts.accepted, listed[0].person.as_str()), (1, "anna"));
    let table = fixture.engine.templates().deleted_table(&listed[0].file).unwrap();
    assert_eq!(table.columns[..5], ["templateId", "processCode", "operationCode", "description", "predictedLaborTime"]);
    assert_eq!(column_values(&table, "processCode"), [links[0].link.process_code.as_str(), "IP-none"]);
    assert_eq!(column_values(&table, "description"), ["what it was", ""]);
    assert_eq!(column_values(&table, "predictedLaborTime"), ["00:01:30", ""]);
    assert_eq!(column_values(&table, "Result"), ["accepted", "rejected"]);
    let copy = fixture.home.path().join("copy.xlsx");
    fixture.engine.templates().copy_deleted(&listed[0].file, &copy).unwrap();
    assert_eq!(fs::read(&copy).unwrap(), fs::read(&table.path).unwrap());
    for elsewhere in ["../journal.sqlite", "nothing.xlsx", ""] {
        assert_eq!(fixture.engine.templates().deleted_table(elsewhere).unwrap_err().code, Code::Unknown);
    }
    let mut blank = links[0].clone();
    blank.link.operation_code = " ".to_owned();
    assert_eq!(
        fixture.engine.templates().delete_links(PRACTICE, &[blank], None, ClaimChoice::Refuse).await.unwrap_err().code,
        Code::InvalidInput
    );
}

/// The workbooks and the number of sent requests, recorded when a batch was about to be written.
#[derive(Debug, Default)]
struct FailpointLog {
    files: Vec<std::path::PathBuf>,
    passed_failpoints: Vec<&'static str>,
}

/// An engine whose first writing request hangs. Reads before it get a response.
fn engine_with_failpoint_log(
    home: &TempDir,
    vault: &Vault,
    plant: Arc<Plant>,
) -> (Arc<Engine>, Arc<Mutex<FailpointLog>>) {
    let (seen, folder) =
        (Arc::new(Mutex::new(FailpointLog::default())), Home::open(home.path()).unwrap().deleted_rows());
    let failpoint_log = Arc::clone(&seen);
    let failpoints = Failpoints::with_callback(move |name| {
        let mut seen = failpoint_log.lock().unwrap();
        if name == "before-attempt" && seen.files.is_empty() && !seen.passed_failpoints.contains(&"request-sent") {
            seen.files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        }
        if name == "attempt-written" {
            plant.set_faults(vec![Fault::parse("stall:1").unwrap()], 1);
        }
        seen.passed_failpoints.push(name);
    });
    let config = EngineConfig { vault: vault.clone(), failpoints, ..engine_config(home.path()) };
    (Engine::open(config).unwrap(), seen)
}

#[test]
fn the_workbook_is_there_before_the_first_request_and_whole_after_a_kill() {
    let outside = tokio::runtime::Runtime::new().unwrap();
    let plant = outside.block_on(start_plant(PlantConfig::default()));
    let (home, vault) = (TempDir::new().unwrap(), Vault::memory());
    let links = outside.block_on(first_links(&plant, 150));
    let inside = tokio::runtime::Runtime::new().unwrap();
    let (engine, seen) = engine_with_failpoint_log(&home, &vault, Arc::clone(plant.plant()));
    set_practice(&engine, &plant);
    sign_in(&engine, &plant, PRACTICE, "planner");
    let id = inside.block_on(async {
        let id = engine.templates().delete_links(PRACTICE, &links, None, ClaimChoice::Refuse).await.unwrap().id.first();
        while !seen.lock().unwrap().passed_failpoints.contains(&"attempt-written") {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        id
    });
    assert_eq!(seen.lock().unwrap().files.len(), 1, "{seen:?}");
    let file = seen.lock().unwrap().files[0].file_name().unwrap().to_string_lossy().into_owned();
    let table = engine.templates().deleted_table(&file).unwrap();
    assert_eq!((table.total, column_values(&table, "Result")[0]), (150, "pending"));
    // As after a kill, all work in progress ends with its threads.
    inside.shutdown_timeout(Duration::from_millis(50));
    drop(engine);
    plant.plant().set_faults(Vec::new(), 1);

    let engine = open(&home, &vault);
    let listed = engine.templates().list_deletes().unwrap();
    assert_eq!((listed.len(), listed[0].submission, listed[0].file.as_str()), (1, Some(id), file.as_str()));
    let table = engine.templates().deleted_table(&file).unwrap();
    let unconfirmed = column_values(&table, "Result").iter().filter(|result| **result == "unconfirmed").count();
    assert_eq!((table.total, unconfirmed), (150, listed[0].counts.unconfirmed as usize));
    assert!(unconfirmed > 0, "what was being sent is unconfirmed: {listed:?}");

    // A deleted workbook is written again.
    fs::remove_file(&table.path).unwrap();
    assert_eq!(engine.templates().list_deletes().unwrap()[0].problem, None);
    assert_eq!(engine.templates().deleted_table(&file).unwrap(), table);
}
