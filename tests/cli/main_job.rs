//! The main job on the embedded plant, without any setup: a workbook is sent, and each row has a result.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use takt_tests::{Plant, Takt, sample_path};

use crate::{
    support::{ORDERS, orders_csv, read_samples},
    transcript::{Transcript, assert_transcript},
};

const SUMMARY_MEMBERS: [&str; 14] = [
    "submission",
    "operation",
    "site",
    "total",
    "accepted",
    "rejected",
    "unconfirmed",
    "inDoubt",
    "skipped",
    "notLinked",
    "pending",
    "batches",
    "requests",
    "seconds",
];

fn member_names(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn every_sample_is_sent_and_every_row_has_the_result_that_was_meant_for_it() {
    for expected in read_samples() {
        let takt = Takt::new();
        let file = sample_path(&expected.file);
        let mut arguments = vec!["sync", file.to_str().unwrap(), "--to", &expected.operation, "--yes"];
        // Without the lookup, the service must reject rows with errors that only it can find.
        arguments.extend(["--skip-errors", "--without-lookup", "--json"]);
        let ran = takt.run(&arguments);
        assert_eq!(ran.code, Some(i32::from(!expected.wrong_for_service.is_empty())), "{}: {}", expected.file, ran.err);
        let mut lines = ran.json();
        let summary = lines.pop().unwrap();
        assert_eq!(member_names(&summary), SUMMARY_MEMBERS);
        let count = |member: &str| summary[member].as_u64().unwrap();
        assert_eq!(count("total"), expected.rows, "{}", expected.file);
        assert_eq!(count("accepted") + count("rejected") + count("skipped"), expected.rows, "{}", expected.file);
        assert_eq!((count("unconfirmed"), count("pending")), (0, 0));
        assert_eq!(count("skipped"), expected.wrong_in_file.len() as u64, "{}: {}", expected.file, ran.err);
        let rejected: BTreeSet<u64> = lines.iter().map(|line| line["row"].as_u64().unwrap()).collect();
        assert_eq!(rejected, expected.wrong_for_service, "{}", expected.file);
        for line in &lines {
            assert_eq!(member_names(line), ["sheet", "row", "key", "result", "fate", "notLinked", "reasons"]);
            assert_eq!((&line["result"], &line["fate"]), (&json!("rejected"), &json!("rejected")));
            assert!(!line["reasons"].as_array().unwrap().is_empty(), "{line}");
        }
    }
}

#[test]
fn rows_that_are_all_right_end_with_zero() {
    let takt = Takt::new();
    let transcript = Transcript::new(&takt);
    let file = takt.write("orders.csv", orders_csv(900_000, 25));
    let sync = ["sync", file.to_str().unwrap(), "--to", ORDERS, "--yes", "--batch-size", "10"];
    let ran = transcript.run(&[&sync[..], &["--json"]].concat());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    transcript.run(&[&sync[..], &["--send-same"]].concat());
    assert_transcript!(transcript);
}

#[test]
fn findings_stop_the_run_before_anything_is_written_down() {
    let takt = Takt::new();
    let file = sample_path("work-orders.sync.xlsx");
    let ran = takt.run(&["sync", file.to_str().unwrap(), "--to", ORDERS, "--yes", "--json"]);
    assert_eq!(ran.code, Some(1));
    let lines = ran.json();
    assert_eq!(member_names(&lines[0]), ["sheet", "row", "column", "field", "severity", "code", "message"]);
    assert_eq!(member_names(lines.last().unwrap()), SUMMARY_MEMBERS);
    assert_eq!(lines.last().unwrap()["submission"], Value::Null);
    assert_eq!(takt.run(&["history", "--json"]).out, "");
}

#[test]
fn nothing_is_sent_without_a_yes() {
    let takt = Takt::new();
    let transcript = Transcript::new(&takt);
    let file = takt.write("orders.csv", orders_csv(900_000, 2));
    let ran = transcript.run_with(&["sync", file.to_str().unwrap(), "--to", ORDERS], "y\n");
    assert_eq!(ran.code, Some(2));
    assert_transcript!(transcript);
    assert_eq!(takt.run(&["history", "--json"]).out, "");
}

#[test]
fn check_tells_what_it_found_and_sends_nothing() {
    let takt = Takt::new();
    let file = sample_path("work-orders.sync.xlsx");
    let ran = takt.run(&["check", file.to_str().unwrap(), "--json"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let summary = ran.summary();
    for member in
        ["file", "sheet", "operation", "rows", "items", "errors", "warnings", "mapping", "seconds", "peakMemoryBytes"]
    {
        assert!(summary.get(member).is_some(), "{member} is missing in {summary}");
    }
    assert_eq!(summary["operation"], ORDERS, "the operation is proposed from the headings");
    assert_eq!(summary["rows"], 263);
    if cfg!(target_os = "linux") {
        assert!(summary["peakMemoryBytes"].as_u64().unwrap() > 1_000_000);
    }
    let code = summary["mapping"].as_array().unwrap().iter().find(|column| column["field"] == "code").unwrap();
    assert_eq!(code["column"], "A");
    assert!(code["score"].as_f64().unwrap() > 0.5);
}

#[test]
fn a_mapping_file_says_which_column_is_which() {
    let takt = Takt::new();
    let file = takt.write("x.csv", "a;b;c;d\nWO-1;010;MAT-1001;5\n");
    let mapping = json!({
        "operation": ORDERS,
        "columns": {"a": "code", "b": "operationCode", "c": "materialCode", "d": "requestedQuantity"},
    });
    let mapping = takt.write("mapping.json", mapping.to_string());
    let file = file.to_str().unwrap();
    let ran = takt.run(&["check", file, "--mapping", mapping.to_str().unwrap(), "--json"]);
    assert_eq!((ran.code, ran.summary()["errors"].as_u64()), (Some(0), Some(0)), "{}{}", ran.out, ran.err);
    let transcript = Transcript::new(&takt);
    let other = transcript.run(&["check", file, "--mapping", mapping.to_str().unwrap(), "--to", "stock.sync"]);
    assert_eq!(other.code, Some(2));
    assert_transcript!(transcript);
}

#[test]
fn a_saved_mapping_is_used_again_with_all_its_rules() {
    let takt = Takt::new();
    let file = takt.write("x.csv", "a;b;d;day;c1;c2\nWO-1;010;lots;01/02/2027;MAT;1001\n");
    let mapping = json!({
        "operation": ORDERS,
        "columns": {"a": ["code", "workOrderGrouper"], "b": "operationCode", "d": "requestedQuantity", "day": "promiseDate"},
        "formats": {"day": "day-first"},
        "constants": {"customer": "ACME"},
        "values": {"requestedQuantity": {"lots": "1000"}},
        "blank": {"workOrderGrouper": "clear"},
        "joined": {"materialCode": {"headings": ["c1", "c2"], "with": "-"}},
    });
    let path = takt.write("mapping.json", mapping.to_string());
    let saved = path.with_file_name("saved.json");
    let (file, path, out) = (file.to_str().unwrap(), path.to_str().unwrap(), saved.to_str().unwrap());
    let ran = takt.run(&["check", file, "--mapping", path, "--save-mapping", out, "--json"]);
    assert_eq!((ran.code, ran.summary()["errors"].as_u64()), (Some(0), Some(0)), "{}{}", ran.out, ran.err);
    let transcript = Transcript::new(&takt);
    let stored: Value = serde_json::from_slice(&std::fs::read(&saved).unwrap()).unwrap();
    transcript.note("saved.json", &stored.to_string());
    let again = takt.run(&["check", file, "--mapping", out, "--json"]);
    assert_eq!((again.code, again.summary()["errors"].as_u64()), (Some(0), Some(0)), "{}{}", again.out, again.err);
    let mut open = mapping.clone();
    open.as_object_mut().unwrap().remove("formats");
    let path = takt.write("open.json", open.to_string());
    let ran = transcript.run(&["check", file, "--mapping", path.to_str().unwrap()]);
    assert_eq!(ran.code, Some(1));
    assert_transcript!(transcript);
}

#[test]
fn a_wrong_mapping_is_refused_by_member_and_heading() {
    let takt = Takt::new();
    let file = takt.write("x.csv", "a;b\nM-1;31/01/2027\n");
    let transcript = Transcript::new(&takt);
    for mapping in [
        json!({"operation": ORDERS, "columns": {}, "constant": {}}),
        json!({"operation": ORDERS, "columns": {"a": 1}}),
        json!({"operation": ORDERS, "columns": {"z": "code"}}),
        json!({"operation": ORDERS, "columns": {"b": "promiseDate"}, "formats": {"b": "month-first"}}),
    ] {
        transcript.note("mapping.json", &mapping.to_string());
        let path = takt.write("mapping.json", mapping.to_string());
        let ran = transcript.run(&["check", file.to_str().unwrap(), "--mapping", path.to_str().unwrap()]);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
    }
    assert_transcript!(transcript);
}

#[test]
fn a_mapping_files_replacements_are_made_and_its_rows_left_out_are_skipped() {
    let takt = Takt::new();
    let rows = "WO-77001;010;SHAFT;5\nWO-77002;010;SHAFT;7\nWO-77003;010;MAT-1001;x\n";
    let file = takt.write("week.csv", format!("a;b;c;d\n{rows}"));
    let mapping = json!({
        "operation": ORDERS,
        "columns": {"a": "code", "b": "operationCode", "c": "materialCode", "d": "requestedQuantity"},
        "replacements": [{"heading": "c", "from": "SHAFT", "to": "MAT-1002"}],
        "excluded": ["WO-77003 · 010"],
    });
    let mapping = takt.write("mapping.json", mapping.to_string());
    let (file, mapping) = (file.to_str().unwrap(), mapping.to_str().unwrap());
    let checked = takt.run(&["check", file, "--mapping", mapping, "--json"]).summary();
    assert_eq!((&checked["replayed"], &checked["excluded"], &checked["errors"]), (&json!(3), &json!(1), &json!(0)));
    let ran = takt.run(&["sync", file, "--to", ORDERS, "--mapping", mapping, "--yes", "--json"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let summary = ran.summary();
    assert_eq!((&summary["total"], &summary["accepted"], &summary["skipped"]), (&json!(3), &json!(2), &json!(1)));
}

#[test]
fn cells_keep_kind_and_value() {
    let takt = Takt::new();
    let file = takt.write("a.csv", "Code,Menge\n0010,\"1,5\"\n");
    let transcript = Transcript::new(&takt);
    transcript.run(&["cells", file.to_str().unwrap(), "--json"]);
    transcript.run(&["cells", file.to_str().unwrap()]);
    assert_transcript!(transcript);
}

#[test]
fn operations_say_who_says_so() {
    let takt = Takt::new();
    let lines = takt.run(&["operations", "--json"]).json();
    assert_eq!(lines.len(), 25);
    for line in &lines {
        for member in ["id", "area", "kind", "method", "path", "provenance", "fields"] {
            assert!(line.get(member).is_some(), "{member} is missing in {line}");
        }
    }
    let find = |id: &str| lines.iter().find(|line| line["id"] == id).unwrap();
    assert_eq!(find("template-processes.delete")["provenance"], "specified");
    assert_eq!(find(ORDERS)["provenance"], "assumed");
    let transcript = Transcript::new(&takt);
    let mut delete = find("template-processes.delete").clone();
    assert!(!delete.as_object_mut().unwrap().remove("statements").unwrap().as_array().unwrap().is_empty());
    transcript.note("template-processes.delete", &delete.to_string());
    let said = |about: &str| {
        let statements = find(ORDERS)["statements"].as_array().unwrap();
        let found = statements.iter().find(|statement| statement["about"] == about && statement["at"].is_null());
        found.unwrap()["provenance"].clone()
    };
    assert_eq!(
        [said("area"), said("method"), said("purpose"), said("path")],
        ["specified", "specified", "specified", "assumed"]
    );
    transcript.run(&["operations"]);
    assert_transcript!(transcript);
    let contract: Value = serde_json::from_str(&takt.run(&["contract", "show"]).out).unwrap();
    assert!(contract["openapi"].as_str().unwrap().starts_with("3.1"));
    let list = &contract["paths"]["/api/v1/WorkOrders"]["get"];
    assert_eq!(list["x-takt-statements"]["path"]["level"], "assumed");
    assert!(list["responses"]["429"].is_object() && contract["security"].is_array(), "{list}");
    let schema = find("graphql")["statements"].as_array().unwrap().iter().find(|said| said["about"] == "schema");
    assert_eq!(schema.unwrap()["provenance"], "assumed");
}

#[test]
fn what_is_assumed_of_the_whole_service_is_listed_and_replaced() {
    let (takt, plant) = (Takt::new(), Plant::start(&[]));
    let listed = takt.run(&["operations", "--assumptions", "--json"]).json();
    let find = |lines: &[Value], id: &str| lines.iter().find(|line| line["id"] == id).unwrap().clone();
    let open =
        ["template-code-filter", "retry-after-unit", "token-answer", "refresh", "event-delivery", "validation-reply"];
    for id in open {
        let line = find(&listed, id);
        assert!(
            line["provenance"] == "assumed" && line["decision"].is_string() && line["source"].is_string(),
            "{line}"
        );
    }
    let text = takt.run(&["operations", "--assumptions"]);
    assert_eq!(text.code, Some(0), "{}", text.err);
    for line in &listed {
        for member in ["id", "subject", "decision", "source"] {
            assert!(text.out.contains(line[member].as_str().unwrap()), "{member} of {line}");
        }
    }
    let mut arguments = vec!["site", "add", "works", "--base-url", plant.member("base_url")];
    arguments.extend(["--auth-url", plant.member("auth_url"), "--client-id", "takt"]);
    assert_eq!(takt.run(&arguments).code, Some(0));
    let delivery = r#"event-delivery={"headers":{"signature":"X-Hub-Signature-256"},"signing":{"covers":["body"],"prefix":"sha256="}}"#;
    let set = takt.run(&[
        "contract",
        "set",
        "--site",
        "works",
        "--assumption",
        delivery,
        "--assumption",
        r#"absent-statuses={"*":[410]}"#,
    ]);
    assert_eq!(set.code, Some(0), "{}", set.err);
    let replaced = takt.run(&["operations", "--assumptions", "--site", "works", "--json"]).json();
    assert_eq!(find(&replaced, "event-delivery")["value"]["signing"]["covers"], json!(["body"]));
    assert_eq!(find(&replaced, "event-delivery")["provenance"], "site");
    assert_eq!(find(&replaced, "refresh")["provenance"], "assumed");
    let shown: Value = serde_json::from_str(&takt.run(&["contract", "show", "--site", "works"]).out).unwrap();
    assert_eq!(shown["paths"]["/api/v1/Materials"]["get"]["x-takt-absent"], json!([410]));
    for wrong in ["nothing={}", "refresh=7", "refresh=no json", "batch-size=10", "durations=\"x\""] {
        let refused = takt.run(&["contract", "set", "--site", "works", "--assumption", wrong]);
        assert!(refused.code != Some(0) && !refused.err.is_empty(), "{wrong}: {}", refused.err);
    }
}

#[test]
fn history_remembers_in_the_chosen_home() {
    let takt = Takt::new();
    let file = takt.write("orders.csv", orders_csv(900_000, 3));
    let sent = takt.run(&["sync", file.to_str().unwrap(), "--to", ORDERS, "--yes", "--json"]).summary();
    let history = takt.run(&["history", "--json"]).json();
    assert_eq!(history.len(), 1);
    for member in SUMMARY_MEMBERS {
        assert_eq!(history[0][member], sent[member], "{member}");
    }
    assert_eq!((&history[0]["state"], &history[0]["file"]), (&json!("finished"), &json!("orders.csv")));
    assert!(takt.home().join("journal.sqlite").is_file());
    let nothing = takt.run(&["resume"]);
    assert_eq!(nothing.code, Some(0), "{}", nothing.err);
}

#[test]
fn people_are_told_in_their_language_and_scripts_in_english() {
    let takt = Takt::new().with("LC_ALL", "de_DE.UTF-8");
    let transcript = Transcript::new(&takt);
    let file = takt.write("orders.csv", orders_csv(900_000, 1) + ";010;MAT-1001;5\n");
    transcript.run(&["sync", file.to_str().unwrap(), "--to", ORDERS, "--skip-errors"]);
    transcript.run(&["check", file.to_str().unwrap(), "--to", ORDERS]);
    let checked = takt.run(&["check", file.to_str().unwrap(), "--to", ORDERS, "--json"]);
    transcript.note("a finding for scripts", checked.out.lines().next().unwrap());
    assert_transcript!(transcript);
}
