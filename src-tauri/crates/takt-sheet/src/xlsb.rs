//! Cells of xlsb, read record by record. One thread unpacks the sheet's part, a second one parses it, and a third one
//! stores the cells. Sheets with the short cell records of some writers are refused, because cells would be lost.
//!
//! The available library panics on a missing shared text and on short records. It refuses a workbook for its macro
//! sheets, and stops at an unknown error value. So this module doesn't use it.

mod record;

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Read},
};

use self::record::{Records, push_wide_text, read_wide_text};
use crate::{
    LimitKind, Limits, MergedRange, Sheet, SheetEntry, SheetError,
    binary_values::{decode_packed_number, u16_at, u32_at},
    cell_batch::{BatchReceiver, BatchSender, CellBatch, CellResolver, RawCell, RawValue, read_in_parallel},
    cell_error::error_name,
    layout::SheetLayout,
    number_format::{CellFormats, NumberFormat},
    package::{self, Package, Relation},
    progress::ProgressReporter,
    row_numbers::RowNumbers,
    shared_texts::SharedTexts,
    sheet::{SheetBuilder, make_names_unique},
    source::Source,
};

// The records of the workbook part, the styles and the shared texts.
const WORKBOOK_PART: &str = "xl/workbook.bin";
const PROPERTIES: u32 = 0x0099;
const USES_1904_DATES: u32 = 0x01;
const BUNDLED_SHEET: u32 = 0x009C;
const TEXT_ITEM: u32 = 0x0013;
const NUMBER_FORMAT: u32 = 44;
const CELL_FORMAT_ITEM: u32 = 47;
const CELL_FORMATS: u32 = 617;
const CELL_FORMATS_END: u32 = 618;

// The records of a sheet.
const ROW: u32 = 0x0000;
const PACKED_NUMBER: u32 = 0x0002;
const CELL_ERROR: u32 = 0x0003;
const CELL_BOOLEAN: u32 = 0x0004;
const NUMBER: u32 = 0x0005;
const TEXT: u32 = 0x0006;
const SHARED_TEXT: u32 = 0x0007;
const FORMULA_TEXT: u32 = 0x0008;
const FORMULA_NUMBER: u32 = 0x0009;
const FORMULA_BOOLEAN: u32 = 0x000A;
const FORMULA_ERROR: u32 = 0x000B;
const SHORT_CELLS: std::ops::RangeInclusive<u32> = 0x000C..=0x0012;
/// A text with runs of fonts, which newer programs write.
const RICH_TEXT: u32 = 0x003E;
const SHEET_DATA_END: u32 = 0x0092;
const COLUMN_INFO: u32 = 0x003C;
const MERGED_RANGE: u32 = 0x00B0;
const HIDDEN_ROW: u8 = 0x10;
const HIDDEN_COLUMN: u8 = 0x01;
/// The upper byte of a cell's format has another meaning.
const CELL_FORMAT_MASK: u32 = 0x00FF_FFFF;
/// The bytes of the column and the format.
const CELL_HEAD_BYTES: usize = 8;

/// Lists the sheets that have cells.
pub(crate) fn list_sheets(source: &Source, limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    Ok(BinaryWorkbook::read(&mut package::open(source)?, limits)?.entries)
}

/// Reads a sheet.
pub(crate) fn read_sheet(
    source: &Source,
    name: &str,
    limits: &Limits,
    progress: &ProgressReporter<'_>,
) -> Result<Sheet, SheetError> {
    let mut package = package::open(source)?;
    let workbook = BinaryWorkbook::read(&mut package, limits)?;
    let path = workbook.part_name(name).ok_or_else(|| SheetError::NoSuchSheet(name.to_owned()))?;
    let formats = workbook.read_formats(&mut package)?;
    let mut builder = SheetBuilder::new(name, limits, progress);
    let read_cells = |batches: BatchSender| {
        package::read_unpacked(package::open(source)?, path, limits.unpacked_bytes, |part| {
            let mut cells = CellRecords::new(Records::new(part), name, limits);
            batches.send_all(|batch, count| cells.fill(batch, count))?;
            Ok(cells.layout)
        })
    };
    let put = |batches: BatchReceiver| {
        // The first cells are being read meanwhile.
        let mut texts = read_texts(source, &mut package, &workbook, limits)?;
        let mut resolver =
            CellResolver { formats, is_1904: workbook.is_1904, texts: &mut texts, text_spans: Vec::new() };
        batches.store_all(|batch| resolver.put_batch(batch, &mut builder))
    };
    builder.layout = read_in_parallel(read_cells, put)?;
    builder.finish()
}

/// The cells of a part, with its hidden rows, hidden columns and merged cells.
struct CellRecords<'l, R> {
    records: Records<R>,
    /// The sheet's name for error messages.
    sheet: &'l str,
    limits: &'l Limits,
    layout: SheetLayout,
    /// The 0-based row of the next cells.
    row: u32,
    /// The numbers of the rows with content, to find rows that occur twice.
    rows: RowNumbers,
    /// Whether the current row has had no content so far.
    is_row_empty: bool,
    /// True after the last cell.
    is_past_cells: bool,
}

impl<'l, R: BufRead> CellRecords<'l, R> {
    fn new(records: Records<R>, sheet: &'l str, limits: &'l Limits) -> Self {
        let (layout, rows) = (SheetLayout::default(), RowNumbers::default());
        Self { records, sheet, limits, layout, row: 0, rows, is_row_empty: true, is_past_cells: false }
    }

    /// Adds cells to the batch until it has `cells` of them. Returns false when all cells and the records after them
    /// have been read.
    fn fill(&mut self, batch: &mut CellBatch, cells: usize) -> Result<bool, SheetError> {
        if !self.is_past_cells {
            self.fill_cells(batch, cells)?;
        }
        Ok(!self.is_past_cells || self.fill_merges(batch, cells))
    }

    fn fill_cells(&mut self, batch: &mut CellBatch, cells: usize) -> Result<(), SheetError> {
        let Self { records, sheet, limits, layout, row, rows, is_row_empty, is_past_cells } = self;
        let is_complete = records.for_each(|kind, content| {
            match kind {
                ROW => {
                    (*row, *is_row_empty) = (u32_at(content, 0).unwrap_or_default(), true);
                    if content.get(11).is_some_and(|flags| flags & HIDDEN_ROW != 0) {
                        layout.hide_rows(row.saturating_add(1), row.saturating_add(1));
                    }
                }
                COLUMN_INFO if content.get(16).is_some_and(|flags| flags & HIDDEN_COLUMN != 0) => {
                    let (first, last) = (u32_at(content, 0), u32_at(content, 4));
                    layout.hide_columns(first.unwrap_or_default(), last.unwrap_or_default());
                }
                SHEET_DATA_END => *is_past_cells = true,
                kind if SHORT_CELLS.contains(&kind) => {
                    return Err(SheetError::Unsupported("short cell records in a binary workbook"));
                }
                kind => {
                    if let Some(value) = read_cell_value(kind, content, limits, batch)? {
                        // The sheet builder refuses a row beyond the limit.
                        if std::mem::take(is_row_empty) && *row < limits.rows && !rows.insert(*row) {
                            let sheet = (*sheet).to_owned();
                            return Err(SheetError::Repeated { sheet, row: row.saturating_add(1), column: None });
                        }
                        let column = u32_at(content, 0).unwrap_or_default();
                        let format = u32_at(content, 4).unwrap_or_default() & CELL_FORMAT_MASK;
                        batch.cells.push(RawCell { row: *row, column, format, value });
                        return Ok(!batch.is_full(cells));
                    }
                }
            }
            batch.steps += 1;
            Ok(!*is_past_cells && !batch.is_full(cells))
        })?;
        if is_complete { Ok(()) } else { Err(SheetError::damaged("a sheet's cells are cut off")) }
    }

    /// Reads the records after the cells until one can't be read. Returns false if none are left.
    fn fill_merges(&mut self, batch: &mut CellBatch, cells: usize) -> bool {
        while let Ok(Some((kind, content))) = self.records.next() {
            let number = |index: usize| u32_at(content, index * 4);
            if let (MERGED_RANGE, Some(first_row), Some(last_row), Some(first_column), Some(last_column)) =
                (kind, number(0), number(1), number(2), number(3))
            {
                let rows = (first_row.saturating_add(1), last_row.saturating_add(1));
                let merge = MergedRange { first_row: rows.0, last_row: rows.1, first_column, last_column };
                merge.validate().into_iter().for_each(|merge| self.layout.add_merge(merge));
            }
            batch.steps += 1;
            if batch.is_full(cells) {
                return true;
            }
        }
        false
    }
}

/// Returns the value of a cell record, or `None` for any other record. Texts are added to the batch.
#[inline]
fn read_cell_value(
    kind: u32,
    content: &[u8],
    limits: &Limits,
    batch: &mut CellBatch,
) -> Result<Option<RawValue>, SheetError> {
    let cut_off = || SheetError::damaged("a cell is cut off");
    let value = content.get(CELL_HEAD_BYTES..).unwrap_or_default();
    let first = || value.first().copied().ok_or_else(cut_off);
    Ok(Some(match kind {
        SHARED_TEXT => RawValue::Shared(u32_at(value, 0).ok_or_else(cut_off)?),
        PACKED_NUMBER => RawValue::Number(u32_at(value, 0).map(decode_packed_number).ok_or_else(cut_off)?),
        NUMBER | FORMULA_NUMBER => {
            RawValue::Number(value.first_chunk().copied().map(f64::from_le_bytes).ok_or_else(cut_off)?)
        }
        CELL_BOOLEAN | FORMULA_BOOLEAN => RawValue::Boolean(first()? != 0),
        CELL_ERROR | FORMULA_ERROR => {
            let (start, end) = batch.add_text(error_name(first()?));
            RawValue::Error(start, end)
        }
        TEXT | FORMULA_TEXT => read_text_value(Some(value), limits, batch)?,
        RICH_TEXT => read_text_value(value.get(1..), limits, batch)?,
        _ => return Ok(None),
    }))
}

/// Reads a text that is stored in its record.
fn read_text_value(record: Option<&[u8]>, limits: &Limits, batch: &mut CellBatch) -> Result<RawValue, SheetError> {
    let ((start, end), is_complete) = batch.add_text_with(|texts| push_wide_text(&mut record?, texts));
    is_complete.ok_or_else(|| SheetError::damaged("a cell is cut off"))?;
    // The length is checked already here, because the batches that wait to be stored could contain many such texts.
    if (end - start) as usize > limits.text_bytes {
        return Err(SheetError::too_large(LimitKind::TextBytes, limits.text_bytes as u64));
    }
    Ok(RawValue::Text(start, end))
}

/// The workbook part: its sheets and their parts, and the date system.
#[derive(Debug)]
struct BinaryWorkbook {
    is_1904: bool,
    /// The worksheets, with unique names.
    entries: Vec<SheetEntry>,
    part_names: Vec<String>,
    relations: Vec<Relation>,
}

impl BinaryWorkbook {
    fn read(package: &mut Package, limits: &Limits) -> Result<Self, SheetError> {
        let relations = package::read_relations(package, "xl/_rels/workbook.bin.rels")?;
        let mut workbook = Self { is_1904: false, entries: Vec::new(), part_names: Vec::new(), relations };
        let read = package::read_part(package, WORKBOOK_PART, |part| workbook.read_sheets(part, limits))?;
        read.ok_or_else(|| SheetError::missing_part(WORKBOOK_PART))?;
        make_names_unique(workbook.entries.iter_mut().map(|entry| &mut entry.name));
        Ok(workbook)
    }

    fn read_sheets(&mut self, part: impl Read, limits: &Limits) -> Result<(), SheetError> {
        let mut records = Records::new(BufReader::new(part));
        while let Some((kind, content)) = records.next()? {
            match kind {
                PROPERTIES => self.is_1904 = u32_at(content, 0).unwrap_or_default() & USES_1904_DATES != 0,
                BUNDLED_SHEET => self.add_sheet(content),
                _ => {}
            }
            if self.entries.len() > limits.sheets {
                return Err(SheetError::too_large(LimitKind::Sheets, limits.sheets as u64));
            }
        }
        Ok(())
    }

    /// Adds a sheet. Charts, dialogs and macros have no cells and aren't listed.
    fn add_sheet(&mut self, content: &[u8]) {
        let mut rest = content.get(8..).unwrap_or_default();
        let (Some(id), Some(name)) = (read_wide_text(&mut rest), read_wide_text(&mut rest)) else { return };
        let relation = self.relations.iter().find(|relation| relation.id == id);
        let Some(relation) =
            relation.filter(|relation| relation.kind.is_empty() || relation.kind.ends_with("/worksheet"))
        else {
            return;
        };
        self.part_names.push(package::resolve_target("xl", &relation.target));
        self.entries.push(SheetEntry { name, visible: u32_at(content, 0) == Some(0) });
    }

    /// Returns the name of a sheet's part.
    fn part_name(&self, name: &str) -> Option<&str> {
        let position = self.entries.iter().position(|entry| entry.name == name)?;
        self.part_names.get(position).map(String::as_str)
    }

    /// Returns the cell formats, or none if the workbook has no styles.
    fn read_formats(&self, package: &mut Package) -> Result<CellFormats, SheetError> {
        let path = package::find_part_of_kind(package, &self.relations, "/styles", "xl", "styles.bin")?;
        Ok(package::read_part(package, &path, parse_formats)?.unwrap_or_default())
    }
}

fn parse_formats(part: &mut dyn Read) -> Result<CellFormats, SheetError> {
    let mut codes: HashMap<u32, NumberFormat> = HashMap::new();
    let mut used = Vec::new();
    let mut is_in_cell_formats = false;
    let mut records = Records::new(BufReader::new(part));
    while let Some((kind, content)) = records.next()? {
        match kind {
            NUMBER_FORMAT => {
                let code = content.get(2..).and_then(|mut rest| read_wide_text(&mut rest));
                codes.extend(u16_at(content, 0).map(u32::from).zip(code.map(|code| NumberFormat::parse(&code))));
            }
            CELL_FORMATS => is_in_cell_formats = true,
            CELL_FORMATS_END => return Ok(CellFormats::new(&used, codes)),
            CELL_FORMAT_ITEM if is_in_cell_formats => used.push(u16_at(content, 2).unwrap_or_default().into()),
            _ => {}
        }
    }
    if is_in_cell_formats {
        Err(SheetError::damaged("the cell formats are cut off"))
    } else {
        Ok(CellFormats::new(&used, codes))
    }
}

/// Reads the shared texts. Without their part, there are none.
fn read_texts(
    source: &Source,
    package: &mut Package,
    workbook: &BinaryWorkbook,
    limits: &Limits,
) -> Result<SharedTexts, SheetError> {
    let path = package::find_part_of_kind(package, &workbook.relations, "/sharedStrings", "xl", "sharedStrings.bin")?;
    if !package::has_part(package, &path) {
        return Ok(SharedTexts::default());
    }
    package::read_unpacked(package::open(source)?, &path, limits.unpacked_bytes, |part| {
        let mut texts = SharedTexts::default();
        let mut records = Records::new(part);
        while let Some((kind, content)) = records.next()? {
            if kind == TEXT_ITEM {
                let complete = content.get(1..).and_then(|mut rest| push_wide_text(&mut rest, texts.current_text()));
                complete.ok_or_else(|| SheetError::damaged("a shared text is cut off"))?;
                texts.end_text(limits)?;
            }
        }
        Ok(texts)
    })
}
