//! Writes xlsx with typed cells, frozen headings and column widths, from whole sheets or from streams of rows.

use std::{collections::HashMap, io::Write, ops::Range, path::Path};

use jiff::civil::DateTime;
use rust_xlsxwriter::{
    Color, DocProperties, ExcelDateTime, Format, FormatAlign, FormatBorder, Workbook, Worksheet, XlsxError,
};

use super::{
    atomic,
    out_sheet::{OutCell, OutColumn, OutSheet, OutStream},
    sheet_xml::shorten_text,
};
use crate::{
    LimitKind, SheetError,
    serial::{self, format_date_time, format_duration},
};

/// Excel's limit for a sheet's name, in UTF-16 units.
const MAX_NAME_LENGTH: usize = 31;
const MAX_ROWS: u32 = 1_048_576;
const DATE_FORMAT: &str = "yyyy-mm-dd";
const DATE_TIME_FORMAT: &str = "yyyy-mm-dd hh:mm";
const DURATION_FORMAT: &str = "[h]:mm:ss";
/// The first year of Excel's dates.
const MIN_YEAR: i16 = 1900;
const HEADER_FILL: Color = Color::RGB(0xE7_ECF1);

/// Writes a workbook. An existing file is replaced only by a complete one.
///
/// # Errors
/// If the file can't be written.
pub fn write_workbook(path: &Path, sheets: &[OutSheet]) -> Result<(), SheetError> {
    write_bytes(path, sheets, &[], None)
}

/// Like [`write_workbook`], with additional sheets that Excel neither shows nor offers to show.
///
/// # Errors
/// If the file can't be written.
pub fn write_workbook_with_hidden(path: &Path, sheets: &[OutSheet], hidden: &[OutSheet]) -> Result<(), SheetError> {
    write_bytes(path, sheets, hidden, None)
}

/// Like [`write_workbook`], with a fixed date of creation, so that the same content gives the same bytes.
///
/// # Errors
/// If the file can't be written.
pub fn write_workbook_with_date(path: &Path, sheets: &[OutSheet], created: DateTime) -> Result<(), SheetError> {
    write_bytes(path, sheets, &[], Some(created))
}

/// Returns the bytes that [`write_workbook_with_hidden`] would write.
///
/// # Errors
/// If the cells can't be written as a file.
pub fn workbook_bytes(sheets: &[OutSheet], hidden: &[OutSheet]) -> Result<Vec<u8>, SheetError> {
    to_bytes(sheets, hidden, None)
}

fn write_bytes(
    path: &Path,
    sheets: &[OutSheet],
    hidden: &[OutSheet],
    created: Option<DateTime>,
) -> Result<(), SheetError> {
    let bytes = to_bytes(sheets, hidden, created)?;
    atomic::write_file(path, |out| out.write_all(&bytes).map_err(atomic::write_error))
}

fn to_bytes(sheets: &[OutSheet], hidden: &[OutSheet], created: Option<DateTime>) -> Result<Vec<u8>, SheetError> {
    let mut workbook = Workbook::new();
    if let Some(created) = created {
        let date = ExcelDateTime::from_serial_datetime(serial::from_civil(created)).map_err(xlsx_error)?;
        workbook.set_properties(&DocProperties::new().set_creation_datetime(&date));
    }
    let mut formats = Formats::new();
    for (index, sheet) in sheets.iter().chain(hidden).enumerate() {
        if sheet.rows.len() + sheet.title.len() >= MAX_ROWS as usize {
            return Err(SheetError::too_large(LimitKind::Rows, MAX_ROWS));
        }
        let worksheet = workbook.add_worksheet();
        worksheet.set_name(usable_sheet_name(&sheet.name, index)).map_err(xlsx_error)?;
        worksheet.set_very_hidden(index >= sheets.len());
        write_sheet(worksheet, sheet, &mut formats).map_err(xlsx_error)?;
    }
    workbook.save_to_buffer().map_err(xlsx_error)
}

/// Writes a workbook row by row, so that only the current row is in memory. `hidden` is a sheet that Excel neither
/// shows nor offers to show. Data that isn't compressed yet is stored in `folder`. An existing file is replaced only by
/// a complete one.
///
/// # Errors
/// If the file can't be written.
pub fn write_workbook_streamed(
    path: &Path,
    folder: &Path,
    sheet: OutStream<'_>,
    hidden: Option<OutStream<'_>>,
) -> Result<(), SheetError> {
    let shown = std::iter::once((sheet, false));
    write_streams(path, folder, shown.chain(hidden.map(|hidden| (hidden, true))), &|| true)
}

/// Like [`write_workbook_streamed`], with several sheets. `is_valid` is called after the last row.
///
/// # Errors
/// [`SheetError::Cancelled`] if `is_valid` returns false. Also if the file can't be written.
pub fn write_streamed_sheets(
    path: &Path,
    folder: &Path,
    sheets: Vec<OutStream<'_>>,
    is_valid: &dyn Fn() -> bool,
) -> Result<(), SheetError> {
    write_streams(path, folder, sheets.into_iter().map(|sheet| (sheet, false)), is_valid)
}

fn write_streams<'a>(
    path: &Path,
    folder: &Path,
    sheets: impl Iterator<Item = (OutStream<'a>, bool)>,
    is_valid: &dyn Fn() -> bool,
) -> Result<(), SheetError> {
    let mut workbook = Workbook::new();
    workbook.set_tempdir(folder).map_err(xlsx_error)?;
    let mut formats = Formats::new();
    for (index, (sheet, hide)) in sheets.enumerate() {
        let worksheet = workbook.add_worksheet_with_constant_memory().map_err(xlsx_error)?;
        worksheet.set_name(usable_sheet_name(sheet.name, index)).map_err(xlsx_error)?;
        worksheet.set_very_hidden(hide);
        write_stream(worksheet, sheet, &mut formats)?;
    }
    if !is_valid() {
        return Err(SheetError::Cancelled);
    }
    let bytes = workbook.save_to_buffer().map_err(xlsx_error)?;
    atomic::write_file(path, |out| out.write_all(&bytes).map_err(atomic::write_error))
}

fn write_stream(worksheet: &mut Worksheet, mut sheet: OutStream<'_>, formats: &mut Formats) -> Result<(), SheetError> {
    let head = sheet.take_head();
    write_sheet(worksheet, &head, formats).map_err(xlsx_error)?;
    let mut row = u32::from(!head.columns.is_empty());
    for cells in sheet.rows {
        if row >= MAX_ROWS {
            return Err(SheetError::too_large(LimitKind::Rows, MAX_ROWS));
        }
        write_row(worksheet, row, &cells, formats).map_err(xlsx_error)?;
        row += 1;
    }
    add_filter_row(worksheet, &head.columns, 0..row).map_err(xlsx_error)
}

/// Adds filter buttons to the headings in the first of these rows. Nothing is added without rows below.
fn add_filter_row(worksheet: &mut Worksheet, columns: &[OutColumn], rows: Range<u32>) -> Result<(), XlsxError> {
    let last_column = u16::try_from(columns.len()).unwrap_or(u16::MAX).checked_sub(1);
    if let Some(last_column) = last_column
        && rows.len() > 1
    {
        worksheet.autofilter(rows.start, 0, rows.end - 1, last_column)?;
    }
    Ok(())
}

/// Writes the title lines, the headings and the rows of a sheet.
pub(super) fn write_sheet(worksheet: &mut Worksheet, sheet: &OutSheet, formats: &mut Formats) -> Result<(), XlsxError> {
    let mut row = 0;
    for title in &sheet.title {
        worksheet.write_string_with_format(row, 0, shorten_text(title), &formats.title)?;
        row += 1;
    }
    for (column, out) in (0_u16..).zip(&sheet.columns) {
        worksheet.write_string_with_format(row, column, shorten_text(&out.heading), &formats.header)?;
        worksheet.set_column_width(column, out.width)?;
    }
    let heading_row = row;
    if !sheet.columns.is_empty() {
        row += 1;
        worksheet.set_freeze_panes(row, 0)?;
    }
    for cells in &sheet.rows {
        write_row(worksheet, row, cells, formats)?;
        row += 1;
    }
    add_filter_row(worksheet, &sheet.columns, heading_row..row)
}

fn write_row(worksheet: &mut Worksheet, row: u32, cells: &[OutCell], formats: &mut Formats) -> Result<(), XlsxError> {
    for (column, cell) in (0_u16..).zip(cells) {
        write_cell(worksheet, row, column, cell, formats)?;
    }
    Ok(())
}

/// Writes a cell. The row and the column are 0-based.
pub(super) fn write_cell(
    worksheet: &mut Worksheet,
    row: u32,
    column: u16,
    cell: &OutCell,
    formats: &mut Formats,
) -> Result<(), XlsxError> {
    match cell {
        OutCell::Empty => return Ok(()),
        OutCell::Text(text) => worksheet.write_string(row, column, shorten_text(text))?,
        OutCell::Number(value) if value.is_finite() => worksheet.write_number(row, column, *value)?,
        OutCell::Number(value) => worksheet.write_string(row, column, value.to_string())?,
        OutCell::FormattedNumber(value, format) => {
            worksheet.write_number_with_format(row, column, *value, formats.by_code(format))?
        }
        // Excel has no dates before 1900 and shows a negative duration as ####. Both are written as texts.
        OutCell::DateTime(value) if value.year() < MIN_YEAR => {
            worksheet.write_string(row, column, format_date_time(*value))?
        }
        OutCell::Duration(ticks) if *ticks < 0 => worksheet.write_string(row, column, format_duration(*ticks))?,
        OutCell::DateTime(value) => {
            let midnight = value.hour() == 0 && value.minute() == 0 && value.second() == 0;
            let format = formats.by_code(if midnight { DATE_FORMAT } else { DATE_TIME_FORMAT });
            worksheet.write_number_with_format(row, column, serial::from_civil(*value), format)?
        }
        OutCell::Duration(ticks) => worksheet.write_number_with_format(
            row,
            column,
            serial::from_ticks(*ticks),
            formats.by_code(DURATION_FORMAT),
        )?,
        OutCell::Boolean(value) => worksheet.write_boolean(row, column, *value)?,
    };
    Ok(())
}

/// Formats by their code. Each format is created only once.
pub(super) struct Formats {
    title: Format,
    header: Format,
    by_code: HashMap<String, Format>,
}

impl Formats {
    pub(super) fn new() -> Self {
        let header = Format::new()
            .set_bold()
            .set_background_color(HEADER_FILL)
            .set_border_bottom(FormatBorder::Thin)
            .set_align(FormatAlign::Top)
            .set_text_wrap();
        Self { title: Format::new().set_bold().set_font_size(14), header, by_code: HashMap::new() }
    }

    fn by_code(&mut self, code: &str) -> &Format {
        self.by_code.entry(code.to_owned()).or_insert_with(|| Format::new().set_num_format(code))
    }
}

/// Returns a sheet's name that Excel accepts.
pub(super) fn usable_sheet_name(name: &str, index: usize) -> String {
    let allowed =
        |character: char| !matches!(character, '[' | ']' | ':' | '*' | '?' | '/' | '\\') && !character.is_control();
    let name: String = name.chars().filter(|&character| allowed(character)).collect();
    let mut units = 0;
    let name: String = name
        .trim_matches('\'')
        .chars()
        .take_while(|character| {
            units += character.len_utf16();
            units <= MAX_NAME_LENGTH
        })
        .collect();
    if name.trim().is_empty() { format!("{}", index + 1) } else { name }
}

pub(super) fn xlsx_error(error: XlsxError) -> SheetError {
    atomic::write_error(error)
}
