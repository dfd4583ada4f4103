//! Drafts: edits of a file are restored after a crash, and never applied to other content.

use std::sync::Arc;

use takt_contract::Contract;
use takt_core::{ExcelRow, FindingCode, Severity};
use takt_import::{
    DraftView, Drafts, FileState, FindingKind, Fix, FormatChoice, GridRow, ImportPosition, ImportView, Imports,
    MappingChange, MatchReason, RowChoice, RowFilter, StepState,
};
use takt_journal::Journal;
use takt_sheet::writer::OutCell;

use super::{Fixture, texts};

const ORDER_HEADINGS: [&str; 5] = ["code", "operationCode", "materialCode", "requestedQuantity", "Bemerkung"];

/// Opens the same home folder like another start of the program.
fn reopen_imports(fixture: &Fixture) -> Imports {
    let journal = Arc::new(Journal::open(&fixture.file("journal.sqlite")).unwrap());
    let contract = Arc::new(Contract::builtin().unwrap());
    let imports = Imports::new(contract, None, journal, Arc::new(|| "2026-11-24T06:00:00Z".parse().unwrap()), None);
    Drafts::new(&imports).enable_drafts();
    imports
}

fn order_rows() -> Vec<Vec<OutCell>> {
    vec![
        texts(&["WO-1", "010", "MAT-1", "13,75", "a"]),
        texts(&["WO-2", "010", "MAT-X", "five", "b"]),
        texts(&["WO-3", "010", "MAT-X", "0", "c"]),
        texts(&["WO-4", "010", "MAT-1", "7", "d"]),
    ]
}

fn grid_cells(imports: &Imports, view: &ImportView) -> Vec<(u32, bool, Vec<String>)> {
    let page = imports.rows(view.id, &RowFilter::default(), 0, 100).unwrap();
    let shown = |row: &GridRow| row.cells.iter().map(|cell| cell.shown.clone()).collect();
    page.rows.iter().map(|row| (row.row.get(), row.excluded, shown(row))).collect()
}

/// Returns an import as the user sees it, except the draft's state.
fn view_without_draft_state(view: &ImportView) -> ImportView {
    let mut view = ImportView { draft: DraftView::default(), touched: 0, redo: false, ..view.clone() };
    // Columns that the user chose are remembered after a restart.
    (view.settled, view.changes) = (false, Vec::new());
    // After a restart, a step needs less checking.
    view.steps.iter_mut().for_each(|step| step.state = StepState::Look);
    for column in &mut view.columns {
        if let Some(matched) = &mut column.matched {
            matched.reason = MatchReason::ByHand;
            matched.score = 1.0;
        }
    }
    view
}

#[test]
fn what_was_made_of_a_file_is_there_again_after_the_program_ended() {
    let fixture = Fixture::new();
    let path = fixture.write("orders.xlsx", &[], &ORDER_HEADINGS, order_rows());
    let imports = reopen_imports(&fixture);
    let view = imports.open(&path).unwrap();
    assert_eq!((view.draft.kept, view.draft.restored.is_some()), (false, false), "nobody changed anything");
    let id = view.id;
    imports.choose_rows(id, RowChoice { skip_hidden: true, keep_totals: true }).unwrap();
    imports.match_column(id, 4, Some("customer")).unwrap();
    imports.change_mapping(id, MappingChange::Format { column: 3, choice: FormatChoice::Comma }).unwrap();
    imports.fix(id, &Fix::Set { row: ExcelRow::new(3), column: 3, text: "5,5".to_owned() }).unwrap();
    imports.fix(id, &Fix::Replace { column: 2, from: "MAT-X".to_owned(), to: "MAT-2".to_owned() }).unwrap();
    imports.fix(id, &Fix::Fill { column: 3, from: ExcelRow::new(2), to: vec![ExcelRow::new(5)] }).unwrap();
    let wrong = FindingKind {
        severity: Severity::Error,
        code: FindingCode::NotAbove,
        field: Some("requestedQuantity".to_owned()),
    };
    imports.fix(id, &Fix::ExcludeFound { finding: wrong, keep_first: false }).unwrap();
    imports.fix(id, &Fix::Set { row: ExcelRow::new(2), column: 0, text: "WO-9".to_owned() }).unwrap();
    imports.undo(id).unwrap();
    let position = ImportPosition { step: "check".to_owned(), follows: None };
    let before = Drafts::new(&imports).set_position(id, position.clone()).unwrap();
    assert!(before.draft.kept);
    let (shown, keys) = (grid_cells(&imports, &before), imports.mapping(id).unwrap());
    assert_eq!((before.edited, before.counts.excluded), (4, 1), "{shown:?}");
    // Simulate a crash.
    std::mem::forget(imports);

    let imports = reopen_imports(&fixture);
    let view = imports.open(&path).unwrap();
    let restored = view.draft.restored.clone().unwrap();
    assert_eq!((restored.edited, restored.excluded, &restored.position), (4, 1, &position));
    assert!(restored.changed.starts_with("2026-11-24"), "{}", restored.changed);
    assert_eq!(grid_cells(&imports, &view), shown);
    assert_eq!(imports.mapping(view.id).unwrap(), keys);
    assert_eq!(view_without_draft_state(&view), view_without_draft_state(&before));
    // Each step can still be undone separately.
    let less = imports.undo(view.id).unwrap();
    assert_eq!((less.counts.excluded, less.edited), (0, 4));
    imports.redo(view.id).unwrap();

    let listed = Drafts::new(&imports).recent_files().unwrap();
    assert_eq!(listed.len(), 1);
    let draft = listed[0].draft.as_ref().unwrap();
    assert_eq!((listed[0].state, draft.edited, draft.excluded), (FileState::Same, 4, 1));
    assert_eq!(Drafts::new(&imports).file_path(&listed[0].hash).unwrap(), path);

    let fresh = Drafts::new(&imports).start_over(view.id).unwrap();
    assert_eq!((fresh.edited, fresh.counts.excluded, fresh.draft.restored), (0, 0, None));
    assert!(imports.view(view.id).is_err());
    assert_eq!(Drafts::new(&imports).recent_files().unwrap()[0].draft, None);
    assert_eq!(reopen_imports(&fixture).open(&path).unwrap().draft.restored, None);
}

#[test]
fn a_draft_is_of_its_content_alone() {
    let fixture = Fixture::new();
    let path = fixture.write("orders.xlsx", &[], &ORDER_HEADINGS, order_rows());
    let imports = reopen_imports(&fixture);
    let view = imports.open(&path).unwrap();
    imports.match_column(view.id, 4, Some("customer")).unwrap();
    imports.fix(view.id, &Fix::Set { row: ExcelRow::new(3), column: 3, text: "5".to_owned() }).unwrap();
    let hash = view.hash;

    // A row was inserted, so row 3 is another one.
    let mut more = order_rows();
    more.insert(0, texts(&["WO-0", "010", "MAT-1", "1", "new"]));
    fixture.write("orders.xlsx", &[], &ORDER_HEADINGS, more);
    assert_eq!(Drafts::new(&imports).recent_files().unwrap()[0].state, FileState::Changed);
    let imports = reopen_imports(&fixture);
    let view = imports.open(&path).unwrap();
    assert_eq!((view.edited, view.draft.restored.is_some()), (0, false));
    let earlier = view.draft.earlier.clone().unwrap();
    assert_eq!((earlier.hash.as_str(), earlier.edited), (hash.as_str(), 1));
    let taken = Drafts::new(&imports).apply_draft_columns(view.id, &hash).unwrap();
    let field = taken.columns[4].matched.as_ref().map(|matched| matched.field.as_str());
    assert_eq!((field, taken.edited, taken.draft.earlier), (Some("customer"), 0, None));
    assert_eq!(Drafts::new(&imports).recent_files().unwrap().len(), 1, "what was taken isn't offered again");

    // A submitted import has no draft.
    Drafts::new(&imports).remove_draft(view.id).unwrap();
    assert_eq!(reopen_imports(&fixture).open(&path).unwrap().draft.restored, None);

    std::fs::remove_file(&path).unwrap();
    assert_eq!(Drafts::new(&imports).recent_files().unwrap()[0].state, FileState::Missing);
}

#[test]
fn who_opens_files_for_a_moment_leaves_no_trace() {
    let fixture = Fixture::new();
    let view = fixture.open("orders.xlsx", &ORDER_HEADINGS, order_rows());
    let view =
        fixture.imports.fix(view.id, &Fix::Set { row: ExcelRow::new(3), column: 3, text: "5".to_owned() }).unwrap();
    assert!(!view.draft.kept);
    assert_eq!(Drafts::new(&fixture.imports).recent_files().unwrap(), []);
}
