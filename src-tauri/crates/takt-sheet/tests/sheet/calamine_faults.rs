//! Values that calamine misreads without an error. Takt reads them correctly.
//!
//! A case fails once a release of calamine reads it correctly. Then its rule in `xlsx/gate.rs` and
//! `docs/internals/readers.md` can be removed.

use std::io::Cursor;

use calamine::{Data, Reader, Xlsx};
use takt_sheet::CellValue;

use crate::support::{Parts, cell_at, pack_zip, read, xlsx};

/// Returns the value that calamine reads in A1 of a sheet.
fn read_with_calamine(bytes: &[u8], sheet: &str) -> Data {
    let mut workbook: Xlsx<_> = Xlsx::new(Cursor::new(bytes.to_vec())).unwrap();
    let range = workbook.worksheet_range(sheet).unwrap();
    range.get_value((0, 0)).cloned().unwrap_or_default()
}

#[test]
fn cells_that_calamine_reads_as_another_value_are_read_as_they_are_meant() {
    let shared = r#"<sst xmlns:o="other"><si><t>first</t></si><si xml:space="preserve"><t> second </t></si></sst>"#;
    let text = |text: &str| Data::String(text.to_owned());
    for (cells, meant, wrong) in [
        (r#"<c r="A1"><v>1<![CDATA[2]]></v></c>"#, CellValue::Number(12.0), Data::Float(1.0)),
        (r#"<c r="A1"><v>1<!-- a comment -->2</v></c>"#, CellValue::Number(12.0), Data::Float(1.0)),
        (r#"<c r="A1"><v>12&#51;</v></c>"#, CellValue::Number(123.0), Data::Float(12.0)),
        (r#"<c r="A1" t="s"><v> 1</v></c>"#, CellValue::Text(" second "), text("first")),
        (r#"<c r="A1" t="s"><v>1</v></c>"#, CellValue::Text(" second "), text("second")),
        (r#"<c r="A1"><v>7</v><f>B1</f></c>"#, CellValue::Number(7.0), Data::Empty),
        (
            r#"<c r="A1"><v>7</v></c><o:c xmlns:o="other" r="A1"><o:v>8</o:v></o:c>"#,
            CellValue::Number(7.0),
            Data::Float(8.0),
        ),
    ] {
        let rows = format!(r#"<row r="1">{cells}</row>"#);
        let bytes = xlsx(&rows, &Parts { shared: Some(shared), ..Parts::default() });
        assert_eq!(cell_at(&read(bytes.clone(), "a.xlsx").unwrap(), "A1").value(), meant, "{cells}");
        assert_eq!(read_with_calamine(&bytes, "S"), wrong, "{cells}");
    }
}

#[test]
fn styles_may_lie_elsewhere() {
    let relation = |id: &str, kind: &str, target: &str| {
        format!(
            r#"<Relationship Id="{id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}" Target="{target}"/>"#
        )
    };
    let relations = |content: String| format!("<Relationships>{content}</Relationships>");
    let root = relations(relation("rId1", "officeDocument", "xl/workbook.xml"));
    let own =
        relations(relation("rId1", "worksheet", "worksheets/sheet1.xml") + &relation("rId2", "styles", "looks.xml"));
    let bytes = pack_zip(&[
        ("[Content_Types].xml", br#"<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>"#),
        ("_rels/.rels", root.as_bytes()),
        ("xl/_rels/workbook.xml.rels", own.as_bytes()),
        ("xl/workbook.xml", br#"<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>"#),
        ("xl/looks.xml", br#"<styleSheet><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>"#),
        ("xl/worksheets/sheet1.xml", br#"<worksheet><sheetData><row r="1"><c r="A1" s="0"><v>46349</v></c></row></sheetData></worksheet>"#),
    ]);
    assert_eq!(cell_at(&read(bytes.clone(), "a.xlsx").unwrap(), "A1").shown(), "2026-11-23");
    assert_eq!(read_with_calamine(&bytes, "S"), Data::Float(46_349.0));
}
