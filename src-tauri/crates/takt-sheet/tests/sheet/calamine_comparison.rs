//! Random workbooks with many cells in every format, in which calamine reads the same as Takt.
//!
//! Takt reads xlsx through calamine, and has its own readers for the other formats, see `docs/internals/readers.md`.
//! Values that calamine reads differently are left out here, format by format. A format without such values could be
//! left to calamine.

use std::{
    env,
    fmt::Debug,
    fs,
    io::Cursor,
    path::{Path, PathBuf},
};

use calamine::{Data, Ods, Range, Reader, Xls, Xlsb, Xlsx};
use jiff::civil::{DateTime, date};
use takt_sheet::{CellValue, Limits, ReaderProcess, Sheet, SheetError, TICKS_PER_SECOND, Workbook};

use crate::{
    binary::{record, wide_text, xls_stream_with},
    support::{Dice, Parts, compound, ods, pack_zip, read, xlsx},
};

/// More rows than are unpacked at once, so that records span blocks.
const ROWS: u32 = 6_000;
const COLUMNS: u32 = 7;
const PIECES: [&str; 8] = ["WO-", "0012", "Größe ", "Łódź", "😀", "a rather long text that goes on ", "x", " "];
const ROUNDS: u64 = 3;

fn seed() -> u64 {
    let seed = env::var("TAKT_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| u64::from(std::process::id()) << 17 | 1);
    println!("TAKT_SEED={seed}");
    seed
}

/// A cell's value before it is written in one of the formats.
enum RandomCell {
    Number(f64, u16),
    Packed(u32, u16),
    Truth(bool),
    Error,
    Shared(u32),
    Text(String),
    FormulaNumber(f64),
    FormulaText(String),
    FormulaTruth(bool),
}

fn random_text(dice: &mut Dice) -> String {
    let max_pieces = if dice.roll(40) == 0 { 60 } else { 4 };
    (0..=dice.roll(max_pieces)).map(|_| PIECES[dice.roll(PIECES.len())]).collect()
}

fn random_cell(dice: &mut Dice, texts: usize) -> Option<RandomCell> {
    let number = |dice: &mut Dice| match dice.roll(4) {
        0 => f64::from(u32::try_from(dice.roll(100_000)).unwrap()),
        1 => -f64::from(u32::try_from(dice.roll(100_000)).unwrap()) / 7.0,
        _ => 40_000.0 + f64::from(u32::try_from(dice.roll(1_440_000)).unwrap()) / 1_440.0,
    };
    let format = |dice: &mut Dice| u16::try_from(dice.roll(2)).unwrap();
    Some(match dice.roll(14) {
        0 => return None,
        1 => RandomCell::Truth(dice.roll(2) == 0),
        2 => RandomCell::Error,
        3 => RandomCell::Packed(u32::try_from(dice.roll(1 << 30)).unwrap() << 2 | 2 | u32::from(dice.roll(2) == 0), 0),
        4 => RandomCell::Packed((46_349_u32 + u32::try_from(dice.roll(9_000)).unwrap()) << 2 | 2, format(dice)),
        5 => RandomCell::Text(random_text(dice)),
        6 => RandomCell::FormulaNumber(number(dice)),
        7 => RandomCell::FormulaText(random_text(dice)),
        8 => RandomCell::FormulaTruth(dice.roll(2) == 0),
        9 | 10 => RandomCell::Number(number(dice), format(dice)),
        _ => RandomCell::Shared(u32::try_from(dice.roll(texts)).unwrap()),
    })
}

fn long_record(kind: u32, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for mut number in [kind, u32::try_from(content.len()).unwrap()] {
        while number >= 0x80 {
            bytes.push(u8::try_from(number & 0x7F).unwrap() | 0x80);
            number >>= 7;
        }
        bytes.push(u8::try_from(number).unwrap());
    }
    [bytes, content.to_vec()].concat()
}

fn random_xlsb(dice: &mut Dice, texts: &[String]) -> Vec<u8> {
    let mut sheet = [long_record(0x0081, &[]), long_record(0x0094, &[0; 16]), long_record(0x0091, &[])].concat();
    for row in 0..ROWS {
        sheet.extend(long_record(0x0000, &[&row.to_le_bytes()[..], &[0; 13]].concat()));
        for column in 0..COLUMNS {
            let Some(cell) = random_cell(dice, texts.len()) else { continue };
            let (kind, format, content) = match cell {
                RandomCell::Number(value, format) => (0x0005, format, value.to_le_bytes().to_vec()),
                RandomCell::Packed(bits, format) => (0x0002, format, bits.to_le_bytes().to_vec()),
                RandomCell::Truth(truth) => (0x0004, 0, vec![u8::from(truth)]),
                RandomCell::Error => (0x0003, 0, vec![0x17]),
                RandomCell::Shared(number) => (0x0007, 0, number.to_le_bytes().to_vec()),
                RandomCell::Text(text) => (0x0006, 0, wide_text(&text)),
                RandomCell::FormulaNumber(value) => (0x0009, 0, [&value.to_le_bytes()[..], &[0; 10]].concat()),
                RandomCell::FormulaText(text) => (0x0008, 0, [wide_text(&text), vec![0; 10]].concat()),
                RandomCell::FormulaTruth(truth) => (0x000A, 0, [&[u8::from(truth)][..], &[0; 10]].concat()),
            };
            let cell_head = [column.to_le_bytes(), u32::from(format).to_le_bytes()].concat();
            sheet.extend(long_record(kind, &[cell_head, content].concat()));
        }
    }
    sheet.extend([long_record(0x0092, &[]), long_record(0x0082, &[])].concat());
    let count = u32::try_from(texts.len()).unwrap().to_le_bytes();
    let mut shared = long_record(0x009F, &[count, count].concat());
    for text in texts {
        shared.extend(long_record(0x0013, &[vec![0], wide_text(text)].concat()));
    }
    shared.extend(long_record(0x00A0, &[]));
    let bundled = [vec![0; 4], 1_u32.to_le_bytes().to_vec(), wide_text("rId1"), wide_text("S")].concat();
    let workbook =
        [(0x0083, &[][..]), (0x008F, &[]), (0x009C, &bundled), (0x0090, &[]), (0x009D, &[0; 4]), (0x0084, &[])];
    let workbook = workbook.map(|(kind, content)| long_record(kind, content)).concat();
    let formats =
        [0_u16, 14].map(|id| long_record(47, &[[0, id].map(u16::to_le_bytes).concat(), vec![0; 12]].concat()));
    let styles = [
        long_record(278, &[]),
        long_record(617, &2_u32.to_le_bytes()),
        formats.concat(),
        long_record(618, &[]),
        long_record(279, &[]),
    ]
    .concat();
    pack_zip(&[
        (
            "[Content_Types].xml",
            b"<Types><Override ContentType=\"application/vnd.ms-excel.sheet.binary.macroEnabled.main\"/></Types>",
        ),
        (
            "xl/_rels/workbook.bin.rels",
            br#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.bin"/></Relationships>"#,
        ),
        ("xl/workbook.bin", &workbook),
        ("xl/styles.bin", &styles),
        ("xl/sharedStrings.bin", &shared),
        ("xl/worksheets/sheet1.bin", &sheet),
    ])
}

/// Escapes a text for an XML part.
fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Decodes an `RK` number, as xls and xlsb pack it.
fn decode_rk_number(bits: u32) -> f64 {
    let whole = f64::from(bits.cast_signed() >> 2);
    if bits & 1 == 1 { whole / 100.0 } else { whole }
}

fn random_xlsx(dice: &mut Dice, texts: &[String]) -> Vec<u8> {
    let mut rows = String::new();
    for row in 1..=ROWS {
        rows += &format!("<row r=\"{row}\">");
        for column in 0..COLUMNS {
            let Some(cell) = random_cell(dice, texts.len()) else { continue };
            let address = format!("{}{row}", takt_sheet::column_letters(column));
            rows += &match cell {
                RandomCell::Number(value, format) => format!("<c r=\"{address}\" s=\"{format}\"><v>{value}</v></c>"),
                RandomCell::Packed(bits, format) => {
                    format!("<c r=\"{address}\" s=\"{format}\"><v>{}</v></c>", decode_rk_number(bits))
                }
                RandomCell::Truth(truth) => format!("<c r=\"{address}\" t=\"b\"><v>{}</v></c>", u8::from(truth)),
                RandomCell::Error => format!("<c r=\"{address}\" t=\"e\"><v>#REF!</v></c>"),
                RandomCell::Shared(number) => format!("<c r=\"{address}\" t=\"s\"><v>{number}</v></c>"),
                RandomCell::Text(text) => {
                    let text = escape_xml(&text);
                    format!("<c r=\"{address}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">{text}</t></is></c>")
                }
                RandomCell::FormulaNumber(value) => format!("<c r=\"{address}\"><f>A1*2</f><v>{value}</v></c>"),
                RandomCell::FormulaText(text) => {
                    format!("<c r=\"{address}\" t=\"str\"><f>A1&amp;B1</f><v>{}</v></c>", escape_xml(&text))
                }
                RandomCell::FormulaTruth(truth) => {
                    format!("<c r=\"{address}\" t=\"b\"><f>A1&lt;B1</f><v>{}</v></c>", u8::from(truth))
                }
            };
        }
        rows += "</row>";
    }
    let shared: String = texts
        .iter()
        .map(|text| match dice.roll(3) {
            0 => {
                format!(
                    "<si><r><t xml:space=\"preserve\">{}</t></r><r><rPr><b/></rPr><t>!</t></r></si>",
                    escape_xml(text)
                )
            }
            1 => format!("<si><t>{}</t><rPh sb=\"0\" eb=\"1\"><t>spoken</t></rPh></si>", escape_xml(text)),
            _ => format!("<si><t xml:space=\"preserve\">{}</t></si>", escape_xml(text)),
        })
        .collect();
    let shared = format!("<sst uniqueCount=\"{}\">{shared}</sst>", texts.len());
    xlsx(&rows, &Parts { shared: Some(&shared), formats: &["yyyy-mm-dd"], ..Parts::default() })
}

/// Returns an ods without errors, which calamine reads as texts, and with single blanks only within texts, because
/// calamine doesn't collapse them.
fn random_ods(dice: &mut Dice, texts: &[String]) -> Vec<u8> {
    let mut rows = String::new();
    for _ in 0..ROWS {
        rows += "<table:table-row>";
        for _ in 0..COLUMNS {
            let text = |text: &str| {
                let text = escape_xml(&text.split_whitespace().collect::<Vec<_>>().join(" "));
                format!("<table:table-cell office:value-type=\"string\"><text:p>{text}</text:p></table:table-cell>")
            };
            let number = |value: f64| {
                format!(
                    "<table:table-cell office:value-type=\"float\" office:value=\"{value}\"><text:p>{value}</text:p></table:table-cell>"
                )
            };
            let truth = |truth: bool| {
                format!(
                    "<table:table-cell office:value-type=\"boolean\" office:boolean-value=\"{truth}\"><text:p>x</text:p></table:table-cell>"
                )
            };
            rows += &match random_cell(dice, texts.len()) {
                None | Some(RandomCell::Error) => "<table:table-cell/>".to_owned(),
                Some(RandomCell::Number(value, _) | RandomCell::FormulaNumber(value)) => number(value),
                Some(RandomCell::Packed(bits, _)) => number(decode_rk_number(bits)),
                Some(RandomCell::Truth(value) | RandomCell::FormulaTruth(value)) => truth(value),
                Some(RandomCell::Shared(index)) => text(&texts[index as usize]),
                Some(RandomCell::Text(own) | RandomCell::FormulaText(own)) => text(&own),
            };
        }
        rows += "</table:table-row>";
    }
    ods("", &format!("<table:table table:name=\"S\">{rows}</table:table>"))
}

/// Returns a text of an xls, at random with one byte per character if possible.
fn encode_xls_text(dice: &mut Dice, text: &str) -> Vec<u8> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let length = u16::try_from(units.len()).unwrap().to_le_bytes();
    let is_wide = !text.is_ascii() || dice.roll(2) == 0;
    let letters = units.iter().flat_map(|unit| unit.to_le_bytes().into_iter().take(if is_wide { 2 } else { 1 }));
    [&length[..], &[u8::from(is_wide)], &letters.collect::<Vec<_>>()].concat()
}

/// Cuts the shared texts into records, between texts and within one, where the flags are repeated.
fn shared_text_records(dice: &mut Dice, texts: &[String]) -> Vec<u8> {
    let count = u32::try_from(texts.len()).unwrap().to_le_bytes();
    let (mut records, mut kind, mut content) = (Vec::new(), 0x00FC, [count, count].concat());
    let mut close = |content: &mut Vec<u8>| {
        records.extend(record(std::mem::replace(&mut kind, 0x003C), &std::mem::take(content)));
    };
    for text in texts {
        let mut letters = encode_xls_text(dice, text);
        if content.len() + letters.len() > 8_000 {
            let size = if letters[2] == 0 { 1 } else { 2 };
            let within = (letters.len() - 3) / size;
            let cut = 1 + dice.roll(within.max(2) - 1);
            // Calamine loses a character whose surrogate pair is split.
            let is_half = size == 2 && letters.get(2 + cut * 2).is_some_and(|high| (0xD8..0xDC).contains(high));
            if dice.roll(2) == 0 || within < 2 || is_half {
                close(&mut content);
            } else {
                let rest = letters.split_off(3 + cut * size);
                content.extend(&letters);
                close(&mut content);
                letters = [vec![letters[2]], rest].concat();
            }
        }
        content.extend(letters);
    }
    close(&mut content);
    records
}

fn random_xls(dice: &mut Dice, texts: &[String]) -> Vec<u8> {
    let mut records = Vec::new();
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let Some(cell) = random_cell(dice, texts.len()) else { continue };
            let cell_head = |format: u16| {
                [u16::try_from(row).unwrap(), u16::try_from(column).unwrap(), format].map(u16::to_le_bytes).concat()
            };
            let formula = |value: [u8; 8]| record(0x0006, &[cell_head(0), value.to_vec(), vec![0; 8]].concat());
            records.push(match cell {
                RandomCell::Number(value, format) => {
                    record(0x0203, &[cell_head(format), value.to_le_bytes().to_vec()].concat())
                }
                RandomCell::Packed(bits, format) => {
                    record(0x027E, &[cell_head(format), bits.to_le_bytes().to_vec()].concat())
                }
                RandomCell::Truth(truth) => record(0x0205, &[cell_head(0), vec![u8::from(truth), 0]].concat()),
                RandomCell::Error => record(0x0205, &[cell_head(0), vec![0x17, 1]].concat()),
                RandomCell::Shared(number) => record(0x00FD, &[cell_head(0), number.to_le_bytes().to_vec()].concat()),
                RandomCell::Text(text) => record(0x0204, &[cell_head(0), encode_xls_text(dice, &text)].concat()),
                RandomCell::FormulaNumber(value) => formula(value.to_le_bytes()),
                RandomCell::FormulaText(text) => {
                    [formula([0, 0, 0, 0, 0, 0, 0xFF, 0xFF]), record(0x0207, &encode_xls_text(dice, &text))].concat()
                }
                RandomCell::FormulaTruth(truth) => formula([1, 0, u8::from(truth), 0, 0, 0, 0xFF, 0xFF]),
            });
        }
    }
    let shared = shared_text_records(dice, texts);
    compound(&[("Workbook", &xls_stream_with(&[], &shared, &records))])
}

/// Excel has a February 29 of 1900, so dates before March 1900 differ by one day.
fn serial(value: DateTime) -> f64 {
    let before = if value < date(1900, 3, 1).at(0, 0, 0, 0) { 1.0 } else { 0.0 };
    value.duration_since(date(1899, 12, 30).at(0, 0, 0, 0)).as_secs_f64() / 86_400.0 - before
}

fn is_same(own: Option<CellValue<'_>>, other: Option<&Data>) -> bool {
    let number = |data: &Data| match data {
        Data::Float(value) => Some(*value),
        #[expect(clippy::cast_precision_loss, reason = "small")]
        Data::Int(value) => Some(*value as f64),
        Data::DateTime(value) => Some(value.as_f64()),
        _ => None,
    };
    match (own.unwrap_or(CellValue::Empty), other.unwrap_or(&Data::Empty)) {
        (CellValue::Empty, Data::Empty) => true,
        (CellValue::Empty, Data::String(other)) => other.is_empty(),
        (CellValue::Text(own), Data::String(other)) => own == other,
        (CellValue::Boolean(own), Data::Bool(other)) => own == *other,
        (CellValue::Error(own), Data::Error(other)) => own == other.to_string(),
        (CellValue::Number(own), other) => number(other).is_some_and(|other| own.to_bits() == other.to_bits()),
        (CellValue::DateTime(own), Data::DateTime(other)) => (serial(own) - other.as_f64()).abs() < 1e-8,
        // Calamine returns a time without a date as a date-time.
        #[expect(clippy::cast_precision_loss, reason = "less than a day")]
        (CellValue::Duration(own), Data::DateTime(other)) => {
            (own as f64 / (86_400 * TICKS_PER_SECOND) as f64 - other.as_f64()).abs() < 1e-8
        }
        _ => false,
    }
}

fn compare(sheet: &Sheet, range: &Range<Data>, what: &dyn Debug) {
    let mut compared = 0;
    let (rows, columns) = range.end().map_or((0, 0), |(row, column)| (row + 1, column + 1));
    let mut reader = sheet.rows.reader();
    for row in 0..rows.max(sheet.rows.number(sheet.rows.len().saturating_sub(1)).unwrap_or_default()) {
        let position = sheet.rows.position(row + 1);
        for column in 0..columns.max(sheet.columns) {
            let own = position.and_then(|position| reader.cell(position, column));
            let other = range.get_value((row, column));
            assert!(
                is_same(own.map(|cell| cell.value()), other),
                "{what:?}, row {row}, column {column}: {own:?}, {other:?}"
            );
            compared += 1;
        }
    }
    println!("{what:?}: {compared} places");
}

#[test]
fn another_library_reads_the_same_in_workbooks_made_by_chance() {
    let seed = seed();
    for round in 0..ROUNDS {
        let mut dice = Dice(seed.wrapping_add(round).max(1));
        let texts: Vec<String> = (0..4_000).map(|_| random_text(&mut dice)).collect();
        let bytes = random_xlsb(&mut dice, &texts);
        let mut other: Xlsb<_> = Xlsb::new(Cursor::new(bytes.clone())).unwrap();
        compare(&read(bytes, "a.xlsb").unwrap(), &other.worksheet_range("S").unwrap(), &("xlsb", seed, round));
        let bytes = random_xls(&mut dice, &texts);
        let mut other: Xls<_> = Xls::new(Cursor::new(bytes.clone())).unwrap();
        let sheet = read(bytes, "a.xls").unwrap();
        compare(&sheet, &other.worksheet_range("S").unwrap(), &("xls", seed, round));
        let bytes = random_xlsx(&mut dice, &texts);
        let mut other: Xlsx<_> = Xlsx::new(Cursor::new(bytes.clone())).unwrap();
        compare(&read(bytes, "a.xlsx").unwrap(), &other.worksheet_range("S").unwrap(), &("xlsx", seed, round));
        let bytes = random_ods(&mut dice, &texts);
        let mut other: Ods<_> = Ods::new(Cursor::new(bytes.clone())).unwrap();
        compare(&read(bytes, "a.ods").unwrap(), &other.worksheet_range("S").unwrap(), &("ods", seed, round));
    }
}

/// Compares each sheet of the samples and of the files in the folder `TAKT_REFEREE`, if both libraries read it.
#[test]
fn another_library_reads_the_same_in_files_at_hand() {
    let reader_process = ReaderProcess::new(PathBuf::from(env!("CARGO_BIN_EXE_sheet-reader")));
    let limits = Limits { reader_process: Some(reader_process), ..Limits::default() };
    let own =
        ["tests/data", "../../../tests/data/samples"].map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let folders = own.into_iter().chain(env::var_os("TAKT_REFEREE").map(PathBuf::from));
    let mut compared = 0;
    for path in folders.flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path()) {
        let (Ok(mut other), Ok(own)) = (calamine::open_workbook_auto(&path), Workbook::open(&path, &limits)) else {
            continue;
        };
        for entry in own.sheets() {
            let Ok(range) = other.worksheet_range(&entry.name) else { continue };
            match own.read(&entry.name, &limits, &|| false) {
                Ok(sheet) => compare(&sheet, &range, &(&path, &entry.name)),
                Err(SheetError::Unsupported(what)) => println!("{}: {what}", path.display()),
                Err(error) => panic!("{}: {error}", path.display()),
            }
            compared += 1;
        }
    }
    assert!(compared >= 10, "{compared}");
}
