//! A plant with stored data. After kills under load or on a full disk, its state, log and responses must agree.
//! Unusable folders are reported.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use takt_tests::Plant;

const KILLS: u64 = 20;
/// The kills while a plant fills a new folder.
const KILLS_DURING_START: u64 = 6;
const SENDERS: u64 = 3;
const POLL_INTERVAL: Duration = Duration::from_millis(1);
const SEED: u64 = 20_261_121;
/// An order whose dates the test changes. Each change adds a line to the order's history.
const ORDER: &str = "WO-260300";

/// The requests of one client, with their results.
#[derive(Debug, Default)]
struct ClientRecord {
    /// Codes that were sent once, each with whether it got a 2xx response.
    codes: BTreeMap<String, bool>,
    /// The number of requests with the order's dates.
    moves_sent: u32,
    /// The number of these requests that got a 2xx response.
    moves_answered: u32,
}

/// Sends batches until the plant no longer responds, which means that it was killed.
async fn send_until_killed(
    base_url: String,
    token: String,
    sender: u64,
    number: Arc<AtomicU32>,
    is_over: Arc<AtomicBool>,
) -> ClientRecord {
    let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(60)).build().unwrap();
    let mut record = ClientRecord::default();
    while !is_over.load(Ordering::Relaxed) {
        let number = number.fetch_add(1, Ordering::Relaxed);
        let codes: Vec<String> = (0..4).map(|item| format!("K-{number}-{item}")).collect();
        let moves = sender == 0 && number.is_multiple_of(2);
        let (path, items) = if moves {
            let day = number % 28 + 1;
            let dates = json!({"code": ORDER, "operationCode": "010", "beginPlanned": format!("2027-01-{day:02}T06:00:00"),
                "endPlanned": format!("2027-02-01T06:{:02}:{:02}", number / 60 % 60, number % 60)});
            ("WorkOrders/PlanningDates", json!([dates]))
        } else {
            ("Materials", codes.iter().map(|code| json!({"code": code, "description": "x".repeat(300)})).collect())
        };
        let request =
            client.post(format!("{base_url}/api/v1/{path}/batch")).bearer_auth(&token).json(&json!({ "items": items }));
        let status = request.send().await.map(|answer| answer.status().as_u16());
        let accepted = matches!(status, Ok(200));
        if moves {
            record.moves_sent += 1;
            record.moves_answered += u32::from(accepted);
        } else {
            record.codes.extend(codes.into_iter().map(|code| (code, accepted)));
        }
        match status {
            Ok(200 | 500) => {}
            Ok(other) => panic!("a batch was answered {other}"),
            // The plant was killed.
            Err(_) => break,
        }
    }
    record
}

/// Returns how often the log contains each key of an operation, and checks the entries.
fn applied_counts(log: &[Value], operation: &str) -> BTreeMap<String, u32> {
    let mut applied = BTreeMap::new();
    for entry in log.iter().filter(|entry| entry["operation"] == operation) {
        for line in entry["applied"].as_array().unwrap() {
            assert_eq!(line["success"], true, "{entry}");
            assert!(matches!(entry["status"].as_u64(), None | Some(200)), "{entry}");
            *applied.entry(line["code"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    applied
}

/// Checks that the log, the state and the clients' records agree.
async fn check_agreement(plant: &Plant, records: &[ClientRecord], moves_before: usize, what: &str) {
    let log = plant.log().await;
    assert!(log.windows(2).all(|pair| pair[0]["number"].as_u64() < pair[1]["number"].as_u64()), "{what}");
    let materials = plant.state("materials").await;
    let held = materials.iter().filter_map(|row| row["code"].as_str()).filter(|code| code.starts_with("K-"));
    let held: BTreeSet<&str> = held.collect();
    let lines = applied_counts(&log, "materials.sync");
    assert!(lines.values().all(|times| *times == 1), "{what}: each item was sent once");
    let logged: BTreeSet<&str> = lines.keys().map(String::as_str).collect();
    assert_eq!(held, logged, "{what}: what the log says was applied is what the plant holds");
    for (code, accepted) in records.iter().flat_map(|record| &record.codes) {
        assert!(!accepted || held.contains(code.as_str()), "{what}: {code} was accepted and is gone");
    }
    let sent: BTreeSet<&str> = records.iter().flat_map(|record| record.codes.keys()).map(String::as_str).collect();
    assert!(held.is_subset(&sent), "{what}: the plant holds what nobody sent");
    // The dates are sent repeatedly for the same key, so the numbers are compared.
    let moved = applied_counts(&log, "work-orders.planning-dates").get(ORDER).copied().unwrap_or_default();
    let left = count_history_entries(plant).await - moves_before;
    assert_eq!(left, moved as usize, "{what}: every move that was applied leaves a line in the history");
    let (sent, answered) = records
        .iter()
        .fold((0, 0), |(sent, answered), record| (sent + record.moves_sent, answered + record.moves_answered));
    assert!((answered..=sent).contains(&moved), "{what}: {moved} moves of {answered} to {sent}");
}

async fn count_history_entries(plant: &Plant) -> usize {
    plant.state("order-history").await.iter().filter(|row| row["workOrderCode"] == ORDER).count()
}

fn plant_options(folder: &Path) -> Vec<&str> {
    vec!["--data", folder.to_str().unwrap(), "--rate-limit", "1000000/60", "--token-lifetime", "3600"]
}

/// Returns a pseudo-random number that only depends on the seed.
fn pseudo_random(seed: u64) -> u64 {
    let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[tokio::test(flavor = "multi_thread")]
async fn state_and_log_agree_after_every_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut plant = Plant::start(&plant_options(folder.path()));
    let token = plant.token("planner").await;
    let (secret, key) = (plant.member("client_secret").to_owned(), plant.member("control_key").to_owned());
    let moves_before = count_history_entries(&plant).await;
    let (mut records, number) = (Vec::new(), Arc::new(AtomicU32::new(0)));
    for kill in 0..KILLS {
        let is_over = Arc::new(AtomicBool::new(false));
        let senders = (0..SENDERS).map(|sender| {
            let base_url = plant.member("base_url").to_owned();
            tokio::spawn(send_until_killed(base_url, token.clone(), sender, Arc::clone(&number), Arc::clone(&is_over)))
        });
        let senders: Vec<_> = senders.collect();
        // Kills the plant after a few more batches, during other requests.
        let last = number.load(Ordering::Relaxed) + 4 + u32::try_from(pseudo_random(SEED + kill) % 40).unwrap();
        while number.load(Ordering::Relaxed) < last {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        plant.kill();
        is_over.store(true, Ordering::Relaxed);
        for sender in senders {
            records.push(sender.await.unwrap());
        }
        plant = Plant::start(&plant_options(folder.path()));
        assert_eq!((plant.member("client_secret"), plant.member("control_key")), (secret.as_str(), key.as_str()));
        check_agreement(&plant, &records, moves_before, &format!("seed {SEED}, kill {kill}")).await;
    }
    let accepted = records.iter().flat_map(|record| record.codes.values()).filter(|accepted| **accepted).count();
    assert!(accepted > 100, "only {accepted} items were accepted");
    let moved: u32 = records.iter().map(|record| record.moves_answered).sum();
    assert!(moved > 5, "only {moved} moves were accepted");
}

#[test]
fn a_plant_that_is_killed_while_it_grows_grows_again() {
    let (whole, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    drop(Plant::start(&plant_options(whole.path())));
    let size = folder_size(whole.path());
    for part in 0..KILLS_DURING_START {
        let home = takt_tests::Takt::new();
        let arguments: Vec<&str> = ["plant"].into_iter().chain(plant_options(folder.path())).collect();
        let mut program = home.start(&arguments);
        let least = size * part / KILLS_DURING_START;
        program.wait_for("so many bytes", Duration::from_secs(120), |_| {
            (folder_size(folder.path()) >= least).then_some(())
        });
        program.kill();
    }
    drop(Plant::start(&plant_options(folder.path())));
}

/// Returns the size of a plant's files in bytes. Ignores files that disappear in the meantime.
fn folder_size(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|about| about.len()).sum()
}

#[test]
fn a_folder_that_cannot_be_used_is_said_so() {
    let folder = tempfile::tempdir().unwrap();
    let plant = Plant::start(&plant_options(folder.path()));
    let console = takt_tests::Takt::new();
    let path = folder.path().to_str().unwrap();
    let second = console.run(&["plant", "--data", path]);
    assert_eq!((second.code, second.out.as_str()), (Some(2), ""));
    assert!(second.err.contains("another plant uses the folder") && second.err.contains(path), "{}", second.err);
    drop(plant);
    let other = console.run(&["plant", "--data", path, "--seed", "7"]);
    assert_eq!((other.code, other.out.as_str()), (Some(2), ""));
    assert!(other.err.contains("with the seed 1, not 7"), "{}", other.err);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_leaves_nothing_half_applied() {
    let folder = tempfile::tempdir().unwrap();
    let mut plant = Plant::start(&plant_options(folder.path()));
    let moves_before = count_history_entries(&plant).await;
    assert_eq!(plant.stop(), Some(0));
    let size = std::fs::metadata(folder.path().join("plant.sqlite")).unwrap().len();
    let mut plant = Plant::start_with_little_space(size / 1024 + 200, &plant_options(folder.path()));
    let token = plant.token("planner").await;
    let is_over = Arc::new(AtomicBool::new(false));
    let base_url = plant.member("base_url").to_owned();
    let sender = tokio::spawn(send_until_killed(base_url, token, 0, Arc::default(), Arc::clone(&is_over)));
    // The last refusals happen after the plant has noticed that the disk is full.
    let full = async {
        while plant.log().await.iter().filter(|entry| entry["status"] == 500).count() < 5 {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), full).await.expect("the space is used up");
    is_over.store(true, Ordering::Relaxed);
    let records = [sender.await.unwrap()];
    assert!(records[0].codes.values().any(|accepted| *accepted), "some were accepted before");
    assert!(records[0].codes.values().any(|accepted| !accepted), "some were refused after");
    check_agreement_with_accepted_rows(&plant, &records, moves_before, "while the disk is full").await;
    plant.kill();
    let plant = Plant::start(&plant_options(folder.path()));
    check_agreement_with_accepted_rows(&plant, &records, moves_before, "once there is space again").await;
}

/// Like [`check_agreement`], but also checks that exactly the accepted rows are stored.
#[cfg(unix)]
async fn check_agreement_with_accepted_rows(plant: &Plant, records: &[ClientRecord], moves_before: usize, what: &str) {
    check_agreement(plant, records, moves_before, what).await;
    let materials = plant.state("materials").await;
    let held: BTreeSet<&str> = materials.iter().filter_map(|row| row["code"].as_str()).collect();
    for (code, accepted) in records.iter().flat_map(|record| &record.codes) {
        assert_eq!(*accepted, held.contains(code.as_str()), "{what}: {code}");
    }
}
