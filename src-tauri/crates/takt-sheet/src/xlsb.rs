//! Cells of xlsb, streamed by calamine, with two things that it passes over in silence looked after first: the short cell
//! records of some writers (the sheet is refused rather than read with holes), and errors that formulas gave. Codes keep
//! the zeros that their format shows.

mod code_formats;

use std::io::{BufReader, Read};

use calamine::{Reader, Xlsb, XlsbError};

use self::code_formats::CodeFormats;
use crate::{
    Cell, Limits, Sheet, SheetEntry, SheetError,
    compound::u32_at,
    package::{self, Package},
    shape::Merge,
    sheet::SheetBuilder,
    source::Source,
    watch::Watch,
    xlsx::{cell, entries},
};

const ROW: u32 = 0x0000;
const CELL_ERROR: u32 = 0x0003;
const FORMULA_ERROR: u32 = 0x000B;
const SHORT_CELLS: std::ops::RangeInclusive<u32> = 0x000C..=0x0012;
const SHEET_DATA_END: u32 = 0x0092;
const COLUMNS: u32 = 0x003C;
const MERGED: u32 = 0x00B0;
const HIDDEN_ROW: u8 = 0x10;
const HIDDEN_COLUMN: u8 = 0x01;
const BUNDLED_SHEET: u32 = 0x009C;
/// Larger records don't occur before the end of the cells.
const LONGEST_RECORD: u32 = 16 * 1024 * 1024;

pub(crate) fn sheets(source: &Source) -> Result<Vec<SheetEntry>, SheetError> {
    let workbook = Xlsb::new(source.buffered()).map_err(failed)?;
    Ok(entries(workbook.sheets_metadata()))
}

pub(crate) fn read(source: &Source, name: &str, limits: &Limits, watch: &Watch<'_>) -> Result<Sheet, SheetError> {
    let mut builder = SheetBuilder::new(name, limits, watch);
    let mut workbook = Xlsb::new(source.buffered()).map_err(failed)?;
    let is_1904 = workbook.has_1904_epoch();
    let mut reader = workbook.worksheet_cells_reader(name).map_err(failed)?;
    loop {
        builder.step()?;
        match reader.next_cell() {
            Ok(Some(found)) => {
                let (row, column) = found.get_position();
                builder.put(row, column, cell(found.get_value(), None, is_1904).as_ref())?;
            }
            Ok(None) => break,
            Err(XlsbError::CellError(_)) => {}
            Err(error) => return Err(failed(error)),
        }
    }
    let mut package = package::open(source)?;
    let path = sheet_path(&mut package, name)?;
    errors(&mut package, &path, &mut builder)?;
    builder.finish()
}

fn failed(error: XlsbError) -> SheetError {
    match error {
        XlsbError::Password => SheetError::Protected,
        XlsbError::WorksheetNotFound(name) => SheetError::NoSuchSheet(name),
        other => SheetError::damaged(other),
    }
}

/// Puts every error value and every code at its place, notes what is hidden or merged, and refuses a sheet with short records.
fn errors(package: &mut Package, path: &str, builder: &mut SheetBuilder<'_>) -> Result<(), SheetError> {
    let mut row = 0;
    let formats = CodeFormats::read(package);
    let mut records = Records(BufReader::new(package.by_name(path).map_err(SheetError::damaged)?));
    for record in &mut records {
        builder.step()?;
        let (kind, content) = record?;
        match kind {
            ROW => {
                row = u32_at(&content, 0).unwrap_or_default();
                if content.get(11).is_some_and(|flags| flags & HIDDEN_ROW != 0) {
                    builder.shape.hide_rows(row.saturating_add(1), row.saturating_add(1));
                }
            }
            COLUMNS if content.get(16).is_some_and(|flags| flags & HIDDEN_COLUMN != 0) => {
                let (first, last) = (u32_at(&content, 0), u32_at(&content, 4));
                builder.shape.hide_columns(first.unwrap_or_default(), last.unwrap_or_default());
            }
            CELL_ERROR | FORMULA_ERROR => {
                let column = u32_at(&content, 0).unwrap_or_default();
                let code = content.get(8).copied().unwrap_or_default();
                builder.put(row, column, Cell::error(error_text(code)).as_ref())?;
            }
            SHEET_DATA_END => break,
            kind if SHORT_CELLS.contains(&kind) => {
                return Err(SheetError::Unsupported("short cell records in a binary workbook"));
            }
            kind => {
                if let Some((column, cell)) = formats.cell(kind, &content) {
                    builder.put(row, column, cell.as_ref())?;
                }
            }
        }
    }
    // What follows the cells isn't missed where it can't be read.
    for (kind, content) in records.map_while(Result::ok) {
        builder.step()?;
        let number = |index: usize| u32_at(&content, index * 4);
        if let (MERGED, Some(first_row), Some(last_row), Some(first_column), Some(last_column)) =
            (kind, number(0), number(1), number(2), number(3))
        {
            let rows = (first_row.saturating_add(1), last_row.saturating_add(1));
            let merge = Merge { first_row: rows.0, last_row: rows.1, first_column, last_column };
            merge.sound().into_iter().for_each(|merge| builder.shape.merge(merge));
        }
    }
    Ok(())
}

fn error_text(code: u8) -> &'static str {
    match code {
        0x00 => "#NULL!",
        0x07 => "#DIV/0!",
        0x0F => "#VALUE!",
        0x17 => "#REF!",
        0x1D => "#NAME?",
        0x24 => "#NUM!",
        0x2A => "#N/A",
        0x2B => "#GETTING_DATA",
        _ => "#ERROR!",
    }
}

/// The part of a sheet, by the workbook's list and its relations.
fn sheet_path(package: &mut Package, name: &str) -> Result<String, SheetError> {
    let no_such = || SheetError::NoSuchSheet(name.to_owned());
    let relations =
        package::relations(&package::small_part(package, "xl/_rels/workbook.bin.rels").ok_or_else(no_such)?);
    let workbook = package.by_name("xl/workbook.bin").map_err(SheetError::damaged)?;
    for record in Records(BufReader::new(workbook)) {
        let (kind, content) = record?;
        if kind != BUNDLED_SHEET {
            continue;
        }
        let mut rest = content.get(8..).unwrap_or_default();
        let (Some(relation), Some(found)) = (wide_text(&mut rest), wide_text(&mut rest)) else { continue };
        if found == name {
            let relation = relations.iter().find(|candidate| candidate.id == relation).ok_or_else(no_such)?;
            return Ok(package::absolute("xl", &relation.target));
        }
    }
    Err(no_such())
}

/// A text with its length in front, in UTF-16.
fn wide_text(rest: &mut &[u8]) -> Option<String> {
    let length = usize::try_from(u32_at(rest, 0)?).ok()?.checked_mul(2)?;
    let units = rest.get(4..length.checked_add(4)?)?;
    *rest = rest.get(4 + length..)?;
    let units: Vec<u16> = units.chunks_exact(2).map(|pair| u16::from(pair[0]) | u16::from(pair[1]) << 8).collect();
    Some(String::from_utf16_lossy(&units))
}

/// Records of a part: kind and length in 7-bit groups, then the content.
struct Records<R>(R);

impl<R: Read> Records<R> {
    /// `None` at the end of the part.
    fn number(&mut self, most: u32) -> Result<Option<u32>, SheetError> {
        let mut value = 0;
        for group in 0..most {
            let mut byte = [0];
            if self.0.read(&mut byte).map_err(SheetError::damaged)? == 0 {
                return Ok(None);
            }
            value |= u32::from(byte[0] & 0x7F) << (7 * group);
            if byte[0] & 0x80 == 0 {
                break;
            }
        }
        Ok(Some(value))
    }

    fn record(&mut self) -> Result<Option<(u32, Vec<u8>)>, SheetError> {
        let (Some(kind), Some(length)) = (self.number(2)?, self.number(4)?) else { return Ok(None) };
        if length > LONGEST_RECORD {
            return Err(SheetError::damaged("a record is longer than any can be"));
        }
        let mut content = vec![0; length as usize];
        self.0.read_exact(&mut content).map_err(SheetError::damaged)?;
        Ok(Some((kind, content)))
    }
}

impl<R: Read> Iterator for Records<R> {
    type Item = Result<(u32, Vec<u8>), SheetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.record().transpose()
    }
}
