//! Shared helpers: files, a signed-in site, and comparing results with the plant's log.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use serde_json::Value;
use takt_tests::{Applied, Console, Person, Plant, Takt, repository};

pub(crate) const ORDERS: &str = "work-orders.sync";

/// Returns valid orders as CSV. Their numbers start with `first`.
pub(crate) fn orders_csv(first: u32, count: u32) -> String {
    let mut csv = "code;operationCode;materialCode;requestedQuantity\n".to_owned();
    for number in first..first + count {
        csv.push_str(&format!("WO-{number};010;MAT-1001;{}\n", number % 90 + 1));
    }
    csv
}

pub(crate) fn console(plant: &Plant) -> Console {
    Console::new(plant)
}

pub(crate) async fn signed_in(plant: &Plant, person: Person) -> Console {
    Console::signed_in(plant, person).await
}

/// Waits until the plant has received at least this many orders, and returns them.
pub(crate) async fn wait_for_applied(plant: &Plant, least: usize) -> BTreeMap<String, Applied> {
    let waiting = async {
        loop {
            let applied = plant.applied(ORDERS).await;
            if applied.len() >= least {
                return applied;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), waiting).await.unwrap()
}

/// A sample's expected results, as listed in `samples.json`.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) file: String,
    pub(crate) operation: String,
    pub(crate) rows: u64,
    /// Rows with errors that can be found without the service.
    pub(crate) wrong_in_file: BTreeSet<u64>,
    /// Rows with errors that only the service can find.
    pub(crate) wrong_for_service: BTreeSet<u64>,
    /// Rows with a code that the service doesn't know.
    pub(crate) unknown: BTreeSet<u64>,
    /// Rows that would change a locked property.
    pub(crate) locked: BTreeSet<u64>,
}

pub(crate) fn read_samples() -> Vec<Sample> {
    let text = std::fs::read_to_string(repository().join("tests/data/samples/samples.json")).unwrap();
    let list: Value = serde_json::from_str(&text).unwrap();
    list["samples"].as_array().unwrap().iter().map(parse_sample).collect()
}

fn parse_sample(entry: &Value) -> Sample {
    let rows_where = |is_meant: &dyn Fn(&Value) -> bool| {
        let wrong = entry["wrong"].as_array().unwrap().iter().filter(|wrong| is_meant(wrong));
        wrong.flat_map(|wrong| wrong["rows"].as_array().unwrap()).map(|row| row.as_u64().unwrap()).collect()
    };
    let rows = |found_by: &str| rows_where(&|wrong| wrong["foundBy"] == found_by);
    // `unknown-link` also marks links whose codes all exist. Only a missing template counts as an unknown code.
    let unknown = |wrong: &Value| match wrong["kind"].as_str().unwrap() {
        "unknown-link" => wrong["field"] == "templateId",
        kind => kind.starts_with("unknown-"),
    };
    Sample {
        file: entry["file"].as_str().unwrap().to_owned(),
        operation: entry["operation"].as_str().unwrap().to_owned(),
        rows: entry["rows"].as_u64().unwrap(),
        wrong_in_file: rows("file"),
        wrong_for_service: rows("service"),
        unknown: rows_where(&unknown),
        locked: rows_where(&|wrong| wrong["kind"] == "locked-property"),
    }
}

/// Returns a report workbook's rows: the key and the result by row number.
pub(crate) fn read_report(takt: &Takt, name: &str) -> BTreeMap<u64, (String, String)> {
    let cells = takt.run(&["cells", takt.file(name).to_str().unwrap(), "--json"]);
    assert_eq!(cells.code, Some(0), "{}", cells.err);
    let text = |row: &Value, index: usize| row["cells"][index]["shown"].as_str().unwrap_or_default().to_owned();
    let rows = cells.json().into_iter().filter(|row| row["sheet"] == "Results" && row["row"] != 1);
    rows.map(|row| (text(&row, 1).parse().unwrap(), (text(&row, 2), text(&row, 3)))).collect()
}

/// Checks that every row's result matches how often the plant accepted and refused it.
pub(crate) fn check_agreement(report: &BTreeMap<u64, (String, String)>, applied: &BTreeMap<String, Applied>) {
    for (row, (key, result)) in report {
        let found = applied.get(key).copied().unwrap_or_default();
        let once = match result.as_str() {
            "accepted" => found == Applied { accepted: 1, refused: 0 },
            "rejected" => found == Applied { accepted: 0, refused: 1 },
            "skipped" | "pending" => found == Applied::default(),
            "unconfirmed" => found.accepted <= 1,
            other => panic!("row {row} has the result {other}"),
        };
        assert!(once, "row {row} ({key}) is {result}, and the plant says {found:?}");
    }
    let keys: BTreeSet<&String> = report.values().map(|(key, _)| key).collect();
    let strangers: Vec<&String> = applied.keys().filter(|key| !keys.contains(key)).collect();
    assert!(strangers.is_empty(), "the plant was sent what isn't in the file: {strangers:?}");
}
