//! Cells of xlsb, record by record. The short cell records of some writers aren't read: a sheet that has them is refused
//! rather than read with holes.
//!
//! Written here because the reader that was used before counts on every record being as long as it should be (it panics over
//! a shared text's number that isn't there, and over a short record), refuses a workbook for its macro sheets, and stops at the
//! first error value that it doesn't know.

mod record;
mod workbook;

use std::io::BufRead;

use self::{
    record::{Records, push_wide_text},
    workbook::{BinaryWorkbook, texts},
};
use crate::{
    CellRef, Limits, Sheet, SheetEntry, SheetError,
    binary_value::{error_value, packed_number},
    compound::u32_at,
    number_format::CellFormats,
    package,
    progress::ProgressReporter,
    shape::Merge,
    shared_texts::SharedTexts,
    sheet::SheetBuilder,
    source::Source,
};

const ROW: u32 = 0x0000;
const PACKED_NUMBER: u32 = 0x0002;
const CELL_ERROR: u32 = 0x0003;
const CELL_TRUTH: u32 = 0x0004;
const NUMBER: u32 = 0x0005;
const TEXT: u32 = 0x0006;
const SHARED_TEXT: u32 = 0x0007;
const FORMULA_TEXT: u32 = 0x0008;
const FORMULA_NUMBER: u32 = 0x0009;
const FORMULA_TRUTH: u32 = 0x000A;
const FORMULA_ERROR: u32 = 0x000B;
const SHORT_CELLS: std::ops::RangeInclusive<u32> = 0x000C..=0x0012;
/// A text with runs of fonts, as newer programs write it.
const RICH_TEXT: u32 = 0x003E;
const SHEET_DATA_END: u32 = 0x0092;
const COLUMNS: u32 = 0x003C;
const MERGED: u32 = 0x00B0;
const HIDDEN_ROW: u8 = 0x10;
const HIDDEN_COLUMN: u8 = 0x01;
/// The upper byte of a cell's format says something else.
const CELL_FORMAT: u32 = 0x00FF_FFFF;
/// Blocks of the cells' part that may be unpacked before the texts are read.
const CELLS_WAITING: usize = 32;
/// Column and format.
const PLACE: usize = 8;

pub(crate) fn sheets(source: &Source, limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    Ok(BinaryWorkbook::read(&mut package::open(source)?, limits)?.entries)
}

pub(crate) fn read(
    source: &Source,
    name: &str,
    limits: &Limits,
    progress: &ProgressReporter<'_>,
) -> Result<Sheet, SheetError> {
    let mut package = package::open(source)?;
    let workbook = BinaryWorkbook::read(&mut package, limits)?;
    let path = workbook.path(name).ok_or_else(|| SheetError::NoSuchSheet(name.to_owned()))?;
    let formats = workbook.formats(&mut package);
    // The cells' part is being unpacked while the texts are read.
    package::unpacked(source, (path, limits.unpacked_bytes, CELLS_WAITING), |part| {
        let texts = texts(source, &mut package, &workbook, limits)?;
        let reading = Reading { is_1904: workbook.is_1904, formats, texts };
        let mut builder = SheetBuilder::new(name, limits, progress);
        let mut records = Records::new(part);
        reading.cells(&mut records, &mut builder)?;
        merged(&mut records, &mut builder)?;
        builder.finish()
    })
}

/// What the cells of every sheet need.
struct Reading {
    is_1904: bool,
    formats: CellFormats,
    texts: SharedTexts,
}

impl Reading {
    fn cells(&self, records: &mut Records<impl BufRead>, builder: &mut SheetBuilder<'_>) -> Result<(), SheetError> {
        let mut row = 0;
        let mut text = String::new();
        let is_whole = records.each(|kind, content| {
            builder.step()?;
            match kind {
                ROW => {
                    row = u32_at(content, 0).unwrap_or_default();
                    if content.get(11).is_some_and(|flags| flags & HIDDEN_ROW != 0) {
                        builder.shape.hide_rows(row.saturating_add(1), row.saturating_add(1));
                    }
                }
                COLUMNS if content.get(16).is_some_and(|flags| flags & HIDDEN_COLUMN != 0) => {
                    let (first, last) = (u32_at(content, 0), u32_at(content, 4));
                    builder.shape.hide_columns(first.unwrap_or_default(), last.unwrap_or_default());
                }
                SHEET_DATA_END => return Ok(false),
                kind if SHORT_CELLS.contains(&kind) => {
                    return Err(SheetError::Unsupported("short cell records in a binary workbook"));
                }
                kind => self.cell((kind, content), row, &mut text, builder)?,
            }
            Ok(true)
        })?;
        if is_whole { Ok(()) } else { Err(SheetError::damaged("a sheet's cells are cut off")) }
    }

    /// Puts away the cell of a record, where it is one. `text` is room that is used again and again.
    fn cell(
        &self,
        (kind, content): (u32, &[u8]),
        row: u32,
        text: &mut String,
        builder: &mut SheetBuilder<'_>,
    ) -> Result<(), SheetError> {
        let cut_off = || SheetError::damaged("a cell is cut off");
        let value = content.get(PLACE..).unwrap_or_default();
        let column = u32_at(content, 0).unwrap_or_default();
        let first = || value.first().copied().ok_or_else(cut_off);
        let cell = match kind {
            SHARED_TEXT => {
                let number = u32_at(value, 0).ok_or_else(cut_off)? as usize;
                self.texts.get(number).map_or_else(CellRef::unreadable, CellRef::of_text)
            }
            PACKED_NUMBER | NUMBER | FORMULA_NUMBER => {
                let number = match kind {
                    PACKED_NUMBER => u32_at(value, 0).map(packed_number),
                    _ => value.first_chunk().copied().map(f64::from_le_bytes),
                };
                let number = (number.ok_or_else(cut_off)?, self.is_1904);
                let format = u32_at(content, 4).unwrap_or_default() & CELL_FORMAT;
                return self.formats.with_cell(format as usize, number, |cell| builder.put(row, column, cell));
            }
            CELL_TRUTH | FORMULA_TRUTH => CellRef::of_boolean(first()? != 0),
            CELL_ERROR | FORMULA_ERROR => CellRef::of_error(error_value(first()?)),
            TEXT | FORMULA_TEXT => text_cell(Some(value), text).ok_or_else(cut_off)?,
            RICH_TEXT => text_cell(value.get(1..), text).ok_or_else(cut_off)?,
            _ => return Ok(()),
        };
        builder.put(row, column, cell)
    }
}

/// The cell of a text that stands in its record. `room` is where its letters are.
fn text_cell<'t>(value: Option<&[u8]>, room: &'t mut String) -> Option<CellRef<'t>> {
    room.clear();
    push_wide_text(&mut value?, room)?;
    Some(CellRef::of_text(room))
}

/// What follows the cells isn't missed where it can't be read.
fn merged(records: &mut Records<impl BufRead>, builder: &mut SheetBuilder<'_>) -> Result<(), SheetError> {
    while let Ok(Some((kind, content))) = records.next() {
        builder.step()?;
        let number = |index: usize| u32_at(content, index * 4);
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
