//! `takt listen` and `takt events`: events of a service are received, printed and found.

use std::time::Duration;

use serde_json::{Value, json};
use takt_tests::{Plant, Program, Takt};

const TIMEOUT: Duration = Duration::from_secs(120);

/// Starts `takt listen` and returns the receiver's address.
fn start_listener(takt: &Takt, arguments: &[&str]) -> (Program, String) {
    let mut program = Program::start("listen", takt.command(arguments));
    let first: Value = serde_json::from_str(&program.first_line(TIMEOUT)).unwrap();
    let address = first["url"].as_str().unwrap().to_owned();
    (program, address)
}

fn printed_events(program: &Program) -> Vec<Value> {
    let printed = program.output_text();
    let lines = printed.rsplit_once('\n').map(|(lines, _)| lines).unwrap_or_default();
    lines.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn a_plants_events_are_told_as_they_come_and_found_again() {
    let takt = Takt::new();
    let secret = takt.write("secrets.txt", "next one\nour secret\n");
    let signing = takt.write("secret.txt", "our secret");
    let (mut program, address) =
        start_listener(&takt, &["listen", "--json", "--site", "practice", "--secret-file", secret.to_str().unwrap()]);
    let plant = Plant::start(&["--events", &address, "--events-secret-file", signing.to_str().unwrap()]);
    for event in ["WorkOrderExecutionBegin", "ProductionAlert", "CanWorkOrderFinalize"] {
        assert_eq!(plant.fire_event(json!({ "event": event })).await["deliveries"], 1);
    }
    let ours = |program: &Program| {
        let ours: Vec<_> = printed_events(program).into_iter().filter(|event| event["signed"] == "valid").collect();
        (ours.len() == 3).then_some(ours)
    };
    let events = program.wait_for("three events", TIMEOUT, ours);
    let kinds: Vec<_> = events.iter().map(|event| event["kind"].as_i64().unwrap()).collect();
    assert_eq!(kinds.iter().collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>(), [&0, &2, &10]);
    assert!(events.iter().all(|event| event["body"]["Id"] == event["kind"] && event["state"] == "sound"), "{events:?}");
    program.end(TIMEOUT);
    let ran = takt.run(&["events", "--json", "--kind", "2", "--kind", "0", "--kind", "10"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let found: Vec<_> = ran.json().into_iter().filter(|event| event["signed"] == "valid").collect();
    assert_eq!(found.len(), 3);
    let number = found[0]["id"].to_string();
    let one = takt.run(&["events", &number]);
    assert!(one.out.contains("x-takt-signature: sha256=") && one.out.contains("WorkStationCode"), "{}", one.out);
    assert!(!one.out.contains("our secret"));
    let order = found.iter().find_map(|event| event["order"].as_str()).unwrap();
    assert!(takt.run(&["events", "--order", order]).out.contains(order));
    assert!(takt.run(&["events", "--text", order, "--json"]).json().iter().any(|event| event["order"] == order));
    assert_eq!(takt.run(&["events", "999999"]).code, Some(2));
    // The receiver must end before its home is removed.
    let other = Takt::new();
    let (_again, elsewhere) = start_listener(&other, &["listen", "--json"]);
    let ran = takt.run(&["replay", &number, "--to", &elsewhere, "--json"]);
    assert_eq!((ran.code, &ran.json()[0]["status"]), (Some(0), &json!(200)), "{}", ran.err);
    assert_eq!(takt.run(&["replay", &number, "--to", &format!("{elsewhere}x")]).code, Some(1));
    assert_eq!(takt.run(&["replay", &number, "--to", "http://127.0.0.1:1/"]).code, Some(5));
}

#[test]
fn the_practice_plant_has_something_to_tell_on_the_first_start() {
    let takt = Takt::new();
    let (mut program, _) = start_listener(&takt, &["listen", "--json"]);
    let events =
        program.wait_for("an event", TIMEOUT, |program| Some(printed_events(program)).filter(|told| !told.is_empty()));
    assert!(events[0]["state"] == "sound" && events[0]["station"].is_string(), "{events:?}");
    program.end(TIMEOUT);
    let ran = takt.run(&["events"]);
    assert!(ran.code == Some(0) && ran.out.lines().count() >= events.len(), "{}", ran.out);
}

#[test]
fn an_address_that_is_taken_or_open_is_told() {
    let takt = Takt::new();
    let (_program, address) = start_listener(&takt, &["listen", "--json"]);
    let port = address.trim_start_matches("http://").split('/').next().unwrap();
    let ran = takt.run(&["listen", "--listen", port]);
    assert!(ran.code == Some(2) && ran.err.contains(port), "{:?} {}", ran.code, ran.err);
}

#[tokio::test]
async fn what_nobody_signed_is_stored_up_to_a_limit_counted_and_removed() {
    let takt = Takt::new();
    let secret = takt.write("secret.txt", "our secret\n");
    let (mut program, address) =
        start_listener(&takt, &["listen", "--json", "--secret-file", secret.to_str().unwrap()]);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    for letter in b'a'..=b'e' {
        let body = vec![letter; 5 * 1024 * 1024];
        assert_eq!(client.post(&address).body(body).send().await.unwrap().status(), 401);
    }
    let told = |program: &Program| program.error_text().contains("weren't stored").then_some(());
    program.wait_for("that some weren't stored", TIMEOUT, told);
    program.end(TIMEOUT);
    let storage = takt.run(&["storage", "--json"]).summary();
    let [bytes, omitted] = ["unverifiedBytes", "unverifiedOmitted"].map(|name| storage[name].as_u64().unwrap());
    assert!(bytes <= 16 * 1024 * 1024 && omitted >= 2, "{storage}");
    let shown = takt.run(&["storage"]);
    assert!(shown.err.contains("takt purge --unverified --yes"), "{shown:?}");
    assert_eq!(takt.run(&["purge", "--unverified", "--max-size", "1"]).code, Some(2));
    let would = takt.run(&["purge", "--unverified", "--json"]).summary();
    assert!(would["events"].as_u64().unwrap() >= 3 && would["dryRun"] == true, "{would}");
    let purged = takt.run(&["purge", "--unverified", "--yes"]);
    assert!(purged.code == Some(0) && purged.out.contains("unverified events"), "{purged:?}");
    let storage = takt.run(&["storage", "--json"]).summary();
    assert_eq!((&storage["unverifiedBytes"], &storage["unverifiedOmitted"]), (&json!(0), &json!(0)), "{storage}");
}
