//! Writes long tables row by row, so that only the current row is in memory.

use std::{io::Write, path::Path};

use rust_xlsxwriter::{Workbook, Worksheet};

use super::{
    atomic, csv,
    excel::{Formats, failed, fill, put_row, usable_name},
    out_sheet::{OutCell, OutColumn, OutSheet},
};
use crate::{Measure, SheetError};

const MAX_ROWS: u32 = 1_048_576;

/// A sheet whose rows are produced while it is written.
pub struct OutStream<'a> {
    pub name: &'a str,
    /// Empty for a sheet without headings.
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

/// Writes a workbook, and an optional sheet that Excel neither shows nor offers to show. Data that isn't compressed yet
/// is stored in `folder`. An existing file is replaced only by a complete one.
///
/// # Errors
/// If the file can't be written.
pub fn write_workbook_streamed(
    path: &Path,
    folder: &Path,
    sheet: OutStream<'_>,
    hidden: Option<OutStream<'_>>,
) -> Result<(), SheetError> {
    let shown = std::iter::once((sheet, false));
    write(path, folder, shown.chain(hidden.map(|hidden| (hidden, true))), &|| true)
}

/// Like [`write_workbook_streamed`], with several sheets. After the last row, `is_sound` must return true, otherwise
/// nothing is written.
///
/// # Errors
/// If the file can't be written.
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
        write_sheet(worksheet, sheet, &mut formats)?;
    }
    if !is_sound() {
        return Err(SheetError::Cancelled);
    }
    let bytes = workbook.save_to_buffer().map_err(failed)?;
    atomic::write(path, |out| out.write_all(&bytes).map_err(atomic::failed))
}

fn write_sheet(worksheet: &mut Worksheet, mut sheet: OutStream<'_>, formats: &mut Formats) -> Result<(), SheetError> {
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

/// Writes a csv with commas, like [`super::write_csv`].
///
/// # Errors
/// If the file can't be written.
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
