//! Detects the kind of a package by its main part. A Word document may have a workbook embedded.

use quick_xml::{Reader, events::Event};

use super::{
    parts::{Package, has_part, small_part},
    relations::{relations, resolve_target},
};
use crate::{FileKind, SheetError, namespaces::PartElements, xml_text::plain_attribute};

/// The content types of a package's parts.
#[derive(Debug, Default)]
struct ContentTypes {
    /// By the part's name in lower case, without the first slash.
    parts: Vec<(String, String)>,
    /// By extension in lower case.
    extensions: Vec<(String, String)>,
}

pub(super) fn detect(package: &mut Package) -> Result<FileKind, SheetError> {
    match small_part(package, "[Content_Types].xml")? {
        Some(types) => of_office_package(package, &types),
        None => of_open_document(package),
    }
}

fn of_office_package(package: &mut Package, types: &str) -> Result<FileKind, SheetError> {
    let main = main_part(package)?;
    let found = main.and_then(|main| workbook_kind(&ContentTypes::parse(types).content_type(&main)?));
    match found {
        Some(PackageKind::Workbook(kind)) => Ok(kind),
        Some(PackageKind::Other) => Err(SheetError::NotAWorkbook),
        // Some writers list every content type there is, and omit the relationship.
        None if types.contains("sheet.binary") && has_part(package, "xl/workbook.bin") => Ok(FileKind::Xlsb),
        None if has_part(package, "word/document.xml") || has_part(package, "ppt/presentation.xml") => {
            Err(SheetError::NotAWorkbook)
        }
        None if types.contains("spreadsheetml") || types.contains("ms-excel.sheet") => Ok(FileKind::Xlsx),
        None => Err(SheetError::NotAWorkbook),
    }
}

/// Returns the name of the part that the package's own relationship names.
fn main_part(package: &mut Package) -> Result<Option<String>, SheetError> {
    let relations = relations(package, "_rels/.rels")?;
    let main = relations.into_iter().find(|relation| relation.kind.ends_with("/officeDocument"));
    Ok(main.map(|main| resolve_target("", &main.target)))
}

enum PackageKind {
    Workbook(FileKind),
    Other,
}

/// Returns the kind, or `None` for a content type that doesn't reveal it.
fn workbook_kind(content_type: &str) -> Option<PackageKind> {
    let content_type = content_type.to_ascii_lowercase();
    if content_type.contains("sheet.binary") {
        return Some(PackageKind::Workbook(FileKind::Xlsb));
    }
    if ["spreadsheetml", "ms-excel"].iter().any(|word| content_type.contains(word)) {
        return Some(PackageKind::Workbook(FileKind::Xlsx));
    }
    content_type.contains("main+xml").then_some(PackageKind::Other)
}

impl ContentTypes {
    /// Parses as many content types as can be read.
    fn parse(content: &str) -> Self {
        let mut reader = Reader::from_str(content);
        reader.config_mut().expand_empty_elements = true;
        let (mut elements, mut types) = (PartElements::default(), Self::default());
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

    fn content_type(self, name: &str) -> Option<String> {
        let name = name.to_ascii_lowercase();
        let extension = name.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
        let of_part = self.parts.into_iter().find(|(part, _)| *part == name);
        let of_extension = self.extensions.into_iter().find(|(other, _)| other == extension);
        of_part.or(of_extension).map(|(_, content_type)| content_type)
    }
}

fn of_open_document(package: &mut Package) -> Result<FileKind, SheetError> {
    let is_spreadsheet = match small_part(package, "mimetype")? {
        Some(mime) => mime.contains("opendocument.spreadsheet"),
        None => false,
    };
    if !is_spreadsheet || package.index_for_name("content.xml").is_none() {
        return Err(SheetError::NotAWorkbook);
    }
    let manifest = small_part(package, "META-INF/manifest.xml")?.unwrap_or_default();
    if manifest.contains("encryption-data") {
        return Err(SheetError::Protected);
    }
    Ok(FileKind::Ods)
}
