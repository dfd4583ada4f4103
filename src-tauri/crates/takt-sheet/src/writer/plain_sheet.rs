//! A sheet's XML without styles, for a package whose styles are the planner's.

use std::io::Write;

use super::{OutCell, OutSheet, atomic, inline};
use crate::{
    Cell, SheetError,
    serial::{date_time_text, duration_text},
};

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
    <worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">";

/// Dates and durations are written as texts: without a style they would be bare numbers.
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
        let at = (row, column);
        match cell {
            OutCell::Empty => {}
            OutCell::Text(value) => inline::cell(text, "", at, None, value),
            OutCell::Number(value) if value.is_finite() => inline::number(text, at, *value),
            OutCell::Number(value) => inline::cell(text, "", at, None, &value.to_string()),
            OutCell::FormattedNumber(value, _) => inline::cell(text, "", at, None, &Cell::number(*value).shown()),
            OutCell::DateTime(value) => inline::cell(text, "", at, None, &date_time_text(*value)),
            OutCell::Duration(ticks) => inline::cell(text, "", at, None, &duration_text(*ticks)),
            OutCell::Boolean(value) => inline::cell(text, "", at, None, if *value { "TRUE" } else { "FALSE" }),
        }
    }
    text.push_str("</row>");
}
