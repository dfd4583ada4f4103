//! xlsx files with elements of extensions that have the same names as the format's own elements.

use jiff::civil::datetime;
use takt_sheet::CellValue;

use crate::support::{Parts, cell_at, pack_zip, read, xlsx};

const SHEET: &str = r#"<row r="1"><c r="A1" s="1"><v>40000</v></c></row>"#;
const EXTENSIONS: &str = r#"xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main" xmlns:x15="http://schemas.microsoft.com/office/spreadsheetml/2010/11/main""#;
const COMPATIBILITY: &str = r#"xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006""#;

/// Returns an xlsx with one sheet, `S`, that consists of these parts.
fn workbook(workbook: &str, styles: &str, sheet: &str, shared: &str) -> Vec<u8> {
    const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let relation = |id: &str, kind: &str, target: &str| {
        format!(r#"<Relationship Id="{id}" Type="{OFFICE}/{kind}" Target="{target}"/>"#)
    };
    let root = format!("<Relationships>{}</Relationships>", relation("r1", "officeDocument", "xl/workbook.xml"));
    let relations = format!(
        r#"<Relationships><x:Note xmlns:x="urn:x" Id="r1" Type="{OFFICE}/styles" Target="nowhere.xml"/>{}{}{}</Relationships>"#,
        relation("r1", "worksheet", "worksheets/sheet1.xml"),
        relation("r2", "styles", "styles.xml"),
        relation("r3", "sharedStrings", "sharedStrings.xml"),
    );
    pack_zip(&[
        ("[Content_Types].xml", br#"<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>"#),
        ("_rels/.rels", root.as_bytes()),
        ("xl/_rels/workbook.xml.rels", relations.as_bytes()),
        ("xl/workbook.xml", workbook.as_bytes()),
        ("xl/styles.xml", styles.as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ("xl/sharedStrings.xml", shared.as_bytes()),
    ])
}

#[test]
fn workbook_properties_of_extensions_leave_the_epoch_alone() {
    let (in_1904, in_1900) = (datetime(2013, 7, 7, 0, 0, 0, 0), datetime(2009, 7, 6, 0, 0, 0, 0));
    let own = r#"<workbookPr date1904="1"/>"#;
    for (properties, expected) in [
        (own.to_owned(), in_1904),
        (String::new(), in_1900),
        (
            format!(
                "{own}<extLst {EXTENSIONS}><ext><x14:workbookPr/></ext><ext><x15:workbookPr chartTrackingRefBase=\"1\"/></ext></extLst>"
            ),
            in_1904,
        ),
        (format!("{own}<x15:workbookPr {EXTENSIONS} date1904=\"0\"/>"), in_1904),
        (format!("<x15:workbookPr {EXTENSIONS} date1904=\"1\"/>{own}"), in_1904),
        (format!("<workbookPr/><x15:workbookPr {EXTENSIONS} date1904=\"1\"/>"), in_1900),
        (format!("<workbookPr {EXTENSIONS} x15:date1904=\"1\"/>"), in_1900),
        (format!("{own}<workbookPr xmlns=\"urn:other\"/>"), in_1904),
        (format!("{own}<extLst><ext><workbookPr/></ext></extLst>"), in_1904),
        (
            format!(
                "{own}<mc:AlternateContent {COMPATIBILITY}><mc:Choice Requires=\"x15\"><workbookPr date1904=\"0\"/></mc:Choice></mc:AlternateContent>"
            ),
            in_1904,
        ),
    ] {
        let parts = Parts { properties: &properties, formats: &["yyyy-mm-dd"], ..Parts::default() };
        let sheet = read(xlsx(SHEET, &parts), "a.xlsx").unwrap();
        assert_eq!(cell_at(&sheet, "A1").value(), CellValue::DateTime(expected), "{properties}");
    }
}

#[test]
fn elements_of_extensions_are_no_cells_texts_or_formats() {
    let main = r#"xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main""#;
    let book = format!(
        r#"<workbook {main} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" {EXTENSIONS}><sheets><x15:sheet name="X" r:id="r9"/><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>"#
    );
    let styles = format!(
        r#"<styleSheet {main} {EXTENSIONS} {COMPATIBILITY}><numFmts><mc:AlternateContent><mc:Choice Requires="x16"><numFmt numFmtId="164" formatCode="0"/></mc:Choice>
            <mc:Fallback><numFmt numFmtId="164" formatCode="00000"/></mc:Fallback></mc:AlternateContent><x14:numFmt numFmtId="164" formatCode="0"/></numFmts>
            <x14:cellXfs><x14:xf numFmtId="14"/></x14:cellXfs><cellXfs><x14:xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>"#
    );
    let sheet = format!(
        r#"<worksheet {main} {EXTENSIONS}><sheetData><x14:row r="9"><c r="A9"><v>9</v></c></x14:row><row r="1"><c r="A1"><v>7</v><x14:v>8</x14:v></c>
            <c r="B1" t="s"><v>0</v></c><x14:c r="C1"><v>9</v></x14:c><c r="D1" t="inlineStr"><is><t>own</t><x14:t>other</x14:t></is></c></row>
            <row r="2"><c r="A2" xmlns="urn:other"><v>9</v></c><c r="B2"><v>5</v><extLst><ext><v>6</v></ext></extLst></c></row>
            <row r="3" xmlns="urn:other"><c r="A3"><v>9</v></c></row></sheetData>
            <extLst><ext><sheetData><row r="4"><c r="A4"><v>9</v></c></row></sheetData></ext></extLst></worksheet>"#
    );
    let shared = format!(
        r#"<sst {main} {EXTENSIONS}><x14:si><t>other</t></x14:si><si><t>漢字</t><x14:t>x</x14:t><rPh sb="0" eb="2"><t>かんじ</t></rPh><phoneticPr fontId="1"/></si></sst>"#
    );
    let found = read(workbook(&book, &styles, &sheet, &shared), "a.xlsx").unwrap();
    let texts: Vec<(u32, Vec<String>)> = found
        .rows
        .iter()
        .map(|row| (row.number, row.cells.iter().map(|cell| cell.shown().into_owned()).collect()))
        .collect();
    let text = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    assert_eq!(texts, [(1, text(&["00007", "漢字", "", "own"])), (2, text(&["", "00005"]))]);
}

#[test]
fn elements_may_have_a_prefix() {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let book = format!(
        r#"<x:workbook xmlns:x="{main}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><x:workbookPr date1904="true"/><x:sheets><x:sheet name="S" sheetId="1" r:id="r1"/></x:sheets></x:workbook>"#
    );
    let styles =
        format!(r#"<x:styleSheet xmlns:x="{main}"><x:cellXfs><x:xf numFmtId="14"/></x:cellXfs></x:styleSheet>"#);
    let rows = r#"<x:row r="1"><x:c r="A1"><x:v>40000</x:v></x:c><x:c r="B1" t="s"><x:v>0</x:v></x:c></x:row><row r="2"><c r="A2"><v>1</v></c></row>"#;
    let sheet = format!(r#"<x:worksheet xmlns:x="{main}"><x:sheetData>{rows}</x:sheetData></x:worksheet>"#);
    let shared = format!(r#"<x:sst xmlns:x="{main}"><x:si><x:t>a</x:t></x:si></x:sst>"#);
    let found = read(workbook(&book, &styles, &sheet, &shared), "a.xlsx").unwrap();
    assert_eq!(cell_at(&found, "A1").value(), CellValue::DateTime(datetime(2013, 7, 7, 0, 0, 0, 0)));
    assert_eq!((cell_at(&found, "B1").shown().as_ref(), found.cells), ("a", 2));
}

#[test]
fn attributes_of_other_namespaces_are_no_places_kinds_or_parts() {
    let main = r#"xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main""#;
    let book = |sheet: &str| {
        format!(
            r#"<workbook {main} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" {EXTENSIONS}><sheets><sheet {sheet}/></sheets></workbook>"#
        )
    };
    let styles = format!(r#"<styleSheet {main}><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>"#);
    let sheet = format!(
        r#"<worksheet {main} {EXTENSIONS}><sheetData><row x14:r="7" x14:hidden="1" r="1"><c x14:r="C9" x14:t="s" x14:s="1" r="A1"><v>40000</v></c></row></sheetData></worksheet>"#
    );
    for listed in
        [r#"name="S" x14:name="X" x14:state="hidden" x14:id="r9" r:id="r1""#, r#"x14:id="r2" name="S" r:id="r1""#]
    {
        let found = read(workbook(&book(listed), &styles, &sheet, "<sst/>"), "a.xlsx").unwrap();
        assert_eq!((found.name.as_str(), found.rows.len(), found.rows.is_hidden(0)), ("S", 1, false));
        assert_eq!(cell_at(&found, "A1").value(), CellValue::Number(40000.0));
    }
}
