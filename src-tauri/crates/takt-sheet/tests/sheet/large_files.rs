//! Files with a hundred thousand rows.

use std::time::Instant;
#[cfg(unix)]
use std::{fs, io::Write, thread, time::Duration};

use jiff::civil::datetime;
use takt_sheet::{
    CellValue, Limits, SheetError, TICKS_PER_SECOND, Workbook,
    writer::{OutCell, OutColumn, OutSheet, write_csv, write_workbook},
};
use tempfile::TempDir;

use crate::support::cell_at;

const ROWS: u32 = 100_000;

fn large_sheet() -> OutSheet {
    let columns =
        ["Order", "Op", "Material", "Text", "Customer", "Qty", "Start", "End", "Hours", "No", "Active", "Unit"];
    let start = datetime(2026, 11, 23, 6, 0, 0, 0);
    let rows = (0..ROWS).map(|row| {
        vec![
            format!("WO-{row:06}").into(),
            format!("{:03}", row % 9 * 10).into(),
            format!("MAT-{}", 1000 + row % 5000).into(),
            format!("Housing, turned {}", row * 7).into(),
            format!("Customer {}", row % 300).into(),
            (f64::from(row) / 4.0).into(),
            OutCell::DateTime(start),
            OutCell::DateTime(start),
            OutCell::Duration(i64::from(row % 90_000) * TICKS_PER_SECOND),
            OutCell::Number(f64::from(row)),
            OutCell::Boolean(row % 2 == 0),
            "pcs".into(),
        ]
    });
    OutSheet {
        name: "S".to_owned(),
        title: Vec::new(),
        columns: columns.map(OutColumn::new).to_vec(),
        rows: rows.collect(),
    }
}

#[test]
fn a_hundred_thousand_rows_are_read() {
    let folder = TempDir::new().unwrap();
    let (excel, text) = (folder.path().join("S.xlsx"), folder.path().join("S.csv"));
    let sheet = large_sheet();
    write_workbook(&excel, std::slice::from_ref(&sheet)).unwrap();
    write_csv(&text, &sheet).unwrap();
    for path in [&excel, &text] {
        let begin = Instant::now();
        let workbook = Workbook::open(path, &Limits::default()).unwrap();
        let read = workbook.read("S", &Limits::default(), &|| false).unwrap();
        println!("{}: {:?}", path.display(), begin.elapsed());
        assert_eq!((read.rows.len(), read.cells), (100_001, 1_200_012));
        assert_eq!(cell_at(&read, "A100001").value(), CellValue::Text("WO-099999"));
        assert!(begin.elapsed().as_secs() < 60, "far slower than it may ever be");
        let asked = std::cell::Cell::new(0);
        let cancel = || {
            asked.set(asked.get() + 1);
            asked.get() > 3
        };
        assert!(matches!(workbook.read("S", &Limits::default(), &cancel), Err(SheetError::Cancelled)));
    }
}

/// A large file that is read in place gives the same as a copy. If it is written to meanwhile, reading fails.
#[cfg(unix)]
#[test]
fn a_large_file_is_read_where_it_is() {
    let folder = TempDir::new().unwrap();
    let (path, copies) = (folder.path().join("S.csv"), folder.path().join("copies"));
    fs::create_dir(&copies).unwrap();
    let rows = (0..400_000).map(|row| format!("WO-{row:06};Größe {};a text that fills the line;{row}\n", row % 90));
    fs::write(&path, rows.collect::<String>()).unwrap();
    let copied = Limits { copy_folder: Some(copies.clone()), ..Limits::default() };
    let limits = Limits { reads_in_place: true, ..copied.clone() };
    let expected = Workbook::open(&path, &copied).unwrap().read("S", &copied, &|| false).unwrap();
    // A file that was just written is copied, which computes its hash.
    let workbook = loop {
        let workbook = Workbook::open(&path, &limits).unwrap();
        if workbook.sha256().is_none() {
            break workbook;
        }
        thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(fs::read_dir(&copies).unwrap().count(), 0);
    let read = workbook.read("S", &limits, &|| false).unwrap();
    assert_eq!((read.rows.len(), read.cells, &read.doubts), (400_000, expected.cells, &expected.doubts));
    assert!(read.rows == expected.rows);
    let (mut appended, mut writes) = (fs::OpenOptions::new().append(true).open(&path).unwrap(), 0);
    let written = std::cell::RefCell::new(|| {
        writes += 1;
        appended.write_all(b"WO-400000;late;;\n").unwrap();
    });
    let refused = workbook.read_with_progress("S", &limits, &|progress| {
        if progress.head.is_some() {
            written.borrow_mut()();
        }
        true
    });
    assert!(matches!(refused, Err(SheetError::ChangedWhileRead)), "{refused:?}");
    assert_eq!(writes, 1, "before most of it was read");
    assert!(matches!(workbook.read("S", &limits, &|| false), Err(SheetError::ChangedWhileRead)));
    assert!(matches!(workbook.check_unchanged(), Err(SheetError::ChangedWhileRead)));
}
