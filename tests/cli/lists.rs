//! `takt list` of every read operation in every format, compared with the plant's data. Includes long, filtered,
//! interrupted and failed lists.

#[cfg(unix)]
use std::time::Duration;
use std::{collections::BTreeSet, fs};

use serde_json::Value;
use takt_tests::{Person, Plant, READ_OPERATIONS, SITE, TEMPLATE_PROCESSES, Takt};

use crate::support::signed_in;

/// A list with pages and a date filter, and a list without pages.
const LISTS_IN_EVERY_FORMAT: [&str; 2] = ["work-orders.list", TEMPLATE_PROCESSES];

fn list_arguments<'a>(operation: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let needed: &[&str] = if operation == TEMPLATE_PROCESSES { &["--param", "templateId=3"] } else { &[] };
    ["--site", SITE, "list", operation, "--all"].iter().chain(needed).chain(more).copied().collect()
}

fn parse_rows(text: &str) -> Vec<Value> {
    let rows: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"));
    rows.as_array().unwrap().clone()
}

/// Returns whether the members that both rows have are equal. Lists aren't compared.
fn has_equal_members(row: &Value, held: &Value) -> bool {
    row.as_object()
        .unwrap()
        .iter()
        .all(|(name, value)| value.is_array() || held.get(name).is_none_or(|held| held == value))
}

#[tokio::test]
async fn every_list_in_every_form_is_what_the_plant_holds() {
    let plant = Plant::start(&[]);
    let console = signed_in(&plant, Person::Planner).await;
    let operations = console.takt.run(&["operations", "--json"]).json();
    for (operation, resource) in READ_OPERATIONS {
        let held = plant.state(resource).await;
        let run = |more: &[&str]| {
            let ran = console.takt.run(&list_arguments(operation, more));
            assert_eq!(ran.code, Some(0), "{operation} {more:?}: {}", ran.err);
            ran
        };
        let json = run(&["--format", "json"]);
        let listed = parse_rows(&json.out);
        assert!(!listed.is_empty(), "{operation}");
        for row in &listed {
            assert!(
                held.iter().any(|held| has_equal_members(row, held)),
                "{operation}: the plant holds no such row: {row}"
            );
        }
        if operation != TEMPLATE_PROCESSES {
            assert_eq!(listed.len(), held.len(), "{operation}");
            // Rows without a key may have duplicates.
            let distinct: BTreeSet<String> = listed.iter().map(Value::to_string).collect();
            let once: BTreeSet<String> = held.iter().map(Value::to_string).collect();
            assert_eq!(distinct.len(), once.len(), "{operation}: no row twice");
        }
        assert!(json.err.contains(&format!("{0} of {0} rows", listed.len())), "{operation}: {}", json.err);

        let described = operations.iter().find(|known| known["id"] == operation).unwrap();
        let keys = described["key"].as_array().cloned().unwrap_or_default();
        let codes: Vec<&str> = keys.iter().filter_map(Value::as_str).collect();
        let table = run(&[]).out;
        assert_eq!(table.lines().count(), listed.len() + 1, "{operation}");
        for row in &listed {
            for code in codes.iter().filter_map(|code| row[code].as_str()) {
                assert!(table.contains(code), "{operation}: {code}");
            }
        }
        // Formats don't depend on the operation except for its columns, so one list of each kind is enough.
        if !LISTS_IN_EVERY_FORMAT.contains(&operation) {
            continue;
        }
        let csv = run(&["--format", "csv"]).out;
        for row in &listed {
            for code in codes.iter().filter_map(|code| row[code].as_str()) {
                assert!(csv.contains(code), "{operation}: {code}");
            }
        }
        let file = |name: &str| console.takt.file(name).to_str().unwrap().to_owned();
        for form in ["json", "csv", "xlsx", "txt"] {
            let path = file(&format!("rows.{form}"));
            let more = ["--out", &path, "--format", "table"];
            let ran = run(if form == "txt" { &more } else { &more[..2] });
            assert_eq!(ran.out, "", "{operation}");
            let (bytes, said) = (fs::read(&path).unwrap(), |out: &str| out.as_bytes().to_vec());
            match form {
                "json" => assert_eq!(bytes, said(&json.out), "{operation}"),
                "csv" => assert_eq!(bytes, said(&csv), "{operation}"),
                "txt" => assert_eq!(bytes, said(&table), "{operation}"),
                _ => {
                    let cells = console.takt.run(&["cells", &path, "--json"]).json();
                    assert_eq!(cells.len(), listed.len() + 1, "{operation}: a heading and every row");
                    let shown = |code: &str| cells.iter().any(|row| row.to_string().contains(&format!("\"{code}\"")));
                    let first = codes.iter().filter_map(|code| listed[0][code].as_str()).all(shown);
                    assert!(first, "{operation}: {}", listed[0]);
                }
            }
        }
    }
}

#[tokio::test]
async fn dates_and_codes_narrow_a_list_as_the_plant_would() {
    let plant = Plant::start(&["--time-zone", "Asia/Tokyo"]);
    let console = signed_in(&plant, Person::Planner).await;
    let listed = |more: &[&str]| {
        parse_rows(&console.takt.run(&list_arguments("work-orders.list", &[more, &["--format", "json"]].concat())).out)
    };
    let all = listed(&[]);
    let code = all[0]["code"].as_str().unwrap();
    let of_code = listed(&["--code", code]);
    assert!(!of_code.is_empty() && of_code.len() < all.len() && of_code.iter().all(|row| row["code"] == code));
    let week = listed(&["--from", "this-week", "--to", "this-week"]);
    let day = listed(&["--from", "today", "--to", "today"]);
    assert!(!week.is_empty() && day.len() <= week.len() && week.len() < all.len(), "{} {}", day.len(), week.len());
    assert!(day.iter().all(|row| week.contains(row)));
    let asked = plant.log().await;
    let query =
        asked.iter().rev().find_map(|entry| entry["path"].as_str().filter(|path| path.contains("from="))).unwrap();
    assert!(query.contains("T00%3A00%3A00") || query.contains("T00:00:00"), "{query}");
    let shift = console.takt.run(&list_arguments("alerts.list", &["--from", "next-shift", "--to", "next-shift"]));
    assert_eq!(shift.code, Some(0), "the stations' shifts are read for it: {}", shift.err);
    for wrong in
        [vec!["--from", "2026-11-23", "--to", "2026-11-22"], vec!["--from", "soon"], vec!["--param", "from=2026-99-01"]]
    {
        let ran = console.takt.run(&list_arguments("work-orders.list", &wrong));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{wrong:?}: {}", ran.err);
    }
    let ran = console.takt.run(&list_arguments("materials.list", &["--from", "today"]));
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("--from"), "{}", ran.err);
}

#[cfg(unix)]
#[tokio::test]
async fn an_interruption_leaves_what_has_come_whole() {
    // There are six slow pages, so that reading is interrupted before the last one even on a busy machine.
    let plant = Plant::start(&["--fault", "latency=1500"]);
    let console = signed_in(&plant, Person::Planner).await;
    let total = plant.state("order-history").await.len();
    for form in ["json", "csv"] {
        let path = console.takt.file(&format!("stopped.{form}"));
        let before = plant.log().await.len();
        let mut reading = console.takt.start(&list_arguments("order-history.list", &["--out", path.to_str().unwrap()]));
        while plant.log().await.len() < before + 2 {
            assert!(reading.is_running(), "{}", reading.error_text());
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        reading.interrupt();
        assert_eq!(reading.wait(Duration::from_secs(120)).code(), Some(130), "{}", reading.error_text());
        let said = reading.error_text();
        let text = fs::read_to_string(&path).unwrap();
        let count = if form == "json" { parse_rows(&text).len() } else { text.lines().count() - 1 };
        assert!(count > 0 && count % 100 == 0 && count < total, "{count} of {total}");
        assert!(said.contains(&format!("{count} of {total} rows")), "{said}");
    }
}

#[tokio::test]
async fn what_breaks_off_is_never_silently_short() {
    let plant = Plant::start(&["--rate-limit", "3/1"]);
    let console = signed_in(&plant, Person::Planner).await;
    let total = plant.state("work-orders").await.len();
    let ran = console.takt.run(&list_arguments("work-orders.list", &["--format", "json"]));
    assert_eq!((ran.code, parse_rows(&ran.out).len()), (Some(0), total), "the limit is waited for: {}", ran.err);
    plant.set_faults(&["truncate:1"]).await;
    let ran = console.takt.run(&list_arguments("work-orders.list", &["--format", "json"]));
    assert_eq!((ran.code, parse_rows(&ran.out).len()), (Some(5), 0), "{}", ran.err);
    let path = console.takt.write("kept.csv", "what was there before");
    let ran = console.takt.run(&list_arguments("work-orders.list", &["--out", path.to_str().unwrap()]));
    assert_eq!(ran.code, Some(5), "{}", ran.err);
    assert_eq!(fs::read_to_string(&path).unwrap(), "what was there before");
}

#[test]
fn a_table_fits_the_terminal_and_codes_stay_whole() {
    let takt = Takt::new();
    let ran = takt.run(&["list", "inspection-processes.list"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let heading = ran.out.lines().next().unwrap();
    assert!(heading.contains("code") && heading.contains("predictedLaborTime"));
    assert!(ran.out.contains(" min"), "time spans are written as people read them: {}", ran.out);
}
