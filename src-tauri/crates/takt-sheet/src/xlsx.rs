//! Cells of xlsx and xlsm, streamed: one thread unpacks the sheet's part, another takes it apart, a third puts the cells away.
//!
//! Written here because the reader that was used before wraps row and column numbers that are too large (and panics over them
//! where overflows are checked), passes over `xml:space` of all elements but the last, knows a sheet by its name alone, reads
//! parts in UTF-8 only, and holds each shared text in memory of its own before the first cell is known.

mod cells;
mod content;
mod regular_rows;
mod texts;
mod usual_cell;
mod workbook;

use std::sync::{Arc, atomic::AtomicU64};

use self::{cells::CellReader, texts::LazyTexts, workbook::Workbook};
use crate::{
    CellKind, Limits, Sheet, SheetEntry, SheetError,
    cell_batch::CellPlacement,
    number_format::CellFormats,
    package,
    progress::ProgressReporter,
    read_ahead::{self, BatchReceiver, BatchSender},
    sheet::SheetBuilder,
    source::Source,
    xml_text,
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
    let read_cells = |batches: BatchSender| {
        let package = package::open_counted(source, &read)?;
        package::unpacked(package, (path, limits.unpacked_bytes), |part| {
            let mut cells = CellReader::new(xml_text::reader(part)?, name, limits);
            batches.send_all(|batch, count| cells.fill(batch, count))?;
            Ok(cells.shape)
        })
    };
    let mut placement = CellPlacement { formats, is_1904: workbook.is_1904, texts: &mut texts, places: Vec::new() };
    let put = |batches: BatchReceiver| batches.take_all(|batch| placement.put_all(batch, &mut builder));
    builder.shape = read_ahead::each(read_cells, put)?;
    builder.finish()
}

/// Which cells of a workbook are dates.
pub(crate) struct DateCells {
    sheets: Vec<String>,
    formats: CellFormats,
    is_1904: bool,
}

impl DateCells {
    pub(crate) fn of(package: &mut package::Package, limits: &Limits) -> Result<Self, SheetError> {
        let workbook = Workbook::read(package, limits)?;
        let sheets = workbook.entries().into_iter().filter_map(|entry| workbook.path(&entry.name).map(str::to_owned));
        Ok(Self { sheets: sheets.collect(), formats: workbook.formats(package), is_1904: workbook.is_1904 })
    }

    /// Whether the part with this name is a sheet.
    pub(crate) fn is_sheet(&self, part: &str) -> bool {
        self.sheets.iter().any(|sheet| sheet.eq_ignore_ascii_case(part))
    }

    /// What a number in this cell format is.
    pub(crate) fn kind(&self, format: usize, value: f64) -> CellKind {
        self.formats.with_cell(format, (value, self.is_1904), |cell| cell.kind())
    }
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
