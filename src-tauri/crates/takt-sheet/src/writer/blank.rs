//! A blank workbook to fill in: headings with notes, formatted columns, lists of choices, validation rules, an example
//! row, and a sheet with explanations.

use std::path::Path;

use rust_xlsxwriter::{
    Color, DataValidation, DataValidationErrorStyle, DataValidationRule, Format, FormatAlign, FormatBorder, Formula,
    Note, Workbook, Worksheet, XlsxError,
};

use super::{
    atomic,
    excel::{Formats, usable_sheet_name, write_cell, write_sheet, xlsx_error},
    out_sheet::{OutCell, OutSheet},
    sheet_xml::shorten_text,
};
use crate::{SheetError, column_letters};

/// The last row to which the rules apply, counted from the heading.
const MAX_RULED_ROW: u32 = 100_000;
/// Excel allows a list of choices within a rule up to this length.
const MAX_LIST_LENGTH: usize = 255;
const REQUIRED_FILL: Color = Color::RGB(0xCF_E3E6);
const OPTIONAL_FILL: Color = Color::RGB(0xE7_ECF1);
const EXAMPLE_FONT: Color = Color::RGB(0x5F_6B76);

/// The format of a column's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlankFormat {
    /// Text exactly as typed: `007` stays `007`.
    Text,
    Whole,
    Number,
    DateTime,
    /// Hours may be more than 24.
    Duration,
}

/// A bound that Excel enforces for typed values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BlankBound {
    Above(f64),
    AtLeast(f64),
    /// Later than the cell of that column (0-based) in the same row.
    After(u32),
}

/// A column to fill in.
#[derive(Debug, Clone, PartialEq)]
pub struct BlankColumn {
    pub heading: String,
    pub width: f64,
    pub required: bool,
    pub format: BlankFormat,
    /// The text of the heading's note.
    pub note: String,
    /// The values that may be chosen. If empty, anything may be typed.
    pub choices: Vec<String>,
    pub bound: Option<BlankBound>,
    /// The message if a bound or a list is violated.
    pub error_message: String,
    pub example: OutCell,
}

/// A workbook to fill in, and the sheet that explains it.
#[derive(Debug, Clone, PartialEq)]
pub struct BlankWorkbook {
    pub sheet: String,
    pub columns: Vec<BlankColumn>,
    pub about: OutSheet,
}

/// Writes the workbook. An existing file is replaced only by a complete one.
///
/// # Errors
/// If the file can't be written.
pub fn write_blank_workbook(path: &Path, blank: &BlankWorkbook) -> Result<(), SheetError> {
    let mut workbook = Workbook::new();
    let mut formats = Formats::new();
    let worksheet = workbook.add_worksheet();
    worksheet.set_name(usable_sheet_name(&blank.sheet, 0)).map_err(xlsx_error)?;
    worksheet.set_freeze_panes(1, 0).map_err(xlsx_error)?;
    for (index, column) in (0_u16..).zip(&blank.columns) {
        write_column(worksheet, index, column, &mut formats).map_err(xlsx_error)?;
    }
    let about = workbook.add_worksheet();
    about.set_name(usable_sheet_name(&blank.about.name, 1)).map_err(xlsx_error)?;
    write_sheet(about, &blank.about, &mut formats).map_err(xlsx_error)?;
    atomic::write_file(path, |out| workbook.save_to_writer(out).map_err(xlsx_error))
}

fn write_column(
    worksheet: &mut Worksheet,
    index: u16,
    column: &BlankColumn,
    formats: &mut Formats,
) -> Result<(), XlsxError> {
    let fill = if column.required { REQUIRED_FILL } else { OPTIONAL_FILL };
    let heading = Format::new()
        .set_bold()
        .set_background_color(fill)
        .set_border_bottom(FormatBorder::Thin)
        .set_align(FormatAlign::Top)
        .set_text_wrap();
    worksheet.write_string_with_format(0, index, shorten_text(&column.heading), &heading)?;
    let note = Note::new(shorten_text(&column.note))
        .set_author("Takt")
        .add_author_prefix(false)
        .set_width(300)
        .set_height(150);
    worksheet.insert_note(0, index, &note)?;
    worksheet.set_column_width(index, column.width)?;
    let format = Format::new().set_num_format(column.format.number_format());
    worksheet.set_column_format(index, &format)?;
    let example = format.clone().set_italic().set_font_color(EXAMPLE_FONT);
    match &column.example {
        OutCell::Text(text) => drop(worksheet.write_string_with_format(1, index, shorten_text(text), &example)?),
        OutCell::Number(value) => drop(worksheet.write_number_with_format(1, index, *value, &example)?),
        OutCell::DateTime(value) => {
            let serial = crate::serial::from_civil(*value);
            worksheet.write_number_with_format(1, index, serial, &example)?;
        }
        OutCell::Duration(ticks) => {
            let serial = crate::serial::from_ticks(*ticks);
            worksheet.write_number_with_format(1, index, serial, &example)?;
        }
        other => write_cell(worksheet, 1, index, other, formats)?,
    }
    match validation_rule(column)? {
        Some(rule) => worksheet.add_data_validation(1, index, MAX_RULED_ROW, index, &rule).map(|_| ()),
        None => Ok(()),
    }
}

impl BlankFormat {
    fn number_format(self) -> &'static str {
        match self {
            Self::Text => "@",
            Self::Whole => "0",
            Self::Number => "General",
            Self::DateTime => "yyyy-mm-dd hh:mm",
            Self::Duration => "[h]:mm:ss",
        }
    }
}

fn validation_rule(column: &BlankColumn) -> Result<Option<DataValidation>, XlsxError> {
    let length = column.choices.iter().map(|choice| choice.chars().count() + 1).sum::<usize>();
    let fits_in_list = length <= MAX_LIST_LENGTH && column.choices.iter().all(|choice| !choice.contains(','));
    let rule = match (column.bound, column.format) {
        _ if !column.choices.is_empty() && fits_in_list => {
            Some(DataValidation::new().allow_list_strings(&column.choices)?)
        }
        (Some(BlankBound::Above(bound)), _) => {
            Some(DataValidation::new().allow_decimal_number(DataValidationRule::GreaterThan(bound)))
        }
        (Some(BlankBound::AtLeast(bound)), _) => {
            Some(DataValidation::new().allow_decimal_number(DataValidationRule::GreaterThanOrEqualTo(bound)))
        }
        (Some(BlankBound::After(other)), BlankFormat::DateTime) => {
            let first = Formula::new(format!("={}2", column_letters(other)));
            Some(DataValidation::new().allow_date_formula(DataValidationRule::GreaterThan(first)))
        }
        _ => None,
    };
    let Some(rule) = rule else { return Ok(None) };
    let message: String = column.error_message.chars().take(MAX_LIST_LENGTH).collect();
    Ok(Some(rule.set_error_style(DataValidationErrorStyle::Stop).set_error_message(message)?))
}
