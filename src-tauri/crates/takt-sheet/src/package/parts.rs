//! Opens packages, finds their parts and reads them.

use std::{
    io::{self, BufReader, Read},
    sync::{Arc, atomic::AtomicU64},
};

use zip::ZipArchive;

use crate::{
    Measure, SheetError,
    source::{Source, SourceReader},
    xml_text,
};

pub(crate) type Package = ZipArchive<BufReader<SourceReader>>;

/// The maximum size of a list of parts. Real ones are far smaller.
const MAX_SMALL_PART: u64 = 4 * 1024 * 1024;

/// Opens a package without unpacking anything.
pub(crate) fn open(source: &Source) -> Result<Package, SheetError> {
    open_counted(source, &Arc::default())
}

/// Like [`open`], but counts the bytes that are read.
pub(crate) fn open_counted(source: &Source, read: &Arc<AtomicU64>) -> Result<Package, SheetError> {
    let package =
        ZipArchive::new(source.counted_reader(read)).map_err(|error| SheetError::EndMissing(error.to_string()))?;
    if package.has_duplicate_names() {
        return Err(SheetError::damaged("two parts have the same name"));
    }
    Ok(package)
}

pub(crate) fn has_part(package: &Package, name: &str) -> bool {
    index_of(package, name).is_some()
}

/// Returns a reader for a part, or `None` if there is no such part. The checksum is compared at its end, see
/// [`read_rest`].
///
/// # Errors
/// If the directory has a wrong position for the part.
pub(crate) fn part<'p>(package: &'p mut Package, name: &str) -> Result<Option<impl Read + 'p>, SheetError> {
    let Some(index) = index_of(package, name) else { return Ok(None) };
    package.by_index(index).map(Some).map_err(|error| SheetError::damaged(error).in_part(name))
}

/// Reads a part with `read`, or returns `None` if there is no such part.
///
/// # Errors
/// Those of `read`, with the part's name. Also if the part's checksum is wrong.
pub(crate) fn read_part<T>(
    package: &mut Package,
    name: &str,
    read: impl FnOnce(&mut dyn Read) -> Result<T, SheetError>,
) -> Result<Option<T>, SheetError> {
    let Some(mut part) = part(package, name)? else { return Ok(None) };
    let result = read(&mut part).and_then(|result| read_rest(part).map(|()| result));
    result.map(Some).map_err(|error| error.in_part(name))
}

/// Finds a part. Some writers use backslashes and another letter case.
fn index_of(package: &Package, name: &str) -> Option<usize> {
    let is_same = |other: &str| other.replace('\\', "/").eq_ignore_ascii_case(name);
    let has_name =
        |&index: &usize| package.name_for_index(index).is_some_and(|other| other.is_ok_and(|other| is_same(&other)));
    package.index_for_name(name).or_else(|| (0..package.len()).find(has_name))
}

/// The directory's claims about a part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartDescription {
    /// The unpacked bytes.
    pub(crate) length: u64,
    pub(crate) packed: u64,
    pub(crate) crc32: u32,
}

/// Returns the directory's claims about a part, or `None` if there is no such part.
pub(crate) fn description(package: &mut Package, name: &str) -> Option<PartDescription> {
    let index = index_of(package, name)?;
    let part = package.by_index_raw(index).ok()?;
    Some(PartDescription { length: part.size(), packed: part.compressed_size(), crc32: part.crc32() })
}

/// Returns the text of a small part, or `None` if there is no such part.
///
/// # Errors
/// If the part is damaged or not small.
pub(crate) fn small_part(package: &mut Package, name: &str) -> Result<Option<String>, SheetError> {
    read_part(package, name, |part| {
        let mut content = Vec::new();
        part.take(MAX_SMALL_PART + 1).read_to_end(&mut content).map_err(SheetError::damaged)?;
        if content.len() as u64 > MAX_SMALL_PART {
            return Err(SheetError::too_large(Measure::UnpackedBytes, MAX_SMALL_PART));
        }
        Ok(xml_text::decode(&content))
    })
}

/// Reads the rest of a part, because its checksum is compared at its end.
pub(crate) fn read_rest(mut part: impl Read) -> Result<(), SheetError> {
    io::copy(&mut part, &mut io::sink()).map(drop).map_err(SheetError::damaged)
}
