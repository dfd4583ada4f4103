//! Reference checks: `takt check` compares rows with the site's data before anything is sent.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use takt_tests::{Person, Plant, Takt, sample_path};

use crate::{
    support::{ORDERS, console, orders_csv, read_samples, signed_in},
    transcript::{Transcript, assert_transcript},
};

fn rows_with_finding(lines: &[Value], code: &str) -> BTreeSet<u64> {
    lines.iter().filter(|line| line["code"] == code).map(|line| line["row"].as_u64().unwrap()).collect()
}

#[test]
fn every_code_of_the_samples_that_the_service_would_refuse_is_found_before() {
    for expected in read_samples() {
        let takt = Takt::new();
        let file = sample_path(&expected.file);
        let ran = takt.run(&["check", file.to_str().unwrap(), "--to", &expected.operation, "--json"]);
        let mut lines = ran.json();
        let summary = lines.pop().unwrap();
        assert_eq!(summary["sense"]["site"], "practice", "{}: {}", expected.file, ran.err);
        assert_eq!(summary["sense"]["unchecked"], json!([]), "{}: {}", expected.file, ran.err);
        assert_eq!(rows_with_finding(&lines, "locked-property"), expected.locked, "{}", expected.file);
        let unknown = lines.iter().filter(|line| line["code"] == "unknown-code" && line["severity"] == "error");
        let found: BTreeSet<u64> = unknown.map(|line| line["row"].as_u64().unwrap()).collect();
        assert_eq!(found, expected.unknown, "{}", expected.file);
        assert_eq!(summary["sense"]["problem"], Value::Null);
    }
}

#[test]
fn offline_says_what_is_not_checked() {
    let takt = Takt::new();
    let file = sample_path("work-orders.sync.xlsx");
    let ran = takt.run(&["check", file.to_str().unwrap(), "--offline", "--json"]);
    let transcript = Transcript::new(&takt);
    transcript.note("sense", &ran.summary()["sense"].to_string());
    assert!(ran.json().iter().all(|line| line["code"] != "unknown-code"));
    let file = takt.write("orders.csv", orders_csv(900_000, 2));
    let check = ["check", file.to_str().unwrap(), "--to", ORDERS, "--offline"];
    transcript.run(&check);
    let stranger = transcript.run(&[&check[..], &["--site", "nowhere"]].concat());
    assert_eq!(stranger.code, Some(2), "{}", stranger.err);
    assert_transcript!(transcript);
}

#[test]
fn an_unknown_code_stops_a_sync_and_names_the_nearest() {
    let takt = Takt::new();
    let csv = "code;operationCode;materialCode;requestedQuantity\nWO-1;010;MAT-1001;5\nWO-2;010;mat-101;5\n";
    let file = takt.write("orders.csv", csv);
    let transcript = Transcript::new(&takt);
    let sync = ["sync", file.to_str().unwrap(), "--to", ORDERS, "--yes"];
    let ran = transcript.run(&[&sync[..], &["--json"]].concat());
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_eq!(takt.run(&["history", "--json"]).out, "", "nothing was written down");
    transcript.run(&[&sync[..], &["--skip-errors"]].concat());
    // Without the reference check, the service rejects the row.
    transcript.run(&[&sync[..], &["--without-lookup"]].concat());
    assert_transcript!(transcript);
}

#[tokio::test]
async fn a_site_is_asked_once_and_remembered_and_one_without_a_sign_in_is_said_so() {
    let plant = Plant::start(&[]);
    let stranger = console(&plant);
    let file = stranger.takt.write("orders.csv", orders_csv(900_000, 2));
    let arguments = |offline: bool| {
        let mut arguments = vec!["check", file.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--json"];
        arguments.extend(offline.then_some("--offline"));
        arguments
    };
    let ran = stranger.takt.run(&arguments(false));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let check = ran.summary()["sense"].clone();
    assert_eq!(check["problem"]["code"], "sign-in-needed");
    assert_eq!(
        check["unchecked"][0],
        json!({"field": "materialCode", "reason": "not-loaded", "at": null, "rows": null})
    );

    let planner = signed_in(&plant, Person::Planner).await;
    let first = planner.takt.run(&arguments(false)).summary()["sense"].clone();
    assert_eq!((&first["site"], &first["unchecked"], &first["problem"]), (&json!("works"), &json!([]), &Value::Null));
    assert_eq!(planner.takt.run(&arguments(false)).summary()["sense"], first, "nothing is asked again a moment later");
    assert_eq!(
        planner.takt.run(&arguments(true)).summary()["sense"],
        first,
        "what was read is there without the site, too"
    );
}
