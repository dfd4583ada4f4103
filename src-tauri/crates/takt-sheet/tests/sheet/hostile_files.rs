//! Files that are something else, empty, encrypted or malicious. Each gives its specific error.

use std::fs;

use takt_sheet::{LimitKind, Limits, SheetError, UnsupportedFormat, Workbook};
use tempfile::TempDir;

use crate::{
    binary::xls_that_shares_a_text,
    support::{Parts, compound, ods, open, pack_zip, read, xlsx},
};

const ONE_CELL_ROW: &str = r#"<row r="1"><c r="A1"><v>1</v></c></row>"#;

fn unsupported_format(bytes: &[u8], name: &str) -> UnsupportedFormat {
    match open(bytes.to_vec(), name) {
        Err(SheetError::UnsupportedFormat { what }) => what,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn nothing_is_empty() {
    for bytes in [&b""[..], b" \r\n\t\n", &[0; 4096]] {
        for name in ["a.xlsx", "a.csv", "a.ods"] {
            assert!(matches!(open(bytes.to_vec(), name), Err(SheetError::Empty)), "{name}");
        }
    }
    assert!(matches!(read(b";;\n;;\n".to_vec(), "a.csv"), Err(SheetError::Empty)));
}

#[test]
fn what_is_no_workbook_is_said_to_be_none() {
    let document = pack_zip(&[
        ("[Content_Types].xml", b"<Types>wordprocessingml.document</Types>"),
        ("word/document.xml", b"<w/>"),
    ]);
    let word = compound(&[("WordDocument", b"x")]);
    let others: [(&str, Vec<u8>); 6] = [
        ("a.docx", document),
        ("a.doc", word),
        ("a.xlsx", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec()),
        ("a.pdf", b"%PDF-1.7\n1 0 obj\n".to_vec()),
        ("a.csv", b"MZ\x90\0\x03\0\0\0".to_vec()),
        ("a.xml", b"<?xml version=\"1.0\"?><orders><order/></orders>".to_vec()),
    ];
    for (name, bytes) in others {
        assert!(matches!(open(bytes, name), Err(SheetError::NotAWorkbook | SheetError::NotText)), "{name}");
    }
}

#[test]
fn a_document_with_an_embedded_workbook_is_no_workbook() {
    let inner = xlsx("<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>", &Parts::default());
    let main = |target: &str| {
        format!(
            r#"<Relationships><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="{target}"/></Relationships>"#
        )
    };
    let types = |part: &str, kind: &str| {
        format!(
            r#"<Types><Default Extension="xlsx" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/{part}" ContentType="application/vnd.openxmlformats-officedocument.{kind}.main+xml"/></Types>"#
        )
    };
    for (part, kind, folder) in [
        ("word/document.xml", "wordprocessingml.document", "word/embeddings/sheet.xlsx"),
        ("ppt/presentation.xml", "presentationml.presentation", "ppt/embeddings/sheet.xlsx"),
    ] {
        let (types, main) = (types(part, kind), main(part));
        let parts: [(&str, &[u8]); 4] = [
            ("[Content_Types].xml", types.as_bytes()),
            ("_rels/.rels", main.as_bytes()),
            (part, b"<document/>"),
            (folder, &inner),
        ];
        for parts in [&parts[..], &[parts[0], parts[2], parts[3]]] {
            assert!(matches!(open(pack_zip(parts), "a.xlsx"), Err(SheetError::NotAWorkbook)), "{part}");
        }
    }
}

#[test]
fn an_old_document_with_an_embedded_workbook_is_no_workbook() {
    const DIRECTORY: usize = 1024;
    const ENTRY: usize = 128;
    let workbook = crate::binary::sample_xls();
    let mut file = compound(&[("Contents", b"x"), ("ObjectPool", b""), ("Workbook", &workbook)]);
    let mut link = |entry: usize, at: usize, to: u32| {
        let from = DIRECTORY + entry * ENTRY + at;
        file[from..from + 4].copy_from_slice(&to.to_le_bytes());
    };
    // The root contains the stream and a storage. The workbook is in the storage.
    link(0, 76, 1);
    link(1, 72, 2);
    link(2, 76, 3);
    file[DIRECTORY + 2 * ENTRY + 66] = 1;
    assert!(matches!(open(file, "a.xls"), Err(SheetError::NotAWorkbook)));
    let word = compound(&[("WordDocument", b"x"), ("Workbook", &workbook)]);
    assert!(matches!(open(word, "a.xls"), Err(SheetError::NotAWorkbook)));
}

#[test]
fn a_sheet_that_is_listed_and_missing_is_the_files_fault() {
    let mut parts = Vec::new();
    let bytes = xlsx("", &Parts::default());
    let mut package = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    for index in 0..package.len() {
        let mut part = package.by_index(index).unwrap();
        let (name, mut content) = (part.name().unwrap().into_owned(), Vec::new());
        std::io::Read::read_to_end(&mut part, &mut content).unwrap();
        if !name.contains("sheet1") {
            parts.push((name, content));
        }
    }
    let parts: Vec<(&str, &[u8])> = parts.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect();
    let error =
        open(pack_zip(&parts), "a.xlsx").and_then(|file| file.read("S", &Limits::default(), &|| false)).unwrap_err();
    assert!(!matches!(error, SheetError::NoSuchSheet(_)), "{error:?}");
}

#[test]
fn markup_under_a_workbooks_name_is_told_apart() {
    assert_eq!(
        unsupported_format(b"MIME-Version: 1.0\nContent-Type: multipart/related\n", "report.xls"),
        UnsupportedFormat::WebArchive
    );
    assert_eq!(unsupported_format(b"\x09\x04\x06\x00\x00\x04\x10\x00\0\0", "old.xls"), UnsupportedFormat::OldExcel);
}

#[test]
fn an_encrypted_workbook_is_protected() {
    let bytes = compound(&[("EncryptionInfo", b"\x04\0\x04\0"), ("EncryptedPackage", &[7; 600])]);
    for name in ["a.xlsx", "a.xls", "a.xlsb"] {
        assert!(matches!(open(bytes.clone(), name), Err(SheetError::Protected)), "{name}");
    }
}

/// A file that is encrypted by a sensitivity label has no password that users could remove.
#[test]
fn a_workbook_under_rights_management_is_told_apart() {
    let package: (&str, &[u8]) = ("EncryptedPackage", &[7; 600]);
    for stream in ["DRMEncryptedDataSpace", "\u{9}DRMContent"] {
        let bytes = compound(&[package, (stream, &[7; 20])]);
        for name in ["a.xlsx", "a.xls"] {
            assert!(matches!(open(bytes.clone(), name), Err(SheetError::RightsManaged)), "{stream:?}");
        }
    }
}

/// Programs name the data space, the transform and the label differently. One of the names is enough.
#[test]
fn rights_management_is_told_by_any_of_its_traces() {
    let package: (&str, &[u8]) = ("EncryptedPackage", &[7; 600]);
    let class: Vec<u8> = "{C73DFACD-061F-43B0-8B64-0C620D2A8B50}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let primary = [&[0x58, 0, 0, 0, 1, 0, 0, 0, 0x4C, 0, 0, 0][..], &class].concat();
    let traces: [(&str, &[u8]); 5] = [
        ("\u{6}Primary", &primary),
        ("LabelInfo", b"<clbl:labelList xmlns:clbl=\"http://schemas.microsoft.com/office/2020/mipLabelMetadata\"/>"),
        ("DRMEncryptedTransform", b""),
        ("\u{9}DRMTransform", b""),
        ("\u{9}DRMDataSpace", b""),
    ];
    for (name, content) in traces {
        let stream = compound(&[package, (name, content)]);
        // A transform is a storage.
        let letters: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let entry = stream.windows(letters.len()).position(|window| window == letters).unwrap();
        let mut storage = stream.clone();
        storage[entry + 66] = 1;
        for bytes in if content.is_empty() { vec![stream, storage] } else { vec![stream] } {
            assert!(matches!(open(bytes, "a.xlsx"), Err(SheetError::RightsManaged)), "{name:?}");
        }
    }
    // A password has another transform.
    let password = "{FF9A3F03-56EF-4613-BDD5-5A41C1D07246}".encode_utf16().flat_map(u16::to_le_bytes);
    let bytes = compound(&[package, ("\u{6}Primary", &password.collect::<Vec<u8>>())]);
    assert!(matches!(open(bytes, "a.xlsx"), Err(SheetError::Protected)));
}

/// A small file can have one long text in any number of cells. Reading stops at the limit.
#[test]
fn a_shared_text_counts_as_often_as_cells_have_it() {
    const TEXT_LENGTH: usize = 32_000;
    let text = "a".repeat(TEXT_LENGTH);
    let rows = |cells: usize| -> String {
        (1..=cells).map(|row| format!(r#"<row r="{row}"><c r="A{row}" t="s"><v>0</v></c></row>"#)).collect()
    };
    let shared = format!("<sst><si><t>{text}</t></si></sst>");
    let table = |cells: usize| {
        format!(
            r#"<table:table table:name="S"><table:table-row table:number-rows-repeated="{cells}"><table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell></table:table-row></table:table>"#
        )
    };
    let files = |cells: usize| {
        [
            ("a.xlsx", xlsx(&rows(cells), &Parts { shared: Some(&shared), ..Parts::default() })),
            ("a.ods", ods("", &table(cells))),
            ("a.xls", xls_that_shares_a_text(8_000, u16::try_from(cells * 4).unwrap())),
        ]
    };
    let limits = Limits { sheet_text_bytes: 40 * TEXT_LENGTH as u64, ..Limits::default() };
    for (name, bytes) in files(40) {
        assert!(open(bytes, name).unwrap().read("S", &limits, &|| false).is_ok(), "{name}");
    }
    for (name, bytes) in files(9_000) {
        let rows = std::cell::Cell::new(0);
        let result = open(bytes, name).unwrap().read_with_progress("S", &limits, &|progress| {
            rows.set(progress.rows);
            true
        });
        assert!(
            matches!(result, Err(SheetError::TooLarge { what: LimitKind::SheetTextBytes, .. })),
            "{name}: {result:?}"
        );
        assert!(rows.get() <= 4 * 40, "{name}: {}", rows.get());
    }
}

#[test]
fn a_packed_file_that_claims_too_much_is_refused_before_it_is_unpacked() {
    let mut bomb = xlsx(ONE_CELL_ROW, &Parts::default());
    // The unpacked size in the sheet's directory entry is 22 bytes before the end of the entry's fixed part.
    let name = b"xl/worksheets/sheet1.xml";
    let last = bomb.windows(name.len()).rposition(|window| window == name).unwrap();
    bomb[last - 22..last - 18].copy_from_slice(&0xFFFF_FFF0_u32.to_le_bytes());
    match open(bomb, "a.xlsx") {
        Err(SheetError::TooLarge { what: LimitKind::UnpackedBytes, .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_small_file_that_unpacks_to_repetition_is_refused_at_once() {
    let shared = format!("<sst>{}</sst>", "<si/>".repeat(8_000_000));
    let bytes = xlsx(ONE_CELL_ROW, &Parts { shared: Some(&shared), ..Parts::default() });
    assert!(bytes.len() < 300_000, "{}", bytes.len());
    let begin = std::time::Instant::now();
    let result = open(bytes, "a.xlsx");
    assert!(matches!(result, Err(SheetError::TooLarge { what: LimitKind::UnpackedBytes, .. })), "{result:?}");
    assert!(begin.elapsed().as_secs() < 2, "{:?}", begin.elapsed());
}

#[test]
fn a_lying_count_of_shared_texts_makes_no_room() {
    for count in ["18446744073709551615", "900000000000", "100000"] {
        let shared = format!("<sst uniqueCount=\"{count}\"><si><t>a</t></si></sst>");
        let bytes = xlsx(ONE_CELL_ROW, &Parts { shared: Some(&shared), ..Parts::default() });
        assert_eq!(read(bytes, "a.xlsx").unwrap().cells, 1, "{count}");
    }
}

#[test]
fn entities_are_not_blown_up() {
    let shared = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]><sst uniqueCount=\"1\"><si><t>&b;</t></si></sst>";
    let rows = r#"<row r="1"><c r="A1" t="s"><v>0</v></c></row>"#;
    let result = read(xlsx(rows, &Parts { shared: Some(shared), ..Parts::default() }), "a.xlsx");
    assert!(matches!(result, Err(SheetError::Damaged(_))), "{result:?}");
}

#[test]
fn every_budget_holds() {
    let wide = r#"<row r="1"><c r="A1"><v>1</v></c><c r="J1"><v>2</v></c></row><row r="9"><c r="C9" t="str"><v>long text</v></c></row>"#;
    let strict = |change: &dyn Fn(&mut Limits)| {
        let mut limits = Limits::default();
        change(&mut limits);
        let workbook = Workbook::from_bytes(xlsx(wide, &Parts::default()), "a.xlsx", &limits);
        match workbook.and_then(|workbook| workbook.read("S", &limits, &|| false)) {
            Err(SheetError::TooLarge { what, .. }) => Some(what),
            Ok(_) => None,
            Err(other) => panic!("{other:?}"),
        }
    };
    assert_eq!(strict(&|_| {}), None);
    assert_eq!(strict(&|limits| limits.file_bytes = 100), Some(LimitKind::FileBytes));
    assert_eq!(strict(&|limits| limits.unpacked_bytes = 100), Some(LimitKind::UnpackedBytes));
    assert_eq!(strict(&|limits| limits.parts = 3), Some(LimitKind::Parts));
    assert_eq!(strict(&|limits| limits.sheets = 0), Some(LimitKind::Sheets));
    assert_eq!(strict(&|limits| limits.cells = 12), Some(LimitKind::Cells));
    assert_eq!(strict(&|limits| limits.rows = 8), Some(LimitKind::Rows));
    assert_eq!(strict(&|limits| limits.columns = 9), Some(LimitKind::Columns));
    assert_eq!(strict(&|limits| limits.text_bytes = 8), Some(LimitKind::TextBytes));
    assert_eq!(strict(&|limits| limits.cells = 13), None);
    let limits = Limits { legacy_file_bytes: 100, ..Limits::default() };
    let result = Workbook::from_bytes(ods("", "<table:table table:name=\"S\"/>"), "a.ods", &limits);
    assert!(matches!(result, Err(SheetError::TooLarge { what: LimitKind::FileBytes, .. })), "{result:?}");
}

#[test]
fn a_sheet_of_far_cells_stops_at_the_budget() {
    let rows: String = (1..=4000).map(|row| format!(r#"<row r="{row}"><c r="XFD{row}"><v>1</v></c></row>"#)).collect();
    let result = read(xlsx(&rows, &Parts::default()), "a.xlsx");
    assert!(matches!(result, Err(SheetError::TooLarge { what: LimitKind::Cells, .. })), "{result:?}");
}

#[test]
fn a_sheet_that_is_cut_off_is_damaged() {
    let bytes = xlsx(r#"<row r="1"><c r="A1"><v>1</v></c><c r="B1" t="#, &Parts::default());
    assert!(matches!(read(bytes, "a.xlsx"), Err(SheetError::Damaged(_))));
}

#[test]
fn a_path_that_is_no_file_is_unreadable() {
    let folder = TempDir::new().unwrap();
    let open = |path: &std::path::Path| Workbook::open(path, &Limits::default());
    assert!(matches!(open(&folder.path().join("missing.xlsx")), Err(SheetError::Unreadable(_))));
    assert!(matches!(open(folder.path()), Err(SheetError::NotAFile)));
    let path = folder.path().join("a.xlsx");
    fs::write(&path, xlsx(ONE_CELL_ROW, &Parts::default())).unwrap();
    let workbook = Workbook::open(&path, &Limits::default()).unwrap();
    assert!(matches!(workbook.read("T", &Limits::default(), &|| false), Err(SheetError::NoSuchSheet(_))));
    fs::write(&path, "changed meanwhile").unwrap();
    assert_eq!(workbook.read("S", &Limits::default(), &|| false).unwrap().cells, 1);
}
