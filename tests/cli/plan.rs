//! Workbooks with several sheets are checked and sent in the order of their references.

use serde_json::{Value, json};
use takt_tests::{Takt, workbook};

use crate::transcript::{Transcript, assert_transcript};

const ORDERS: [&str; 4] = ["Work order", "Operation", "Material", "Requested quantity"];
const COMPONENTS: [&str; 4] = ["Work order", "Operation", "Material", "Quantity"];

/// Returns a workbook with orders and components before the materials that they need.
fn plan_workbook(quantity: &str) -> String {
    workbook(&[
        ("Orders", &[&ORDERS, &["WO-990001", "010", "MAT-99001", "5"], &["WO-990002", "010", "MAT-99002", "6"]]),
        ("Raw materials", &[&COMPONENTS, &["WO-990001", "010", "RAW-99003", quantity]]),
        (
            "Materials",
            &[
                &["Material code", "Description"],
                &["MAT-99001", "Bolt"],
                &["MAT-99002", "Nut"],
                &["RAW-99003", "Steel"],
            ],
        ),
    ])
}

fn member_texts(lines: &[Value], member: &str) -> Vec<String> {
    lines.iter().map(|line| line[member].as_str().unwrap_or("-").to_owned()).collect()
}

#[test]
fn all_sheets_are_checked_in_their_order() {
    let takt = Takt::new();
    let file = takt.write("plan.xls", plan_workbook("0"));
    let ran = takt.run(&["check", file.to_str().unwrap(), "--json"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let lines = ran.json();
    let (found, sheets) = lines.split_at(lines.len() - 4);
    assert_eq!(member_texts(found, "sheet"), ["Orders", "Raw materials"]);
    assert_eq!(member_texts(found, "code"), ["parts-wrong", "not-above"]);
    assert_eq!(member_texts(sheets, "sheet"), ["Materials", "Orders", "Raw materials", "-"]);
    assert_eq!(member_texts(sheets, "operation"), ["materials.sync", "work-orders.sync", "work-orders.sync", "-"]);
    assert_eq!(sheets[1]["waitsFor"], json!(["Materials"]));
    assert_eq!(sheets[2]["part"], json!({"of": "Orders", "list": "rawMaterials"}));
    assert_eq!((&sheets[3]["rows"], &sheets[3]["errors"]), (&json!(6), &json!(2)));
    let transcript = Transcript::new(&takt);
    transcript.run(&["check", file.to_str().unwrap()]);
    let one = transcript.run(&["check", file.to_str().unwrap(), "--sheet", "Materials"]);
    assert_eq!(one.code, Some(0), "{}", one.err);
    assert_transcript!(transcript);
}

#[test]
fn the_mappings_of_all_sheets_are_one_file() {
    let takt = Takt::new();
    let file = takt.write("plan.xls", plan_workbook("2"));
    let mapping = takt.file("mapping.json");
    let saved = takt.run(&["check", file.to_str().unwrap(), "--save-mapping", mapping.to_str().unwrap()]);
    assert_eq!(saved.code, Some(0), "{}{}", saved.out, saved.err);
    let text = std::fs::read_to_string(&mapping).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["sheets"].as_array().unwrap().len(), 3);
    let again = takt.run(&["check", file.to_str().unwrap(), "--mapping", mapping.to_str().unwrap(), "--json"]);
    assert_eq!(again.code, Some(0), "{}{}", again.out, again.err);
    assert_eq!(member_texts(&again.json(), "sheet"), ["Materials", "Orders", "Raw materials", "-"]);
}

#[test]
fn a_workbook_is_sent_step_by_step() {
    let takt = Takt::new();
    let file = takt.write("plan.xls", plan_workbook("2"));
    let ran = takt.run(&["sync", file.to_str().unwrap(), "--yes", "--json"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let lines = ran.json();
    assert_eq!(member_texts(&lines, "operation"), ["materials.sync", "work-orders.sync", "-"]);
    assert_eq!(member_texts(&lines, "sheet"), ["Materials", "Orders", "-"]);
    assert_eq!((&lines[1]["total"], &lines[1]["accepted"]), (&json!(3), &json!(3)), "a part is a row of its item");
    assert_eq!((&lines[2]["total"], &lines[2]["accepted"], &lines[2]["pending"]), (&json!(6), &json!(6), &json!(0)));
    assert_eq!(lines[2]["submissions"].as_array().unwrap().len(), 2);
    assert_eq!(takt.run(&["history", "--json"]).json().len(), 2);
}

#[test]
fn a_row_waits_for_one_that_was_refused_and_the_report_says_so() {
    let takt = Takt::new();
    let sheets: [(&str, &[&[&str]]); 2] = [
        (
            "Dates",
            &[
                &["Work order", "Operation", "Planned begin", "Planned end"],
                &["WO-990001", "010", "2099-11-24T06:00:00", "2099-11-24T08:00:00"],
                &["WO-990002", "010", "2099-11-24T06:00:00", "2099-11-24T08:00:00"],
            ],
        ),
        ("Orders", &[&ORDERS, &["WO-990001", "010", "NOBODY", "5"], &["WO-990002", "010", "MAT-1001", "6"]]),
    ];
    let file = takt.write("plan.xls", workbook(&sheets));
    let out = takt.file("out.xlsx");
    let report = ["--report", out.to_str().unwrap()];
    let sync = ["sync", file.to_str().unwrap(), "--yes", "--json"];
    let transcript = Transcript::new(&takt);
    let ran = transcript.run(&[&sync[..], &["--without-lookup"], &report].concat());
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    let lines = ran.json();
    let total = lines.last().unwrap();
    assert_eq!((&total["accepted"], &total["rejected"], &total["pending"]), (&json!(2), &json!(1), &json!(1)));
    let written = takt.run(&["cells", out.to_str().unwrap(), "--json"]);
    let dates =
        written.json().into_iter().find(|line| line["sheet"] == "Results" && line["cells"][0]["shown"] == "Dates");
    assert_eq!(dates.unwrap()["cells"][4]["shown"], "Waits for row 2 on sheet Orders.");
    let again = takt.run(&["resume", "--json"]);
    assert_eq!(again.code, Some(1), "it waits still: {}{}", again.out, again.err);
    assert_eq!(again.summary()["pending"], 1);
    // With the site's materials, the order has an error before it is sent, and is skipped. Its dates wait for it.
    let stopped = takt.run(&sync);
    assert_eq!((stopped.code, &stopped.summary()["pending"]), (Some(1), &json!(4)), "{}", stopped.err);
    transcript.note("complaints", &stopped.err);
    assert_transcript!(transcript);
    let skipped = takt.run(&[&sync[..], &["--skip-errors"]].concat());
    let total = skipped.summary();
    assert_eq!((&total["accepted"], &total["skipped"], &total["pending"]), (&json!(2), &json!(1), &json!(1)));
    assert_eq!(skipped.code, Some(1), "{}", skipped.err);
}

#[test]
fn a_trial_run_of_a_workbook_sends_its_first_rows_and_the_rest_waits() {
    let takt = Takt::new();
    let sheets: [(&str, &[&[&str]]); 2] = [
        ("Orders", &[&ORDERS, &["WO-990001", "010", "MAT-1001", "5"], &["WO-990002", "010", "MAT-1001", "6"]]),
        ("Materials", &[&["Material code", "Description"], &["MAT-99001", "Bolt"], &["MAT-99002", "Nut"]]),
    ];
    let file = takt.write("plan.xls", workbook(&sheets));
    let tried = takt.run(&["sync", file.to_str().unwrap(), "--yes", "--json", "--trial", "3"]);
    assert_eq!(tried.code, Some(0), "{}{}", tried.out, tried.err);
    let total = tried.summary();
    assert_eq!((&total["accepted"], &total["pending"]), (&json!(3), &json!(1)), "two materials and an order");
    let transcript = Transcript::new(&takt);
    transcript.note("complaints", &tried.err);
    assert_transcript!(transcript);
    let resumed = takt.run(&["resume", "--json"]);
    assert_eq!((resumed.code, &resumed.summary()["accepted"]), (Some(0), &json!(4)), "{}", resumed.err);
}

#[test]
fn the_order_of_sheets_may_be_said() {
    let takt = Takt::new();
    let sheets: [(&str, &[&[&str]]); 3] = [
        ("Materials", &[&["Material code", "Description"], &["MAT-99001", "Bolt"]]),
        ("Orders", &[&ORDERS, &["WO-990001", "010", "MAT-99001", "5"]]),
        ("More materials", &[&["Material code", "Description"], &["MAT-99002", "Nut"]]),
    ];
    let file = takt.write("plan.xls", workbook(&sheets));
    let check = ["check", file.to_str().unwrap(), "--json"];
    let order = |more: &[&str]| member_texts(&takt.run(&[&check[..], more].concat()).json(), "sheet");
    assert_eq!(order(&[]), ["Materials", "More materials", "Orders", "-"]);
    assert_eq!(order(&["--order", "More materials"]), ["More materials", "Materials", "Orders", "-"]);
    let transcript = Transcript::new(&takt);
    let refused = transcript.run(&[&check[..], &["--order", "Orders", "--order", "Materials"]].concat());
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert_transcript!(transcript);
}

#[test]
fn rows_that_wait_may_be_left_out() {
    let takt = Takt::new();
    let sheets: [(&str, &[&[&str]]); 2] = [
        (
            "Dates",
            &[
                &["Work order", "Operation", "Planned begin", "Planned end"],
                &["WO-990001", "010", "2099-11-24T06:00:00", "2099-11-24T08:00:00"],
            ],
        ),
        ("Orders", &[&ORDERS, &["WO-990001", "010", "NOBODY", "5"]]),
    ];
    let file = takt.write("plan.xls", workbook(&sheets));
    let sent = takt.run(&["sync", file.to_str().unwrap(), "--yes", "--json", "--without-lookup"]);
    assert_eq!((sent.code, &sent.summary()["pending"]), (Some(1), &json!(1)), "{}", sent.err);
    let plan = sent.summary()["plan"].to_string();
    let left = takt.run(&["decide", &plan, "--skip-waiting", "--json"]);
    let total = left.summary();
    assert_eq!(
        (&total["skipped"], &total["pending"], &total["rejected"]),
        (&json!(1), &json!(0), &json!(1)),
        "{}",
        left.err
    );
}

#[test]
fn the_next_workbook_is_sent_as_the_one_before_step_by_step() {
    let takt = Takt::new();
    let file = takt.write("plan.xls", plan_workbook("2"));
    let first = takt.run(&["sync", file.to_str().unwrap(), "--yes", "--json"]);
    let plan = first.summary()["plan"].to_string();
    let next = takt.write("next.xls", plan_workbook("3"));
    let again = takt.run(&["sync", next.to_str().unwrap(), "--yes", "--json", "--like", &plan]);
    assert_eq!(again.code, Some(0), "{}{}", again.out, again.err);
    let history = takt.run(&["history", "--json"]).json();
    let follows: Vec<&Value> = history.iter().map(|line| &line["follows"]).collect();
    assert_eq!(follows, [&json!(2), &json!(1), &Value::Null, &Value::Null], "{history:?}");
}
