//! Tables that were pasted from a spreadsheet become imports, and are kept for a while.

use std::{fs, path::PathBuf};

use takt_core::Code;
use takt_engine::Engine;
use takt_import::RowFilter;
use takt_test_support::setup::engine_config;
use tempfile::TempDir;

const TABLE: &str = "code\tdescription\tnote\nNEW-1\tBolt\t\"two\nlines\"\nNEW-2\tÖse 5 mm\t1,5";

#[test]
fn a_pasted_table_is_an_import_like_any_file() {
    let home = TempDir::new().unwrap();
    let engine = Engine::open(engine_config(home.path())).unwrap();
    let path = engine.import_sites().write_pasted_table("Eingefügte: Zeilen/..", TABLE).unwrap();
    assert_eq!(path.parent().unwrap(), engine.home().pasted_tables());
    let file = path.file_name().unwrap().to_str().unwrap();
    assert!(file.starts_with("Eingefügte Zeilen ") && file.ends_with(".tsv"), "{file}");
    let view = engine.imports().open(&path).unwrap();
    let page = engine.imports().rows(view.id, &RowFilter::default(), 0, 10).unwrap();
    let shown: Vec<Vec<&str>> =
        page.rows.iter().map(|row| row.cells.iter().map(|cell| cell.shown.as_str()).collect()).collect();
    assert_eq!(shown, [["NEW-1", "Bolt", "two\nlines"], ["NEW-2", "Öse 5 mm", "1,5"]]);
    let large = "x".repeat(64 * 1024 * 1024 + 1);
    let refused = engine.import_sites().write_pasted_table("Rows", &large).unwrap_err();
    assert_eq!(refused.code, Code::FileTooLarge);
}

#[test]
fn the_oldest_tables_are_removed() {
    let home = TempDir::new().unwrap();
    let engine = Engine::open(engine_config(home.path())).unwrap();
    let folder = engine.home().pasted_tables();
    fs::create_dir_all(&folder).unwrap();
    for number in 10..35 {
        fs::write(folder.join(format!("Rows 2026-01-{number}.tsv")), format!("code\n{number}")).unwrap();
    }
    let pasted = engine.import_sites().write_pasted_table("Rows", TABLE).unwrap();
    let files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 20);
    assert!(files.contains(&pasted));
}
