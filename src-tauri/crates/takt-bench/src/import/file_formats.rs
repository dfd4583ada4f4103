//! Writes the measured rows in other formats: inline texts, a formula and a style in every cell, OpenDocument, and
//! Excel's binary formats. The files have the structure that programs other than Excel write.

use std::{
    fmt::Write as _,
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use zip::{ZipWriter, result::ZipError, write::SimpleFileOptions};

use crate::{
    error::{BenchError, unexpected_result},
    import::{
        binary_formats::{RELATIONSHIPS_NAMESPACE, relationships_xml, write_xls, write_xlsb},
        files::{FIRST_SERIAL, MAKE_ROWS, date_time_text, to_days, write_once},
        readers::hidden_program_on,
        rows::{Value, numbered_rows},
    },
    process::{folder, run_captured},
};

/// A format of the measured rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileFormat {
    InlineTexts,
    FormulasAndStyles,
    OpenDocument,
    Binary,
    Legacy,
}

pub(crate) const FILE_FORMATS: [FileFormat; 5] = [
    FileFormat::InlineTexts,
    FileFormat::FormulasAndStyles,
    FileFormat::OpenDocument,
    FileFormat::Binary,
    FileFormat::Legacy,
];

const SPREADSHEET_NAMESPACE: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/// Indexes of the cell formats in `styles.xml`.
const DATE_TIME_STYLE: u32 = 1;
const DURATION_STYLE: u32 = 2;
const FRAMED_STYLE: u32 = 3;

impl FileFormat {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::InlineTexts => "xlsx, texts in the cells themselves",
            Self::FormulasAndStyles => "xlsx, a formula and a style in every cell",
            Self::OpenDocument => "ods",
            Self::Binary => "xlsb",
            Self::Legacy => "xls",
        }
    }

    /// Returns the goal for `takt check`: its maximum time as a multiple of calamine's time.
    pub(crate) fn max_time_ratio(self) -> f64 {
        match self {
            Self::InlineTexts | Self::FormulasAndStyles => 1.5,
            Self::OpenDocument | Self::Binary | Self::Legacy => 1.0,
        }
    }

    /// Returns the file's path. A missing file is written in a separate process, see
    /// [`Files::prepare`](super::files::Files::prepare).
    pub(crate) fn prepare(self, rows: u32, seed: u64) -> Result<PathBuf, BenchError> {
        let folder = folder().join("import");
        let index = FILE_FORMATS.iter().position(|format| *format == self).unwrap_or_default();
        let mut command = hidden_program_on(MAKE_ROWS, &folder)?;
        command.args([rows.to_string(), seed.to_string(), index.to_string()]);
        run_captured(command)?;
        self.prepare_in(&folder, rows, seed)
    }

    /// Like [`FileFormat::prepare`], but in this process.
    pub(crate) fn prepare_in(self, folder: &Path, rows: u32, seed: u64) -> Result<PathBuf, BenchError> {
        let (name, ending) = match self {
            Self::InlineTexts => ("inline", "xlsx"),
            Self::FormulasAndStyles => ("formulas", "xlsx"),
            Self::OpenDocument => ("open-document", "ods"),
            Self::Binary => ("binary", "xlsb"),
            Self::Legacy => ("legacy", "xls"),
        };
        let path = folder.join(format!("{name}-{rows}-{seed}.{ending}"));
        write_once(&path, |path| {
            let written = match self {
                Self::OpenDocument => write_ods(path, rows, seed),
                Self::Binary => write_xlsb(path, rows, seed),
                Self::Legacy => write_xls(path, rows, seed).map_err(ZipError::from),
                Self::InlineTexts | Self::FormulasAndStyles => write_xlsx(path, self, rows, seed),
            };
            written.map_err(|error| unexpected_result(self.name(), &error.to_string()))
        })?;
        Ok(path)
    }
}

fn write_xlsx(path: &Path, format: FileFormat, rows: u32, seed: u64) -> Result<(), ZipError> {
    let mut zip = ZipWriter::new(BufWriter::new(File::create(path)?));
    let types = "application/vnd.openxmlformats-officedocument.spreadsheetml";
    let parts = [
        (
            "[Content_Types].xml",
            format!(
                r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="{types}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="{types}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="{types}.styles+xml"/></Types>"#
            ),
        ),
        ("_rels/.rels", relationships_xml(&[("rId1", "officeDocument", "xl/workbook.xml")])),
        (
            "xl/workbook.xml",
            format!(
                r#"<workbook xmlns="{SPREADSHEET_NAMESPACE}" xmlns:r="{RELATIONSHIPS_NAMESPACE}"><sheets><sheet name="Orders" sheetId="1" r:id="rId1"/></sheets></workbook>"#
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            relationships_xml(&[("rId1", "worksheet", "worksheets/sheet1.xml"), ("rId2", "styles", "styles.xml")]),
        ),
        (
            "xl/styles.xml",
            format!(
                r#"<styleSheet xmlns="{SPREADSHEET_NAMESPACE}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy-mm-dd hh:mm"/><numFmt numFmtId="165" formatCode="[h]:mm"/></numFmts><cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="0" borderId="1"/></cellXfs></styleSheet>"#
            ),
        ),
    ];
    for (name, content) in parts {
        zip.start_file(name, SimpleFileOptions::default())?;
        zip.write_all(content.as_bytes())?;
    }
    zip.start_file("xl/worksheets/sheet1.xml", SimpleFileOptions::default())?;
    write!(zip, r#"<worksheet xmlns="{SPREADSHEET_NAMESPACE}"><sheetData>"#)?;
    write_rows(&mut zip, rows, seed, |text, number, values| {
        let _ = write!(text, r#"<row r="{number}">"#);
        for (column, value) in ('A'..).zip(values) {
            xlsx_cell(text, format, column, number, value);
        }
        text.push_str("</row>");
    })?;
    zip.write_all(b"</sheetData></worksheet>")?;
    zip.finish()?.flush()?;
    Ok(())
}

/// Appends a cell. Writing to a `String` can't fail.
fn xlsx_cell(text: &mut String, format: FileFormat, column: char, number: u32, value: &Value) {
    let has_formula = format == FileFormat::FormulasAndStyles;
    let formula = if has_formula { "<f>IF(TRUE,0,0)</f>" } else { "" };
    let style = |own: u32| match (own, has_formula) {
        (0, true) => format!(r#" s="{FRAMED_STYLE}""#),
        (0, false) => String::new(),
        (own, _) => format!(r#" s="{own}""#),
    };
    let cell = format!("{column}{number}");
    let _ = match value {
        Value::Empty => return,
        Value::Text(own) if has_formula => {
            write!(text, r#"<c r="{cell}"{} t="str">{formula}<v>{own}</v></c>"#, style(0))
        }
        Value::Text(own) => write!(text, r#"<c r="{cell}" t="inlineStr"><is><t>{own}</t></is></c>"#),
        Value::Flag(flag) => {
            write!(text, r#"<c r="{cell}"{} t="b">{formula}<v>{}</v></c>"#, style(0), u8::from(*flag))
        }
        Value::Number(value) => write!(text, r#"<c r="{cell}"{}>{formula}<v>{value}</v></c>"#, style(0)),
        Value::Moment(minutes) => {
            let serial = FIRST_SERIAL + to_days(*minutes);
            write!(text, r#"<c r="{cell}"{}>{formula}<v>{serial}</v></c>"#, style(DATE_TIME_STYLE))
        }
        Value::Minutes(minutes) => {
            write!(text, r#"<c r="{cell}"{}>{formula}<v>{}</v></c>"#, style(DURATION_STYLE), to_days(*minutes))
        }
    };
}

fn write_ods(path: &Path, rows: u32, seed: u64) -> Result<(), ZipError> {
    let mut zip = ZipWriter::new(BufWriter::new(File::create(path)?));
    zip.start_file("mimetype", SimpleFileOptions::default())?;
    zip.write_all(b"application/vnd.oasis.opendocument.spreadsheet")?;
    zip.start_file("META-INF/manifest.xml", SimpleFileOptions::default())?;
    zip.write_all(br#"<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>"#)?;
    zip.start_file("content.xml", SimpleFileOptions::default())?;
    zip.write_all(br#"<?xml version="1.0" encoding="UTF-8"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet><table:table table:name="Orders">"#)?;
    write_rows(&mut zip, rows, seed, |text, _, values| {
        text.push_str("<table:table-row>");
        values.iter().for_each(|value| ods_cell(text, value));
        text.push_str("</table:table-row>");
    })?;
    zip.write_all(b"</table:table></office:spreadsheet></office:body></office:document-content>")?;
    zip.finish()?.flush()?;
    Ok(())
}

fn ods_cell(text: &mut String, value: &Value) {
    let (kind, shown) = match value {
        Value::Empty => {
            text.push_str("<table:table-cell/>");
            return;
        }
        Value::Text(own) => (r#""string""#.to_owned(), own.clone()),
        Value::Flag(flag) => (format!(r#""boolean" office:boolean-value="{flag}""#), flag.to_string().to_uppercase()),
        Value::Number(value) => (format!(r#""float" office:value="{value}""#), value.to_string()),
        Value::Moment(minutes) => {
            let shown = date_time_text(*minutes);
            (format!(r#""date" office:date-value="{}:00""#, shown.replace(' ', "T")), shown)
        }
        Value::Minutes(minutes) => {
            let (hours, rest) = (minutes / 60, minutes % 60);
            (format!(r#""time" office:time-value="PT{hours:02}H{rest:02}M00S""#), format!("{hours}:{rest:02}"))
        }
    };
    let _ = write!(text, "<table:table-cell office:value-type={kind}><text:p>{shown}</text:p></table:table-cell>");
}

/// Writes the header row and the rows with `write_row`, which gets their number.
fn write_rows(
    out: &mut impl Write,
    rows: u32,
    seed: u64,
    write_row: impl Fn(&mut String, u32, &[Value]),
) -> Result<(), io::Error> {
    let mut text = String::new();
    for (number, values) in numbered_rows(rows, seed) {
        text.clear();
        write_row(&mut text, number, &values);
        out.write_all(text.as_bytes())?;
    }
    Ok(())
}
