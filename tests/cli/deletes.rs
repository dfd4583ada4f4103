//! Deletes of template-process links. Rows without a link differ from unchanged rows. Deleted links are saved in a
//! workbook, since no operation restores them.

use std::path::Path;

use serde_json::{Value, json};
use takt_tests::{Console, Person, Plant};

use crate::{
    support::signed_in,
    transcript::{Transcript, assert_transcript},
};

const DELETE: &str = "template-processes.delete";

/// Returns a plant, a signed-in console, and one of the plant's links as a row.
async fn console_and_link() -> (Plant, Console, String) {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let link = plant.state("template-processes").await.swap_remove(0);
    let text = |name: &str| link[name].as_str().unwrap().to_owned();
    let row = format!("{};{};{}", link["templateId"], text("processCode"), text("operationCode"));
    (plant, console, row)
}

fn write_links_file(console: &Console, rows: &[&str]) -> String {
    let csv = format!("templateId;processCode;operationCode\n{}\n", rows.join("\n"));
    console.takt.write("links.csv", csv).display().to_string()
}

fn sync_arguments(file: &str, more: &[&str]) -> Vec<String> {
    let fixed = ["sync", file, "--to", DELETE, "--site", "works", "--yes"];
    fixed.iter().chain(more).map(|text| (*text).to_owned()).collect()
}

/// Returns the numbers of accepted, rejected and skipped rows, and of skipped rows that aren't linked.
fn result_counts(summary: &Value) -> [u64; 4] {
    ["accepted", "rejected", "skipped", "notLinked"].map(|name| summary[name].as_u64().unwrap())
}

#[tokio::test]
async fn rows_that_are_not_linked_have_a_reason_of_their_own_and_an_exit_code() {
    let (plant, console, row) = console_and_link().await;
    let file = write_links_file(&console, &[&row, "1;IP-NONE;010", "2;IP-NONE;010"]);
    let preview = console.takt.run(&["preview", &file, "--to", DELETE, "--site", "works", "--json"]);
    let lines = preview.json();
    assert_eq!(preview.code, Some(1), "{}", preview.err);
    assert_eq!(lines.iter().filter(|line| line["change"] == "notLinked").count(), 2, "{}", preview.out);
    let summary = preview.summary();
    assert_eq!(["changed", "same", "notLinked"].map(|name| summary[name].as_u64()), [Some(1), Some(0), Some(2)]);

    let sent = console.takt.run(&sync_arguments(&file, &["--json"]));
    assert_eq!((sent.code, result_counts(&sent.summary())), (Some(1), [1, 0, 2, 2]), "{}{}", sent.out, sent.err);
    let lines = sent.json();
    let rows: Vec<&Value> = lines.iter().filter(|line| line["notLinked"] == true).collect();
    assert_eq!(rows.iter().map(|line| line["row"].as_u64()).collect::<Vec<_>>(), [Some(3), Some(4)], "{}", sent.out);
    for line in rows {
        assert_eq!(
            (&line["result"], &line["reasons"][0]),
            (&json!("skipped"), &json!("Not linked: there was nothing to delete."))
        );
    }
    assert_eq!(plant.applied(DELETE).await.len(), 1, "what isn't linked isn't sent");
    let history = console.takt.run(&["history", "--json"]).json();
    assert_eq!(result_counts(&history[0]), [1, 0, 2, 2]);
}

#[tokio::test]
async fn a_file_of_which_nothing_is_linked_is_not_done() {
    let (plant, console, _) = console_and_link().await;
    let file = write_links_file(&console, &["1;IP-NONE;010"]);
    let transcript = Transcript::new(&console.takt);
    let arguments = sync_arguments(&file, &[]);
    let sent = transcript.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(sent.code, Some(1), "{}{}", sent.out, sent.err);
    assert_transcript!(transcript);
    assert!(plant.applied(DELETE).await.is_empty());
}

#[tokio::test]
async fn an_undo_says_that_no_operation_restores_and_names_the_workbook() {
    let (plant, console, row) = console_and_link().await;
    let file = write_links_file(&console, &[&row]);
    let sent = console.takt.run(&sync_arguments(&file, &["--json"]));
    assert_eq!((sent.code, result_counts(&sent.summary())), (Some(0), [1, 0, 0, 0]), "{}{}", sent.out, sent.err);
    let id = sent.summary()["submission"].to_string();

    let undone = console.takt.run(&["undo", &id, "--yes", "--json"]);
    assert_eq!(undone.code, Some(2), "{}{}", undone.out, undone.err);
    let lines = undone.json();
    let plan = &lines[0]["undo"];
    let workbook = plan["workbook"].as_str().unwrap_or_else(|| panic!("{plan}"));
    assert!(Path::new(workbook).is_file(), "{workbook}");
    assert_eq!((&plan["deleted"], &plan["restored"]), (&json!(1), &json!(0)), "{plan}");
    assert!(plan["told"][0]["reasons"][0].as_str().unwrap().contains("no operation that restores it"), "{plan}");

    let undo = console.takt.run(&["undo", &id, "--yes"]);
    assert_eq!(undo.code, Some(2), "{}{}", undo.out, undo.err);
    assert!(undo.out.contains(workbook) && undo.err.contains(workbook), "{}{}", undo.out, undo.err);
    assert!(undo.err.contains("The service has no operation that restores deleted links."), "{}", undo.err);
    assert!(!undo.err.contains("try again"), "{}", undo.err);
    assert_eq!(plant.applied(DELETE).await.len(), 1, "an undo sends nothing");
}
