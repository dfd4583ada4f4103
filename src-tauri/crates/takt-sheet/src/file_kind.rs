//! The kinds of workbooks, and their detection by the first bytes of a file and by the parts of a package. The
//! extension only decides how tolerant the check for text is.
//!
//! The sizes that a package's directory claims are checked against the limits before anything is unpacked.

use quick_xml::{Reader, events::Event};
use serde::Serialize;

use crate::{
    LimitKind, Limits, SheetError, UnsupportedFormat,
    compound::{self, Compound},
    namespaces::PartElementFilter,
    package::{self, Package},
    source::Source,
    text,
    xml_text::plain_attribute,
};

const PACKAGE_SIGNATURE: &[u8] = b"PK";
/// Only this many bytes at the start of a text are checked.
const HEAD_BYTES: usize = 64 * 1024;
/// The first bytes of a worksheet before Excel 5, or of the stream of an xls file without its container.
const OLD_EXCEL_SIGNATURES: [&[u8]; 4] =
    [b"\x09\x00\x04\x00", b"\x09\x02\x06\x00", b"\x09\x04\x06\x00", b"\x09\x08\x10\x00"];
/// The main streams of other documents: Word, PowerPoint, Visio.
const OTHER_DOCUMENT_STREAMS: [&str; 3] = ["WordDocument", "PowerPoint Document", "VisioDocument"];
/// Entries that rights management adds to a package and to an xls ([MS-OFFCRYPTO] 2.2.4 to 2.2.11), and the entry of a
/// sensitivity label that encrypts (2.6.2). One of them is enough, because some programs name their data space
/// differently.
const RIGHTS_MANAGEMENT_ENTRIES: [&str; 6] = [
    "DRMEncryptedDataSpace",
    "DRMEncryptedTransform",
    "LabelInfo",
    "\u{9}DRMDataSpace",
    "\u{9}DRMTransform",
    "\u{9}DRMContent",
];
/// The class of the rights management transform. A transform's stream stores it in UTF-16.
const RIGHTS_TRANSFORM_CLASS: &str = "{C73DFACD-061F-43B0-8B64-0C620D2A8B50}";
const TEXT_EXTENSIONS: [&str; 5] = ["csv", "tsv", "tab", "txt", "asc"];

/// The maximum unpacked bytes per packed byte. Rows of a plan unpack to 30 to 60 times their size. A much higher ratio
/// means repeated data, which only wastes time.
const MAX_BYTES_PER_PACKED_BYTE: u64 = 300;
/// Like [`MAX_BYTES_PER_PACKED_BYTE`], but for shared texts, each of which is stored only once.
const MAX_TEXT_BYTES_PER_PACKED_BYTE: u64 = 150;
/// Smaller parts may unpack to any multiple of their packed size.
const MIN_CHECKED_BYTES: u64 = 32 * 1024 * 1024;

/// The file format of a workbook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileKind {
    /// Xlsx or xlsm.
    Xlsx,
    Xlsb,
    Xls,
    Ods,
    /// Csv, tsv and similar text files.
    Text,
    /// A web page with tables, which many ERP systems write with the extension `.xls`.
    Html,
    /// An XML spreadsheet of 2003.
    XmlSpreadsheet,
}

/// Detects the kind of a file. For any other file, the error depends on what users can do about it.
pub(crate) fn detect_file_kind(source: &Source, extension: &str, limits: &Limits) -> Result<FileKind, SheetError> {
    let head = &*source.head(HEAD_BYTES)?;
    if is_blank(head) && is_blank(&source.read_all()?) {
        return Err(SheetError::Empty);
    }
    if head.starts_with(compound::SIGNATURE) {
        return detect_compound_kind(&source.read_all()?);
    }
    if head.starts_with(PACKAGE_SIGNATURE) {
        return detect_package_kind(source, limits);
    }
    if OLD_EXCEL_SIGNATURES.iter().any(|signature| head.starts_with(signature)) {
        return Err(SheetError::UnsupportedFormat { what: UnsupportedFormat::OldExcel });
    }
    if !text::looks_like_text(head) {
        let is_text = TEXT_EXTENSIONS.contains(&extension);
        return Err(if is_text { SheetError::NotText } else { SheetError::NotAWorkbook });
    }
    if let Some(result) = detect_markup(&text::decode(head)) {
        return result;
    }
    let named_as_text = extension.is_empty() || TEXT_EXTENSIONS.contains(&extension);
    if named_as_text || text::looks_like_table(&text::decode(head)) {
        return Ok(FileKind::Text);
    }
    Err(SheetError::NotAWorkbook)
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, 0 | b' ' | b'\t' | b'\r' | b'\n'))
}

fn detect_compound_kind(bytes: &[u8]) -> Result<FileKind, SheetError> {
    let Some(compound) = Compound::parse(bytes) else {
        return Err(SheetError::damaged("the container's directory can't be read"));
    };
    if is_rights_managed(&compound) {
        return Err(SheetError::RightsManaged);
    }
    if compound.has_root_stream("EncryptedPackage") || compound.has_root_stream("EncryptionInfo") {
        return Err(SheetError::Protected);
    }
    // Word documents and presentations may have a workbook embedded.
    let other = OTHER_DOCUMENT_STREAMS.iter().any(|stream| compound.has_root_stream(stream));
    if !other && (compound.has_root_stream("Workbook") || compound.has_root_stream("Book")) {
        return Ok(FileKind::Xls);
    }
    Err(SheetError::NotAWorkbook)
}

fn is_rights_managed(compound: &Compound<'_>) -> bool {
    let class: Vec<u8> = RIGHTS_TRANSFORM_CLASS.encode_utf16().flat_map(u16::to_le_bytes).collect();
    RIGHTS_MANAGEMENT_ENTRIES.iter().any(|name| compound.has_entry(name))
        || compound
            .read_stream("\u{6}Primary")
            .is_some_and(|transform| memchr::memmem::find(&transform, &class).is_some())
}

/// Returns the kind of a markup file, or the error for one that isn't supported. Returns `None` if it isn't markup.
fn detect_markup(head: &str) -> Option<Result<FileKind, SheetError>> {
    let start: String = head.trim_start().chars().take(4096).collect::<String>().to_ascii_lowercase();
    if start.starts_with("mime-version:") {
        return Some(Err(SheetError::UnsupportedFormat { what: UnsupportedFormat::WebArchive }));
    }
    if !start.starts_with('<') {
        return None;
    }
    if start.contains("urn:schemas-microsoft-com:office:spreadsheet") && start.contains("<?xml") {
        return Some(Ok(FileKind::XmlSpreadsheet));
    }
    if start.contains("<office:document") && start.contains("opendocument.spreadsheet") {
        return Some(Ok(FileKind::Ods));
    }
    let begins = |tag: &str| {
        start.match_indices(tag).any(|(at, _)| !start.get(at + tag.len()..).unwrap_or_default().starts_with([':', '-']))
    };
    if ["<!doctype html", "<html", "<table", "<head", "<body", "<meta"].into_iter().any(begins) {
        return Some(Ok(FileKind::Html));
    }
    let tag = start.chars().nth(1).is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '?' | '!'));
    tag.then_some(Err(SheetError::NotAWorkbook))
}

/// Checks a package against the limits and detects the kind of its workbook.
fn detect_package_kind(source: &Source, limits: &Limits) -> Result<FileKind, SheetError> {
    let mut package = package::open(source)?;
    if package.len() > limits.parts {
        return Err(SheetError::too_large(LimitKind::Parts, limits.parts as u64));
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
        let max_size = part.compressed_size().saturating_mul(per_byte).max(MIN_CHECKED_BYTES);
        if part.size() > max_size {
            return Err(SheetError::too_large(LimitKind::UnpackedBytes, max_size));
        }
        if is_texts {
            shared_texts.push(part.size());
        }
        if name.ends_with("styles.xml") && part.size() > limits.style_bytes {
            return Err(SheetError::too_large(LimitKind::UnpackedBytes, limits.style_bytes));
        }
    }
    if unpacked > limits.unpacked_bytes {
        return Err(SheetError::too_large(LimitKind::UnpackedBytes, limits.unpacked_bytes));
    }
    for size in shared_texts {
        if size > limits.shared_text_bytes {
            return Err(SheetError::too_large(LimitKind::UnpackedBytes, limits.shared_text_bytes));
        }
    }
    match package::read_small_part(&mut package, "[Content_Types].xml")? {
        Some(types) => detect_office_kind(&mut package, &types),
        None => detect_open_document_kind(&mut package),
    }
}

/// Detects the kind by the main part, because a Word document may contain an embedded workbook.
fn detect_office_kind(package: &mut Package, types: &str) -> Result<FileKind, SheetError> {
    let main = main_part_name(package)?;
    let found = main.and_then(|main| kind_of_content_type(&ContentTypes::parse(types).find(&main)?));
    match found {
        Some(PackageKind::Workbook(kind)) => Ok(kind),
        Some(PackageKind::Other) => Err(SheetError::NotAWorkbook),
        // Some writers list all known content types and omit the relationship.
        None if types.contains("sheet.binary") && package::has_part(package, "xl/workbook.bin") => Ok(FileKind::Xlsb),
        None if package::has_part(package, "word/document.xml")
            || package::has_part(package, "ppt/presentation.xml") =>
        {
            Err(SheetError::NotAWorkbook)
        }
        None if types.contains("spreadsheetml") || types.contains("ms-excel.sheet") => Ok(FileKind::Xlsx),
        None => Err(SheetError::NotAWorkbook),
    }
}

/// Returns the name of the main part according to the package's relationships, or `None` without such a relationship.
fn main_part_name(package: &mut Package) -> Result<Option<String>, SheetError> {
    let relations = package::read_relations(package, "_rels/.rels")?;
    let main = relations.into_iter().find(|relation| relation.kind.ends_with("/officeDocument"));
    Ok(main.map(|main| package::resolve_target("", &main.target)))
}

enum PackageKind {
    Workbook(FileKind),
    Other,
}

/// Returns the kind for the main part's content type, or `None` for a type that no main part of Office has.
fn kind_of_content_type(content_type: &str) -> Option<PackageKind> {
    let content_type = content_type.to_ascii_lowercase();
    if content_type.contains("sheet.binary") {
        return Some(PackageKind::Workbook(FileKind::Xlsb));
    }
    if ["spreadsheetml", "ms-excel"].iter().any(|word| content_type.contains(word)) {
        return Some(PackageKind::Workbook(FileKind::Xlsx));
    }
    content_type.contains("main+xml").then_some(PackageKind::Other)
}

/// The content types of a package's parts.
#[derive(Debug, Default)]
struct ContentTypes {
    /// By the part's name in lower case, without the first slash.
    parts: Vec<(String, String)>,
    /// By extension in lower case.
    extensions: Vec<(String, String)>,
}

impl ContentTypes {
    /// Parses content types up to the first error, which is ignored.
    fn parse(content: &str) -> Self {
        let mut reader = Reader::from_str(content);
        reader.config_mut().expand_empty_elements = true;
        let (mut elements, mut types) = (PartElementFilter::default(), Self::default());
        while let Ok(event) = reader.read_event() {
            match elements.includes(&event) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(_) => break,
            }
            match event {
                Event::Start(start) => {
                    let Some(content_type) = plain_attribute(&start, "ContentType") else { continue };
                    if let Some(name) = plain_attribute(&start, "PartName") {
                        types.parts.push((name.trim_start_matches('/').to_ascii_lowercase(), content_type));
                    } else if let Some(extension) = plain_attribute(&start, "Extension") {
                        types.extensions.push((extension.to_ascii_lowercase(), content_type));
                    }
                }
                Event::Eof => break,
                _ => {}
            }
        }
        types
    }

    /// Returns the content type of a part by its name, else by its extension.
    fn find(self, name: &str) -> Option<String> {
        let name = name.to_ascii_lowercase();
        let extension = name.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
        let of_part = self.parts.into_iter().find(|(part, _)| *part == name);
        let of_extension = self.extensions.into_iter().find(|(other, _)| other == extension);
        of_part.or(of_extension).map(|(_, content_type)| content_type)
    }
}

fn detect_open_document_kind(package: &mut Package) -> Result<FileKind, SheetError> {
    let is_spreadsheet = match package::read_small_part(package, "mimetype")? {
        Some(mime) => mime.contains("opendocument.spreadsheet"),
        None => false,
    };
    if !is_spreadsheet || package.index_for_name("content.xml").is_none() {
        return Err(SheetError::NotAWorkbook);
    }
    let manifest = package::read_small_part(package, "META-INF/manifest.xml")?.unwrap_or_default();
    if manifest.contains("encryption-data") {
        return Err(SheetError::Protected);
    }
    Ok(FileKind::Ods)
}
