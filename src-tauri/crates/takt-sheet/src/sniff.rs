//! Detects what a file really is by its first bytes. The extension only decides how tolerant the check for text is.

use crate::{
    FileKind, Limits, SheetError, UnsupportedFormat,
    compound::{self, Compound},
    package,
    source::Source,
    text,
};

const PACKAGE: &[u8] = b"PK";
/// The bytes of a text that are checked.
const HEAD: usize = 64 * 1024;
/// Headers of worksheets before Excel 5, and of the stream of an xls file without its container.
const OLD_EXCEL: [&[u8]; 4] = [b"\x09\x00\x04\x00", b"\x09\x02\x06\x00", b"\x09\x04\x06\x00", b"\x09\x08\x10\x00"];
/// The main streams of other documents: Word, PowerPoint, Visio.
const OTHER_DOCUMENTS: [&str; 3] = ["WordDocument", "PowerPoint Document", "VisioDocument"];
/// Entries that rights management adds to a package and to an xls ([MS-OFFCRYPTO] 2.2.4 to 2.2.11), and the entry of a
/// sensitivity label that encrypts (2.6.2). One of them is enough, because some programs name their data space
/// differently.
const RIGHTS_MANAGEMENT: [&str; 6] = [
    "DRMEncryptedDataSpace",
    "DRMEncryptedTransform",
    "LabelInfo",
    "\u{9}DRMDataSpace",
    "\u{9}DRMTransform",
    "\u{9}DRMContent",
];
/// The class of the rights management transform. A transform's stream stores it in UTF-16.
const RIGHTS_TRANSFORM: &str = "{C73DFACD-061F-43B0-8B64-0C620D2A8B50}";
const TEXT_EXTENSIONS: [&str; 5] = ["csv", "tsv", "tab", "txt", "asc"];

/// Detects the kind of a file. The error for any other file depends on what users can do about it.
pub(crate) fn sniff(source: &Source, extension: &str, limits: &Limits) -> Result<FileKind, SheetError> {
    let head = &*source.head(HEAD)?;
    if is_blank(head) && is_blank(&source.read_all()?) {
        return Err(SheetError::Empty);
    }
    if head.starts_with(compound::SIGNATURE) {
        return compound_kind(&source.read_all()?);
    }
    if head.starts_with(PACKAGE) {
        return package::inspect(source, limits);
    }
    if OLD_EXCEL.iter().any(|signature| head.starts_with(signature)) {
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

fn compound_kind(bytes: &[u8]) -> Result<FileKind, SheetError> {
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
    let other = OTHER_DOCUMENTS.iter().any(|stream| compound.has_root_stream(stream));
    if !other && (compound.has_root_stream("Workbook") || compound.has_root_stream("Book")) {
        return Ok(FileKind::Xls);
    }
    Err(SheetError::NotAWorkbook)
}

fn is_rights_managed(compound: &Compound<'_>) -> bool {
    let class: Vec<u8> = RIGHTS_TRANSFORM.encode_utf16().flat_map(u16::to_le_bytes).collect();
    RIGHTS_MANAGEMENT.iter().any(|name| compound.has_entry(name))
        || compound.stream("\u{6}Primary").is_some_and(|transform| memchr::memmem::find(&transform, &class).is_some())
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
