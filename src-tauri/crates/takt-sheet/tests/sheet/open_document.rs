//! ods files packed by hand, including those that a few bytes make enormous.

use jiff::civil::datetime;
use takt_sheet::{CellValue, LimitKind, SheetError, TICKS_PER_SECOND};

use crate::support::{cell_at, ods, open, pack_zip, read};

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
    for (address, value) in [
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
        assert_eq!(cell_at(&sheet, address).value(), value, "{address}");
    }
    assert_eq!(cell_at(&sheet, "B3").shown(), "1375.25");
    assert_eq!(cell_at(&sheet, "C3").shown(), "00123");
    assert!(cell_at(&sheet, "H3").is_formula_without_value());
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
    assert_eq!(refused(cell("1048576", "16384")), LimitKind::Cells);
    assert_eq!(refused(cell("4000000000", "1")), LimitKind::Rows);
    assert_eq!(refused(cell("1", "4000000000")), LimitKind::Columns);
    assert_eq!(refused(cell("99999999999999999999", "3")), LimitKind::Rows);
    assert_eq!(cell("many", "3").unwrap().cells, 3, "a count that is no number counts once");
}

#[test]
fn an_encrypted_ods_is_protected() {
    let bytes = pack_zip(&[
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
        assert_eq!(
            cell_at(&read(flat.as_bytes().to_vec(), name).unwrap(), "A1").value(),
            CellValue::Number(7.0),
            "{name}"
        );
    }
}

/// Returns the text of the first cell. The reader for regular rows and the XML reader must return the same.
fn cell_text(cell: &str) -> String {
    let table = |before: &str| {
        format!(
            r#"<table:table table:name="S"><table:table-row><table:table-cell><text:p>first</text:p></table:table-cell></table:table-row>{before}<table:table-row>{cell}</table:table-row></table:table>"#
        )
    };
    let text = |before: &str| {
        let sheet = read(ods_with_namespaces(&table(before)), "a.ods").unwrap();
        sheet.rows.cell(1, 0).map(|cell| cell.shown().into_owned()).unwrap_or_default()
    };
    let (regular, by_xml) = (text(""), text("<!-- a comment -->"));
    assert_eq!(regular, by_xml, "{cell}");
    by_xml
}

/// Returns an ods with the namespaces that LibreOffice declares.
fn ods_with_namespaces(tables: &str) -> Vec<u8> {
    let names =
        [("office", "office"), ("table", "table"), ("text", "text"), ("draw", "drawing"), ("svg", "svg-compatible")];
    let names: String = names
        .iter()
        .map(|(prefix, name)| format!(r#" xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0""#))
        .collect();
    let content = format!(
        r#"<office:document-content{names} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"#
    );
    pack_zip(&[
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", content.as_bytes()),
        ("META-INF/manifest.xml", b"<manifest/>"),
    ])
}

#[test]
fn only_paragraphs_of_the_cell_are_its_text() {
    let own = "<text:p>RAW-2016</text:p>";
    for content in [
        format!("<draw:frame><draw:text-box><text:p>BOX</text:p></draw:text-box></draw:frame>{own}"),
        format!("{own}<draw:frame><draw:text-box><text:p>BOX</text:p></draw:text-box></draw:frame>"),
        format!("<draw:custom-shape><text:p>SHAPE</text:p></draw:custom-shape><draw:line><text:p>LINE</text:p></draw:line>{own}"),
        format!("<draw:g><svg:title>GROUP</svg:title><svg:desc>D</svg:desc><draw:rect><text:p>RECT</text:p></draw:rect></draw:g>{own}"),
        format!("<draw:frame><draw:image><text:p/></draw:image><svg:title>TITLE</svg:title><svg:desc>DESC</svg:desc></draw:frame>{own}"),
        format!("<draw:frame><draw:object><table:table table:name=\"local-table\"><table:table-row><table:table-cell><text:p>CHART</text:p></table:table-cell></table:table-row></table:table></draw:object></draw:frame>{own}"),
        format!("<office:annotation><dc:creator>NN</dc:creator><text:p>COMMENT</text:p><text:list><text:list-item><text:p>C</text:p></text:list-item></text:list></office:annotation>{own}"),
        "<text:p><text:ruby><text:ruby-base>RAW-2016</text:ruby-base><text:ruby-text>ROH</text:ruby-text></text:ruby></text:p>".to_owned(),
        "<text:p>RAW-<draw:frame><draw:text-box><text:p>BOX</text:p></draw:text-box></draw:frame>2016</text:p>".to_owned(),
        "<text:p>RAW-<office:annotation><text:p>COMMENT</text:p></office:annotation><text:span>20</text:span>16<office:annotation-end/></text:p>".to_owned(),
        "<text:p>RAW-2016<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>NOTE</text:p></text:note-body></text:note></text:p>".to_owned(),
        "<text:p>RAW-2016</text:p><x:p xmlns:x=\"urn:x\">OTHER</x:p>".to_owned(),
        "<t:p xmlns:t=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\">RAW-2016</t:p>".to_owned(),
    ] {
        let cell = format!("<table:table-cell>{content}</table:table-cell>");
        assert_eq!(cell_text(&cell), "RAW-2016", "{content}");
    }
}

#[test]
fn a_table_within_a_shape_is_no_sheet_and_has_no_rows() {
    let chart = r#"<draw:frame><draw:object><table:table table:name="local-table"><table:table-row><table:table-cell><text:p>CHART</text:p></table:table-cell></table:table-row></table:table></draw:object></draw:frame>"#;
    let table = |name: &str| {
        format!(
            r#"<table:table table:name="{name}"><table:shapes>{chart}</table:shapes><table:table-row><table:table-cell><text:p>{name}</text:p>{chart}</table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>"#
        )
    };
    let workbook = open(ods_with_namespaces(&[table("A"), table("B")].concat()), "a.ods").unwrap();
    assert_eq!(workbook.sheets().iter().map(|sheet| sheet.name.as_str()).collect::<Vec<_>>(), ["A", "B"]);
    for name in ["A", "B"] {
        let sheet = workbook.read(name, &takt_sheet::Limits::default(), &|| false).unwrap();
        assert_eq!((cell_at(&sheet, "A1").shown().as_ref(), sheet.cells), (name, 2));
    }
}

#[test]
fn a_table_within_a_cell_is_refused_and_no_sheet() {
    let table = r#"<table:table table:name="A"><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>
        <table:table-cell><table:table table:name="Sub" table:is-sub-table="true"><table:table-row><table:table-cell><text:p>s</text:p></table:table-cell></table:table-row></table:table></table:table-cell></table:table-row></table:table>
        <table:table table:name="B"><table:table-row><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>"#;
    let workbook = open(ods_with_namespaces(table), "a.ods").unwrap();
    assert_eq!(workbook.sheets().iter().map(|sheet| sheet.name.as_str()).collect::<Vec<_>>(), ["A", "B"]);
    let read = |name: &str| workbook.read(name, &takt_sheet::Limits::default(), &|| false);
    assert!(matches!(read("A"), Err(SheetError::Unsupported(_))));
    assert_eq!(cell_at(&read("B").unwrap(), "A1").shown(), "b");
}

#[test]
fn white_space_is_read_as_it_is_meant() {
    for (content, expected) in [
        ("RAW<text:s text:c=\"3\"/>2016", "RAW   2016"),
        ("RAW <text:s text:c=\"2\"/>2016", "RAW   2016"),
        ("RAW<text:s/> 2016", "RAW  2016"),
        ("RAW <text:s/> 2016", "RAW   2016"),
        ("<text:s text:c=\"2\"/>RAW", "  RAW"),
        ("RAW <text:s/>", "RAW  "),
        ("RAW ", "RAW "),
        ("  RAW   2016\n  ", "RAW 2016"),
        ("RAW\n\t2016", "RAW 2016"),
        ("RAW<text:tab/>20<text:line-break/>16", "RAW\t20\n16"),
        ("RAW <text:tab/> 2016", "RAW \t 2016"),
        ("RAW <text:span> 20</text:span>16", "RAW 2016"),
        ("RAW</text:p><text:p> 2016", "RAW\n2016"),
        ("RAW\u{a0}\u{a0}2016", "RAW\u{a0}\u{a0}2016"),
    ] {
        let cell = format!("<table:table-cell><text:p>{content}</text:p></table:table-cell>");
        assert_eq!(cell_text(&cell), expected, "{content}");
    }
    let many = "<table:table-cell><text:p>a<text:s text:c=\"2000\"/>b</text:p></table:table-cell>";
    assert_eq!(cell_text(many).len(), 2002);
}

#[test]
fn more_spaces_than_a_text_may_have_are_an_error() {
    for count in ["1000001", "99999999999999999999"] {
        let table = format!(
            r#"<table:table table:name="S"><table:table-row><table:table-cell><text:p>a<text:s text:c="{count}"/></text:p></table:table-cell></table:table-row></table:table>"#
        );
        let result = read(ods_with_namespaces(&table), "a.ods");
        assert!(matches!(result, Err(SheetError::TooLarge { what: LimitKind::TextBytes, .. })), "{count}");
    }
}

#[test]
fn attributes_of_other_namespaces_are_no_values() {
    let tables = r#"<table:table xmlns:foo="urn:foo" foo:name="x" table:name="S">
        <table:table-row foo:number-rows-repeated="3" foo:visibility="collapse">
          <table:table-cell foo:value="99" office:value-type="float" office:value="5"><text:p>5</text:p></table:table-cell>
          <table:table-cell foo:value-type="float" foo:value="99" office:value-type="string"><text:p>a<text:s foo:c="9"/>b</text:p></table:table-cell>
          <table:table-cell foo:number-columns-repeated="4" foo:formula="of:=1" office:value-type="string"><text:p>c</text:p></table:table-cell>
          <table:table-cell office:value-type="string" foo:string-value="d" value-type="float" value="7"><text:p>e</text:p></table:table-cell>
        </table:table-row>
        <table:table-row><table:table-cell office:value-type="string"><text:p>f</text:p></table:table-cell></table:table-row>
      </table:table><table:table xmlns:foo="urn:foo" foo:name="x"/>"#;
    let workbook = open(ods("", tables), "a.ods").unwrap();
    assert_eq!(workbook.sheets().iter().map(|sheet| sheet.name.as_str()).collect::<Vec<_>>(), ["S", ""]);
    let sheet = read(ods("", tables), "a.ods").unwrap();
    assert_eq!(cell_at(&sheet, "A1").value(), CellValue::Number(5.0));
    for (address, text) in [("B1", "a b"), ("C1", "c"), ("D1", "e"), ("A2", "f")] {
        assert_eq!(cell_at(&sheet, address).value(), CellValue::Text(text), "{address}");
    }
}

/// ODF 1.3, part 3, section 19.389: the attribute is the value, whatever the cell shows.
#[test]
fn a_text_cell_holds_its_attribute_and_tells_what_it_shows() {
    let cell = |value: &str, shown: &str| {
        let table = format!(
            r#"<table:table table:name="S"><table:table-row><table:table-cell office:value-type="string"><text:p>-</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell office:value-type="string" office:string-value="{value}">{shown}</table:table-cell><table:table-cell office:value-type="float" office:value="1"/></table:table-row></table:table>"#
        );
        let sheet = read(ods("", &table), "a.ods").unwrap();
        let shown =
            sheet.doubts.shown_texts.iter().map(|doubt| (doubt.row, doubt.column, doubt.shown.clone())).collect();
        (cell_at(&sheet, "A2").shown().into_owned(), shown)
    };
    let other = vec![(2, 0, "SHOWN".to_owned())];
    assert_eq!(cell("RAW-2026", "<text:p>SHOWN</text:p>"), ("RAW-2026".to_owned(), other.clone()));
    assert_eq!(cell("", "<text:p>SHOWN</text:p>"), (String::new(), other));
    for (value, shown) in
        [("a", "<text:p>a</text:p>"), ("a", ""), ("a  b&#10;c", "<text:p>a b</text:p><text:p>c</text:p>")]
    {
        let (held, doubts): (String, Vec<_>) = cell(value, shown);
        assert_eq!((held, doubts), (value.replace("&#10;", "\n"), Vec::new()), "{value}");
    }
}
