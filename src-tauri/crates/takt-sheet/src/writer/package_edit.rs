//! Copies a package part by part, with edited sheets and added ones. Parts that aren't edited are copied as compressed
//! bytes. The directory parts, which name the part of each sheet, are changed to add sheets.

use std::{
    io::{BufReader, Read, Seek, Write},
    path::Path,
};

use quick_xml::{
    Reader, Writer,
    events::{BytesStart, Event},
    name::QName,
};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::{
    atomic,
    element::{attribute, prefix},
    excel::usable_sheet_name,
    notes::SheetNotes,
    out_sheet::OutSheet,
    sheet_edit::SheetEdit,
    sheet_xml::write_plain_sheet,
};
use crate::{
    LimitKind, SheetError,
    namespaces::{PartElementFilter, is_relationship_attribute},
    package::{self, Package},
    sheet::make_names_unique,
    source::Source,
};

/// The maximum bytes of a directory part, which may name thousands of sheets and areas.
const MAX_DIRECTORY_BYTES: u64 = 64 * 1024 * 1024;

const CONTENT_TYPES: &str = "[Content_Types].xml";
const SHEET_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml";

/// An edit of a package whose edited parts were found.
#[derive(Debug)]
pub(super) struct PackageEdit<'a> {
    source: &'a Source,
    directory: Directory,
    /// The edits of sheets, by the names of their parts.
    sheets: Vec<(String, SheetEdit<'a>)>,
    added_sheets: &'a [OutSheet],
}

impl<'a> PackageEdit<'a> {
    pub(super) fn prepare(
        source: &'a Source,
        notes: &'a [SheetNotes],
        added_sheets: &'a [OutSheet],
    ) -> Result<Self, SheetError> {
        let mut package = package::open(source)?;
        let directory = read_directory(&mut package)?;
        if directory.is_template() {
            return Err(SheetError::Unsupported("a template is no workbook yet"));
        }
        let mut sheets = Vec::new();
        for notes in notes {
            let part =
                directory.sheet_part(&notes.sheet).ok_or_else(|| SheetError::NoSuchSheet(notes.sheet.clone()))?;
            let xml = package.by_name(&part).map_err(SheetError::damaged)?;
            sheets.push((part, SheetEdit::new(notes, BufReader::new(xml))?));
        }
        Ok(Self { source, directory, sheets, added_sheets })
    }

    pub(super) fn extension(&self) -> &'static str {
        self.directory.extension()
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), SheetError> {
        let mut package = package::open(self.source)?;
        let drops_formula = self.sheets.iter().any(|(_, edit)| edit.drops_formula);
        let directory = self.directory.edit(self.added_sheets, drops_formula)?;
        atomic::write_file(path, |out| {
            let mut written = ZipWriter::new(out);
            for index in 0..package.len() {
                let name = package
                    .by_index_raw(index)
                    .map_err(SheetError::damaged)?
                    .name()
                    .map_err(SheetError::damaged)?
                    .into_owned();
                if let Some((_, edit)) = self.sheets.iter().find(|(part, _)| *part == name) {
                    written.start_file(&*name, part_options()).map_err(atomic::write_error)?;
                    let xml = package.by_index(index).map_err(SheetError::damaged)?;
                    edit.copy_sheet(BufReader::new(xml), &mut written)?;
                    continue;
                }
                match directory.part_edit(&name) {
                    PartEdit::Unchanged => {
                        let part = package.by_index_raw(index).map_err(SheetError::damaged)?;
                        written.raw_copy_file(part).map_err(atomic::write_error)?;
                    }
                    PartEdit::Edited(text) => write_part(&mut written, &name, text.as_bytes())?,
                    PartEdit::Removed => {}
                }
            }
            for (sheet, name) in self.added_sheets.iter().zip(&directory.added) {
                written.start_file(&**name, part_options()).map_err(atomic::write_error)?;
                write_plain_sheet(&mut written, sheet)?;
            }
            written.finish().map_err(atomic::write_error)?;
            Ok(())
        })
    }
}

/// Returns `xlsx`, or `xlsm` if there are macros.
pub(super) fn package_extension(source: &Source) -> Option<&'static str> {
    Some(read_directory(&mut package::open(source).ok()?).ok()?.extension())
}

fn read_directory(package: &mut Package) -> Result<Directory, SheetError> {
    Directory::read(|name| read_text(package, name))
}

/// Returns the text of a part, or `None` if there is no such part or it isn't text. A part above the limit is refused,
/// because it would be written back without its end.
fn read_text(package: &mut Package, name: &str) -> Result<Option<String>, SheetError> {
    let Ok(part) = package.by_name(name) else { return Ok(None) };
    let mut bytes = Vec::new();
    if part.take(MAX_DIRECTORY_BYTES + 1).read_to_end(&mut bytes).is_err() {
        return Ok(None);
    }
    if bytes.len() as u64 > MAX_DIRECTORY_BYTES {
        return Err(SheetError::too_large(LimitKind::UnpackedBytes, MAX_DIRECTORY_BYTES));
    }
    Ok(String::from_utf8(bytes).ok())
}

fn write_part(written: &mut ZipWriter<impl Write + Seek>, name: &str, content: &[u8]) -> Result<(), SheetError> {
    written.start_file(name, part_options()).map_err(atomic::write_error)?;
    written.write_all(content).map_err(atomic::write_error)
}

/// Returns options without a timestamp, so that the same content gives the same bytes.
pub(super) fn part_options() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).large_file(true)
}

/// The directory parts of a package.
#[derive(Debug, Default)]
struct Directory {
    types: String,
    /// The workbook part's name and content.
    workbook: (String, String),
    /// The name and content of the workbook's relationships.
    relations: (String, String),
    sheets: Vec<ListedSheet>,
    targets: Vec<Relation>,
    /// The workbook's name for the ID of a relationship, for example `r:id`.
    id_attribute: String,
}

#[derive(Debug)]
struct ListedSheet {
    name: String,
    relation: String,
    number: u32,
}

#[derive(Debug)]
struct Relation {
    id: String,
    /// The URI of its type.
    kind: String,
    /// The part's name from the package's root. Absent for a target outside of the package.
    part: Option<String>,
}

/// The change of a part.
#[derive(Debug, PartialEq, Eq)]
enum PartEdit<'a> {
    Unchanged,
    Edited(&'a str),
    Removed,
}

/// The edited directory parts.
#[derive(Debug, Default)]
struct EditedDirectory {
    parts: Vec<(String, String)>,
    removed: Vec<String>,
    /// The names of the parts of added sheets.
    added: Vec<String>,
}

impl EditedDirectory {
    fn part_edit(&self, name: &str) -> PartEdit<'_> {
        if self.removed.iter().any(|removed| removed == name) {
            return PartEdit::Removed;
        }
        let edited = self.parts.iter().find(|(part, _)| part == name);
        edited.map_or(PartEdit::Unchanged, |(_, text)| PartEdit::Edited(text))
    }
}

impl Directory {
    /// Reads the directory parts. `text` returns the content of a part.
    fn read(mut text: impl FnMut(&str) -> Result<Option<String>, SheetError>) -> Result<Self, SheetError> {
        let mut part = |name: &str| text(name)?.ok_or_else(|| SheetError::Damaged(format!("no part {name}")));
        let root = parse_relations(&part("_rels/.rels")?, "")?;
        let workbook = root.into_iter().find(|relation| relation.kind.ends_with("/officeDocument"));
        let name =
            workbook.and_then(|relation| relation.part).ok_or_else(|| SheetError::damaged("no workbook part"))?;
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", &name));
        let relations_name =
            if folder.is_empty() { format!("_rels/{file}.rels") } else { format!("{folder}/_rels/{file}.rels") };
        let mut directory = Self {
            types: part(CONTENT_TYPES)?,
            targets: parse_relations(&part(&relations_name)?, folder)?,
            relations: (relations_name.clone(), part(&relations_name)?),
            workbook: (name.clone(), part(&name)?),
            sheets: Vec::new(),
            id_attribute: "r:id".to_owned(),
        };
        directory.read_sheets()?;
        Ok(directory)
    }

    /// Returns the name of a sheet's part.
    fn sheet_part(&self, sheet: &str) -> Option<String> {
        let entry = self.sheets.iter().find(|entry| entry.name == sheet)?;
        self.targets.iter().find(|relation| relation.id == entry.relation)?.part.clone()
    }

    fn is_template(&self) -> bool {
        self.types.contains("template.main+xml") || self.types.contains("template.macroEnabled")
    }

    fn extension(&self) -> &'static str {
        if self.types.contains("sheet.macroEnabled.main+xml") { "xlsm" } else { "xlsx" }
    }

    /// Adds sheets, and removes the list of formulas if a formula is removed.
    fn edit(&self, added_sheets: &[OutSheet], drops_formula: bool) -> Result<EditedDirectory, SheetError> {
        let chain = self.targets.iter().find(|relation| drops_formula && relation.kind.ends_with("/calcChain"));
        if added_sheets.is_empty() && chain.is_none() {
            return Ok(EditedDirectory::default());
        }
        let chain_part = chain.and_then(|relation| relation.part.clone());
        let chain_id = chain.map(|relation| relation.id.clone());
        let folder = self.workbook.0.rsplit_once('/').map_or("", |(folder, _)| folder);
        let added: Vec<AddedSheet> =
            added_sheets.iter().enumerate().map(|(index, sheet)| self.new_sheet(sheet, index, folder)).collect();
        let types = edit_list(
            &self.types,
            "Types",
            |start| {
                let name = attribute(start, "PartName").map(|name| name.trim_start_matches('/').to_owned());
                name.is_some() && name == chain_part
            },
            |prefix| added.iter().map(|sheet| sheet.content_type(prefix)).collect(),
        )?;
        let relations = edit_list(
            &self.relations.1,
            "Relationships",
            |start| chain_id.is_some() && attribute(start, "Id") == chain_id,
            |prefix| added.iter().map(|sheet| sheet.relation(prefix, &self.sheet_relation_kind())).collect(),
        )?;
        let workbook = edit_list(
            &self.workbook.1,
            "sheets",
            |_| false,
            |prefix| added.iter().map(|sheet| sheet.entry(prefix, &self.id_attribute)).collect(),
        )?;
        Ok(EditedDirectory {
            parts: vec![
                (CONTENT_TYPES.to_owned(), types),
                (self.relations.0.clone(), relations),
                (self.workbook.0.clone(), workbook),
            ],
            removed: chain_part.into_iter().collect(),
            added: added.into_iter().map(|sheet| sheet.part).collect(),
        })
    }

    fn read_sheets(&mut self) -> Result<(), SheetError> {
        let mut reader = Reader::from_str(&self.workbook.1);
        reader.config_mut().expand_empty_elements = true;
        let mut elements = PartElementFilter::default();
        loop {
            let event = reader.read_event().map_err(SheetError::damaged)?;
            if !elements.includes(&event)? {
                continue;
            }
            match event {
                Event::Start(start) if start.local_name().as_ref() == "sheet" => {
                    let scopes = elements.scopes();
                    let is_id =
                        |name: QName<'_>| name.local_name().as_ref() == "id" && is_relationship_attribute(scopes, name);
                    let id = start.attributes().flatten().find(|attribute| is_id(attribute.key));
                    let Some(id) = id else { continue };
                    self.id_attribute = id.key.as_ref().to_owned();
                    self.sheets.push(ListedSheet {
                        name: attribute(&start, "name").unwrap_or_default(),
                        relation: id.value.into_owned(),
                        number: attribute(&start, "sheetId").and_then(|text| text.parse().ok()).unwrap_or_default(),
                    });
                }
                Event::Eof => {
                    make_names_unique(self.sheets.iter_mut().map(|sheet| &mut sheet.name));
                    return Ok(());
                }
                _ => {}
            }
        }
    }

    fn sheet_relation_kind(&self) -> String {
        let known = self.targets.iter().find(|relation| relation.kind.ends_with("/worksheet"));
        known.map_or_else(
            || "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet".to_owned(),
            |relation| relation.kind.clone(),
        )
    }

    fn new_sheet(&self, sheet: &OutSheet, index: usize, folder: &str) -> AddedSheet {
        let free = |is_taken: &dyn Fn(&str) -> bool, stem: &str, tail: &str| {
            let names = (index + 1..).map(|number| format!("{stem}{number}{tail}"));
            names.into_iter().find(|name| !is_taken(name)).unwrap_or_default()
        };
        let taken_part = |name: &str| self.targets.iter().any(|relation| relation.part.as_deref() == Some(name));
        let taken_id = |id: &str| self.targets.iter().any(|relation| relation.id == id);
        let stem = if folder.is_empty() { "worksheets/takt".to_owned() } else { format!("{folder}/worksheets/takt") };
        let highest = self.sheets.iter().map(|entry| entry.number).max().unwrap_or_default();
        AddedSheet {
            name: self.free_name(&usable_sheet_name(&sheet.name, index)),
            number: highest + 1 + u32::try_from(index).unwrap_or_default(),
            part: free(&taken_part, &stem, ".xml"),
            relation: free(&taken_id, "rIdTakt", ""),
        }
    }

    /// Returns a name that no sheet has. Excel ignores letter case in names.
    fn free_name(&self, name: &str) -> String {
        let is_taken = |name: &str| self.sheets.iter().any(|entry| entry.name.to_lowercase() == name.to_lowercase());
        if !is_taken(name) {
            return name.to_owned();
        }
        let numbered = |number: u32| {
            let tail = format!(" ({number})");
            let room = 31_usize.saturating_sub(tail.len());
            format!("{}{tail}", name.chars().take(room).collect::<String>())
        };
        (2..).map(numbered).find(|name| !is_taken(name)).unwrap_or_default()
    }
}

/// A sheet to add.
#[derive(Debug)]
struct AddedSheet {
    name: String,
    number: u32,
    part: String,
    relation: String,
}

impl AddedSheet {
    fn content_type(&self, prefix: &str) -> BytesStart<'static> {
        let mut start = BytesStart::new(format!("{prefix}Override"));
        start.push_attribute(("PartName", format!("/{}", self.part).as_str()));
        start.push_attribute(("ContentType", SHEET_TYPE));
        start
    }

    fn relation(&self, prefix: &str, kind: &str) -> BytesStart<'static> {
        let mut start = BytesStart::new(format!("{prefix}Relationship"));
        start.push_attribute(("Id", self.relation.as_str()));
        start.push_attribute(("Type", kind));
        start.push_attribute(("Target", format!("/{}", self.part).as_str()));
        start
    }

    fn entry(&self, prefix: &str, id_attribute: &str) -> BytesStart<'static> {
        let mut start = BytesStart::new(format!("{prefix}sheet"));
        start.push_attribute(("name", self.name.as_str()));
        start.push_attribute(("sheetId", self.number.to_string().as_str()));
        start.push_attribute((id_attribute, self.relation.as_str()));
        start
    }
}

/// Copies a part, leaves out elements, and inserts others before the end of `list`.
fn edit_list(
    xml: &str,
    list: &str,
    is_removed: impl Fn(&BytesStart<'_>) -> bool,
    insert: impl Fn(&str) -> Vec<BytesStart<'static>>,
) -> Result<String, SheetError> {
    let mut reader = Reader::from_str(xml);
    let mut writer = Writer::new(Vec::with_capacity(xml.len()));
    let mut list_prefix = String::new();
    loop {
        let event = reader.read_event().map_err(SheetError::damaged)?;
        match &event {
            Event::Eof => break,
            Event::Empty(start) if is_removed(start) => continue,
            Event::Start(start) if start.local_name().as_ref() == list => list_prefix = prefix(start),
            Event::End(end) if end.local_name().as_ref() == list => {
                for added in insert(&list_prefix) {
                    writer.write_event(Event::Empty(added)).map_err(atomic::write_error)?;
                }
            }
            _ => {}
        }
        writer.write_event(event).map_err(atomic::write_error)?;
    }
    String::from_utf8(writer.into_inner()).map_err(SheetError::damaged)
}

/// Returns a part's relationships. Targets are relative to `folder`.
fn parse_relations(xml: &str, folder: &str) -> Result<Vec<Relation>, SheetError> {
    let mut reader = Reader::from_str(xml);
    let mut found = Vec::new();
    loop {
        match reader.read_event().map_err(SheetError::damaged)? {
            Event::Start(start) | Event::Empty(start) if start.local_name().as_ref() == "Relationship" => {
                let outside = attribute(&start, "TargetMode").is_some_and(|mode| mode == "External");
                let target = attribute(&start, "Target").filter(|_| !outside);
                found.push(Relation {
                    id: attribute(&start, "Id").unwrap_or_default(),
                    kind: attribute(&start, "Type").unwrap_or_default(),
                    part: target.map(|target| resolve_target(&target.replace('\\', "/"), folder)),
                });
            }
            Event::Eof => return Ok(found),
            _ => {}
        }
    }
}

/// Resolves a target to a part's name from the package's root.
fn resolve_target(target: &str, folder: &str) -> String {
    let full = match target.strip_prefix('/') {
        Some(absolute) => absolute.to_owned(),
        None => format!("{folder}/{target}"),
    };
    let mut steps: Vec<&str> = Vec::new();
    for step in full.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            _ => steps.push(step),
        }
    }
    steps.join("/")
}
