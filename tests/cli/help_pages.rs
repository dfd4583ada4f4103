//! `takt guide`: help pages are listed, searched, printed and written as web pages.

use std::fs;

use takt_tests::Takt;

use crate::transcript::{Transcript, assert_transcript};

#[test]
fn the_help_is_listed_found_printed_and_written_as_web_pages() {
    let takt = Takt::new();
    let listed = takt.run(&["guide", "--json"]);
    assert_eq!(listed.code, Some(0), "{}", listed.err);
    let pages = listed.json();
    let has = |id: &str| pages.iter().any(|page| page["id"] == id);
    assert!(has("check") && has("first-steps") && has("operation-work-orders.sync"), "{}", listed.out);

    let found = takt.run(&["guide", "--find", "unconfirmed rows", "--json"]);
    assert_eq!(found.json()[0]["page"], "unconfirmed-rows", "{}", found.out);
    let transcript = Transcript::new(&takt);
    transcript.run(&["guide", "operation-template-processes.delete"]);
    assert_eq!(transcript.run(&["guide", "no-such-page"]).code, Some(2));
    assert_transcript!(transcript);

    let folder = takt.home().join("web");
    let written = takt.run(&["guide", "--save", folder.to_str().unwrap()]);
    assert_eq!(written.code, Some(0), "{}", written.err);
    for language in ["en", "de", "es", "pt"] {
        for page in &pages {
            let file = folder.join(language).join(format!("{}.html", page["id"].as_str().unwrap()));
            assert!(fs::read_to_string(&file).unwrap().contains("<main>"), "{}", file.display());
        }
    }
}
