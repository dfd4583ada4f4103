//! Writes csv in UTF-8 with a byte order mark, so that Excel detects the encoding. No text becomes a formula, and
//! reading returns each text unchanged.

use std::{borrow::Cow, io::Write, path::Path};

use super::{
    atomic,
    out_sheet::{OutCell, OutSheet},
};
use crate::{
    Cell, SheetError,
    csv_dialect::{BYTE_ORDER_MARK, push_first_line, push_line},
    formula_guard::guard,
    serial::{date_time_text, duration_text},
};

/// Writes a sheet as csv with commas.
///
/// # Errors
/// If the file can't be written.
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

/// Writes bytes that already are a csv, for example in an old encoding.
///
/// # Errors
/// If the file can't be written.
pub fn write_csv_bytes(path: &Path, bytes: &[u8]) -> Result<(), SheetError> {
    atomic::write(path, |out| out.write_all(bytes).map_err(atomic::failed))
}

/// Returns the lines above the rows: title lines, then the headings.
pub(super) fn front(sheet: &OutSheet) -> String {
    let headings = sheet.columns.iter().map(|column| column.heading.as_str());
    match sheet.title.split_first() {
        None => csv_heading(headings),
        Some((first, other_titles)) => {
            let mut lines = csv_heading(std::iter::once(first.as_str()));
            other_titles.iter().for_each(|title| push_line(&mut lines, std::iter::once(guard(title))));
            push_line(&mut lines, headings.map(guard));
            lines
        }
    }
}

pub(super) fn push_row(line: &mut String, cells: &[OutCell]) {
    push_line(line, cells.iter().map(field));
}

/// Returns the first line of a csv, with the byte order mark by which spreadsheets detect the encoding.
#[must_use]
pub fn csv_heading<'a>(headings: impl Iterator<Item = &'a str>) -> String {
    let mut line = BYTE_ORDER_MARK.to_owned();
    push_first_line(&mut line, &headings.map(guard).collect::<Vec<_>>());
    line
}

/// Returns one row of a csv with its line end.
#[must_use]
pub fn csv_row(cells: &[OutCell]) -> String {
    let mut line = String::new();
    push_row(&mut line, cells);
    line
}

fn field(cell: &OutCell) -> Cow<'_, str> {
    match cell {
        OutCell::Empty => Cow::Borrowed(""),
        OutCell::Text(text) => guard(text),
        OutCell::Number(value) | OutCell::FormattedNumber(value, _) => {
            Cow::Owned(Cell::number(*value).shown().into_owned())
        }
        OutCell::DateTime(value) => Cow::Owned(date_time_text(*value)),
        OutCell::Duration(ticks) => Cow::Owned(duration_text(*ticks)),
        OutCell::Boolean(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
    }
}
