//! Workbooks that Takt writes can be read again: blank workbooks, and workbooks with findings.

use std::sync::Arc;

use takt_contract::Contract;
use takt_engine::{Code, Engine, EngineConfig, Language, import::ImportView};
use takt_sheet::{Limits, Workbook, writer::OutCell};
use takt_test_support::setup::engine_config;

use super::{Fixture, text, texts};

fn open_engine(fixture: &Fixture) -> Arc<Engine> {
    let clock = Arc::new(|| "2026-11-18T10:00:00Z".parse().unwrap());
    Engine::open(EngineConfig { clock, ..engine_config(fixture.folder.path()) }).unwrap()
}

/// Returns the cells of a row, from a column on.
fn cells_from(path: &str, row: u32, from: usize) -> Vec<String> {
    let workbook = Workbook::open(path.as_ref(), &Limits::default()).unwrap();
    let sheet = workbook.read(&workbook.sheets()[0].name, &Limits::default(), &|| false).unwrap();
    let found = sheet.rows.get(sheet.rows.position(row).unwrap()).unwrap();
    found.cells.iter().skip(from).map(|cell| cell.shown().into_owned()).collect()
}

fn unmatched_headings(view: &ImportView) -> Vec<&str> {
    let open = view.columns.iter().filter(|column| column.matched.is_none() && !column.own);
    open.map(|column| column.heading.as_str()).collect()
}

#[test]
fn a_blank_workbook_is_understood_in_every_language() {
    let fixture = Fixture::new();
    let engine = open_engine(&fixture);
    let contract = Contract::builtin().unwrap();
    let mut seen = 0;
    for operation in contract.operations().iter().filter(|operation| operation.request.is_some()) {
        for language in Language::ALL {
            let at = format!("{} in {language:?}", operation.id);
            let path = fixture.file("blank.xlsx");
            engine.import_sources().write_blank(&operation.id, language, &path).unwrap();
            let view = fixture.imports.open(&path).unwrap();
            assert_eq!(view.operation.as_deref(), Some(operation.id.as_str()), "{at}: {:?}", view.proposals);
            assert_eq!(unmatched_headings(&view), Vec::<&str>::new(), "{at}");
            assert_eq!(view.columns.len(), view.fields.len(), "{at}");
            for (column, field) in view.columns.iter().zip(&view.fields) {
                assert_eq!(column.matched.as_ref().map(|matched| &matched.field), Some(&field.path), "{at}");
            }
            let findings = fixture.imports.findings(view.id).unwrap();
            assert!(
                findings.iter().all(|finding| finding.severity == takt_engine::item::Severity::Note),
                "{at}: {findings:?}"
            );
            assert_eq!((view.counts.rows, view.counts.ready_rows), (1, 1), "{at}");
            assert_eq!(view.missing, Vec::<String>::new(), "{at}");
            seen += 1;
        }
    }
    assert!(seen >= 4 * 12, "{seen}");
    assert_eq!(
        engine
            .import_sources()
            .write_blank("work-orders.list", Language::En, &fixture.file("x.xlsx"))
            .unwrap_err()
            .code,
        Code::Unknown
    );
    assert!(!fixture.file("x.xlsx").exists());
}

#[test]
fn findings_stand_beside_the_planners_rows_and_are_known_again() {
    let fixture = Fixture::new();
    let headings = ["Order", "Op", "Material", "Quantity", "Remark"];
    let rows = vec![
        vec![text("WO-1"), text("010"), text("MAT-1001"), OutCell::Number(5.0), text("x")],
        vec![text("WO-2"), text("010"), text(""), OutCell::Number(0.0)],
    ];
    let path = fixture.write("plan.xlsx", &["Week 48"], &headings, rows);
    let view = fixture.imports.open(&path).unwrap();
    let view = fixture.imports.choose_operation(view.id, "work-orders.sync").unwrap();
    let saved = fixture.imports.save_findings(view.id, Language::De, &fixture.file("found.xlsx")).unwrap();
    assert!(saved.keeps_original);
    assert_eq!(cells_from(&saved.path, 2, 5), ["Takt-Status", "Takt-Grund"]);
    assert_eq!(cells_from(&saved.path, 3, 5), ["bereit"]);
    let [status, reason] = <[String; 2]>::try_from(cells_from(&saved.path, 4, 5)).unwrap();
    assert_eq!(status, "▲ Fehler");
    assert!(reason.contains("Material: ") && reason.contains("Quantity: "), "{reason}");

    let again = fixture.imports.open(saved.path.as_ref()).unwrap();
    let again = fixture.imports.choose_operation(again.id, "work-orders.sync").unwrap();
    assert_eq!(unmatched_headings(&again), unmatched_headings(&view));
    assert_eq!(again.columns.iter().filter(|column| column.own).count(), 2);
    assert!(again.columns[5].candidates.is_empty());
    assert_eq!(again.counts, view.counts);
    let twice = fixture.imports.save_findings(again.id, Language::En, &fixture.file("again.xlsx")).unwrap();
    assert_eq!(cells_from(&twice.path, 2, 5), ["Takt status", "Takt reason"]);
    assert_eq!(cells_from(&twice.path, 3, 5), ["ready"]);
}

#[test]
fn the_planners_own_file_is_never_written_to() {
    let fixture = Fixture::new();
    let path = fixture.write("stock.xlsx", &[], &["Material", "Quantity"], vec![texts(&["MAT-1", "5"])]);
    let before = std::fs::read(&path).unwrap();
    let view = fixture.imports.open(&path).unwrap();
    for name in ["stock.xlsx", "stock.csv"] {
        let refused = fixture.imports.save_findings(view.id, Language::En, &fixture.file(name)).unwrap_err();
        assert_eq!(refused.code, Code::Precondition, "{name}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert!(!fixture.file("stock.csv").exists());
}

#[test]
fn rows_that_were_accepted_before_are_counted_in_any_language() {
    let fixture = Fixture::new();
    let rows = vec![
        texts(&["M-1", "Shaft", "● akzeptiert"]),
        texts(&["M-2", "Axle", "● accepted"]),
        texts(&["M-3", "Gear", "✕ rejected"]),
    ];
    let accepted = takt_engine::Words::load(Language::De).result_text(takt_engine::item::RowResult::Accepted);
    let mut rows = rows;
    rows[0][2] = text(&format!("● {accepted}"));
    let view = fixture.open("m.xlsx", &["Code", "Description", "Estado en Takt"], rows);
    assert_eq!(view.previously_accepted, 2);
    let fresh = fixture.open("n.xlsx", &["Code", "Description", "Status"], vec![texts(&["M-1", "Shaft", "accepted"])]);
    assert_eq!(fresh.previously_accepted, 0);
}
