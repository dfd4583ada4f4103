//! Writes a sample as an Excel workbook. The header row is styled, frozen and filtered. Dates and durations are numbers
//! with a format, and codes are text.

use jiff::civil::{DateTime, date};
use rust_xlsxwriter::{
    Color, DocProperties, ExcelDateTime, Format, FormatAlign, Formula, Workbook, Worksheet, XlsxError,
};

use super::{
    error::SamplesError,
    table::{Cell, Table},
};

const MINUTES_PER_DAY: f64 = 24.0 * 60.0;
const ZIP_ENTRY: &[u8] = b"PK\x01\x02";
const ZIP_ENTRY_BYTES: usize = 46;
const ZIP_END_BYTES: usize = 22;
/// The position of the operating system in a directory entry's "version made by" field, and Unix's value.
const ENTRY_SYSTEM: (usize, u8) = (5, 3);
/// The position of a directory entry's file attributes, and the value for a regular file with mode 600.
const ENTRY_ATTRIBUTES: (usize, u32) = (38, 0o100_600 << 16);

/// Returns the workbook's bytes, which are the same at any time and on every computer.
pub(super) fn build(table: &Table) -> Result<Vec<u8>, SamplesError> {
    let bytes =
        write_workbook(table).map_err(|source| SamplesError::Workbook { file: table.operation.to_owned(), source })?;
    Ok(normalize_archive(bytes))
}

fn write_workbook(table: &Table) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    let created = ExcelDateTime::from_ymd(2026, 11, 20)?.and_hms(14, 5, 0)?;
    let properties = DocProperties::new().set_title(table.sheet).set_author("Production planning");
    workbook.set_properties(&properties.set_creation_datetime(&created));
    let sheet = workbook.add_worksheet();
    sheet.set_name(table.sheet)?;
    if let Some(title) = table.title {
        sheet.write_string_with_format(0, 0, title, &Format::new().set_bold().set_font_size(14))?;
    }
    write_heading(sheet, table)?;
    write_rows(sheet, table)?;
    if let Some((name, lines)) = table.notes {
        let sheet = workbook.add_worksheet();
        sheet.set_name(name)?.set_column_width(0, 90)?;
        for (row, line) in (0..).zip(lines) {
            sheet.write_string(row, 0, *line)?;
        }
    }
    workbook.save_to_buffer()
}

fn write_heading(sheet: &mut Worksheet, table: &Table) -> Result<(), XlsxError> {
    let row = table.heading_row() - 1;
    let bold = Format::new().set_bold().set_background_color(Color::RGB(0x00DD_E6F0)).set_text_wrap();
    let bold = bold.set_align(FormatAlign::Top);
    for (index, column) in (0..).zip(&table.columns) {
        sheet.set_column_width(index, column.width)?;
        sheet.write_string_with_format(row, index, column.heading, &bold)?;
    }
    let last_column = u16::try_from(table.columns.len()).unwrap_or(u16::MAX).saturating_sub(1);
    let last_row = row + u32::try_from(table.rows.len()).unwrap_or(u32::MAX);
    sheet.set_freeze_panes(row + 1, 1)?;
    sheet.autofilter(row, 0, last_row, last_column)?;
    Ok(())
}

fn write_rows(sheet: &mut Worksheet, table: &Table) -> Result<(), XlsxError> {
    let formats: Vec<Format> = table.columns.iter().map(|column| Format::new().set_num_format(column.format)).collect();
    let plain = Format::new();
    for (row, cells) in (table.heading_row()..).zip(&table.rows) {
        for ((column, cell), (format, described)) in (0..).zip(cells).zip(formats.iter().zip(&table.columns)) {
            let format = if described.format.is_empty() { &plain } else { format };
            match cell {
                Cell::Empty => {}
                Cell::Text(text) => {
                    sheet.write_string_with_format(row, column, text, format)?;
                }
                Cell::Number(number) => {
                    sheet.write_number_with_format(row, column, *number, format)?;
                }
                Cell::Moment(moment) => {
                    sheet.write_number_with_format(row, column, serial_number(*moment), format)?;
                }
                Cell::Minutes(minutes) => {
                    sheet.write_number_with_format(row, column, *minutes as f64 / MINUTES_PER_DAY, format)?;
                }
                Cell::Flag(flag) => {
                    sheet.write_boolean_with_format(row, column, *flag, format)?;
                }
                Cell::Broken { formula, shows } => {
                    sheet.write_formula_with_format(row, column, Formula::new(*formula).set_result(*shows), format)?;
                }
            }
        }
    }
    Ok(())
}

/// Returns Excel's serial number of a time: the days since 1899-12-30.
fn serial_number(moment: DateTime) -> f64 {
    let minutes = moment.duration_since(date(1899, 12, 30).at(0, 0, 0, 0)).as_mins();
    minutes as f64 / MINUTES_PER_DAY
}

/// Sets the operating system and the file attributes in every directory entry of a workbook's zip archive. The writing
/// library sets them to this computer's values, so they would differ between systems.
fn normalize_archive(mut bytes: Vec<u8>) -> Vec<u8> {
    let Some(end) = bytes.len().checked_sub(ZIP_END_BYTES) else { return bytes };
    let mut at = read_u32(&bytes, end + 16) as usize;
    while bytes.get(at..at + ZIP_ENTRY.len()) == Some(ZIP_ENTRY) && at + ZIP_ENTRY_BYTES <= bytes.len() {
        bytes[at + ENTRY_SYSTEM.0] = ENTRY_SYSTEM.1;
        bytes[at + ENTRY_ATTRIBUTES.0..at + ENTRY_ATTRIBUTES.0 + 4].copy_from_slice(&ENTRY_ATTRIBUTES.1.to_le_bytes());
        at += ZIP_ENTRY_BYTES + read_u16(&bytes, at + 28) + read_u16(&bytes, at + 30) + read_u16(&bytes, at + 32);
    }
    bytes
}

fn read_u16(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..at + 2).map_or(0, |two| usize::from(u16::from_le_bytes([two[0], two[1]])))
}

fn read_u32(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}
