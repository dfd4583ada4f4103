//! Workbooks that Takt writes: blank templates, and copies of the planner's workbook with two additional columns.

use std::{collections::BTreeMap, fs};

use serde_json::Value;
use takt_tests::{Takt, sample_path};

use crate::support::{ORDERS, orders_csv, read_report};

/// Returns a sheet's cells as Excel shows them, by row number.
fn sheet_cells(takt: &Takt, file: &str, sheet: &str) -> BTreeMap<u64, Vec<String>> {
    let ran = takt.run(&["cells", takt.file(file).to_str().unwrap(), "--sheet", sheet, "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let shown = |row: &Value| {
        let cells = row["cells"].as_array().unwrap();
        cells.iter().map(|cell| cell["shown"].as_str().unwrap().to_owned()).collect()
    };
    ran.json().iter().map(|row| (row["row"].as_u64().unwrap(), shown(row))).collect()
}

#[test]
fn a_blank_workbook_is_filled_in_checked_and_sent() {
    let takt = Takt::new().with("LC_ALL", "de_DE.UTF-8");
    let file = takt.file("Neue Aufträge.xlsx");
    let made = takt.run(&["template", ORDERS, "--out", file.to_str().unwrap()]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    let checked = takt.run(&["check", file.to_str().unwrap(), "--json"]);
    assert_eq!(checked.code, Some(0), "{}{}", checked.out, checked.err);
    let summary = checked.summary();
    assert_eq!((&summary["operation"], &summary["errors"], &summary["items"]), (&ORDERS.into(), &0.into(), &1.into()));
    let unknown = takt.run(&["template", "work-orders.nonsense", "--out", file.to_str().unwrap()]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.err);
}

#[test]
fn findings_come_back_in_a_copy_of_the_workbook() {
    let takt = Takt::new();
    let file = sample_path("work-orders.sync.xlsx");
    let before = fs::read(&file).unwrap();
    let out = takt.file("checked.xlsx");
    let ran = takt.run(&["check", file.to_str().unwrap(), "--report", out.to_str().unwrap(), "--json"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let wrong: Vec<u64> =
        ran.json().iter().filter(|line| line["severity"] == "error").filter_map(|line| line["row"].as_u64()).collect();
    let rows = sheet_cells(&takt, "checked.xlsx", "Work orders");
    let status = rows[&1].iter().position(|heading| heading == "Takt status").unwrap();
    assert_eq!(rows[&1][status + 1], "Takt reason");
    for (number, row) in rows.iter().skip(1) {
        let has = |text: &str| row.get(status).is_some_and(|status| status.ends_with(text));
        assert_eq!(has("error"), wrong.contains(number), "row {number}: {row:?}");
        assert_eq!(
            // A planned date may have passed since the samples were generated, which causes a warning.
            has("error") || has("warning"),
            row.get(status + 1).is_some_and(|reason| !reason.is_empty()) && !has("ready"),
            "{row:?}"
        );
    }
    let refused = takt.run(&["check", file.to_str().unwrap(), "--report", file.to_str().unwrap()]);
    assert_ne!(refused.code, Some(0));
    assert_eq!(fs::read(&file).unwrap(), before, "the original is never written to");
    // Takt must ignore its own two columns when it checks the copy.
    let again = takt.run(&["check", out.to_str().unwrap(), "--to", ORDERS, "--json"]);
    for member in ["rows", "items", "errors", "warnings"] {
        assert_eq!(again.summary()[member], ran.summary()[member], "{member}");
    }
}

#[test]
fn a_report_is_the_planners_workbook_with_each_rows_result() {
    let takt = Takt::new();
    let file = sample_path("work-orders.sync.xlsx");
    let out = takt.file("r.xlsx");
    let arguments = [
        "sync",
        file.to_str().unwrap(),
        "--to",
        ORDERS,
        "--yes",
        "--skip-errors",
        "--without-lookup",
        "--json",
        "--report",
        out.to_str().unwrap(),
    ];
    let ran = takt.run(&arguments);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let results = read_report(&takt, "r.xlsx");
    assert_eq!(results.len() as u64, ran.summary()["total"].as_u64().unwrap());
    let rows = sheet_cells(&takt, "r.xlsx", "Work orders");
    let status = rows[&1].iter().position(|heading| heading == "Takt status").unwrap();
    for (number, (_, result)) in results {
        assert!(rows[&number][status].ends_with(&result), "row {number} is {result}: {:?}", rows[&number]);
    }
    // Columns can't be added to a text file, so its report contains only the results.
    let file = takt.write("orders.csv", orders_csv(910_000, 3));
    let ran = takt.run(&["sync", file.to_str().unwrap(), "--to", ORDERS, "--yes", "--report", out.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(read_report(&takt, "r.xlsx").len(), 3);
}

#[test]
fn a_report_that_cannot_be_written_stops_a_run_before_anything_is_sent() {
    let takt = Takt::new();
    let file = takt.write("orders.csv", orders_csv(910_000, 3));
    let content = fs::read(&file).unwrap();
    for report in [file.clone(), takt.file("missing/r.xlsx")] {
        let ran =
            takt.run(&["sync", file.to_str().unwrap(), "--to", ORDERS, "--yes", "--report", report.to_str().unwrap()]);
        assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
        assert!(ran.err.contains(report.to_str().unwrap()), "{}", ran.err);
    }
    assert_eq!(takt.run(&["history", "--json"]).json().len(), 0, "nothing was sent");
    assert_eq!(fs::read(&file).unwrap(), content);
}
