//! Tests two processes on one home folder: storing a large file delays neither.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use takt_engine::{Code, Engine, EngineConfig, client::Failpoints, history::HistoryQuery, submission::SubmissionState};
use takt_test_support::{process, setup::engine_config};

use super::support::{
    SITE, check_against_log, counts, engine_fixture, good_material, item, plant, request, wait_for_end, wait_for_view,
};

/// The rows of the large file, which are more than three chunks.
const LARGE_FILE_ROWS: u32 = 11_000;
const TIMEOUT: Duration = Duration::from_secs(120);

/// Runs as the other process of the next test, and otherwise does nothing. It waits after two chunks, until the test
/// lets it continue.
#[tokio::test]
async fn send_large_file_in_other_process() {
    let Some(home) = process::home() else { return };
    let (passed, folder) = (Arc::new(AtomicU32::new(0)), home.clone());
    let failpoints = Failpoints::with_callback(move |name| {
        if name == "submission-being-written" && passed.fetch_add(1, Ordering::SeqCst) == 2 {
            std::fs::write(folder.join("held"), "").unwrap();
            wait_for(&folder.join("go"));
        }
    });
    let config = EngineConfig { failpoints, person: "bert".to_owned(), ..engine_config(&home) };
    let engine = Engine::open(config).unwrap();
    let plant = plant(&[]).await;
    super::support::sign_in(&engine, &plant, "planner");
    let items = (1..=LARGE_FILE_ROWS).map(|row| {
        let code = format!("L-{row:05}");
        item(row, &code, serde_json::json!({ "code": code, "description": "Bolt" }))
    });
    let id = engine.submissions().submit(request("materials.sync", items.collect(), 1_000)).await.unwrap().id.first();
    let view = wait_for_end(&engine, id).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, LARGE_FILE_ROWS, 0, 0)));
    std::fs::write(home.join("done"), "").unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_file_that_is_written_down_interrupts_nobody() {
    let plant = plant(&["latency=20"]).await;
    let fixture = engine_fixture(&plant, "planner");
    let running = fixture
        .engine
        .submissions()
        .submit(request("materials.sync", (1..=200).map(good_material).collect(), 2))
        .await
        .unwrap()
        .id
        .first();
    wait_for_view(&fixture.engine, running, |view| view.counts.accepted >= 10).await;
    let mut other =
        process::command(module_path!(), "send_large_file_in_other_process", fixture.home.path()).spawn().unwrap();
    wait_for(&fixture.home.path().join("held"));

    // The large file can't be stored before the test lets its process continue.
    let view = wait_for_end(&fixture.engine, running).await;
    assert_eq!((view.state, view.counts), (SubmissionState::Finished, counts(0, 200, 0, 0)));
    check_against_log(&fixture.engine, running, &plant.log());
    let looking = open_reading_engine(fixture.home.path());
    let latest = || looking.history().list(&HistoryQuery::default(), 0, 9).unwrap().submissions;
    // The next items are generated while these are written.
    wait_for_view(&fixture.engine, latest()[0].id, |view| view.total >= 8_000).await;
    let list = latest();
    let states: Vec<_> = list.iter().map(|view| (view.state, view.person.as_str())).collect();
    assert_eq!(states, [(SubmissionState::Preparing, "bert"), (SubmissionState::Finished, "anna")]);
    assert!(list[0].total < LARGE_FILE_ROWS && list[0].counts.pending == list[0].total, "{:?}", list[0]);
    let refused = fixture.engine.submissions().resume(list[0].id, None).await.unwrap_err();
    assert_eq!(refused.parameters["obstacle"], "running-elsewhere");

    std::fs::write(fixture.home.path().join("go"), "").unwrap();
    assert!(other.wait().unwrap().success());
    assert!(fixture.home.path().join("done").exists());
    assert_eq!(looking.submissions().view(list[0].id).unwrap().counts.accepted, LARGE_FILE_ROWS);
}

/// Another process holds the write lock: readers get a response, and writers get the reason.
#[tokio::test]
async fn a_busy_journal_is_read_and_says_that_it_is_busy() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let sent = fixture
        .engine
        .submissions()
        .submit(request("materials.sync", vec![good_material(1)], 1))
        .await
        .unwrap()
        .id
        .first();
    wait_for_end(&fixture.engine, sent).await;
    let file = fixture.home.path().join("journal.sqlite");
    let mut raw = rusqlite::Connection::open(file).unwrap();
    let busy = raw.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    let looking = open_reading_engine(fixture.home.path());
    assert_eq!(looking.history().list(&HistoryQuery::default(), 0, 9).unwrap().total, 1);
    let problem = looking.sites().select_site(SITE).unwrap_err();
    assert_eq!(problem.code, Code::JournalBusy, "{problem:?}");
    assert!(problem.message.contains("Another Takt"), "{}", problem.message);
    drop(busy);
    looking.sites().select_site(SITE).unwrap();
}

fn open_reading_engine(home: &Path) -> Arc<Engine> {
    let config = EngineConfig { person: "carla".to_owned(), ..engine_config(home) };
    Engine::open(config).unwrap()
}

fn wait_for(file: &Path) {
    let end = Instant::now() + TIMEOUT;
    while !file.exists() {
        assert!(Instant::now() < end, "{} never came", file.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}
