//! Markup that report programs write under a workbook's name: XML spreadsheets of 2003, and web pages with tables.

mod html;
mod xml;

use encoding_rs::Encoding;

use crate::{Limits, Sheet, SheetEntry, SheetError, text, watch::Watch};

/// How far into a file its letters may be named.
const HEAD: usize = 4096;

/// What a text that begins like markup is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Markup {
    XmlSpreadsheet,
    Html,
}

pub(crate) fn sheets(bytes: &[u8], markup: Markup, stem: &str, limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    let text = decode(bytes);
    match markup {
        Markup::XmlSpreadsheet => xml::sheets(&text, limits),
        Markup::Html => html::sheets(&text, stem, limits),
    }
}

/// `position` is the sheet's place in the list.
pub(crate) fn read(
    bytes: &[u8],
    markup: Markup,
    (position, name): (usize, &str),
    limits: &Limits,
    watch: &Watch<'_>,
) -> Result<Sheet, SheetError> {
    let text = decode(bytes);
    match markup {
        Markup::XmlSpreadsheet => xml::read(&text, (position, name), limits, watch),
        Markup::Html => html::read(&text, (position, name), limits, watch),
    }
}

/// By its mark, else by what the head names (`encoding="…"`, `charset=…`), else by its bytes.
fn decode(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    let named = || {
        let head = String::from_utf8_lossy(bytes.get(..HEAD).unwrap_or(bytes)).to_ascii_lowercase();
        let rest = ["encoding=", "charset="].iter().find_map(|word| head.split_once(word))?.1;
        let rest = rest.trim_start_matches(['"', '\'']);
        let name: String =
            rest.chars().take_while(|letter| letter.is_ascii_alphanumeric() || "-_:.".contains(*letter)).collect();
        Encoding::for_label(name.as_bytes())
    };
    // Who names UTF-8 and writes something else, or UTF-16 in letters of one byte, isn't believed.
    match named() {
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
