//! The XML of a sheet and its cells. Texts are marked as texts, escaped, and without characters that XML or Excel don't
//! allow.

use std::{fmt::Write as _, io::Write};

use quick_xml::escape::partial_escape;

use super::{
    atomic,
    out_sheet::{OutCell, OutSheet},
};
use crate::{
    Cell, CellAddress, SheetError, column_letters,
    serial::{format_date_time, format_duration},
};

/// Excel's limit, in UTF-16 units.
const MAX_TEXT_LENGTH: usize = 32_767;
const CUT_MARK: char = '…';
/// In UTF-16 units.
const MAX_CHARACTER_LENGTH: usize = 2;

const XML_HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
    <worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">";

/// Writes a sheet without styles, for a package that has the planner's styles. Dates and durations are written as
/// texts, because without a style they would be plain numbers.
pub(super) fn write_plain_sheet(out: &mut impl Write, sheet: &OutSheet) -> Result<(), SheetError> {
    let mut text = XML_HEAD.to_owned();
    let heading_row = u32::try_from(sheet.title.len()).unwrap_or_default() + 1;
    if !sheet.columns.is_empty() {
        text.push_str(&format!(
            "<sheetViews><sheetView workbookViewId=\"0\"><pane ySplit=\"{heading_row}\" topLeftCell=\"A{below}\" \
             activePane=\"bottomLeft\" state=\"frozen\"/></sheetView></sheetViews><cols>",
            below = heading_row + 1
        ));
        for (number, column) in (1..).zip(&sheet.columns) {
            let width = column.width;
            text.push_str(&format!("<col min=\"{number}\" max=\"{number}\" width=\"{width}\" customWidth=\"1\"/>"));
        }
        text.push_str("</cols>");
    }
    text.push_str("<sheetData>");
    let titles = sheet.title.iter().map(|title| vec![OutCell::from(title.as_str())]);
    let headings = sheet.columns.iter().map(|column| OutCell::from(column.heading.as_str())).collect::<Vec<_>>();
    let headings = Some(headings).filter(|headings| !headings.is_empty());
    let mut row = 0;
    for cells in titles.chain(headings) {
        row += 1;
        push_row(&mut text, row, &cells);
    }
    for cells in &sheet.rows {
        row += 1;
        push_row(&mut text, row, cells);
        out.write_all(text.as_bytes()).map_err(atomic::write_error)?;
        text.clear();
    }
    text.push_str("</sheetData></worksheet>");
    out.write_all(text.as_bytes()).map_err(atomic::write_error)
}

fn push_row(text: &mut String, row: u32, cells: &[OutCell]) {
    text.push_str(&format!("<row r=\"{row}\">"));
    for (column, cell) in (0..).zip(cells) {
        let address = CellAddress { row, column };
        match cell {
            OutCell::Empty => {}
            OutCell::Text(value) => push_text_cell(text, "", address, None, value),
            OutCell::Number(value) if value.is_finite() => push_number_cell(text, address, *value),
            OutCell::Number(value) => push_text_cell(text, "", address, None, &value.to_string()),
            OutCell::FormattedNumber(value, _) => {
                push_text_cell(text, "", address, None, &Cell::number(*value).shown())
            }
            OutCell::DateTime(value) => push_text_cell(text, "", address, None, &format_date_time(*value)),
            OutCell::Duration(ticks) => push_text_cell(text, "", address, None, &format_duration(*ticks)),
            OutCell::Boolean(value) => push_text_cell(text, "", address, None, if *value { "TRUE" } else { "FALSE" }),
        }
    }
    text.push_str("</row>");
}

/// Appends a text cell, whatever the text begins with. `prefix` is the prefix of the namespace with its colon.
pub(super) fn push_text_cell(out: &mut String, prefix: &str, address: CellAddress, style: Option<&str>, text: &str) {
    let CellAddress { row, column } = address;
    let letters = column_letters(column);
    // Writing to a String can't fail.
    let _ = write!(out, "<{prefix}c r=\"{letters}{row}\"");
    if let Some(style) = style {
        let _ = write!(out, " s=\"{style}\"");
    }
    let text = shorten_text(&clean_text(text));
    let text = partial_escape(text.as_str());
    let _ = write!(
        out,
        " t=\"inlineStr\"><{prefix}is><{prefix}t xml:space=\"preserve\">{text}</{prefix}t></{prefix}is></{prefix}c>"
    );
}

/// Appends a number cell without a style.
fn push_number_cell(out: &mut String, address: CellAddress, value: f64) {
    let CellAddress { row, column } = address;
    let letters = column_letters(column);
    let _ = write!(out, "<c r=\"{letters}{row}\"><v>{value}</v></c>");
}

/// Cuts a text to the length that Excel allows, and marks the cut.
pub(super) fn shorten_text(text: &str) -> String {
    if text.encode_utf16().count() <= MAX_TEXT_LENGTH {
        return text.to_owned();
    }
    let mut units = 1;
    let shortened = text.chars().take_while(|character| {
        units += character.len_utf16();
        units <= MAX_TEXT_LENGTH
    });
    shortened.chain(std::iter::once(CUT_MARK)).collect()
}

/// Returns whether a cell's text may be the beginning of a longer one, which was cut when the workbook was written.
#[must_use]
pub fn is_truncated_text(text: &str) -> bool {
    // UTF-8 text never has fewer bytes than UTF-16 units.
    let is_long = text.len() > MAX_TEXT_LENGTH - MAX_CHARACTER_LENGTH && text.ends_with(CUT_MARK);
    is_long && (MAX_TEXT_LENGTH + 1 - MAX_CHARACTER_LENGTH..=MAX_TEXT_LENGTH).contains(&text.encode_utf16().count())
}

/// Removes control characters, and escapes texts such as `_x0041_`, which Excel would decode.
fn clean_text(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        match character {
            '\r' => {
                if !rest.as_str().starts_with('\n') {
                    cleaned.push('\n');
                }
            }
            '\u{fffe}' | '\u{ffff}' => {}
            '\t' | '\n' => cleaned.push(character),
            '_' if is_escape(rest.as_str()) => cleaned.push_str("_x005F_"),
            _ if character.is_control() => {}
            _ => cleaned.push(character),
        }
    }
    cleaned
}

/// Returns whether the characters after an underscore make it an escape (`_xHHHH_`).
fn is_escape(rest: &str) -> bool {
    let rest = rest.as_bytes();
    rest.len() >= 6
        && rest.first() == Some(&b'x')
        && rest.get(1..5).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
        && rest.get(5) == Some(&b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_cleaned() {
        let mut out = String::new();
        push_text_cell(
            &mut out,
            "x:",
            CellAddress { row: 7, column: 27 },
            Some("3"),
            "=1+\"1\" <b>&\u{0}\u{1b}\r\n_x0041_ _x",
        );
        assert_eq!(
            out,
            "<x:c r=\"AB7\" s=\"3\" t=\"inlineStr\"><x:is><x:t xml:space=\"preserve\">=1+\"1\" &lt;b&gt;&amp;\n_x005F_x0041_ \
             _x</x:t></x:is></x:c>"
        );
        assert_eq!(clean_text("a\rb\r\nc"), "a\nb\nc");
    }

    #[test]
    fn a_text_longer_than_a_cell_is_cut() {
        let cut = shorten_text(&"🏭".repeat(20_000));
        assert!(cut.ends_with('…') && cut.encode_utf16().count() <= MAX_TEXT_LENGTH);
    }
}
