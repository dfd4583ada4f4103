//! ods packed by hand, among them those that a few bytes make enormous.

use jiff::civil::datetime;
use takt_sheet::{CellValue, Measure, SheetError, TICKS_PER_SECOND};

use crate::support::{at, ods, open, packed, read};

#[test]
fn every_kind_of_cell_is_typed() {
    let table = r##"<table:table table:name="S">
        <table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="1024"/></table:table-row>
        <table:table-row>
          <table:table-cell office:value-type="string"><text:p>Ä &amp; B<text:s text:c="2"/>c</text:p><text:p>d</text:p></table:table-cell>
          <table:table-cell office:value-type="float" office:value="1375.25"><text:p>1.375,25</text:p></table:table-cell>
          <table:table-cell office:value-type="float" office:value="123"><text:p>00123</text:p></table:table-cell>
          <table:table-cell office:value-type="date" office:date-value="2026-11-23T06:00:00"><text:p>23.11.26</text:p></table:table-cell>
          <table:table-cell office:value-type="time" office:time-value="PT36H30M00S"><text:p>36:30</text:p></table:table-cell>
          <table:table-cell office:value-type="boolean" office:boolean-value="true"><text:p>WAHR</text:p></table:table-cell>
          <table:table-cell office:value-type="string" calcext:value-type="error"><text:p>#REF!</text:p></table:table-cell>
          <table:table-cell table:formula="of:=A1"/>
          <table:table-cell office:value-type="string"><office:annotation><text:p>a comment</text:p></office:annotation><text:p>x</text:p></table:table-cell>
          <table:covered-table-cell table:number-columns-repeated="2"/>
          <table:table-cell office:value-type="float" office:value="7" table:number-columns-repeated="2"><text:p>7</text:p></table:table-cell>
        </table:table-row>
        <table:table-row table:number-rows-repeated="2"><table:table-cell office:value-type="string"><text:p>r</text:p></table:table-cell></table:table-row>
        <table:table-row table:number-rows-repeated="1048500"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>
      </table:table>"##;
    let sheet = read(ods("", table), "a.ods").unwrap();
    for (place, value) in [
        ("A3", CellValue::Text("Ä & B  c\nd")),
        ("B3", CellValue::Number(1375.25)),
        ("C3", CellValue::Number(123.0)),
        ("D3", CellValue::DateTime(datetime(2026, 11, 23, 6, 0, 0, 0))),
        ("E3", CellValue::Duration((36 * 3600 + 1800) * TICKS_PER_SECOND)),
        ("F3", CellValue::Boolean(true)),
        ("G3", CellValue::Error("#REF!")),
        ("H3", CellValue::Empty),
        ("I3", CellValue::Text("x")),
        ("L3", CellValue::Number(7.0)),
        ("M3", CellValue::Number(7.0)),
        ("A5", CellValue::Text("r")),
    ] {
        assert_eq!(at(&sheet, place).value(), value, "{place}");
    }
    assert_eq!(at(&sheet, "B3").shown(), "1375.25");
    assert_eq!(at(&sheet, "C3").shown(), "00123");
    assert!(at(&sheet, "H3").is_formula_without_value());
    assert_eq!(sheet.rows.iter().map(|row| row.number).collect::<Vec<_>>(), [3, 4, 5]);
}

#[test]
fn sheets_are_listed_with_what_is_hidden() {
    let styles = r#"<style:style style:name="ta1"><style:table-properties table:display="true"/></style:style>
        <style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>"#;
    let tables = r#"<table:table table:name="A" table:style-name="ta1"/><table:table table:name="B" table:style-name="ta2">
        <table:table-row><table:table-cell office:value-type="float" office:value="1"/></table:table-row></table:table>
        <table:dde-links><table:table table:name="C"/></table:dde-links>"#;
    let workbook = open(ods(styles, tables), "a.ods").unwrap();
    let listed: Vec<_> = workbook.sheets().iter().map(|sheet| (sheet.name.as_str(), sheet.visible)).collect();
    assert_eq!(listed, [("A", true), ("B", false)]);
    let limits = takt_sheet::Limits::default();
    assert_eq!(workbook.read("B", &limits, &|| false).unwrap().cells, 1);
    assert_eq!(workbook.read("A", &limits, &|| false).unwrap().cells, 0);
    assert!(matches!(workbook.read("C", &limits, &|| false), Err(SheetError::NoSuchSheet(_))));
}

#[test]
fn repeats_stand_for_no_more_than_the_limits_hold() {
    let cell = |rows: &str, columns: &str| {
        let table = format!(
            r#"<table:table table:name="S"><table:table-row table:number-rows-repeated="{rows}"><table:table-cell office:value-type="float" office:value="1" table:number-columns-repeated="{columns}"/></table:table-row></table:table>"#
        );
        read(ods("", &table), "a.ods")
    };
    let refused = |result: Result<_, SheetError>| match result {
        Err(SheetError::TooLarge { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(cell("1048576", "16384")), Measure::Cells);
    assert_eq!(refused(cell("4000000000", "1")), Measure::Rows);
    assert_eq!(refused(cell("1", "4000000000")), Measure::Columns);
    assert_eq!(refused(cell("99999999999999999999", "3")), Measure::Rows);
    assert_eq!(cell("many", "3").unwrap().cells, 3, "a count that is no number counts once");
}

#[test]
fn an_encrypted_ods_is_protected() {
    let bytes = packed(&[
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", b"\x01\x02"),
        ("META-INF/manifest.xml", b"<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>"),
    ]);
    assert!(matches!(open(bytes, "a.ods"), Err(SheetError::Protected)));
}

#[test]
fn a_flat_file_is_read_like_a_packed_one() {
    let flat = r#"<?xml version="1.0"?><office:document xmlns:office="o" xmlns:table="t" xmlns:text="x" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:meta><meta:x xmlns:meta="m"/></office:meta>
        <office:body><office:spreadsheet><table:table table:name="S"><table:table-row><table:table-cell office:value-type="float" office:value="7"><text:p>7</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document>"#;
    for name in ["a.fods", "a.xml", "a.xls"] {
        assert_eq!(at(&read(flat.as_bytes().to_vec(), name).unwrap(), "A1").value(), CellValue::Number(7.0), "{name}");
    }
}
