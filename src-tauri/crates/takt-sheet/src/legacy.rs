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
use crate::{Limits, Sheet, SheetEntry, SheetError, compound::Compound, sheet::SheetBuilder, watch::Watch};

pub(crate) fn sheets(bytes: &[u8], limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    Ok(Globals::read(&stream(bytes)?, limits)?.entries)
}

pub(crate) fn read(bytes: &[u8], name: &str, limits: &Limits, watch: &Watch<'_>) -> Result<Sheet, SheetError> {
    let stream = stream(bytes)?;
    let globals = Globals::read(&stream, limits)?;
    let position = globals.entries.iter().position(|entry| entry.name == name);
    let offset =
        position.and_then(|at| globals.offsets.get(at)).ok_or_else(|| SheetError::NoSuchSheet(name.to_owned()))?;
    let content = stream.get(*offset..).filter(|content| !content.is_empty());
    let content = content.ok_or_else(|| SheetError::damaged("a sheet lies outside of the stream"))?;
    let mut builder = SheetBuilder::new(name, limits, watch);
    cells::read(content, &globals, &mut builder)?;
    builder.finish()
}

/// The workbook's records, opened where they are locked with the password that everybody knows.
fn stream(bytes: &[u8]) -> Result<Vec<u8>, SheetError> {
    let compound = Compound::parse(bytes).ok_or_else(|| SheetError::damaged("the container can't be read"))?;
    let stream = compound.stream("Workbook").or_else(|| compound.stream("Book"));
    let stream = stream.ok_or_else(|| SheetError::damaged("the workbook stream is cut off"))?;
    match password::unlock(&stream)? {
        Cow::Borrowed(_) => Ok(stream),
        Cow::Owned(opened) => Ok(opened),
    }
}
