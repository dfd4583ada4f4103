//! Decisions after sending, compared with the plant's log. A trial run continues, rejected rows are retried, another
//! file uses the same mapping, unconfirmed rows are decided, and changes are undone.

use serde_json::Value;
use takt_tests::{Person, Plant};

use crate::{
    support::{ORDERS, orders_csv, signed_in},
    transcript::{Transcript, assert_transcript},
};

const MATERIALS: &str = "materials.sync";

fn materials_csv(rows: impl IntoIterator<Item = (u32, &'static str)>) -> String {
    let mut csv = "code;description".to_owned();
    rows.into_iter().for_each(|(number, text)| csv.push_str(&format!("\nT-{number};{text}")));
    csv + "\n"
}

fn result_counts(summary: &Value) -> [u64; 4] {
    ["accepted", "rejected", "unconfirmed", "pending"].map(|name| summary[name].as_u64().unwrap())
}

#[tokio::test]
async fn a_trial_run_ends_well_and_the_rest_follows() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let file = takt.write("orders.csv", orders_csv(900_000, 12));
    let fixed = ["sync", file.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--yes", "--json"];
    let ran = takt.run(&[&fixed[..], &["--trial", "5"]].concat());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(result_counts(&ran.summary()), [5, 0, 0, 7]);
    let transcript = Transcript::new(takt);
    transcript.note("complaints of the trial", &ran.err);
    assert_transcript!(transcript);
    assert_eq!(plant.applied(ORDERS).await.len(), 5);
    let resumed = takt.run(&["resume", "--json"]);
    assert_eq!((resumed.code, result_counts(&resumed.summary())), (Some(0), [12, 0, 0, 0]), "{}", resumed.err);
    assert!(plant.applied(ORDERS).await.values().all(|item| item.accepted == 1));
}

#[tokio::test]
async fn rejected_rows_go_again_alone_as_they_were_or_corrected() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let csv = |right: &str| orders_csv(900_000, 3) + &format!("WO-900003;010;{right};4\nWO-900004;010;{right};4\n");
    let file = takt.write("orders.csv", csv("MAT-NONE"));
    let fixed =
        ["sync", file.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--yes", "--json", "--without-lookup"];
    let ran = takt.run(&fixed);
    assert_eq!((ran.code, result_counts(&ran.summary())), (Some(1), [3, 2, 0, 0]), "{}", ran.err);
    let id = ran.summary()["submission"].to_string();

    let again = takt.run(&["retry", &id, "--yes", "--json"]);
    assert_eq!((again.code, result_counts(&again.summary())), (Some(1), [0, 2, 0, 0]), "{}", again.err);
    // A row that is still wrong stops the retry, and a script learns which and that nothing was sent.
    let wrong =
        takt.write("wrong.csv", csv("MAT-1001").replace("WO-900004;010;MAT-1001;4", "WO-900004;010;MAT-1001;many"));
    let stopped = takt.run(&["retry", &id, "--file", wrong.to_str().unwrap(), "--yes", "--json"]);
    let lines = stopped.json();
    assert_eq!(
        (stopped.code, result_counts(&stopped.summary())),
        (Some(1), [0, 0, 0, 2]),
        "{}{}",
        stopped.out,
        stopped.err
    );
    assert_eq!(stopped.summary()["seconds"].to_string(), "0.0");
    assert_eq!((&lines[0]["row"], &lines[0]["severity"]), (&6.into(), &"error".into()), "{}", stopped.out);
    // The corrected file contains all rows, but accepted rows aren't sent again.
    let corrected = takt.write("corrected.csv", csv("MAT-1001"));
    let fixed = takt.run(&["retry", &id, "--file", corrected.to_str().unwrap(), "--yes", "--json"]);
    assert_eq!((fixed.code, result_counts(&fixed.summary())), (Some(0), [2, 0, 0, 0]), "{}{}", fixed.out, fixed.err);
    let applied = plant.applied(ORDERS).await;
    assert!(applied.len() == 5 && applied.values().all(|item| item.accepted == 1), "{applied:?}");
    let transcript = Transcript::new(takt);
    assert_eq!(transcript.run(&["retry", &id, "--yes"]).code, Some(2));
    assert_transcript!(transcript);
}

#[tokio::test]
async fn another_file_goes_the_way_of_the_last() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let mapping = takt.write(
        "m.json",
        r#"{ "operation": "materials.sync", "columns": { "Nr": "code", "Was": "description" }, "constants": { "family": "Bolts" } }"#,
    );
    let first = takt.write("week1.csv", "Nr;Was\nT-1;Bolt\n");
    let fixed = ["--site", "works", "--yes", "--json"];
    let arguments = ["sync", first.to_str().unwrap(), "--mapping", mapping.to_str().unwrap()];
    let ran = takt.run(&[&arguments[..], &fixed].concat());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let id = ran.summary()["submission"].to_string();
    let second = takt.write("week2.csv", "Nr;Was\nT-2;Nut\n");
    let ran = takt.run(&[&["sync", second.to_str().unwrap(), "--like", &id][..], &fixed].concat());
    assert_eq!((ran.code, result_counts(&ran.summary())), (Some(0), [1, 0, 0, 0]), "{}{}", ran.out, ran.err);
    assert_eq!(ran.summary()["operation"], MATERIALS);
    let held = plant.state("materials").await;
    let nut = held.iter().find(|row| row["code"] == "T-2").unwrap();
    assert_eq!((&nut["description"], &nut["family"]), (&"Nut".into(), &"Bolts".into()));
}

#[tokio::test]
async fn what_cannot_be_read_back_is_a_persons_word() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    plant.set_faults(&["apply-then-drop:1"]).await;
    let takt = &console.takt;
    let file = takt.write("stock.csv", "materialCode;quantity;serialNumber\nMAT-1001;4;S-1\nMAT-1001;5;S-2\n");
    let arguments = ["sync", file.to_str().unwrap(), "--to", "stock.sync", "--site", "works", "--yes", "--json"];
    let ran = takt.run(&arguments);
    assert_eq!((ran.code, result_counts(&ran.summary())), (Some(3), [0, 0, 2, 0]), "{}", ran.err);
    let id = ran.summary()["submission"].to_string();
    plant.set_faults(&[]).await;
    let transcript = Transcript::new(takt);
    transcript.note("complaints of the sync", &ran.err);
    assert_eq!(transcript.run(&["resume", &id, "--find-out"]).code, Some(2));
    assert_eq!(transcript.run(&["decide", &id]).code, Some(2), "one word or the other");
    let totals = takt.run(&["decide", &id, "--totals", "--json"]);
    let sums = totals.json();
    let sum: f64 = sums.iter().map(|line| line["ifArrived"].as_f64().unwrap()).sum();
    let rows: u64 = sums.iter().map(|line| line["rows"].as_u64().unwrap()).sum();
    assert!(totals.code == Some(3) && rows == 2 && sum > 0.0, "{}{}", totals.out, totals.err);
    assert!(sums.iter().all(|line| line["materialCode"].is_string() && line["ifNot"] == 0.0), "{}", totals.out);
    transcript.run(&["decide", &id, "--totals"]);
    assert_transcript!(transcript);
    let one = takt.run(&["decide", &id, "--arrived", "--row", "stock:2", "--json"]);
    assert_eq!((one.code, result_counts(&one.summary())), (Some(3), [1, 0, 1, 0]), "{}{}", one.out, one.err);
    let rest = takt.run(&["decide", &id, "--send-again", "--json"]);
    assert_eq!((rest.code, result_counts(&rest.summary())), (Some(0), [2, 0, 0, 0]), "{}", rest.err);
}

#[tokio::test]
async fn what_was_lost_is_found_out_by_the_command_itself() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    plant.set_faults(&["apply-then-502:1"]).await;
    let takt = &console.takt;
    let file = takt.write("orders.csv", orders_csv(900_000, 9));
    let arguments = ["sync", file.to_str().unwrap(), "--to", ORDERS, "--site", "works", "--yes", "--json"];
    let doubtful = takt.run(&[&arguments[..], &["--batch-size", "3", "--leave-unconfirmed", "--no-preview"]].concat());
    assert_eq!(doubtful.code, Some(3), "{}{}", doubtful.out, doubtful.err);
    plant.set_faults(&[]).await;
    let found = takt.run(&["resume", "--json"]);
    assert_eq!((found.code, result_counts(&found.summary())), (Some(0), [9, 0, 0, 0]), "{}{}", found.out, found.err);
    let applied = plant.applied(ORDERS).await;
    assert!(applied.len() == 9 && applied.values().all(|item| item.accepted == 1), "{applied:?}");
}

#[tokio::test]
async fn changes_are_taken_back_and_what_cannot_be_is_said() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let send = |name: &str, csv: String| {
        let file = takt.write(name, csv);
        let ran = takt.run(&["sync", file.to_str().unwrap(), "--to", MATERIALS, "--site", "works", "--yes", "--json"]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        ran.summary()["submission"].to_string()
    };
    send("was.csv", materials_csv([(1, "Bolt"), (2, "Bolt")]));
    let ours = send("ours.csv", materials_csv([(1, "Nut"), (2, "Nut"), (3, "Nut")]));
    send("theirs.csv", materials_csv([(2, "Washer")]));

    let transcript = Transcript::new(takt);
    let asked = transcript.run(&["undo", &ours]);
    assert_eq!(asked.code, Some(2), "nobody can be asked here: {}", asked.err);
    let undone = takt.run(&["undo", &ours, "--yes", "--json"]);
    assert_eq!(
        (undone.code, result_counts(&undone.summary())),
        (Some(0), [1, 0, 0, 0]),
        "{}{}",
        undone.out,
        undone.err
    );
    let plan = &undone.json()[0]["undo"];
    assert_eq!((&plan["restored"], &plan["changedSince"], &plan["created"]), (&1.into(), &1.into(), &1.into()));
    let held = plant.state("materials").await;
    let of = |code: &str| held.iter().find(|row| row["code"] == code).unwrap()["description"].clone();
    assert_eq!([of("T-1"), of("T-2"), of("T-3")], ["Bolt", "Washer", "Nut"]);
    assert_eq!(transcript.run(&["undo", &ours, "--yes"]).code, Some(2));
    assert_transcript!(transcript);
}

#[cfg(unix)]
#[tokio::test]
async fn a_submission_that_another_takt_holds_is_named() {
    let plant = Plant::start(&["--rate-limit", "20/1"]);
    let console = signed_in(&plant, Person::Planner).await;
    let takt = &console.takt;
    let file = takt.write("orders.csv", orders_csv(900_000, 40));
    let file = file.to_str().unwrap();
    // The latency makes it likely that the program is suspended during a request, not during a transaction.
    plant.set_faults(&["latency=400"]).await;
    let sending = takt.start(&["sync", file, "--to", ORDERS, "--site", "works", "--yes", "--batch-size", "1"]);
    crate::support::wait_for_applied(&plant, 3).await;
    sending.suspend();
    let ran = takt.run(&["resume"]);
    assert_eq!(ran.code, Some(5), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("Submission 1 is being sent by another Takt"), "{}", ran.err);
    sending.wake();
}
