//! Cells of xls. calamine reads all sheets at once into dense blocks and believes what a sheet claims about its size; so
//! the records are walked first, and only what fits the limits is handed over.

mod code_formats;

use std::{
    collections::{HashMap, HashSet},
    io::Cursor,
};

use calamine::{Reader, Xls, XlsError, XlsOptions};

use self::code_formats::CodeFormats;
use crate::{
    Limits, Measure, Sheet, SheetEntry, SheetError,
    compound::{Compound, u16_at, u32_at},
    shape::{Merge, Shape},
    sheet::SheetBuilder,
    watch::Watch,
    xlsx::{entries, owned_cell},
};

const DIMENSIONS: u16 = 0x0200;
const BEGIN: u16 = 0x0809;
const END: u16 = 0x000A;
const SHEET: u16 = 0x0085;
const PASSWORD: u16 = 0x002F;
const MULTIPLE: u16 = 0x00BD;
const ROW: u16 = 0x0208;
const COLUMN: u16 = 0x007D;
const MERGED: u16 = 0x00E5;
const HIDDEN_ROW: u32 = 0x20;
const HIDDEN_COLUMN: u32 = 0x01;
const FORMULA: u16 = 0x0006;
const NUMBER: u16 = 0x0203;
const PACKED_NUMBER: u16 = 0x027E;
/// Formula, number, label, rich text, boolean or error, packed number, shared text, string: all begin with row and column.
const CELLS: [u16; 8] = [FORMULA, NUMBER, 0x0204, 0x00D6, 0x0205, PACKED_NUMBER, 0x00FD, 0x0207];
/// Code pages where a file names none that there is: that of all newer files, and that of Western Windows.
const UNICODE: u16 = 1200;
const WESTERN: u16 = 1252;
const ROWS: u32 = 65_536;
const COLUMNS: u32 = 256;

pub(crate) fn sheets(bytes: &[u8], limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    Ok(entries(open(bytes, limits)?.0.sheets_metadata()))
}

pub(crate) fn read(bytes: &[u8], name: &str, limits: &Limits, watch: &Watch<'_>) -> Result<Sheet, SheetError> {
    let (mut workbook, stream, offsets) = open(bytes, limits)?;
    let position = workbook.sheets_metadata().iter().position(|sheet| sheet.name == name);
    let is_1904 = workbook.has_1904_epoch();
    let range = workbook.worksheet_range(name).map_err(failed)?;
    let mut builder = SheetBuilder::new(name, limits, watch);
    let (top, left) = range.start().unwrap_or_default();
    let content = position.and_then(|at| offsets.get(at)).and_then(|&offset| stream.get(offset..)).unwrap_or_default();
    let formats = CodeFormats::parse(&stream);
    let formats = formats.places(content);
    for (row, column, value) in range.used_cells() {
        builder.step()?;
        let place = |offset: u32, index: usize| offset.saturating_add(u32::try_from(index).unwrap_or(u32::MAX));
        let (row, column) = (place(top, row), place(left, column));
        builder.put(row, column, owned_cell(value, formats.get(&(row, column)).copied(), is_1904).as_ref())?;
    }
    shape(content, &mut builder.shape);
    builder.finish()
}

/// The workbook, its stream, and where each sheet begins in it.
type Opened<'a> = (Xls<Cursor<&'a [u8]>>, Vec<u8>, Vec<usize>);

fn open<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Opened<'a>, SheetError> {
    let compound = Compound::parse(bytes).ok_or_else(|| SheetError::damaged("the container can't be read"))?;
    let stream = compound.stream("Workbook").or_else(|| compound.stream("Book"));
    let stream = stream.ok_or_else(|| SheetError::damaged("the workbook stream is cut off"))?;
    let offsets = check(&stream, limits)?;
    let workbook = Xls::new(Cursor::new(bytes)).or_else(|error| match error {
        XlsError::Cfb(_) => {
            let mut options = XlsOptions::default();
            options.force_codepage = Some(if code_formats::is_8(&stream) { UNICODE } else { WESTERN });
            Xls::new_with_options(Cursor::new(bytes), options)
        }
        other => Err(other),
    });
    Ok((workbook.map_err(failed)?, stream, offsets))
}

/// What is hidden and merged in the sheet that begins here.
fn shape(content: &[u8], shape: &mut Shape) {
    let mut depth = 0_u32;
    for (kind, content) in Records(content) {
        let half = |index: usize| u16_at(content, index * 2).map(u32::from).unwrap_or_default();
        match kind {
            BEGIN => depth += 1,
            END if depth <= 1 => break,
            END => depth -= 1,
            _ if depth > 1 => {}
            ROW if half(6) & HIDDEN_ROW != 0 => shape.hide_rows(half(0) + 1, half(0) + 1),
            COLUMN if half(4) & HIDDEN_COLUMN != 0 => shape.hide_columns(half(0), half(1)),
            MERGED => {
                for at in (0..half(0) as usize).map(|range| range * 4 + 1) {
                    let rows = (half(at) + 1, half(at + 1) + 1);
                    let (first_column, last_column) = (half(at + 2), half(at + 3));
                    let merge = Merge { first_row: rows.0, last_row: rows.1, first_column, last_column };
                    merge.sound().into_iter().for_each(|merge| shape.merge(merge));
                }
            }
            _ => {}
        }
    }
}

fn failed(error: XlsError) -> SheetError {
    match error {
        XlsError::Password => SheetError::Protected,
        XlsError::WorksheetNotFound(name) => SheetError::NoSuchSheet(name),
        other => SheetError::damaged(other),
    }
}

/// Adds up the blocks that all sheets span, and tells where each sheet begins.
fn check(stream: &[u8], limits: &Limits) -> Result<Vec<usize>, SheetError> {
    let mut offsets = Vec::new();
    for (kind, content) in Records(stream) {
        match kind {
            PASSWORD => return Err(SheetError::Protected),
            SHEET => offsets.push(u32_at(content, 0).unwrap_or_default() as usize),
            END => break,
            _ => {}
        }
    }
    if offsets.len() > limits.sheets {
        return Err(SheetError::too_large(Measure::Sheets, limits.sheets as u64));
    }
    let different: HashSet<usize> = offsets.iter().copied().collect();
    let mut blocks = HashMap::new();
    for offset in different {
        let content = stream.get(offset..).ok_or_else(|| SheetError::damaged("a sheet lies outside of the stream"))?;
        blocks.insert(offset, block(content)?);
    }
    let places: u64 = offsets.iter().filter_map(|offset| blocks.get(offset)).sum();
    if places > limits.legacy_cells {
        return Err(SheetError::too_large(Measure::Cells, limits.legacy_cells));
    }
    Ok(offsets)
}

/// The block that one sheet's cells span.
fn block(content: &[u8]) -> Result<u64, SheetError> {
    let mut depth = 0_u32;
    let mut span: Option<[u32; 4]> = None;
    for (kind, content) in Records(content) {
        match kind {
            BEGIN => depth += 1,
            END if depth <= 1 => break,
            END => depth -= 1,
            _ if depth > 1 => {}
            DIMENSIONS => check_claim(content)?,
            MULTIPLE => {
                let last = content.len().checked_sub(2).and_then(|at| u16_at(content, at));
                widen(&mut span, content, last);
            }
            _ if CELLS.contains(&kind) => widen(&mut span, content, None),
            _ => {}
        }
    }
    Ok(span.map_or(0, |[top, left, bottom, right]| u64::from(bottom - top + 1) * u64::from(right - left + 1)))
}

fn widen(span: &mut Option<[u32; 4]>, content: &[u8], last_column: Option<u16>) {
    let (Some(row), Some(first)) = (u16_at(content, 0), u16_at(content, 2)) else { return };
    let (row, first, last) = (u32::from(row), u32::from(first), u32::from(last_column.unwrap_or(first).max(first)));
    *span = Some(match *span {
        None => [row, first, row, last],
        Some([top, left, bottom, right]) => [top.min(row), left.min(first), bottom.max(row), right.max(last)],
    });
}

/// calamine makes room for what a sheet claims to span.
fn check_claim(content: &[u8]) -> Result<(), SheetError> {
    let wide = |at| u32_at(content, at).unwrap_or_default();
    let narrow = |at| u32::from(u16_at(content, at).unwrap_or_default());
    let (top, bottom, left, right) = if content.len() >= 14 {
        (wide(0), wide(4), narrow(8), narrow(10))
    } else {
        (narrow(0), narrow(2), narrow(4), narrow(6))
    };
    let possible = top <= bottom && bottom <= ROWS && left <= right && right <= COLUMNS;
    if possible { Ok(()) } else { Err(SheetError::damaged("a sheet claims an impossible size")) }
}

/// Records of a stream: kind, length, content.
struct Records<'a>(&'a [u8]);

impl<'a> Iterator for Records<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let kind = u16_at(self.0, 0)?;
        let length = usize::from(u16_at(self.0, 2)?);
        let content = self.0.get(4..4 + length)?;
        self.0 = self.0.get(4 + length..)?;
        Some((kind, content))
    }
}
