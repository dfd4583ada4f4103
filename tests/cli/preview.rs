//! `takt preview`, and the preview of `takt sync`: unchanged rows aren't sent, and conflicts stop the run.

use serde_json::{Value, json};
use takt_tests::{Person, Plant, Takt};

use crate::{
    support::{ORDERS, signed_in},
    transcript::{Transcript, assert_transcript},
};

const MATERIALS: &str = "materials.sync";

fn list_rows(takt: &Takt, operation: &str, more: &[&str]) -> Vec<Value> {
    let fixed = ["list", operation, "--format", "json"];
    let ran = takt.run(&fixed.into_iter().chain(more.iter().copied()).collect::<Vec<_>>());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

/// Returns the plant's first materials as CSV. `change` gets each one's index and description.
fn changed_materials_csv(takt: &Takt, change: impl Fn(usize, &mut String)) -> String {
    let mut csv = "code;description".to_owned();
    for (index, row) in list_rows(takt, "materials.list", &[]).iter().take(30).enumerate() {
        let mut description = row["description"].as_str().unwrap().replace('"', "\"\"");
        change(index, &mut description);
        csv.push_str(&format!("\n{};\"{description}\"", row["code"].as_str().unwrap()));
    }
    csv
}

#[test]
fn old_and_new_stand_side_by_side() {
    let takt = Takt::new();
    let mut csv = changed_materials_csv(&takt, |index, text| {
        if index == 3 {
            text.push_str(" (new)");
        }
    });
    csv.push_str("\nNEVER-1;\"Bolt\"\nNEVER-2;");
    let file = takt.write("materials.csv", csv);
    let file = file.to_str().unwrap();
    let ran = takt.run(&["preview", file, "--to", MATERIALS, "--json"]);
    assert_eq!(ran.code, Some(1), "a row with errors would stop the run: {}", ran.err);
    let mut lines = ran.json();
    let summary = lines.pop().unwrap();
    assert!(summary["requests"].as_u64().unwrap() >= 1 && summary["seconds"].is_number());
    let transcript = Transcript::new(&takt);
    transcript.add(&["preview", file, "--to", MATERIALS, "--json"], &ran);
    transcript.run(&["preview", file, "--to", MATERIALS]);
    let elsewhere = transcript.run(&["preview", file, "--to", MATERIALS, "--site", "nowhere"]);
    assert_eq!(elsewhere.code, Some(2), "{}", elsewhere.err);
    assert_transcript!(transcript);
}

#[test]
fn a_column_that_slipped_is_said_as_a_sentence() {
    let takt = Takt::new();
    let held = list_rows(&takt, "materials.list", &[]);
    let before = |index: usize| held[index.saturating_sub(1)]["description"].as_str().unwrap().to_owned();
    let csv = changed_materials_csv(&takt, |index, text| *text = before(index).replace('"', "\"\""));
    let file = takt.write("materials.csv", csv);
    let ran = takt.run(&["preview", file.to_str().unwrap(), "--to", MATERIALS, "--json"]);
    assert_eq!(ran.code, Some(0), "an alarm is a question: {}", ran.err);
    let transcript = Transcript::new(&takt);
    transcript.note("alarms", &ran.summary()["alarms"].to_string());
    let shown = takt.run(&["preview", file.to_str().unwrap(), "--to", MATERIALS]);
    transcript.note("complaints", &shown.err);
    assert_transcript!(transcript);
}

#[test]
fn what_nothing_shows_is_said() {
    let takt = Takt::new();
    let file = takt.write("stock.csv", "materialCode;quantity\nMAT-1001;5");
    let transcript = Transcript::new(&takt);
    let ran = transcript.run(&["preview", file.to_str().unwrap(), "--to", "stock.sync"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_transcript!(transcript);
}

#[tokio::test]
async fn what_is_the_same_is_skipped_unless_it_is_asked_for() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let csv = "code;operationCode;materialCode;requestedQuantity\nWO-9001;010;MAT-1001;5\nWO-9002;010;MAT-1001;6\n";
    let file = takt.write("orders.csv", csv);
    let again = takt.write("again.csv", csv.replace(";6", ";7"));
    let sync = |file: &std::path::Path, more: &[&str]| {
        let fixed = ["sync", file.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--yes", "--json"];
        let ran = takt.run(&fixed.into_iter().chain(more.iter().copied()).collect::<Vec<_>>());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let summary = ran.summary();
        ["accepted", "skipped", "requests"].map(|name| summary[name].as_u64().unwrap())
    };
    assert_eq!(sync(&file, &[]), [2, 0, 1]);
    assert_eq!(sync(&file, &[]), [0, 2, 0], "both are there like this");
    assert_eq!(sync(&again, &[]), [1, 1, 1]);
    assert_eq!(sync(&again, &["--send-same"]), [2, 0, 1]);
    assert_eq!(sync(&again, &["--no-preview"]), [2, 0, 1]);
    assert_eq!(plant.applied(ORDERS).await["WO-9002 · 010"].accepted, 4);
}

#[tokio::test]
async fn conflicts_stop_unless_they_are_asked_for() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let sync = |name: &str, csv: &str, more: &[&str]| {
        let file = takt.write(name, csv);
        let fixed =
            ["sync", file.to_str().unwrap(), "--to", "work-orders.properties", "--site", "works", "--yes", "--json"];
        takt.run(&fixed.into_iter().chain(more.iter().copied()).collect::<Vec<_>>())
    };
    let order = list_rows(takt, "work-orders.list", &["--site", "works"])[0].clone();
    let key = format!("{};{}", order["code"].as_str().unwrap(), order["operationCode"].as_str().unwrap());
    let locking = format!("workOrderCode;operationCode;key;value;isLocked\n{key};SEAL;red;true");
    assert_eq!(sync("locking.csv", &locking, &[]).code, Some(0));
    let changing = format!("workOrderCode;operationCode;key;value\n{key};SEAL;blue");
    let stopped = sync("changing.csv", &changing, &[]);
    assert_eq!((stopped.code, &stopped.summary()["pending"]), (Some(1), &json!(1)), "{}", stopped.err);
    let line = &stopped.json()[0];
    assert_eq!((&line["change"], &line["fields"][0]["conflict"]), (&json!("conflict"), &json!("locked")));
    let transcript = Transcript::new(takt);
    transcript.note("stopped", &stopped.err);

    // Errors and conflicts are skipped by different options, so a file with both needs both options.
    let both = format!("{changing}\n{key};LABEL;new\n{key};;none");
    let skipped = sync("both.csv", &both, &["--skip-conflicts"]);
    assert_eq!(skipped.code, Some(1), "a row has errors: {}", skipped.err);
    let skipped = sync("both.csv", &both, &["--skip-errors"]);
    assert_eq!((skipped.code, &skipped.summary()["submission"]), (Some(1), &json!(null)), "one is in conflict");
    let skipped = sync("both.csv", &both, &["--skip-errors", "--skip-conflicts"]);
    let summary = skipped.summary();
    assert_eq!(
        (skipped.code, &summary["accepted"], &summary["skipped"]),
        (Some(0), &json!(1), &json!(2)),
        "{}",
        skipped.err
    );
    transcript.note("skipped", &skipped.err);
    let both = sync("both.csv", &both, &["--send-conflicts", "--skip-conflicts"]);
    assert_eq!(both.code, Some(2), "never both: {}", both.err);
    transcript.note("both", &both.err);
    assert_transcript!(transcript);

    let sent = sync("changing.csv", &changing, &["--send-conflicts"]);
    assert_eq!((sent.code, &sent.summary()["rejected"]), (Some(1), &json!(1)), "the service refuses it: {}", sent.err);
}
