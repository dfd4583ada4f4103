//! Packed workbooks (zip): what their directory claims, checked against the budgets before anything is unpacked.
//!
//! A part that unpacks to more than it claims is refused by the zip reader itself, so the claims can be trusted as bounds.

mod kind;
mod unpacking;

use std::{
    borrow::Cow,
    io::{BufReader, Read},
    sync::{Arc, atomic::AtomicU64},
};

use quick_xml::{
    Reader, XmlVersion,
    events::{BytesStart, Event},
};
use zip::ZipArchive;

use crate::{
    FileKind, Limits, Measure, SheetError,
    namespaces::PartElements,
    source::{Source, SourceReader},
    xml_text,
};

pub(crate) use unpacking::{BlockSender, on_another_thread, read_rest, unpacked};

pub(crate) type Package = ZipArchive<BufReader<SourceReader>>;

/// What a byte of a part may become. Rows of a plan become thirty to sixty; much more is repetition that only costs time.
const MAX_BYTES_PER_PACKED_BYTE: u64 = 300;
/// The same of texts that cells share, each of which is there once.
const MAX_TEXT_BYTES_PER_PACKED_BYTE: u64 = 150;
/// A part that is smaller may repeat itself as it likes.
const SMALL_ENOUGH: u64 = 32 * 1024 * 1024;
/// Lists of parts are far smaller.
const MAX_SMALL_PART: u64 = 4 * 1024 * 1024;

/// Opens the directory without unpacking anything.
pub(crate) fn open(source: &Source) -> Result<Package, SheetError> {
    open_counted(source, &Arc::default())
}

/// The same, counting the bytes that are read.
pub(crate) fn open_counted(source: &Source, read: &Arc<AtomicU64>) -> Result<Package, SheetError> {
    let package = ZipArchive::new(source.counted(read)).map_err(|error| SheetError::EndMissing(error.to_string()))?;
    if package.has_duplicate_names() {
        return Err(SheetError::damaged("two parts have the same name"));
    }
    Ok(package)
}

/// Checks the budgets and tells which kind of workbook it is.
pub(crate) fn inspect(source: &Source, limits: &Limits) -> Result<FileKind, SheetError> {
    let mut package = open(source)?;
    if package.len() > limits.parts {
        return Err(SheetError::too_large(Measure::Parts, limits.parts as u64));
    }
    let mut unpacked = 0_u64;
    let mut shared_texts = Vec::new();
    for index in 0..package.len() {
        let part = package.by_index_raw(index).map_err(SheetError::damaged)?;
        if part.encrypted() {
            return Err(SheetError::Protected);
        }
        unpacked = unpacked.saturating_add(part.size());
        let name = part.name().map_err(SheetError::damaged)?.to_ascii_lowercase();
        let is_texts = name.ends_with("sharedstrings.xml") || name.ends_with("sharedstrings.bin");
        let per_byte = if is_texts { MAX_TEXT_BYTES_PER_PACKED_BYTE } else { MAX_BYTES_PER_PACKED_BYTE };
        let most = part.compressed_size().saturating_mul(per_byte).max(SMALL_ENOUGH);
        if part.size() > most {
            return Err(SheetError::too_large(Measure::UnpackedBytes, most));
        }
        if is_texts {
            shared_texts.push(part.size());
        }
        if name.ends_with("styles.xml") && part.size() > limits.style_bytes {
            return Err(SheetError::too_large(Measure::UnpackedBytes, limits.style_bytes));
        }
    }
    if unpacked > limits.unpacked_bytes {
        return Err(SheetError::too_large(Measure::UnpackedBytes, limits.unpacked_bytes));
    }
    for size in shared_texts {
        if size > limits.shared_text_bytes {
            return Err(SheetError::too_large(Measure::UnpackedBytes, limits.shared_text_bytes));
        }
    }
    kind::of(&mut package)
}

pub(crate) fn has_part(package: &Package, name: &str) -> bool {
    index_of(package, name).is_some()
}

/// A part by its name. Its checksum is compared at its end: see [`read_rest`]. Absent if there is no such part.
///
/// # Errors
/// If the package's directory has a wrong place for it.
pub(crate) fn part<'p>(package: &'p mut Package, name: &str) -> Result<Option<impl Read + 'p>, SheetError> {
    let Some(index) = index_of(package, name) else { return Ok(None) };
    package.by_index(index).map(Some).map_err(|error| SheetError::damaged(error).in_part(name))
}

/// Reads a part with `read`. Absent if there is no such part.
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

/// Some writers use backslashes and letters of another case.
fn index_of(package: &Package, name: &str) -> Option<usize> {
    let alike = |other: &str| other.replace('\\', "/").eq_ignore_ascii_case(name);
    let is_it =
        |&index: &usize| package.name_for_index(index).is_some_and(|other| other.is_ok_and(|other| alike(&other)));
    package.index_for_name(name).or_else(|| (0..package.len()).find(is_it))
}

/// What the directory claims of a part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartDescription {
    /// Unpacked.
    pub(crate) length: u64,
    pub(crate) packed: u64,
    pub(crate) crc32: u32,
}

/// Absent where there is no such part.
pub(crate) fn description(package: &mut Package, name: &str) -> Option<PartDescription> {
    let index = index_of(package, name)?;
    let part = package.by_index_raw(index).ok()?;
    Some(PartDescription { length: part.size(), packed: part.compressed_size(), crc32: part.crc32() })
}

/// The text of a small part; absent where there is no such part.
///
/// # Errors
/// Where the part is damaged, or not small.
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

/// A line of a `.rels` part.
#[derive(Debug)]
pub(crate) struct Relation {
    pub(crate) id: String,
    /// The type's address.
    pub(crate) kind: String,
    pub(crate) target: String,
}

/// The lines of a `.rels` part. None where there is no such part.
///
/// # Errors
/// Where the part is damaged.
pub(crate) fn relations(package: &mut Package, name: &str) -> Result<Vec<Relation>, SheetError> {
    let content = small_part(package, name)?;
    content.map_or_else(|| Ok(Vec::new()), |content| parse_relations(&content).map_err(|error| error.in_part(name)))
}

fn parse_relations(content: &str) -> Result<Vec<Relation>, SheetError> {
    let mut reader = Reader::from_str(content);
    reader.config_mut().expand_empty_elements = true;
    let (mut elements, mut relations) = (PartElements::default(), Vec::new());
    loop {
        let event = reader.read_event().map_err(SheetError::damaged)?;
        if !elements.includes(&event)? {
            continue;
        }
        match event {
            Event::Start(start) if start.local_name().as_ref() == "Relationship" => {
                if let (Some(id), Some(target)) = (plain_attribute(&start, "Id"), plain_attribute(&start, "Target")) {
                    relations.push(Relation { id, kind: plain_attribute(&start, "Type").unwrap_or_default(), target });
                }
            }
            Event::Eof => return Ok(relations),
            _ => {}
        }
    }
}

/// The name of the first part of a kind. The usual name if no relation names one.
///
/// # Errors
/// Where a relation names a part that the package doesn't have.
pub(crate) fn part_of_kind(
    package: &Package,
    (relations, kind): (&[Relation], &str),
    (folder, usual): (&str, &str),
) -> Result<String, SheetError> {
    let Some(relation) = relations.iter().find(|relation| relation.kind.ends_with(kind)) else {
        return Ok(absolute(folder, usual));
    };
    let name = absolute(folder, &relation.target);
    if has_part(package, &name) { Ok(name) } else { Err(SheetError::missing_part(&name)) }
}

/// A relation's target as a part's name; `folder` is that of the part which the relation belongs to.
pub(crate) fn absolute(folder: &str, target: &str) -> String {
    let target = target.replace('\\', "/");
    let mut steps: Vec<&str> = if target.starts_with('/') { Vec::new() } else { folder.split('/').collect() };
    for step in target.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    steps.retain(|step| !step.is_empty());
    steps.join("/")
}

/// An attribute without a prefix, as Office parts have them. One with a prefix belongs to an extension.
pub(crate) fn plain_attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start.attributes().with_checks(false).flatten().find(|found| found.key.as_ref() == name)?;
    found.normalized_value(XmlVersion::Implicit1_0).ok().map(Cow::into_owned)
}
