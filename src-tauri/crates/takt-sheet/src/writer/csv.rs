//! csv out: UTF-8 with a byte order mark, so that Excel reads its letters right.

use std::{io::Write, path::Path};

use super::{OutCell, OutSheet, atomic};
use crate::{
    Cell, SheetError,
    serial::{date_time_text, duration_text},
};

const BYTE_ORDER_MARK: &str = "\u{FEFF}";

/// Writes a sheet as csv with commas.
///
/// # Errors
/// Where the file can't be written.
pub fn write_csv(path: &Path, sheet: &OutSheet) -> Result<(), SheetError> {
    atomic::write(path, |out| {
        let mut line = front(sheet);
        out.write_all(line.as_bytes()).map_err(atomic::failed)?;
        for row in &sheet.rows {
            line.clear();
            push_row(&mut line, row);
            out.write_all(line.as_bytes()).map_err(atomic::failed)?;
        }
        Ok(())
    })
}

/// Writes bytes that are a csv already, for example in an old encoding.
///
/// # Errors
/// Where the cells can't be written as a file.
pub fn write_csv_bytes(path: &Path, bytes: &[u8]) -> Result<(), SheetError> {
    atomic::write(path, |out| out.write_all(bytes).map_err(atomic::failed))
}

/// What stands above the rows.
pub(super) fn front(sheet: &OutSheet) -> String {
    let mut lines = BYTE_ORDER_MARK.to_owned();
    for title in &sheet.title {
        push_line(&mut lines, std::iter::once(guarded(title)));
    }
    push_line(&mut lines, sheet.columns.iter().map(|column| guarded(&column.heading)));
    lines
}

pub(super) fn push_row(line: &mut String, cells: &[OutCell]) {
    push_line(line, cells.iter().map(field));
}

/// The first line of a csv, with the mark by which spreadsheets know its encoding.
#[must_use]
pub fn csv_heading<'a>(headings: impl Iterator<Item = &'a str>) -> String {
    let mut line = BYTE_ORDER_MARK.to_owned();
    push_line(&mut line, headings.map(guarded));
    line
}

/// One row of a csv, with its line's end.
#[must_use]
pub fn csv_row(cells: &[OutCell]) -> String {
    let mut line = String::new();
    push_line(&mut line, cells.iter().map(field));
    line
}

fn push_line(line: &mut String, fields: impl Iterator<Item = String>) {
    for (index, field) in fields.enumerate() {
        if index > 0 {
            line.push(',');
        }
        if field.contains(['"', ',', ';', '\n', '\r', '\t']) {
            line.push('"');
            line.push_str(&field.replace('"', "\"\""));
            line.push('"');
        } else {
            line.push_str(&field);
        }
    }
    line.push_str("\r\n");
}

fn field(cell: &OutCell) -> String {
    match cell {
        OutCell::Empty => String::new(),
        OutCell::Text(text) => guarded(text),
        OutCell::Number(value) | OutCell::FormattedNumber(value, _) => Cell::number(*value).shown().into_owned(),
        OutCell::DateTime(value) => date_time_text(*value),
        OutCell::Duration(ticks) => duration_text(*ticks),
        OutCell::Boolean(value) => value.to_string(),
    }
}

/// A spreadsheet takes a text in a csv for a formula by its first character; a quote in front stops that. A number needs none.
fn guarded(text: &str) -> String {
    let risky = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let is_number = text.parse::<f64>().is_ok_and(f64::is_finite);
    if risky && !is_number { format!("'{text}") } else { text.to_owned() }
}
