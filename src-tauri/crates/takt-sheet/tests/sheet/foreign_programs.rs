//! The same small sheet as another program writes it in each format. Every cell is read, or the format is refused with
//! a reason.

use jiff::civil::datetime;
use takt_sheet::{CellValue, SheetError, UnsupportedFormat};

use crate::support::{cell_at, read};

const CELL_COUNT: u64 = 20;

fn read_file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn what_sheetjs_writes_is_read_whole() {
    for name in ["sheetjs.xlsx", "sheetjs.xls", "sheetjs.5.xls", "sheetjs.ods", "sheetjs.2003.xls", "sheetjs.html.xls"]
    {
        let sheet = read(read_file(name), name).unwrap();
        assert_eq!(sheet.cells, CELL_COUNT, "{name}");
        assert_eq!(cell_at(&sheet, "A4").shown(), "WO-3", "{name}");
        // SheetJS writes no accents into the older format.
        let text = if name.contains("5.") { "_ 1" } else { "Ä 1" };
        assert_eq!(cell_at(&sheet, "E2").shown(), text, "{name}");
        if name.contains("html") {
            continue;
        }
        assert_eq!(cell_at(&sheet, "B4").value(), CellValue::Number(0.75), "{name}");
        // SheetJS writes a date into an ods as a number without a date format, so the field decides.
        let date = CellValue::DateTime(datetime(2026, 11, 23, 0, 0, 0, 0));
        let date = if name.ends_with("ods") { CellValue::Number(46_349.0) } else { date };
        assert_eq!(cell_at(&sheet, "C2").value(), date, "{name}");
        assert_eq!(cell_at(&sheet, "D3").value(), CellValue::Boolean(true), "{name}");
    }
}

#[test]
fn forms_that_would_lose_cells_or_are_too_old_are_refused_with_their_reason() {
    assert!(matches!(read(read_file("sheetjs.xlsb"), "sheetjs.xlsb"), Err(SheetError::Unsupported(_))));
    for name in ["sheetjs.2.xls", "sheetjs.3.xls", "sheetjs.4.xls"] {
        let result = read(read_file(name), name);
        assert!(
            matches!(result, Err(SheetError::UnsupportedFormat { what: UnsupportedFormat::OldExcel })),
            "{name}: {result:?}"
        );
    }
}
