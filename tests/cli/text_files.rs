//! Text files with several possible readings, and the messages about them.

use std::fs;

use serde_json::Value;
use takt_tests::{ANY_PORT, Person, Plant, SecondPlant, Takt};

use crate::{
    support::ORDERS,
    transcript::{Transcript, assert_transcript},
};

const HEAD: &str = "code;operationCode;materialCode;requestedQuantity;note\n";

fn order_lines(rows: std::ops::Range<u32>) -> String {
    rows.map(|row| format!("WO-{row};010;MAT-1001;{row};Rail\n")).collect()
}

fn lines_with_code(out: &[Value], code: &str) -> Vec<Value> {
    out.iter().filter(|line| line["code"] == code).cloned().collect()
}

#[test]
fn a_quote_that_swallows_rows_is_named_and_read_as_text_on_request() {
    let takt = Takt::new();
    let transcript = Transcript::new(&takt);
    let text = format!("{HEAD}{}WO-9;010;MAT-1001;3;\"5 in\n{}", order_lines(1..9), order_lines(10..41));
    let file = takt.write("orders.csv", text);
    let file = file.to_str().unwrap();
    let ran = takt.run(&["check", file, "--to", ORDERS, "--offline", "--json"]);
    for line in lines_with_code(&ran.json(), "quote-not-closed") {
        transcript.note("finding", &line.to_string());
    }
    assert_eq!(ran.summary()["reading"]["quote"]["lines"], 31);
    transcript.run(&["check", file, "--to", ORDERS, "--offline"]);
    transcript.run(&["check", file, "--to", ORDERS, "--offline", "--quotes-as-text"]);
    let read = takt.run(&["cells", file]);
    transcript.note("complaints of takt cells", &read.err);
    let ran = takt.run(&["cells", file, "--quotes-as-text", "--json"]);
    assert_eq!((ran.json().len(), ran.err.as_str()), (41, ""));
    assert_transcript!(transcript);
}

#[test]
fn a_row_with_other_fields_than_the_header_row_is_named() {
    let takt = Takt::new();
    let file =
        takt.write("orders.csv", format!("{HEAD}{}WO-9;010;MAT-1001;3;a;b\nWO-10;010;MAT-1001;12", order_lines(1..4)));
    let file = file.to_str().unwrap();
    let transcript = Transcript::new(&takt);
    let ran = takt.run(&["check", file, "--to", ORDERS, "--offline", "--json"]);
    for line in ["extra-fields", "cut-row"].iter().flat_map(|code| lines_with_code(&ran.json(), code)) {
        transcript.note("finding", &line.to_string());
    }
    transcript.run(&["check", file, "--to", ORDERS, "--offline"]);
    assert_transcript!(transcript);
}

/// On Windows, the locale isn't an environment variable.
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
    let transcript = Transcript::new(&takt);
    let ran = transcript.run(&["check", file, "--to", ORDERS, "--offline"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    let ran = takt.run(&["check", file, "--to", ORDERS, "--offline", "--header-row", "1", "--json"]);
    let missing = lines_with_code(&ran.json(), "missing-column");
    assert_eq!(missing.len(), 4, "each column that is missing is told once: {}", ran.out);
    transcript.run(&["check", file, "--to", ORDERS, "--offline", "--header-row", "1"]);
    let ran = transcript.run(&["check", file, "--to", ORDERS, "--offline", "--header-row", "9"]);
    assert_eq!(ran.code, Some(2));
    for command in ["check", "preview", "sync", "retry"] {
        let help = takt.run(&[command, "--help"]).out;
        for option in ["--header-row ", "--header-rows ", "--encoding ", "--separator ", "--quotes-as-text"] {
            assert!(help.contains(option), "{command} has no {option}");
        }
    }
    transcript.run(&["check", file, "--offline", "--header-row", "1"]);
    assert_transcript!(transcript);
}

#[test]
fn what_is_no_file_or_no_text_is_said_in_words_of_its_own() {
    let takt = Takt::new();
    let transcript = Transcript::new(&takt);
    let zeros = [b"code;qty\n".as_slice(), &[0; 400]].concat();
    let file = takt.write("zeros.csv", zeros);
    let ran = transcript.run(&["cells", file.to_str().unwrap()]);
    assert_eq!(ran.code, Some(2));
    let wide = ["a"; 17_000].join(";");
    let file = takt.write("wide.csv", format!("{wide}\n{wide}\n"));
    transcript.run(&["check", file.to_str().unwrap(), "--to", ORDERS, "--offline"]);
    let folder = takt.file("folder");
    fs::create_dir(&folder).unwrap();
    transcript.run(&["cells", folder.to_str().unwrap()]);
    assert_transcript!(transcript);
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
    let monday = takt.write("monday.csv", format!("{HEAD}{}", order_lines(1..3)));
    let mapping = takt.file("mapping.json");
    let arguments = ["check", monday.to_str().unwrap(), "--to", ORDERS, "--offline", "--save-mapping"];
    let ran = takt.run(&[&arguments[..], &[mapping.to_str().unwrap()]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let tuesday = takt.write("tuesday.csv", format!("{HEAD}{}", order_lines(1..5)));
    let arguments = ["check", tuesday.to_str().unwrap(), "--offline", "--json", "--mapping", mapping.to_str().unwrap()];
    let ran = takt.run(&arguments);
    assert_eq!((ran.code, &ran.summary()["rows"]), (Some(0), &4.into()), "{}", ran.err);
}

/// Windows editors write a byte order mark at the start of text files.
#[tokio::test]
async fn a_byte_order_mark_is_no_part_of_any_file() {
    const MARK: &str = "\u{feff}";
    let plant = Plant::start(&[]);
    let takt = Takt::new();
    let marked = |name: &str, text: &str| {
        let file = takt.write(name, format!("{MARK}{}", text.trim_start_matches(MARK)));
        file.to_str().unwrap().to_owned()
    };
    let run = |words: &[&str]| {
        let ran = takt.run(words);
        assert_eq!(ran.code, Some(0), "{words:?}: {}{}", ran.out, ran.err);
        ran
    };

    let orders = marked("orders.csv", &format!("{HEAD}WO-1;010;MAT-1001;5;Rail\n"));
    let mapping = takt.file("mapping.json");
    run(&["check", &orders, "--to", ORDERS, "--offline", "--save-mapping", mapping.to_str().unwrap()]);
    let mapping = marked("mapping.json", &fs::read_to_string(mapping).unwrap());
    run(&["check", &orders, "--mapping", &mapping, "--offline"]);

    let secret = format!("{MARK}{}\n", plant.member("client_secret"));
    let address = ["--base-url", plant.member("base_url"), "--auth-url", plant.member("auth_url")];
    let mut site = [&["site", "add", "works"], &address[..], &["--client-id", plant.member("client_id")]].concat();
    site.extend(["--kind", "test", "--client-secret-stdin"]);
    site.extend(["--redirect-uri", ANY_PORT]);
    let added = takt.run_with(&site, &secret);
    assert_eq!(added.code, Some(0), "{}", added.err);
    let signed_in = takt.sign_in("works", Person::Planner).await;
    assert_eq!(signed_in.code, Some(0), "{}", signed_in.err);

    let file = takt.file("works.json");
    run(&["site", "export", "works", "--out", file.to_str().unwrap()]);
    let file = marked("works.json", &fs::read_to_string(file).unwrap());
    run(&["site", "remove", "works"]);
    run(&["site", "import", &file, "--yes"]);

    let document = fs::read_to_string(SecondPlant::document()).unwrap();
    run(&["contract", "take", &marked("document.json", &document), "--site", "works"]);

    let query = marked("query.graphql", "query Some($limit: Int!) { workOrders(limit: $limit) { total } }");
    run(&["graphql", &query, "--variables", &marked("variables.json", r#"{"limit":1}"#)]);

    let policy = marked("policy.json", r#"{"language":"en"}"#);
    let managed = Takt::new().with("TAKT_POLICY", &policy);
    let ran = managed.run(&["site", "list"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}
