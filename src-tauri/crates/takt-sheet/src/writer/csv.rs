//! Writes csv in UTF-8 with a byte order mark, so that Excel detects the encoding. No text becomes a formula, and
//! reading returns each text unchanged.

use std::{borrow::Cow, io::Write, path::Path};

use super::{
    atomic,
    out_sheet::{OutCell, OutSheet, OutStream},
};
use crate::{
    Cell, SheetError,
    csv_dialect::{BYTE_ORDER_MARK, push_first_line, push_line, push_semicolon_line},
    formula_guard::add_formula_guards,
    serial::{format_date_time, format_duration},
};

/// Writes a sheet as csv with commas.
///
/// # Errors
/// If the file can't be written.
pub fn write_csv(path: &Path, sheet: &OutSheet) -> Result<(), SheetError> {
    atomic::write_file(path, |out| {
        let mut line = lines_above_rows(sheet);
        out.write_all(line.as_bytes()).map_err(atomic::write_error)?;
        for row in &sheet.rows {
            line.clear();
            push_row(&mut line, row);
            out.write_all(line.as_bytes()).map_err(atomic::write_error)?;
        }
        Ok(())
    })
}

/// How the fields and numbers of a csv are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CsvStyle {
    /// Commas and decimal points. Takt recognizes such a file as its own.
    #[default]
    Commas,
    /// Semicolons and decimal commas, as Excel expects them where the comma is the decimal sign.
    Semicolons,
}

/// Writes a csv like [`write_csv`], but row by row, so that only the current row is in memory.
///
/// # Errors
/// If the file can't be written.
pub fn write_csv_streamed(path: &Path, mut sheet: OutStream<'_>, style: CsvStyle) -> Result<(), SheetError> {
    let head = sheet.take_head();
    atomic::write_file(path, |out| {
        let mut line = match style {
            CsvStyle::Commas => lines_above_rows(&head),
            CsvStyle::Semicolons => semicolon_heading(&head),
        };
        out.write_all(line.as_bytes()).map_err(atomic::write_error)?;
        for cells in sheet.rows {
            line.clear();
            match style {
                CsvStyle::Commas => push_row(&mut line, &cells),
                CsvStyle::Semicolons => push_semicolon_line(&mut line, cells.iter().map(regional_field_text)),
            }
            out.write_all(line.as_bytes()).map_err(atomic::write_error)?;
        }
        Ok(())
    })
}

/// Writes bytes that already are a csv, for example in an old encoding.
///
/// # Errors
/// If the file can't be written.
pub fn write_csv_bytes(path: &Path, bytes: &[u8]) -> Result<(), SheetError> {
    atomic::write_file(path, |out| out.write_all(bytes).map_err(atomic::write_error))
}

/// Returns the lines above the rows: title lines, then the headings.
fn lines_above_rows(sheet: &OutSheet) -> String {
    let headings = sheet.columns.iter().map(|column| column.heading.as_str());
    match sheet.title.split_first() {
        None => csv_heading(headings),
        Some((first, other_titles)) => {
            let mut lines = csv_heading(std::iter::once(first.as_str()));
            other_titles.iter().for_each(|title| push_line(&mut lines, std::iter::once(add_formula_guards(title))));
            push_line(&mut lines, headings.map(add_formula_guards));
            lines
        }
    }
}

fn semicolon_heading(sheet: &OutSheet) -> String {
    let mut line = BYTE_ORDER_MARK.to_owned();
    push_semicolon_line(&mut line, sheet.columns.iter().map(|column| add_formula_guards(&column.heading)));
    line
}

/// Returns a cell's text with a decimal comma in numbers.
fn regional_field_text(cell: &OutCell) -> Cow<'_, str> {
    match cell {
        OutCell::Number(_) | OutCell::FormattedNumber(..) => Cow::Owned(field_text(cell).replace('.', ",")),
        other => field_text(other),
    }
}

fn push_row(line: &mut String, cells: &[OutCell]) {
    push_line(line, cells.iter().map(field_text));
}

/// Returns the first line of a csv, with the byte order mark by which spreadsheets detect the encoding.
#[must_use]
pub fn csv_heading<'a>(headings: impl Iterator<Item = &'a str>) -> String {
    let mut line = BYTE_ORDER_MARK.to_owned();
    push_first_line(&mut line, &headings.map(add_formula_guards).collect::<Vec<_>>());
    line
}

/// Returns one row of a csv with its line end.
#[must_use]
pub fn csv_row(cells: &[OutCell]) -> String {
    let mut line = String::new();
    push_row(&mut line, cells);
    line
}

fn field_text(cell: &OutCell) -> Cow<'_, str> {
    match cell {
        OutCell::Empty => Cow::Borrowed(""),
        OutCell::Text(text) => add_formula_guards(text),
        OutCell::Number(value) | OutCell::FormattedNumber(value, _) => {
            Cow::Owned(Cell::number(*value).shown().into_owned())
        }
        OutCell::DateTime(value) => Cow::Owned(format_date_time(*value)),
        OutCell::Duration(ticks) => Cow::Owned(format_duration(*ticks)),
        OutCell::Boolean(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
    }
}
