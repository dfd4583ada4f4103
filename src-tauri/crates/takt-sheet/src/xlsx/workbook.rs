//! What an xlsx says of itself: its sheets, where the parts are, and its date system.

use std::io::Read;

use quick_xml::events::{BytesStart, Event};

use crate::{
    Limits, Measure, SheetEntry, SheetError,
    namespaces::{PartElements, Scopes, is_of_relations},
    package::{self, Package, Relation, plain_attribute},
    sheet::distinct_names,
    xml_text,
};

const USUAL_WORKBOOK: &str = "xl/workbook.xml";
/// Kinds of sheets that have no rows of cells.
const OTHER_SHEETS: [&str; 4] = ["/chartsheet", "/dialogsheet", "/xlMacrosheet", "/xlIntlMacrosheet"];

/// The workbook's own part.
#[derive(Debug)]
pub(super) struct Workbook {
    /// The part's name.
    name: String,
    pub(super) is_1904: bool,
    /// All sheets with names of their own; charts and macros have no part to read.
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
    /// Said by the list, and nowhere to be found.
    Missing,
    /// A chart, a dialog, or macros.
    Other,
}

impl Workbook {
    pub(super) fn read(package: &mut Package, limits: &Limits) -> Result<Self, SheetError> {
        let root = package::relations(package, "_rels/.rels")?;
        let main = root.iter().find(|relation| relation.kind.ends_with("/officeDocument"));
        let path = main.map_or_else(|| USUAL_WORKBOOK.to_owned(), |main| package::absolute("", &main.target));
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", &path));
        let list = if folder.is_empty() { format!("_rels/{file}.rels") } else { format!("{folder}/_rels/{file}.rels") };
        let relations = package::relations(package, &list)?;
        let mut workbook = Self {
            is_1904: false,
            sheets: Vec::new(),
            texts: package::part_of_kind(package, (&relations, "/sharedStrings"), (folder, "sharedStrings.xml"))?,
            styles: package::part_of_kind(package, (&relations, "/styles"), (folder, "styles.xml"))?,
            name: path.clone(),
        };
        let read = package::read_part(package, &path, |part| workbook.read_sheets(part, (&relations, folder), limits))?;
        read.ok_or_else(|| SheetError::missing_part(&path))?;
        distinct_names(workbook.sheets.iter_mut().map(|sheet| &mut sheet.entry.name));
        Ok(workbook)
    }

    fn read_sheets(
        &mut self,
        part: impl Read,
        (relations, folder): (&[Relation], &str),
        limits: &Limits,
    ) -> Result<(), SheetError> {
        let mut reader = xml_text::reader(part)?;
        let mut elements = PartElements::default();
        let mut buffer = Vec::new();
        let mut is_whole = false;
        loop {
            buffer.clear();
            let event = reader.read_event_into(&mut buffer).map_err(SheetError::damaged)?;
            if !elements.includes(&event)? {
                continue;
            }
            match event {
                Event::Start(start) => match start.local_name().as_ref() {
                    "workbookPr" => {
                        self.is_1904 |= plain_attribute(&start, "date1904").is_some_and(|said| is_true(&said));
                    }
                    "sheet" => self.sheets.push(listed((&start, elements.scopes()), relations, folder)),
                    _ => {}
                },
                Event::End(end) if end.local_name().as_ref() == "workbook" => is_whole = true,
                Event::Eof if is_whole => return Ok(()),
                Event::Eof => return Err(SheetError::damaged("the list of sheets is cut off")),
                _ => {}
            }
            if self.sheets.len() > limits.sheets {
                return Err(SheetError::too_large(Measure::Sheets, limits.sheets as u64));
            }
        }
    }

    /// Those that have cells.
    pub(super) fn entries(&self) -> Vec<SheetEntry> {
        let with_cells = self.sheets.iter().filter(|sheet| !matches!(sheet.part, SheetPart::Other));
        with_cells.map(|sheet| sheet.entry.clone()).collect()
    }

    /// The part of a sheet.
    pub(super) fn path(&self, name: &str) -> Result<&str, SheetError> {
        match self.sheets.iter().find(|sheet| sheet.entry.name == name).map(|sheet| &sheet.part) {
            Some(SheetPart::Cells(path)) => Ok(path),
            Some(SheetPart::Missing) => {
                Err(SheetError::damaged("the sheet's relationship is missing").in_part(&self.name))
            }
            Some(SheetPart::Other) | None => Err(SheetError::NoSuchSheet(name.to_owned())),
        }
    }

    pub(super) fn texts_path(&self) -> &str {
        &self.texts
    }

    pub(super) fn styles_path(&self) -> &str {
        &self.styles
    }
}

fn listed((start, scopes): (&BytesStart<'_>, &Scopes), relations: &[Relation], folder: &str) -> ListedSheet {
    let visible = plain_attribute(start, "state").is_none_or(|state| state == "visible");
    let entry = SheetEntry { name: plain_attribute(start, "name").unwrap_or_default(), visible };
    let mut attributes = start.attributes().flatten();
    let id = attributes.find(|found| found.key.local_name().as_ref() == "id" && is_of_relations(scopes, found.key));
    let id = id.map(|id| id.value).filter(|id| !id.is_empty());
    let relation = id.as_ref().and_then(|id| relations.iter().find(|relation| relation.id == id.as_ref()));
    let part = match relation {
        // A module of an old macro language has no part at all.
        None if id.is_none() => SheetPart::Other,
        None => SheetPart::Missing,
        Some(relation) if OTHER_SHEETS.iter().any(|kind| relation.kind.ends_with(kind)) => SheetPart::Other,
        Some(relation) => SheetPart::Cells(package::absolute(folder, &relation.target)),
    };
    ListedSheet { entry, part }
}

/// As XML Schema writes a truth.
pub(super) fn is_true(text: &str) -> bool {
    matches!(text.trim(), "1" | "true" | "on")
}
