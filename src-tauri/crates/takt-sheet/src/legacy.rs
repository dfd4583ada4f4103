//! Cells of xls files (Excel 5 to 2003), read record by record.
//!
//! The available libraries decode the texts of newer files with the code page and skip formulas of an older kind. They
//! know only some of the number formats, and allocate whatever size a sheet claims. So this module uses none of them.

mod bounds;
mod cells;
mod globals;
mod letters;
mod password;
mod record;

use std::borrow::Cow;

pub(crate) use self::bounds::Bounds;
use self::globals::Globals;
use crate::{
    Limits, Sheet, SheetEntry, SheetError, compound::Compound, progress::ProgressReporter, sheet::SheetBuilder,
};

/// The length of the record that ends a sheet. All records with cells are longer.
const MIN_RECORD_LENGTH: u64 = 4;

pub(crate) fn sheets(bytes: &[u8], limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    sheets_within(bytes, limits, Bounds::NONE)?.ok_or_else(unreachable_limit_error)
}

/// Lists the sheets, or returns `None` if the file exceeds the bounds.
pub(crate) fn sheets_within(
    bytes: &[u8],
    limits: &Limits,
    bounds: Bounds,
) -> Result<Option<Vec<SheetEntry>>, SheetError> {
    let stream = stream(bytes)?.bytes;
    Ok(Globals::read(&stream, false, limits, bounds)?.map(|globals| globals.entries))
}

pub(crate) fn read(
    bytes: &[u8],
    name: &str,
    limits: &Limits,
    progress: &ProgressReporter<'_>,
) -> Result<Sheet, SheetError> {
    read_within(bytes, name, limits, Bounds::NONE, progress)?.ok_or_else(unreachable_limit_error)
}

/// Reads a sheet, or returns `None` if the file exceeds the bounds.
pub(crate) fn read_within(
    bytes: &[u8],
    name: &str,
    limits: &Limits,
    bounds: Bounds,
    progress: &ProgressReporter<'_>,
) -> Result<Option<Sheet>, SheetError> {
    let Stream { bytes: stream, is_cut_off } = stream(bytes)?;
    let Some(globals) = Globals::read(&stream, true, limits, bounds)? else { return Ok(None) };
    let position = globals.entries.iter().position(|entry| entry.name == name);
    let offset =
        position.and_then(|at| globals.offsets.get(at)).ok_or_else(|| SheetError::NoSuchSheet(name.to_owned()))?;
    let content = stream.get(*offset..).filter(|content| !content.is_empty());
    let content = content.ok_or_else(|| SheetError::damaged("a sheet lies outside of the stream"))?;
    let mut builder = SheetBuilder::new(name, limits, progress);
    let is_complete = cells::read(content, is_cut_off, &globals, &mut builder, bounds)?;
    is_complete.then(|| builder.finish()).transpose()
}

/// Returns the error for exceeding [`Bounds::NONE`], which can't happen.
fn unreachable_limit_error() -> SheetError {
    SheetError::damaged("more than any file has")
}

/// The records of a workbook.
struct Stream<'a> {
    bytes: Cow<'a, [u8]>,
    /// Whether more of the stream is missing than its last record.
    is_cut_off: bool,
}

/// Extracts the workbook's records, and decrypts them if they are encrypted with Excel's default password.
fn stream(bytes: &[u8]) -> Result<Stream<'_>, SheetError> {
    let compound = Compound::parse(bytes).ok_or_else(|| SheetError::damaged("the container can't be read"))?;
    let name = if compound.has("Workbook") { "Workbook" } else { "Book" };
    let stream = compound.stream(name).ok_or_else(|| SheetError::damaged("there is no workbook stream"))?;
    let missing = compound.size(name).unwrap_or_default().saturating_sub(stream.len() as u64);
    let is_cut_off = missing > MIN_RECORD_LENGTH;
    let decrypted = match password::unlock(&stream)? {
        Cow::Borrowed(_) => None,
        Cow::Owned(decrypted) => Some(decrypted),
    };
    Ok(Stream { bytes: decrypted.map_or(stream, Cow::Owned), is_cut_off })
}
