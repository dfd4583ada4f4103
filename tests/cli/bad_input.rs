//! Unusable files: each of them causes an error, and nothing is stored.

use std::fs;

use serde_json::Value;
use takt_tests::{CommandOutput, Takt, protected_workbook, sample_path};

use crate::{
    support::{ORDERS, orders_csv},
    transcript::{Transcript, assert_transcript},
};

fn sync(takt: &Takt, transcript: &Transcript<'_>, name: &str, content: impl AsRef<[u8]>) -> CommandOutput {
    let file = takt.write(name, content);
    let ran = transcript.run(&["sync", file.to_str().unwrap(), "--to", ORDERS, "--yes", "--skip-errors"]);
    assert_eq!(takt.run(&["history", "--json"]).out, "", "nothing is written down");
    ran
}

#[test]
fn files_that_cannot_be_read_end_with_two_and_their_reason() {
    let takt = Takt::new();
    let transcript = Transcript::new(&takt);
    let noise: Vec<u8> = (0..4096_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let picture = [&b"\x89PNG\r\n\x1a\n"[..], &noise].concat();
    for (name, content) in [
        ("picture.xlsx", picture),
        ("nothing.xlsx", Vec::new()),
        ("nothing.csv", Vec::new()),
        ("protected.xlsx", protected_workbook()),
    ] {
        let ran = sync(&takt, &transcript, name, content);
        assert_eq!(ran.code, Some(2), "{name}: {}", ran.err);
    }
    let missing = takt.run(&["check", "missing.xlsx"]);
    assert_eq!(missing.code, Some(2));
    // The rest of the message is the operating system's.
    assert!(missing.err.contains("missing.xlsx can't be opened"), "{}", missing.err);
    assert_transcript!(transcript);
}

#[test]
fn a_workbook_that_is_cut_off_is_damaged() {
    let takt = Takt::new();
    let transcript = Transcript::new(&takt);
    let mut bytes = fs::read(sample_path("work-orders.sync.xlsx")).unwrap();
    bytes.truncate(bytes.len() / 2);
    let ran = sync(&takt, &transcript, "half.xlsx", bytes);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert_transcript!(transcript);
}

#[test]
fn a_wrong_ending_does_not_matter() {
    let takt = Takt::new();
    let file = takt.write("orders.csv", fs::read(sample_path("work-orders.sync.xlsx")).unwrap());
    let ran = takt.run(&["check", file.to_str().unwrap(), "--to", ORDERS, "--json"]);
    assert_eq!(ran.summary()["rows"], 263, "{}", ran.err);
    let file = takt.write("orders.xlsx", orders_csv(900_000, 3));
    let ran = takt.run(&["check", file.to_str().unwrap(), "--to", ORDERS, "--json"]);
    assert_eq!(ran.summary()["rows"], 3, "{}", ran.err);
}

#[test]
fn what_was_found_in_a_text_is_told_and_can_be_said_otherwise() {
    let takt = Takt::new();
    let transcript = Transcript::new(&takt);
    let file = takt.write("stock.csv", "Material code;Quantity|Unit\nMAT-1;5|pcs\nTotal;5|\n");
    let check = ["check", file.to_str().unwrap(), "--to", "stock.sync", "--offline"];
    let reading = |more: &[&str]| -> Value {
        let ran = takt.run(&[&check[..], more, &["--json"]].concat());
        ran.summary()["reading"].clone()
    };
    transcript.note("reading", &reading(&[]).to_string());
    transcript.note("reading as said", &reading(&["--separator", "|", "--encoding", "cp850"]).to_string());
    let ran = transcript.run(&[&check[..], &["--encoding", "klingon"]].concat());
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert_transcript!(transcript);
}

#[test]
fn a_web_page_called_xls_is_read() {
    let takt = Takt::new();
    let page = "<html><table><tr><th>Material code<th>Quantity</tr><tr><td>MAT-1<td>5</tr><tr><td>Total<td>5</tr></table></html>";
    let file = takt.write("stock.xls", page);
    let ran = takt.run(&["check", file.to_str().unwrap(), "--to", "stock.sync", "--json"]);
    let summary = ran.summary();
    assert_eq!((&summary["rows"], &summary["reading"]["totalsRow"]), (&1.into(), &3.into()), "{}", ran.err);
    let ran = takt.run(&["check", file.to_str().unwrap(), "--to", "stock.sync", "--keep-totals", "--json"]);
    assert_eq!(ran.summary()["rows"], 2, "{}", ran.err);
}

#[test]
fn unknown_columns_name_the_fields_that_are_missing() {
    let takt = Takt::new();
    let transcript = Transcript::new(&takt);
    let ran = sync(&takt, &transcript, "other.csv", "Colour;Mood;Weather\nred;good;fine\nblue;bad;rain\n");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_transcript!(transcript);
}

#[test]
fn a_sheet_without_a_heading_is_said_so() {
    let takt = Takt::new();
    let transcript = Transcript::new(&takt);
    let ran = sync(&takt, &transcript, "numbers.csv", "1;2;3\n4;5;6\n7;8;9\n");
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert_transcript!(transcript);
}

#[test]
fn usage_that_makes_no_sense_ends_with_two() {
    let takt = Takt::new();
    let transcript = Transcript::new(&takt);
    let file = takt.write("orders.csv", orders_csv(900_000, 1));
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
        let ran = transcript.run(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}{}", ran.out, ran.err);
    }
    assert_transcript!(transcript);
}

#[test]
fn text_from_a_file_cannot_steer_the_terminal() {
    let takt = Takt::new();
    let csv = "code;operationCode;materialCode;requestedQuantity\nWO-1;010;MAT-1001;\u{202e}ynam\n";
    let transcript = Transcript::new(&takt);
    let ran = sync(&takt, &transcript, "steer.csv", csv);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(!ran.err.contains('\u{202e}'), "{:?}", ran.err);
    assert_transcript!(transcript);
    let name = takt.run(&["check", "\u{1b}[2J.csv"]);
    assert!(name.err.contains("[2J.csv") && !name.err.contains('\u{1b}'), "{:?}", name.err);
}

#[test]
fn a_window_that_nobody_could_see_isnt_said_to_be_open() {
    let takt = Takt::new().with("DISPLAY", "").with("WAYLAND_DISPLAY", "");
    let file = takt.write("orders.csv", "code\n");
    let file = file.to_str().unwrap();
    if cfg!(target_os = "linux") {
        let ran = takt.run(&["open", file]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
        assert!(ran.err.contains("there is no display"), "{}", ran.err);
    }
    let ran = takt.run(&["open", file, "--site", "works"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("without --site"), "{}", ran.err);
}
