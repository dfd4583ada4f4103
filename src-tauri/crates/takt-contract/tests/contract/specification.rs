//! Compares the interface specification with the contract document, statement by statement, in both directions.
//!
//! Each side is read as a set of canonical statements, such as `field|WorkOrderEntry.Code|string`. Statements of the
//! specification are read from its tables and its sentences that list members. Statements of the document are read from
//! all parts marked as `specified`. Both sets must be equal.

mod document_statements;
mod markdown;
mod markdown_statements;
mod quotes;

use std::collections::BTreeSet;

use serde_json::Value;

const SPECIFICATION: &str = include_str!("../../contract/specification.md");
const DOCUMENT: &str = include_str!("../../contract/takt.openapi.json");

fn contract_document() -> Value {
    serde_json::from_str(DOCUMENT).unwrap()
}

fn differences(specified: &BTreeSet<String>, document: &BTreeSet<String>) -> Vec<String> {
    let only_specified = specified.difference(document).map(|statement| format!("not in the document: {statement}"));
    let only_document =
        document.difference(specified).map(|statement| format!("not in the specification: {statement}"));
    only_specified.chain(only_document).collect()
}

#[test]
fn every_statement_of_the_specification_is_in_the_document_and_the_other_way_round() {
    let (specified, document) = (
        markdown_statements::read_statements(SPECIFICATION),
        document_statements::read_statements(&contract_document()),
    );
    let differences = differences(&specified, &document);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    for (beginning, count) in [("area|", 12), ("operation|", 23), ("event|", 12), ("status|", 8), ("header|", 3)] {
        assert_eq!(specified.iter().filter(|statement| statement.starts_with(beginning)).count(), count, "{beginning}");
    }
    assert!(specified.len() > 200, "{} statements", specified.len());
}

/// Checks that removing any table row makes the comparison fail, so that it doesn't skip a row.
#[test]
fn no_table_row_can_leave_the_specification_unnoticed() {
    let document = document_statements::read_statements(&contract_document());
    let lines: Vec<&str> = SPECIFICATION.lines().collect();
    let mut rows = 0;
    for (index, line) in lines.iter().enumerate() {
        let below_heading = index >= 2 && lines[index - 1].starts_with('|') && !line.starts_with("|---");
        if !line.starts_with('|') || !below_heading {
            continue;
        }
        let shortened: Vec<&str> =
            lines.iter().enumerate().filter(|(at, _)| *at != index).map(|(_, line)| *line).collect();
        let specified = markdown_statements::read_statements(&shortened.join("\n"));
        assert!(!differences(&specified, &document).is_empty(), "nobody misses the row {line}");
        rows += 1;
    }
    assert_eq!(rows, 121, "rows below the headings of the tables");
}

#[test]
fn nothing_specified_can_leave_the_document_unnoticed() {
    let specified = markdown_statements::read_statements(SPECIFICATION);
    let complete = contract_document();
    let mut removed = 0;
    for pointer in document_statements::specified_members(&complete) {
        let mut shortened = complete.clone();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let name = name.replace("~1", "/");
        shortened.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(&name).unwrap();
        let differences = differences(&specified, &document_statements::read_statements(&shortened));
        assert!(!differences.is_empty(), "nobody misses {pointer}");
        removed += 1;
    }
    assert!(removed > 100, "{removed} members");
}

#[test]
fn operations_live_under_version_1() {
    let document = contract_document();
    let outside: Vec<&String> =
        document["paths"].as_object().unwrap().keys().filter(|path| !path.starts_with("/api/v1/")).collect();
    assert_eq!(outside, ["/graphql"]);
}

#[test]
fn pages_start_at_1_and_hold_at_most_100() {
    let parameters = &contract_document()["components"]["parameters"];
    assert_eq!(parameters["Page"]["schema"]["minimum"], 1);
    assert_eq!(parameters["Limit"]["schema"]["maximum"], 100);
}
