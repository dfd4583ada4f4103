//! Copies a package part by part. Parts that aren't edited are copied as compressed bytes.

use std::{
    io::{BufReader, Read, Seek, Write},
    path::Path,
};

use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::{
    atomic,
    notes::SheetNotes,
    out_sheet::OutSheet,
    package_parts::{Directory, PartEdit},
    plain_sheet,
    sheet_edit::SheetEdit,
};
use crate::{
    SheetError,
    package::{self, Package},
    source::Source,
};

/// The maximum bytes of a directory part, which may name thousands of sheets and areas.
const MAX_DIRECTORY_BYTES: u64 = 64 * 1024 * 1024;

/// An edit that has been found possible.
#[derive(Debug)]
pub(super) struct Edit<'a> {
    source: &'a Source,
    directory: Directory,
    /// The edits of sheets, with the names of their parts.
    sheets: Vec<(String, SheetEdit<'a>)>,
    more: &'a [OutSheet],
}

impl<'a> Edit<'a> {
    pub(super) fn prepare(
        source: &'a Source,
        notes: &'a [SheetNotes],
        more: &'a [OutSheet],
    ) -> Result<Self, SheetError> {
        let mut package = package::open(source)?;
        let directory = directory(&mut package)?;
        if directory.is_template() {
            return Err(SheetError::Unsupported("a template is no workbook yet"));
        }
        let mut sheets = Vec::new();
        for notes in notes {
            let part = directory.part_of(&notes.sheet).ok_or_else(|| SheetError::NoSuchSheet(notes.sheet.clone()))?;
            let xml = package.by_name(&part).map_err(SheetError::damaged)?;
            sheets.push((part, SheetEdit::new(notes, BufReader::new(xml))?));
        }
        Ok(Self { source, directory, sheets, more })
    }

    pub(super) fn extension(&self) -> &'static str {
        self.directory.extension()
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), SheetError> {
        let mut package = package::open(self.source)?;
        let drops_formula = self.sheets.iter().any(|(_, edit)| edit.drops_formula);
        let directory = self.directory.edited(self.more, drops_formula)?;
        atomic::write(path, |out| {
            let mut written = ZipWriter::new(out);
            for index in 0..package.len() {
                let name = package
                    .by_index_raw(index)
                    .map_err(SheetError::damaged)?
                    .name()
                    .map_err(SheetError::damaged)?
                    .into_owned();
                if let Some((_, edit)) = self.sheets.iter().find(|(part, _)| *part == name) {
                    written.start_file(&*name, options()).map_err(atomic::failed)?;
                    let xml = package.by_index(index).map_err(SheetError::damaged)?;
                    edit.copy(BufReader::new(xml), &mut written)?;
                    continue;
                }
                match directory.part(&name) {
                    PartEdit::Unchanged => {
                        let part = package.by_index_raw(index).map_err(SheetError::damaged)?;
                        written.raw_copy_file(part).map_err(atomic::failed)?;
                    }
                    PartEdit::Edited(text) => put(&mut written, &name, text.as_bytes())?,
                    PartEdit::Removed => {}
                }
            }
            for (sheet, name) in self.more.iter().zip(&directory.added) {
                written.start_file(&**name, options()).map_err(atomic::failed)?;
                plain_sheet::write(&mut written, sheet)?;
            }
            written.finish().map_err(atomic::failed)?;
            Ok(())
        })
    }
}

/// Returns `xlsx`, or `xlsm` if there are macros.
pub(super) fn extension(source: &Source) -> Option<&'static str> {
    Some(directory(&mut package::open(source).ok()?).ok()?.extension())
}

fn directory(package: &mut Package) -> Result<Directory, SheetError> {
    Directory::read(|name| text(package, name))
}

fn text(package: &mut Package, name: &str) -> Option<String> {
    let mut text = String::new();
    package.by_name(name).ok()?.take(MAX_DIRECTORY_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

fn put(written: &mut ZipWriter<impl Write + Seek>, name: &str, content: &[u8]) -> Result<(), SheetError> {
    written.start_file(name, options()).map_err(atomic::failed)?;
    written.write_all(content).map_err(atomic::failed)
}

/// Returns options without a timestamp, so that the same content gives the same bytes.
pub(super) fn options() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).large_file(true)
}
