//! Markup that report programs write with a workbook's extension: XML spreadsheets of 2003, and web pages with tables.

mod html;
mod xml;

use encoding_rs::Encoding;

use crate::{Limits, Sheet, SheetEntry, SheetError, progress::ProgressReporter, text};

/// The number of bytes at the start of a file that are searched for a declaration of the encoding.
const HEAD_BYTES: usize = 4096;

/// The kind of a text that begins like markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Markup {
    XmlSpreadsheet,
    Html,
}

/// Lists the sheets. The tables of a web page are named after the file's stem.
pub(crate) fn list_sheets(
    bytes: &[u8],
    markup: Markup,
    stem: &str,
    limits: &Limits,
) -> Result<Vec<SheetEntry>, SheetError> {
    let text = decode(bytes);
    match markup {
        Markup::XmlSpreadsheet => xml::list_sheets(&text, limits),
        Markup::Html => html::list_sheets(&text, stem, limits),
    }
}

/// Reads a sheet. `position` is the sheet's index in the list.
pub(crate) fn read_sheet(
    bytes: &[u8],
    markup: Markup,
    position: usize,
    name: &str,
    limits: &Limits,
    progress: &ProgressReporter<'_>,
) -> Result<Sheet, SheetError> {
    let text = decode(bytes);
    match markup {
        Markup::XmlSpreadsheet => xml::read_sheet(&text, position, name, limits, progress),
        Markup::Html => html::read_sheet(&text, position, name, limits, progress),
    }
}

/// Decodes a file by its byte order mark, else by its declared encoding (`encoding="…"`, `charset=…`), else by its
/// bytes.
fn decode(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    let declared = || {
        let head = String::from_utf8_lossy(bytes.get(..HEAD_BYTES).unwrap_or(bytes)).to_ascii_lowercase();
        let rest = ["encoding=", "charset="].iter().find_map(|word| head.split_once(word))?.1;
        let rest = rest.trim_start_matches(['"', '\'']);
        let name: String =
            rest.chars().take_while(|letter| letter.is_ascii_alphanumeric() || "-_:.".contains(*letter)).collect();
        Encoding::for_label(name.as_bytes())
    };
    // A declaration of UTF-8 or UTF-16 isn't trusted, because files with other encodings have it too.
    match declared() {
        Some(encoding)
            if Encoding::for_bom(bytes).is_none()
                && encoding.is_ascii_compatible()
                && encoding != encoding_rs::UTF_8 =>
        {
            encoding.decode_without_bom_handling(bytes).0
        }
        _ => text::decode(bytes),
    }
}
