//! Desks with a shared history on PostgreSQL: joining, leaving, takeovers, concurrent sending, and an unavailable
//! database.

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Value, json};
use takt_tests::{Applied, Console, Person, Plant, Takt, postgres};

use crate::{
    support::{ORDERS, orders_csv, wait_for_applied},
    transcript::{Transcript, assert_transcript},
};

const TIMEOUT: Duration = Duration::from_secs(120);

/// Creates a database, sets it up with `takt team init`, and returns its address.
fn create_team() -> String {
    let address = postgres::create_database();
    let ran = Takt::new().run(&["team", "init", &address]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    address
}

async fn create_desk(plant: &Plant, address: &str) -> Console {
    let console = Console::in_home(plant, || Takt::new().with("TAKT_TEAM_URL", address));
    console.sign_in(Person::Planner).await;
    console
}

fn sync_arguments<'a>(file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["sync", file, "--to", ORDERS, "--site", "works", "--yes", "--json", "--batch-size", "1"];
    arguments.extend(more);
    arguments
}

fn check_accepted_once(applied: &BTreeMap<String, Applied>, count: usize) {
    assert_eq!(applied.len(), count);
    assert!(applied.values().all(|found| *found == Applied { accepted: 1, refused: 0 }), "{applied:?}");
}

fn read_history(takt: &Takt) -> Vec<Value> {
    let ran = takt.run(&["history", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.json()
}

#[test]
fn joining_leaving_and_what_the_database_says_of_itself() {
    let takt = Takt::new();
    let transcript = Transcript::new(&takt);
    assert_eq!(transcript.run(&["team", "check"]).code, Some(2));
    assert_eq!(transcript.run(&["team", "join", "db.example/takt"]).code, Some(2));
    let empty = postgres::create_database();
    assert_eq!(transcript.run(&["team", "join", &empty]).code, Some(2));

    let address = postgres::create_database();
    transcript.run(&["team", "init", &address]);
    transcript.run(&["team", "init", &address]);
    // The rows are sent first with the desk's own history, and then with the team's.
    let file = takt.write("orders.csv", orders_csv(870_001, 3));
    let send = ["sync", file.to_str().unwrap(), "--to", ORDERS, "--yes", "--json"];
    assert_eq!(takt.run(&send).code, Some(0));
    let with_password = address.replace("takt@", "takt:never-shown@");
    let ran = takt.run(&["team", "join", &with_password]);
    transcript.add(&["team", "join", &address], &ran);
    assert!(!std::fs::read_to_string(takt.file("team.json")).unwrap().contains("never-shown"));
    assert_eq!(read_history(&takt).len(), 1, "the desk's own history is copied");
    assert_eq!(takt.run(&send).code, Some(0));
    let sent = read_history(&takt);
    assert_eq!(sent.len(), 2);
    assert!(sent[0]["person"].as_str().unwrap().contains('@'), "{}", sent[0]);
    let ran = takt.run(&["team", "check", "--json"]);
    let check = &ran.json()[0];
    assert_eq!((ran.code, &check["user"]), (Some(0), &"takt".into()), "{}", ran.err);
    assert!(check["schema"].as_u64() >= Some(3), "{check}");
    transcript.run(&["team", "check"]);
    transcript.run(&["team", "leave"]);
    assert_eq!(read_history(&takt).len(), 1, "the desk's own history is used again");
    assert!(!read_history(&takt)[0]["person"].as_str().unwrap().contains('@'));
    transcript.run(&["team", "leave"]);
    assert_transcript!(transcript);
}

#[tokio::test]
#[ignore = "long: a team on PostgreSQL"]
async fn another_desk_goes_on_with_exactly_the_rows_that_a_killed_one_left() {
    let (plant, address) = (Plant::start(&["--rate-limit", "20/1"]), create_team());
    let (anna, bert) = (create_desk(&plant, &address).await, create_desk(&plant, &address).await);
    let file = anna.takt.write("orders.csv", orders_csv(900_000, 60));
    let mut first = anna.takt.start(&sync_arguments(file.to_str().unwrap(), &[]));
    wait_for_applied(&plant, 5).await;
    let running = bert.takt.run(&["resume", "1", "--json"]);
    assert_eq!(running.code, Some(2), "who is alive isn't disturbed: {}{}", running.out, running.err);
    let check = bert.takt.run(&["team", "check", "--json"]);
    assert_eq!(check.json()[0]["running"][0]["submission"], 1, "{}", check.out);
    first.kill();
    assert!(plant.applied(ORDERS).await.len() < 60, "it was killed too late");

    let left = &read_history(&bert.takt)[0];
    assert_eq!(left["state"], "interrupted", "{left}");
    let resumed = bert.takt.run(&["resume", "1", "--json"]);
    assert_eq!(resumed.code, Some(0), "{}{}", resumed.out, resumed.err);
    assert_eq!(resumed.summary()["accepted"], 60, "{}", resumed.out);
    check_accepted_once(&plant.applied(ORDERS).await, 60);
    let nothing = anna.takt.run(&["resume", "1", "--json"]);
    assert_eq!(nothing.code, Some(2), "only one takes it up: {}{}", nothing.out, nothing.err);
    // The other desk must recognize the file by its content.
    let same = bert.takt.write("copy.csv", orders_csv(900_000, 60));
    let ran = bert.takt.run(&sync_arguments(same.to_str().unwrap(), &["--if-changed"]));
    assert_eq!((ran.code, &ran.summary()["unchanged"]), (Some(0), &true.into()), "{}{}", ran.out, ran.err);
}

#[tokio::test]
#[ignore = "long: a team on PostgreSQL"]
async fn keys_that_a_desk_is_sending_are_its_own_until_it_has_sent_them() {
    let (plant, address) = (Plant::start(&["--rate-limit", "5/1"]), create_team());
    let (anna, bert) = (create_desk(&plant, &address).await, create_desk(&plant, &address).await);
    let rows =
        |first, count| orders_csv(first, count).lines().skip(1).map(|line| format!("{line}\n")).collect::<String>();
    let begun = bert.takt.write("begun.csv", orders_csv(900_070, 1) + &rows(900_058, 2) + &rows(900_071, 1));
    let trial = bert.takt.run(&sync_arguments(begun.to_str().unwrap(), &["--trial", "1"]));
    assert_eq!(trial.code, Some(0), "{}{}", trial.out, trial.err);
    // Long enough to last until the other desk waits for it. The rows that both send are the last ones.
    let file = anna.takt.write("week.csv", orders_csv(899_940, 120));
    let mut first = anna.takt.start(&sync_arguments(file.to_str().unwrap(), &[]));
    wait_for_applied(&plant, 3).await;
    let resumed = bert.takt.run(&["resume", "1"]);
    assert!(resumed.code == Some(2) && resumed.err.contains("2 of these rows"), "{}{}", resumed.out, resumed.err);
    let skipped = bert.takt.run(&["decide", "1", "--skip-claimed"]);
    assert!(skipped.out.contains("2  – skipped") && skipped.out.contains("week.csv"), "{}{}", skipped.out, skipped.err);
    let resumed = bert.takt.run(&["resume", "1", "--json"]).summary();
    assert_eq!((&resumed["accepted"], &resumed["skipped"]), (&2.into(), &2.into()), "{resumed}");
    let overlapping = bert.takt.write("own.csv", orders_csv(900_058, 4));
    let overlapping = overlapping.to_str().unwrap();
    let refused = bert.takt.run(&sync_arguments(overlapping, &[]));
    assert_eq!(refused.code, Some(2), "{}{}", refused.out, refused.err);
    assert!(refused.err.contains("2 of these rows") && refused.err.contains("week.csv"), "{}", refused.err);
    assert_eq!(read_history(&bert.takt).len(), 2, "nothing of what was refused stays");

    let rest = bert.takt.run(&sync_arguments(overlapping, &["--claimed", "leave-out"]));
    let summary = rest.summary();
    assert_eq!((&summary["accepted"], &summary["skipped"]), (&2.into(), &2.into()), "{}{}", rest.out, rest.err);
    let other = bert.takt.write("other.csv", orders_csv(900_057, 3));
    let waited = bert.takt.run(&sync_arguments(other.to_str().unwrap(), &["--claimed", "wait", "--send-same"]));
    assert!(waited.err.contains("Waiting") && waited.err.contains("week.csv"), "{}", waited.err);
    assert_eq!(waited.summary()["accepted"], 3, "{}{}", waited.out, waited.err);
    assert_eq!(first.wait(TIMEOUT).code(), Some(0), "{}", first.error_text());
    let all = plant.applied(ORDERS).await;
    assert_eq!(all.len(), 124);
    assert!(all.values().all(|found| found.refused == 0), "{all:?}");
}

/// A decision about unconfirmed rows has the same options as sending a file.
#[tokio::test]
#[ignore = "long: a team on PostgreSQL"]
async fn unconfirmed_rows_that_a_colleague_sends_wait_or_are_left_out_where_a_person_sends_them_again() {
    let (plant, address) = (Plant::start(&["--rate-limit", "5/1"]), create_team());
    let (anna, bert) = (create_desk(&plant, &address).await, create_desk(&plant, &address).await);
    let own = bert.takt.write("own.csv", orders_csv(900_058, 3));
    plant.set_faults(&["apply-then-502:1"]).await;
    let mut once = vec!["sync", own.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--yes", "--json"];
    once.extend(["--batch-size", "3", "--leave-unconfirmed", "--no-preview"]);
    let unknown = bert.takt.run(&once);
    assert_eq!(unknown.summary()["unconfirmed"], 3, "{}{}", unknown.out, unknown.err);
    plant.set_faults(&[]).await;
    let file = anna.takt.write("week.csv", orders_csv(900_000, 60));
    let mut first = anna.takt.start(&sync_arguments(file.to_str().unwrap(), &["--no-preview"]));
    wait_for_applied(&plant, 6).await;
    let again = ["decide", "1", "--send-again", "--json"];
    let refused = bert.takt.run(&again);
    assert!(refused.code == Some(2) && refused.err.contains("2 of these rows"), "{}{}", refused.out, refused.err);
    assert!(refused.err.contains("week.csv"), "{}", refused.err);
    assert_eq!(read_history(&bert.takt).last().unwrap()["unconfirmed"], 3, "nothing was decided");
    let rest = bert.takt.run(&[&again[..], &["--claimed", "wait"]].concat());
    assert!(rest.err.contains("Waiting") && rest.err.contains("week.csv"), "{}{}", rest.out, rest.err);
    assert_eq!(first.wait(TIMEOUT).code(), Some(0), "{}", first.error_text());
    let summary = rest.summary();
    assert_eq!((&summary["unconfirmed"], &summary["pending"]), (&0.into(), &0.into()), "{summary}");
    assert_eq!(read_history(&bert.takt).last().unwrap()["state"], "finished");
}

/// Only rows that would be sent are compared with a colleague's claims. Reading back is always possible.
#[tokio::test]
async fn a_row_that_nobody_else_sends_is_sent_again_while_a_colleague_sends_others_of_the_same_file() {
    let (plant, address) = (Plant::start(&["--rate-limit", "5/1"]), create_team());
    let (anna, bert) = (create_desk(&plant, &address).await, create_desk(&plant, &address).await);
    let own = bert.takt.write("own.csv", orders_csv(900_058, 3));
    plant.set_faults(&["apply-then-502:1"]).await;
    let mut once = vec!["sync", own.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--yes", "--json"];
    once.extend(["--batch-size", "3", "--leave-unconfirmed", "--no-preview"]);
    let unknown = bert.takt.run(&once);
    assert_eq!(unknown.summary()["unconfirmed"], 3, "{}{}", unknown.out, unknown.err);
    plant.set_faults(&[]).await;
    let sheet = unknown.json().iter().find_map(|row| row["sheet"].as_str().map(str::to_owned)).unwrap();
    let file = anna.takt.write("week.csv", orders_csv(900_000, 60));
    let mut first = anna.takt.start(&sync_arguments(file.to_str().unwrap(), &["--no-preview"]));
    wait_for_applied(&plant, 6).await;
    // The colleague is sending rows 2 and 3 now, but not row 4.
    let row = |number: u32| format!("{sheet}:{number}");
    let refused = bert.takt.run(&["decide", "1", "--send-again", "--row", &row(2), "--json"]);
    assert!(refused.code == Some(2) && refused.err.contains("1 of these rows"), "{}{}", refused.out, refused.err);
    let sent = bert.takt.run(&["decide", "1", "--send-again", "--row", &row(4), "--json"]);
    assert!(sent.code != Some(2) && sent.summary()["accepted"].as_u64() >= Some(1), "{}{}", sent.out, sent.err);
    let read_back = bert.takt.run(&["resume", "1", "--find-out", "--json"]);
    assert!(!read_back.err.contains("of these rows"), "{}{}", read_back.out, read_back.err);
    first.kill();
}

#[tokio::test]
async fn what_is_left_out_of_an_interrupted_submission_ends_it() {
    let (plant, address) = (Plant::start(&["--rate-limit", "5/1"]), create_team());
    let (anna, bert) = (create_desk(&plant, &address).await, create_desk(&plant, &address).await);
    let own = bert.takt.write("own.csv", orders_csv(900_055, 5));
    let mut begun = bert.takt.start(&sync_arguments(own.to_str().unwrap(), &["--no-preview"]));
    wait_for_applied(&plant, 2).await;
    begun.kill();
    // Resolves a row that was in flight.
    bert.takt.run(&["resume", "1", "--find-out"]);
    let begun = read_history(&bert.takt).remove(0);
    let left = begun["pending"].as_u64().unwrap();
    assert!(left > 0 && begun["unconfirmed"] == 0 && begun["state"] == "interrupted", "{begun}");
    let file = anna.takt.write("week.csv", orders_csv(900_000, 60));
    let mut first = anna.takt.start(&sync_arguments(file.to_str().unwrap(), &["--no-preview"]));
    wait_for_applied(&plant, 6).await;
    let ended = bert.takt.run(&["resume", "1", "--claimed", "leave-out", "--json"]);
    let summary = ended.summary();
    assert_eq!((&summary["skipped"], &summary["pending"]), (&left.into(), &0.into()), "{}{}", ended.out, ended.err);
    let one = read_history(&bert.takt).into_iter().find(|one| one["submission"] == 1).unwrap();
    assert_eq!(one["state"], "finished", "{one}");
    first.kill();
}

#[tokio::test]
async fn a_desk_that_was_fenced_off_is_told_who_went_on() {
    let (plant, address) = (Plant::start(&["--rate-limit", "10/1"]), create_team());
    let (anna, bert) = (create_desk(&plant, &address).await, create_desk(&plant, &address).await);
    let file = anna.takt.write("orders.csv", orders_csv(900_000, 40));
    // The latency makes it likely that the program is suspended during a request.
    plant.set_faults(&["latency=400"]).await;
    let mut first = anna.takt.start(&sync_arguments(file.to_str().unwrap(), &[]));
    wait_for_applied(&plant, 5).await;
    first.suspend();
    // The server ends a session like this if a sleeping computer no longer responds.
    let ended = "SELECT count(pg_terminate_backend(pid, 20000)) FROM pg_locks WHERE locktype = 'advisory'
        AND classid = 1413565268 AND objid = 1 AND objsubid = 2 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    assert_eq!(postgres::query(&address, ended), "1");
    let resumed = bert.takt.run(&["resume", "1", "--json"]);
    assert_eq!((resumed.code, &resumed.summary()["accepted"]), (Some(0), &40.into()), "{}{}", resumed.out, resumed.err);
    first.wake();
    let _ = first.wait(TIMEOUT);
    let told = first.error_text();
    assert!(told.contains("took over this submission") && told.contains("don't have to do anything"), "{told}");
    assert!(!told.contains("another Takt"), "{told}");
    check_accepted_once(&plant.applied(ORDERS).await, 40);
}

#[tokio::test]
async fn nothing_is_sent_that_the_teams_database_cant_take() {
    let cluster = postgres::Cluster::start();
    let (plant, address) = (Plant::start(&["--rate-limit", "20/1"]), cluster.create_database());
    assert_eq!(Takt::new().run(&["team", "init", &address]).code, Some(0));
    let anna = create_desk(&plant, &address).await;
    let file = anna.takt.write("orders.csv", orders_csv(900_000, 60));
    let mut first = anna.takt.start(&sync_arguments(file.to_str().unwrap(), &[]));
    wait_for_applied(&plant, 5).await;
    cluster.stop();
    assert_eq!(first.wait(TIMEOUT).code(), Some(5), "{}", first.error_text());
    let before = plant.applied(ORDERS).await.len();
    let ran = anna.takt.run(&sync_arguments(file.to_str().unwrap(), &[]));
    assert_eq!(ran.code, Some(5), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("can't be reached") && ran.err.contains("Nothing is sent"), "{}", ran.err);
    let listed = anna.takt.run(&["list", ORDERS.replace("sync", "list").as_str(), "--site", "works"]);
    assert_eq!(listed.code, Some(0), "what the service holds is there all the same: {}", listed.err);
    assert_eq!(plant.applied(ORDERS).await.len(), before);

    cluster.restart();
    let resumed = anna.takt.run(&["resume", "1", "--json"]);
    assert_eq!(resumed.code, Some(0), "{}{}", resumed.out, resumed.err);
    check_accepted_once(&plant.applied(ORDERS).await, 60);
}

#[tokio::test]
async fn a_desks_own_history_comes_along_once() {
    let (plant, address) = (Plant::start(&[]), create_team());
    let anna = Console::signed_in(&plant, Person::Planner).await;
    let file = anna.takt.write("week.csv", orders_csv(900_000, 3));
    let sent = anna.takt.run(&sync_arguments(file.to_str().unwrap(), &[]));
    assert_eq!(sent.code, Some(0), "{}{}", sent.out, sent.err);
    let joined = anna.takt.run(&["team", "join", &address]);
    assert!(joined.out.contains("1 submission from this computer was added"), "{}{}", joined.out, joined.err);
    let there = read_history(&anna.takt);
    assert_eq!(
        (there.len(), &there[0]["accepted"], &there[0]["file"]),
        (1, &3.into(), &"week.csv".into()),
        "{there:?}"
    );
    assert!(there[0]["person"].as_str().unwrap().contains('@'), "{there:?}");
    let same = anna.takt.run(&sync_arguments(file.to_str().unwrap(), &["--if-changed"]));
    assert_eq!((same.code, &same.summary()["unchanged"]), (Some(0), &true.into()), "{}{}", same.out, same.err);

    assert_eq!(anna.takt.run(&["team", "leave"]).code, Some(0));
    assert_eq!(read_history(&anna.takt).len(), 1);
    let again = anna.takt.run(&["team", "join", &address]);
    assert!(again.code == Some(0) && !again.out.contains("submission"), "{}{}", again.out, again.err);
    assert_eq!(read_history(&anna.takt).len(), 1, "nothing twice");
}

#[tokio::test]
async fn what_was_being_sent_while_the_desk_joined_comes_along_before_the_next_is_sent() {
    let (plant, address) = (Plant::start(&["--rate-limit", "20/1"]), create_team());
    let anna = Console::signed_in(&plant, Person::Planner).await;
    let file = anna.takt.write("week.csv", orders_csv(900_000, 40));
    // The latency makes it likely that the program is suspended during a request.
    plant.set_faults(&["latency=400"]).await;
    let mut first = anna.takt.start(&sync_arguments(file.to_str().unwrap(), &[]));
    let mut enough = 3;
    let joined = loop {
        wait_for_applied(&plant, enough).await;
        first.suspend();
        let joined = anna.takt.run(&["team", "join", &address]);
        first.wake();
        // If the program was suspended during a transaction, the file is locked. Then the test tries again later.
        if !joined.err.contains("is writing to the history file") {
            break joined;
        }
        enough += 1;
    };
    assert_eq!(joined.code, Some(0), "{}{}", joined.out, joined.err);
    plant.set_faults(&[]).await;
    assert!(first.wait(TIMEOUT).success(), "{}", first.error_text());
    assert!(read_history(&anna.takt).is_empty(), "a submission that isn't settled isn't the team's");

    let same = anna.takt.run(&sync_arguments(file.to_str().unwrap(), &["--if-changed"]));
    assert_eq!((same.code, &same.summary()["unchanged"]), (Some(0), &true.into()), "{}{}", same.out, same.err);
    let there = read_history(&anna.takt);
    assert_eq!((there.len(), &there[0]["accepted"]), (1, &40.into()), "{there:?}");
    check_accepted_once(&plant.applied(ORDERS).await, 40);
}

/// Sends one row with a mapping that contains these replacements.
fn send_with_replacements(console: &Console, order: u32, replacements: &Value) {
    let columns = json!({"a": "code", "b": "operationCode", "c": "materialCode", "d": "requestedQuantity"});
    let mapping = json!({"operation": ORDERS, "columns": columns, "replacements": replacements});
    let mapping = console.takt.write("mapping.json", mapping.to_string());
    let file = console.takt.write("week.csv", format!("a;b;c;d\nWO-{order};010;MAT-1001;5\n"));
    let ran = console.takt.run(&sync_arguments(file.to_str().unwrap(), &["--mapping", mapping.to_str().unwrap()]));
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
}

/// Returns the replacements that a desk's mapping stores for the material column.
fn stored_replacements(console: &Console) -> Value {
    let file = console.takt.write("next.csv", "a;b;c;d\nWO-901999;010;MAT-1001;5\n");
    let out = console.takt.file("remembered.json");
    let words = ["check", file.to_str().unwrap(), "--to", ORDERS, "--offline", "--save-mapping", out.to_str().unwrap()];
    let ran = console.takt.run(&words);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let mapping: Value = serde_json::from_str(&std::fs::read_to_string(out).unwrap()).unwrap();
    assert_eq!(mapping["columns"]["d"], "requestedQuantity", "{mapping}");
    mapping["replacements"].clone()
}

#[tokio::test]
async fn who_changed_a_mapping_is_told_and_what_was_before_comes_back() {
    let (plant, address) = (Plant::start(&[]), create_team());
    assert!(postgres::statement_succeeds(&address, "CREATE ROLE colleague LOGIN; GRANT takt_desk TO colleague"));
    let anna = create_desk(&plant, &address).await;
    let bert = create_desk(&plant, &address.replacen("takt@", "colleague@", 1)).await;
    let alone = Takt::new().run(&["team", "changes"]);
    assert!(alone.code == Some(2) && alone.err.contains("takt team join"), "{}{}", alone.out, alone.err);
    let transcript = Transcript::new(&anna.takt);
    transcript.run(&["team", "changes"]);

    let shaft = json!([{"heading": "c", "from": "SHAFT", "to": "MAT-1002"}]);
    let axle = json!([{"heading": "c", "from": "AXLE", "to": "MAT-1002"}]);
    send_with_replacements(&anna, 901_000, &shaft);
    send_with_replacements(&anna, 901_001, &shaft);
    send_with_replacements(&bert, 901_002, &axle);
    assert_eq!(stored_replacements(&anna), axle);
    let told = anna.takt.run(&["team", "changes", "--json"]);
    let changes = told.json();
    let of = |change: &Value| ["number", "kind", "change", "login", "name"].map(|member| change[member].clone());
    let second =
        of(&json!({"number": 2, "kind": "mapping", "change": "changed", "login": "colleague", "name": "a, b, c, d"}));
    let first = of(&json!({"number": 1, "kind": "mapping", "change": "added", "login": "takt", "name": "a, b, c, d"}));
    assert_eq!(changes.iter().map(of).collect::<Vec<_>>(), [second, first], "{}", told.out);
    assert!(changes[0]["person"].as_str().unwrap().contains('@'), "{}", told.out);
    assert_eq!(anna.takt.run(&["team", "changes", "--limit", "1", "--json"]).json().len(), 1);
    transcript.run(&["team", "changes"]);
    assert_eq!(transcript.run(&["team", "restore", "2"]).code, Some(2), "without --yes");
    for number in ["1", "9"] {
        assert_eq!(transcript.run(&["team", "restore", number, "--yes"]).code, Some(2));
    }
    assert_eq!(stored_replacements(&bert), axle, "nothing was changed");
    assert_eq!(transcript.run(&["team", "restore", "2", "--yes"]).code, Some(0));
    assert_eq!((stored_replacements(&anna), stored_replacements(&bert)), (shaft.clone(), shaft));
    let newest = bert.takt.run(&["team", "changes", "--limit", "1", "--json"]).json();
    assert_eq!(
        (&newest[0]["number"], &newest[0]["login"]),
        (&3.into(), &"takt".into()),
        "the way back is a change, too"
    );
    // A purge removes old changes for all desks, but the mapping remains.
    assert_eq!(bert.takt.run(&["purge", "--rows-older-than", "1", "--yes"]).code, Some(0));
    assert_eq!(anna.takt.run(&["team", "changes", "--json"]).json().len(), 3, "none is that old");
    let old = "UPDATE takt.shared_change SET at = '2020-01-01T00:00:00Z' WHERE id < 3";
    assert!(postgres::statement_succeeds(&address, old));
    let would = bert.takt.run(&["purge", "--rows-older-than", "1", "--json"]).summary();
    assert_eq!((&would["changes"], &would["dryRun"]), (&2.into(), &true.into()));
    let purge = ["purge", "--rows-older-than", "1", "--yes"];
    transcript.add(&purge, &bert.takt.run(&purge));
    assert_transcript!(transcript);
    assert_eq!(anna.takt.run(&["team", "changes", "--json"]).json().len(), 1);
    assert_eq!(stored_replacements(&anna)[0]["from"], "SHAFT");
}
