//! Compares the fast reader of xlsx rows and shared texts with the XML reader, which must return the same. A comment
//! before each row and each shared text makes Takt use the XML reader.
//!
//! The input is the rows as XML. Shared texts may precede them, separated by a zero byte.

#![no_main]

use std::{
    io::{Cursor, Write},
    mem::discriminant,
};

use libfuzzer_sys::fuzz_target;
use takt_sheet::{Limits, Sheet, SheetError, Workbook};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

const COMMENT: &str = "<!-- a comment -->";
const NAMESPACE: &str = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (shared, rows) = text.split_once('\0').unwrap_or(("", text));
    let (Some(commented_shared), Some(commented_rows)) = (insert_comments(shared, "<si"), insert_comments(rows, "<row")) else { return };
    let (regular, by_xml) = (read_sheet(&build_workbook(shared, rows)), read_sheet(&build_workbook(&commented_shared, &commented_rows)));
    let same = match (&regular, &by_xml) {
        (Ok(one), Ok(other)) => one == other,
        (Err(one), Err(other)) => discriminant(one) == discriminant(other),
        _ => false,
    };
    assert!(same, "{regular:?} is not {by_xml:?}");
});

/// Inserts a comment before each element that starts with `tag`. Returns `None` if a comment could change the meaning.
fn insert_comments(text: &str, tag: &str) -> Option<String> {
    if text.contains("<!") || text.contains("<?") {
        return None;
    }
    let mut out = String::with_capacity(text.len() * 2);
    let (mut is_tag, mut quote) = (false, None);
    for (at, letter) in text.char_indices() {
        match (is_tag, quote, letter) {
            (true, _, '<') => return None,
            (false, _, '<') => {
                let rest = text.get(at..)?;
                let behind = rest.strip_prefix(tag).and_then(|rest| rest.chars().next());
                if behind.is_some_and(|letter| " >/\n\r\t".contains(letter)) {
                    out.push_str(COMMENT);
                }
                is_tag = true;
            }
            (true, None, '>') => is_tag = false,
            (true, None, '"' | '\'') => quote = Some(letter),
            (true, Some(open), letter) if letter == open => quote = None,
            _ => {}
        }
        out.push(letter);
    }
    Some(out)
}

fn read_sheet(bytes: &[u8]) -> Result<Sheet, SheetError> {
    let limits = Limits { cells: 100_000, ..Limits::default() };
    let workbook = Workbook::from_bytes(bytes.to_vec(), "book.xlsx", &limits)?;
    workbook.read("S", &limits, &|| false)
}

fn build_workbook(shared: &str, rows: &str) -> Vec<u8> {
    let sheet = format!("<worksheet {NAMESPACE}><sheetData>{rows}</sheetData></worksheet>");
    let shared = format!("<sst {NAMESPACE}>{shared}</sst>");
    let styles = format!(
        "<styleSheet {NAMESPACE}><numFmts><numFmt numFmtId=\"164\" formatCode=\"yyyy-mm-dd\"/></numFmts>\
         <cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"164\" applyNumberFormat=\"1\"/></cellXfs></styleSheet>"
    );
    let book = format!(
        "<workbook {NAMESPACE} xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\">\
         <sheets><sheet name=\"S\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
    );
    let relation = |kind: &str, target: &str| {
        format!(
            "<Relationships><Relationship Id=\"rId1\" \
             Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}\" Target=\"{target}\"/></Relationships>"
        )
    };
    let kinds = "<Types><Override PartName=\"/xl/workbook.xml\" ContentType=\
                 \"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/></Types>";
    let parts = [
        ("[Content_Types].xml", kinds.to_owned()),
        ("_rels/.rels", relation("officeDocument", "xl/workbook.xml")),
        ("xl/_rels/workbook.xml.rels", relation("worksheet", "worksheets/sheet1.xml")),
        ("xl/workbook.xml", book),
        ("xl/styles.xml", styles),
        ("xl/sharedStrings.xml", shared),
        ("xl/worksheets/sheet1.xml", sheet),
    ];
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, content) in parts {
        zip.start_file(name, stored).expect("a part begins");
        zip.write_all(content.as_bytes()).expect("memory takes what is written");
    }
    zip.finish().expect("memory takes what is written").into_inner()
}
