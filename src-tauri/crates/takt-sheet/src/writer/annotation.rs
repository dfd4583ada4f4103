//! A planner's own workbook with two additional columns next to its rows.
//!
//! An xlsx or xlsm is copied part by part, so everything else in it stays unchanged. Any other file (xls, xlsb, ods,
//! csv) becomes a new xlsx with all its cells, typed as they were read. The original is never written to.

use std::path::{Path, PathBuf};

use rust_xlsxwriter::{Workbook as OutWorkbook, Worksheet, XlsxError};

use super::{
    atomic,
    excel::{Formats, usable_sheet_name, write_cell, write_sheet, xlsx_error},
    notes::{SheetNotes, note_columns},
    out_sheet::{OutCell, OutSheet},
    package_edit::{PackageEdit, package_extension},
};
use crate::{Cell, CellValue, FileKind, Limits, Sheet, SheetError, Workbook};

/// The result of [`write_annotated_copy`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotatedCopy {
    /// The path of the file: the requested path with the extension that the content needs.
    pub path: PathBuf,
    /// True if the file is the original with two more columns. False if it is a new workbook with the original's cells.
    pub keeps_original: bool,
}

/// Writes a copy of `original` with the notes, and with `added_sheets` as additional sheets at its end.
///
/// # Errors
/// If the file can't be written.
pub fn write_annotated_copy(
    original: &Workbook,
    notes: &[SheetNotes],
    added_sheets: &[OutSheet],
    path: &Path,
) -> Result<AnnotatedCopy, SheetError> {
    if let Some(missing) = notes.iter().find(|notes| !original.sheets().iter().any(|entry| entry.name == notes.sheet)) {
        return Err(SheetError::NoSuchSheet(missing.sheet.clone()));
    }
    if original.kind() == FileKind::Xlsx {
        match PackageEdit::prepare(original.source(), notes, added_sheets) {
            Ok(edit) => {
                let path = with_matching_extension(path, edit.extension());
                return match edit.write(&path) {
                    Ok(()) => Ok(AnnotatedCopy { path, keeps_original: true }),
                    Err(error @ SheetError::WriteFailed(_)) => Err(error),
                    // Some errors show only during the copy. The cells can be read, so they are written to a new
                    // workbook.
                    Err(_) => write_retyped_copy(original, notes, added_sheets, &path),
                };
            }
            Err(SheetError::TooLarge { what, limit }) => return Err(SheetError::TooLarge { what, limit }),
            Err(_) => {}
        }
    }
    write_retyped_copy(original, notes, added_sheets, path)
}

/// Returns the extension of the copy that [`write_annotated_copy`] writes: `xlsx` or `xlsm`.
#[must_use]
pub fn annotated_extension(original: &Workbook) -> &'static str {
    let is_package = original.kind() == FileKind::Xlsx;
    if is_package { package_extension(original.source()).unwrap_or("xlsx") } else { "xlsx" }
}

fn write_retyped_copy(
    original: &Workbook,
    notes: &[SheetNotes],
    added_sheets: &[OutSheet],
    path: &Path,
) -> Result<AnnotatedCopy, SheetError> {
    let path = with_matching_extension(path, "xlsx");
    write_new_workbook(original, notes, added_sheets, &Limits::default(), &path)?;
    Ok(AnnotatedCopy { path, keeps_original: false })
}

/// Replaces the extension of a path, because Excel refuses a workbook whose extension doesn't match its content.
fn with_matching_extension(path: &Path, extension: &str) -> PathBuf {
    let same = path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension));
    if same { path.to_path_buf() } else { path.with_extension(extension) }
}

/// Writes a new workbook with the original's cells, typed as they were read, and the notes next to them. Copies one
/// sheet after the other, so that only one is in memory.
fn write_new_workbook(
    original: &Workbook,
    notes: &[SheetNotes],
    added_sheets: &[OutSheet],
    limits: &Limits,
    path: &Path,
) -> Result<(), SheetError> {
    let mut workbook = OutWorkbook::new();
    let mut formats = Formats::new();
    let mut names: Vec<String> = Vec::new();
    for (index, entry) in original.sheets().iter().enumerate() {
        let sheet = original.read(&entry.name, limits, &|| false)?;
        let worksheet = workbook.add_worksheet_with_low_memory().map_err(xlsx_error)?;
        worksheet.set_name(free_name(&mut names, &entry.name, index)).map_err(xlsx_error)?;
        if !entry.visible {
            worksheet.set_hidden(true);
        }
        let notes = notes.iter().find(|notes| notes.sheet == entry.name);
        copy_sheet(worksheet, &sheet, notes, &mut formats)?;
    }
    for (index, sheet) in added_sheets.iter().enumerate() {
        let worksheet = workbook.add_worksheet();
        worksheet.set_name(free_name(&mut names, &sheet.name, index)).map_err(xlsx_error)?;
        write_sheet(worksheet, sheet, &mut formats).map_err(xlsx_error)?;
    }
    atomic::write_file(path, |out| workbook.save_to_writer(out).map_err(xlsx_error))
}

fn copy_sheet(
    worksheet: &mut Worksheet,
    sheet: &Sheet,
    notes: Option<&SheetNotes>,
    formats: &mut Formats,
) -> Result<(), SheetError> {
    let note_columns = notes.map(|notes| note_columns(&notes.columns, sheet.columns)).transpose()?;
    let notes_and_columns = notes.zip(note_columns);
    if let Some((notes, note_columns)) = notes_and_columns {
        set_column_widths(worksheet, notes, note_columns).map_err(xlsx_error)?;
    }
    for row in &sheet.rows {
        let row_texts =
            notes_and_columns.and_then(|(notes, note_columns)| Some((notes.texts_of_row(row.number)?, note_columns)));
        let replaced_columns = notes_and_columns
            .filter(|(notes, _)| notes.replaces_cells_in(row.number))
            .map(|(_, note_columns)| note_columns);
        let mut cells: Vec<(u32, OutCell)> = (0..)
            .zip(&row.cells)
            .filter(|(column, _)| replaced_columns.is_none_or(|note_columns| !note_columns.contains(column)))
            .map(|(column, cell)| (column, to_out_cell(cell)))
            .collect();
        if let Some((texts, note_columns)) = row_texts {
            let texts = note_columns.into_iter().zip(texts).filter(|(_, text)| !text.is_empty());
            cells.extend(texts.map(|(column, text)| (column, OutCell::from(text))));
            cells.sort_by_key(|(column, _)| *column);
        }
        for (column, cell) in cells {
            let column = u16::try_from(column).unwrap_or(u16::MAX);
            write_cell(worksheet, row.number - 1, column, &cell, formats).map_err(xlsx_error)?;
        }
    }
    Ok(())
}

fn set_column_widths(worksheet: &mut Worksheet, notes: &SheetNotes, note_columns: [u32; 2]) -> Result<(), XlsxError> {
    for (column_index, column) in note_columns.into_iter().zip(&notes.columns) {
        worksheet.set_column_width(u16::try_from(column_index).unwrap_or(u16::MAX), column.width)?;
    }
    match notes.header_row {
        Some(row) => worksheet.set_freeze_panes(row, 0).map(|_| ()),
        None => Ok(()),
    }
}

/// Converts a cell that was read. A code whose zeros come from its format retains them.
fn to_out_cell(cell: &Cell) -> OutCell {
    match cell.value() {
        CellValue::Empty => OutCell::Empty,
        CellValue::Text(text) | CellValue::Error(text) => text.into(),
        CellValue::Number(value) if cell.is_shown_by_format() => {
            let shown = cell.shown();
            let digits = shown.strip_prefix('-').unwrap_or(&shown);
            match digits.len() {
                // The format hides the number.
                0 => OutCell::Number(value),
                length if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                    OutCell::FormattedNumber(value, "0".repeat(length))
                }
                _ => shown.as_ref().into(),
            }
        }
        CellValue::Number(value) => OutCell::Number(value),
        CellValue::DateTime(value) => OutCell::DateTime(value),
        CellValue::Duration(ticks) => OutCell::Duration(ticks),
        CellValue::Boolean(value) => OutCell::Boolean(value),
    }
}

/// Returns a name that Excel accepts and that isn't in `names`, and adds it to them.
fn free_name(names: &mut Vec<String>, wanted: &str, index: usize) -> String {
    let wanted = usable_sheet_name(wanted, index);
    let mut name = wanted.clone();
    let mut number = 2;
    while names.iter().any(|known| known.to_lowercase() == name.to_lowercase()) {
        let tail = format!(" ({number})");
        name = format!("{}{tail}", wanted.chars().take(31_usize.saturating_sub(tail.len())).collect::<String>());
        number += 1;
    }
    names.push(name.clone());
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_its_format_shows_otherwise_stays_a_number() {
        let code = |value, shown: &str| to_out_cell(&Cell::number_shown(value, shown));
        assert_eq!(code(7.0, "007"), OutCell::FormattedNumber(7.0, "000".to_owned()));
        assert_eq!(code(-7.0, "-007"), OutCell::FormattedNumber(-7.0, "000".to_owned()));
        assert_eq!(code(0.0, ""), OutCell::Number(0.0));
        assert_eq!(code(7.0, "WO-7"), "WO-7".into());
    }
}
