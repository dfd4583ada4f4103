//! The workbook part of an xlsb: its sheets and their parts, the date system, the formats and the shared texts.

use std::{
    collections::HashMap,
    io::{BufReader, Read},
};

use super::record::{Records, push_wide_text, wide_text};
use crate::{
    Limits, Measure, SheetEntry, SheetError,
    compound::{u16_at, u32_at},
    number_format::{CellFormats, NumberFormat},
    package::{self, Package, Relation},
    shared_texts::SharedTexts,
    sheet::distinct_names,
    source::Source,
};

const WORKBOOK: &str = "xl/workbook.bin";
const PROPERTIES: u32 = 0x0099;
const IS_1904: u32 = 0x01;
const BUNDLED_SHEET: u32 = 0x009C;
const SHARED_TEXT: u32 = 0x0013;
const FORMAT: u32 = 44;
const CELL_FORMAT: u32 = 47;
const CELL_FORMATS: u32 = 617;
const CELL_FORMATS_END: u32 = 618;

/// The workbook part.
#[derive(Debug)]
pub(super) struct BinaryWorkbook {
    pub(super) is_1904: bool,
    /// The worksheets, with unique names.
    pub(super) entries: Vec<SheetEntry>,
    paths: Vec<String>,
    relations: Vec<Relation>,
}

impl BinaryWorkbook {
    pub(super) fn read(package: &mut Package, limits: &Limits) -> Result<Self, SheetError> {
        let relations = package::relations(package, "xl/_rels/workbook.bin.rels")?;
        let mut workbook = Self { is_1904: false, entries: Vec::new(), paths: Vec::new(), relations };
        let read = package::read_part(package, WORKBOOK, |part| workbook.read_sheets(part, limits))?;
        read.ok_or_else(|| SheetError::missing_part(WORKBOOK))?;
        distinct_names(workbook.entries.iter_mut().map(|entry| &mut entry.name));
        Ok(workbook)
    }

    fn read_sheets(&mut self, part: impl Read, limits: &Limits) -> Result<(), SheetError> {
        let mut records = Records::new(BufReader::new(part));
        while let Some((kind, content)) = records.next()? {
            match kind {
                PROPERTIES => self.is_1904 = u32_at(content, 0).unwrap_or_default() & IS_1904 != 0,
                BUNDLED_SHEET => self.add_sheet(content),
                _ => {}
            }
            if self.entries.len() > limits.sheets {
                return Err(SheetError::too_large(Measure::Sheets, limits.sheets as u64));
            }
        }
        Ok(())
    }

    /// Adds a sheet. Charts, dialogs and macros have no cells and aren't listed.
    fn add_sheet(&mut self, content: &[u8]) {
        let mut rest = content.get(8..).unwrap_or_default();
        let (Some(id), Some(name)) = (wide_text(&mut rest), wide_text(&mut rest)) else { return };
        let relation = self.relations.iter().find(|relation| relation.id == id);
        let Some(relation) =
            relation.filter(|relation| relation.kind.is_empty() || relation.kind.ends_with("/worksheet"))
        else {
            return;
        };
        self.paths.push(package::resolve_target("xl", &relation.target));
        self.entries.push(SheetEntry { name, visible: u32_at(content, 0) == Some(0) });
    }

    /// Returns the name of a sheet's part.
    pub(super) fn path(&self, name: &str) -> Option<&str> {
        let position = self.entries.iter().position(|entry| entry.name == name)?;
        self.paths.get(position).map(String::as_str)
    }

    /// Returns the cell formats, or none if the workbook has no styles.
    pub(super) fn formats(&self, package: &mut Package) -> Result<CellFormats, SheetError> {
        let path = package::part_of_kind(package, &self.relations, "/styles", "xl", "styles.bin")?;
        Ok(package::read_part(package, &path, read_formats)?.unwrap_or_default())
    }
}

fn read_formats(part: &mut dyn Read) -> Result<CellFormats, SheetError> {
    let mut codes: HashMap<u32, NumberFormat> = HashMap::new();
    let mut used = Vec::new();
    let mut is_in_cell_formats = false;
    let mut records = Records::new(BufReader::new(part));
    while let Some((kind, content)) = records.next()? {
        match kind {
            FORMAT => {
                let code = content.get(2..).and_then(|mut rest| wide_text(&mut rest));
                codes.extend(u16_at(content, 0).map(u32::from).zip(code.map(|code| NumberFormat::parse(&code))));
            }
            CELL_FORMATS => is_in_cell_formats = true,
            CELL_FORMATS_END => return Ok(CellFormats::new(&used, codes)),
            CELL_FORMAT if is_in_cell_formats => used.push(u16_at(content, 2).unwrap_or_default().into()),
            _ => {}
        }
    }
    if is_in_cell_formats {
        Err(SheetError::damaged("the cell formats are cut off"))
    } else {
        Ok(CellFormats::new(&used, codes))
    }
}

/// Reads the shared texts. There are none without their part.
pub(super) fn texts(
    source: &Source,
    package: &mut Package,
    workbook: &BinaryWorkbook,
    limits: &Limits,
) -> Result<SharedTexts, SheetError> {
    let path = package::part_of_kind(package, &workbook.relations, "/sharedStrings", "xl", "sharedStrings.bin")?;
    if !package::has_part(package, &path) {
        return Ok(SharedTexts::default());
    }
    package::unpacked(package::open(source)?, &path, limits.unpacked_bytes, |part| {
        let mut texts = SharedTexts::default();
        let mut records = Records::new(part);
        while let Some((kind, content)) = records.next()? {
            if kind == SHARED_TEXT {
                let complete = content.get(1..).and_then(|mut rest| push_wide_text(&mut rest, texts.current_text()));
                complete.ok_or_else(|| SheetError::damaged("a shared text is cut off"))?;
                texts.end(limits)?;
            }
        }
        Ok(texts)
    })
}
