//! The workbook part of an xlsx: its sheets, the names of their parts, and the date system.

use std::io::Read;

use quick_xml::events::{BytesStart, Event};

use super::cell_value::is_true;
use crate::{
    LimitKind, Limits, SheetEntry, SheetError,
    namespaces::{NamespaceScopes, PartElementFilter, is_relationship_attribute},
    package::{self, Package, Relation},
    sheet::make_names_unique,
    xml_text::{self, plain_attribute},
};

const USUAL_WORKBOOK: &str = "xl/workbook.xml";
/// Kinds of sheets without rows of cells.
const OTHER_SHEET_KINDS: [&str; 4] = ["/chartsheet", "/dialogsheet", "/xlMacrosheet", "/xlIntlMacrosheet"];

/// The content of the workbook part, and the names of the parts that it refers to.
#[derive(Debug)]
pub(super) struct Workbook {
    /// The part's name.
    name: String,
    pub(super) is_1904: bool,
    /// All sheets, with unique names. Charts and macros have no part to read.
    sheets: Vec<ListedSheet>,
    texts: String,
    styles: String,
}

#[derive(Debug)]
struct ListedSheet {
    entry: SheetEntry,
    part: SheetPart,
}

#[derive(Debug)]
enum SheetPart {
    Cells(String),
    /// The sheet is listed, but its relationship is missing.
    Missing,
    /// A chart, a dialog, or macros.
    Other,
}

impl Workbook {
    pub(super) fn read(package: &mut Package, limits: &Limits) -> Result<Self, SheetError> {
        let root = package::read_relations(package, "_rels/.rels")?;
        let main = root.iter().find(|relation| relation.kind.ends_with("/officeDocument"));
        let path = main.map_or_else(|| USUAL_WORKBOOK.to_owned(), |main| package::resolve_target("", &main.target));
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", &path));
        let list = if folder.is_empty() { format!("_rels/{file}.rels") } else { format!("{folder}/_rels/{file}.rels") };
        let relations = package::read_relations(package, &list)?;
        let mut workbook = Self {
            is_1904: false,
            sheets: Vec::new(),
            texts: package::find_part_of_kind(package, &relations, "/sharedStrings", folder, "sharedStrings.xml")?,
            styles: package::find_part_of_kind(package, &relations, "/styles", folder, "styles.xml")?,
            name: path.clone(),
        };
        let read = package::read_part(package, &path, |part| workbook.read_sheets(part, &relations, folder, limits))?;
        read.ok_or_else(|| SheetError::missing_part(&path))?;
        make_names_unique(workbook.sheets.iter_mut().map(|sheet| &mut sheet.entry.name));
        Ok(workbook)
    }

    fn read_sheets(
        &mut self,
        part: impl Read,
        relations: &[Relation],
        folder: &str,
        limits: &Limits,
    ) -> Result<(), SheetError> {
        let mut reader = xml_text::new_reader(part)?;
        let mut elements = PartElementFilter::default();
        let mut buffer = Vec::new();
        let mut is_complete = false;
        loop {
            buffer.clear();
            let event = reader.read_event_into(&mut buffer).map_err(SheetError::damaged)?;
            if !elements.includes(&event)? {
                continue;
            }
            match event {
                Event::Start(start) => match start.local_name().as_ref() {
                    "workbookPr" => {
                        self.is_1904 |= plain_attribute(&start, "date1904").is_some_and(|value| is_true(&value));
                    }
                    "sheet" => self.sheets.push(list_sheet(&start, elements.scopes(), relations, folder)),
                    _ => {}
                },
                Event::End(end) if end.local_name().as_ref() == "workbook" => is_complete = true,
                Event::Eof if is_complete => return Ok(()),
                Event::Eof => return Err(SheetError::damaged("the list of sheets is cut off")),
                _ => {}
            }
            if self.sheets.len() > limits.sheets {
                return Err(SheetError::too_large(LimitKind::Sheets, limits.sheets as u64));
            }
        }
    }

    /// Returns the sheets that have cells.
    pub(super) fn entries(&self) -> Vec<SheetEntry> {
        let with_cells = self.sheets.iter().filter(|sheet| !matches!(sheet.part, SheetPart::Other));
        with_cells.map(|sheet| sheet.entry.clone()).collect()
    }

    /// Returns the name of a sheet's part.
    pub(super) fn part_name(&self, name: &str) -> Result<&str, SheetError> {
        match self.sheets.iter().find(|sheet| sheet.entry.name == name).map(|sheet| &sheet.part) {
            Some(SheetPart::Cells(path)) => Ok(path),
            Some(SheetPart::Missing) => {
                Err(SheetError::damaged("the sheet's relationship is missing").in_part(&self.name))
            }
            Some(SheetPart::Other) | None => Err(SheetError::NoSuchSheet(name.to_owned())),
        }
    }

    pub(super) fn texts_part(&self) -> &str {
        &self.texts
    }

    pub(super) fn styles_part(&self) -> &str {
        &self.styles
    }
}

fn list_sheet(start: &BytesStart<'_>, scopes: &NamespaceScopes, relations: &[Relation], folder: &str) -> ListedSheet {
    let visible = plain_attribute(start, "state").is_none_or(|state| state == "visible");
    let entry = SheetEntry { name: plain_attribute(start, "name").unwrap_or_default(), visible };
    let mut attributes = start.attributes().flatten();
    let id = attributes
        .find(|found| found.key.local_name().as_ref() == "id" && is_relationship_attribute(scopes, found.key));
    let id = id.map(|id| id.value).filter(|id| !id.is_empty());
    let relation = id.as_ref().and_then(|id| relations.iter().find(|relation| relation.id == id.as_ref()));
    let part = match relation {
        // A module of an old macro language has no part.
        None if id.is_none() => SheetPart::Other,
        None => SheetPart::Missing,
        Some(relation) if OTHER_SHEET_KINDS.iter().any(|kind| relation.kind.ends_with(kind)) => SheetPart::Other,
        Some(relation) => SheetPart::Cells(package::resolve_target(folder, &relation.target)),
    };
    ListedSheet { entry, part }
}
