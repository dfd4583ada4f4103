//! Tests an exported workbook that a planner edited while others changed data on the service.

use takt_engine::item::ExcelRow;
use takt_engine::{
    ExportFormat,
    import::{Fix, ImportId},
    preview::{ConflictReason, PreviewChoice, PreviewKind, PreviewView},
};
use takt_plant::Size;

use super::fixture::{Fixture, SITE, format_as_typed};

const FIELDS: [&str; 2] = ["code", "description"];

async fn change_as_other_user(fixture: &Fixture, codes: &[String]) {
    let rows: Vec<Vec<String>> = codes.iter().map(|code| vec![code.clone(), "By others".to_owned()]).collect();
    fixture.send("materials.sync", &FIELDS, &rows).await;
}

/// The planner edits the second row, others the third, both the fourth, and both the fifth to the same value.
async fn preview_edited_export(fixture: &Fixture, exported_from: &str) -> (ImportId, PreviewView) {
    let stored = fixture.list("materials.list").await;
    let path = fixture.home.path().join("materials.xlsx");
    fixture
        .engine
        .browse()
        .export_rows(exported_from, "materials.list", &stored[..20], ExportFormat::Xlsx, &path)
        .unwrap();
    let codes: Vec<String> = stored.iter().map(|row| format_as_typed(&row["code"])).collect();
    change_as_other_user(fixture, &codes[2..5]).await;
    let imports = fixture.engine.imports();
    let view = imports.open(&path).unwrap();
    assert_eq!(view.sheets.len(), 1, "what Takt remembers is nobody's sheet: {:?}", view.sheets);
    let mut view = imports.choose_operation(view.id, "materials.sync").unwrap();
    for column in 2..view.columns.len() {
        view = imports.match_column(view.id, u32::try_from(column).unwrap(), None).unwrap();
    }
    for (row, text) in [(3, "By the planner"), (5, "By the planner"), (6, "By others")] {
        imports.fix(view.id, &Fix::Set { row: ExcelRow::new(row), column: 1, text: text.to_owned() }).unwrap();
    }
    (view.id, fixture.preview(view.id).await)
}

#[tokio::test]
async fn changes_by_others_since_the_export_are_conflicts() {
    let fixture = Fixture::new(Size::Small).await;
    let (import, view) = preview_edited_export(&fixture, SITE).await;
    let counts = view.counts;
    assert_eq!((counts.changed, counts.conflict, counts.same), (1, 2, 17), "{:?}", fixture.rows(import, None));
    let rows = |kind| fixture.rows(import, Some(kind)).iter().map(|row| row.row.get()).collect::<Vec<_>>();
    assert_eq!((rows(PreviewKind::Changed), rows(PreviewKind::Conflict)), (vec![3], vec![4, 5]));
    for row in fixture.rows(import, Some(PreviewKind::Conflict)) {
        assert_eq!(row.fields[0].conflict, Some(ConflictReason::ChangedSince));
        assert_eq!(format_as_typed(&row.fields[0].old), "By others");
    }
    let mut steps = fixture.engine.imports().prepare_items(import).unwrap();
    let refused = fixture.engine.previews().mark_items(import, SITE, &mut steps, PreviewChoice::default()).unwrap_err();
    assert_eq!(refused.parameters["count"], "2");
}

#[tokio::test]
async fn exports_of_another_site_are_ignored() {
    let fixture = Fixture::new(Size::Small).await;
    let (import, view) = preview_edited_export(&fixture, "elsewhere").await;
    assert_eq!((view.counts.changed, view.counts.conflict), (3, 0), "{:?}", fixture.rows(import, None));
}
