//! A new workbook with another file's cells, typed as they were read, and the notes beside them.

use std::path::Path;

use rust_xlsxwriter::{Workbook as OutWorkbook, Worksheet, XlsxError};

use super::{
    OutCell, OutSheet, atomic,
    excel::{Formats, failed, fill, put, usable_name},
    notes::{SheetNotes, places},
};
use crate::{Cell, CellValue, Limits, Sheet, SheetError, Workbook};

/// One sheet after the other: none is held longer than it takes.
pub(super) fn write(
    original: &Workbook,
    notes: &[SheetNotes],
    more: &[OutSheet],
    limits: &Limits,
    path: &Path,
) -> Result<(), SheetError> {
    let mut workbook = OutWorkbook::new();
    let mut formats = Formats::new();
    let mut names: Vec<String> = Vec::new();
    for (index, entry) in original.sheets().iter().enumerate() {
        let sheet = original.read(&entry.name, limits, &|| false)?;
        let worksheet = workbook.add_worksheet_with_low_memory().map_err(failed)?;
        worksheet.set_name(free_name(&mut names, &entry.name, index)).map_err(failed)?;
        if !entry.visible {
            worksheet.set_hidden(true);
        }
        let notes = notes.iter().find(|notes| notes.sheet == entry.name);
        copy(worksheet, &sheet, notes, &mut formats)?;
    }
    for (index, sheet) in more.iter().enumerate() {
        let worksheet = workbook.add_worksheet();
        worksheet.set_name(free_name(&mut names, &sheet.name, index)).map_err(failed)?;
        fill(worksheet, sheet, &mut formats).map_err(failed)?;
    }
    atomic::write(path, |out| workbook.save_to_writer(out).map_err(failed))
}

fn copy(
    worksheet: &mut Worksheet,
    sheet: &Sheet,
    notes: Option<&SheetNotes>,
    formats: &mut Formats,
) -> Result<(), SheetError> {
    let places = notes.map(|notes| places(&notes.columns, sheet.columns)).transpose()?;
    let ours = notes.zip(places);
    if let Some((notes, places)) = ours {
        widths(worksheet, notes, places).map_err(failed)?;
    }
    for row in &sheet.rows {
        let said = ours.and_then(|(notes, places)| Some((notes.of_row(row.number)?, places)));
        let covered = ours.filter(|(notes, _)| notes.covers(row.number)).map(|(_, places)| places);
        let mut cells: Vec<(u32, OutCell)> = (0..)
            .zip(&row.cells)
            .filter(|(column, _)| covered.is_none_or(|places| !places.contains(column)))
            .map(|(column, cell)| (column, typed(cell)))
            .collect();
        if let Some((texts, places)) = said {
            let texts = places.into_iter().zip(texts).filter(|(_, text)| !text.is_empty());
            cells.extend(texts.map(|(column, text)| (column, OutCell::from(text))));
            cells.sort_by_key(|(column, _)| *column);
        }
        for (column, cell) in cells {
            let column = u16::try_from(column).unwrap_or(u16::MAX);
            put(worksheet, row.number - 1, column, &cell, formats).map_err(failed)?;
        }
    }
    Ok(())
}

fn widths(worksheet: &mut Worksheet, notes: &SheetNotes, places: [u32; 2]) -> Result<(), XlsxError> {
    for (place, column) in places.into_iter().zip(&notes.columns) {
        worksheet.set_column_width(u16::try_from(place).unwrap_or(u16::MAX), column.width)?;
    }
    match notes.header_row {
        Some(row) => worksheet.set_freeze_panes(row, 0).map(|_| ()),
        None => Ok(()),
    }
}

/// What the cell is; a code whose zeros came from its format keeps them.
fn typed(cell: &Cell) -> OutCell {
    match cell.value() {
        CellValue::Empty => OutCell::Empty,
        CellValue::Text(text) | CellValue::Error(text) => text.into(),
        CellValue::Number(value) if cell.is_shown_by_format() => {
            let shown = cell.shown();
            let digits = shown.strip_prefix('-').unwrap_or(&shown);
            match digits.len() {
                // A number that its format hides.
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

/// A name that Excel takes and that no other sheet has.
fn free_name(names: &mut Vec<String>, wanted: &str, index: usize) -> String {
    let wanted = usable_name(wanted, index);
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
        let code = |value, shown: &str| typed(&Cell::number_shown(value, shown));
        assert_eq!(code(7.0, "007"), OutCell::FormattedNumber(7.0, "000".to_owned()));
        assert_eq!(code(-7.0, "-007"), OutCell::FormattedNumber(-7.0, "000".to_owned()));
        assert_eq!(code(0.0, ""), OutCell::Number(0.0));
        assert_eq!(code(7.0, "WO-7"), "WO-7".into());
    }
}
