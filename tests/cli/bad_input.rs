//! Files that can't be used: each with an error that says so, and nothing written down.

use std::fs;

use serde_json::json;
use takt_tests::{Ran, Takt, protected_workbook, sample};

use crate::support::{ORDERS, orders};

fn sync(takt: &Takt, name: &str, content: impl AsRef<[u8]>) -> Ran {
    let file = takt.write(name, content);
    let ran = takt.run(&["sync", file.to_str().unwrap(), "--to", ORDERS, "--yes", "--skip-errors"]);
    assert_eq!(takt.run(&["history", "--json"]).out, "", "nothing is written down");
    ran
}

#[test]
fn files_that_cannot_be_read_end_with_two_and_their_reason() {
    let takt = Takt::new();
    let noise: Vec<u8> = (0..4096_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let picture = [&b"\x89PNG\r\n\x1a\n"[..], &noise].concat();
    for (name, content, said) in [
        ("picture.xlsx", picture, "isn't a workbook"),
        ("nothing.xlsx", Vec::new(), "contains no rows"),
        ("nothing.csv", Vec::new(), "contains no rows"),
        ("protected.xlsx", protected_workbook(), "protected with a password"),
    ] {
        let ran = sync(&takt, name, content);
        assert_eq!(ran.code, Some(2), "{name}: {}", ran.err);
        assert!(ran.err.contains(said) && ran.err.contains(name), "{name}: {}", ran.err);
    }
    let missing = takt.run(&["check", "missing.xlsx"]);
    assert_eq!(missing.code, Some(2));
    assert!(missing.err.contains("missing.xlsx can't be opened"), "{}", missing.err);
}

#[test]
fn a_workbook_that_is_cut_off_is_damaged() {
    let takt = Takt::new();
    let mut bytes = fs::read(sample("work-orders.sync.xlsx")).unwrap();
    bytes.truncate(bytes.len() / 2);
    let ran = sync(&takt, "half.xlsx", bytes);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("half.xlsx"), "{}", ran.err);
}

#[test]
fn a_wrong_ending_does_not_matter() {
    let takt = Takt::new();
    let file = takt.write("orders.csv", fs::read(sample("work-orders.sync.xlsx")).unwrap());
    let ran = takt.run(&["check", file.to_str().unwrap(), "--to", ORDERS, "--json"]);
    assert_eq!(ran.summary()["rows"], 263, "{}", ran.err);
    let file = takt.write("orders.xlsx", orders(900_000, 3));
    let ran = takt.run(&["check", file.to_str().unwrap(), "--to", ORDERS, "--json"]);
    assert_eq!(ran.summary()["rows"], 3, "{}", ran.err);
}

#[test]
fn what_was_found_in_a_text_is_told_and_can_be_said_otherwise() {
    let takt = Takt::new();
    let file = takt.write("stock.csv", "Material code;Quantity|Unit\nMAT-1;5|pcs\nTotal;5|\n");
    let file = file.to_str().unwrap();
    let ran = takt.run(&["check", file, "--to", "stock.sync", "--json"]);
    let reading = &ran.summary()["reading"];
    assert_eq!((&reading["encoding"], &reading["separator"]), (&json!("UTF-8"), &json!(";")), "{}", ran.err);
    let ran = takt.run(&["check", file, "--to", "stock.sync", "--separator", "|", "--encoding", "cp850", "--json"]);
    let reading = &ran.summary()["reading"];
    assert_eq!((&reading["encoding"], &reading["separator"]), (&json!("cp850"), &json!("|")), "{}", ran.err);
    let ran = takt.run(&["check", file, "--to", "stock.sync", "--encoding", "klingon"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("klingon"), "{}", ran.err);
}

#[test]
fn a_web_page_called_xls_is_read() {
    let takt = Takt::new();
    let page = "<html><table><tr><th>Material code<th>Quantity</tr><tr><td>MAT-1<td>5</tr><tr><td>Total<td>5</tr></table></html>";
    let file = takt.write("stock.xls", page);
    let ran = takt.run(&["check", file.to_str().unwrap(), "--to", "stock.sync", "--json"]);
    let summary = ran.summary();
    assert_eq!((&summary["rows"], &summary["reading"]["totalsRow"]), (&json!(1), &json!(3)), "{}", ran.err);
    let ran = takt.run(&["check", file.to_str().unwrap(), "--to", "stock.sync", "--keep-totals", "--json"]);
    assert_eq!(ran.summary()["rows"], 2, "{}", ran.err);
}

#[test]
fn unknown_columns_name_the_fields_that_are_missing() {
    let takt = Takt::new();
    let ran = sync(&takt, "other.csv", "Colour;Mood;Weather\nred;good;fine\nblue;bad;rain\n");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    for field in ["code", "operationCode", "materialCode", "requestedQuantity"] {
        assert!(ran.err.contains(&format!("required field {field}.")), "{field}: {}", ran.err);
    }
    assert!(ran.err.contains("Nothing was sent"), "{}", ran.err);
}

#[test]
fn a_sheet_without_a_heading_is_said_so() {
    let takt = Takt::new();
    let ran = sync(&takt, "numbers.csv", "1;2;3\n4;5;6\n7;8;9\n");
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("No header row"), "{}", ran.err);
}

#[test]
fn usage_that_makes_no_sense_ends_with_two() {
    let takt = Takt::new();
    let file = takt.write("orders.csv", orders(900_000, 1));
    let file = file.to_str().unwrap();
    for arguments in [
        &["fly"][..],
        &["sync", file],
        &["sync", file, "--to", "no.such", "--yes"],
        &["sync", file, "--to", "materials.list", "--yes"],
        &["sync", file, "--to", ORDERS, "--sheet", "none", "--yes"],
        &["sync", file, "--to", ORDERS, "--batch-size", "0", "--yes"],
        &["list", "no.such"],
        &["list", "templates.processes", "--param", "templateId=many"],
        &["list", "templates.processes", "--param", "colour=red"],
        &["list", "materials.list", "--format", "xlsx"],
        &["plant", "--fault", "sunshine:1"],
        &["plant", "--clock", "fast"],
        &["plant", "--clock", "0"],
        &["plant", "--time-zone", "Nowhere/Land"],
        &["resume", "77"],
    ] {
        let ran = takt.run(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}{}", ran.out, ran.err);
        assert!(!ran.err.trim().is_empty(), "{arguments:?} says nothing");
    }
}

#[test]
fn text_from_a_file_cannot_steer_the_terminal() {
    let takt = Takt::new();
    let csv = "code;operationCode;materialCode;requestedQuantity\nWO-1;010;MAT-1001;\u{202e}ynam\n";
    let ran = sync(&takt, "steer.csv", csv);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("ynam") && !ran.err.contains('\u{202e}'), "{:?}", ran.err);
    let name = takt.run(&["check", "\u{1b}[2J.csv"]);
    assert!(name.err.contains("[2J.csv") && !name.err.contains('\u{1b}'), "{:?}", name.err);
}
