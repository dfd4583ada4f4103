//! `takt forward`, `takt replay` with filters, and `takt events` to a file.

use std::{fs, time::Duration};

use serde_json::{Value, json};
use takt_tests::{Erp, Program, Reply, Takt};

use crate::transcript::{Transcript, assert_transcript};

const TIMEOUT: Duration = Duration::from_secs(120);

fn start_listener(takt: &Takt) -> (Program, String) {
    let mut program = Program::start("listen", takt.command(&["listen", "--json"]));
    let first: Value = serde_json::from_str(&program.first_line(TIMEOUT)).unwrap();
    let address = first["url"].as_str().unwrap().to_owned();
    (program, address)
}

async fn post_event(address: &str, id: &str, body: &str) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let sent = client.post(address).header("X-Takt-Delivery", id).body(body.to_owned()).send().await.unwrap();
    assert_eq!(sent.status(), 200);
}

fn test_deliveries(erp: &Erp) -> Vec<String> {
    // The practice plant sends events, too. They have other delivery IDs.
    let all = erp.accepted_requests().into_iter().map(|one| one.delivery_id().to_owned());
    all.filter(|delivery| delivery.starts_with("ours-")).collect()
}

fn first_target(takt: &Takt) -> Value {
    takt.run(&["forward", "list", "--json"]).json()[0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_gets_what_is_received_and_waits_while_it_is_paused() {
    let (takt, erp, marker) = (Takt::new(), Erp::start(|_| Reply::Status(200)), Erp::start(|_| Reply::Status(200)));
    assert_eq!(takt.run(&["forward", "add", "ERP", "--to", "ftp://erp"]).code, Some(2));
    let added = takt.run(&["forward", "add", "ERP", "--to", erp.url(), "--kind", "2"]);
    assert!(added.code == Some(0) && added.out.contains("ERP"), "{} {}", added.out, added.err);
    assert_eq!(takt.run(&["forward", "add", "ERP", "--to", erp.url()]).code, Some(2), "the name is taken");
    assert_eq!(takt.run(&["forward", "add", "marker", "--to", marker.url(), "--kind", "2"]).code, Some(0));
    let idle = takt.run(&["forward", "status", "ERP"]);
    assert!(idle.err.contains("takt listen"), "{} {}", idle.out, idle.err);
    let (mut program, address) = start_listener(&takt);
    for (id, kind) in [("ours-1", 2), ("ours-2", 0), ("ours-3", 2)] {
        post_event(&address, id, &json!({ "Id": kind, "WorkOrders": [{ "Code": id }] }).to_string()).await;
    }
    program.wait_for("two arrive", TIMEOUT, |_| (test_deliveries(&erp) == ["ours-1", "ours-3"]).then_some(()));
    assert_eq!(takt.run(&["forward", "pause", "ERP"]).code, Some(0));
    post_event(&address, "ours-4", "{\"Id\":2}").await;
    // Both targets would get the event at the same time. The paused one must not accept it, since the test skips it
    // later.
    program.wait_for("the marker arrives", TIMEOUT, |_| {
        test_deliveries(&marker).contains(&"ours-4".to_owned()).then_some(())
    });
    assert_eq!(first_target(&takt)["state"], "paused");
    assert_eq!(test_deliveries(&erp), ["ours-1", "ours-3"]);
    erp.set_rule(|one| Reply::Status(if one.delivery_id() == "ours-4" { 422 } else { 200 }));
    assert_eq!(takt.run(&["forward", "resume", "ERP"]).code, Some(0));
    program.wait_for("one is set aside", TIMEOUT, |_| (first_target(&takt)["aside"] == 1).then_some(()));
    let status = takt.run(&["forward", "status", "ERP"]);
    assert!(status.code == Some(0) && status.out.contains("422"), "{}", status.out);
    erp.set_rule(|_| Reply::Status(200));
    assert_eq!(takt.run(&["forward", "retry", "ERP"]).code, Some(0));
    program.wait_for("it is taken", TIMEOUT, |_| (first_target(&takt)["aside"] == 0).then_some(()));
    assert_eq!(test_deliveries(&erp), ["ours-1", "ours-3", "ours-4"]);
    assert_eq!(takt.run(&["forward", "test", "ERP"]).code, Some(0));
    program.end(TIMEOUT);
    assert_eq!(takt.run(&["forward", "remove", "ERP"]).code, Some(0));
    assert_eq!(takt.run(&["forward", "remove", "marker"]).code, Some(0));
    assert_eq!(takt.run(&["forward", "pause", "ERP"]).code, Some(2));
    assert!(takt.run(&["forward", "list", "--json"]).out.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_found_by_filters_sent_once_more_and_written_to_files() {
    let (takt, erp) = (Takt::new(), Erp::start(|_| Reply::Status(200)));
    let (mut program, address) = start_listener(&takt);
    let long = "y".repeat(40_000);
    let bodies = [
        "{ \"Id\":2,\n \"WorkOrders\":[{\"Code\":\"=1+1\"}], \"n\": 1.50 }".to_owned(),
        format!("{{\"Id\":2,\"WorkOrders\":[{{\"Code\":\"OURS\"}}],\"Note\":\"{long}\"}}"),
        "no json".to_owned(),
    ];
    for (at, body) in bodies.iter().enumerate() {
        post_event(&address, &format!("ours-{at}"), body).await;
    }
    program.end(TIMEOUT);
    let dry = takt.run(&["replay", "--order", "OURS", "--to", "http://erp.example/", "--dry-run", "--json"]);
    assert_eq!((dry.code, &dry.json()[0]["count"], &dry.json()[0]["open"]), (Some(0), &json!(1), &json!(true)));
    assert!(dry.err.contains("not encrypted"), "{}", dry.err);
    let refused = takt.run(&["replay", "--order", "OURS", "--to", "http://erp.invalid/"]);
    assert!(refused.code == Some(2) && refused.err.contains("--allow-http"), "{:?} {}", refused.code, refused.err);
    let allowed = takt.run(&["replay", "--order", "OURS", "--to", "http://erp.invalid/", "--allow-http"]);
    assert_eq!(allowed.code, Some(5), "nobody is there: {}", allowed.err);
    assert_eq!(takt.run(&["replay", "--to", erp.url()]).code, Some(2), "everything is never meant by leaving it out");
    let sent = takt.run(&["replay", "--text", "OURS", "--since", "2020-01-01T00:00:00Z", "--to", erp.url(), "--json"]);
    assert_eq!((sent.code, &sent.json()[0]["status"]), (Some(0), &json!(200)), "{}", sent.err);
    assert!(
        erp.accepted_requests()[0].header("takt-replay").is_some()
            && erp.accepted_requests()[0].delivery_id() == "ours-1"
    );
    assert_eq!(takt.run(&["events", "--since", "2020-01-01", "--until", "2100-12-31T06:00", "--json"]).json().len(), 3);
    let wrong = takt.run(&["events", "--since", "yesterday"]);
    assert!(wrong.code == Some(2) && wrong.err.contains("“yesterday”"), "{}", wrong.err);
    let odd = takt.run(&["events", "--state", "malformed", "--json"]);
    assert_eq!((odd.json().len(), &odd.json()[0]["state"]), (1, &json!("malformed")), "{}", odd.out);
    assert_eq!(takt.run(&["events", "1", "--state", "odd"]).code, Some(2), "one event needs no filter");
    let lines = takt.run(&["events", "--format", "json", "--kind", "2", "--text", "1.5"]);
    assert!(lines.out.contains("\"n\": 1.50 }"), "numbers stay as they were written: {}", lines.out);
    assert_eq!(lines.json()[0]["body"]["Id"], 2);
    let csv = takt.file("events.csv");
    assert_eq!(takt.run(&["events", "--format", "csv", "--out", csv.to_str().unwrap()]).code, Some(0));
    let csv = fs::read_to_string(csv).unwrap();
    assert!(csv.contains(&long) && csv.contains("'=1+1") && csv.contains("no json"), "{}", &csv[..2000.min(csv.len())]);
    let book = takt.file("events.xlsx");
    assert_eq!(takt.run(&["events", "--format", "xlsx"]).code, Some(2), "a workbook needs a file");
    assert_eq!(takt.run(&["events", "--format", "xlsx", "--out", book.to_str().unwrap()]).code, Some(0));
    let cells = takt.run(&["cells", book.to_str().unwrap(), "--json"]).json();
    let cell = |column: &str, row: &Value| {
        let cells = row["cells"].as_array().unwrap().iter();
        cells.filter(|cell| cell["column"] == column).map(|cell| cell["shown"].as_str().unwrap().to_owned()).next()
    };
    let row = |text: &str| cells.iter().find(|row| row["cells"].to_string().contains(text)).unwrap();
    assert!(cell("R", row("yyyyyy")).unwrap().starts_with("shortened"), "what was left out is said");
    assert_eq!(cell("M", row("=1+1")).as_deref(), Some("=1+1"), "a text, and no formula");
    assert!(cells.iter().any(|row| row["sheet"] == "Orders" && row["cells"].to_string().contains("OURS")));
}

/// Earlier versions stored targets without asking whether HTTP is allowed.
#[test]
fn an_unencrypted_target_of_an_earlier_takt_is_held_until_it_is_allowed() {
    let takt = Takt::new();
    let added = takt.run(&["forward", "add", "ERP", "--to", "http://erp.invalid/", "--allow-http"]);
    assert_eq!(added.code, Some(0), "{}", added.err);
    assert_eq!(first_target(&takt)["state"], "up-to-date");
    let file = rusqlite::Connection::open(takt.home().join("inbox.sqlite")).unwrap();
    file.execute("UPDATE target SET keys = json_remove(keys, '$.open')", []).unwrap();
    drop(file);
    assert_eq!(first_target(&takt)["state"], "unencrypted");
    let transcript = Transcript::new(&takt);
    transcript.run(&["forward", "status", "ERP"]);
    assert_eq!(transcript.run(&["forward", "test", "ERP"]).code, Some(2));
    assert_eq!(transcript.run(&["forward", "resume", "ERP"]).code, Some(0));
    assert_eq!(first_target(&takt)["state"], "unencrypted");
    let resumed = transcript.run(&["forward", "resume", "ERP", "--allow-http"]);
    assert!(resumed.code == Some(0) && resumed.err.is_empty(), "{}", resumed.err);
    assert_transcript!(transcript);
    assert_eq!(first_target(&takt)["state"], "up-to-date");
}
