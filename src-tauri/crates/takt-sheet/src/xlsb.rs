//! Cells of xlsb, record by record: one thread unpacks the sheet's part, another takes it apart, a third puts the cells away.
//! The short cell records of some writers aren't read: a sheet that has them is refused rather than read with holes.
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
/// A text with runs of fonts, as newer programs write it.
const RICH_TEXT: u32 = 0x003E;
const SHEET_DATA_END: u32 = 0x0092;
const COLUMNS: u32 = 0x003C;
const MERGED: u32 = 0x00B0;
const HIDDEN_ROW: u8 = 0x10;
const HIDDEN_COLUMN: u8 = 0x01;
/// The upper byte of a cell's format says something else.
const CELL_FORMAT: u32 = 0x00FF_FFFF;
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
    let formats = workbook.formats(&mut package)?;
    let mut builder = SheetBuilder::new(name, limits, progress);
    let read_cells = |batches: BatchSender| {
        package::unpacked(package::open(source)?, (path, limits.unpacked_bytes), |part| {
            let mut cells = CellRecords::new(Records::new(part), name, limits);
            batches.send_all(|batch, count| cells.fill(batch, count))?;
            Ok(cells.shape)
        })
    };
    let put = |batches: BatchReceiver| {
        // The first cells are being read meanwhile.
        let mut texts = texts(source, &mut package, &workbook, limits)?;
        let mut placement = CellPlacement { formats, is_1904: workbook.is_1904, texts: &mut texts, places: Vec::new() };
        batches.take_all(|batch| placement.put_all(batch, &mut builder))
    };
    builder.shape = read_ahead::each(read_cells, put)?;
    builder.finish()
}

/// The cells of a part, with what it hides and merges.
struct CellRecords<'l, R> {
    records: Records<R>,
    /// The sheet's name, for errors.
    sheet: &'l str,
    limits: &'l Limits,
    shape: Shape,
    /// The row of the next cells, 0-based.
    row: u32,
    /// Rows with content.
    rows: RowNumbers,
    /// Whether the current row has no content so far.
    is_empty: bool,
    /// True behind the last cell.
    is_behind: bool,
}

impl<'l, R: BufRead> CellRecords<'l, R> {
    fn new(records: Records<R>, sheet: &'l str, limits: &'l Limits) -> Self {
        let (shape, rows) = (Shape::default(), RowNumbers::default());
        Self { records, sheet, limits, shape, row: 0, rows, is_empty: true, is_behind: false }
    }

    /// Puts as many cells into the batch as it is to have. False behind the last one; what stands behind the cells is then read,
    /// too.
    fn fill(&mut self, batch: &mut CellBatch, cells: usize) -> Result<bool, SheetError> {
        if !self.is_behind {
            self.fill_cells(batch, cells)?;
        }
        Ok(!self.is_behind || self.fill_merges(batch, cells))
    }

    fn fill_cells(&mut self, batch: &mut CellBatch, cells: usize) -> Result<(), SheetError> {
        let Self { records, sheet, limits, shape, row, rows, is_empty, is_behind } = self;
        let is_whole = records.each(|kind, content| {
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
                SHEET_DATA_END => *is_behind = true,
                kind if SHORT_CELLS.contains(&kind) => {
                    return Err(SheetError::Unsupported("short cell records in a binary workbook"));
                }
                kind => {
                    if let Some(value) = cell_value((kind, content), limits, batch)? {
                        // A row beyond the limit is refused where the cell is put.
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
            Ok(!*is_behind && !batch.is_full(cells))
        })?;
        if is_whole { Ok(()) } else { Err(SheetError::damaged("a sheet's cells are cut off")) }
    }

    /// What follows the cells isn't missed where it can't be read. False where nothing is left.
    fn fill_merges(&mut self, batch: &mut CellBatch, cells: usize) -> bool {
        while let Ok(Some((kind, content))) = self.records.next() {
            let number = |index: usize| u32_at(content, index * 4);
            if let (MERGED, Some(first_row), Some(last_row), Some(first_column), Some(last_column)) =
                (kind, number(0), number(1), number(2), number(3))
            {
                let rows = (first_row.saturating_add(1), last_row.saturating_add(1));
                let merge = Merge { first_row: rows.0, last_row: rows.1, first_column, last_column };
                merge.sound().into_iter().for_each(|merge| self.shape.merge(merge));
            }
            batch.steps += 1;
            if batch.is_full(cells) {
                return true;
            }
        }
        false
    }
}

/// What a record says of its cell; absent where it is none. Texts are taken into the batch.
#[inline]
fn cell_value(
    (kind, content): (u32, &[u8]),
    limits: &Limits,
    batch: &mut CellBatch,
) -> Result<Option<Value>, SheetError> {
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

/// A text that stands in its record.
fn text_value(record: Option<&[u8]>, limits: &Limits, batch: &mut CellBatch) -> Result<Value, SheetError> {
    let ((start, end), whole) = batch.add_with(|texts| push_wide_text(&mut record?, texts));
    whole.ok_or_else(|| SheetError::damaged("a cell is cut off"))?;
    // Batches that wait would hold many of them.
    if (end - start) as usize > limits.text_bytes {
        return Err(SheetError::too_large(Measure::TextBytes, limits.text_bytes as u64));
    }
    Ok(Value::Text(start, end))
}
