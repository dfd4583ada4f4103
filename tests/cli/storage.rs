//! Stored data: backups, damaged files, old rows and logs. Every loss must be reported, and no file may contain
//! secrets.

use std::{
    fs,
    io::{Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use takt_tests::{Person, Plant, Takt};

use crate::support::{ORDERS, orders_csv, signed_in};

const PAGE_SIZE: u64 = 4096;

fn sync_orders(takt: &Takt, name: &str, first: u32, rows: u32) {
    let file = takt.write(name, orders_csv(first, rows));
    let fixed = ["sync", file.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--yes", "--json"];
    let ran = takt.run(&fixed);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
}

fn overwrite_pages(path: &Path, from: u64, pages: u64) {
    let mut file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(from * PAGE_SIZE)).unwrap();
    file.write_all(&vec![0x5A; usize::try_from(pages * PAGE_SIZE).unwrap()]).unwrap();
}

fn list_files(folder: PathBuf) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

#[tokio::test]
async fn a_damaged_journal_goes_on_with_what_can_be_read_and_says_so() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    sync_orders(takt, "orders.csv", 900_000, 400);
    let journal = takt.home().join("journal.sqlite");
    let pages = fs::metadata(&journal).unwrap().len() / PAGE_SIZE;
    overwrite_pages(&journal, pages / 2, pages / 4);
    // Any command may find the damage. At least the second one must work, and report it.
    let first = takt.run(&["history", "1", "--rows", "--json"]);
    let second = takt.run(&["history", "--json"]);
    assert_eq!(second.code, Some(0), "{second:?}");
    assert!(first.err.contains("damaged"), "{}", first.err);
    assert!(second.err.contains("damaged") && second.err.contains("kept"), "{}", second.err);
    assert_eq!(second.json().len(), 1, "never an empty history: {}", second.out);
    assert_eq!(list_files(takt.home().join("damaged")).len(), 1);
    assert_eq!(takt.run(&["storage", "--seen"]).code, Some(0));
    let after = takt.run(&["history"]);
    assert!(!after.err.contains("damaged"), "{}", after.err);
    assert_eq!(takt.run(&["bundle"]).code, Some(0));
}

#[tokio::test]
async fn a_journal_that_is_no_more_is_replaced_by_its_backup() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    sync_orders(takt, "first.csv", 900_000, 3);
    // The daily backup is made before the next submission.
    for backup in list_files(takt.home().join("backups")) {
        fs::remove_file(backup).unwrap();
    }
    sync_orders(takt, "second.csv", 900_010, 3);
    fs::write(takt.home().join("journal.sqlite"), "gone ".repeat(5_000)).unwrap();
    let ran = takt.run(&["history", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.err.contains("backup") && ran.err.contains("missing from the history"), "{}", ran.err);
    assert_eq!(ran.json().len(), 1, "{}", ran.out);
    let storage = takt.run(&["storage"]);
    assert!(storage.out.contains("Backups: one a day"), "{}", storage.out);
}

#[tokio::test]
async fn old_rows_are_purged_when_a_person_wants_it_and_not_before() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    sync_orders(takt, "orders.csv", 900_000, 5);
    let nothing = takt.run(&["purge", "--yes"]);
    assert_eq!(nothing.code, Some(2), "everything is kept forever: {nothing:?}");
    let raw = rusqlite::Connection::open(takt.home().join("journal.sqlite")).unwrap();
    raw.execute("UPDATE submission SET started = '2020-01-01T00:00:00Z', ended = '2020-01-01T00:01:00Z'", []).unwrap();
    drop(raw);
    let set = takt.run(&["storage", "--keep-rows", "365", "--keep-events", "30", "--schedule", "daily", "--json"]);
    assert_eq!(set.summary()["retention"]["rowsDays"], 365, "{set:?}");
    assert_eq!(takt.run(&["storage", "--keep-events", "forever", "--schedule", "off"]).code, Some(0));
    let would = takt.run(&["purge", "--json"]).summary();
    assert_eq!((&would["dryRun"], &would["rows"]), (&true.into(), &5.into()), "{would}");
    assert_eq!(takt.run(&["history", "1", "--rows", "--json"]).json().len(), 6);
    let done = takt.run(&["purge", "--yes", "--json"]).summary();
    assert_eq!((&done["dryRun"], &done["rows"]), (&false.into(), &5.into()), "{done}");
    let after = takt.run(&["history", "1", "--rows", "--json"]);
    assert_eq!(after.json().len(), 1, "{}", after.out);
    assert_eq!(after.summary()["accepted"], 5);
    let shown = takt.run(&["history", "1"]);
    assert!(shown.out.contains("removed on"), "{}", shown.out);
}

#[tokio::test]
async fn every_command_leaves_lines_without_secrets_in_the_log() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    sync_orders(takt, "orders.csv", 900_000, 3);
    let failed = takt.run(&["history", "77"]);
    assert_eq!(failed.code, Some(2));
    let log = fs::read_to_string(takt.home().join("logs").join("command-line.log")).unwrap();
    assert!(log.contains("INFO") && log.contains("started") && log.contains("ended"), "{log}");
    assert!(log.lines().any(|line| line.contains("WARN") && line.contains("77")), "{log}");
    assert!(!log.contains(plant.member("client_secret")), "{log}");
    assert!(!log.contains("Bearer "), "{log}");
}
