//! Hidden and merged cells in each file format.

use takt_sheet::{MergedRange, Sheet, Workbook};

use crate::{
    binary,
    support::{Parts, ods, open, pack_zip, read, xlsx},
};

fn hidden_rows(sheet: &Sheet) -> Vec<u32> {
    sheet.rows.iter().filter(|row| row.hidden).map(|row| row.number).collect()
}

const A1_B1: MergedRange = MergedRange { first_row: 1, last_row: 1, first_column: 0, last_column: 1 };

#[test]
fn an_xlsx_tells_what_it_hides_and_merges() {
    let rows: String = (1..=6)
        .map(|row| {
            let hidden = match row {
                2 => " hidden=\"1\"",
                4 => " customHeight='1' hidden = 'true'",
                5 => " hidden=\"0\"",
                _ => "",
            };
            format!(r#"<row r="{row}"{hidden}><c r="A{row}" t="str"><v>a "hidden" row hidden="1"</v></c><c r="C{row}"><v>1</v></c></row>"#)
        })
        .collect();
    let rest = r#"</sheetData><headerFooter><oddHeader>&amp;CPage &amp;P</oddHeader></headerFooter><mergeCells count="2"><mergeCell ref="A1:B1"/><mergeCell ref="nonsense"/></mergeCells><sheetData>"#;
    // Cells end with the first `sheetData`, so the columns are after the rows here.
    let columns = r#"</sheetData><cols><col min="2" max="3" hidden="1"/></cols><sheetData>"#;
    let sheet = read(xlsx(&format!("{rows}{rest}{columns}"), &Parts::default()), "a.xlsx").unwrap();
    assert_eq!(hidden_rows(&sheet), [2, 4]);
    assert_eq!(sheet.hidden_columns, [1, 2]);
    assert_eq!(sheet.merges, [A1_B1]);
}

#[test]
fn hidden_rows_are_found_wherever_a_block_ends() {
    let rows: String = (1..=30_000)
        .map(|row| {
            let hidden = if row % 3 == 0 { " spans=\"1:1\" hidden=\"1\"" } else { "" };
            format!(r#"<row r="{row}"{hidden}><c r="A{row}"><v>{row}</v></c></row>"#)
        })
        .collect();
    let sheet = read(xlsx(&rows, &Parts::default()), "a.xlsx").unwrap();
    assert_eq!(hidden_rows(&sheet), (3..=30_000).step_by(3).collect::<Vec<_>>());
}

#[test]
fn an_ods_tells_what_it_hides_and_merges() {
    let row = |attributes: &str| {
        format!(
            r#"<table:table-row {attributes}><table:table-cell table:number-columns-spanned="2" office:value-type="float" office:value="1"/><table:covered-table-cell/><table:table-cell office:value-type="float" office:value="2"/></table:table-row>"#
        )
    };
    let table = format!(
        r#"<table:table table:name="S"><table:table-column/><table:table-column table:visibility="collapse"/><table:table-column/>{}{}{}</table:table>"#,
        row(""),
        row(r#"table:visibility="filter" table:number-rows-repeated="2""#),
        row(r#"table:visibility="collapse""#),
    );
    let sheet = read(ods("", &table), "a.ods").unwrap();
    assert_eq!(hidden_rows(&sheet), [2, 3, 4]);
    assert_eq!(sheet.hidden_columns, [1]);
    assert_eq!(sheet.merges.first(), Some(&A1_B1));
}

#[test]
fn an_xls_tells_what_it_hides_and_merges() {
    let sheet = read(binary::xls_with_layout(), "a.xls").unwrap();
    assert_eq!(hidden_rows(&sheet), [2]);
    assert_eq!(sheet.hidden_columns, [1]);
    assert_eq!(sheet.merges, [A1_B1]);
}

#[test]
fn an_xlsb_tells_what_it_hides_and_merges() {
    let sheet = read(binary::xlsb_with_layout(), "a.xlsb").unwrap();
    assert_eq!(hidden_rows(&sheet), [5]);
    assert_eq!(sheet.hidden_columns, [1]);
    assert_eq!(sheet.merges, [A1_B1]);
}

#[test]
fn a_workbook_whose_parts_lie_elsewhere_is_found_by_its_relations() {
    let parts: [(&str, &[u8]); 5] = [
        ("[Content_Types].xml", br#"<Types><Override PartName="/w/book.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>"#),
        ("_rels/.rels", br#"<Relationships><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#),
        ("xl/_rels/workbook.xml.rels", br#"<Relationships><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="/xl/worksheets/other.xml"/></Relationships>"#),
        ("xl/workbook.xml", br#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Q &amp; A" sheetId="1" r:id="rId1"/></sheets></workbook>"#),
        ("xl/worksheets/other.xml", br#"<worksheet><sheetData><row r="1"/><row r="3" hidden="1"><c r="A3"><v>1</v></c></row></sheetData></worksheet>"#),
    ];
    let workbook: Workbook = open(pack_zip(&parts), "a.xlsx").unwrap();
    assert_eq!(workbook.sheets()[0].name, "Q & A");
    let sheet = workbook.read("Q & A", &takt_sheet::Limits::default(), &|| false).unwrap();
    assert_eq!(hidden_rows(&sheet), [3]);
}
