//! Text files that may be meant otherwise, and what a script and a person are told of them.

use std::fs;

use serde_json::{Value, json};
use takt_tests::Takt;

use crate::support::ORDERS;

const HEAD: &str = "code;operationCode;materialCode;requestedQuantity;note\n";

fn orders(rows: std::ops::Range<u32>) -> String {
    rows.map(|row| format!("WO-{row};010;MAT-1001;{row};Rail\n")).collect()
}

fn lines(out: &[Value], code: &str) -> Vec<Value> {
    out.iter().filter(|line| line["code"] == code).cloned().collect()
}

#[test]
fn a_quote_that_swallows_rows_is_named_and_read_as_text_on_request() {
    let takt = Takt::new();
    let text = format!("{HEAD}{}WO-9;010;MAT-1001;3;\"5 in\n{}", orders(1..9), orders(10..41));
    let file = takt.write("orders.csv", text);
    let file = file.to_str().unwrap();
    let ran = takt.run(&["check", file, "--to", ORDERS, "--offline", "--json"]);
    let quotes = lines(&ran.json(), "quote-not-closed");
    assert_eq!((quotes.len(), &quotes[0]["row"], &quotes[0]["column"]), (1, &json!(10), &json!("E")), "{}", ran.out);
    assert_eq!((&ran.summary()["rows"], &ran.summary()["errors"]), (&json!(9), &json!(1)));
    assert_eq!(ran.summary()["reading"]["quote"]["lines"], 31);
    let ran = takt.run(&["check", file, "--to", ORDERS, "--offline"]);
    assert!(ran.err.contains("E10") && ran.err.contains("--quotes-as-text"), "{}", ran.err);
    let ran = takt.run(&["check", file, "--to", ORDERS, "--offline", "--quotes-as-text", "--json"]);
    assert_eq!((&ran.summary()["rows"], &ran.summary()["errors"]), (&json!(40), &json!(0)), "{}", ran.err);
    let ran = takt.run(&["cells", file]);
    assert!(ran.err.contains("E10") && ran.err.contains("--quotes-as-text"), "{}", ran.err);
    let ran = takt.run(&["cells", file, "--quotes-as-text", "--json"]);
    assert_eq!((ran.json().len(), ran.err.as_str()), (41, ""));
}

#[test]
fn a_row_with_other_fields_than_the_header_row_is_named() {
    let takt = Takt::new();
    let file =
        takt.write("orders.csv", format!("{HEAD}{}WO-9;010;MAT-1001;3;a;b\nWO-10;010;MAT-1001;12", orders(1..4)));
    let file = file.to_str().unwrap();
    let ran = takt.run(&["check", file, "--to", ORDERS, "--offline", "--json"]);
    let places: Vec<(Value, Value, Value)> = ["extra-fields", "cut-row"]
        .iter()
        .flat_map(|code| lines(&ran.json(), code))
        .map(|line| (line["severity"].clone(), line["row"].clone(), line["column"].clone()))
        .collect();
    assert_eq!(places, [(json!("error"), json!(5), json!("F")), (json!("error"), json!(6), json!("D"))], "{}", ran.out);
    assert_eq!((&ran.summary()["rows"], &ran.summary()["errors"]), (&json!(5), &json!(2)));
    let ran = takt.run(&["check", file, "--to", ORDERS, "--offline"]);
    let said = format!("{}{}", ran.out, ran.err);
    assert!(said.contains("6 fields") && said.contains("The file ends in the middle of this row"), "{said}");
}

/// On Windows the system says it, and no variable that a test could set.
#[cfg(unix)]
#[test]
fn the_computers_locale_decides_what_the_letters_leave_open() {
    for (locale, shown) in [("pl_PL.UTF-8", "ręka"), ("cs_CZ.UTF-8", "ręka")] {
        let takt = Takt::new().with("LC_ALL", locale);
        let file = takt.write("orders.csv", [HEAD.as_bytes(), b"WO-1;010;MAT-1001;5;r\xEAka\n"].concat());
        let ran = takt.run(&["cells", file.to_str().unwrap()]);
        assert!(ran.out.contains(shown), "{locale}: {}{}", ran.out, ran.err);
        let ran = takt.run(&["cells", file.to_str().unwrap(), "--encoding", "windows-1252"]);
        assert!(ran.out.contains("rêka"), "{locale}: {}", ran.out);
    }
}

#[test]
fn the_header_row_can_be_said_wherever_a_file_is_read() {
    let takt = Takt::new();
    let numbers = "1;2;3;4\n5;6;7;8\n";
    let file = takt.write("numbers.csv", numbers);
    let file = file.to_str().unwrap();
    let ran = takt.run(&["check", file, "--to", ORDERS, "--offline"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("--header-row"), "{}", ran.err);
    let ran = takt.run(&["check", file, "--to", ORDERS, "--offline", "--header-row", "1", "--json"]);
    assert_eq!(ran.summary()["rows"], 1, "{}", ran.err);
    let missing = lines(&ran.json(), "missing-column");
    assert_eq!(missing.len(), 4, "each column that is missing is told once: {}", ran.out);
    let ran = takt.run(&["check", file, "--to", ORDERS, "--offline", "--header-row", "9"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("Row 9 of numbers"), "{}", ran.err);
    for command in ["check", "preview", "sync", "retry"] {
        let help = takt.run(&[command, "--help"]).out;
        for option in ["--header-row ", "--header-rows ", "--encoding ", "--separator ", "--quotes-as-text"] {
            assert!(help.contains(option), "{command} has no {option}");
        }
    }
    let ran = takt.run(&["check", file, "--offline", "--header-row", "1"]);
    assert!(ran.err.contains("--to") && !ran.err.contains("likely ones"), "{}", ran.err);
}

#[test]
fn what_is_no_file_or_no_text_is_said_in_words_of_its_own() {
    let takt = Takt::new();
    let zeros = [b"code;qty\n".as_slice(), &[0; 400]].concat();
    let file = takt.write("zeros.csv", zeros);
    let ran = takt.run(&["cells", file.to_str().unwrap()]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("bytes that no text has") && !ran.err.contains("Save it as"), "{}", ran.err);
    let wide = ["a"; 17_000].join(";");
    let file = takt.write("wide.csv", format!("{wide}\n{wide}\n"));
    let ran = takt.run(&["check", file.to_str().unwrap(), "--to", ORDERS, "--offline"]);
    assert!(ran.err.contains("16384 columns") && !ran.err.contains("Split it"), "{}", ran.err);
    let folder = takt.file("folder");
    fs::create_dir(&folder).unwrap();
    let ran = takt.run(&["cells", folder.to_str().unwrap()]);
    assert!(ran.err.contains("isn't a file"), "{}", ran.err);
    #[cfg(unix)]
    {
        let pipe = takt.file("pipe.csv");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for command in [&["cells"][..], &["check", "--offline"]] {
            let ran = takt.run(&[command, &[pipe.to_str().unwrap()]].concat());
            assert_eq!(ran.code, Some(2));
            assert!(ran.err.contains("isn't a file"), "{}", ran.err);
        }
    }
}

#[test]
fn a_mapping_saved_from_one_csv_reads_the_next_one() {
    let takt = Takt::new();
    let monday = takt.write("monday.csv", format!("{HEAD}{}", orders(1..3)));
    let mapping = takt.file("mapping.json");
    let arguments = ["check", monday.to_str().unwrap(), "--to", ORDERS, "--offline", "--save-mapping"];
    let ran = takt.run(&[&arguments[..], &[mapping.to_str().unwrap()]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let tuesday = takt.write("tuesday.csv", format!("{HEAD}{}", orders(1..5)));
    let arguments = ["check", tuesday.to_str().unwrap(), "--offline", "--json", "--mapping", mapping.to_str().unwrap()];
    let ran = takt.run(&arguments);
    assert_eq!((ran.code, &ran.summary()["rows"]), (Some(0), &json!(4)), "{}", ran.err);
}
