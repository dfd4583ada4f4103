//! A planner's own workbook is returned unchanged, with two additional columns.

use std::{
    collections::BTreeMap,
    fs,
    io::{Cursor, Read, Write},
    path::Path,
    sync::Arc,
};

use quick_xml::{Reader, events::Event};
use rust_xlsxwriter::{Format, Formula, Workbook as Writer};
use takt_sheet::{
    CellValue, Limits, Sheet, Workbook,
    writer::{
        AnnotatedCopy, NoteColumn, OutCell, OutColumn, OutSheet, RowNote, SheetNotes, annotated_extension,
        write_annotated_copy, write_workbook,
    },
};
use tempfile::TempDir;
use zip::{ZipArchive, ZipWriter, write::SimpleFileOptions};

use crate::support::{Parts, cell_at, ods, open, pack_zip, xlsx};

fn notes(sheet: &str, header_row: Option<u32>, rows: &[(u32, &str, &str)]) -> SheetNotes {
    let column = |heading: &str| NoteColumn { heading: heading.to_owned(), width: 20.0, existing_index: None };
    SheetNotes {
        sheet: sheet.to_owned(),
        header_row,
        columns: [column("Status"), column("Reason")],
        rows: rows
            .iter()
            .map(|&(row, status, reason)| RowNote { row, texts: [Arc::from(status), Arc::from(reason)] })
            .collect(),
    }
}

fn read(path: &Path, sheet: &str) -> Sheet {
    Workbook::open(path, &Limits::default()).unwrap().read(sheet, &Limits::default(), &|| false).unwrap()
}

/// Returns every part's compressed bytes, by name.
fn parts(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).unwrap();
    (0..zip.len())
        .map(|index| {
            let mut part = zip.by_index_raw(index).unwrap();
            let mut content = Vec::new();
            part.read_to_end(&mut content).unwrap();
            (part.name().unwrap().into_owned(), content)
        })
        .collect()
}

fn text(bytes: &[u8], part: &str) -> String {
    let mut text = String::new();
    ZipArchive::new(Cursor::new(bytes)).unwrap().by_name(part).unwrap().read_to_string(&mut text).unwrap();
    text
}

/// Checks that every XML part can be read to its end.
fn assert_well_formed(bytes: &[u8]) {
    for name in parts(bytes).keys().filter(|name| name.ends_with(".xml") || name.ends_with(".rels")) {
        let xml = text(bytes, name);
        let mut reader = Reader::from_str(&xml);
        loop {
            match reader.read_event().unwrap_or_else(|error| panic!("{name}: {error}")) {
                Event::Eof => break,
                Event::Start(start) | Event::Empty(start) => {
                    assert!(start.attributes().all(|attribute| attribute.is_ok()), "{name}");
                }
                _ => {}
            }
        }
    }
}

fn file_bytes(workbook: &Workbook) -> Vec<u8> {
    let mut bytes = Vec::new();
    workbook.file_reader().read_to_end(&mut bytes).unwrap();
    bytes
}

/// Checks that the cells of `before` are unchanged.
fn assert_same_cells(before: &Sheet, after: &Sheet) {
    assert_eq!(before.rows.len(), after.rows.len());
    for (old, new) in before.rows.iter().zip(&after.rows) {
        assert_eq!(old.number, new.number);
        for column in 0..old.cells.len() {
            assert_eq!(old.cells[column], new.cells[column], "row {} column {column}", old.number);
        }
    }
}

/// Returns a workbook with the features that planners use.
fn workbook_with_features() -> Vec<u8> {
    let mut workbook = Writer::new();
    let bold = Format::new().set_bold().set_background_color("#FFCC00");
    let sheet = workbook.add_worksheet();
    sheet.set_name("Orders & more").unwrap();
    sheet.merge_range(0, 0, 0, 5, "Plan of week 48", &bold).unwrap();
    for (column, heading) in (0_u16..).zip(["Order", "Qty", "Twice", "Due"]) {
        sheet.write_string_with_format(2, column, heading, &bold).unwrap();
    }
    let date = Format::new().set_num_format("dd.mm.yyyy");
    for row in 3..13 {
        sheet.write_string(row, 0, format!("00{row}")).unwrap();
        sheet.write_number(row, 1, f64::from(row) / 4.0).unwrap();
        sheet.write_formula(row, 2, Formula::new(format!("B{}*2", row + 1)).set_result("7")).unwrap();
        sheet.write_number_with_format(row, 3, 46_349.25, &date).unwrap();
        sheet.write_blank(row, 8, &bold).unwrap();
    }
    sheet.autofilter(2, 0, 12, 3).unwrap();
    sheet.set_column_width(0, 30).unwrap();
    sheet.set_column_range_width(2, 40, 11).unwrap();
    let other = workbook.add_worksheet();
    other.set_name("Prices").unwrap().write_formula(0, 0, "='Orders & more'!B4").unwrap();
    other.set_hidden(true);
    workbook.define_name("Rate", "=Prices!$A$1").unwrap();
    workbook.save_to_buffer().unwrap()
}

/// Returns the same package with macros.
fn with_macros(bytes: &[u8]) -> Vec<u8> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..zip.len() {
        let mut part = zip.by_index(index).unwrap();
        let name = part.name().unwrap().into_owned();
        let mut content = Vec::new();
        part.read_to_end(&mut content).unwrap();
        if name == "[Content_Types].xml" {
            let types = String::from_utf8(content).unwrap();
            content = types
                .replace(
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
                    "application/vnd.ms-excel.sheet.macroEnabled.main+xml",
                )
                .into_bytes();
        }
        out.start_file(name, SimpleFileOptions::default()).unwrap();
        out.write_all(&content).unwrap();
    }
    out.start_file("xl/vbaProject.bin", SimpleFileOptions::default()).unwrap();
    out.write_all(&[0xD0, 0xCF, 0x11, 0xE0, 1, 2, 3]).unwrap();
    out.finish().unwrap().into_inner()
}

#[test]
fn nothing_but_the_sheet_changes_in_a_rich_workbook() {
    let folder = TempDir::new().unwrap();
    let original = open(with_macros(&workbook_with_features()), "plan.xlsm").unwrap();
    assert_eq!(annotated_extension(&original), "xlsm");
    let wanted = notes("Orders & more", Some(3), &[(4, "error", "B4: zero"), (5, "ready", ""), (13, "ready", "")]);
    let done = write_annotated_copy(&original, &[wanted], &[], &folder.path().join("out.xlsx")).unwrap();
    assert_eq!(done, AnnotatedCopy { path: folder.path().join("out.xlsm"), keeps_original: true });
    let bytes = fs::read(&done.path).unwrap();
    assert_well_formed(&bytes);
    let (before, after) = (parts(&file_bytes(&original)), parts(&bytes));
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    for (name, content) in &before {
        assert_eq!(content == &after[name], name != "xl/worksheets/sheet1.xml", "{name}");
    }
    let sheet = read(&done.path, "Orders & more");
    assert_same_cells(&original.read("Orders & more", &Limits::default(), &|| false).unwrap(), &sheet);
    // Merged titles above the heading and blank colored cells don't occupy columns.
    assert_eq!((cell_at(&sheet, "E3").shown(), cell_at(&sheet, "F3").shown()), ("Status".into(), "Reason".into()));
    assert_eq!((cell_at(&sheet, "E4").shown(), cell_at(&sheet, "F4").shown()), ("error".into(), "B4: zero".into()));
    let xml = text(&bytes, "xl/worksheets/sheet1.xml");
    assert!(xml.contains(r#"<autoFilter ref="A3:F13""#), "a filter that sorts takes the columns along");
    assert!(xml.contains("<f>B4*2</f>"), "formulas stay");
    let style = |cell: &str| xml.split(&format!("r=\"{cell}\" s=\"")).nth(1).map(|rest| rest[..1].to_owned());
    assert_eq!(style("E3"), style("D3"));
    assert_eq!(xml.matches("<cols>").count(), 1);
    assert!(!xml.contains(r#"<col min="5""#), "widths that the planner set for these columns stay");
}

#[test]
fn columns_from_last_time_are_replaced() {
    let folder = TempDir::new().unwrap();
    let original = open(workbook_with_features(), "plan.xlsx").unwrap();
    let first = notes("Orders & more", Some(3), &[(4, "error", "B4: zero"), (5, "error", "x"), (6, "ready", "")]);
    let once = write_annotated_copy(&original, &[first], &[], &folder.path().join("1.xlsx")).unwrap();
    let again = Workbook::open(&once.path, &Limits::default()).unwrap();
    let mut second = notes("Orders & more", Some(3), &[(4, "ready", ""), (7, "error", "y")]);
    second.columns[0].existing_index = Some(4);
    second.columns[1].existing_index = Some(5);
    let twice = write_annotated_copy(&again, &[second], &[], &folder.path().join("2.xlsx")).unwrap();
    let sheet = read(&twice.path, "Orders & more");
    let row = |number: u32| sheet.rows.get(sheet.rows.position(number).unwrap()).unwrap();
    let shown =
        |number: u32| row(number).cells.iter().skip(4).map(|cell| cell.shown().into_owned()).collect::<Vec<_>>();
    assert_eq!(shown(3), ["Status", "Reason"]);
    assert_eq!((shown(4), shown(7)), (vec!["ready".to_owned()], vec!["error".to_owned(), "y".to_owned()]));
    assert_eq!((shown(5), shown(6)), (vec![], vec![]));
    assert_same_cells(&original.read("Orders & more", &Limits::default(), &|| false).unwrap(), &sheet);
}

#[test]
fn texts_are_texts_whatever_they_say() {
    let folder = TempDir::new().unwrap();
    let original = open(
        xlsx("<row r=\"1\"><c r=\"A1\"><v>1</v></c></row><row/><row r=\"3\"><c><v>3</v></c></row>", &Parts::default()),
        "a.xlsx",
    )
    .unwrap();
    let hostile = ["=cmd|'/c calc'!A1", "<t>&amp;]]></t>", "a\u{0}\u{8}b\u{1b}[2J\u{ffff}", "_x0041_", "+1\r\n@x\t"];
    let expected = ["=cmd|'/c calc'!A1", "<t>&amp;]]></t>", "ab[2J", "_x0041_", "+1\n@x\t"];
    for (text, expected) in hostile.iter().zip(expected) {
        let wanted = notes("S", None, &[(1, text, "r"), (3, text, &"🏭".repeat(20_000))]);
        let done = write_annotated_copy(&original, &[wanted], &[], &folder.path().join("out.xlsx")).unwrap();
        assert!(done.keeps_original);
        assert_well_formed(&fs::read(&done.path).unwrap());
        let sheet = read(&done.path, "S");
        // A carriage return may become a carriage return and a line feed.
        assert_eq!(cell_at(&sheet, "B1").shown().replace("\r\n", "\n"), expected);
        assert_eq!(cell_at(&sheet, "B3").shown(), cell_at(&sheet, "B1").shown());
        assert!(cell_at(&sheet, "C3").shown().encode_utf16().count() <= 32_767);
        assert!(!self::text(&fs::read(&done.path).unwrap(), "xl/worksheets/sheet1.xml").contains("<f>"));
    }
}

#[test]
fn sheets_are_added_beside_the_planners() {
    let folder = TempDir::new().unwrap();
    let original = open(workbook_with_features(), "plan.xlsx").unwrap();
    let more = |name: &str| OutSheet {
        name: name.to_owned(),
        columns: ["Row", "Result"].map(OutColumn::new).to_vec(),
        rows: vec![vec![OutCell::Number(4.0), "=accepted".into()]],
        ..OutSheet::default()
    };
    let wanted = notes("Orders & more", Some(3), &[(4, "accepted", "")]);
    let done =
        write_annotated_copy(&original, &[wanted], &[more("prices"), more("Results")], &folder.path().join("o.xlsx"))
            .unwrap();
    assert!(done.keeps_original);
    assert_well_formed(&fs::read(&done.path).unwrap());
    let written = Workbook::open(&done.path, &Limits::default()).unwrap();
    let names: Vec<&str> = written.sheets().iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["Orders & more", "Prices", "prices (2)", "Results"]);
    let sheet = read(&done.path, "Results");
    assert_eq!(cell_at(&sheet, "A2").value(), CellValue::Number(4.0));
    assert_eq!(cell_at(&sheet, "B2").value(), CellValue::Text("=accepted"));
}

#[test]
fn prefixes_and_places_that_are_left_out_are_understood() {
    let folder = TempDir::new().unwrap();
    let sheet = r#"<?xml version="1.0"?><x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:dimension ref="A1:B3"/><x:cols><x:col min="1" max="2" width="9"/></x:cols><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>Code</x:t></x:is></x:c><x:c t="inlineStr"><x:is><x:t>Qty</x:t></x:is></x:c></x:row><x:row><x:c t="inlineStr"><x:is><x:t>A</x:t></x:is></x:c><x:c><x:v>5</x:v></x:c></x:row><x:row r="3" spans="1:2"/></x:sheetData></x:worksheet>"#;
    let bytes = pack_zip(&[
        ("[Content_Types].xml", br#"<Types><Override PartName="/w.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>"#),
        ("_rels/.rels", br#"<Relationships><Relationship Id="a" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="/xl/workbook.xml"/></Relationships>"#),
        ("xl/_rels/workbook.xml.rels", br#"<Relationships><Relationship Id="b" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="/xl/worksheets/one.xml"/></Relationships>"#),
        ("xl/workbook.xml", br#"<x:workbook xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><x:sheets><x:sheet name="S" sheetId="7" r:id="b"/></x:sheets></x:workbook>"#),
        ("xl/worksheets/one.xml", sheet.as_bytes()),
    ]);
    let original = open(bytes, "a.xlsx").unwrap();
    let wanted = notes("S", Some(1), &[(2, "ready", "")]);
    let more = OutSheet { name: "Results".to_owned(), rows: vec![vec!["x".into()]], ..OutSheet::default() };
    let done = write_annotated_copy(&original, &[wanted], &[more], &folder.path().join("out.xlsx")).unwrap();
    assert!(done.keeps_original);
    let bytes = fs::read(&done.path).unwrap();
    assert_well_formed(&bytes);
    let xml = text(&bytes, "xl/worksheets/one.xml");
    assert!(
        xml.contains(r#"<x:dimension ref="A1:D3"/>"#) && xml.contains(r#"<x:col min="3" max="3" width="20""#),
        "{xml}"
    );
    assert_eq!(cell_at(&read(&done.path, "S"), "C2").shown(), "ready");
    assert!(text(&bytes, "xl/workbook.xml").contains(r#"<x:sheet name="Results" sheetId="8" r:id="rIdTakt1"/>"#));
}

#[test]
fn a_formula_that_was_replaced_leaves_the_list_of_formulas() {
    let folder = TempDir::new().unwrap();
    let mut content = ZipArchive::new(Cursor::new(workbook_with_features())).unwrap();
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..content.len() {
        let mut part = content.by_index(index).unwrap();
        let name = part.name().unwrap().into_owned();
        let mut text = String::new();
        part.read_to_string(&mut text).unwrap();
        if name == "[Content_Types].xml" {
            text = text.replace("</Types>", r#"<Override PartName="/xl/calcChain.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.calcChain+xml"/></Types>"#);
        }
        if name == "xl/_rels/workbook.xml.rels" {
            text = text.replace("</Relationships>", r#"<Relationship Id="rId99" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/calcChain" Target="calcChain.xml"/></Relationships>"#);
        }
        out.start_file(name, SimpleFileOptions::default()).unwrap();
        out.write_all(text.as_bytes()).unwrap();
    }
    out.start_file("xl/calcChain.xml", SimpleFileOptions::default()).unwrap();
    out.write_all(br#"<calcChain xmlns="x"><c r="C4" i="1"/></calcChain>"#).unwrap();
    let original = open(out.finish().unwrap().into_inner(), "plan.xlsx").unwrap();
    let mut wanted = notes("Orders & more", Some(3), &[(4, "ready", "")]);
    let kept =
        write_annotated_copy(&original, std::slice::from_ref(&wanted), &[], &folder.path().join("1.xlsx")).unwrap();
    assert!(parts(&fs::read(kept.path).unwrap()).contains_key("xl/calcChain.xml"));
    wanted.columns[0].existing_index = Some(2);
    let done = write_annotated_copy(&original, &[wanted], &[], &folder.path().join("2.xlsx")).unwrap();
    let bytes = fs::read(&done.path).unwrap();
    assert!(!parts(&bytes).contains_key("xl/calcChain.xml"));
    assert!(!text(&bytes, "[Content_Types].xml").contains("calcChain"));
    assert!(!text(&bytes, "xl/_rels/workbook.xml.rels").contains("calcChain"));
    assert_eq!(cell_at(&read(&done.path, "Orders & more"), "C4").shown(), "ready");
}

#[test]
fn other_kinds_become_a_new_workbook_with_their_cells() {
    let folder = TempDir::new().unwrap();
    let original = open(b"Code;Qty;Due\n00123;5,5;2026-11-23\n=1+1;6;\n".to_vec(), "stock.csv").unwrap();
    let wanted = notes("stock", Some(1), &[(2, "ready", ""), (3, "error", "A3: no")]);
    let done = write_annotated_copy(&original, &[wanted], &[], &folder.path().join("out.csv")).unwrap();
    assert_eq!(done, AnnotatedCopy { path: folder.path().join("out.xlsx"), keeps_original: false });
    let sheet = read(&done.path, "stock");
    assert_eq!(cell_at(&sheet, "A2").value(), CellValue::Text("00123"));
    assert_eq!(cell_at(&sheet, "B2").value(), CellValue::Text("5,5"));
    assert_eq!(cell_at(&sheet, "A3").value(), CellValue::Text("=1+1"));
    assert_eq!((cell_at(&sheet, "D1").shown(), cell_at(&sheet, "E3").shown()), ("Status".into(), "A3: no".into()));

    let table = r#"<table:table table:name="Bestand"><table:table-row><table:table-cell office:value-type="string"><text:p>Code</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Ab</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell office:value-type="float" office:value="12.5"/><table:table-cell office:value-type="date" office:date-value="2026-11-23"/></table:table-row></table:table><table:table table:name="Zwei"><table:table-row><table:table-cell office:value-type="string"><text:p>x</text:p></table:table-cell></table:table-row></table:table>"#;
    let original = open(ods("", table), "a.ods").unwrap();
    let wanted = notes("Bestand", Some(1), &[(2, "ready", "")]);
    let done = write_annotated_copy(&original, &[wanted], &[], &folder.path().join("ods.xlsx")).unwrap();
    assert!(!done.keeps_original);
    let written = Workbook::open(&done.path, &Limits::default()).unwrap();
    for entry in original.sheets() {
        let before = original.read(&entry.name, &Limits::default(), &|| false).unwrap();
        assert_same_cells(&before, &written.read(&entry.name, &Limits::default(), &|| false).unwrap());
    }
}

#[test]
fn the_samples_come_back_whole() {
    let folder = TempDir::new().unwrap();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/data/samples");
    let mut seen = 0;
    for entry in fs::read_dir(samples).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "xlsx") {
            continue;
        }
        seen += 1;
        let original = Workbook::open(&path, &Limits::default()).unwrap();
        let name = original.sheets()[0].name.clone();
        let before = original.read(&name, &Limits::default(), &|| false).unwrap();
        let header = before.rows.number(0).unwrap();
        let rows: Vec<(u32, &str, &str)> = before.rows.iter().skip(1).map(|row| (row.number, "ready", "why")).collect();
        let done =
            write_annotated_copy(&original, &[notes(&name, Some(header), &rows)], &[], &folder.path().join("out.xlsx"))
                .unwrap();
        assert!(done.keeps_original, "{}", path.display());
        let bytes = fs::read(&done.path).unwrap();
        assert_well_formed(&bytes);
        let changed: Vec<String> = parts(&file_bytes(&original))
            .into_iter()
            .filter(|(name, old)| parts(&bytes)[name] != *old)
            .map(|(name, _)| name)
            .collect();
        assert_eq!(changed.len(), 1, "{changed:?}");
        let after = read(&done.path, &name);
        assert_same_cells(&before, &after);
        assert_eq!(after.cells, before.cells + 2 * before.rows.len() as u64);
    }
    assert!(seen > 10);
}

#[test]
fn a_hundred_thousand_rows_are_annotated() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("large.xlsx");
    let rows = (0..100_000_u32).map(|row| vec![format!("WO-{row}").into(), f64::from(row).into()]).collect();
    let sheet = OutSheet {
        name: "S".to_owned(),
        columns: ["A", "B"].map(OutColumn::new).to_vec(),
        rows,
        ..OutSheet::default()
    };
    write_workbook(&path, &[sheet]).unwrap();
    let original = Workbook::open(&path, &Limits::default()).unwrap();
    let (ready, none): (Arc<str>, Arc<str>) = (Arc::from("ready"), Arc::from(""));
    let mut wanted = notes("S", Some(1), &[]);
    wanted.rows = (2..=100_001).map(|row| RowNote { row, texts: [Arc::clone(&ready), Arc::clone(&none)] }).collect();
    let done = write_annotated_copy(&original, &[wanted], &[], &folder.path().join("out.xlsx")).unwrap();
    let sheet = read(&done.path, "S");
    assert_eq!((sheet.rows.len(), sheet.cells), (100_001, 200_002 + 100_002));
    assert_eq!(cell_at(&sheet, "C100001").shown(), "ready");
    assert!(write_annotated_copy(&original, &[notes("T", None, &[])], &[], &path).is_err(), "no such sheet");
}
