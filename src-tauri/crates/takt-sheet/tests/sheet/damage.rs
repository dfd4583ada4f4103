//! Files with random damage. Each gives a result or an error within seconds.

use std::{
    env, fs,
    io::{Cursor, Read, Write},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use takt_sheet::{Limits, SheetError, Workbook};
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

use crate::support::{Dice, Parts, ods, pack_zip, read, xlsx};

/// Returns how often each sample is damaged: `TAKT_FUZZ_CASES`, or 150.
fn rounds() -> usize {
    env::var("TAKT_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(150)
}

/// Returns small limits, so that a file that becomes large by chance is refused soon.
fn small_limits() -> Limits {
    Limits { cells: 200_000, rows: 50_000, unpacked_bytes: 4_000_000, ..Limits::default() }
}

fn seed() -> u64 {
    let given = env::var("TAKT_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed =
        given.unwrap_or_else(|| u64::from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos()) | 1);
    println!("TAKT_SEED={seed}");
    seed
}

/// The memory that all tests of this program may use together, which is far more than small damaged files need.
const MAX_MEMORY: u64 = 1024 * 1024 * 1024;

/// Checks the peak memory of the process if the system reports it.
fn assert_low_memory() {
    let Ok(status) = fs::read_to_string("/proc/self/status") else { return };
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap_or_default();
    assert!(kilobytes * 1024 < MAX_MEMORY, "{peak} were taken");
}

fn read_all(bytes: Vec<u8>, name: &str) {
    let begin = Instant::now();
    if let Ok(workbook) = Workbook::from_bytes(bytes, name, &small_limits()) {
        for sheet in workbook.sheets() {
            if let Ok(sheet) = workbook.read(&sheet.name, &small_limits(), &|| false) {
                assert!(sheet.rows.iter().is_sorted_by(|one, other| one.number < other.number), "rows in order");
            }
        }
    }
    assert!(begin.elapsed() < Duration::from_secs(10), "{name} took too long");
    assert_low_memory();
}

fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let rows = r#"<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1"><f>A1</f><v>1.5</v></c><c r="C1" t="e"><v>#SPILL!</v></c></row>"#;
    let shared = Some("<sst uniqueCount=\"1\"><si><t>a</t></si></sst>");
    let table = r#"<table:table table:name="S"><table:table-row table:number-rows-repeated="3"><table:table-cell office:value-type="float" office:value="1"/></table:table-row></table:table>"#;
    vec![
        ("a.xlsx", xlsx(rows, &Parts { shared, formats: &["00000"], ..Parts::default() })),
        ("a.ods", ods("", table)),
        ("a.xls", crate::binary::sample_xls()),
        ("shape.xls", crate::binary::xls_with_layout()),
        ("kinds.xls", crate::binary::xls_of_every_kind()),
        ("codes.xls", crate::binary::xls_with_codes()),
        ("codes.xlsb", crate::binary::xlsb_with_codes()),
        ("shape.xlsb", crate::binary::xlsb_with_layout()),
        ("xml.xls", crate::markup::XML.as_bytes().to_vec()),
        ("page.xls", crate::markup::WEB_PAGE.as_bytes().to_vec()),
        ("a.xlsb", crate::binary::sample_xlsb()),
        ("a.csv", "sep=;\n\"a\";b\n\"c\nd\";\"e\"\"f\"\n".as_bytes().to_vec()),
    ]
}

#[test]
fn a_file_cut_off_anywhere_gets_an_answer() {
    for (name, bytes) in samples() {
        let step = (bytes.len() / rounds()).max(1);
        for length in (0..bytes.len()).step_by(step) {
            read_all(bytes[..length].to_vec(), name);
        }
    }
}

#[test]
fn a_file_with_changed_bytes_gets_an_answer() {
    let mut dice = Dice(seed());
    for (name, bytes) in samples() {
        for _ in 0..rounds() {
            let mut broken = bytes.clone();
            for _ in 0..=dice.roll(8) {
                let at = dice.roll(broken.len());
                broken[at] = u8::try_from(dice.roll(256)).unwrap();
            }
            read_all(broken, name);
        }
    }
}

/// Returns the content of every sheet, or the reason for a sheet in an unsupported form.
fn read_content(bytes: Vec<u8>, name: &str) -> Result<Vec<String>, SheetError> {
    let workbook = Workbook::from_bytes(bytes, name, &small_limits())?;
    let sheet = |name: &str| match workbook.read(name, &small_limits(), &|| false) {
        Ok(sheet) => Ok(format!("{sheet:?}")),
        Err(SheetError::Unsupported(form)) => Ok(form.to_owned()),
        Err(error) => Err(error),
    };
    workbook.sheets().iter().map(|entry| sheet(&entry.name)).collect()
}

/// Returns the same parts without compression.
fn without_compression(package: &[u8]) -> Vec<u8> {
    let mut package = ZipArchive::new(Cursor::new(package)).unwrap();
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..package.len() {
        let mut part = package.by_index(index).unwrap();
        let mut content = Vec::new();
        part.read_to_end(&mut content).unwrap();
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        zip.start_file(part.name().unwrap().into_owned(), options).unwrap();
        zip.write_all(&content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_flipped_bit_never_changes_what_is_read() {
    let mut dice = Dice(seed());
    let files = [
        ("a.xlsx", fs::read("tests/data/sheetjs.xlsx").unwrap()),
        ("a.xlsb", fs::read("tests/data/sheetjs.xlsb").unwrap()),
        ("a.ods", fs::read("tests/data/sheetjs.ods").unwrap()),
    ];
    for (name, compressed) in files {
        let whole = read_content(compressed.clone(), name).unwrap();
        let mut refused = 0;
        for bytes in [without_compression(&compressed), compressed] {
            for _ in 0..4 * rounds() {
                let (at, bit) = (dice.roll(bytes.len()), dice.roll(8));
                let mut broken = bytes.clone();
                broken[at] ^= 1 << bit;
                match read_content(broken, name) {
                    Ok(found) => assert!(found == whole, "{name}: bit {bit} of byte {at} of {}", bytes.len()),
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(refused > rounds(), "{name}: {refused} of {}", 8 * rounds());
    }
}

/// Returns a small workbook with a date and a shared text, in which one part is changed.
fn small_workbook(changed: &str, change: impl Fn(&str) -> Option<String>) -> Vec<u8> {
    let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let relation = |id: &str, kind: &str, target: &str| {
        format!(r#"<Relationship Id="{id}" Type="{office}/{kind}" Target="{target}"/>"#)
    };
    let relations = format!(
        "<Relationships>{}{}{}</Relationships>",
        relation("r1", "worksheet", "worksheets/sheet1.xml"),
        relation("r2", "styles", "styles.xml"),
        relation("r3", "sharedStrings", "sharedStrings.xml")
    );
    let parts = [
        ("[Content_Types].xml", r#"<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>"#.to_owned()),
        ("_rels/.rels", format!("<Relationships>{}</Relationships>", relation("r1", "officeDocument", "xl/workbook.xml"))),
        ("xl/_rels/workbook.xml.rels", relations),
        ("xl/workbook.xml", format!(r#"<workbook xmlns:r="{office}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>"#)),
        ("xl/styles.xml", r#"<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>"#.to_owned()),
        ("xl/sharedStrings.xml", "<sst><si><t>a</t></si></sst>".to_owned()),
        ("xl/worksheets/sheet1.xml", r#"<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" s="1"><v>46357</v></c></row></sheetData></worksheet>"#.to_owned()),
    ];
    let changed = |name, content: String| if name == changed { change(&content) } else { Some(content) };
    let parts: Vec<(&str, String)> =
        parts.into_iter().filter_map(|(name, content)| Some((name, changed(name, content)?))).collect();
    pack_zip(&parts.iter().map(|(name, content)| (*name, content.as_bytes())).collect::<Vec<_>>())
}

/// Changes the content of a part. For `None`, the part is left out.
type PartChange = fn(&str) -> Option<String>;

#[test]
fn a_missing_or_damaged_part_is_named() {
    let whole = read(small_workbook("", |_| None), "a.xlsx").unwrap();
    let shown = |column| whole.rows.cell(0, column).unwrap().shown().into_owned();
    assert_eq!((shown(0), shown(1)), ("a".to_owned(), "2026-12-01".to_owned()));
    let parts = [
        "xl/workbook.xml",
        "xl/styles.xml",
        "xl/sharedStrings.xml",
        "xl/worksheets/sheet1.xml",
        "xl/_rels/workbook.xml.rels",
    ];
    let changes: [(&str, PartChange); 3] = [
        ("missing", |_| None),
        ("cut off", |content| Some(content[..content.len() / 2].to_owned())),
        ("another text", |_| Some("no XML".to_owned())),
    ];
    for part in parts {
        for (what, change) in &changes {
            match read(small_workbook(part, change), "a.xlsx") {
                Err(SheetError::Damaged(cause)) => assert!(cause.contains("xl/"), "{part} {what}: {cause}"),
                other => panic!("{part} {what}: {other:?}"),
            }
        }
    }
}

fn with_second_cells(sheet: &str) -> String {
    sheet.replace("</sheetData>", r#"</sheetData><sheetData><row r="1"><c r="C1"><v>5</v></c></row></sheetData>"#)
}

#[test]
fn a_part_that_would_give_other_values_is_damaged() {
    let changes: [(&str, PartChange); 9] = [
        ("xl/sharedStrings.xml", |content| Some(content.replace("<si>", "<sj>"))),
        ("xl/worksheets/sheet1.xml", |content| Some(content.replace("<c r=\"B1\"", "<k r=\"B1\""))),
        ("xl/workbook.xml", |content| Some(content.replace("</sheets></workbook>", ""))),
        ("xl/styles.xml", |content| Some(content.replace("<xf numFmtId=\"14\"/>", ""))),
        ("xl/styles.xml", |content| Some(content.replace("\"14\"", "\"1 4\""))),
        ("xl/styles.xml", |content| {
            Some(content.replace("<cellXfs>", "<numFmts><numFmt numFmtId=\"14\"/></numFmts><cellXfs>"))
        }),
        ("xl/worksheets/sheet1.xml", |content| Some(content.replace("46357</v>", "46357</v><v>46358</v>"))),
        ("xl/worksheets/sheet1.xml", |content| Some(with_second_cells(content))),
        // The part must be rewritten.
        ("xl/worksheets/sheet1.xml", |content| Some(with_second_cells(&content.replace("46357", "<![CDATA[46357]]>")))),
    ];
    for (number, (part, change)) in changes.iter().enumerate() {
        let result = read(small_workbook(part, change), "a.xlsx");
        assert!(matches!(result, Err(SheetError::Damaged(_))), "change {number} of {part}: {result:?}");
    }
}

#[test]
fn a_wrong_name_in_the_directory_is_damage() {
    let bytes = small_workbook("", |_| None);
    // The directory follows the parts.
    let renamed = |bytes: &[u8], from: &str, to: &str| {
        let at = bytes.windows(from.len()).rposition(|window| window == from.as_bytes()).unwrap();
        let mut bytes = bytes.to_vec();
        bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        bytes
    };
    let result = read(renamed(&bytes, "xl/styles.xml", "xl/stylez.xml"), "a.xlsx");
    assert!(matches!(&result, Err(SheetError::Damaged(cause)) if cause.contains("xl/styles.xml")), "{result:?}");
    let two = pack_zip(&[
        ("xl/a.xml", b"a"),
        ("xl/b.xml", b"b"),
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
    ]);
    let result = read(renamed(&two, "xl/b.xml", "xl/a.xml"), "a.xlsx");
    assert!(matches!(&result, Err(SheetError::Damaged(cause)) if cause.contains("same name")), "{result:?}");
}

#[test]
fn a_package_without_its_end_is_told_from_one_with_a_damaged_part() {
    let bytes = small_workbook("", |_| None);
    for length in [bytes.len() - 1, bytes.len() / 2, 100] {
        let result = read(bytes[..length].to_vec(), "a.xlsx");
        assert!(matches!(result, Err(SheetError::EndMissing(_))), "{length}: {result:?}");
    }
}

#[test]
fn broken_parts_in_a_sound_package_get_an_answer() {
    let mut dice = Dice(seed());
    let rows = r#"<row r="1" s="1"><c r="A1" t="s"><v>0</v></c><c r="B1" s="1"><f t="shared" si="0" ref="B1:B2">A1</f><v>1</v></c></row>"#;
    let table = r#"<table:table table:name="S"><table:table-row table:number-rows-repeated="3"><table:table-cell office:value-type="date" office:date-value="2026-11-23"/></table:table-row></table:table>"#;
    for _ in 0..rounds() {
        let mut change = |content: &str| {
            let mut characters: Vec<char> = content.chars().collect();
            for _ in 0..=dice.roll(4) {
                let at = dice.roll(characters.len());
                let pool = ['<', '>', '"', '/', '0', '9', '-', '&', 'x', '\u{0}', '😀'];
                characters[at] = pool[dice.roll(pool.len())];
            }
            characters.into_iter().collect::<String>()
        };
        let (sheet, shared) = (change(rows), change("<sst uniqueCount=\"1\"><si><t>a</t></si></sst>"));
        read_all(xlsx(&sheet, &Parts { shared: Some(&shared), formats: &["00000"], ..Parts::default() }), "a.xlsx");
        read_all(ods("", &change(table)), "a.ods");
    }
}

/// Random texts of pieces that matter to a reader.
#[test]
fn texts_of_any_pieces_get_an_answer() {
    let pieces = [
        "a",
        "1,5",
        ";",
        ",",
        "\t",
        "|",
        "\"",
        "\"\"",
        "\r",
        "\n",
        "\r\n",
        "sep=;",
        "<table",
        "<tr>",
        "<td",
        " colspan=9",
        " rowspan='3'",
        ">",
        "</td>",
        "</table>",
        "<!--",
        "-->",
        "<script>",
        "&amp;",
        "&#x41;",
        "&#99999999;",
        "&",
        "<",
        "=",
        "'",
        "\u{feff}",
        "é",
        "\u{a0}",
        "<?xml version=\"1.0\"?>",
        "<Workbook xmlns=\"urn:schemas-microsoft-com:office:spreadsheet\">",
        "<Worksheet Name=\"S\">",
        "<Table>",
        "<Row Index=\"4294967295\" Span=\"9\">",
        "<Cell Index=\"7\" MergeAcross=\"4294967295\">",
        "<Data Type=\"Number\">",
        "</Data>",
        "</Cell>",
        "</Row>",
        "1900-01-01T12:00:00.000",
        "\u{0}",
        "\u{1a}",
    ];
    let begins = [
        "",
        "<table>",
        "<html>",
        "<?xml version=\"1.0\"?><Workbook xmlns=\"urn:schemas-microsoft-com:office:spreadsheet\"><Worksheet Name=\"S\"><Table>",
    ];
    let mut dice = Dice(seed());
    for _ in 0..rounds() * 10 {
        let mut text = begins[dice.roll(begins.len())].to_owned();
        for _ in 0..dice.roll(60) {
            text.push_str(pieces[dice.roll(pieces.len())]);
        }
        read_all(text.into_bytes(), ["a.csv", "a.xls"][dice.roll(2)]);
    }
}
