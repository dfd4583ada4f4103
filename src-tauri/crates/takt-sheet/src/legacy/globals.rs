//! The records of an xls before its sheets: the list of sheets, the storage of texts and dates, formats and shared
//! texts.

use std::collections::HashMap;

use super::{
    bounds::Bounds,
    letters::{Segments, StringFormat},
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
/// The version of Excel 97 and later.
const VERSION_8: u16 = 0x0600;
const WESTERN: u16 = 1252;
const WORKSHEET: u8 = 0;
const IS_HIDDEN: u8 = 0x03;
/// The start of the list of shared texts, after the counts of cells and texts.
const FIRST_TEXT: usize = 8;

/// All data that the sheets need.
#[derive(Debug)]
pub(super) struct Globals {
    pub(super) strings: StringFormat,
    pub(super) is_1904: bool,
    pub(super) formats: CellFormats,
    pub(super) texts: SharedTexts,
    /// The worksheets, with unique names.
    pub(super) entries: Vec<SheetEntry>,
    /// The start of each worksheet in the stream.
    pub(super) offsets: Vec<usize>,
}

/// The records that matter. Their order is irrelevant.
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
    /// Returns `None` if the file exceeds the bounds. The shared texts are only read if `has_texts` is true.
    pub(super) fn read(
        stream: &[u8],
        has_texts: bool,
        limits: &Limits,
        bounds: Bounds,
    ) -> Result<Option<Self>, SheetError> {
        let Some(records) = GlobalRecords::read(stream, limits, bounds)? else { return Ok(None) };
        let strings = match records.version {
            VERSION_8 => StringFormat::Unicode,
            _ => StringFormat::from_code_page(records.page.unwrap_or(WESTERN)),
        };
        let codes = records.formats.iter().filter_map(|record| format(record, strings)).collect::<HashMap<_, _>>();
        let mut texts = SharedTexts::default();
        if let Some(record) = records.texts.as_ref().filter(|_| has_texts) {
            read_texts(record, &mut texts, limits)?;
        }
        let (mut entries, mut offsets) = (Vec::new(), Vec::new());
        for record in &records.sheets {
            if let Some((entry, offset)) = sheet(record, strings) {
                entries.push(entry);
                offsets.push(offset);
            }
        }
        distinct_names(entries.iter_mut().map(|entry| &mut entry.name));
        let formats = CellFormats::new(&records.used, codes);
        Ok(Some(Self { strings, is_1904: records.is_1904, formats, texts, entries, offsets }))
    }
}

impl<'a> GlobalRecords<'a> {
    fn read(stream: &'a [u8], limits: &Limits, bounds: Bounds) -> Result<Option<Self>, SheetError> {
        let mut records = Self { version: VERSION_8, ..Self::default() };
        let mut has_begun = false;
        for record in Records(stream) {
            let record = record?;
            if record.more.len() > bounds.continuations {
                return Ok(None);
            }
            match record.kind {
                BEGIN if !has_begun => {
                    has_begun = true;
                    records.version = version(&record);
                }
                CODE_PAGE => records.page = Some(record.read_u16_or_zero(0)),
                DATE_SYSTEM => records.is_1904 = record.read_u16_or_zero(0) == 1,
                FORMAT => records.formats.push(record),
                CELL_FORMAT => records.used.push(record.read_u16_or_zero(2).into()),
                SHEET => records.sheets.push(record),
                TEXTS => records.texts = Some(record),
                END => break,
                _ => {}
            }
            if records.sheets.len() > limits.sheets {
                return Err(SheetError::too_large(Measure::Sheets, limits.sheets as u64));
            }
            if records.formats.len().max(records.used.len()) > bounds.formats {
                return Ok(None);
            }
        }
        Ok(Some(records))
    }
}

/// Returns the version. A few writers leave it out and write the format of Excel 97, except for one kind that marks an
/// older stream.
fn version(record: &Record<'_>) -> u16 {
    match (record.read_u16_or_zero(0), record.read_u16_or_zero(2)) {
        (0, 0x1000) => 0x0500,
        (0x0000 | VERSION_8.., _) => VERSION_8,
        (older, _) => older,
    }
}

fn format(record: &Record<'_>, strings: StringFormat) -> Option<(u32, NumberFormat)> {
    let code = match strings {
        StringFormat::Unicode => strings.read_text(record, 2).ok()?,
        StringFormat::Bytes(_) => strings.read_short_text(record.content.get(2..)?)?,
    };
    Some((u16_at(record.content, 0)?.into(), NumberFormat::parse(&code)))
}

/// Returns a worksheet and its start in the stream. Charts and macros aren't listed.
fn sheet(record: &Record<'_>, strings: StringFormat) -> Option<(SheetEntry, usize)> {
    let (&state, &kind) = (record.content.get(4)?, record.content.get(5)?);
    if kind != WORKSHEET {
        return None;
    }
    let mut name = strings.read_short_text(record.content.get(6..)?)?;
    name.retain(|letter| letter != '\0');
    let offset = u32_at(record.content, 0)? as usize;
    Some((SheetEntry { name, visible: state & IS_HIDDEN == 0 }, offset))
}

fn read_texts(record: &Record<'_>, texts: &mut SharedTexts, limits: &Limits) -> Result<(), SheetError> {
    let claimed = u32_at(record.content, FIRST_TEXT - 4).map_or(usize::MAX, |claimed| claimed as usize);
    let mut segments = Segments::new(record, FIRST_TEXT);
    while !segments.is_at_end() {
        match segments.rich_text(texts.current_text()) {
            Ok(()) => texts.end(limits)?,
            // Some writers pad the record.
            Err(_) if texts.len() >= claimed => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
