//! Long tables out, row by row: nothing is held but the row that is being written.

use std::{io::Write, path::Path};

use rust_xlsxwriter::{Workbook, Worksheet};

use super::{
    OutCell, OutColumn, OutSheet, atomic, csv,
    excel::{Formats, failed, fill, put_row, usable_name},
};
use crate::{Measure, SheetError};

const MAX_ROWS: u32 = 1_048_576;

/// A sheet whose rows are made while it is written.
pub struct OutStream<'a> {
    pub name: &'a str,
    /// Empty for a sheet without a heading.
    pub columns: Vec<OutColumn>,
    pub rows: Box<dyn Iterator<Item = Vec<OutCell>> + 'a>,
}

impl std::fmt::Debug for OutStream<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("OutStream").field("name", &self.name).finish_non_exhaustive()
    }
}

impl OutStream<'_> {
    fn head(&mut self) -> OutSheet {
        OutSheet { name: self.name.to_owned(), columns: std::mem::take(&mut self.columns), ..OutSheet::default() }
    }
}

/// Writes a workbook, and into it a further sheet that Excel neither shows nor offers to show. What Excel needs before it is
/// packed stands in `folder` meanwhile. An existing file is replaced only by a complete one.
///
/// # Errors
/// Where the file can't be written.
pub fn write_workbook_streamed(
    path: &Path,
    folder: &Path,
    sheet: OutStream<'_>,
    hidden: Option<OutStream<'_>>,
) -> Result<(), SheetError> {
    let shown = std::iter::once((sheet, false));
    write(path, folder, shown.chain(hidden.map(|hidden| (hidden, true))), &|| true)
}

/// As [`write_workbook_streamed`], with several sheets; nothing is written where something came in the way of their rows:
/// `is_sound` says so after the last one.
///
/// # Errors
/// Where the file can't be written.
pub fn write_workbook_of(
    path: &Path,
    folder: &Path,
    sheets: Vec<OutStream<'_>>,
    is_sound: &dyn Fn() -> bool,
) -> Result<(), SheetError> {
    write(path, folder, sheets.into_iter().map(|sheet| (sheet, false)), is_sound)
}

fn write<'a>(
    path: &Path,
    folder: &Path,
    sheets: impl Iterator<Item = (OutStream<'a>, bool)>,
    is_sound: &dyn Fn() -> bool,
) -> Result<(), SheetError> {
    let mut workbook = Workbook::new();
    workbook.set_tempdir(folder).map_err(failed)?;
    let mut formats = Formats::new();
    for (index, (sheet, hide)) in sheets.enumerate() {
        let worksheet = workbook.add_worksheet_with_constant_memory().map_err(failed)?;
        worksheet.set_name(usable_name(sheet.name, index)).map_err(failed)?;
        worksheet.set_very_hidden(hide);
        pour(worksheet, sheet, &mut formats)?;
    }
    if !is_sound() {
        return Err(SheetError::Cancelled);
    }
    let bytes = workbook.save_to_buffer().map_err(failed)?;
    atomic::write(path, |out| out.write_all(&bytes).map_err(atomic::failed))
}

fn pour(worksheet: &mut Worksheet, mut sheet: OutStream<'_>, formats: &mut Formats) -> Result<(), SheetError> {
    let head = sheet.head();
    fill(worksheet, &head, formats).map_err(failed)?;
    let first = u32::from(!head.columns.is_empty());
    for (row, cells) in (first..).zip(sheet.rows) {
        if row >= MAX_ROWS {
            return Err(SheetError::too_large(Measure::Rows, u64::from(MAX_ROWS)));
        }
        put_row(worksheet, row, &cells, formats).map_err(failed)?;
    }
    Ok(())
}

/// Writes a csv with commas, as [`super::write_csv`] does.
///
/// # Errors
/// Where the file can't be written.
pub fn write_csv_streamed(path: &Path, mut sheet: OutStream<'_>) -> Result<(), SheetError> {
    let head = sheet.head();
    atomic::write(path, |out| {
        out.write_all(csv::front(&head).as_bytes()).map_err(atomic::failed)?;
        let mut line = String::new();
        for cells in sheet.rows {
            line.clear();
            csv::push_row(&mut line, &cells);
            out.write_all(line.as_bytes()).map_err(atomic::failed)?;
        }
        Ok(())
    })
}
