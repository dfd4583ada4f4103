//! Blocks of cells: pasted and filled as one step, found by their text, and the end of the values.

use takt_core::{Code, ExcelRow};
use takt_import::{CellPlace, CellSearch, Fix, ImportView, MappingChange, RowFilter, RowSort, SheetRows};

use super::{Fixture, texts};

const ORDER_HEADINGS: [&str; 4] = ["code", "operationCode", "materialCode", "requestedQuantity"];

fn open_orders(fixture: &Fixture) -> ImportView {
    let rows = vec![
        texts(&["WO-1", "010", "MAT-1", "5"]),
        texts(&["WO-2", "010", "MAT-2", "6"]),
        texts(&["WO-3", "", "mat-2", "7"]),
        texts(&["WO-4", "020", "", "8"]),
    ];
    fixture.open("orders.xlsx", &ORDER_HEADINGS, rows)
}

fn excel_rows(numbers: &[u32]) -> Vec<ExcelRow> {
    numbers.iter().copied().map(ExcelRow::new).collect()
}

fn paste_fix(numbers: &[u32], columns: &[u32], lines: &[&[&str]]) -> Fix {
    let texts = lines.iter().map(|line| line.iter().map(|&text| text.to_owned()).collect()).collect();
    Fix::Paste { rows: excel_rows(numbers), columns: columns.to_vec(), texts }
}

fn shown_cells(fixture: &Fixture, view: &ImportView, columns: &[usize]) -> Vec<Vec<String>> {
    let page = fixture.imports.rows(view.id, &RowFilter::default(), 0, 100).unwrap();
    page.rows.iter().map(|row| columns.iter().map(|&column| row.cells[column].shown.clone()).collect()).collect()
}

#[test]
fn a_pasted_block_is_one_step_and_the_way_back_too() {
    let fixture = Fixture::new();
    let view = open_orders(&fixture);
    let before = shown_cells(&fixture, &view, &[2, 3]);
    let view = fixture.imports.fix(view.id, &paste_fix(&[3, 4], &[2, 3], &[&["MAT-8", "1,5"], &["MAT-9"]])).unwrap();
    // The shorter line leaves its cell unchanged.
    assert_eq!(shown_cells(&fixture, &view, &[2, 3])[1..3], [["MAT-8", "1,5"], ["MAT-9", "7"]]);
    assert_eq!((view.touched, view.edited), (3, 3));
    let view = fixture.imports.undo(view.id).unwrap();
    assert_eq!((shown_cells(&fixture, &view, &[2, 3]), view.edited, view.undo), (before, 0, false));
    let view = fixture.imports.redo(view.id).unwrap();
    assert_eq!(view.touched, 3);
    // One text in every cell, like clearing. Empty cells aren't changed.
    let view = fixture.imports.fix(view.id, &paste_fix(&[2, 4, 5], &[1, 2], &[&[""]])).unwrap();
    assert_eq!(shown_cells(&fixture, &view, &[1, 2]), [["", ""], ["010", "MAT-8"], ["", ""], ["", ""]]);
    assert_eq!(view.touched, 4);
}

#[test]
fn cells_are_filled_again_and_again() {
    let fixture = Fixture::new();
    let view = open_orders(&fixture);
    let fill = |from: &[u32], columns: &[u32], to: &[u32], into: &[u32]| Fix::FillBlock {
        from_rows: excel_rows(from),
        from_columns: columns.to_vec(),
        rows: excel_rows(to),
        columns: into.to_vec(),
    };
    let view = fixture.imports.fix(view.id, &fill(&[2], &[2, 3], &[3, 4, 5], &[2, 3])).unwrap();
    assert_eq!(shown_cells(&fixture, &view, &[2, 3]), vec![["MAT-1", "5"]; 4]);
    let view = fixture.imports.undo(view.id).unwrap();
    let view = fixture.imports.fix(view.id, &fill(&[2, 3], &[0], &[4, 5], &[0])).unwrap();
    assert_eq!(shown_cells(&fixture, &view, &[0]), [["WO-1"], ["WO-2"], ["WO-1"], ["WO-2"]]);
    let view = fixture.imports.fix(view.id, &fill(&[2, 3], &[1], &[2, 3], &[2, 3])).unwrap();
    assert_eq!(shown_cells(&fixture, &view, &[2, 3])[..2], vec![["010", "010"]; 2]);
}

#[test]
fn what_is_too_much_or_outside_changes_nothing() {
    let fixture = Fixture::new();
    let view = open_orders(&fixture);
    let many: Vec<u32> = (0..60_000).collect();
    let refused = fixture.imports.fix(view.id, &paste_fix(&many, &[0, 1], &[&["x"]])).unwrap_err();
    assert_eq!((refused.code, refused.parameters["case"].as_str()), (Code::InvalidInput, "cells"));
    assert_eq!(fixture.imports.fix(view.id, &paste_fix(&[2], &[0, 9], &[&["x"]])).unwrap_err().code, Code::Unknown);
    // A missing row can't be changed.
    let view = fixture.imports.fix(view.id, &paste_fix(&[2, 99], &[0], &[&["x"], &["y"]])).unwrap();
    assert_eq!((view.touched, view.edited), (1, 1));
}

#[test]
fn cells_are_found_in_the_order_of_the_rows_that_are_shown() {
    let fixture = Fixture::new();
    let view = open_orders(&fixture);
    let places = |filter: &RowFilter, text: &str| {
        let found = CellSearch::new(&fixture.imports).find_cells(view.id, filter, text).unwrap();
        assert!(!found.more);
        found.cells.iter().map(|place| (place.index, place.column)).collect::<Vec<_>>()
    };
    let all = RowFilter::default();
    assert_eq!(places(&all, "Mat-2"), [(1, 2), (2, 2)]);
    assert_eq!(places(&all, "0"), [(0, 1), (1, 1), (3, 1)]);
    assert_eq!(places(&all, ""), []);
    let turned = RowFilter { sort: Some(RowSort { column: Some(0), descending: true }), ..RowFilter::default() };
    assert_eq!(places(&turned, "mat-2"), [(1, 2), (2, 2)]);
    assert_eq!(places(&turned, "WO-4"), [(0, 0)]);
    let only = RowFilter { text: Some("MAT-2".to_owned()), ..RowFilter::default() };
    assert_eq!(places(&only, "7"), [(1, 3)]);
}

#[test]
fn rows_are_shown_in_the_workbooks_own_columns() {
    let fixture = Fixture::new();
    let headings = ["code", "operationCode", "materialCode", "requestedQuantity", "for us"];
    let rows = vec![texts(&["WO-1", "010", "MAT-1", "5", "for Ana"]), texts(&["WO-2", "010", "MAT-2", "6", ""])];
    let view = fixture.open("orders.xlsx", &headings, rows);
    let shown = SheetRows::read(&fixture.imports, view.id, &view.sheet, &[3, 9, 2].map(ExcelRow::new)).unwrap();
    let headed: Vec<_> = shown.columns.iter().map(|column| (column.letter.as_str(), column.heading.as_str())).collect();
    assert_eq!(headed, ["A", "B", "C", "D", "E"].into_iter().zip(headings).collect::<Vec<_>>());
    assert_eq!(shown.columns[0].fields, ["code"]);
    let cells = |texts: [&str; 5]| Some(texts.map(str::to_owned).to_vec());
    let expected = [cells(["WO-2", "010", "MAT-2", "6", ""]), None, cells(["WO-1", "010", "MAT-1", "5", "for Ana"])];
    assert_eq!(shown.rows, expected, "in the requested order; the sheet has no row 9");
    let joined = MappingChange::Joined { field: "note".to_owned(), columns: vec![2, 4], with: " ".to_owned() };
    fixture.imports.change_mapping(view.id, joined).unwrap();
    let shown = SheetRows::read(&fixture.imports, view.id, &view.sheet, &[]).unwrap();
    assert!(shown.columns[2].fields.contains(&"note".to_owned()), "{:?}", shown.columns);
    assert!(shown.columns[4].fields.contains(&"note".to_owned()), "{:?}", shown.columns);
    assert!(SheetRows::read(&fixture.imports, view.id, "Other", &[]).is_err());
}

#[test]
fn problems_are_visited_one_after_the_other_in_the_order_of_the_rows() {
    let fixture = Fixture::new();
    let rows = vec![
        texts(&["WO-1", "010", "MAT-1", "five"]),
        texts(&["WO-2", "010", "MAT-2", "6"]),
        texts(&["", "010", "MAT-3", "many"]),
    ];
    let view = fixture.open("orders.xlsx", &ORDER_HEADINGS, rows);
    let find = |filter: &RowFilter, from: Option<(u32, u32)>, forward| {
        let from = from.map(|(index, column)| CellPlace { index, column });
        let found = CellSearch::new(&fixture.imports).find_problem(view.id, filter, from, forward).unwrap();
        found.map(|problem| (problem.cell.index, problem.cell.column, problem.number, problem.total))
    };
    let all = RowFilter::default();
    assert_eq!(find(&all, None, true), Some((0, 3, 1, 3)));
    assert_eq!(find(&all, Some((0, 3)), true), Some((2, 0, 2, 3)));
    assert_eq!(find(&all, Some((2, 1)), true), Some((2, 3, 3, 3)), "from any cell");
    assert_eq!(find(&all, Some((2, 3)), true), Some((0, 3, 1, 3)), "the first follows the last");
    assert_eq!(find(&all, Some((0, 3)), false), Some((2, 3, 3, 3)));
    let turned = RowFilter { sort: Some(RowSort { column: Some(3), descending: true }), ..RowFilter::default() };
    assert_eq!(find(&turned, None, false).map(|(.., total)| total), Some(3));
    let only = RowFilter { text: Some("WO-2".to_owned()), ..RowFilter::default() };
    assert_eq!(find(&only, None, true), None);
}

#[test]
fn the_edge_of_the_data_is_where_excel_has_it() {
    let fixture = Fixture::new();
    let view = open_orders(&fixture);
    let edge = |index, column, down| {
        let from = CellPlace { index, column };
        CellSearch::new(&fixture.imports).find_data_edge(view.id, &RowFilter::default(), from, down).unwrap()
    };
    assert_eq!((edge(0, 0, true), edge(3, 0, false)), (3, 0), "over values to the last");
    assert_eq!((edge(0, 1, true), edge(3, 1, false)), (1, 1), "to the gap, and over it");
    assert_eq!((edge(1, 1, true), edge(2, 1, true)), (3, 3));
    assert_eq!(edge(2, 2, true), 3, "with nothing below, to the end");
    assert_eq!((edge(3, 0, true), edge(0, 0, false)), (3, 0), "at the end there is no farther");
}
