//! The results of rows that weren't accepted: their errors, the service's messages, and rows that an undo can restore.

use serde_json::{Value, json};
use takt_core::Code;
use takt_engine::{
    import::{Drafts, Fix, FixedBy, RowFilter, RowState},
    item::{ExcelRow, RowId, RowResult, Severity},
    preview::{PreviewChoice, PreviewKind},
    sites::SiteKind,
    submission::{ResultRow, SubmissionId},
};
use takt_plant::Size;
use takt_test_support::setup::site_of_plant;

use super::fixture::{Fixture, SITE, cells};

impl Fixture {
    fn results(&self, id: SubmissionId, result: RowResult) -> Vec<ResultRow> {
        self.engine.submissions().result_rows(id, Some(result), 0, 100).unwrap().rows
    }
}

fn rows(rows: &[[&str; 2]]) -> Vec<Vec<String>> {
    rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect()
}

#[tokio::test]
async fn a_row_that_was_not_sent_says_which_error_it_has() {
    let fixture = Fixture::new(Size::Small).await;
    let import = fixture.open("materials.sync", &["code", "description"], &rows(&[["NEW-1", "Bolt"], ["NEW-2", ""]]));
    let id = fixture.send_import(import, None).await;
    let [skipped] = &fixture.results(id, RowResult::Skipped)[..] else { panic!("one row has an error") };
    assert_eq!((skipped.row.get(), skipped.reasons.len()), (3, 1));
    assert!(skipped.reasons[0].starts_with("B3: "), "{skipped:?}");
    assert!(!skipped.reasons[0].contains("choice"), "nobody chose it: {skipped:?}");
}

#[tokio::test]
async fn rows_that_need_attention_come_first_on_every_page() {
    let fixture = Fixture::new(Size::Small).await;
    let materials = fixture.list("materials.list").await;
    let [first, second, third] = [0, 1, 2].map(|index| cells(&materials[index], &["code"]).remove(0));
    let sent = [[&first, "5"], ["NOBODY-1", "5"], [&second, "x"], [&third, "6"], ["NOBODY-2", "7"]];
    let import = fixture.open("stock.sync", &["materialCode", "quantity"], &rows(&sent));
    let id = fixture.send_import(import, None).await;
    let all = fixture.engine.submissions().rows_by_urgency(id, 0, 100).unwrap();
    let shown: Vec<_> = all.rows.iter().map(|row| (row.row.get(), row.result)).collect();
    let (rejected, skipped, accepted) = (RowResult::Rejected, RowResult::Skipped, RowResult::Accepted);
    assert_eq!(shown, [(3, rejected), (6, rejected), (4, skipped), (2, accepted), (5, accepted)]);
    for limit in 1..=5 {
        let pages = (0..5).step_by(limit as usize).flat_map(|offset| {
            let page = fixture.engine.submissions().rows_by_urgency(id, offset, limit).unwrap();
            assert_eq!((page.total, page.offset), (5, offset));
            page.rows
        });
        assert_eq!(pages.map(|row| (row.row.get(), row.result)).collect::<Vec<_>>(), shown, "pages of {limit}");
    }
}

#[tokio::test]
async fn rejected_rows_come_back_alone_with_the_services_words() {
    let fixture = Fixture::new(Size::Small).await;
    let stored = cells(&fixture.list("materials.list").await[0], &["code"]).remove(0);
    let import = fixture.open(
        "stock.sync",
        &["materialCode", "quantity"],
        &rows(&[[&stored, "5"], ["NOBODY-1", "5"], [&stored, "x"]]),
    );
    let id = fixture.send_import(import, None).await;
    let [rejected] = &fixture.results(id, RowResult::Rejected)[..] else { panic!("the plant knows no such material") };
    let view = fixture.engine.history().limit_to_rejected_rows(import, id).unwrap();
    assert_eq!((view.rejected_rows, view.counts.ready_rows, view.counts.error_rows), (1, 1, 0));
    assert_eq!(view.destination.unwrap().fixed, Some(FixedBy::Submission { id }));
    let filter = RowFilter { state: Some(RowState::Rejected), ..RowFilter::default() };
    let page = fixture.engine.imports().rows(import, &filter, 0, 10).unwrap();
    assert_eq!((page.total, page.rows[0].row.get()), (1, 3));
    assert!(!rejected.reasons.is_empty());
    assert_eq!(page.rows[0].rejected, rejected.reasons);
    // An edit of a row that won't be sent again isn't counted among the rejected ones.
    let edited = [2, 3].map(|row| {
        let fix = Fix::Set { row: ExcelRow::new(row), column: 1, text: "6".to_owned() };
        fixture.engine.imports().fix(import, &fix).unwrap().edited_rows
    });
    let filter = RowFilter { state: Some(RowState::Edited), ..RowFilter::default() };
    let page = fixture.engine.imports().rows(import, &filter, 0, 10).unwrap();
    assert_eq!((edited, page.total, page.rows[0].row.get()), ([0, 1], 1, 3));
}

#[tokio::test]
async fn skipped_rows_are_fixed_and_sent_without_the_rows_that_were_sent() {
    let fixture = Fixture::new(Size::Small).await;
    let import = fixture.open(
        "materials.sync",
        &["code", "description"],
        &rows(&[["NEW-1", "Bolt"], ["NEW-2", ""], ["NEW-3", ""], ["NEW-4", "Nut"]]),
    );
    fixture.engine.imports().fix(import, &Fix::Exclude { rows: vec![ExcelRow::new(5)] }).unwrap();
    let id = fixture.send_import(import, None).await;
    // A file that is opened again, as from the history, has the same rows left.
    let again = fixture.engine.imports().open(&fixture.home.path().join("file.csv")).unwrap().id;
    fixture.engine.history().apply_submission_mappings(again, id).unwrap();
    let reopened = fixture.engine.history().remove_sent_rows(again, id).unwrap().counts;
    assert_eq!((reopened.rows, reopened.excluded, reopened.error_rows), (3, 1, 2));
    let view = fixture.engine.history().remove_sent_rows(import, id).unwrap();
    let counts = view.counts;
    assert_eq!((counts.rows, counts.excluded, counts.error_rows), (3, 1, 2), "one row was sent, one is left out");
    let listed = fixture.engine.imports().rows(import, &RowFilter::default(), 0, 10).unwrap();
    let numbers: Vec<u32> = listed.rows.iter().map(|row| row.row.get()).collect();
    assert_eq!(numbers, [3, 4, 5], "sent rows aren't listed");
    // Neither an undo of everything nor including the row brings it back.
    while fixture.engine.imports().undo(import).unwrap().undo {}
    let included = Fix::Include { rows: vec![ExcelRow::new(2)] };
    let counts = fixture.engine.imports().fix(import, &included).unwrap().counts;
    assert_eq!((counts.rows, counts.excluded, counts.ready_rows), (3, 0, 1), "only the excluded row is back");
    fixture.engine.imports().fix(import, &Fix::Exclude { rows: vec![ExcelRow::new(5)] }).unwrap();
    for (row, text) in [(3, "Washer"), (4, "Screw")] {
        let fix = Fix::Set { row: ExcelRow::new(row), column: 1, text: text.to_owned() };
        fixture.engine.imports().fix(import, &fix).unwrap();
    }
    assert_eq!(fixture.engine.history().skipped_error_rows(id).unwrap(), 2);
    let second = fixture.send_import(import, None).await;
    assert_eq!(fixture.engine.history().skipped_error_rows(id).unwrap(), 0, "they were sent later");
    let all = fixture.engine.submissions().result_rows(second, None, 0, 100).unwrap().rows;
    let shown: Vec<_> = all.iter().map(|row| (row.row.get(), row.result)).collect();
    let expected = [(3, RowResult::Accepted), (4, RowResult::Accepted), (5, RowResult::Skipped)];
    assert_eq!(shown, expected, "a row that was sent is no part of this submission");
    let other = fixture.open("materials.sync", &["code", "description"], &rows(&[["NEW-1", "Bolt"]]));
    let refused = fixture.engine.history().remove_sent_rows(other, id).unwrap_err();
    assert_eq!((refused.code, refused.parameters["obstacle"].as_str()), (Code::Precondition, "workbook-edited"));
}

#[tokio::test]
async fn a_sent_row_shows_its_values_and_those_before() {
    let fixture = Fixture::new(Size::Small).await;
    let stored = fixture.list("materials.list").await[0].clone();
    let (code, before) = (stored["code"].as_str().unwrap(), stored["description"].clone());
    let table = rows(&[[code, "Another name"], ["NEW-1", "Bolt"]]);
    let import = fixture.open("materials.sync", &["code", "description"], &table);
    fixture.preview(import).await;
    let id = fixture.send_import(import, Some(PreviewChoice::default())).await;
    let sheet = fixture.results(id, RowResult::Accepted)[0].sheet.clone();
    let values = |row| {
        let row = RowId { sheet: sheet.clone(), row: ExcelRow::new(row) };
        let found = fixture.engine.history().row_changes(id, &row).unwrap()?;
        let fields = found.fields.into_iter().map(|field| (field.field, field.old, field.new)).collect::<Vec<_>>();
        Some((found.kind, fields))
    };
    let name = |old: Value, new: &str| ("description".to_owned(), old, json!(new));
    assert_eq!(values(2), Some((PreviewKind::Changed, vec![name(before, "Another name")])));
    let (kind, created) = values(3).unwrap();
    assert_eq!((kind, created.contains(&name(Value::Null, "Bolt"))), (PreviewKind::New, true));
    assert_eq!(values(9), None);
}

#[tokio::test]
async fn sent_rows_are_left_out_only_for_the_same_site_and_operation() {
    let fixture = Fixture::new(Size::Small).await;
    let (imports, history) = (fixture.engine.imports(), fixture.engine.history());
    Drafts::new(imports).enable_drafts();
    let table = rows(&[["NEW-1", "Bolt"], ["NEW-2", ""]]);
    let import = fixture.open("materials.sync", &["code", "description"], &table);
    let id = fixture.send_import(import, None).await;
    let view = history.remove_sent_rows(import, id).unwrap();
    assert_eq!((view.sent_rows, view.counts.rows), (1, 1));
    let other = imports.choose_operation(import, "work-orders.sync").unwrap();
    assert_eq!((other.sent_rows, other.counts.rows), (0, 2), "they weren't sent with this operation");
    imports.choose_operation(import, "materials.sync").unwrap();
    // The draft keeps them out when the file is opened again.
    imports.close(import);
    let again = imports.open(&fixture.home.path().join("file.csv")).unwrap();
    assert_eq!((again.sent_rows, again.counts.rows), (1, 1));
    let works = site_of_plant("works", SiteKind::Production, &fixture.plant);
    fixture.engine.save_site(works, Some("a secret".to_owned())).unwrap();
    let elsewhere = fixture.engine.import_sites().choose_site(again.id, "works").unwrap();
    assert_eq!((elsewhere.sent_rows, elsewhere.counts.rows), (0, 2), "the other site doesn't have them");
    let back = fixture.engine.import_sites().choose_site(again.id, SITE).unwrap();
    assert_eq!((back.sent_rows, back.counts.rows), (1, 1));
    let fresh = Drafts::new(imports).start_over(again.id).unwrap();
    assert_eq!((fresh.sent_rows, fresh.counts.rows), (0, 2));
}

#[tokio::test]
async fn an_undo_is_offered_only_where_something_may_be_put_back() {
    let fixture = Fixture::new(Size::Small).await;
    let new = fixture.open("materials.sync", &["code", "description"], &rows(&[["NEW-1", "Bolt"]]));
    fixture.preview(new).await;
    let id = fixture.send_import(new, Some(PreviewChoice::default())).await;
    assert_eq!(fixture.engine.submissions().undoable_rows(id).unwrap(), 0, "nothing deletes what was created");
    let changed = fixture.open("materials.sync", &["code", "description"], &rows(&[["NEW-1", "Nut"]]));
    fixture.preview(changed).await;
    let id = fixture.send_import(changed, Some(PreviewChoice::default())).await;
    assert_eq!(fixture.engine.submissions().undoable_rows(id).unwrap(), 1);
}

#[tokio::test]
async fn rows_with_warnings_are_counted_as_their_filter_shows_them() {
    let fixture = Fixture::new(Size::Small).await;
    let headings = ["code", "operationCode", "materialCode", "requestedQuantity", "promiseDate"];
    let row = |code: &str, quantity: &str| {
        ["010", "MAT-1001", quantity, "2001-01-02"].iter().fold(vec![code.to_owned()], |mut row, cell| {
            row.push((*cell).to_owned());
            row
        })
    };
    let import = fixture.open("work-orders.sync", &headings, &[row("W-1", "5"), row("W-2", "none")]);
    let counts = fixture.engine.imports().view(import).unwrap().counts;
    let filter = RowFilter { severity: Some(Severity::Warning), ..RowFilter::default() };
    let shown = fixture.engine.imports().rows(import, &filter, 0, 10).unwrap().total;
    assert_eq!((counts.error_rows, counts.warning_rows, shown), (1, 2, 2), "one row has both");
}
