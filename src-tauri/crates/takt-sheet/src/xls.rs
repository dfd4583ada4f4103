//! Cells of xls files (Excel 5 to 2003), read record by record.
//!
//! The available libraries decode the texts of newer files with the code page and skip formulas of an older kind. They
//! know only some of the number formats, and allocate whatever size a sheet claims. So this module uses none of them.

mod password;
mod record;

use std::{borrow::Cow, collections::HashMap};

use self::record::{Record, Records, Segments, StringFormat};
use crate::{
    CellRef, LimitKind, Limits, MergedRange, Sheet, SheetEntry, SheetError,
    binary_values::{decode_packed_number, u16_at, u32_at},
    cell_error::error_name,
    compound::Compound,
    number_format::{CellFormats, NumberFormat},
    progress::ProgressReporter,
    shared_texts::SharedTexts,
    sheet::{SheetBuilder, make_names_unique},
};

/// The length of the record that ends a sheet. All records with cells are longer.
const MIN_RECORD_LENGTH: u64 = 4;

/// Excel allows 4,050 cell formats per file and far fewer number formats. Other programs write more.
const MAX_FORMATS: usize = 16_384;
/// The longest record is split every 8 kB, so a file of 64 MB has about 8,000 continuations.
const MAX_CONTINUATIONS: usize = 65_536;
/// A reader never uses more memory than this multiple of the file's bytes.
const MEMORY_PER_FILE_BYTE: u64 = 16;
/// Like [`MEMORY_PER_FILE_BYTE`], but for the bytes of texts.
const MEMORY_PER_TEXT_BYTE: u64 = 8;

// The records before the sheets.
const BEGIN: u16 = 0x0809;
const END: u16 = 0x000A;
const CODE_PAGE: u16 = 0x0042;
const DATE_SYSTEM: u16 = 0x0022;
const FORMAT: u16 = 0x041E;
const CELL_FORMAT: u16 = 0x00E0;
const SHEET: u16 = 0x0085;
const TEXTS: u16 = 0x00FC;
/// The version of Excel 97 and later.
const VERSION_8: u16 = 0x0600;
const WESTERN_CODE_PAGE: u16 = 1252;
const WORKSHEET_KIND: u8 = 0;
const HIDDEN_MASK: u8 = 0x03;
/// The start of the list of shared texts, after the counts of cells and texts.
const FIRST_TEXT_OFFSET: usize = 8;

// The records of a sheet.
const NUMBER: u16 = 0x0203;
const LABEL: u16 = 0x0204;
const RICH_LABEL: u16 = 0x00D6;
const BOOLEAN_OR_ERROR: u16 = 0x0205;
const PACKED_NUMBER: u16 = 0x027E;
const PACKED_NUMBERS: u16 = 0x00BD;
const SHARED_TEXT: u16 = 0x00FD;
/// A formula of Excel 5 and later, and of Excel 3 and 4, which some programs still write into newer files.
const FORMULAS: [u16; 3] = [0x0006, 0x0206, 0x0406];
/// The text result of the formula before it. The record begins with the text's length.
const FORMULA_TEXT: u16 = 0x0207;
const ROW: u16 = 0x0208;
const COLUMN: u16 = 0x007D;
const MERGED_RANGES: u16 = 0x00E5;
const HIDDEN_ROW: u16 = 0x20;
const HIDDEN_COLUMN: u16 = 0x01;
/// The bytes of row, column and cell format.
const CELL_HEAD_BYTES: usize = 6;
/// The bytes of one cell in a record with several: its format and its number.
const PACKED_CELL_BYTES: usize = 6;
/// The bytes of one merged range.
const RANGE_BYTES: usize = 8;
/// The last two bytes of a formula's result if it isn't a number.
const NO_NUMBER: u16 = 0xFFFF;

/// The bounds within which a file is read in this process. All other memory of a reader is a small multiple of the
/// file's bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// The maximum number of number formats, and of cell formats.
    formats: usize,
    /// The maximum number of records that continue one record.
    continuations: usize,
    /// The maximum bytes of all texts of cells. A shared text is counted once per cell.
    text_bytes: u64,
}

impl Bounds {
    const NONE: Self = Self { formats: usize::MAX, continuations: usize::MAX, text_bytes: u64::MAX };

    /// Returns the bounds for a file of `bytes` bytes whose reader may use `memory` bytes, or `None` if the file alone
    /// is too large.
    pub(crate) fn for_file(bytes: usize, memory: u64) -> Option<Self> {
        let text_bytes = memory / MEMORY_PER_TEXT_BYTE;
        let fits = (bytes as u64).saturating_mul(MEMORY_PER_FILE_BYTE) <= memory;
        fits.then_some(Self { formats: MAX_FORMATS, continuations: MAX_CONTINUATIONS, text_bytes })
    }
}

/// Lists the sheets of an xls file.
pub(crate) fn list_sheets(bytes: &[u8], limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    list_sheets_within(bytes, limits, Bounds::NONE)?.ok_or_else(unreachable_limit_error)
}

/// Lists the sheets, or returns `None` if the file exceeds the bounds.
pub(crate) fn list_sheets_within(
    bytes: &[u8],
    limits: &Limits,
    bounds: Bounds,
) -> Result<Option<Vec<SheetEntry>>, SheetError> {
    let stream = read_stream(bytes)?.bytes;
    Ok(Globals::read(&stream, false, limits, bounds)?.map(|globals| globals.entries))
}

/// Reads a sheet of an xls file.
pub(crate) fn read_sheet(
    bytes: &[u8],
    name: &str,
    limits: &Limits,
    progress: &ProgressReporter<'_>,
) -> Result<Sheet, SheetError> {
    read_sheet_within(bytes, name, limits, Bounds::NONE, progress)?.ok_or_else(unreachable_limit_error)
}

/// Reads a sheet, or returns `None` if the file exceeds the bounds.
pub(crate) fn read_sheet_within(
    bytes: &[u8],
    name: &str,
    limits: &Limits,
    bounds: Bounds,
    progress: &ProgressReporter<'_>,
) -> Result<Option<Sheet>, SheetError> {
    let Stream { bytes: stream, is_cut_off } = read_stream(bytes)?;
    let Some(globals) = Globals::read(&stream, true, limits, bounds)? else { return Ok(None) };
    let position = globals.entries.iter().position(|entry| entry.name == name);
    let offset =
        position.and_then(|at| globals.offsets.get(at)).ok_or_else(|| SheetError::NoSuchSheet(name.to_owned()))?;
    let content = stream.get(*offset..).filter(|content| !content.is_empty());
    let content = content.ok_or_else(|| SheetError::damaged("a sheet lies outside of the stream"))?;
    let mut builder = SheetBuilder::new(name, limits, progress);
    let is_complete = read_cells(content, is_cut_off, &globals, &mut builder, bounds)?;
    is_complete.then(|| builder.finish()).transpose()
}

/// Returns the error for exceeding [`Bounds::NONE`], which can't happen.
fn unreachable_limit_error() -> SheetError {
    SheetError::damaged("more than any file has")
}

/// The stream of a workbook, which consists of records.
struct Stream<'a> {
    bytes: Cow<'a, [u8]>,
    /// Whether more of the stream is missing than its last record.
    is_cut_off: bool,
}

/// Extracts the workbook's records, and decrypts them if they are encrypted with Excel's default password.
fn read_stream(bytes: &[u8]) -> Result<Stream<'_>, SheetError> {
    let compound = Compound::parse(bytes).ok_or_else(|| SheetError::damaged("the container can't be read"))?;
    let name = if compound.has_stream("Workbook") { "Workbook" } else { "Book" };
    let stream = compound.read_stream(name).ok_or_else(|| SheetError::damaged("there is no workbook stream"))?;
    let missing = compound.stream_size(name).unwrap_or_default().saturating_sub(stream.len() as u64);
    let is_cut_off = missing > MIN_RECORD_LENGTH;
    let decrypted = match password::decrypt_records(&stream)? {
        Cow::Borrowed(_) => None,
        Cow::Owned(decrypted) => Some(decrypted),
    };
    Ok(Stream { bytes: decrypted.map_or(stream, Cow::Owned), is_cut_off })
}

/// The data before the sheets that the sheets need: texts, dates, formats and the list of sheets.
#[derive(Debug)]
struct Globals {
    strings: StringFormat,
    is_1904: bool,
    formats: CellFormats,
    texts: SharedTexts,
    /// The worksheets, with unique names.
    entries: Vec<SheetEntry>,
    /// The start of each worksheet in the stream.
    offsets: Vec<usize>,
}

/// The records before the sheets that are needed for reading them. Their order is irrelevant.
#[derive(Default)]
struct GlobalRecords<'a> {
    version: u16,
    code_page: Option<u16>,
    is_1904: bool,
    formats: Vec<Record<'a>>,
    format_numbers: Vec<u32>,
    sheets: Vec<Record<'a>>,
    texts: Option<Record<'a>>,
}

impl Globals {
    /// Returns `None` if the file exceeds the bounds. The shared texts are only read if `has_texts` is true.
    fn read(stream: &[u8], has_texts: bool, limits: &Limits, bounds: Bounds) -> Result<Option<Self>, SheetError> {
        let Some(records) = GlobalRecords::read(stream, limits, bounds)? else { return Ok(None) };
        let strings = match records.version {
            VERSION_8 => StringFormat::Unicode,
            _ => StringFormat::from_code_page(records.code_page.unwrap_or(WESTERN_CODE_PAGE)),
        };
        let codes =
            records.formats.iter().filter_map(|record| parse_format(record, strings)).collect::<HashMap<_, _>>();
        let mut texts = SharedTexts::default();
        if let Some(record) = records.texts.as_ref().filter(|_| has_texts) {
            read_texts(record, &mut texts, limits)?;
        }
        let (mut entries, mut offsets) = (Vec::new(), Vec::new());
        for record in &records.sheets {
            if let Some((entry, offset)) = parse_sheet(record, strings) {
                entries.push(entry);
                offsets.push(offset);
            }
        }
        make_names_unique(entries.iter_mut().map(|entry| &mut entry.name));
        let formats = CellFormats::new(&records.format_numbers, codes);
        Ok(Some(Self { strings, is_1904: records.is_1904, formats, texts, entries, offsets }))
    }
}

impl<'a> GlobalRecords<'a> {
    fn read(stream: &'a [u8], limits: &Limits, bounds: Bounds) -> Result<Option<Self>, SheetError> {
        let mut records = Self { version: VERSION_8, ..Self::default() };
        let mut has_begun = false;
        for record in Records(stream) {
            let record = record?;
            if record.continuations.len() > bounds.continuations {
                return Ok(None);
            }
            match record.kind {
                BEGIN if !has_begun => {
                    has_begun = true;
                    records.version = parse_version(&record);
                }
                CODE_PAGE => records.code_page = Some(record.read_u16_or_zero(0)),
                DATE_SYSTEM => records.is_1904 = record.read_u16_or_zero(0) == 1,
                FORMAT => records.formats.push(record),
                CELL_FORMAT => records.format_numbers.push(record.read_u16_or_zero(2).into()),
                SHEET => records.sheets.push(record),
                TEXTS => records.texts = Some(record),
                END => break,
                _ => {}
            }
            if records.sheets.len() > limits.sheets {
                return Err(SheetError::too_large(LimitKind::Sheets, limits.sheets as u64));
            }
            if records.formats.len().max(records.format_numbers.len()) > bounds.formats {
                return Ok(None);
            }
        }
        Ok(Some(records))
    }
}

/// Returns the version. Some writers store 0 and write the format of Excel 97. If they also store a certain kind
/// (0x1000), the stream is older.
fn parse_version(record: &Record<'_>) -> u16 {
    match (record.read_u16_or_zero(0), record.read_u16_or_zero(2)) {
        (0, 0x1000) => 0x0500,
        (0x0000 | VERSION_8.., _) => VERSION_8,
        (older, _) => older,
    }
}

fn parse_format(record: &Record<'_>, strings: StringFormat) -> Option<(u32, NumberFormat)> {
    let code = match strings {
        StringFormat::Unicode => strings.read_text(record, 2).ok()?,
        StringFormat::Bytes(_) => strings.read_short_text(record.content.get(2..)?)?,
    };
    Some((u16_at(record.content, 0)?.into(), NumberFormat::parse(&code)))
}

/// Returns a worksheet and its start in the stream. Charts and macros aren't listed.
fn parse_sheet(record: &Record<'_>, strings: StringFormat) -> Option<(SheetEntry, usize)> {
    let (&state, &kind) = (record.content.get(4)?, record.content.get(5)?);
    if kind != WORKSHEET_KIND {
        return None;
    }
    let mut name = strings.read_short_text(record.content.get(6..)?)?;
    name.retain(|letter| letter != '\0');
    let offset = u32_at(record.content, 0)? as usize;
    Some((SheetEntry { name, visible: state & HIDDEN_MASK == 0 }, offset))
}

fn read_texts(record: &Record<'_>, texts: &mut SharedTexts, limits: &Limits) -> Result<(), SheetError> {
    let claimed = u32_at(record.content, FIRST_TEXT_OFFSET - 4).map_or(usize::MAX, |claimed| claimed as usize);
    let mut segments = Segments::new(record, FIRST_TEXT_OFFSET);
    while !segments.is_at_end() {
        match segments.push_rich_text(texts.current_text()) {
            Ok(()) => texts.end_text(limits)?,
            // Some writers pad the record.
            Err(_) if texts.len() >= claimed => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads the sheet at the start of `content`. Returns false if it exceeds the bounds.
///
/// Some writers leave out the sheet's last record. But if the file is cut off and that record is missing, cells may be
/// missing, too.
fn read_cells(
    content: &[u8],
    is_cut_off: bool,
    globals: &Globals,
    builder: &mut SheetBuilder<'_>,
    bounds: Bounds,
) -> Result<bool, SheetError> {
    let mut reader = CellReader { globals, builder, formula: None, text_bytes: 0 };
    let (mut depth, mut has_end) = (0_u32, false);
    for record in Records(content) {
        let record = record?;
        reader.builder.count_step()?;
        match record.kind {
            BEGIN => depth += 1,
            END if depth <= 1 => {
                has_end = true;
                break;
            }
            END => depth -= 1,
            // A chart inside the sheet has its own cells.
            _ if depth > 1 => {}
            _ => reader.read_record(&record)?,
        }
        if record.continuations.len() > bounds.continuations || reader.text_bytes > bounds.text_bytes {
            return Ok(false);
        }
    }
    if is_cut_off && !has_end {
        return Err(SheetError::damaged("a sheet's cells are cut off"));
    }
    reader.end_formula()?;
    Ok(true)
}

struct CellReader<'a, 'b> {
    globals: &'a Globals,
    builder: &'a mut SheetBuilder<'b>,
    /// The address of a formula whose text is in a later record.
    formula: Option<(u32, u32)>,
    /// The bytes of the texts that were stored.
    text_bytes: u64,
}

impl CellReader<'_, '_> {
    fn read_record(&mut self, record: &Record<'_>) -> Result<(), SheetError> {
        match record.kind {
            ROW if record.read_u16_or_zero(12) & HIDDEN_ROW != 0 => {
                let row = u32::from(record.read_u16_or_zero(0)) + 1;
                self.builder.layout.hide_rows(row, row);
                Ok(())
            }
            COLUMN if record.read_u16_or_zero(8) & HIDDEN_COLUMN != 0 => {
                self.builder.layout.hide_columns(record.read_u16_or_zero(0).into(), record.read_u16_or_zero(2).into());
                Ok(())
            }
            MERGED_RANGES => {
                self.read_merged_ranges(record);
                Ok(())
            }
            FORMULA_TEXT => self.read_formula_text(record),
            PACKED_NUMBERS => self.read_packed_numbers(record),
            kind if FORMULAS.contains(&kind) => self.read_formula(record),
            NUMBER | LABEL | RICH_LABEL | BOOLEAN_OR_ERROR | PACKED_NUMBER | SHARED_TEXT => self.read_cell(record),
            _ => Ok(()),
        }
    }

    fn put_cell(&mut self, record: &Record<'_>, cell: CellRef<'_>) -> Result<(), SheetError> {
        self.text_bytes += cell.text_length() as u64;
        self.builder.put_cell(record.read_u16_or_zero(0).into(), record.read_u16_or_zero(2).into(), cell)
    }

    fn put_number(&mut self, row: u32, column: u32, format: u16, value: f64) -> Result<(), SheetError> {
        let builder = &mut *self.builder;
        let is_1904 = self.globals.is_1904;
        self.globals.formats.with_cell(format.into(), value, is_1904, |cell| builder.put_cell(row, column, cell))
    }

    fn read_cell(&mut self, record: &Record<'_>) -> Result<(), SheetError> {
        let value = record.content.get(CELL_HEAD_BYTES..).unwrap_or_default();
        let cut_off = || SheetError::damaged("a cell is cut off");
        let (row, column, format) =
            (record.read_u16_or_zero(0).into(), record.read_u16_or_zero(2).into(), record.read_u16_or_zero(4));
        let cell = match record.kind {
            SHARED_TEXT => {
                let number = u32_at(value, 0).ok_or_else(cut_off)? as usize;
                self.globals.texts.get(number).map_or_else(CellRef::unreadable, CellRef::of_text)
            }
            NUMBER => return self.put_number(row, column, format, f64_at_start(value).ok_or_else(cut_off)?),
            PACKED_NUMBER => {
                return self.put_number(
                    row,
                    column,
                    format,
                    decode_packed_number(u32_at(value, 0).ok_or_else(cut_off)?),
                );
            }
            BOOLEAN_OR_ERROR => match value {
                [truth, 0, ..] => CellRef::of_boolean(*truth != 0),
                [code, _, ..] => CellRef::of_error(error_name(*code)),
                _ => return Err(cut_off()),
            },
            _ => {
                let text = self.globals.strings.read_text(record, CELL_HEAD_BYTES);
                // Some writers store a length that is too large. Takt can't know which characters are missing.
                return self.put_cell(record, text.as_deref().map_or_else(|_| CellRef::unreadable(), CellRef::of_text));
            }
        };
        self.put_cell(record, cell)
    }

    fn read_packed_numbers(&mut self, record: &Record<'_>) -> Result<(), SheetError> {
        // The record ends with the last column, which also follows from its length.
        let cells = record.content.get(4..record.content.len().saturating_sub(2)).unwrap_or_default();
        for (column, cell) in (u32::from(record.read_u16_or_zero(2))..).zip(cells.chunks_exact(PACKED_CELL_BYTES)) {
            let value = decode_packed_number(u32_at(cell, 2).unwrap_or_default());
            self.put_number(record.read_u16_or_zero(0).into(), column, u16_at(cell, 0).unwrap_or_default(), value)?;
        }
        Ok(())
    }

    /// Stores the result of a formula. If its last two bytes are [`NO_NUMBER`], its first byte is the result's type.
    fn read_formula(&mut self, record: &Record<'_>) -> Result<(), SheetError> {
        self.end_formula()?;
        let value = record
            .content
            .get(CELL_HEAD_BYTES..CELL_HEAD_BYTES + 8)
            .ok_or_else(|| SheetError::damaged("a formula is cut off"))?;
        if u16_at(value, 6) != Some(NO_NUMBER) {
            let (row, column, format) =
                (record.read_u16_or_zero(0).into(), record.read_u16_or_zero(2).into(), record.read_u16_or_zero(4));
            return self.put_number(row, column, format, f64_at_start(value).unwrap_or_default());
        }
        match value {
            [0, ..] => self.formula = Some((record.read_u16_or_zero(0).into(), record.read_u16_or_zero(2).into())),
            [1, _, truth, ..] => return self.put_cell(record, CellRef::of_boolean(*truth != 0)),
            [2, _, code, ..] => return self.put_cell(record, CellRef::of_error(error_name(*code))),
            // An empty text.
            _ => {}
        }
        Ok(())
    }

    fn read_formula_text(&mut self, record: &Record<'_>) -> Result<(), SheetError> {
        let Some((row, column)) = self.formula.take() else { return Ok(()) };
        let text = self.globals.strings.read_text(record, 0);
        self.text_bytes += text.as_ref().map_or(0, String::len) as u64;
        self.builder.put_cell(row, column, text.as_deref().map_or_else(|_| CellRef::unreadable(), CellRef::of_text))
    }

    /// Ends a formula. If no record with its text followed, it was never calculated.
    fn end_formula(&mut self) -> Result<(), SheetError> {
        let Some((row, column)) = self.formula.take() else { return Ok(()) };
        self.builder.put_cell(row, column, CellRef::formula_without_value())
    }

    fn read_merged_ranges(&mut self, record: &Record<'_>) {
        let ranges = record.content.get(2..).unwrap_or_default().chunks_exact(RANGE_BYTES);
        for range in ranges.take(record.read_u16_or_zero(0).into()) {
            let half = |index: usize| u32::from(u16_at(range, index * 2).unwrap_or_default());
            let (first_column, last_column) = (half(2), half(3));
            let merge = MergedRange { first_row: half(0) + 1, last_row: half(1) + 1, first_column, last_column };
            merge.validate().into_iter().for_each(|merge| self.builder.layout.add_merge(merge));
        }
    }
}

fn f64_at_start(bytes: &[u8]) -> Option<f64> {
    bytes.get(..8)?.try_into().ok().map(f64::from_le_bytes)
}
