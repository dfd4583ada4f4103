//! Packages (zip). The sizes that the directory claims are checked against the limits before anything is unpacked.
//!
//! The zip reader refuses a part that unpacks to more than it claims, so the claims are reliable bounds.

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

/// The most bytes that one packed byte may become. Rows of a plan become thirty to sixty, and much more is repetition
/// that only costs time.
const MAX_BYTES_PER_PACKED_BYTE: u64 = 300;
/// Like [`MAX_BYTES_PER_PACKED_BYTE`], but for shared texts, each of which is stored only once.
const MAX_TEXT_BYTES_PER_PACKED_BYTE: u64 = 150;
/// Smaller parts may unpack to any multiple of their packed size.
const SMALL_ENOUGH: u64 = 32 * 1024 * 1024;
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

/// Checks the limits and returns which kind of workbook it is.
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
        let max_size = part.compressed_size().saturating_mul(per_byte).max(SMALL_ENOUGH);
        if part.size() > max_size {
            return Err(SheetError::too_large(Measure::UnpackedBytes, max_size));
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
    kind::detect(&mut package)
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

/// A relationship from a `.rels` part.
#[derive(Debug)]
pub(crate) struct Relation {
    pub(crate) id: String,
    /// The URI of its type.
    pub(crate) kind: String,
    pub(crate) target: String,
}

/// Returns the relationships of a `.rels` part, or none if there is no such part.
///
/// # Errors
/// If the part is damaged.
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

/// Returns the name of the first part of a kind, or the usual name if no relationship names one.
///
/// # Errors
/// If a relationship names a part that the package doesn't have.
pub(crate) fn part_of_kind(
    package: &Package,
    (relations, kind): (&[Relation], &str),
    (folder, usual): (&str, &str),
) -> Result<String, SheetError> {
    let Some(relation) = relations.iter().find(|relation| relation.kind.ends_with(kind)) else {
        return Ok(resolve_target(folder, usual));
    };
    let name = resolve_target(folder, &relation.target);
    if has_part(package, &name) { Ok(name) } else { Err(SheetError::missing_part(&name)) }
}

/// Resolves a relationship's target to the name of a part. `folder` is that of the part to which the relationship
/// belongs.
pub(crate) fn resolve_target(folder: &str, target: &str) -> String {
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

/// Returns an attribute without a prefix, as Office parts write it. One with a prefix belongs to an extension.
pub(crate) fn plain_attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start.attributes().with_checks(false).flatten().find(|found| found.key.as_ref() == name)?;
    found.normalized_value(XmlVersion::Implicit1_0).ok().map(Cow::into_owned)
}
