//! Fixes of cells: their changes, undo, and repetition on the next file.

use std::time::{Duration, Instant};
use takt_core::ExcelRow;

use serde_json::{Value, json};
use takt_import::{Fix, ImportId, ImportView, MappingFile, RowFilter, RowSort, RowState};
use takt_sheet::writer::OutCell;

use super::{Fixture, text, texts};

/// The number of times that two durations are measured before one is considered longer.
const MAX_ROUNDS: u32 = 12;
const ORDER_HEADINGS: [&str; 4] = ["code", "operationCode", "materialCode", "requestedQuantity"];

fn set_fix(row: u32, column: u32, text: &str) -> Fix {
    Fix::Set { row: ExcelRow::new(row), column, text: text.to_owned() }
}

fn replace_fix(column: u32, from: &str, to: &str) -> Fix {
    Fix::Replace { column, from: from.to_owned(), to: to.to_owned() }
}

fn open_orders(fixture: &Fixture) -> ImportView {
    let rows = vec![
        texts(&["WO-1", "010", "MAT-1", "13,75"]),
        texts(&["WO-2", "010", "MAT-X", "five"]),
        texts(&["WO-3", "010", "MAT-X", "0"]),
        texts(&["WO-1", "010", "MAT-1", "7"]),
        texts(&["Extra", "", "", "20,75"]),
    ];
    fixture.open("orders.xlsx", &ORDER_HEADINGS, rows)
}

fn column_texts(fixture: &Fixture, view: &ImportView, column: usize, filter: &RowFilter) -> Vec<String> {
    let page = fixture.imports.rows(view.id, filter, 0, 1_000).unwrap();
    page.rows.iter().map(|row| row.cells[column].shown.clone()).collect()
}

#[test]
fn a_typed_text_is_read_as_the_columns_own_and_what_it_was_is_kept() {
    let fixture = Fixture::new();
    let view = open_orders(&fixture);
    let before = fixture.finding_texts(&view);
    assert_eq!(
        before,
        ["A2 duplicate-key", "D3 not-a-number", "D4 not-above", "A5 duplicate-key", "B6 required", "C6 required"]
    );
    let view = fixture.imports.fix(view.id, &set_fix(3, 3, "1,5")).unwrap();
    assert_eq!((view.edited, view.touched, view.undo, view.redo), (1, 1, true, false));
    let page = fixture.imports.rows(view.id, &RowFilter::default(), 1, 1).unwrap();
    let cell = &page.rows[0].cells[3];
    assert_eq!((cell.shown.as_str(), cell.read.as_deref(), cell.was.as_deref()), ("1,5", Some("1.5"), Some("five")));
    // The column uses decimal commas: a decimal point is a finding, and doesn't change the column's format.
    let view = fixture.imports.fix(view.id, &set_fix(4, 3, "1.5")).unwrap();
    assert_eq!(
        fixture.finding_texts(&view),
        ["A2 duplicate-key", "D4 not-a-number", "A5 duplicate-key", "B6 required", "C6 required"]
    );
    let view = fixture.imports.fix(view.id, &set_fix(5, 0, "WO-4")).unwrap();
    let view = fixture.imports.fix(view.id, &set_fix(4, 3, "")).unwrap();
    assert_eq!(fixture.finding_texts(&view), ["D4 required", "B6 required", "C6 required"]);
    assert_eq!(view.counts.ready_rows, 3);
    // A text that changes nothing isn't a step, and the file's own text restores the original cell.
    let same = fixture.imports.fix(view.id, &set_fix(4, 3, "")).unwrap();
    assert_eq!((same.touched, same.edited), (0, 3));
    let back = fixture.imports.fix(view.id, &set_fix(4, 3, "0")).unwrap();
    assert_eq!(back.edited, 2);
    assert!(fixture.imports.fix(view.id, &set_fix(4, 99, "x")).is_err());
}

#[test]
fn fixes_are_taken_back_and_done_again_in_their_order() {
    let fixture = Fixture::new();
    let view = open_orders(&fixture);
    let id = view.id;
    let mut seen = vec![check_results(&fixture, id)];
    let fixes = [
        replace_fix(2, "MAT-X", "MAT-1"),
        set_fix(3, 3, "5"),
        Fix::Fill { column: 3, from: ExcelRow::new(3), to: vec![ExcelRow::new(4), ExcelRow::new(5)] },
        Fix::Exclude { rows: vec![ExcelRow::new(6), ExcelRow::new(5)] },
        replace_fix(2, "MAT-1", "MAT-2"),
        Fix::Include { rows: vec![ExcelRow::new(5)] },
    ];
    for fix in &fixes {
        fixture.imports.fix(id, fix).unwrap();
        seen.push(check_results(&fixture, id));
    }
    let view = fixture.imports.view(id).unwrap();
    assert_eq!((view.counts.excluded, view.counts.rows), (1, 5));
    for before in seen.iter().rev().skip(1) {
        assert!(fixture.imports.undo(id).unwrap().undo || before == &seen[0]);
        assert_eq!(&check_results(&fixture, id), before);
    }
    assert_eq!(fixture.imports.undo(id).unwrap().touched, 0, "there is nothing left to take back");
    for after in seen.iter().skip(1) {
        fixture.imports.redo(id).unwrap();
        assert_eq!(&check_results(&fixture, id), after);
    }
    fixture.imports.undo(id).unwrap();
    let view = fixture.imports.fix(id, &set_fix(2, 3, "1")).unwrap();
    assert!(!view.redo, "another way was taken");
}

#[test]
fn excluded_rows_prove_nothing_and_are_counted_as_skipped() {
    let fixture = Fixture::new();
    let view = open_orders(&fixture);
    let view = fixture.imports.fix(view.id, &Fix::Exclude { rows: vec![ExcelRow::new(6), ExcelRow::new(5)] }).unwrap();
    assert_eq!(fixture.finding_texts(&view), ["D3 not-a-number", "D4 not-above"]);
    assert_eq!((view.counts.items, view.counts.excluded, view.counts.ready_rows, view.counts.error_rows), (3, 2, 1, 2));
    let items = fixture.imports.prepare_items(view.id).unwrap().remove(0).set.items;
    let skipped: Vec<u32> = items.iter().filter(|item| item.skipped).map(|item| item.rows[0].row.get()).collect();
    assert_eq!((items.len(), skipped, items.iter().filter(|item| item.blocked).count()), (5, vec![5, 6], 2));
    let only = |state| RowFilter { state: Some(state), ..RowFilter::default() };
    assert_eq!(column_texts(&fixture, &view, 0, &only(RowState::Excluded)), ["WO-1", "Extra"]);
    let view = fixture.imports.fix(view.id, &replace_fix(2, "MAT-X", "MAT-9")).unwrap();
    assert_eq!(column_texts(&fixture, &view, 0, &only(RowState::Edited)), ["WO-2", "WO-3"]);
}

#[test]
fn rows_are_sorted_by_value_and_stay_in_place_while_they_are_fixed() {
    let fixture = Fixture::new();
    let view = open_orders(&fixture);
    let by = |column, descending| RowFilter {
        sort: Some(RowSort { column: Some(column), descending }),
        ..RowFilter::default()
    };
    assert_eq!(column_texts(&fixture, &view, 3, &by(3, false)), ["0", "7", "13,75", "20,75", "five"]);
    assert_eq!(column_texts(&fixture, &view, 3, &by(3, true)), ["five", "20,75", "13,75", "7", "0"]);
    assert_eq!(column_texts(&fixture, &view, 2, &by(2, true)), ["MAT-X", "MAT-X", "MAT-1", "MAT-1", ""]);
    let filter = by(3, false);
    assert_eq!(column_texts(&fixture, &view, 3, &filter)[0], "0");
    let view = fixture.imports.fix(view.id, &set_fix(4, 3, "99")).unwrap();
    assert_eq!(column_texts(&fixture, &view, 3, &filter)[0], "99", "the row doesn't jump away");
    let anew = RowFilter { round: 1, ..filter };
    assert_eq!(column_texts(&fixture, &view, 3, &anew), ["7", "13,75", "20,75", "99", "five"]);
}

#[test]
fn near_values_are_offered_where_a_field_takes_only_some() {
    let fixture = Fixture::new();
    let view = fixture.open(
        "m.xlsx",
        &["code", "description", "isActive"],
        vec![texts(&["M-1", "x", "flase"]), texts(&["M-2", "x", "flase"])],
    );
    let view = fixture.imports.choose_operation(view.id, "materials.sync").unwrap();
    assert_eq!(fixture.finding_texts(&view), ["C2 not-a-boolean", "C3 not-a-boolean"]);
    let none: &dyn Fn(&str, &str) -> Vec<String> = &|_, _| Vec::new();
    let help = fixture.imports.cell_help(view.id, 2, 2, none).unwrap();
    assert_eq!((help.alike, help.suggestions), (2, vec!["false".to_owned(), "true".to_owned()]));
    assert_eq!(fixture.imports.cell_help(view.id, 2, 1, none).unwrap().suggestions, [""; 0], "nothing is wrong there");
    let known: &dyn Fn(&str, &str) -> Vec<String> = &|field, text| vec![format!("{field} {text}")];
    assert_eq!(fixture.imports.cell_help(view.id, 3, 2, known).unwrap().suggestions[2], "isActive flase");
    let view = fixture.imports.fix(view.id, &replace_fix(2, "flase", "false")).unwrap();
    assert_eq!((view.touched, view.counts.ready_rows), (2, 2));
}

#[test]
fn what_was_replaced_and_left_out_is_done_again_next_week() {
    let fixture = Fixture::new();
    let view = open_orders(&fixture);
    fixture.imports.fix(view.id, &replace_fix(2, "MAT-X", "MAT-2")).unwrap();
    let head = |view: &ImportView| view.head.iter().map(|row| row.cells.clone()).collect::<Vec<_>>();
    let fixed = fixture.imports.fix(view.id, &set_fix(3, 3, "5")).unwrap();
    assert_eq!(head(&fixed), head(&view), "the file's own rows are shown for choosing the headings");
    // A value that is missing in another file may be another one.
    fixture.imports.fix(view.id, &replace_fix(2, "", "MAT-1")).unwrap();
    fixture.imports.fix(view.id, &Fix::Exclude { rows: vec![ExcelRow::new(6), ExcelRow::new(5)] }).unwrap();
    let mapping = fixture.imports.mapping(view.id).unwrap().sheets.remove(0);
    // One row of WO-1 remains, so its key isn't a rule for excluding rows.
    assert_eq!(
        serde_json::to_value(&mapping).unwrap()["replacements"],
        json!([{ "heading": "materialCode", "from": "MAT-X", "to": "MAT-2" }])
    );
    assert_eq!(mapping.excluded, ["Extra"]);
    fixture.imports.prepare_items(view.id).unwrap();

    let rows = vec![
        texts(&["WO-9", "010", "MAT-X", "3"]),
        texts(&["Extra", "", "", "3"]),
        texts(&["WO-1", "010", "MAT-1", "1"]),
    ];
    let next = fixture.open("next.xlsx", &ORDER_HEADINGS, rows);
    assert_eq!((next.replayed, next.edited, next.counts.excluded, next.counts.ready_rows), (2, 1, 1, 2));
    assert_eq!(column_texts(&fixture, &next, 2, &RowFilter::default()), ["MAT-2", "", "MAT-1"]);
    let undone = fixture.imports.undo(next.id).unwrap();
    assert_eq!((undone.replayed, undone.edited, undone.counts.excluded), (0, 0, 0));
    let again = fixture.imports.choose_operation(next.id, "work-orders.sync").unwrap();
    assert_eq!(again.replayed, 0, "what was taken back stays so");
    let empty = fixture.imports.mapping(next.id).unwrap().sheets.remove(0);
    assert_eq!((empty.replacements, empty.excluded), (vec![], vec![]));

    let third = fixture.open("third.xlsx", &ORDER_HEADINGS, vec![texts(&["WO-8", "010", "MAT-1", "3"])]);
    assert_eq!((third.replayed, third.undo), (0, false));
    assert_eq!(
        fixture.imports.mapping(third.id).unwrap().sheets.remove(0).excluded,
        ["Extra"],
        "kept for a file that has use for it"
    );
    let read: MappingFile = serde_json::from_value(serde_json::to_value(&mapping).unwrap()).unwrap();
    assert_eq!(read, mapping);
}

/// Returns all results of a check, to compare two ways of checking.
fn check_results(fixture: &Fixture, id: ImportId) -> Value {
    let view = fixture.imports.view(id).unwrap();
    let page =
        fixture.imports.rows(id, &RowFilter { round: next_random(&mut 7), ..RowFilter::default() }, 0, 1_000).unwrap();
    let items =
        fixture.imports.prepare_items(id).map(|mut steps| serde_json::to_value(steps.remove(0).set.items).unwrap());
    json!({
        "counts": view.counts, "facets": view.facets, "edited": view.edited,
        "findings": fixture.imports.findings(id).unwrap(), "rows": page, "items": items.unwrap(),
    })
}

fn next_random(state: &mut u32) -> u32 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    *state >> 8
}

#[test]
fn what_is_checked_again_after_a_fix_is_what_a_full_check_finds() {
    let headings = [
        "code",
        "operationCode",
        "materialCode",
        "requestedQuantity",
        "beginPlanned",
        "rawMaterials.code",
        "rawMaterials.quantity",
    ];
    let codes = ["WO-1", "WO-2", "WO-3", ""];
    let values = ["1", "1,5", "1.5", "1,500", "", "x", "01/02/2026", "31/01/2026", "01/31/2026", "MAT-1"];
    for seed in 1..=12_u32 {
        let mut random_state = seed;
        let fixture = Fixture::new();
        let width = if seed % 2 == 0 { 5 } else { 7 };
        let rows: Vec<Vec<OutCell>> = (0..40)
            .map(|row| {
                let mut cells =
                    vec![text(&format!("WO-{}", row / 2)), text("010"), text("MAT-1"), text("5"), text("01/02/2026")];
                cells.extend([text("RAW-1"), text(values[next_random(&mut random_state) as usize % 3])]);
                cells.truncate(width);
                cells
            })
            .collect();
        let id = fixture.open("random.xlsx", &headings[..width], rows).id;
        for step in 0..40 {
            let mut of = |most: usize| next_random(&mut random_state) as usize % most;
            let row = 2 + u32::try_from(of(40)).unwrap();
            let at = of(width);
            let column = u32::try_from(at).unwrap();
            let value = if at == 0 { codes[of(codes.len())] } else { values[of(values.len())] };
            match of(8) {
                0 => fixture.imports.fix(id, &Fix::Exclude { rows: vec![ExcelRow::new(row), ExcelRow::new(row + 1)] }),
                1 => fixture.imports.fix(id, &Fix::Include { rows: vec![ExcelRow::new(row)] }),
                2 => fixture.imports.fix(
                    id,
                    &Fix::Fill {
                        column,
                        from: ExcelRow::new(row),
                        to: vec![ExcelRow::new(row + 1), ExcelRow::new(row + 3)],
                    },
                ),
                3 => fixture.imports.fix(id, &replace_fix(column, values[of(values.len())], value)),
                4 => fixture.imports.undo(id),
                5 => fixture.imports.redo(id),
                _ => fixture.imports.fix(id, &set_fix(row, column, value)),
            }
            .unwrap();
            let part = check_results(&fixture, id);
            fixture.imports.match_column(id, 1, Some("operationCode")).unwrap();
            assert_eq!(part, check_results(&fixture, id), "seed {seed}, step {step}");
        }
    }
}

#[test]
fn a_fix_among_a_hundred_thousand_rows_is_there_at_once() {
    const ROWS: u32 = 100_000;
    let fixture = Fixture::new();
    let mut file = String::from("code;operationCode;materialCode;requestedQuantity;beginPlanned;note\n");
    for row in 0..ROWS {
        let number = row.wrapping_mul(7_919) % ROWS;
        file.push_str(&format!(
            "WO-{number};010;MAT-1001;{},5;2026-11-{:02} 08:00;row {row}\n",
            number % 977 + 1,
            number % 28 + 1
        ));
    }
    let view = fixture.open_csv(&file);
    assert_eq!(view.counts.ready_rows, ROWS);
    let timed = |work: &dyn Fn()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    let fix_and_undo = |fix: Fix| {
        fixture.imports.fix(view.id, &fix).unwrap();
        fixture.imports.undo(view.id).unwrap();
    };
    let whole = || drop(fixture.imports.match_column(view.id, 5, None).unwrap());
    let fixes: [(&str, &dyn Fn()); 3] = [
        ("a quantity set, and back", &|| fix_and_undo(set_fix(50_000, 3, "5,25"))),
        ("a key set, and back", &|| fix_and_undo(set_fix(50_000, 0, "WO-1"))),
        ("a row excluded, and back", &|| fix_and_undo(Fix::Exclude { rows: vec![ExcelRow::new(50_000)] })),
    ];
    // Compares the best times, because other work may run on the computer. Fixes must be faster than a full check.
    let (mut full, mut best) = (Duration::MAX, [Duration::MAX; 3]);
    for _ in 0..MAX_ROUNDS {
        full = full.min(timed(&whole));
        for (best, (_, work)) in best.iter_mut().zip(&fixes) {
            *best = timed(*work).min(*best);
        }
        if best.iter().all(|two| *two < full) {
            break;
        }
    }
    for (best, (what, _)) in best.iter().zip(&fixes) {
        assert!(*best < full, "{what}: {best:?} against {full:?} for all rows");
    }
    for column in [0, 3, 4, 5] {
        let sort = Some(RowSort { column: Some(column), descending: true });
        fixture.imports.rows(view.id, &RowFilter { sort, ..RowFilter::default() }, 0, 100).unwrap();
    }
}
