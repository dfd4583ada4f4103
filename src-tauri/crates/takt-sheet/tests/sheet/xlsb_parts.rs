//! xlsb files as different programs write them: sheets without rows, missing texts and records, dates by number format.

use jiff::civil::datetime;
use takt_sheet::{CellValue, LimitKind, Limits, SheetError};

use crate::{
    binary::{binary_cell, binary_record, wide_text, xlsb, xlsb_with},
    support::{cell_at, open, pack_zip, read},
};

const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

fn sheet_part(cells: &[Vec<u8>]) -> Vec<u8> {
    let row = binary_record(0x0000, &0_u32.to_le_bytes());
    [binary_record(0x0091, &[]), row, cells.concat(), binary_record(0x0092, &[])].concat()
}

/// Returns a workbook with sheets by name, kind and content.
fn workbook(sheets: &[(&str, &str, Vec<u8>)], texts: &[u8]) -> Vec<u8> {
    let listed = sheets.iter().enumerate().map(|(index, (name, _, _))| {
        let number = u32::try_from(index + 1).unwrap().to_le_bytes();
        binary_record(
            0x009C,
            &[vec![0; 4], number.to_vec(), wide_text(&format!("r{}", index + 1)), wide_text(name)].concat(),
        )
    });
    let list = [vec![binary_record(0x0099, &[1, 0, 0, 0])], listed.collect()].concat().concat();
    let related = |(index, (_, kind, _)): (usize, &(&str, &str, Vec<u8>))| {
        format!(r#"<Relationship Id="r{0}" Type="{kind}" Target="sheets/sheet{0}.bin"/>"#, index + 1)
    };
    let relations: String = sheets.iter().enumerate().map(related).collect();
    let relations = format!("<Relationships>{relations}</Relationships>");
    let names: Vec<String> = (1..=sheets.len()).map(|number| format!("xl/sheets/sheet{number}.bin")).collect();
    let mut parts: Vec<(&str, &[u8])> = vec![
        (
            "[Content_Types].xml",
            b"<Types><Override ContentType=\"application/vnd.ms-excel.sheet.binary.macroEnabled.main\"/></Types>",
        ),
        ("xl/_rels/workbook.bin.rels", relations.as_bytes()),
        ("xl/workbook.bin", &list),
        ("xl/sharedStrings.bin", texts),
    ];
    parts.extend(names.iter().zip(sheets).map(|(name, (_, _, content))| (name.as_str(), content.as_slice())));
    pack_zip(&parts)
}

#[test]
fn sheets_of_macros_and_charts_are_passed_over() {
    let worksheet = format!("{OFFICE}/worksheet");
    let text = |number: u32| binary_cell(0x0007, number, &number.to_le_bytes());
    let bytes = workbook(
        &[
            ("Macro1", "http://schemas.microsoft.com/office/2006/relationships/xlMacrosheet", Vec::new()),
            ("Plan", &worksheet, sheet_part(&[text(0), text(1), text(2)])),
            ("Chart", &format!("{OFFICE}/chartsheet"), Vec::new()),
            ("Plan", &worksheet, sheet_part(&[text(1)])),
        ],
        &[
            binary_record(0x0013, &[vec![0], wide_text("one")].concat()),
            binary_record(0x0013, &[vec![1], wide_text("zwölf"), vec![0; 8]].concat()),
        ]
        .concat(),
    );
    let opened = open(bytes, "a.xlsb").unwrap();
    let names: Vec<_> = opened.sheets().iter().map(|sheet| sheet.name.clone()).collect();
    assert_eq!(names, ["Plan", "Plan (2)"]);
    let sheet = |name: &str| opened.read(name, &Limits::default(), &|| false).unwrap();
    // The third text is missing.
    assert_eq!(
        ["A1", "B1", "C1"].map(|address| cell_at(&sheet("Plan"), address).shown().into_owned()),
        ["one", "zwölf", "#?"]
    );
    assert_eq!(cell_at(&sheet("Plan (2)"), "B1").shown(), "zwölf");
}

#[test]
fn a_record_that_is_too_short_is_damage() {
    for cell in [
        binary_record(0x0005, &[0; 10]),
        binary_record(0x0002, &[0; 8]),
        binary_record(0x0007, &[0; 9]),
        binary_record(0x0006, &[0; 9]),
        binary_record(0x0004, &[0; 8]),
    ] {
        let result = read(xlsb(&[cell]), "a.xlsb");
        assert!(matches!(result, Err(SheetError::Damaged(_))), "{result:?}");
    }
}

#[test]
fn number_formats_tell_dates_from_numbers() {
    let style = |id: u16| {
        binary_record(
            47,
            &[0, id, 0, 0, 0, 0, 0, 0].iter().flat_map(|half: &u16| half.to_le_bytes()).collect::<Vec<_>>(),
        )
    };
    let format = |id: u16, code: &str| binary_record(44, &[id.to_le_bytes().to_vec(), wide_text(code)].concat());
    let styles = [
        format(41, "yyyy-mm-dd"),
        format(900, "[Blue]000"),
        binary_record(617, &4_u32.to_le_bytes()),
        style(0),
        style(14),
        style(41),
        style(900),
        binary_record(618, &[]),
    ];
    let cell = |column: u32, format: u32, value: f64| {
        binary_record(
            0x0005,
            &[column.to_le_bytes().to_vec(), format.to_le_bytes().to_vec(), value.to_le_bytes().to_vec()].concat(),
        )
    };
    let sheet = read(
        xlsb_with(&styles, &[cell(0, 1, 46_349.0), cell(1, 2, 46_349.0), cell(2, 3, 50.0), cell(3, 0, 50.0)]),
        "a.xlsb",
    )
    .unwrap();
    let date = CellValue::DateTime(datetime(2026, 11, 23, 0, 0, 0, 0));
    assert_eq!([cell_at(&sheet, "A5").value(), cell_at(&sheet, "B5").value()], [date, date]);
    assert_eq!(["C5", "D5"].map(|address| cell_at(&sheet, address).shown().into_owned()), ["050", "50"]);
}

/// Cells are passed on in batches. Their values, and the records after them, are the same as in a small sheet.
#[test]
fn cells_of_many_batches_are_all_there() {
    let rows = 3_000_u32;
    let shared = |number: u32| binary_cell(0x0007, 0, &number.to_le_bytes());
    let number = |value: f64| binary_cell(0x0005, 1, &value.to_le_bytes());
    let row = |row: u32| {
        let hidden = if row % 1_000 == 7 { 0x10 } else { 0 };
        let head = [row.to_le_bytes().to_vec(), vec![0; 7], vec![hidden, 0, 0, 0, 0]].concat();
        // Each text is far from the previous one.
        let cells =
            [shared(row * 7 % rows), number(row.into()), binary_cell(0x0006, 2, &wide_text(&format!("own {row}")))];
        [binary_record(0x0000, &head), cells.concat()].concat()
    };
    let merges = (0..9_000_u32).flat_map(|at| {
        let range = [at, at, 3, 4].map(u32::to_le_bytes).concat();
        binary_record(0x00B0, &range)
    });
    let cells = [binary_record(0x0091, &[]), (0..rows).flat_map(row).collect(), binary_record(0x0092, &[])].concat();
    let part = [cells, merges.collect()].concat();
    let texts: Vec<u8> =
        (0..rows).flat_map(|at| binary_record(0x0013, &[vec![0], wide_text(&format!("text {at}"))].concat())).collect();
    let bytes = workbook(&[("Plan", &format!("{OFFICE}/worksheet"), part)], &texts);
    let sheet = open(bytes, "a.xlsb").unwrap().read("Plan", &Limits::default(), &|| false).unwrap();
    assert_eq!((sheet.rows.len(), sheet.merges.len()), (rows as usize, 9_000));
    for (at, row) in (0..rows).zip(&sheet.rows) {
        let shown: Vec<String> = row.cells.iter().map(|cell| cell.shown().into_owned()).collect();
        assert_eq!(shown, [format!("text {}", at * 7 % rows), at.to_string(), format!("own {at}")]);
        assert_eq!((row.number, row.hidden), (at + 1, at % 1_000 == 7));
    }
}

/// Reading can be canceled between records without cells, before and after the end of the cells.
#[test]
fn records_without_cells_are_left_when_nobody_wants_them() {
    let nothing = binary_record(0x0093, &[]).repeat(200_000);
    for part in [
        [binary_record(0x0091, &[]), nothing.clone(), binary_record(0x0092, &[])].concat(),
        [binary_record(0x0091, &[]), binary_record(0x0092, &[]), nothing].concat(),
    ] {
        let opened = open(workbook(&[("Plan", "", part)], &[]), "a.xlsb").unwrap();
        let asked = std::cell::Cell::new(0);
        let result = opened.read("Plan", &Limits::default(), &|| asked.replace(asked.get() + 1) > 2);
        assert!(matches!(result, Err(SheetError::Cancelled)), "{result:?} after {asked:?}");
    }
}

#[test]
fn a_text_longer_than_a_cell_may_have_is_refused() {
    let limits = Limits { text_bytes: 8, ..Limits::default() };
    for (kind, before) in [(0x0006, vec![]), (0x003E, vec![0])] {
        let cell = |text: &str| binary_cell(kind, 0, &[before.clone(), wide_text(text)].concat());
        let read = |text: &str| open(xlsb(&[cell(text)]), "a.xlsb").unwrap().read("S", &limits, &|| false);
        assert!(read("12345678").is_ok());
        let result = read("123456789");
        assert!(matches!(result, Err(SheetError::TooLarge { what: LimitKind::TextBytes, limit: 8 })), "{result:?}");
    }
}
