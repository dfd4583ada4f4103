//! A part that calamine reads directly gives the same as one that is rewritten first. A comment before each row and
//! each shared text causes a rewrite.

use std::{
    io::{Cursor, Read},
    mem::discriminant,
    path::PathBuf,
};

use takt_sheet::{CellValue, Limits, Sheet, SheetError, Workbook};
use zip::ZipArchive;

use crate::support::{Dice, Parts, cell_at, pack_zip, read, xlsx};

const CASES: usize = 400;

/// Returns the file with a comment before each row and each shared text, or `None` if a part can't be unpacked.
fn with_row_comments(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
    let mut parts: Vec<(String, Vec<u8>)> = Vec::new();
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).ok()?;
        let name = part.name().ok()?.into_owned();
        let mut content = Vec::new();
        part.read_to_end(&mut content).ok()?;
        let row = if name.contains("worksheets/") { Some("<row") } else { None };
        if let Some(tag) = row.or_else(|| name.contains("haredStrings").then_some("<si")) {
            content = with_comments(&content, tag);
        }
        parts.push((name, content));
    }
    Some(pack_zip(&parts.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect::<Vec<_>>()))
}

/// Inserts a comment before every element of this name. Elements with longer names that begin with it are skipped.
pub(crate) fn with_comments(content: &[u8], tag: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(content.len() * 2);
    let mut from = 0;
    while let Some(&byte) = content.get(from) {
        let behind = content.get(from + tag.len());
        if content[from..].starts_with(tag.as_bytes()) && behind.is_some_and(|byte| b" >/\n\r\t".contains(byte)) {
            out.extend(b"<!-- a comment -->");
        }
        out.push(byte);
        from += 1;
    }
    out
}

pub(crate) fn is_same(one: &Result<Sheet, SheetError>, other: &Result<Sheet, SheetError>) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => one == other,
        (Err(one), Err(other)) => discriminant(one) == discriminant(other),
        _ => false,
    }
}

pub(crate) fn pick<'a>(dice: &mut Dice, choices: &[&'a str]) -> &'a str {
    choices[dice.roll(choices.len())]
}

fn random_text(dice: &mut Dice) -> String {
    let pieces = [
        "WO-1",
        " ",
        "ä",
        "&amp;",
        "&lt;",
        "&#10;",
        "&#xE4;",
        "\n",
        "\r\n",
        "_x000D_",
        "_x005F_",
        "7",
        "]]",
        ">",
        "\"",
        "'",
        "\t",
        "<![CDATA[x]]>",
        "<!-- c -->",
        "&other;",
        "😀",
        "12",
        ".5",
        "e3",
        "-",
        "inf",
        "NaN",
        "0",
    ];
    (0..dice.roll(4)).map(|_| pick(dice, &pieces)).collect()
}

fn random_cell(dice: &mut Dice, row: usize, column: usize) -> String {
    let letters = takt_sheet::column_letters(u32::try_from(column).unwrap());
    let address = match dice.roll(12) {
        0 => String::new(),
        1 => format!(" r=\"{}{row}\"", letters.to_lowercase()),
        2 => format!(" r=\" {letters}{row}\""),
        3 => format!(" r='{letters}{}'", row + dice.roll(3)),
        _ => format!(" r=\"{letters}{row}\""),
    };
    let kinds =
        ["", " t=\"n\"", " t=\"s\"", " t=\"str\"", " t=\"inlineStr\"", " t=\"b\"", " t=\"e\"", " t=\"d\"", " t=\"x\""];
    let kind = pick(dice, &kinds);
    let style =
        pick(dice, &["", "", " s=\"1\"", " s=\"2\"", " s=\"77\"", " s=\"x\"", " s=\"99999999999\"", " cm=\"1\""]);
    let space = pick(dice, &["", "", "", " xml:space=\"preserve\""]);
    let value = match (kind, dice.roll(8)) {
        (_, 0) => random_text(dice),
        (" t=\"s\"", _) => dice.roll(5).to_string(),
        (" t=\"str\"", _) => random_text(dice),
        (" t=\"b\"", _) => pick(dice, &["0", "1", "true", "2"]).to_owned(),
        (" t=\"e\"", _) => "#REF!".to_owned(),
        (" t=\"d\"", _) => "2026-11-23T06:00:00".to_owned(),
        _ => pick(dice, &["46349.25", "7", "-1.5E3", "0.1", "123456789012345678", " 5 ", "1e400"]).to_owned(),
    };
    let formulas = [
        "",
        "",
        "",
        "<f>A1&amp;B1</f>",
        "<f t=\"shared\" si=\"0\"/>",
        "<f t=\"shared\" ref=\"A1:B2\" si=\"0\">IF(A1>3,1)</f>",
        "<f ca='1' aca=\">\">A1</f>",
        "<f></f>",
        "<f><![CDATA[x]]></f>",
        "<fx>7</fx>",
    ];
    let formula = pick(dice, &formulas);
    let inline = random_text(dice);
    let own = pick(dice, &["", "", " xml:space=\"preserve\"", " xml:space=\"default\""]);
    let content = match (kind, dice.roll(9)) {
        (_, 0) => return format!("<c{address}{style}{kind}/>"),
        (_, 1) => String::new(),
        (_, 2) => format!("{formula}<v></v>"),
        (_, 3) => format!("{formula}<v/>"),
        (" t=\"inlineStr\"", 4) => format!("<is><r><t>{inline}</t></r><r><t{own}>b</t></r></is>"),
        (" t=\"inlineStr\"", _) => format!("<is><t{own}>{inline}</t></is>"),
        (_, 4) => format!("<v>{value}</v>{formula}"),
        (_, 5) => format!("{formula}<v{own}>{value}</v>"),
        _ => format!("{formula}<v>{value}</v>"),
    };
    let blank = pick(dice, &["", "", "", "\n  "]);
    format!("<c{address}{style}{kind}{space}>{blank}{content}{blank}</c>{blank}")
}

fn random_rows(dice: &mut Dice) -> String {
    let mut rows = String::new();
    let mut number = 0;
    for _ in 0..2 + dice.roll(6) {
        number += 1 + dice.roll(2);
        let number_attribute = match dice.roll(8) {
            0 => String::new(),
            1 => format!(" r=\" {number} \""),
            _ => format!(" r=\"{number}\""),
        };
        let looks = pick(
            dice,
            &["", " spans=\"1:4\"", " hidden=\"1\"", " hidden=\"on\"", " hidden=\"0\"", " x14ac:dyDescent=\"0.2\""],
        );
        if dice.roll(9) == 0 {
            rows += &format!("<row{number_attribute}{looks}/>");
            continue;
        }
        let cells: String = (0..dice.roll(5)).map(|column| random_cell(dice, number, column)).collect();
        rows += &format!("<row{number_attribute}{looks}>{cells}</row>{}", pick(dice, &["", "", "\r\n"]));
    }
    rows
}

#[test]
fn rows_say_the_same_in_whichever_way_they_are_read() {
    let seed = std::env::var("TAKT_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0x5EED_u64);
    println!("TAKT_SEED={seed}");
    let mut dice = Dice(seed);
    let mut read_whole = 0;
    for case in 0..CASES {
        let root = pick(&mut dice, &["", "", " xml:space=\"preserve\""]);
        let shared: String = (0..4)
            .map(|_| {
                let (text, own) = (random_text(&mut dice), pick(&mut dice, &["", " xml:space=\"preserve\""]));
                match dice.roll(6) {
                    0 => format!("<si{own}><t>{text}</t></si>"),
                    1 => "<si><t/></si>".to_owned(),
                    2 => format!("<si><r><t>{text}</t></r><rPh><t>x</t></rPh></si>"),
                    _ => format!("<si><t{own}>{text}</t></si>"),
                }
            })
            .collect();
        let shared = format!("<sst{root}>{shared}</sst>");
        let parts = Parts { shared: Some(&shared), formats: &["yyyy-mm-dd", "[h]:mm"], ..Parts::default() };
        let rows = random_rows(&mut dice);
        let bytes = xlsx(&rows, &parts);
        let (regular, by_xml) = (read(bytes.clone(), "a.xlsx"), read(with_row_comments(&bytes).unwrap(), "a.xlsx"));
        assert!(is_same(&regular, &by_xml), "case {case}: {regular:?} is not {by_xml:?}, of {rows} and {shared}");
        read_whole += usize::from(regular.is_ok());
    }
    assert!(read_whole > CASES / 4, "only {read_whole} could be read at all");
}

#[test]
fn files_of_other_programs_say_the_same_in_whichever_way_they_are_read() {
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let folders = std::env::var_os("TAKT_CORPUS").map(PathBuf::from).into_iter().chain([own]);
    let mut files: Vec<PathBuf> = Vec::new();
    folders.for_each(|folder| collect_files(&folder, &mut files));
    let mut compared = 0;
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        let limits = Limits::default();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Ok(one) = Workbook::from_bytes(bytes.clone(), &name, &limits) else { continue };
        let Some(with_row_comments) = with_row_comments(&bytes) else { continue };
        let Ok(other) = Workbook::from_bytes(with_row_comments, &name, &limits) else { continue };
        for sheet in one.sheets() {
            let sheets = (one.read(&sheet.name, &limits, &|| false), other.read(&sheet.name, &limits, &|| false));
            assert!(is_same(&sheets.0, &sheets.1), "{}: {}", path.display(), sheet.name);
            compared += 1;
        }
    }
    println!("{compared} sheets");
    assert!(compared > 0);
}

fn collect_files(folder: &std::path::Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect_files(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "xlsx" || ending == "xlsm") {
            files.push(path);
        }
    }
}

#[test]
fn rows_that_are_longer_than_what_is_held_are_read() {
    let long = "ä".repeat(400_000);
    let cells: String = (0..12)
        .map(|column| {
            let letters = takt_sheet::column_letters(column);
            format!(r#"<c r="{letters}2" t="inlineStr"><is><t>{column}{long}</t></is></c>"#)
        })
        .collect();
    let last = r#"<row r="3"><c r="A3"><v>7</v></c></row>"#;
    let rows = format!(r#"<row r="1"><c r="A1"><v>1</v></c></row><row r="2">{cells}</row>{last}"#);
    let sheet = read(xlsx(&rows, &Parts::default()), "a.xlsx").unwrap();
    assert_eq!((sheet.cells, cell_at(&sheet, "A3").value()), (14, CellValue::Number(7.0)));
    assert!(cell_at(&sheet, "L2").shown().starts_with("11ä"));
}

#[test]
fn cells_behind_an_element_without_content_are_no_rows() {
    let rows = r#"</sheetData><sheetData/><row r="1"><c r="A1"><v>1</v></c></row><sheetData>"#;
    let sheet = read(xlsx(rows, &Parts::default()), "a.xlsx");
    assert!(sheet.is_ok_and(|sheet| sheet.cells == 0));
}
