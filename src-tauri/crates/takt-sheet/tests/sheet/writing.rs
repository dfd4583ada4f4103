//! Written files are read back unchanged. A file is complete or absent.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use jiff::civil::datetime;
use takt_sheet::{
    CellAddress, CellValue, Limits, Quotes, Separator, Sheet, SheetError, TICKS_PER_SECOND, TextChoice, Workbook,
    writer::{
        CsvStyle, OutCell, OutColumn, OutSheet, OutStream, csv_heading, csv_row, is_truncated_text, write_csv,
        write_csv_streamed, write_workbook, write_workbook_streamed, write_workbook_with_date,
    },
};
use tempfile::TempDir;

use crate::support::cell_at;

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

fn path_in(folder: &TempDir, name: &str) -> PathBuf {
    folder.path().join(name)
}

#[test]
fn a_workbook_comes_back_as_it_went() {
    let folder = TempDir::new().unwrap();
    let path = path_in(&folder, "out.xlsx");
    write_workbook(&path, &[sheet(), OutSheet::default()]).unwrap();
    let workbook = Workbook::open(&path, &Limits::default()).unwrap();
    let names: Vec<&str> = workbook.sheets().iter().map(|sheet| sheet.name.as_str()).collect();
    assert_eq!(names, ["Work orders week 48", "2"]);
    let read = workbook.read(names[0], &Limits::default(), &|| false).unwrap();
    assert_eq!(cell_at(&read, "A1").value(), CellValue::Text("Plan"));
    assert_eq!(cell_at(&read, "B2").value(), CellValue::Text("Quantity"));
    assert_eq!(cell_at(&read, "A3").value(), CellValue::Text("=1+1"));
    assert_eq!(cell_at(&read, "B3").value(), CellValue::Number(1375.25));
    assert_eq!(cell_at(&read, "C3").value(), CellValue::DateTime(datetime(2026, 11, 23, 6, 30, 0, 0)));
    assert_eq!(cell_at(&read, "D3").value(), CellValue::Duration(36 * 3600 * TICKS_PER_SECOND));
    assert_eq!(cell_at(&read, "E3").value(), CellValue::Boolean(true));
    assert_eq!(cell_at(&read, "F3").shown(), "00123");
    assert_eq!(cell_at(&read, "A4").value(), CellValue::Text("-00,7;\"x\""));
    assert_eq!(cell_at(&read, "C4").shown(), "2026-11-24");
    assert_eq!(cell_at(&read, "B5").value(), CellValue::Text("inf"));
}

#[test]
fn what_excel_has_no_value_for_is_a_text() {
    let folder = TempDir::new().unwrap();
    let path = path_in(&folder, "out.xlsx");
    let rows = vec![vec![
        OutCell::DateTime(datetime(1899, 12, 31, 0, 0, 0, 0)),
        OutCell::DateTime(datetime(1850, 6, 1, 6, 30, 0, 0)),
        OutCell::DateTime(datetime(1900, 3, 1, 0, 0, 0, 0)),
        OutCell::Duration(-90 * 60 * TICKS_PER_SECOND),
    ]];
    let columns = ["a", "b", "c", "d"].map(OutColumn::new).to_vec();
    write_workbook(&path, &[OutSheet { name: "s".to_owned(), columns, rows, ..OutSheet::default() }]).unwrap();
    let read = Workbook::open(&path, &Limits::default()).unwrap().read("s", &Limits::default(), &|| false).unwrap();
    let (first, second) = (cell_at(&read, "A2"), cell_at(&read, "B2"));
    assert!(matches!(first.value(), CellValue::Text(text) if text.starts_with("1899-12-31")), "{first:?}");
    assert!(matches!(second.value(), CellValue::Text(text) if text.starts_with("1850-06-01 06:30")), "{second:?}");
    assert_eq!(cell_at(&read, "C2").value(), CellValue::DateTime(datetime(1900, 3, 1, 0, 0, 0, 0)));
    assert_eq!(cell_at(&read, "D2").value(), CellValue::Text("-01:30:00"));
}

#[test]
fn nothing_that_is_written_is_a_formula() {
    let folder = TempDir::new().unwrap();
    let path = path_in(&folder, "out.xlsx");
    write_workbook(&path, &[sheet()]).unwrap();
    let mut zip = zip::ZipArchive::new(fs::File::open(&path).unwrap()).unwrap();
    let mut content = String::new();
    zip.by_name("xl/worksheets/sheet1.xml").unwrap().read_to_string(&mut content).unwrap();
    assert!(!content.contains("<f>") && !content.contains("<f "));
}

#[test]
fn every_heading_has_a_filter() {
    let folder = TempDir::new().unwrap();
    let path = path_in(&folder, "out.xlsx");
    let untitled = OutSheet { name: "Plain".to_owned(), title: Vec::new(), ..sheet() };
    let empty = OutSheet { name: "Empty".to_owned(), rows: Vec::new(), ..sheet() };
    write_workbook(&path, &[sheet(), untitled, empty]).unwrap();
    let streamed = path_in(&folder, "stream.xlsx");
    let stream = OutStream { name: "stream", columns: sheet().columns, rows: Box::new(sheet().rows.into_iter()) };
    write_workbook_streamed(&streamed, folder.path(), stream, None).unwrap();
    let xml = |path: &Path, number: u32| {
        let mut zip = zip::ZipArchive::new(fs::File::open(path).unwrap()).unwrap();
        let mut content = String::new();
        zip.by_name(&format!("xl/worksheets/sheet{number}.xml")).unwrap().read_to_string(&mut content).unwrap();
        let from = content.find("<autoFilter ref=\"")? + "<autoFilter ref=\"".len();
        content[from..].split('"').next().map(str::to_owned)
    };
    let last = char::from(b'A' + u8::try_from(sheet().columns.len()).unwrap() - 1);
    let rows = sheet().rows.len();
    assert_eq!(xml(&path, 1), Some(format!("A2:{last}{}", rows + 2)), "below the title");
    assert_eq!(xml(&path, 2), Some(format!("A1:{last}{}", rows + 1)));
    assert_eq!(xml(&path, 3), None, "nothing to filter");
    assert_eq!(xml(&streamed, 1), xml(&path, 2));
}

#[test]
fn the_same_content_and_date_give_the_same_bytes() {
    let folder = TempDir::new().unwrap();
    let created = datetime(2026, 11, 23, 0, 0, 0, 0);
    let write = |name| {
        write_workbook_with_date(&path_in(&folder, name), &[sheet()], created).unwrap();
        fs::read(path_in(&folder, name)).unwrap()
    };
    let first = write("1.xlsx");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert_eq!(first, write("2.xlsx"));
}

#[test]
fn csv_keeps_letters_and_guards_formulas() {
    let folder = TempDir::new().unwrap();
    let path = path_in(&folder, "out.csv");
    write_csv(&path, &sheet()).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with('\u{FEFF}'));
    let lines: Vec<&str> = text.trim_start_matches('\u{FEFF}').split("\r\n").collect();
    assert_eq!(lines[2], "'=1+1,1375.25,2026-11-23 06:30,36:00:00,true,123");
    assert_eq!(lines[3], "\"'-00,7;\"\"x\"\"\",-7,2026-11-24,");
    let workbook = Workbook::open(&path, &Limits::default()).unwrap();
    let read = workbook.read("out", &Limits::default(), &|| false).unwrap();
    assert_eq!(cell_at(&read, "A5").value(), CellValue::Text("Ünï"));
    assert_eq!(cell_at(&read, "A3").value(), CellValue::Text("=1+1"));
    assert_eq!(cell_at(&read, "A4").value(), CellValue::Text("-00,7;\"x\""));
    assert_eq!(read.doubts.apostrophes, []);
}

fn read_csv(text: &str, choice: &TextChoice) -> Sheet {
    let mut workbook = Workbook::from_bytes(text, "a.csv", &Limits::default()).unwrap();
    workbook.choose_text(choice).unwrap();
    workbook.read("a", &Limits::default(), &|| false).unwrap()
}

fn csv_text(rows: &[Vec<String>]) -> String {
    let mut text = csv_heading(["code", "name", "note"].into_iter());
    for row in rows {
        let cells: Vec<OutCell> = row.iter().map(|text| OutCell::from(text.as_str())).collect();
        text.push_str(&csv_row(&cells));
    }
    text
}

struct Random(u64);

impl Random {
    fn number_below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    /// Returns a text of parts with a meaning for csv or spreadsheets, in any order.
    fn text(&mut self) -> String {
        const PARTS: [&str; 32] = [
            "'", "=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n", "\r\n", ";", ",", "|", "\"", "\"\"",
            " ", "\u{a0}", "\u{feff}", "1", "-5", "+7", "1e5", "=> see", "Sheet", "Größe", "日本", "…", "sep=;",
            "=1+41",
        ];
        (0..self.number_below(7)).map(|_| PARTS[self.number_below(PARTS.len())]).collect()
    }

    fn rows(&mut self) -> Vec<Vec<String>> {
        (0..1 + self.number_below(12)).map(|_| (0..3).map(|_| self.text()).collect()).collect()
    }
}

/// Returns a cell's text. A cell of blanks is read as an empty one.
fn shown_text(sheet: &Sheet, row: usize, column: u32) -> String {
    let position = sheet.rows.position(u32::try_from(row).unwrap());
    let cell = position.and_then(|position| sheet.rows.cell(position, column));
    cell.map(|cell| cell.shown().into_owned()).unwrap_or_default()
}

#[test]
fn every_text_in_a_csv_comes_back_as_it_went() {
    let seed = 2027;
    println!("seed {seed}");
    let mut random = Random(seed);
    for round in 0..3_000 {
        let rows = random.rows();
        let text = csv_text(&rows);
        let sheet = read_csv(&text, &TextChoice::default());
        for (number, row) in (2..).zip(&rows) {
            for (column, text) in (0..).zip(row) {
                let expected = if text.trim().is_empty() { "" } else { text.as_str() };
                assert_eq!(shown_text(&sheet, number, column), expected, "round {round}, {rows:?}");
            }
        }
        let doubts = &sheet.doubts;
        assert!(doubts.quotes.is_empty() && doubts.apostrophes.is_empty(), "round {round}, {rows:?}");
        assert_eq!((doubts.field_counts.len(), doubts.unterminated_row), (1, None), "round {round}, {rows:?}");
    }
}

/// No character that a spreadsheet may use as the separator creates a formula.
#[test]
fn no_cell_of_a_csv_is_a_formula() {
    let seed = 2028;
    println!("seed {seed}");
    let mut random = Random(seed);
    for round in 0..2_000 {
        let text = csv_text(&random.rows());
        for separator in [',', ';', '\t'] {
            // As in spreadsheets, only a quote at the start of a cell encloses it.
            let choice = TextChoice { separator: Some(Separator::By(separator)), ..TextChoice::default() };
            let foreign = format!("{text}\nx\n");
            for row in &read_csv(&foreign, &choice).rows {
                for cell in &row.cells {
                    let shown = cell.shown();
                    let begin = shown.trim_start();
                    let is_number = begin.split(',').next().is_some_and(|number| number.parse::<f64>().is_ok());
                    let is_formula = begin.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) && !is_number;
                    assert!(!is_formula, "round {round}, {separator:?}: {shown:?} in {text:?}");
                }
            }
        }
    }
}

#[test]
fn the_values_of_a_plant_come_back_and_those_of_another_program_stay() {
    let texts = ["-Sheet", "+Pole", "=> see", "@4 bar", "'-5", ";=1+41;", "-7", "plain"];
    let rows: Vec<Vec<String>> =
        texts.iter().map(|text| vec![(*text).to_owned(), "x".to_owned(), String::new()]).collect();
    let own = csv_text(&rows);
    assert!(own.contains("'-Sheet,") && own.contains("\";'=1+41;\"") && own.contains("\r\n-7,"), "{own}");
    // The result is the same with any choice for the text.
    let choices = [
        TextChoice::default(),
        TextChoice { encoding: Some("UTF-8".to_owned()), separator: Some(Separator::By(',')), quotes: Quotes::Enclose },
    ];
    for choice in &choices {
        let sheet = read_csv(&own, choice);
        assert_eq!((2..).zip(texts).map(|(row, _)| shown_text(&sheet, row, 0)).collect::<Vec<_>>(), texts);
        let mut workbook = Workbook::from_bytes(own.clone(), "a.csv", &Limits::default()).unwrap();
        workbook.choose_text(choice).unwrap();
        assert_eq!(workbook.preview_text(choice, 3).unwrap()[1].1[0], "-Sheet");
    }
    let foreign = "\u{FEFF}code,name\r\n'-5,a\r\n'n Sync,b\r\nx,'=1\r\n";
    let sheet = read_csv(foreign, &TextChoice::default());
    assert_eq!((2..5).map(|row| shown_text(&sheet, row, 0)).collect::<Vec<_>>(), ["'-5", "'n Sync", "x"]);
    let address = |row, column| CellAddress { row, column };
    assert_eq!(sheet.doubts.apostrophes, [address(2, 0), address(4, 1)]);
}

#[test]
fn an_existing_file_is_replaced_and_nothing_is_left_behind() {
    let folder = TempDir::new().unwrap();
    let path = path_in(&folder, "out.xlsx");
    fs::write(&path, "old").unwrap();
    write_workbook(&path, &[sheet()]).unwrap();
    assert!(fs::read(&path).unwrap().starts_with(b"PK"));
    let missing = path_in(&folder, "no/such/folder/out.xlsx");
    assert!(matches!(write_workbook(&missing, &[sheet()]), Err(SheetError::WriteFailed(_))));
    let double = [sheet(), sheet()];
    assert!(matches!(write_workbook(&path, &double), Err(SheetError::WriteFailed(_))), "two sheets of one name");
    assert!(fs::read(&path).unwrap().starts_with(b"PK"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_text_longer_than_a_cell_is_cut_where_it_can_be_seen() {
    let folder = TempDir::new().unwrap();
    let path = path_in(&folder, "out.xlsx");
    let long = OutSheet { name: "S".to_owned(), rows: vec![vec!["🏭".repeat(20_000).into()]], ..OutSheet::default() };
    write_workbook(&path, &[long]).unwrap();
    let workbook = Workbook::open(&path, &Limits::default()).unwrap();
    let read = workbook.read("S", &Limits::default(), &|| false).unwrap();
    let shown = cell_at(&read, "A1").shown().into_owned();
    assert!(shown.ends_with('…') && shown.encode_utf16().count() <= 32_767);
    assert!(is_truncated_text(&shown));
    let whole =
        ["x".repeat(32_767), format!("{}…", "x".repeat(32_764)), format!("{}…", "x".repeat(32_767)), "…".to_owned()];
    assert!(whole.iter().all(|text| !is_truncated_text(text)));
    assert!(is_truncated_text(&format!("{}…", "x".repeat(32_766))));
}

#[test]
fn a_csv_with_semicolons_has_decimal_commas() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("regional.csv");
    let rows = vec![
        vec![OutCell::Text("A;1".to_owned()), OutCell::Number(1234.5), OutCell::Boolean(true)],
        vec![OutCell::Text("=1+1".to_owned()), OutCell::Number(-0.25), OutCell::Empty],
        vec![OutCell::Text("1.5 mm, flat".to_owned()), OutCell::Number(7.0), OutCell::Empty],
    ];
    let columns = ["code", "quantity", "done"].map(OutColumn::new).into();
    let sheet = OutStream { name: "rows", columns, rows: Box::new(rows.into_iter()) };
    write_csv_streamed(&path, sheet, CsvStyle::Semicolons).unwrap();
    let written = std::fs::read_to_string(&path).unwrap();
    let expected = "\u{feff}code;quantity;done\r\n\"A;1\";1234,5;true\r\n'=1+1;-0,25;\r\n1.5 mm, flat;7;\r\n";
    assert_eq!(written, expected);
}
