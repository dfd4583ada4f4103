//! Lists of the service in every format.

use serde_json::Value;
use takt_tests::Takt;

#[test]
fn rows_come_as_table_json_csv_and_workbook() {
    let takt = Takt::new();
    let arguments = ["list", "templates.processes", "--param", "templateId=3", "--format"];
    let run = |format: &str, more: &[&str]| {
        let all: Vec<&str> = arguments.iter().copied().chain([format]).chain(more.iter().copied()).collect();
        let ran = takt.run(&all);
        assert_eq!(ran.code, Some(0), "{format}: {}", ran.err);
        ran
    };
    let rows: Value = serde_json::from_str(&run("json", &[]).out).unwrap();
    let rows = rows.as_array().unwrap();
    let codes: Vec<&str> = rows.iter().map(|row| row["code"].as_str().unwrap()).collect();
    assert!(!codes.is_empty());
    let table = run("table", &[]).out;
    let csv = run("csv", &[]).out;
    for code in &codes {
        assert!(table.contains(code) && csv.contains(code), "{code}");
    }
    assert_eq!(table.lines().count(), codes.len() + 1);
    let file = takt.file("processes.xlsx");
    assert_eq!(run("xlsx", &["--out", file.to_str().unwrap()]).out, "");
    let cells = takt.run(&["cells", file.to_str().unwrap(), "--json"]).json();
    assert_eq!(cells.len(), codes.len() + 1, "a heading and every row");
}

#[test]
fn one_page_says_that_there_is_more_and_all_reads_it() {
    let takt = Takt::new();
    let first = takt.run(&["list", "work-orders.list", "--format", "json"]);
    let count = |text: &str| serde_json::from_str::<Value>(text).unwrap().as_array().unwrap().len();
    assert_eq!(count(&first.out), 100);
    assert!(first.err.contains("--all"), "{}", first.err);
    let all = takt.run(&["list", "work-orders.list", "--format", "json", "--all"]);
    assert_eq!(all.code, Some(0), "{}", all.err);
    assert!(count(&all.out) > 100);
}

#[test]
fn nothing_of_a_list_stays_in_the_home() {
    let takt = Takt::new();
    let names = || {
        let entries = std::fs::read_dir(takt.home()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        // SQLite creates and removes these files.
        names.retain(|name| !name.ends_with("-wal") && !name.ends_with("-shm"));
        names.sort();
        names
    };
    takt.run(&["history"]);
    let before = names();
    assert_eq!(takt.run(&["list", "materials.list", "--format", "csv"]).code, Some(0));
    assert_eq!(names(), before);
}
