//! Tests the choices about reading a file: hidden rows, header rows that group columns, totals, and the encoding.

use std::path::Path;
use takt_core::{Code, ExcelRow, Severity};

use takt_import::RowChoice;
use takt_sheet::writer::OutCell;

use super::{Fixture, read_as, text};

/// Writes an xlsx with these rows (number, hidden, texts from column A) and merged ranges.
pub(crate) fn write_xlsx(path: &Path, rows: &[(u32, bool, &[&str])], merges: &[&str]) {
    let rows: String = rows
        .iter()
        .map(|(number, hidden, cells)| {
            let cells: String = ('A'..)
                .zip(*cells)
                .filter(|(_, text)| !text.is_empty())
                .map(|(letter, text)| match text.parse::<f64>() {
                    Ok(value) => format!(r#"<c r="{letter}{number}"><v>{value}</v></c>"#),
                    Err(_) => format!(r#"<c r="{letter}{number}" t="str"><v>{text}</v></c>"#),
                })
                .collect();
            format!(r#"<row r="{number}"{}>{cells}</row>"#, if *hidden { r#" hidden="1""# } else { "" })
        })
        .collect();
    let merges: String = merges.iter().map(|range| format!(r#"<mergeCell ref="{range}"/>"#)).collect();
    let sheet = format!("<worksheet><sheetData>{rows}</sheetData><mergeCells>{merges}</mergeCells></worksheet>");
    write_package(path, &sheet);
}

fn write_package(path: &Path, sheet: &str) {
    let relation = |kind: &str, target: &str| {
        format!(
            r#"<Relationships><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}" Target="{target}"/></Relationships>"#
        )
    };
    let parts = [
        ("[Content_Types].xml", r#"<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>"#.to_owned()),
        ("_rels/.rels", relation("officeDocument", "xl/workbook.xml")),
        ("xl/_rels/workbook.xml.rels", relation("worksheet", "worksheets/sheet1.xml")),
        ("xl/workbook.xml", r#"<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Plan" sheetId="1" r:id="rId1"/></sheets></workbook>"#.to_owned()),
        ("xl/worksheets/sheet1.xml", sheet.to_owned()),
    ];
    let mut zip = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    for (name, content) in parts {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut zip, content.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
}

#[test]
fn hidden_rows_are_counted_and_can_be_left_out() {
    let fixture = Fixture::new();
    let path = fixture.file("stock.xlsx");
    let rows: [(u32, bool, &[&str]); 4] = [
        (1, false, &["Material code", "Quantity"]),
        (2, false, &["MAT-1", "5"]),
        (3, true, &["MAT-2", "6"]),
        (5, true, &["MAT-3", "x"]),
    ];
    write_xlsx(&path, &rows, &[]);
    let view = fixture.imports.open(&path).unwrap();
    let view = fixture.imports.choose_operation(view.id, "stock.sync").unwrap();
    assert_eq!((view.reading.hidden_rows, view.counts.rows), (2, 3));
    let before = fixture.finding_texts(&view);
    let matched = view.columns.clone();
    let view = fixture.imports.choose_rows(view.id, RowChoice { skip_hidden: true, keep_totals: false }).unwrap();
    assert_eq!((view.reading.hidden_rows, view.counts.rows), (2, 1));
    assert_eq!(view.operation.as_deref(), Some("stock.sync"));
    assert!(fixture.finding_texts(&view).iter().all(|found| !found.contains('5')));
    let view = fixture.imports.choose_rows(view.id, RowChoice::default()).unwrap();
    assert_eq!((view.counts.rows, fixture.finding_texts(&view)), (3, before));
    assert_eq!(view.columns, matched);
}

#[test]
fn a_heading_of_two_rows_names_each_column_by_both() {
    let fixture = Fixture::new();
    let path = fixture.file("orders.xlsx");
    let rows: [(u32, bool, &[&str]); 4] = [
        (1, false, &["Production plan"]),
        (3, false, &["Work order", "Material", "Planned", "", "Remarks"]),
        (4, false, &["", "", "begin", "end", ""]),
        (5, false, &["WO-1", "MAT-1", "2026-11-23", "2026-11-24", "x"]),
    ];
    write_xlsx(&path, &rows, &["A1:E1", "A3:A4", "B3:B4", "C3:D3", "E3:E4"]);
    let view = fixture.imports.open(&path).unwrap();
    let headings: Vec<&str> = view.columns.iter().map(|column| column.heading.as_str()).collect();
    assert_eq!(headings, ["Work order", "Material", "Planned / begin", "Planned / end", "Remarks"]);
    assert_eq!((view.header_row, view.reading.heading_rows, view.counts.rows), (Some(4), 2, 1));
    let view = fixture.imports.choose_header_rows(view.id, 1).unwrap();
    assert_eq!((view.header_row, view.reading.heading_rows), (Some(4), 1));
    assert_eq!(view.columns[2].heading, "begin");
    assert_eq!(view.columns[0].heading, "Work order", "it reaches down into the row");
    assert_eq!(fixture.imports.choose_header_rows(view.id, 4).unwrap_err().code, Code::NoHeader);
    let view = fixture.imports.choose_header_row(view.id, 4).unwrap();
    assert_eq!(view.reading.heading_rows, 2);
}

#[test]
fn a_group_without_merged_cells_is_seen_by_names_that_stand_twice() {
    let fixture = Fixture::new();
    let view = fixture.open_csv("Order;Planned;;Actual;\nCode;Begin;End;Begin;End\nWO-1;1;2;3;4\nWO-2;1;2;3;4\n");
    let headings: Vec<&str> = view.columns.iter().map(|column| column.heading.as_str()).collect();
    assert_eq!(headings, ["Order / Code", "Planned / Begin", "Planned / End", "Actual / Begin", "Actual / End"]);
    assert_eq!(view.counts.rows, 2);
}

#[test]
fn a_row_of_totals_is_told_and_not_sent_unless_it_is_wanted() {
    let fixture = Fixture::new();
    let number = OutCell::Number;
    for label in ["Total", "Summe:", "Suma total", "TOTAL GERAL"] {
        let rows =
            vec![vec![text("MAT-1"), number(5.0)], vec![text("MAT-2"), number(6.0)], vec![text(label), number(11.0)]];
        let view = fixture.open("stock.xlsx", &["Material code", "Quantity"], rows);
        let view = fixture.imports.choose_operation(view.id, "stock.sync").unwrap();
        assert_eq!((view.reading.totals_row, view.counts.rows), (Some(4), 2), "{label}");
        let findings = fixture.imports.findings(view.id).unwrap();
        let note = findings.iter().find(|finding| finding.row == ExcelRow::new(4)).unwrap();
        assert_eq!((note.severity, note.parameters["value"].as_str()), (Severity::Note, label));
        assert_eq!(fixture.imports.prepare_items(view.id).unwrap().remove(0).set.items.len(), 2);
        let view = fixture.imports.choose_rows(view.id, RowChoice { skip_hidden: false, keep_totals: true }).unwrap();
        assert_eq!((view.reading.totals_row, view.counts.rows), (Some(4), 3));
    }
    let rows = vec![vec![text("MAT-1"), number(5.0)], vec![text("Total MAT"), number(6.0)]];
    let view = fixture.open("stock.xlsx", &["Material code", "Quantity"], rows);
    assert_eq!((view.reading.totals_row, view.counts.rows), (None, 2));
    let view = fixture.open_csv("Material code;Quantity\nMAT-1;1,5\nMAT-2;2,5\nSumme;4,0\n");
    assert_eq!((view.reading.totals_row, view.counts.rows), (Some(4), 2));
}

#[test]
fn a_texts_letters_and_separator_can_be_chosen() {
    let fixture = Fixture::new();
    let path = fixture.file("stock.csv");
    std::fs::write(&path, b"Material code;St\x81ck|x\nMAT-1;5|y\n").unwrap();
    let view = fixture.imports.open(&path).unwrap();
    assert_eq!(view.reading.separator.as_deref(), Some(";"));
    assert!(view.reading.encodings.iter().any(|name| name == "cp850"));
    let view = fixture.imports.choose_text(view.id, &read_as(Some("cp850"), None)).unwrap();
    assert_eq!(view.reading.encoding.as_deref(), Some("cp850"));
    assert_eq!(view.columns[1].heading, "Stück|x");
    let view = fixture.imports.choose_text(view.id, &read_as(Some("cp850"), Some("|"))).unwrap();
    assert_eq!(view.columns[0].heading, "Material code;Stück");
    let view = fixture.imports.choose_text(view.id, &read_as(Some("cp850"), Some(""))).unwrap();
    assert_eq!((view.columns.len(), view.reading.separator.as_deref()), (1, Some("")));
    assert_eq!(fixture.imports.choose_text(view.id, &read_as(Some("klingon"), None)).unwrap_err().code, Code::Unknown);
    let view = fixture.open("stock.xlsx", &["Material code"], vec![vec![text("MAT-1")]]);
    assert_eq!((view.reading.encoding, view.reading.encodings.len()), (None, 0));
}

#[test]
fn a_workbook_keeps_its_fixes_when_a_text_reading_is_chosen() {
    let fixture = Fixture::new();
    let path = fixture.file("stock.xlsx");
    write_xlsx(&path, &[(1, false, &["Material code", "Quantity"]), (2, false, &["MAT-1", "x"])], &[]);
    let view = fixture.imports.open(&path).unwrap();
    let fix = takt_import::Fix::Set { row: ExcelRow::new(2), column: 1, text: "5".to_owned() };
    let view = fixture.imports.fix(view.id, &fix).unwrap();
    assert_eq!(view.edited, 1);
    let view = fixture.imports.choose_text(view.id, &read_as(Some("cp850"), None)).unwrap();
    assert_eq!((view.edited, view.undo), (1, true));
}
