//! Sheets of Excel 4 macros in a newer workbook. They hold no rows, but the reader refuses the whole workbook for them; so it
//! is given a copy in which they are called charts, which it passes over.

use std::{
    borrow::Cow,
    io::{Cursor, Write},
};

use zip::{ZipWriter, write::SimpleFileOptions};

use crate::{
    SheetError,
    package::{self, Package},
    source::Source,
};

const LIST: &str = "workbook.xml.rels";
const MACROS: [&str; 2] = ["/xlMacrosheet\"", "/xlIntlMacrosheet\""];
const CHART: &str = "/chartsheet\"";

/// The workbook itself where it has no such sheets.
pub(super) fn set_aside(source: &Source) -> Result<Cow<'_, Source>, SheetError> {
    let mut package = package::open(source)?;
    let names = (0..package.len()).filter_map(|index| package.name_for_index(index)?.ok());
    let Some(name) = names.into_iter().find(|name| name.to_ascii_lowercase().ends_with(LIST)).map(Cow::into_owned)
    else {
        return Ok(Cow::Borrowed(source));
    };
    let list = package::small_part(&mut package, &name).unwrap_or_default();
    if !MACROS.iter().any(|kind| list.contains(kind)) {
        return Ok(Cow::Borrowed(source));
    }
    let list = MACROS.iter().fold(list, |list, kind| list.replace(kind, CHART));
    copy(&mut package, &name, &list).map(Source::of).map(Cow::Owned)
}

/// Everything as it is but for one part.
fn copy(package: &mut Package, changed: &str, content: &str) -> Result<Vec<u8>, SheetError> {
    let mut copied = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..package.len() {
        let is_changed = package.name_for_index(index).is_some_and(|name| name.is_ok_and(|name| name == changed));
        if is_changed {
            copied.start_file(changed, SimpleFileOptions::default()).map_err(SheetError::damaged)?;
            copied.write_all(content.as_bytes()).map_err(SheetError::damaged)?;
        } else {
            let part = package.by_index_raw(index).map_err(SheetError::damaged)?;
            copied.raw_copy_file(part).map_err(SheetError::damaged)?;
        }
    }
    Ok(copied.finish().map_err(SheetError::damaged)?.into_inner())
}
