//! Progress of a workbook that is still being read, and canceling it.

use std::cell::RefCell;

use takt_core::Code;
use takt_import::ImportProgress;

use super::Fixture;

const ROWS: u32 = 60_000;

fn plan_text() -> String {
    let mut text = String::from("code;operationCode;materialCode;requestedQuantity;note\n");
    for row in 0..ROWS {
        text.push_str(&format!("WO-{row};010;MAT-1001;{};row {row}\n", row * 7919 % 5003));
    }
    text
}

fn assert_early(updates: &[ImportProgress]) {
    let heads: Vec<&ImportProgress> = updates.iter().filter(|progress| progress.head.is_some()).collect();
    assert_eq!(heads.len(), 1, "told once");
    let head = heads[0].head.as_ref().unwrap();
    assert_eq!((head.len(), head[0].row.get(), head[99].row.get()), (100, 1, 100));
    assert_eq!((head[0].cells[0].as_str(), head[99].cells[4].as_str()), ("code", "row 98"));
    assert!(heads[0].of > 0 && heads[0].read * 5 < heads[0].of, "{} of {}", heads[0].read, heads[0].of);
    assert!(updates.iter().is_sorted_by_key(|progress| (progress.read, progress.rows)));
    let last = updates.last().unwrap();
    assert!(last.read * 10 > last.of * 8 && last.rows > ROWS / 2, "{last:?}");
}

#[test]
fn the_first_rows_come_before_a_fifth_is_read() {
    let fixture = Fixture::new();
    for path in [
        fixture.write_text_file("orders.csv", &plan_text()),
        fixture.write_workbook_from_text("orders.xlsx", &plan_text()),
    ] {
        let updates = RefCell::new(Vec::new());
        let watch = |progress| {
            updates.borrow_mut().push(progress);
            true
        };
        let view = fixture.imports.open_with_progress(&path, &watch).unwrap();
        assert_eq!(view.counts.rows, ROWS, "{}", path.display());
        assert_early(&updates.borrow());
    }
}

#[test]
fn reading_stops_where_nobody_wants_it_any_more() {
    let fixture = Fixture::new();
    for path in [
        fixture.write_text_file("orders.csv", &plan_text()),
        fixture.write_workbook_from_text("orders.xlsx", &plan_text()),
    ] {
        let last = RefCell::new(None);
        let watch = |progress: ImportProgress| {
            let goes_on = progress.rows < 5_000;
            *last.borrow_mut() = Some(progress);
            goes_on
        };
        let problem = fixture.imports.open_with_progress(&path, &watch).unwrap_err();
        assert_eq!(problem.code, Code::Precondition);
        assert_eq!(problem.parameters.get("obstacle").map(String::as_str), Some("reading-stopped"));
        let rows = last.borrow().as_ref().map(|progress| progress.rows).unwrap();
        assert!((5_000..10_000).contains(&rows), "{rows} rows, {}", path.display());
    }
}
