//! Files of earlier versions must open unchanged: home folders, team databases, mappings, site files and rules.
//!
//! `tests/data/earlier` has a folder for each version whose files differ. Its `home` was written by that version.

use std::{fs, path::PathBuf};

use takt_tests::{Takt, repository};

use crate::transcript::{Transcript, assert_transcript};

fn data_file(name: &str) -> PathBuf {
    repository().join("tests/data/earlier/0.1.0").join(name)
}

/// Returns a home with the files of version 0.1.0.
fn earlier_home() -> Takt {
    let takt = Takt::new();
    for name in ["journal.sqlite", "inbox.sqlite"] {
        fs::copy(data_file("home").join(name), takt.home().join(name)).unwrap();
    }
    takt
}

#[test]
fn a_home_folder_of_0_1_0_opens_with_everything_in_it() {
    let takt = earlier_home();
    let transcript = Transcript::new(&takt);
    for command in [
        "history --json",
        "history 1 --rows",
        "history 2 --json",
        "site list --json",
        "contract versions --site works",
        "storage",
        "answers",
        "forward list --json",
        "events --kind 2",
        "events 9 --json",
    ] {
        let ran = transcript.run(&command.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, Some(0), "{command}: {}", ran.err);
    }
    // Headings identify the mapping of the first submission.
    let orders = takt.write("orders.csv", fs::read(data_file("orders.csv")).unwrap());
    let ran = transcript.run(&["sync", orders.to_str().unwrap(), "--yes"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_transcript!(transcript);
}

#[test]
fn files_of_0_1_0_are_read() {
    let takt = Takt::new();
    let transcript = Transcript::new(&takt);
    let copy = |name: &str| takt.write(name, fs::read(data_file(name)).unwrap()).to_str().unwrap().to_owned();
    let [orders, mapping, site, rules] = ["orders.csv", "mapping.json", "site.json", "rules.json"].map(copy);
    for arguments in [
        &["check", &orders, "--mapping", &mapping, "--offline"][..],
        &["site", "import", &site, "--yes"],
        &["answers", "--rules", &rules],
    ] {
        let ran = transcript.run(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.err);
    }
    assert_transcript!(transcript);
}

/// The tests' PostgreSQL server doesn't run on Windows.
#[cfg(unix)]
#[test]
fn a_team_database_of_0_1_0_opens_with_everything_in_it() {
    use takt_tests::postgres;

    let address = postgres::create_database();
    // Roles are shared by all databases of the server, so another test may have created this one.
    let role =
        "DO $$ BEGIN CREATE ROLE takt_desk; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$";
    assert!(postgres::statement_succeeds(&address, role));
    postgres::run_file(&address, &data_file("team.sql"));
    let takt = Takt::new().with("TAKT_TEAM_URL", &address);
    let transcript = Transcript::new(&takt);
    assert_eq!(transcript.run(&["team", "init", &address]).code, Some(0));
    for command in ["history --json", "history 1 --rows", "team changes"] {
        let ran = transcript.run(&command.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, Some(0), "{command}: {}", ran.err);
    }
    assert_transcript!(transcript);
}
