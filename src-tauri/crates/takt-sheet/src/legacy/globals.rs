//! What an xls says before its sheets: which there are, how texts and dates are written, formats and shared texts.

use std::collections::HashMap;

use super::{
    Bounds,
    letters::{Segments, Writing},
    record::{Record, Records},
};
use crate::{
    Limits, Measure, SheetEntry, SheetError,
    compound::{u16_at, u32_at},
    number_format::{CellFormats, NumberFormat},
    shared_texts::SharedTexts,
    sheet::distinct_names,
};

pub(super) const BEGIN: u16 = 0x0809;
pub(super) const END: u16 = 0x000A;
const CODE_PAGE: u16 = 0x0042;
const DATE_SYSTEM: u16 = 0x0022;
const FORMAT: u16 = 0x041E;
const CELL_FORMAT: u16 = 0x00E0;
const SHEET: u16 = 0x0085;
const TEXTS: u16 = 0x00FC;
/// What Excel 97 and later ones write.
const VERSION_8: u16 = 0x0600;
const WESTERN: u16 = 1252;
const WORKSHEET: u8 = 0;
const IS_HIDDEN: u8 = 0x03;
/// Where the list of shared texts begins: behind the counts of cells and of texts.
const FIRST_TEXT: usize = 8;

/// All that the sheets need.
#[derive(Debug)]
pub(super) struct Globals {
    pub(super) writing: Writing,
    pub(super) is_1904: bool,
    pub(super) formats: CellFormats,
    pub(super) texts: SharedTexts,
    /// Worksheets, with names of their own.
    pub(super) entries: Vec<SheetEntry>,
    /// Where each of them begins in the stream.
    pub(super) offsets: Vec<usize>,
}

/// As it is read; the order of the records isn't relied on.
#[derive(Default)]
struct GlobalRecords<'a> {
    version: u16,
    page: Option<u16>,
    is_1904: bool,
    formats: Vec<Record<'a>>,
    used: Vec<u32>,
    sheets: Vec<Record<'a>>,
    texts: Option<Record<'a>>,
}

impl Globals {
    /// Absent where there is more than the bounds allow. The shared texts are left out where only the sheets are asked for.
    pub(super) fn read(
        stream: &[u8],
        has_texts: bool,
        limits: &Limits,
        bounds: Bounds,
    ) -> Result<Option<Self>, SheetError> {
        let Some(found) = GlobalRecords::read(stream, limits, bounds)? else { return Ok(None) };
        let writing = match found.version {
            VERSION_8 => Writing::Unicode,
            _ => Writing::of_code_page(found.page.unwrap_or(WESTERN)),
        };
        let codes = found.formats.iter().filter_map(|record| format(record, writing)).collect::<HashMap<_, _>>();
        let mut texts = SharedTexts::default();
        if let Some(record) = found.texts.as_ref().filter(|_| has_texts) {
            read_texts(record, &mut texts, limits)?;
        }
        let (mut entries, mut offsets) = (Vec::new(), Vec::new());
        for record in &found.sheets {
            if let Some((entry, offset)) = sheet(record, writing) {
                entries.push(entry);
                offsets.push(offset);
            }
        }
        distinct_names(entries.iter_mut().map(|entry| &mut entry.name));
        let formats = CellFormats::new(&found.used, codes);
        Ok(Some(Self { writing, is_1904: found.is_1904, formats, texts, entries, offsets }))
    }
}

impl<'a> GlobalRecords<'a> {
    fn read(stream: &'a [u8], limits: &Limits, bounds: Bounds) -> Result<Option<Self>, SheetError> {
        let mut found = Self { version: VERSION_8, ..Self::default() };
        let mut begun = false;
        for record in Records(stream) {
            let record = record?;
            if record.more.len() > bounds.continued {
                return Ok(None);
            }
            match record.kind {
                BEGIN if !begun => {
                    begun = true;
                    found.version = version(&record);
                }
                CODE_PAGE => found.page = Some(record.half(0)),
                DATE_SYSTEM => found.is_1904 = record.half(0) == 1,
                FORMAT => found.formats.push(record),
                CELL_FORMAT => found.used.push(record.half(2).into()),
                SHEET => found.sheets.push(record),
                TEXTS => found.texts = Some(record),
                END => break,
                _ => {}
            }
            if found.sheets.len() > limits.sheets {
                return Err(SheetError::too_large(Measure::Sheets, limits.sheets as u64));
            }
            if found.formats.len().max(found.used.len()) > bounds.formats {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }
}

/// A few writers leave the version out; what they write is that of Excel 97, but for one kind that names an older stream.
fn version(record: &Record<'_>) -> u16 {
    match (record.half(0), record.half(2)) {
        (0, 0x1000) => 0x0500,
        (0x0000 | VERSION_8.., _) => VERSION_8,
        (older, _) => older,
    }
}

fn format(record: &Record<'_>, writing: Writing) -> Option<(u32, NumberFormat)> {
    let code = match writing {
        Writing::Unicode => writing.text(record, 2).ok()?,
        Writing::Bytes(_) => writing.short_text(record.content.get(2..)?)?,
    };
    Some((u16_at(record.content, 0)?.into(), NumberFormat::parse(&code)))
}

/// A worksheet, and where it begins; charts and macros aren't listed.
fn sheet(record: &Record<'_>, writing: Writing) -> Option<(SheetEntry, usize)> {
    let (&state, &kind) = (record.content.get(4)?, record.content.get(5)?);
    if kind != WORKSHEET {
        return None;
    }
    let mut name = writing.short_text(record.content.get(6..)?)?;
    name.retain(|letter| letter != '\0');
    let offset = u32_at(record.content, 0)? as usize;
    Some((SheetEntry { name, visible: state & IS_HIDDEN == 0 }, offset))
}

fn read_texts(record: &Record<'_>, texts: &mut SharedTexts, limits: &Limits) -> Result<(), SheetError> {
    let claimed = u32_at(record.content, FIRST_TEXT - 4).map_or(usize::MAX, |claimed| claimed as usize);
    let mut segments = Segments::new(record, FIRST_TEXT);
    while !segments.is_at_end() {
        match segments.rich_text(texts.begun()) {
            Ok(()) => texts.end(limits)?,
            // Some writers pad the record.
            Err(_) if texts.len() >= claimed => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
