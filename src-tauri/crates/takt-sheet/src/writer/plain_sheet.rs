//! The XML of a sheet without styles, for a package that has the planner's styles.

use std::io::Write;

use super::{
    atomic, inline,
    out_sheet::{OutCell, OutSheet},
};
use crate::{
    Cell, CellPlace, SheetError,
    serial::{date_time_text, duration_text},
};

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
    <worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">";

/// Writes a sheet. Dates and durations are written as texts, because without a style they would be plain numbers.
pub(super) fn write(out: &mut impl Write, sheet: &OutSheet) -> Result<(), SheetError> {
    let mut text = HEAD.to_owned();
    let heading_row = u32::try_from(sheet.title.len()).unwrap_or_default() + 1;
    if !sheet.columns.is_empty() {
        text.push_str(&format!(
            "<sheetViews><sheetView workbookViewId=\"0\"><pane ySplit=\"{heading_row}\" topLeftCell=\"A{below}\" \
             activePane=\"bottomLeft\" state=\"frozen\"/></sheetView></sheetViews><cols>",
            below = heading_row + 1
        ));
        for (number, column) in (1..).zip(&sheet.columns) {
            let width = column.width;
            text.push_str(&format!("<col min=\"{number}\" max=\"{number}\" width=\"{width}\" customWidth=\"1\"/>"));
        }
        text.push_str("</cols>");
    }
    text.push_str("<sheetData>");
    let titles = sheet.title.iter().map(|title| vec![OutCell::from(title.as_str())]);
    let headings = sheet.columns.iter().map(|column| OutCell::from(column.heading.as_str())).collect::<Vec<_>>();
    let headings = Some(headings).filter(|headings| !headings.is_empty());
    let mut row = 0;
    for cells in titles.chain(headings) {
        row += 1;
        push_row(&mut text, row, &cells);
    }
    for cells in &sheet.rows {
        row += 1;
        push_row(&mut text, row, cells);
        out.write_all(text.as_bytes()).map_err(atomic::failed)?;
        text.clear();
    }
    text.push_str("</sheetData></worksheet>");
    out.write_all(text.as_bytes()).map_err(atomic::failed)
}

fn push_row(text: &mut String, row: u32, cells: &[OutCell]) {
    text.push_str(&format!("<row r=\"{row}\">"));
    for (column, cell) in (0..).zip(cells) {
        let address = CellPlace { row, column };
        match cell {
            OutCell::Empty => {}
            OutCell::Text(value) => inline::push_text_cell(text, "", address, None, value),
            OutCell::Number(value) if value.is_finite() => inline::push_number_cell(text, address, *value),
            OutCell::Number(value) => inline::push_text_cell(text, "", address, None, &value.to_string()),
            OutCell::FormattedNumber(value, _) => {
                inline::push_text_cell(text, "", address, None, &Cell::number(*value).shown())
            }
            OutCell::DateTime(value) => inline::push_text_cell(text, "", address, None, &date_time_text(*value)),
            OutCell::Duration(ticks) => inline::push_text_cell(text, "", address, None, &duration_text(*ticks)),
            OutCell::Boolean(value) => {
                inline::push_text_cell(text, "", address, None, if *value { "TRUE" } else { "FALSE" })
            }
        }
    }
    text.push_str("</row>");
}
