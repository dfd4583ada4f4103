//! What is written is read back as it was, and a file is whole or absent.

use std::{fs, io::Read, path::PathBuf};

use jiff::civil::datetime;
use takt_sheet::{
    CellValue, Limits, SheetError, TICKS_PER_SECOND, Workbook,
    writer::{OutCell, OutColumn, OutSheet, write_csv, write_workbook, write_workbook_dated},
};
use tempfile::TempDir;

use crate::support::at;

fn sheet() -> OutSheet {
    OutSheet {
        name: "Work orders: [week 48]".to_owned(),
        title: vec!["Plan".to_owned()],
        columns: ["Code", "Quantity", "Start", "Hours", "Active", "No"].map(OutColumn::new).to_vec(),
        rows: vec![
            vec![
                "=1+1".into(),
                1375.25.into(),
                OutCell::DateTime(datetime(2026, 11, 23, 6, 30, 0, 0)),
                OutCell::Duration(36 * 3600 * TICKS_PER_SECOND),
                OutCell::Boolean(true),
                OutCell::FormattedNumber(123.0, "00000".to_owned()),
            ],
            vec![
                "-00,7;\"x\"".into(),
                (-7.0).into(),
                OutCell::DateTime(datetime(2026, 11, 24, 0, 0, 0, 0)),
                OutCell::Empty,
            ],
            vec!["Ünï".into(), f64::INFINITY.into()],
        ],
    }
}

fn place(folder: &TempDir, name: &str) -> PathBuf {
    folder.path().join(name)
}

#[test]
fn a_workbook_comes_back_as_it_went() {
    let folder = TempDir::new().unwrap();
    let path = place(&folder, "out.xlsx");
    write_workbook(&path, &[sheet(), OutSheet::default()]).unwrap();
    let workbook = Workbook::open(&path, &Limits::default()).unwrap();
    let names: Vec<&str> = workbook.sheets().iter().map(|sheet| sheet.name.as_str()).collect();
    assert_eq!(names, ["Work orders week 48", "2"]);
    let read = workbook.read(names[0], &Limits::default(), &|| false).unwrap();
    assert_eq!(at(&read, "A1").value(), CellValue::Text("Plan"));
    assert_eq!(at(&read, "B2").value(), CellValue::Text("Quantity"));
    assert_eq!(at(&read, "A3").value(), CellValue::Text("=1+1"));
    assert_eq!(at(&read, "B3").value(), CellValue::Number(1375.25));
    assert_eq!(at(&read, "C3").value(), CellValue::DateTime(datetime(2026, 11, 23, 6, 30, 0, 0)));
    assert_eq!(at(&read, "D3").value(), CellValue::Duration(36 * 3600 * TICKS_PER_SECOND));
    assert_eq!(at(&read, "E3").value(), CellValue::Boolean(true));
    assert_eq!(at(&read, "F3").shown(), "00123");
    assert_eq!(at(&read, "A4").value(), CellValue::Text("-00,7;\"x\""));
    assert_eq!(at(&read, "C4").shown(), "2026-11-24");
    assert_eq!(at(&read, "B5").value(), CellValue::Text("inf"));
}

#[test]
fn nothing_that_is_written_is_a_formula() {
    let folder = TempDir::new().unwrap();
    let path = place(&folder, "out.xlsx");
    write_workbook(&path, &[sheet()]).unwrap();
    let mut zip = zip::ZipArchive::new(fs::File::open(&path).unwrap()).unwrap();
    let mut content = String::new();
    zip.by_name("xl/worksheets/sheet1.xml").unwrap().read_to_string(&mut content).unwrap();
    assert!(!content.contains("<f>") && !content.contains("<f "));
}

#[test]
fn the_same_content_and_date_give_the_same_bytes() {
    let folder = TempDir::new().unwrap();
    let created = datetime(2026, 11, 23, 0, 0, 0, 0);
    let write = |name| {
        write_workbook_dated(&place(&folder, name), &[sheet()], created).unwrap();
        fs::read(place(&folder, name)).unwrap()
    };
    let first = write("1.xlsx");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert_eq!(first, write("2.xlsx"));
}

#[test]
fn csv_keeps_letters_and_guards_formulas() {
    let folder = TempDir::new().unwrap();
    let path = place(&folder, "out.csv");
    write_csv(&path, &sheet()).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with('\u{FEFF}'));
    let lines: Vec<&str> = text.trim_start_matches('\u{FEFF}').split("\r\n").collect();
    assert_eq!(lines[2], "'=1+1,1375.25,2026-11-23 06:30,36:00:00,true,123");
    assert_eq!(lines[3], "\"'-00,7;\"\"x\"\"\",-7,2026-11-24,");
    let workbook = Workbook::open(&path, &Limits::default()).unwrap();
    let read = workbook.read("out", &Limits::default(), &|| false).unwrap();
    assert_eq!(at(&read, "A5").value(), CellValue::Text("Ünï"));
    assert_eq!(at(&read, "A4").value(), CellValue::Text("'-00,7;\"x\""));
}

#[test]
fn an_existing_file_is_replaced_and_nothing_is_left_behind() {
    let folder = TempDir::new().unwrap();
    let path = place(&folder, "out.xlsx");
    fs::write(&path, "old").unwrap();
    write_workbook(&path, &[sheet()]).unwrap();
    assert!(fs::read(&path).unwrap().starts_with(b"PK"));
    let missing = place(&folder, "no/such/folder/out.xlsx");
    assert!(matches!(write_workbook(&missing, &[sheet()]), Err(SheetError::WriteFailed(_))));
    let double = [sheet(), sheet()];
    assert!(matches!(write_workbook(&path, &double), Err(SheetError::WriteFailed(_))), "two sheets of one name");
    assert!(fs::read(&path).unwrap().starts_with(b"PK"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_text_longer_than_a_cell_is_cut_where_it_can_be_seen() {
    let folder = TempDir::new().unwrap();
    let path = place(&folder, "out.xlsx");
    let long = OutSheet { name: "S".to_owned(), rows: vec![vec!["🏭".repeat(20_000).into()]], ..OutSheet::default() };
    write_workbook(&path, &[long]).unwrap();
    let workbook = Workbook::open(&path, &Limits::default()).unwrap();
    let read = workbook.read("S", &Limits::default(), &|| false).unwrap();
    let shown = at(&read, "A1").shown().into_owned();
    assert!(shown.ends_with('…') && shown.encode_utf16().count() <= 32_767);
}
