//! `takt team join` is killed repeatedly while it copies a desk's history. At the end, every settled submission and
//! event must exist once and completely. Other desks must never see a partial submission. The target is only active
//! with all its deliveries.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use rusqlite::{Connection, OpenFlags};
use takt_tests::{
    Console, Erp, Person, Plant, Program, Reply, SITE, Takt,
    postgres::{Cluster, query, statement_succeeds},
};

use crate::crash::{
    dice::Dice,
    kills::seed_from_env,
    load,
    team::{create_team, home_in_team},
};

const FILES: u32 = 4;
/// The number of rows of a submission that doesn't fit into one transaction.
const LARGE: u32 = 9_000;
const KILLS: u32 = 10;
/// The number of received events, which need several transactions.
const EVENTS: usize = 1_600;
const TIMEOUT: Duration = Duration::from_secs(120);

/// Describes each settled submission: its rows, its items with their sizes, previous values, and requests.
const PARTS_QUERY: &str = "SELECT file || ' ' || COALESCE(relation, 'new') || ' ' || state || ' ' || total || ' ' || accepted || ' ' || rejected
        || ' ' || (SELECT count(*) FROM item WHERE submission = own.id)
        || ' ' || (SELECT COALESCE(sum(length(body) + length(key)), 0) FROM item WHERE submission = own.id)
        || ' ' || (SELECT count(*) FROM row WHERE submission = own.id)
        || ' ' || (SELECT count(*) || ' ' || COALESCE(sum(length(body)), 0) FROM before WHERE submission = own.id)
        || ' ' || (SELECT count(*) || ' ' || COALESCE(sum(accepted + rejected), 0) FROM attempt WHERE submission = own.id)
    FROM submission AS own WHERE NOT preparing ORDER BY 1";

#[tokio::test]
async fn a_desk_that_is_killed_while_it_joins_brings_everything_once() {
    let (cluster, seed) = (Cluster::start(), seed_from_env());
    println!("TAKT_CRASH_SEED={seed}");
    let (mut dice, address) = (Dice::new(seed), create_team(&cluster));
    let plant = Plant::start(&["--rate-limit", "1000000/60"]);
    let desk = Console::signed_in(&plant, Person::Planner).await;
    send_all(&desk);
    receive_all(&desk).await;
    let own = own_parts(&desk.takt);
    assert_eq!(own.len(), FILES as usize + 7, "{own:?}");
    let viewer = home_in_team(&address);

    let (mut kills, mut span) = (0, 1_500);
    while kills < KILLS {
        let mut joining = Program::start("join", desk.takt.command(&["team", "join", &address]));
        std::thread::sleep(Duration::from_millis(dice.below(span)));
        if joining.is_running() {
            joining.kill();
            kills += 1;
            wait_for_release(&address);
            check_as_viewer(&viewer, &address, &own);
        } else {
            // Joining ended before the kill. The team's data is removed, and the next kill comes earlier.
            assert!(joining.wait(TIMEOUT).success(), "{}", joining.error_text());
            span = (span * 2 / 3).max(100);
            let parts = "TRUNCATE takt.wait, takt.before, takt.row, takt.attempt, takt.approval, takt.taken_up, takt.carried_over";
            assert!(statement_succeeds(
                &address,
                &format!("{parts}; DELETE FROM takt.item; DELETE FROM takt.submission")
            ));
            let events = "DELETE FROM takt.event; DELETE FROM takt.target; DELETE FROM takt.carried_target";
            assert!(statement_succeeds(&address, events));
            assert!(statement_succeeds(&address, "TRUNCATE takt.carried_event"));
            assert_eq!(desk.takt.run(&["team", "leave"]).code, Some(0));
            // Joining pauses the desk's own target after copying it.
            assert_eq!(desk.takt.run(&["forward", "resume", "ERP", "--site", SITE]).code, Some(0));
        }
    }
    let ran = desk.takt.run(&["team", "join", &address]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    check_as_viewer(&viewer, &address, &own);
    assert_eq!(team_parts(&address), own, "each once, with all that belongs to it");
    assert_eq!(query(&address, "SELECT count(*) FROM takt.submission"), own.len().to_string(), "and nothing else");
    let orders = "SELECT count(*) || ' ' || count(DISTINCT body) FROM takt.event WHERE site = 'works'";
    assert_eq!(query(&address, orders), format!("{EVENTS} {EVENTS}"));
    let got = "SELECT (SELECT count(*) FROM takt.target) || ' ' || count(*) FROM takt.forwarded WHERE state = 'taken'";
    assert_eq!(query(&address, got), format!("1 {EVENTS}"), "one target, that got everything");
    assert_eq!(query(&address, "SELECT count(*) FROM takt.owed"), "0");
    assert_eq!(query(&address, "SELECT paused FROM takt.target"), "0", "it is in use as it was");
    // The previous values must be copied, so that an undo works.
    let ours = query(&address, "SELECT id FROM takt.submission WHERE file = 'ours.csv'");
    let undo = desk.takt.run(&["undo", &ours, "--yes", "--json"]);
    assert_eq!(undo.json()[0]["undo"]["restored"], 2, "{}{}", undo.out, undo.err);
}

/// Sends small submissions, including one that changed sent rows, an undone one and a plan, and a large submission.
fn send_all(desk: &Console) {
    let materials = |name: &str, word: &str, rows: std::ops::Range<u32>| {
        let lines = rows.map(|row| format!("CJ-{row:05};{word} {row}\n"));
        let file = desk.takt.write(name, format!("code;description\n{}", lines.collect::<String>()));
        let mut arguments = vec!["sync", file.to_str().unwrap(), "--to", "materials.sync", "--site", SITE];
        arguments.extend(["--yes", "--json", "--batch-size", "1000"]);
        let ran = desk.takt.run(&arguments);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.summary()["submission"].to_string()
    };
    materials("was.csv", "Bolt", 0..4);
    materials("ours.csv", "Nut", 0..2);
    let other = materials("other.csv", "Washer", 2..4);
    let undo = desk.takt.run(&["undo", &other, "--yes"]);
    assert_eq!(undo.code, Some(0), "{undo:?}");
    materials("large.csv", "Screw", 10..10 + LARGE);
    let plan = load::plan_workbook(9);
    let file = desk.takt.write(&plan.name, &plan.content);
    let ran = desk.takt.run(&["sync", file.to_str().unwrap(), "--site", SITE, "--yes"]);
    assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
    for number in 1..=FILES {
        let orders = load::orders_file(number);
        let file = desk.takt.write(&orders.name, &orders.content);
        let ran = desk.takt.run(&[
            "sync",
            file.to_str().unwrap(),
            "--to",
            "work-orders.sync",
            "--site",
            SITE,
            "--yes",
            "--without-lookup",
        ]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
    }
}

/// Receives events, and forwards them to a target until none waits.
async fn receive_all(desk: &Console) {
    let erp = Erp::start(|_| Reply::Status(200));
    let added = desk.takt.run(&["forward", "add", "ERP", "--to", erp.url(), "--site", SITE]);
    assert_eq!(added.code, Some(0), "{added:?}");
    let mut program = Program::start("listen", desk.takt.command(&["listen", "--json", "--site", SITE]));
    let first: serde_json::Value = serde_json::from_str(&program.first_line(TIMEOUT)).unwrap();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    for number in 0..EVENTS {
        let body = serde_json::json!({ "Id": 2, "WorkOrders": [{ "Code": format!("J-{number}") }] }).to_string();
        let id = format!("J-{number}");
        let sent = client.post(first["url"].as_str().unwrap()).header("X-Takt-Delivery", id).body(body).send().await;
        assert_eq!(sent.unwrap().status().as_u16(), 200);
    }
    program.wait_for("all arrive", TIMEOUT, |_| (erp.accepted_requests().len() == EVENTS).then_some(()));
    let settled = |_: &Program| {
        let target = desk.takt.run(&["forward", "list", "--site", SITE, "--json"]).json()[0].clone();
        (target["state"] == "up-to-date").then_some(())
    };
    program.wait_for("it is written down", TIMEOUT, settled);
    program.end(TIMEOUT);
}

fn own_parts(takt: &Takt) -> Vec<String> {
    let file = takt.file("journal.sqlite");
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    // A local file stores the items' bodies in a separate table.
    let body = "length((SELECT body FROM item_body WHERE item_body.submission = item.submission AND item = number)) + length(key)";
    let parts = PARTS_QUERY.replace("length(body) + length(key)", body);
    let mut statement = connection.prepare(&parts).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.collect::<Result<_, _>>().map(sort_lines).unwrap()
}

fn team_parts(address: &str) -> Vec<String> {
    sort_lines(query(address, PARTS_QUERY).lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// Sorts lines, since the databases' sort orders differ.
fn sort_lines(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}

/// Waits until the server has released the killed desk's locks. It finishes the running statement before it notices
/// that the client is gone. Until then it correctly reports that a submission is being prepared.
fn wait_for_release(address: &str) {
    let held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2";
    let start = Instant::now();
    while query(address, held) != "0" {
        assert!(start.elapsed() < TIMEOUT, "the killed desk's locks are still there");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Checks that other desks see each submission and event completely and once.
fn check_as_viewer(viewer: &Takt, address: &str, own: &[String]) {
    let twice = "SELECT count(*) - count(DISTINCT body) FROM takt.event";
    assert_eq!(query(address, twice), "0", "no event is there twice");
    let early = format!(
        "SELECT count(*) FROM takt.target WHERE paused = 0
         AND (SELECT count(*) FROM takt.forwarded WHERE target = target.id) < {EVENTS}"
    );
    assert_eq!(query(address, &early), "0", "a target isn't in use before it has what it got");
    for parts in team_parts(address) {
        assert!(own.contains(&parts), "half of it is there: {parts}");
    }
    let ran = viewer.run(&["history", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let mut files: BTreeMap<String, u32> = BTreeMap::new();
    for line in ran.json() {
        let key = format!("{} {}", line["file"].as_str().unwrap(), line["relation"].as_str().unwrap_or("new"));
        let whole = format!("{key} {} {} ", line["state"].as_str().unwrap(), line["total"]);
        let key = format!("{key} {}", line["operation"]);
        assert!(own.iter().any(|parts| parts.starts_with(&whole)), "{line}");
        *files.entry(key).or_default() += 1;
    }
    assert!(files.values().all(|count| *count == 1), "{files:?}");
}
