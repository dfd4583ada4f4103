//! Differences on Windows: paths, encodings, files that other programs have open, the credential manager.

use std::{
    fs::{self, File},
    os::windows::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use serde_json::json;
use takt_tests::{Plant, Takt, sample_path};

use crate::support::ORDERS;

const WORKBOOK: &str = "work-orders.sync.xlsx";
/// The variable with a writable share, for users without access to `C$`.
const SHARE: &str = "TAKT_TEST_SHARE";
/// Sharing modes of an open file. Other programs may read it, as with Excel, or have no access.
const SHARED_FOR_READING: u32 = 1;
const NOT_SHARED: u32 = 0;

fn path_text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn copy_sample(to: PathBuf) -> PathBuf {
    fs::copy(sample_path(WORKBOOK), &to).unwrap();
    to
}

/// Runs the main job: the sample's valid rows must be accepted, and the others skipped.
fn assert_is_sent(takt: &Takt, file: &Path) {
    let ran = takt.run(&["sync", path_text(file), "--to", ORDERS, "--yes", "--skip-errors", "--json"]);
    let summary = ran.summary();
    assert_eq!((&summary["accepted"], &summary["skipped"]), (&json!(254), &json!(9)), "{}{}", ran.out, ran.err);
    let history = takt.run(&["history", "--json"]);
    assert_eq!(history.summary()["accepted"], 254, "{}", history.err);
}

fn assert_is_read(takt: &Takt, file: &str) {
    let ran = takt.run(&["check", file, "--to", ORDERS, "--offline", "--json"]);
    assert_eq!(ran.summary()["rows"], 263, "{file}: {}{}", ran.out, ran.err);
}

#[test]
fn the_main_job_in_folders_with_blanks_and_umlauts() {
    let takt = Takt::in_folder("Größe & Maß, Ordner 1 €");
    let file = copy_sample(takt.file("Aufträge KW 50 – ändern.xlsx"));
    assert_is_sent(&takt, &file);
    let blank = takt.file("Vorlage für Aufträge.xlsx");
    let ran = takt.run(&["template", ORDERS, "--out", path_text(&blank)]);
    assert!(blank.is_file() && format!("{}{}", ran.out, ran.err).contains(path_text(&blank)), "{}{}", ran.out, ran.err);
}

#[test]
fn paths_of_every_kind_lead_to_the_file() {
    let takt = Takt::new();
    let file = copy_sample(takt.file("plan.xlsx"));
    let plain = path_text(&file).to_owned();
    let (drive, rest) = plain.split_at(1);
    let kinds = [
        "plan.xlsx".to_owned(),
        r".\plan.xlsx".to_owned(),
        "PLAN.XLSX".to_owned(),
        plain.replace('\\', "/"),
        format!("{}{rest}", drive.to_lowercase()),
        format!(r"\\?\{plain}"),
        plain[2..].to_owned(),
    ];
    for kind in &kinds {
        assert_is_read(&takt, kind);
    }
}

/// Creates the test's folder on a share.
fn create_share_folder(takt: &Takt) -> PathBuf {
    let share = match std::env::var(SHARE) {
        Ok(share) => PathBuf::from(share),
        Err(_) => PathBuf::from(path_text(takt.outside()).replacen(r"C:", r"\\localhost\C$", 1)),
    };
    let folder = share.join(format!("takt-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a_share_is_a_place_for_workbooks_and_reports() {
    let takt = Takt::new();
    let folder = create_share_folder(&takt);
    let file = copy_sample(folder.join("Pläne.xlsx"));
    assert!(path_text(&file).starts_with(r"\\"), "{}", file.display());
    assert_is_read(&takt, path_text(&file));
    let report = folder.join("geprüft.xlsx");
    let ran = takt.run(&["check", path_text(&file), "--to", ORDERS, "--offline", "--report", path_text(&report)]);
    assert!(report.is_file(), "{}", ran.err);
    assert!(ran.out.contains(path_text(&report)) || ran.err.contains(path_text(&report)), "{}{}", ran.out, ran.err);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn paths_longer_than_260_characters() {
    let takt = Takt::new();
    let deep = (0..12)
        .fold(takt.outside().to_path_buf(), |path, level| path.join(format!("a folder with a long name {level}")));
    assert!(path_text(&deep).len() > 300);
    fs::create_dir_all(&deep).unwrap();
    let file = copy_sample(deep.join("plan.xlsx"));
    let mut sync = takt.command(&["sync", path_text(&file), "--to", ORDERS, "--yes", "--skip-errors", "--json"]);
    sync.env("TAKT_HOME", deep.join("home"));
    let ran = takt.run_command(sync, "");
    assert_eq!(ran.summary()["accepted"], 254, "{}{}", ran.out, ran.err);
    assert!(deep.join("home/journal.sqlite").is_file());
}

#[test]
fn a_workbook_that_excel_has_open_is_read_and_one_that_nobody_may_is_said() {
    let takt = Takt::new();
    let file = copy_sample(takt.file("plan.xlsx"));
    let open = |shared| File::options().read(true).write(true).share_mode(shared).open(&file).unwrap();
    let excel = open(SHARED_FOR_READING);
    assert_is_read(&takt, path_text(&file));
    drop(excel);
    let held = open(NOT_SHARED);
    let ran = takt.run(&["check", path_text(&file), "--to", ORDERS, "--offline"]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("plan.xlsx"), "{}", ran.err);
    drop(held);
    assert_is_read(&takt, path_text(&file));
}

#[test]
fn a_report_replaces_an_old_one_but_none_that_excel_has_open() {
    let takt = Takt::new();
    let file = copy_sample(takt.file("plan.xlsx"));
    let report = takt.write("report.xlsx", "old");
    let check = ["check", path_text(&file), "--to", ORDERS, "--offline", "--report", path_text(&report)];
    let excel = File::options().read(true).write(true).share_mode(SHARED_FOR_READING).open(&report).unwrap();
    let ran = takt.run(&check);
    assert!(ran.err.contains("report.xlsx") && ran.code == Some(2), "{:?} {}", ran.code, ran.err);
    drop(excel);
    assert_eq!(fs::read_to_string(&report).unwrap(), "old");
    let left: Vec<_> = fs::read_dir(takt.home()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert!(!left.iter().any(|name| path_text(Path::new(name)).ends_with(".part")), "{left:?}");
    takt.run(&check);
    assert!(fs::read(&report).unwrap().starts_with(b"PK"));
}

#[test]
fn a_csv_as_windows_saves_it() {
    let takt = Takt::new();
    let bytes = b"Auftrag;Bezeichnung\r\nWO-1;Gr\xF6\xDFe 5 \x80\r\nWO-2;\xC4nderung\r\n";
    let file = takt.write("plan.csv", bytes);
    let ran = takt.run(&["cells", path_text(&file), "--json"]);
    assert!(ran.out.contains("Größe 5 €") && ran.out.contains("Änderung"), "{}{}", ran.out, ran.err);
    assert!(!ran.out.contains(r"\r") && !ran.out.contains('\r'), "{}", ran.out);
    assert_eq!(ran.json().len(), 3, "{}", ran.out);
}

#[test]
fn secrets_are_in_the_credential_manager() {
    let plant = Plant::start(&[]);
    let takt = Takt::new();
    let status = takt.run(&["vault", "status", "--json"]);
    assert_eq!(status.summary()["vault"], "keychain", "{}{}", status.out, status.err);
    // The secret is longer than the maximum length of a single credential.
    let added = takt.add_site_with_secret("works", &plant, &"secret".repeat(700));
    assert_eq!(added.code, Some(0), "{}", added.err);
    let names: Vec<_> = fs::read_dir(takt.home()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert!(!names.iter().any(|name| name == "secrets.vault"), "{names:?}");
    assert_eq!(takt.run(&["site", "remove", "works"]).code, Some(0));
}
