//! Cells of one sheet of an xls, read record by record. Claims of the sheet about its size are ignored.

use super::{
    bounds::Bounds,
    globals::{BEGIN, END, Globals},
    record::{Record, Records},
};
use crate::{
    CellRef, SheetError,
    binary_value::{error_value, packed_number},
    compound::{u16_at, u32_at},
    shape::Merge,
    sheet::SheetBuilder,
};

const NUMBER: u16 = 0x0203;
const LABEL: u16 = 0x0204;
const RICH_LABEL: u16 = 0x00D6;
const TRUTH_OR_ERROR: u16 = 0x0205;
const PACKED_NUMBER: u16 = 0x027E;
const PACKED_NUMBERS: u16 = 0x00BD;
const SHARED_TEXT: u16 = 0x00FD;
/// A formula of Excel 5 and later, and of Excel 3 and 4, which some programs still write into newer files.
const FORMULAS: [u16; 3] = [0x0006, 0x0206, 0x0406];
/// The text result of the formula before it. The record begins with the text's length.
const FORMULA_TEXT: u16 = 0x0207;
const ROW: u16 = 0x0208;
const COLUMN: u16 = 0x007D;
const MERGED: u16 = 0x00E5;
const HIDDEN_ROW: u16 = 0x20;
const HIDDEN_COLUMN: u16 = 0x01;
/// The bytes of row, column and cell format.
const PLACE: usize = 6;
/// The bytes of one cell in a record with several: its format and its number.
const PACKED_CELL: usize = 6;
/// The bytes of one merged range.
const RANGE: usize = 8;
/// The upper half of a formula's result if that isn't a number.
const NO_NUMBER: u16 = 0xFFFF;

/// Reads the sheet at the start of `content`. Returns false if it exceeds the bounds.
///
/// Some writers leave out the sheet's last record. But if the file is cut off and that record is missing, cells may be
/// missing, too.
pub(super) fn read(
    content: &[u8],
    is_cut_off: bool,
    globals: &Globals,
    builder: &mut SheetBuilder<'_>,
    bounds: Bounds,
) -> Result<bool, SheetError> {
    let mut reading = Reading { globals, builder, formula: None, text_bytes: 0 };
    let (mut depth, mut has_end) = (0_u32, false);
    for record in Records(content) {
        let record = record?;
        reading.builder.step()?;
        match record.kind {
            BEGIN => depth += 1,
            END if depth <= 1 => {
                has_end = true;
                break;
            }
            END => depth -= 1,
            // A chart inside the sheet has its own cells.
            _ if depth > 1 => {}
            _ => reading.read_record(&record)?,
        }
        if record.more.len() > bounds.continuations || reading.text_bytes > bounds.text_bytes {
            return Ok(false);
        }
    }
    if is_cut_off && !has_end {
        return Err(SheetError::damaged("a sheet's cells are cut off"));
    }
    reading.end_formula()?;
    Ok(true)
}

struct Reading<'a, 'b> {
    globals: &'a Globals,
    builder: &'a mut SheetBuilder<'b>,
    /// The address of a formula whose text comes in a later record.
    formula: Option<(u32, u32)>,
    /// The bytes of the texts that were stored.
    text_bytes: u64,
}

impl Reading<'_, '_> {
    fn read_record(&mut self, record: &Record<'_>) -> Result<(), SheetError> {
        match record.kind {
            ROW if record.read_u16_or_zero(12) & HIDDEN_ROW != 0 => {
                let row = u32::from(record.read_u16_or_zero(0)) + 1;
                self.builder.shape.hide_rows(row, row);
                Ok(())
            }
            COLUMN if record.read_u16_or_zero(8) & HIDDEN_COLUMN != 0 => {
                self.builder.shape.hide_columns(record.read_u16_or_zero(0).into(), record.read_u16_or_zero(2).into());
                Ok(())
            }
            MERGED => {
                self.merged(record);
                Ok(())
            }
            FORMULA_TEXT => self.formula_text(record),
            PACKED_NUMBERS => self.packed_numbers(record),
            kind if FORMULAS.contains(&kind) => self.formula(record),
            NUMBER | LABEL | RICH_LABEL | TRUTH_OR_ERROR | PACKED_NUMBER | SHARED_TEXT => self.cell(record),
            _ => Ok(()),
        }
    }

    fn put(&mut self, record: &Record<'_>, cell: CellRef<'_>) -> Result<(), SheetError> {
        self.text_bytes += cell.text_length() as u64;
        self.builder.put(record.read_u16_or_zero(0).into(), record.read_u16_or_zero(2).into(), cell)
    }

    fn put_number(&mut self, row: u32, column: u32, format: u16, value: f64) -> Result<(), SheetError> {
        let builder = &mut *self.builder;
        let is_1904 = self.globals.is_1904;
        self.globals.formats.with_cell(format.into(), value, is_1904, |cell| builder.put(row, column, cell))
    }

    fn cell(&mut self, record: &Record<'_>) -> Result<(), SheetError> {
        let value = record.content.get(PLACE..).unwrap_or_default();
        let cut_off = || SheetError::damaged("a cell is cut off");
        let (row, column, format) =
            (record.read_u16_or_zero(0).into(), record.read_u16_or_zero(2).into(), record.read_u16_or_zero(4));
        let cell = match record.kind {
            SHARED_TEXT => {
                let number = u32_at(value, 0).ok_or_else(cut_off)? as usize;
                self.globals.texts.get(number).map_or_else(CellRef::unreadable, CellRef::of_text)
            }
            NUMBER => return self.put_number(row, column, format, double(value).ok_or_else(cut_off)?),
            PACKED_NUMBER => {
                return self.put_number(row, column, format, packed_number(u32_at(value, 0).ok_or_else(cut_off)?));
            }
            TRUTH_OR_ERROR => match value {
                [truth, 0, ..] => CellRef::of_boolean(*truth != 0),
                [code, _, ..] => CellRef::of_error(error_value(*code)),
                _ => return Err(cut_off()),
            },
            _ => {
                let text = self.globals.strings.read_text(record, PLACE);
                // Some writers count too many characters. Takt can't know which ones are missing.
                return self.put(record, text.as_deref().map_or_else(|_| CellRef::unreadable(), CellRef::of_text));
            }
        };
        self.put(record, cell)
    }

    fn packed_numbers(&mut self, record: &Record<'_>) -> Result<(), SheetError> {
        // The record ends with the last column, which also follows from its length.
        let cells = record.content.get(4..record.content.len().saturating_sub(2)).unwrap_or_default();
        for (column, cell) in (u32::from(record.read_u16_or_zero(2))..).zip(cells.chunks_exact(PACKED_CELL)) {
            let value = packed_number(u32_at(cell, 2).unwrap_or_default());
            self.put_number(record.read_u16_or_zero(0).into(), column, u16_at(cell, 0).unwrap_or_default(), value)?;
        }
        Ok(())
    }

    /// Stores the result of a formula. If its upper half isn't that of a number, its first byte is the result's type.
    fn formula(&mut self, record: &Record<'_>) -> Result<(), SheetError> {
        self.end_formula()?;
        let value = record.content.get(PLACE..PLACE + 8).ok_or_else(|| SheetError::damaged("a formula is cut off"))?;
        if u16_at(value, 6) != Some(NO_NUMBER) {
            let (row, column, format) =
                (record.read_u16_or_zero(0).into(), record.read_u16_or_zero(2).into(), record.read_u16_or_zero(4));
            return self.put_number(row, column, format, double(value).unwrap_or_default());
        }
        match value {
            [0, ..] => self.formula = Some((record.read_u16_or_zero(0).into(), record.read_u16_or_zero(2).into())),
            [1, _, truth, ..] => return self.put(record, CellRef::of_boolean(*truth != 0)),
            [2, _, code, ..] => return self.put(record, CellRef::of_error(error_value(*code))),
            // An empty text.
            _ => {}
        }
        Ok(())
    }

    fn formula_text(&mut self, record: &Record<'_>) -> Result<(), SheetError> {
        let Some((row, column)) = self.formula.take() else { return Ok(()) };
        let text = self.globals.strings.read_text(record, 0);
        self.text_bytes += text.as_ref().map_or(0, String::len) as u64;
        self.builder.put(row, column, text.as_deref().map_or_else(|_| CellRef::unreadable(), CellRef::of_text))
    }

    /// Ends a formula. If its text never came, it was never calculated.
    fn end_formula(&mut self) -> Result<(), SheetError> {
        let Some((row, column)) = self.formula.take() else { return Ok(()) };
        self.builder.put(row, column, CellRef::formula_without_value())
    }

    fn merged(&mut self, record: &Record<'_>) {
        let ranges = record.content.get(2..).unwrap_or_default().chunks_exact(RANGE);
        for range in ranges.take(record.read_u16_or_zero(0).into()) {
            let half = |index: usize| u32::from(u16_at(range, index * 2).unwrap_or_default());
            let (first_column, last_column) = (half(2), half(3));
            let merge = Merge { first_row: half(0) + 1, last_row: half(1) + 1, first_column, last_column };
            merge.validated().into_iter().for_each(|merge| self.builder.shape.merge(merge));
        }
    }
}

fn double(bytes: &[u8]) -> Option<f64> {
    bytes.get(..8)?.try_into().ok().map(f64::from_le_bytes)
}
