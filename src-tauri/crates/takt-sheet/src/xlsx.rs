//! Cells of xlsx and xlsm, streamed.
//!
//! Never calamine's `worksheet_range`: it makes a dense block of whatever two far cells span. An unknown error value is one
//! cell's matter and reading goes on; every other error ends it, since some repeat for ever.

mod ahead;
mod macro_sheets;
mod preview;
mod shape;

use std::{
    io::BufReader,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

use calamine::{Data, DataRef, ExcelDateTime, Reader, SheetType, SheetVisible, Xlsx, XlsxCellReader, XlsxError};

use crate::{
    Cell, CellRef, Limits, Sheet, SheetEntry, SheetError, SheetRow,
    number_format::CodeFormat,
    serial::{self, Moment},
    sheet::SheetBuilder,
    source::{Source, SourceReader},
    watch::{HEAD_ROWS, Watch},
};

/// Stands in a cell whose value can't be read, as Excel's own errors do.
const UNREADABLE: &str = "#?";

type File = BufReader<SourceReader>;

/// A file that is smaller is read at once anyhow.
const LARGE: u64 = 256 * 1024;

pub(crate) fn sheets(source: &Source) -> Result<Vec<SheetEntry>, SheetError> {
    let source = &*macro_sheets::set_aside(source)?;
    let list = |source: &Source| Ok(entries(Xlsx::new(source.buffered()).map_err(failed)?.sheets_metadata()));
    // The shared texts of a large workbook take long, and aren't needed for this.
    if source.len() > LARGE
        && let Ok(sheets) = preview::without_cells(source).and_then(|small| list(&small))
    {
        return Ok(sheets);
    }
    list(source)
}

pub(crate) fn read(source: &Source, name: &str, limits: &Limits, watch: &Watch<'_>) -> Result<Sheet, SheetError> {
    let source = &*macro_sheets::set_aside(source)?;
    let read = Arc::default();
    watch.expect(Arc::clone(&read), shape::packed_bytes(source, name));
    let mut builder = SheetBuilder::new(name, limits, watch);
    if source.len() > LARGE
        && let Some(head) = head(source, name, limits, &read)
    {
        builder.tell_head_of(&head)?;
    }
    let mut workbook = Xlsx::new(source.counted(&read)).map_err(failed)?;
    let stop = AtomicBool::new(false);
    let is_1904 = workbook.has_1904_epoch();
    thread::scope(|scope| {
        let found = scope.spawn(|| shape::read(source, name, &stop));
        let cells = workbook.worksheet_cells_reader(name).map_err(failed);
        let pass = cells.and_then(|cells| values(cells, is_1904, &mut builder));
        stop.store(pass.is_err(), Ordering::Relaxed);
        let found = found.join().unwrap_or_default();
        let pass = pass?;
        if (pass.empty > 0 && found.formulas != Some(false)) || !pass.errors.is_empty() {
            let reader = workbook.worksheet_cells_reader(name).map_err(failed)?;
            formulas(reader, &pass, &mut builder)?;
        }
        builder.shape = found.shape;
        builder.finish()
    })
}

/// The first rows, where they can be had without reading the rest.
fn head(source: &Source, name: &str, limits: &Limits, read: &Arc<AtomicU64>) -> Option<Vec<SheetRow>> {
    let small = preview::first_rows(source, name, read)?;
    let mut workbook = Xlsx::new(small.buffered()).ok()?;
    let is_1904 = workbook.has_1904_epoch();
    let watch = Watch::new(&|_| true);
    let mut builder = SheetBuilder::new(name, limits, &watch);
    let pass = values(workbook.worksheet_cells_reader(name).ok()?, is_1904, &mut builder).ok()?;
    if !pass.errors.is_empty() {
        return None;
    }
    Some(builder.finish().ok()?.rows.iter().take(HEAD_ROWS).collect())
}

/// Worksheets only; the rest has no cells.
pub(crate) fn entries(sheets: &[calamine::Sheet]) -> Vec<SheetEntry> {
    let worksheets = sheets.iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
    worksheets
        .map(|sheet| SheetEntry { name: sheet.name.clone(), visible: sheet.visible == SheetVisible::Visible })
        .collect()
}

/// What the first pass couldn't place.
#[derive(Default)]
struct Pass {
    /// Cells without a value: blank ones, and formulas that were never calculated.
    empty: u64,
    /// Error values that calamine doesn't know, by the cell's position in the stream.
    errors: Vec<(u64, String)>,
}

fn values(reader: XlsxCellReader<'_, File>, is_1904: bool, builder: &mut SheetBuilder<'_>) -> Result<Pass, SheetError> {
    let formats: Vec<Option<CodeFormat>> = reader
        .styles()
        .iter()
        .map(|style| style.number_format.as_ref().and_then(|format| CodeFormat::parse(&format.format_code)))
        .collect();
    let mut pass = Pass::default();
    let mut position = 0_u64;
    ahead::each(reader, |found| {
        builder.step()?;
        match found {
            Ok((found, style)) => {
                let (row, column) = found.get_position();
                match found.get_value() {
                    // Most cells are texts: these aren't copied twice.
                    DataRef::SharedString(text) if !text.is_empty() => {
                        builder.put(row, column, CellRef::of_text(text))?;
                    }
                    value => {
                        let cell = cell(value, formats.get(style).and_then(Option::as_ref), is_1904);
                        pass.empty += u64::from(cell.is_empty());
                        builder.put(row, column, cell.as_ref())?;
                    }
                }
            }
            Err(error) => match *error {
                XlsxError::CellError(text) => pass.errors.push((position, text)),
                error if is_of_one_cell(&error) => pass.errors.push((position, UNREADABLE.to_owned())),
                error => return Err(failed(error)),
            },
        }
        position += 1;
        Ok(())
    })?;
    Ok(pass)
}

/// The second pass looks at formulas and positions alone, and so gets past every value.
fn formulas(
    mut reader: XlsxCellReader<'_, File>,
    pass: &Pass,
    builder: &mut SheetBuilder<'_>,
) -> Result<(), SheetError> {
    let settled = builder.settle();
    let mut cells = settled.reader();
    let mut has = |row: u32, column: u32| {
        let position = settled.position(row.saturating_add(1));
        position.and_then(|position| cells.cell(position, column)).is_some_and(|cell| !cell.is_empty())
    };
    let mut errors = pass.errors.iter().peekable();
    let mut position = 0_u64;
    loop {
        builder.step()?;
        let found = match reader.next_formula() {
            Ok(Some(found)) => found,
            Ok(None) => break,
            // Without its place an error value would be lost in silence; a formula's text is not missed.
            Err(error) if errors.peek().is_some() => return Err(failed(error)),
            Err(_) => break,
        };
        let (row, column) = found.get_position();
        if let Some((_, text)) = errors.next_if(|(at, _)| *at == position) {
            // Where cells don't say their places, those behind this one have been counted wrongly.
            if has(row, column) {
                return Err(SheetError::damaged("a cell that can't be read stands among others without places"));
            }
            builder.put(row, column, Cell::error(text.as_str()).as_ref())?;
        } else if !found.get_value().is_empty() && !has(row, column) {
            builder.put(row, column, Cell::formula_without_value().as_ref())?;
        }
        position += 1;
    }
    builder.lay_under(settled);
    Ok(())
}

/// True where a value makes no sense and what follows can be read: a text that isn't there, a number that is none, a kind
/// that nobody knows.
fn is_of_one_cell(error: &XlsxError) -> bool {
    match error {
        XlsxError::Unexpected(what) => what.contains("shared strings"),
        XlsxError::ParseFloat(_) | XlsxError::CellTAttribute(_) => true,
        _ => false,
    }
}

/// A cell as calamine has it.
pub(crate) fn cell(value: &DataRef<'_>, format: Option<&CodeFormat>, is_1904: bool) -> Cell {
    match value {
        DataRef::Empty => Cell::default(),
        DataRef::String(text) => Cell::text(text.as_str()),
        DataRef::SharedString(text) => Cell::text(*text),
        DataRef::Float(number) => self::number(*number, format),
        #[expect(clippy::cast_precision_loss, reason = "a cell's number is an f64 in Excel, too")]
        DataRef::Int(number) => self::number(*number as f64, format),
        DataRef::Bool(value) => Cell::boolean(*value),
        DataRef::DateTime(value) => moment(value, is_1904),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => iso(text),
        DataRef::Error(error) => Cell::error(error.to_string()),
    }
}

/// The same from calamine's owned form.
pub(crate) fn owned_cell(value: &Data, format: Option<&CodeFormat>, is_1904: bool) -> Cell {
    match value {
        Data::Empty => Cell::default(),
        Data::String(text) => Cell::text(text.as_str()),
        Data::Float(number) => self::number(*number, format),
        #[expect(clippy::cast_precision_loss, reason = "a cell's number is an f64 in Excel, too")]
        Data::Int(number) => self::number(*number as f64, format),
        Data::Bool(value) => Cell::boolean(*value),
        Data::DateTime(value) => moment(value, is_1904),
        Data::DateTimeIso(text) | Data::DurationIso(text) => iso(text),
        Data::Error(error) => Cell::error(error.to_string()),
    }
}

fn number(value: f64, format: Option<&CodeFormat>) -> Cell {
    match format.and_then(|format| format.show(value)) {
        Some(shown) => Cell::number_shown(value, shown),
        None => Cell::number(value),
    }
}

fn moment(value: &ExcelDateTime, is_1904: bool) -> Cell {
    let serial = value.as_f64();
    if value.is_duration() {
        return serial::duration_ticks(serial).map_or_else(|| Cell::number(serial), Cell::duration);
    }
    match serial::moment(serial, is_1904) {
        Some(Moment::DateTime(value)) => Cell::date_time(value),
        Some(Moment::TimeOfDay(ticks)) => Cell::duration(ticks),
        None => Cell::number(serial),
    }
}

/// A date in ISO 8601, unchecked by calamine; what is none stays a text.
fn iso(text: &str) -> Cell {
    serial::civil(text).map_or_else(|| Cell::text(text), Cell::date_time)
}

fn failed(error: XlsxError) -> SheetError {
    match error {
        XlsxError::Password => SheetError::Protected,
        XlsxError::WorksheetNotFound(name) => SheetError::NoSuchSheet(name),
        other => SheetError::damaged(other),
    }
}
