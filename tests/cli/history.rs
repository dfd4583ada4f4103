//! The history on the command line: finding submissions with their rows and requests, the workbook for the next shift,
//! and the support bundle.

use std::fs;

use takt_tests::Takt;

use crate::transcript::{Transcript, assert_transcript};

/// Sends three materials from a file and returns its path.
fn send_materials(takt: &Takt) -> std::path::PathBuf {
    let csv = "Material code;Description\nHIS-1;Bolt\nHIS-2;Nut\nHIS-3;Washer\n";
    let file = takt.write("week48.csv", csv);
    let ran = takt.run(&["sync", file.to_str().unwrap(), "--to", "materials.sync", "--yes", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    file
}

#[test]
fn what_was_sent_is_found_again() {
    let takt = Takt::new();
    send_materials(&takt);
    for (text, hits) in [("WEEK48", 1), ("his-2", 1), ("materials", 1), ("nobody", 0)] {
        assert_eq!(takt.run(&["history", "--json", "--find", text]).json().len(), hits, "{text}");
    }
    let first = &takt.run(&["history", "--json"]).json()[0];
    assert!(first["person"].as_str().is_some_and(|person| !person.is_empty()), "{first}");
    assert_eq!(takt.run(&["history", "--json", "--site", "moon"]).json().len(), 0);
    assert_eq!(takt.run(&["history", "--json", "--since", "2h"]).json().len(), 1);
    assert_eq!(takt.run(&["history", "--json", "--since", "2999-01-01"]).json().len(), 0);
    assert_eq!(takt.run(&["history", "--json", "--unconfirmed"]).json().len(), 0);
    let transcript = Transcript::new(&takt);
    transcript.run(&["history", "--json"]);
    assert_eq!(transcript.run(&["history", "--since", "yesterday"]).code, Some(2));
    assert_eq!(transcript.run(&["history", "--find", "nobody"]).code, Some(0));
    assert_eq!(transcript.run(&["history", "7"]).code, Some(2), "there is no such submission");
    assert_transcript!(transcript);
}

#[test]
fn one_submission_tells_its_rows_requests_mapping_and_bodies() {
    let takt = Takt::new();
    let file = send_materials(&takt);
    let transcript = Transcript::new(&takt);
    transcript.run(&["history", "1"]);
    let lines = transcript.run(&["history", "1", "--rows", "--requests", "--json"]).json();
    assert_eq!(lines.len(), 3 + 1 + 1);
    assert_eq!(takt.run(&["history", "1", "--find", "his-3", "--json"]).json()[0]["row"], 4);
    transcript.run(&["history", "1", "--rows"]);
    let requests = takt.run(&["history", "1", "--requests"]).out;
    assert!(requests.lines().count() == 2 && requests.contains("  200  "), "{requests}");
    transcript.run(&["history", "1", "--body", "1"]);

    // The stored mapping is a valid `--mapping` file.
    let mapping = takt.write("mapping.json", lines[4]["mapping"].to_string());
    let (file, mapping) = (file.to_str().unwrap(), mapping.to_str().unwrap());
    assert_eq!(takt.run(&["check", file, "--mapping", mapping, "--offline"]).code, Some(0));

    let out = takt.file("again.xlsx");
    let saved = takt.run(&["history", "1", "--workbook", file, "--out", out.to_str().unwrap()]);
    assert_eq!(saved.code, Some(0), "{}", saved.err);
    let other = takt.write("other.csv", "Material code;Description\nX;Y\n");
    let workbook = ["history", "1", "--workbook", other.to_str().unwrap(), "--out", out.to_str().unwrap()];
    assert_eq!(transcript.run(&workbook).code, Some(2));
    assert_transcript!(transcript);
}

#[test]
fn the_next_shift_and_the_helper_get_their_files() {
    let takt = Takt::new().with("LC_ALL", "de_DE.UTF-8");
    send_materials(&takt);
    let sheet = takt.file("handover.xlsx");
    let ran = takt.run(&["handover", "--out", sheet.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let cells = takt.run(&["cells", sheet.to_str().unwrap()]).out;
    assert!(cells.contains("Schichtübergabe") && cells.contains("week48.csv"), "{cells}");

    let zip = takt.file("help.zip");
    let ran = takt.run(&["bundle", "1", "--out", zip.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let bytes = fs::read(&zip).unwrap();
    assert_eq!(&bytes[..2], b"PK");
    assert_eq!(takt.run(&["bundle", "9", "--out", zip.to_str().unwrap()]).code, Some(2));
    assert_eq!(fs::read(&zip).unwrap(), bytes, "what was there stays where nothing better came");
}
