//! Files that ERP systems write with the extension `.xls` and that aren't workbooks: XML of 2003, web pages, texts.

use jiff::civil::datetime;
use takt_sheet::{CellValue, FileKind, LimitKind, Limits, MergedRange, SheetError, TICKS_PER_SECOND};

use crate::support::{cell_at, open, read};

pub(crate) const XML: &str = r#"<?xml version="1.0"?>
<?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet" xmlns:x="urn:schemas-microsoft-com:office:excel">
 <Styles><Style ss:ID="s1"><NumberFormat ss:Format="00000"/></Style><Style ss:ID="s2"><NumberFormat ss:Format="[h]:mm"/></Style></Styles>
 <Worksheet ss:Name="Old &amp; gone"><Table><Row><Cell><Data ss:Type="String">x</Data></Cell></Row></Table>
  <WorksheetOptions xmlns="urn:schemas-microsoft-com:office:excel"><Visible>SheetHidden</Visible></WorksheetOptions></Worksheet>
 <Worksheet ss:Name="Plan"><Table>
  <Column/><Column ss:Index="3" ss:Hidden="1" ss:Span="1"/>
  <Row ss:Index="3"><Cell ss:MergeAcross="1"><Data ss:Type="String">Ä &lt;b&gt; &#10;c</Data></Cell><Cell><Data ss:Type="Number">1375.25</Data></Cell>
   <Cell ss:Index="5" ss:StyleID="s1"><Data ss:Type="Number">123</Data></Cell><Cell><Data ss:Type="DateTime">2026-11-23T06:00:00.000</Data></Cell>
   <Cell ss:StyleID="s2"><Data ss:Type="DateTime">1900-01-01T12:00:00.000</Data></Cell><Cell><Data ss:Type="Boolean">1</Data></Cell>
   <Cell ss:Formula="=A1"><Data ss:Type="Error">#REF!</Data></Cell><Cell ss:Formula="=1+1"/>
   <Cell><ss:Data ss:Type="String" xmlns="http://www.w3.org/TR/REC-html40"><B>bold</B> rest</ss:Data><Comment><ss:Data>a comment</ss:Data></Comment></Cell></Row>
  <Row ss:Hidden="1"><Cell><Data ss:Type="Number">7</Data></Cell></Row>
 </Table></Worksheet></Workbook>"#;

pub(crate) const WEB_PAGE: &str = r#"<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><meta charset="windows-1252"><style>td { color: red }</style></head>
      <body><!-- <table><tr><td>no</td></tr></table> --><script>"<table><tr><td>no"</script><table></table>
      <TABLE border=1><tr><th rowspan=2>Auftrag<th colspan="2">Menge &amp; <b>Einheit</b></tr>
      <tr><th>Soll<th>Ist</tr>
      <tr><td>00123</td><td align=right x:num="1375.25">1.375,25</td><td>3&nbsp;&lt; 4<br>x</td></tr>
      <tr style="display: none"><td>00124</td><td>&nbsp;</td><td></td></tr></TABLE>
      <table><tr><td>Ende</table></body></html>"#;

#[test]
fn an_xml_spreadsheet_is_read_with_its_types() {
    let workbook = open(XML.as_bytes().to_vec(), "report.xls").unwrap();
    assert_eq!(workbook.kind(), FileKind::XmlSpreadsheet);
    let listed: Vec<_> = workbook.sheets().iter().map(|sheet| (sheet.name.as_str(), sheet.visible)).collect();
    assert_eq!(listed, [("Old & gone", false), ("Plan", true)]);
    let sheet = workbook.read("Plan", &Limits::default(), &|| false).unwrap();
    for (address, value) in [
        ("A3", CellValue::Text("Ä <b> \nc")),
        ("C3", CellValue::Number(1375.25)),
        ("E3", CellValue::Number(123.0)),
        ("F3", CellValue::DateTime(datetime(2026, 11, 23, 6, 0, 0, 0))),
        ("G3", CellValue::Duration(36 * 3600 * TICKS_PER_SECOND)),
        ("H3", CellValue::Boolean(true)),
        ("I3", CellValue::Error("#REF!")),
        ("K3", CellValue::Text("bold rest")),
        ("A4", CellValue::Number(7.0)),
    ] {
        assert_eq!(cell_at(&sheet, address).value(), value, "{address}");
    }
    assert_eq!(cell_at(&sheet, "E3").shown(), "00123");
    assert!(cell_at(&sheet, "J3").is_formula_without_value());
    assert_eq!(sheet.rows.iter().map(|row| (row.number, row.hidden)).collect::<Vec<_>>(), [(3, false), (4, true)]);
    assert_eq!(sheet.hidden_columns, [2, 3]);
    assert_eq!(sheet.merges, [MergedRange { first_row: 3, last_row: 3, first_column: 0, last_column: 1 }]);
}

/// Returns an XML spreadsheet with one sheet that has this table, and with these styles.
fn xml(styles: &str, head: &str, table: &str) -> Vec<u8> {
    let spreadsheet = "urn:schemas-microsoft-com:office:spreadsheet";
    format!(
        r#"<?xml version="1.0"?><Workbook xmlns="{spreadsheet}" xmlns:ss="{spreadsheet}">{head}<Styles>{styles}</Styles><Worksheet ss:Name="S">{table}</Worksheet></Workbook>"#
    )
    .into_bytes()
}

#[test]
fn long_durations_are_counted_as_excel_counts_days() {
    let styles = r#"<Style ss:ID="s"><NumberFormat ss:Format="[h]:mm:ss"/></Style>"#;
    let cell = |moment: &str| format!(r#"<Cell ss:StyleID="s"><Data ss:Type="DateTime">{moment}</Data></Cell>"#);
    for (head, moment, hours) in [
        ("", "1900-05-02T10:00:00.000", 2962),
        ("", "1900-03-01T00:00:00.000", 61 * 24),
        ("", "1900-02-28T00:00:00.000", 59 * 24),
        ("", "1899-12-31T06:00:00.000", 6),
        ("<ExcelWorkbook><Date1904/></ExcelWorkbook>", "1904-01-02T12:00:00.000", 36),
        ("<ExcelWorkbook><Date1904/></ExcelWorkbook>", "1904-01-01T06:00:00.000", 6),
    ] {
        let table = format!("<Table><Row>{}</Row></Table>", cell(moment));
        let sheet = read(xml(styles, head, &table), "a.xls").unwrap();
        assert_eq!(cell_at(&sheet, "A1").value(), CellValue::Duration(hours * 3600 * TICKS_PER_SECOND), "{moment}");
    }
}

#[test]
fn styles_of_rows_columns_and_parents_count() {
    let styles = r#"<Style ss:ID="Default"/><Style ss:ID="code"><NumberFormat ss:Format="00000"/></Style>
        <Style ss:ID="date"><NumberFormat ss:Format="Short Date"/></Style><Style ss:ID="child" ss:Parent="code"/>
        <Style ss:ID="plain"><NumberFormat/></Style>"#;
    let number = |style: &str| format!(r#"<Cell{style}><Data ss:Type="Number">1</Data></Cell>"#);
    let cells = [number(""), number(r#" ss:StyleID="plain""#), number(r#" ss:StyleID="child""#), number("")].concat();
    let table = format!(
        r#"<Table ss:StyleID="date"><Column ss:StyleID="code"/><Column ss:Index="2" ss:Span="1" ss:StyleID="plain"/>
        <Row>{cells}</Row><Row ss:StyleID="code">{cells}</Row></Table>"#
    );
    let sheet = read(xml(styles, "", &table), "a.xls").unwrap();
    let shown = |names: [&str; 4]| names.map(|name| cell_at(&sheet, name).shown().into_owned());
    assert_eq!(shown(["A1", "B1", "C1", "D1"]), ["00001", "1", "00001", "1900-01-01"]);
    assert_eq!(shown(["A2", "B2", "C2", "D2"]), ["00001", "1", "00001", "00001"]);
}

#[test]
fn a_place_in_an_xml_spreadsheet_that_there_cannot_be_is_refused() {
    let cell = r#"<Data ss:Type="Number">1</Data>"#;
    for row in [
        format!(r#"<Row ss:Index="4294967298"><Cell>{cell}</Cell></Row>"#),
        format!(r#"<Row><Cell ss:Index="4294967298">{cell}</Cell></Row>"#),
    ] {
        let result = read(xml("", "", &format!("<Table>{row}</Table>")), "a.xls");
        assert!(matches!(result, Err(SheetError::TooLarge { .. })), "{result:?}");
    }
    let result = read(xml("", "", &format!(r#"<Table><Row ss:Index="2a"><Cell>{cell}</Cell></Row></Table>"#)), "a.xls");
    assert!(matches!(result, Err(SheetError::Damaged(_))), "{result:?}");
}

#[test]
fn an_xml_spreadsheet_that_is_cut_off_is_damaged() {
    for cut in [400, 700, 1200, XML.len() - 30] {
        let mut cut = cut;
        while !XML.is_char_boundary(cut) {
            cut += 1;
        }
        let result = open(XML.as_bytes()[..cut].to_vec(), "report.xls");
        assert!(matches!(result, Err(SheetError::Damaged(_) | SheetError::Empty)) || result.is_ok(), "{result:?}");
    }
}

#[test]
fn a_web_page_under_a_workbooks_name_is_read() {
    let bytes = encoding_rs::WINDOWS_1252.encode(WEB_PAGE).0.into_owned();
    let workbook = open(bytes.clone(), "report.xls").unwrap();
    assert_eq!(workbook.kind(), FileKind::Html);
    assert_eq!(workbook.sheets().iter().map(|sheet| sheet.name.as_str()).collect::<Vec<_>>(), ["report", "report 2"]);
    let sheet = read(bytes, "report.xls").unwrap();
    for (address, value) in [
        ("A1", CellValue::Text("Auftrag")),
        ("B1", CellValue::Text("Menge & Einheit")),
        ("B2", CellValue::Text("Soll")),
        ("C2", CellValue::Text("Ist")),
        ("A3", CellValue::Text("00123")),
        ("B3", CellValue::Number(1375.25)),
        ("C3", CellValue::Text("3\u{a0}< 4\nx")),
        ("A4", CellValue::Text("00124")),
    ] {
        assert_eq!(cell_at(&sheet, address).value(), value, "{address}");
    }
    assert_eq!(sheet.rows.iter().map(|row| row.hidden).collect::<Vec<_>>(), [false, false, false, true]);
    assert_eq!(sheet.merges.len(), 2);
    let second = workbook.read("report 2", &Limits::default(), &|| false).unwrap();
    assert_eq!(cell_at(&second, "A1").shown(), "Ende");
    assert!(matches!(read(b"<html><body>No table</body></html>".to_vec(), "a.xls"), Err(SheetError::Empty)));
}

#[test]
fn a_web_page_may_not_span_more_than_there_can_be() {
    let page = "<table><tr><td colspan=4000000000 rowspan=4000000000>a</td><td>b</td></tr><tr><td>c</td></tr></table>";
    let result = read(page.as_bytes().to_vec(), "a.xls");
    assert!(matches!(result, Err(SheetError::TooLarge { what: LimitKind::Columns, .. })), "{result:?}");
}

#[test]
fn text_called_xls_or_xlsx_is_read_as_text() {
    for (bytes, name) in [("code\tqty\nA\t1,5\nB\t2\n", "export.xls"), ("code;qty\nA;1,5\nB;2\n", "export.xlsx")] {
        let workbook = open(bytes.as_bytes().to_vec(), name).unwrap();
        assert_eq!(workbook.kind(), FileKind::Text, "{name}");
        assert_eq!(cell_at(&read(bytes.as_bytes().to_vec(), name).unwrap(), "B2").shown(), "1,5");
    }
}

fn first_cell(content: &str) -> String {
    let page = format!("<html><body><table><tr><td>{content}</td><td>b</td></tr></table></body></html>");
    let sheet = read(page.into_bytes(), "a.xls").unwrap();
    assert_eq!(cell_at(&sheet, "B1").shown(), "b", "{content}");
    sheet.rows.cell(0, 0).map(|cell| cell.shown().into_owned()).unwrap_or_default()
}

#[test]
fn text_that_a_page_does_not_show_is_no_text_of_a_cell() {
    for content in [
        "<span style=\"display:none\">20160101</span>RAW-2016",
        "<span style='DISPLAY: none'>a<span>b</span>c</span>RAW-2016<span hidden>d</span>",
        "RAW-<i hidden><br>x<p>y</i>2016",
        "RAW-2016<div style=\"visibility:hidden\"><p>x</p></div>",
        "<!-- x -->RAW-2016<!--[if supportMisalignedColumns]>y<![endif]-->",
        "<![if !supportAnnotations]>RAW-2016<![endif]>",
        "<script>x</script>RAW-<style>y</style>2016",
        "RAW-2016<o:p></o:p>",
        "<ruby>RAW<rp>(</rp><rt>roh</rt><rp>)</rp></ruby>-2016",
        "<ruby>RAW<rt>roh</ruby>-2016",
        "<svg><title>x</title><text>y</text></svg>RAW-2016<template><b>z</b></template>",
        "<p hidden>x<p>RAW-2016",
        "<img hidden>RAW-2016<input type=hidden value=x>",
        "<span title=\"it's hidden\" aria-hidden=true>RAW-2016</span>",
        "RAW-2016<span hidden>x",
    ] {
        assert_eq!(first_cell(content), "RAW-2016", "{content}");
    }
}

#[test]
fn comments_and_pronunciations_of_an_xml_spreadsheet_are_no_texts() {
    let cell = r#"<Cell><Comment ss:Author="NN"><ss:Data xmlns="http://www.w3.org/TR/REC-html40">before</ss:Data></Comment><Data ss:Type="String">RAW-2016</Data><Comment><Data>after</Data></Comment>
        <PhoneticText xmlns="urn:schemas-microsoft-com:office:excel">roh</PhoneticText><x:Data xmlns:x="urn:x" ss:Type="String">other</x:Data><NamedCell ss:Name="n"/></Cell>"#;
    let table = format!(
        r#"<Table><x:Row xmlns:x="urn:x" ss:Index="9"/><Row>{cell}</Row></Table><x:Table xmlns:x="urn:x"><x:Row><x:Cell><x:Data>x</x:Data></x:Cell></x:Row></x:Table>"#
    );
    let sheet = read(xml("", "", &table), "a.xls").unwrap();
    assert_eq!((cell_at(&sheet, "A1").value(), sheet.cells), (CellValue::Text("RAW-2016"), 1));
}
