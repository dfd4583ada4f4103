//! Cells of xlsb, read record by record. One thread unpacks the sheet's part, a second one parses it, and a third one
//! stores the cells. Sheets with the short cell records of some writers are refused, because cells would be lost.
//!
//! The available library panics on a missing shared text and on short records. It refuses a workbook for its macro
//! sheets, and stops at an unknown error value. So this module doesn't use it.

mod record;
mod workbook;

use std::io::BufRead;

use self::{
    record::{Records, push_wide_text},
    workbook::{BinaryWorkbook, texts},
};
use crate::{
    Limits, Measure, Sheet, SheetEntry, SheetError,
    binary_value::{error_value, packed_number},
    cell_batch::{CellBatch, CellPlacement, RawCell, Value},
    compound::u32_at,
    package,
    progress::ProgressReporter,
    read_ahead::{self, BatchReceiver, BatchSender},
    row_numbers::RowNumbers,
    shape::{Merge, Shape},
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
/// A text with runs of fonts, which newer programs write.
const RICH_TEXT: u32 = 0x003E;
const SHEET_DATA_END: u32 = 0x0092;
const COLUMNS: u32 = 0x003C;
const MERGED: u32 = 0x00B0;
const HIDDEN_ROW: u8 = 0x10;
const HIDDEN_COLUMN: u8 = 0x01;
/// The upper byte of a cell's format has another meaning.
const CELL_FORMAT: u32 = 0x00FF_FFFF;
/// The bytes of the column and the format.
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
    let formats = workbook.formats(&mut package)?;
    let mut builder = SheetBuilder::new(name, limits, progress);
    let read_cells = |batches: BatchSender| {
        package::unpacked(package::open(source)?, path, limits.unpacked_bytes, |part| {
            let mut cells = CellRecords::new(Records::new(part), name, limits);
            batches.send_all(|batch, count| cells.fill(batch, count))?;
            Ok(cells.shape)
        })
    };
    let put = |batches: BatchReceiver| {
        // The first cells are being read meanwhile.
        let mut texts = texts(source, &mut package, &workbook, limits)?;
        let mut placement =
            CellPlacement { formats, is_1904: workbook.is_1904, texts: &mut texts, touched_spans: Vec::new() };
        batches.take_all(|batch| placement.put_all(batch, &mut builder))
    };
    builder.shape = read_ahead::read_in_parallel(read_cells, put)?;
    builder.finish()
}

/// The cells of a part, with its hidden rows, hidden columns and merged cells.
struct CellRecords<'l, R> {
    records: Records<R>,
    /// The sheet's name for error messages.
    sheet: &'l str,
    limits: &'l Limits,
    shape: Shape,
    /// The 0-based row of the next cells.
    row: u32,
    /// The rows with content.
    rows: RowNumbers,
    /// Whether the current row has had no content so far.
    is_empty: bool,
    /// True after the last cell.
    is_past_cells: bool,
}

impl<'l, R: BufRead> CellRecords<'l, R> {
    fn new(records: Records<R>, sheet: &'l str, limits: &'l Limits) -> Self {
        let (shape, rows) = (Shape::default(), RowNumbers::default());
        Self { records, sheet, limits, shape, row: 0, rows, is_empty: true, is_past_cells: false }
    }

    /// Adds cells to the batch until it has `cells` of them. Returns false after the last cell, when the records after
    /// the cells have been read, too.
    fn fill(&mut self, batch: &mut CellBatch, cells: usize) -> Result<bool, SheetError> {
        if !self.is_past_cells {
            self.fill_cells(batch, cells)?;
        }
        Ok(!self.is_past_cells || self.fill_merges(batch, cells))
    }

    fn fill_cells(&mut self, batch: &mut CellBatch, cells: usize) -> Result<(), SheetError> {
        let Self { records, sheet, limits, shape, row, rows, is_empty, is_past_cells } = self;
        let is_complete = records.for_each(|kind, content| {
            match kind {
                ROW => {
                    (*row, *is_empty) = (u32_at(content, 0).unwrap_or_default(), true);
                    if content.get(11).is_some_and(|flags| flags & HIDDEN_ROW != 0) {
                        shape.hide_rows(row.saturating_add(1), row.saturating_add(1));
                    }
                }
                COLUMNS if content.get(16).is_some_and(|flags| flags & HIDDEN_COLUMN != 0) => {
                    let (first, last) = (u32_at(content, 0), u32_at(content, 4));
                    shape.hide_columns(first.unwrap_or_default(), last.unwrap_or_default());
                }
                SHEET_DATA_END => *is_past_cells = true,
                kind if SHORT_CELLS.contains(&kind) => {
                    return Err(SheetError::Unsupported("short cell records in a binary workbook"));
                }
                kind => {
                    if let Some(value) = cell_value(kind, content, limits, batch)? {
                        // The sheet builder refuses a row beyond the limit.
                        if std::mem::take(is_empty) && *row < limits.rows && !rows.insert(*row) {
                            let sheet = (*sheet).to_owned();
                            return Err(SheetError::Repeated { sheet, row: row.saturating_add(1), column: None });
                        }
                        let column = u32_at(content, 0).unwrap_or_default();
                        let format = u32_at(content, 4).unwrap_or_default() & CELL_FORMAT;
                        batch.cells.push(RawCell { row: *row, column, format, value });
                        return Ok(!batch.is_full(cells));
                    }
                }
            }
            batch.steps += 1;
            Ok(!*is_past_cells && !batch.is_full(cells))
        })?;
        if is_complete { Ok(()) } else { Err(SheetError::damaged("a sheet's cells are cut off")) }
    }

    /// Reads the records after the cells, as far as they can be read. Returns false if none are left.
    fn fill_merges(&mut self, batch: &mut CellBatch, cells: usize) -> bool {
        while let Ok(Some((kind, content))) = self.records.next() {
            let number = |index: usize| u32_at(content, index * 4);
            if let (MERGED, Some(first_row), Some(last_row), Some(first_column), Some(last_column)) =
                (kind, number(0), number(1), number(2), number(3))
            {
                let rows = (first_row.saturating_add(1), last_row.saturating_add(1));
                let merge = Merge { first_row: rows.0, last_row: rows.1, first_column, last_column };
                merge.validated().into_iter().for_each(|merge| self.shape.merge(merge));
            }
            batch.steps += 1;
            if batch.is_full(cells) {
                return true;
            }
        }
        false
    }
}

/// Returns the value of a cell record, or `None` for any other record. Texts are added to the batch.
#[inline]
fn cell_value(kind: u32, content: &[u8], limits: &Limits, batch: &mut CellBatch) -> Result<Option<Value>, SheetError> {
    let cut_off = || SheetError::damaged("a cell is cut off");
    let value = content.get(PLACE..).unwrap_or_default();
    let first = || value.first().copied().ok_or_else(cut_off);
    Ok(Some(match kind {
        SHARED_TEXT => Value::Shared(u32_at(value, 0).ok_or_else(cut_off)?),
        PACKED_NUMBER => Value::Number(u32_at(value, 0).map(packed_number).ok_or_else(cut_off)?),
        NUMBER | FORMULA_NUMBER => {
            Value::Number(value.first_chunk().copied().map(f64::from_le_bytes).ok_or_else(cut_off)?)
        }
        CELL_TRUTH | FORMULA_TRUTH => Value::Boolean(first()? != 0),
        CELL_ERROR | FORMULA_ERROR => {
            let (start, end) = batch.add(error_value(first()?));
            Value::Error(start, end)
        }
        TEXT | FORMULA_TEXT => text_value(Some(value), limits, batch)?,
        RICH_TEXT => text_value(value.get(1..), limits, batch)?,
        _ => return Ok(None),
    }))
}

/// Reads a text that is stored in its record.
fn text_value(record: Option<&[u8]>, limits: &Limits, batch: &mut CellBatch) -> Result<Value, SheetError> {
    let ((start, end), is_complete) = batch.add_text_with(|texts| push_wide_text(&mut record?, texts));
    is_complete.ok_or_else(|| SheetError::damaged("a cell is cut off"))?;
    // The length is checked already here, because the batches that wait to be stored could contain many such texts.
    if (end - start) as usize > limits.text_bytes {
        return Err(SheetError::too_large(Measure::TextBytes, limits.text_bytes as u64));
    }
    Ok(Value::Text(start, end))
}
