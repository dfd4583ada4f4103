//! xlsx files packed by hand, as report programs, old Macs and new versions of Excel write them.

use jiff::civil::datetime;
use takt_sheet::{CellKind, CellValue, FileKind, TICKS_PER_SECOND};

use crate::support::{Parts, cell_at, open, read, xlsx};

#[test]
fn every_kind_of_cell_is_typed() {
    let rows = r#"<row r="3"><c r="A3" t="s"><v>0</v></c><c r="B3"><v>1375.25</v></c><c r="C3" s="1"><v>46349.25</v></c>
        <c r="D3" s="2"><v>1.5</v></c><c r="E3" t="b"><v>1</v></c><c r="F3" t="e"><v>#REF!</v></c><c r="G3" s="3"><v>123</v></c>
        <c r="H3" s="4"><v>260001</v></c><c r="I3" s="1"><v>0.25</v></c><c r="J3"><v>12345678901234567</v></c>
        <c r="K3" t="inlineStr"><is><t>00123</t></is></c><c r="L3" t="d"><v>2026-11-23T06:00:00</v></c><c r="M3"><v>3</v></c></row>"#;
    let formats = ["yyyy-mm-dd hh:mm", "[h]:mm", "00000", "\"WO-\"000000"];
    let parts = Parts {
        shared: Some("<sst uniqueCount=\"1\"><si><t>Ä &amp; B</t></si></sst>"),
        formats: &formats,
        ..Parts::default()
    };
    let sheet = read(xlsx(rows, &parts), "a.xlsx").unwrap();
    let date = datetime(2026, 11, 23, 6, 0, 0, 0);
    let hours = |hours: i64| CellValue::Duration(hours * 3600 * TICKS_PER_SECOND);
    for (address, value, shown) in [
        ("A3", CellValue::Text("Ä & B"), "Ä & B"),
        ("B3", CellValue::Number(1375.25), "1375.25"),
        ("C3", CellValue::DateTime(date), "2026-11-23 06:00"),
        ("D3", hours(36), "36:00:00"),
        ("E3", CellValue::Boolean(true), "TRUE"),
        ("F3", CellValue::Error("#REF!"), "#REF!"),
        ("G3", CellValue::Number(123.0), "00123"),
        ("H3", CellValue::Number(260_001.0), "WO-260001"),
        ("I3", hours(6), "06:00:00"),
        ("K3", CellValue::Text("00123"), "00123"),
        ("L3", CellValue::DateTime(date), "2026-11-23 06:00"),
        ("M3", CellValue::Number(3.0), "3"),
    ] {
        assert_eq!(cell_at(&sheet, address).value(), value, "{address}");
        assert_eq!(cell_at(&sheet, address).shown(), shown, "{address}");
    }
    assert!(cell_at(&sheet, "G3").is_shown_by_format() && !cell_at(&sheet, "M3").is_shown_by_format());
    assert!(cell_at(&sheet, "J3").is_rounded() && !cell_at(&sheet, "B3").is_rounded());
    assert_eq!((sheet.rows.len(), sheet.rows.number(0).unwrap(), sheet.columns, sheet.cells), (1, 3, 13, 13));
}

#[test]
fn dates_of_an_old_mac_are_counted_from_1904() {
    let parts = Parts { properties: r#"<workbookPr date1904="1"/>"#, formats: &["yyyy-mm-dd"], ..Parts::default() };
    let sheet = read(xlsx(r#"<row r="1"><c r="A1" s="1"><v>44887.25</v></c></row>"#, &parts), "a.xlsx").unwrap();
    assert_eq!(cell_at(&sheet, "A1").value(), CellValue::DateTime(datetime(2026, 11, 23, 6, 0, 0, 0)));
}

#[test]
fn what_is_no_date_stays_a_number() {
    let rows = r#"<row r="1"><c r="A1" s="1"><v>60</v></c><c r="B1" s="1"><v>-1</v></c><c r="C1" s="1"><v>9999999</v></c>
        <c r="D1"><v>NaN</v></c></row>"#;
    let sheet = read(xlsx(rows, &Parts { formats: &["yyyy-mm-dd"], ..Parts::default() }), "a.xlsx").unwrap();
    assert_eq!(cell_at(&sheet, "A1").value(), CellValue::Number(60.0));
    assert_eq!(cell_at(&sheet, "B1").value(), CellValue::Number(-1.0));
    assert_eq!(cell_at(&sheet, "C1").value(), CellValue::Number(9_999_999.0));
    assert_eq!(cell_at(&sheet, "D1").kind(), CellKind::Error);
}

#[test]
fn a_number_under_a_format_that_shows_no_whole_date_stays_a_number() {
    // A calendar week, the year of an era and a number shown as a text don't identify a day.
    let rows = r#"<row r="1"><c r="A1" s="1"><v>46349</v></c><c r="B1" s="2"><v>46349</v></c><c r="C1" s="3"><v>46349</v></c></row>"#;
    let formats = ["\"KW\" ww", "e", "@"];
    let sheet = read(xlsx(rows, &Parts { formats: &formats, ..Parts::default() }), "a.xlsx").unwrap();
    for address in ["A1", "B1", "C1"] {
        assert_eq!(cell_at(&sheet, address).value(), CellValue::Number(46_349.0), "{address}");
    }
}

#[test]
fn formulas_that_were_never_calculated_are_marked() {
    let rows = r#"<row r="1"><c r="A1"><f>1+1</f></c><c r="B1"><f>1+1</f><v></v></c><c r="C1"><f>1+1</f><v>2</v></c>
        <c r="D1" s="1"/><c r="E1" t="str"><f>""</f><v></v></c></row><row r="2"><c r="C2"><f>A1</f></c></row>"#;
    let sheet = read(xlsx(rows, &Parts { formats: &["0.00"], ..Parts::default() }), "a.xlsx").unwrap();
    for address in ["A1", "B1", "C2"] {
        assert!(cell_at(&sheet, address).is_formula_without_value(), "{address}");
        assert!(cell_at(&sheet, address).is_empty(), "{address}");
    }
    // A formula with an empty text as its result was calculated.
    assert!(sheet.rows.get(0).unwrap().cell(4).is_none_or(|cell| !cell.is_formula_without_value()));
    assert_eq!(cell_at(&sheet, "C1").value(), CellValue::Number(2.0));
    assert_eq!(sheet.rows.iter().map(|row| row.number).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn an_error_value_of_a_newer_excel_costs_one_cell() {
    let rows = r#"<row r="1"><c r="A1"><v>1</v></c><c r="B1" t="e"><v>#SPILL!</v></c><c r="C1"><v>3</v></c></row>
        <row r="2"><c r="A2"><v>4</v></c><c r="D2" t="e"><f>X()</f><v>#CALC!</v></c></row>"#;
    let sheet = read(xlsx(rows, &Parts::default()), "a.xlsx").unwrap();
    assert_eq!(cell_at(&sheet, "B1").value(), CellValue::Error("#SPILL!"));
    assert_eq!(cell_at(&sheet, "C1").value(), CellValue::Number(3.0));
    assert_eq!(cell_at(&sheet, "A2").value(), CellValue::Number(4.0));
    assert_eq!(cell_at(&sheet, "D2").value(), CellValue::Error("#CALC!"));
}

#[test]
fn a_value_that_makes_no_sense_costs_one_cell() {
    let rows = r#"<row r="1"><c r="A1" t="s"><v>7</v></c><c r="B1" t="n"><v>1,5</v></c><c r="C1" t="x"><v>1</v></c><c r="D1" t="s"><v>0</v></c></row>
        <row r="2"><c r="A2"><v>5</v></c></row>"#;
    let parts = Parts { shared: Some("<sst uniqueCount=\"1\"><si><t>a</t></si></sst>"), ..Parts::default() };
    let sheet = read(xlsx(rows, &parts), "a.xlsx").unwrap();
    for address in ["A1", "B1", "C1"] {
        assert_eq!(cell_at(&sheet, address).value(), CellValue::Error("#?"), "{address}");
    }
    assert_eq!((cell_at(&sheet, "D1").shown().as_ref(), cell_at(&sheet, "A2").shown().as_ref()), ("a", "5"));
    let placeless = r#"<row><c t="s"><v>7</v></c><c><v>1</v></c></row>"#;
    let sheet = read(xlsx(placeless, &parts), "a.xlsx").unwrap();
    assert_eq!((cell_at(&sheet, "A1").shown().as_ref(), cell_at(&sheet, "B1").shown().as_ref()), ("#?", "1"));
}

#[test]
fn cells_without_places_or_out_of_order_are_put_right() {
    let rows = r#"<row r="5"><c r="B5"><v>5</v></c></row><row r="2"><c r="A2"><v>2</v></c></row>
        <row r="3"><c r="D3"><f>1</f></c><c r="C3"><v>7</v></c></row><row r="7"><c><v>8</v></c><c><v>9</v></c></row>"#;
    let sheet = read(xlsx(rows, &Parts::default()), "a.xlsx").unwrap();
    assert_eq!(sheet.rows.iter().map(|row| row.number).collect::<Vec<_>>(), [2, 3, 5, 7]);
    assert_eq!(cell_at(&sheet, "A2").value(), CellValue::Number(2.0));
    assert_eq!(cell_at(&sheet, "B5").value(), CellValue::Number(5.0));
    assert_eq!(cell_at(&sheet, "C3").value(), CellValue::Number(7.0));
    assert!(cell_at(&sheet, "D3").is_formula_without_value());
    assert_eq!(cell_at(&sheet, "B7").value(), CellValue::Number(9.0));
}

#[test]
fn two_corners_are_two_cells() {
    let rows = r#"<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>"#;
    let sheet = read(xlsx(rows, &Parts::default()), "a.xlsx").unwrap();
    assert_eq!(cell_at(&sheet, "XFD1048576").value(), CellValue::Number(2.0));
    assert_eq!((sheet.rows.len(), sheet.cells, sheet.columns), (2, 2, 16_384));
}

#[test]
fn a_workbook_is_what_it_holds_and_not_what_it_is_called() {
    let rows = r#"<row r="1"><c r="A1"><v>1</v></c></row>"#;
    for name in ["a.xls", "a.ods", "a.csv", "A.XLSX", "noextension"] {
        assert_eq!(open(xlsx(rows, &Parts::default()), name).unwrap().kind(), FileKind::Xlsx, "{name}");
    }
}

/// SheetJS lists the binary type even if there is no binary workbook.
#[test]
fn a_workbook_that_names_binary_ones_among_its_types_is_still_none() {
    let types = br#"<Types><Default Extension="bin" ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>"#;
    let mut parts = unpack_parts(&xlsx(r#"<row r="1"><c r="A1"><v>1</v></c></row>"#, &Parts::default()));
    parts
        .iter_mut()
        .filter(|(name, _)| name == "[Content_Types].xml")
        .for_each(|(_, content)| *content = types.to_vec());
    let parts: Vec<(&str, &[u8])> = parts.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect();
    let bytes = crate::support::pack_zip(&parts);
    assert_eq!(open(bytes.clone(), "a.xlsx").unwrap().kind(), FileKind::Xlsx);
    assert_eq!(cell_at(&read(bytes, "a.xlsx").unwrap(), "A1").value(), CellValue::Number(1.0));
}

/// Returns the names and contents of a package's parts.
fn unpack_parts(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut parts = Vec::new();
    for index in 0..zip.len() {
        let mut part = zip.by_index(index).unwrap();
        let mut content = Vec::new();
        std::io::Read::read_to_end(&mut part, &mut content).unwrap();
        parts.push((part.name().unwrap().to_string(), content));
    }
    parts
}

#[test]
fn parts_with_backslashes_and_letters_of_another_case_are_found() {
    let rows = r#"<row r="1" hidden="1"><c r="A1"><v>1</v></c></row>"#;
    let parts = unpack_parts(&xlsx(rows, &Parts::default()));
    let odd = |name: &str| name.replace('/', "\\").replace("Content_Types", "content_types");
    let parts: Vec<(String, Vec<u8>)> = parts.into_iter().map(|(name, content)| (odd(&name), content)).collect();
    let parts: Vec<(&str, &[u8])> = parts.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect();
    let sheet = read(crate::support::pack_zip(&parts), "a.xlsx").unwrap();
    assert_eq!(cell_at(&sheet, "A1").value(), CellValue::Number(1.0));
    assert!(sheet.rows.is_hidden(0));
}

#[test]
fn sheets_of_old_macros_are_passed_over() {
    let list = r#"<workbook xmlns:r="r"><sheets><sheet name="Macro1" sheetId="2" r:id="rId2"/><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
    let kind = |name: &str| format!("http://schemas.openxmlformats.org/officeDocument/2006/relationships/{name}");
    for old in ["http://schemas.microsoft.com/office/2006/relationships/xlMacrosheet", "x/xlIntlMacrosheet"] {
        let relations = format!(
            r#"<Relationships><Relationship Id="rId1" Type="{}" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="{old}" Target="macrosheets/sheet1.xml"/></Relationships>"#,
            kind("worksheet")
        );
        let sheet = r#"<worksheet><sheetData><row r="2"><c r="A2"><v>7</v></c></row></sheetData></worksheet>"#;
        let package = crate::support::pack_zip(&[
            ("[Content_Types].xml", br#"<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.ms-excel.sheet.macroEnabled.main+xml"/></Types>"#),
            ("_rels/.rels", format!(r#"<Relationships><Relationship Id="rId1" Type="{}" Target="xl/workbook.xml"/></Relationships>"#, kind("officeDocument")).as_bytes()),
            ("xl/workbook.xml", list.as_bytes()),
            ("xl/_rels/workbook.xml.rels", relations.as_bytes()),
            ("xl/macrosheets/sheet1.xml", b"<macrosheet><sheetData/></macrosheet>"),
            ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ]);
        let workbook = open(package.clone(), "a.xlsm").unwrap();
        assert_eq!(workbook.sheets().iter().map(|sheet| sheet.name.as_str()).collect::<Vec<_>>(), ["S"]);
        assert_eq!(cell_at(&read(package, "a.xlsm").unwrap(), "A2").value(), CellValue::Number(7.0));
    }
}
