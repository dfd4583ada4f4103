//! Cells of xls (Excel 5 to 2003), record by record. Written here because every reader at hand decodes the texts of newer
//! files with their code page, passes over formulas of an older kind, knows some of the number formats only, and makes room
//! for whatever a sheet claims to span.

mod cells;
mod globals;
mod letters;
mod password;
mod record;

use std::borrow::Cow;

use self::globals::Globals;
use crate::{
    Limits, Sheet, SheetEntry, SheetError, compound::Compound, progress::ProgressReporter, sheet::SheetBuilder,
};

/// Excel takes 4,050 formats of cells into such a file, and far fewer number formats; other programs write more.
const MAX_FORMATS: usize = 16_384;
/// The longest record is cut every 8 kB, so that a file of 64 MB has some 8,000 of these.
const MAX_CONTINUED: usize = 65_536;
/// The record that ends a sheet. All that hold cells are longer.
const MIN_RECORD_LENGTH: u64 = 4;
/// What a reader may take, as so many times a file's bytes and those of its texts: none takes that much of them.
const BYTES_SHARE: u64 = 16;
const TEXT_SHARE: u64 = 8;

/// What a file may have for being read in this process. Everything else that a reader holds is a small multiple of the file's
/// own bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Number formats, and formats of cells.
    formats: usize,
    /// Records that go on with one record.
    continued: usize,
    /// Of all texts that cells have, those that they share counted each time.
    text_bytes: u64,
}

impl Bounds {
    const NONE: Self = Self { formats: usize::MAX, continued: usize::MAX, text_bytes: u64::MAX };

    /// For a file of so many bytes where its reader may take so much memory; absent where the file alone is too much.
    pub(crate) fn of(bytes: usize, memory: u64) -> Option<Self> {
        let text_bytes = memory / TEXT_SHARE;
        let fits = (bytes as u64).saturating_mul(BYTES_SHARE) <= memory;
        fits.then_some(Self { formats: MAX_FORMATS, continued: MAX_CONTINUED, text_bytes })
    }
}

pub(crate) fn sheets(bytes: &[u8], limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    sheets_within(bytes, limits, Bounds::NONE)?.ok_or_else(unbounded)
}

/// Absent where the file has more than the bounds allow.
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
    read_within(bytes, name, (limits, Bounds::NONE), progress)?.ok_or_else(unbounded)
}

/// Absent where the file has more than the bounds allow.
pub(crate) fn read_within(
    bytes: &[u8],
    name: &str,
    (limits, bounds): (&Limits, Bounds),
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
    let is_whole = cells::read((content, is_cut_off), &globals, &mut builder, bounds)?;
    is_whole.then(|| builder.finish()).transpose()
}

/// Where there are no bounds, nothing is beyond them.
fn unbounded() -> SheetError {
    SheetError::damaged("more than any file has")
}

/// The workbook's records.
struct Stream<'a> {
    bytes: Cow<'a, [u8]>,
    /// Records are missing that the directory promises, besides the stream's end.
    is_cut_off: bool,
}

/// The workbook's records, decrypted if they are encrypted with Excel's default password.
fn stream(bytes: &[u8]) -> Result<Stream<'_>, SheetError> {
    let compound = Compound::parse(bytes).ok_or_else(|| SheetError::damaged("the container can't be read"))?;
    let name = if compound.has("Workbook") { "Workbook" } else { "Book" };
    let stream = compound.stream(name).ok_or_else(|| SheetError::damaged("there is no workbook stream"))?;
    let missing = compound.size(name).unwrap_or_default().saturating_sub(stream.len() as u64);
    let is_cut_off = missing > MIN_RECORD_LENGTH;
    let opened = match password::unlock(&stream)? {
        Cow::Borrowed(_) => None,
        Cow::Owned(opened) => Some(opened),
    };
    Ok(Stream { bytes: opened.map_or(stream, Cow::Owned), is_cut_off })
}
