//! A large file is read completely.

use takt_core::ExcelRow;
use takt_import::{Fix, ImportItems, ItemSource, RowFilter};

use super::Fixture;

const ROWS: u32 = 100_000;

#[test]
fn a_hundred_thousand_rows_are_all_there() {
    let fixture = Fixture::new();
    let mut text = String::from("code;operationCode;materialCode;requestedQuantity;note\n");
    for row in 0..ROWS {
        let quantity = if row % 1000 == 0 { 0 } else { row };
        text.push_str(&format!("WO-{row};010;MAT-1001;{quantity};row {row}\n"));
    }
    let view = fixture.open_csv(&text);
    assert_eq!((view.counts.rows, view.counts.items, view.counts.error_rows), (ROWS, ROWS, ROWS / 1000));
    let page = fixture.imports.rows(view.id, &RowFilter::default(), ROWS - 1, 10).unwrap();
    assert_eq!((page.rows.len(), page.rows[0].row.get()), (1, ROWS + 1));
    assert_eq!(page.rows[0].cells[4].shown, format!("row {}", ROWS - 1));
    let items = fixture.imports.prepare_items(view.id).unwrap().remove(0).set.items;
    assert_eq!(items.len(), ROWS as usize);
    assert_eq!(items.iter().filter(|item| item.blocked).count(), 100);
    // Streamed items are the same, also after the import is closed.
    let step = ImportItems::from_import(&fixture.imports, view.id).unwrap().steps.remove(0);
    assert!(matches!(step.items, ItemSource::Sheet(_)) && step.set.items.is_empty() && step.waits.is_empty());
    fixture.imports.close(view.id);
    assert!(step.items.into_items().eq(items));
}

#[test]
fn rows_that_share_an_item_come_with_it_and_excluded_rows_at_once() {
    let fixture = Fixture::new();
    let mut text = String::from("code;operationCode;materialCode;requestedQuantity;propertyKey;propertyValue\n");
    for row in 0..33_000_u32 {
        text.push_str(&format!("WO-{};010;MAT-1001;5;key-{row};{row}\n", row % 11_000));
    }
    let view = fixture.open_csv(&text);
    let items = fixture.imports.prepare_items(view.id).unwrap().remove(0).set.items;
    let source = || ImportItems::from_import(&fixture.imports, view.id).unwrap().steps.remove(0).items;
    let streamed = source();
    assert!(matches!(streamed, ItemSource::Sheet(_)));
    assert!(
        items.iter().all(|item| item.rows.len() == items[0].rows.len()),
        "rows of one key are one item, or none is"
    );
    assert!(streamed.into_items().eq(items));
    fixture.imports.fix(view.id, &Fix::Exclude { rows: vec![ExcelRow::new(5)] }).unwrap();
    let at_once = source();
    assert!(matches!(at_once, ItemSource::All(_)));
    let skipped: Vec<_> = at_once.into_items().filter(|item| item.skipped).collect();
    assert_eq!(skipped.len(), 1);
}
