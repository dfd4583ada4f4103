//! Cells of xlsx and xlsm, streamed: one thread takes the sheet's part apart, another puts the cells away.
//!
//! Written here because the reader that was used before wraps row and column numbers that are too large (and panics over them
//! where overflows are checked), passes over `xml:space` of all elements but the last, knows a sheet by its name alone, reads
//! parts in UTF-8 only, and holds each shared text in memory of its own before the first cell is known.

mod cell_batch;
mod cells;
mod read_ahead;
mod regular_rows;
mod texts;
mod usual_cell;
mod workbook;

use std::sync::{Arc, atomic::AtomicU64};

use self::{
    cell_batch::{RawCell, Value},
    texts::LazyTexts,
    workbook::Workbook,
};
use crate::{
    Cell, CellRef, Limits, Sheet, SheetEntry, SheetError, package, progress::ProgressReporter, serial,
    sheet::SheetBuilder, source::Source,
};

pub(crate) fn sheets(source: &Source, limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    Ok(Workbook::read(&mut package::open(source)?, limits)?.entries())
}

pub(crate) fn read(
    source: &Source,
    name: &str,
    limits: &Limits,
    progress: &ProgressReporter<'_>,
) -> Result<Sheet, SheetError> {
    let mut package = package::open(source)?;
    let workbook = Workbook::read(&mut package, limits)?;
    let path = workbook.path(name).ok_or_else(|| SheetError::NoSuchSheet(name.to_owned()))?;
    let read: Arc<AtomicU64> = Arc::default();
    progress.expect(Arc::clone(&read), packed_bytes(&mut package, &[path, workbook.texts_path()]));
    let formats = workbook.formats(&mut package);
    let mut texts_package = package::open_counted(source, &read)?;
    let mut texts = LazyTexts::new(package::part(&mut texts_package, workbook.texts_path()), limits)?;
    let mut builder = SheetBuilder::new(name, limits, progress);
    let part = || Ok((package::open_counted(source, &read)?, path));
    let mut places = Vec::new();
    let shape = read_ahead::each(part, limits, |batch| {
        texts.touch(batch.cells.iter().filter_map(RawCell::shared), &mut places);
        batch.cells.iter().try_for_each(|&RawCell { row, column, format, value }| {
            builder.step()?;
            // Most cells are texts: these aren't copied twice.
            let cell = match value {
                Value::Shared(number) => {
                    return match texts.get(number as usize)? {
                        Some(text) => builder.put(row, column, CellRef::of_text(text)),
                        None => builder.put(row, column, Cell::unreadable().as_ref()),
                    };
                }
                Value::Text(start, end) => return builder.put(row, column, CellRef::of_text(batch.text((start, end)))),
                Value::Number(number) => {
                    let number = (number, workbook.is_1904);
                    return formats.with_cell(format as usize, number, |cell| builder.put(row, column, cell));
                }
                Value::Moment(start, end) => moment(batch.text((start, end))),
                Value::Error(start, end) => Cell::error(batch.text((start, end))),
                Value::Boolean(value) => Cell::boolean(value),
                Value::Unreadable => Cell::unreadable(),
                Value::OpenFormula => Cell::formula_without_value(),
            };
            builder.put(row, column, cell.as_ref())
        })
    })?;
    builder.shape = shape;
    builder.finish()
}

/// A date in ISO 8601; what is none stays a text.
fn moment(text: &str) -> Cell {
    serial::civil(text).map_or_else(|| Cell::text(text), Cell::date_time)
}

/// Bytes of the file that have to be read for these parts.
fn packed_bytes(package: &mut package::Package, paths: &[&str]) -> u64 {
    let sizes = (0..package.len()).filter_map(|index| {
        let part = package.by_index_raw(index).ok()?;
        let name = part.name().ok()?.replace('\\', "/");
        paths.iter().any(|path| path.eq_ignore_ascii_case(&name)).then(|| part.compressed_size())
    });
    sizes.sum()
}
