//! Rows and cells that a sheet has more than once. No cell is lost without an error.

use takt_sheet::{CellValue, Sheet, SheetError};

use crate::{
    binary::{binary_cell, binary_record, number, xls, xlsb},
    support::{Parts, cell_at, read, xlsx},
};

fn repeated_address(result: Result<Sheet, SheetError>) -> (String, u32, Option<u32>) {
    match result {
        Err(SheetError::Repeated { sheet, row, column }) => (sheet, row, column),
        other => panic!("{other:?}"),
    }
}

fn xml_of_2003(rows: &str) -> Vec<u8> {
    let spreadsheet = "urn:schemas-microsoft-com:office:spreadsheet";
    format!(
        r#"<?xml version="1.0"?><Workbook xmlns="{spreadsheet}" xmlns:ss="{spreadsheet}"><Worksheet ss:Name="S"><Table>{rows}</Table></Worksheet></Workbook>"#
    )
    .into_bytes()
}

#[test]
fn a_row_that_an_xlsx_has_twice_is_an_error() {
    let first = r#"<row r="1"><c r="A1"><v>1</v></c></row>"#;
    let cell = |address: &str, value: u32| format!(r#"<c r="{address}"><v>{value}</v></c>"#);
    let row = |cells: &str| format!(r#"<row r="2">{cells}</row>"#);
    for rows in [
        // The same cell with different and equal content, different cells, and the same row much later.
        [row(&cell("A2", 1)), row(&cell("A2", 2))].concat(),
        [row(&cell("A2", 1)), row(&cell("A2", 1))].concat(),
        [row(&cell("A2", 1)), row(&cell("B2", 2))].concat(),
        [row("<c><v>1</v></c>"), row("<c><v>2</v></c>")].concat(),
        [row(&cell("A2", 1)), r#"<row r="3"><c r="A3"><v>3</v></c></row>"#.to_owned(), row(&cell("B2", 2))].concat(),
        row(&cell("A2", 1)).repeat(5_000),
        format!("{}<!-- read by the other way -->{}", row(&cell("A2", 1)), row(&cell("B2", 2))),
    ] {
        let (sheet, row, _) = repeated_address(read(xlsx(&format!("{first}{rows}"), &Parts::default()), "a.xlsx"));
        assert_eq!((sheet.as_str(), row), ("S", 2), "{rows:.200}");
    }
}

#[test]
fn a_cell_that_an_xlsx_has_twice_is_an_error_if_it_differs() {
    let row = |cells: &str| format!(r#"<row r="1"><c r="A1"><v>1</v></c></row><row r="7">{cells}</row>"#);
    let different = [
        r#"<c r="B7"><v>1</v></c><c r="B7"><v>2</v></c>"#,
        r#"<c r="B7"><v>1</v></c><c r="C7"><v>3</v></c><c r="B7" t="str"><v>1</v></c>"#,
        r#"<c r="B7" t="b"><v>1</v></c><c r="A7"><v>3</v></c><c><v>1</v></c>"#,
    ];
    for cells in different {
        let found = repeated_address(read(xlsx(&row(cells), &Parts::default()), "a.xlsx"));
        assert_eq!(found, ("S".to_owned(), 7, Some(1)), "{cells}");
    }
    for cells in
        [r#"<c r="B7"><v>1</v></c><c r="B7"><v>1</v></c>"#, r#"<c r="B7"/><c r="B7"><v>1</v></c><c r="B7" s="0"/>"#]
    {
        let sheet = read(xlsx(&row(cells), &Parts::default()), "a.xlsx").unwrap();
        assert_eq!((cell_at(&sheet, "B7").value(), sheet.cells), (CellValue::Number(1.0), 2), "{cells}");
    }
    // Two rows that claim one cell.
    let rows = r#"<row r="2"><c r="A5"><v>1</v></c></row><row r="5"><c r="A5"><v>2</v></c></row>"#;
    assert_eq!(repeated_address(read(xlsx(rows, &Parts::default()), "a.xlsx")).1, 5);
}

#[test]
fn rows_in_any_order_are_all_there() {
    let row = |number: u32| format!(r#"<row r="{number}"><c r="A{number}"><v>{number}</v></c></row>"#);
    let rows: String = (0..500_u32).map(|index| row(index * 337 % 500 + 1)).collect();
    // Repeating a row without content loses no cells.
    let rows = format!(r#"<row r="3"/>{rows}<row r="4" hidden="1"><c r="A4"/></row>"#);
    let sheet = read(xlsx(&rows, &Parts::default()), "a.xlsx").unwrap();
    assert_eq!((sheet.rows.len(), sheet.cells), (500, 500));
    for number in [1, 3, 4, 250, 500] {
        assert_eq!(cell_at(&sheet, &format!("A{number}")).value(), CellValue::Number(f64::from(number)));
    }
}

#[test]
fn what_an_xlsb_has_twice_is_an_error() {
    let row = |number: u32| binary_record(0x0000, &[&number.to_le_bytes()[..], &[0; 13]].concat());
    let cell = |column: u32, value: f64| binary_cell(0x0005, column, &value.to_le_bytes());
    for (records, expected) in [
        (vec![row(1), cell(0, 1.0), row(1), cell(0, 2.0)], (2, None)),
        (vec![row(1), cell(0, 1.0), row(1), cell(1, 2.0)], (2, None)),
        (vec![row(1), cell(0, 1.0), row(4), cell(0, 3.0), row(1), cell(0, 1.0)], (2, None)),
        (vec![row(3), cell(2, 1.0), cell(2, 2.0)], (4, Some(2))),
    ] {
        let (sheet, row, column) = repeated_address(read(xlsb(&records), "a.xlsb"));
        // The row may be detected before the cell.
        assert_eq!((sheet.as_str(), row), ("S", expected.0));
        assert!(column == expected.1 || expected.1.is_none());
    }
    let records = [row(5), cell(0, 5.0), row(1), row(1), cell(0, 1.0), cell(0, 1.0)];
    assert_eq!(read(xlsb(&records), "a.xlsb").unwrap().cells, 2);
}

#[test]
fn a_cell_that_an_xls_has_twice_is_an_error_if_it_differs() {
    // Some writers write column by column.
    let columns = [number(0, 0, 0, 1.0), number(1, 0, 0, 2.0), number(0, 1, 0, 3.0), number(1, 1, 0, 4.0)];
    assert_eq!(read(xls(&columns), "a.xls").unwrap().cells, 4);
    let twice = [columns.to_vec(), vec![number(1, 0, 0, 2.0)]].concat();
    let sheet = read(xls(&twice), "a.xls").unwrap();
    assert_eq!((sheet.rows.len(), cell_at(&sheet, "A2").value()), (2, CellValue::Number(2.0)));
    for many in [0, 30] {
        let between = (0..many).map(|index| number(20 - index % 2, index, 0, 1.0));
        let records: Vec<_> = columns.iter().cloned().chain(between).chain([number(1, 0, 0, 5.0)]).collect();
        assert_eq!(repeated_address(read(xls(&records), "a.xls")), ("S".to_owned(), 2, Some(0)), "{many}");
    }
}

#[test]
fn what_an_xml_spreadsheet_has_twice_is_an_error() {
    let cell =
        |index: u32, value: u32| format!(r#"<Cell ss:Index="{index}"><Data ss:Type="Number">{value}</Data></Cell>"#);
    let row = |index: u32, cells: &str| format!(r#"<Row ss:Index="{index}">{cells}</Row>"#);
    for (rows, expected) in [
        ([row(2, &cell(1, 1)), row(2, &cell(1, 2))].concat(), (2, None)),
        ([row(2, &cell(1, 1)), row(2, &cell(1, 1))].concat(), (2, None)),
        ([row(2, &cell(1, 1)), row(2, &cell(2, 1))].concat(), (2, None)),
        ([row(1, &cell(1, 1)), row(3, &cell(1, 1)), row(1, &cell(3, 1))].concat(), (1, None)),
        (row(4, &[cell(2, 1), cell(2, 3)].concat()), (4, Some(1))),
    ] {
        let (sheet, row, column) = repeated_address(read(xml_of_2003(&rows), "a.xls"));
        assert_eq!((sheet.as_str(), row), ("S", expected.0), "{rows}");
        assert!(column == expected.1 || expected.1.is_none(), "{rows}");
    }
    let rows = [row(5, &cell(2, 5)), row(2, &cell(1, 1)), row(2, "")].concat();
    assert_eq!(read(xml_of_2003(&rows), "a.xls").unwrap().cells, 2);
}
