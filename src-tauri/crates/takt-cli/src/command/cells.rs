//! `takt cells`: prints a workbook's cells as Takt reads them, before any mapping.

use std::path::Path;

use serde_json::{Value, json};
use takt_engine::{Problem, browse::SNAPSHOT_SHEET};
use takt_sheet::{
    Cell, CellValue, Limits, Quotes, ReaderProcess, Separator, Sheet, SheetError, TextChoice, Workbook, column_letters,
};

use crate::{
    arguments::TextArguments,
    console::Console,
    exit_codes::{ExitStatus, Failure},
};

pub(super) fn run(
    file: &Path,
    sheet: Option<&str>,
    text: &TextArguments,
    json: bool,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    let problem = |error: SheetError| Problem::from(error).parameter("file", &name);
    let usual_encoding = sys_locale::get_locale().and_then(|locale| takt_sheet::usual_encoding(&locale));
    let limits = Limits { reader_process: ReaderProcess::for_this_program(), usual_encoding, ..Limits::default() };
    let mut workbook = Workbook::open(file, &limits).map_err(problem)?;
    workbook.choose_text(&text_choice(text)).map_err(problem)?;
    let wanted: Vec<String> = match sheet {
        Some(sheet) => vec![sheet.to_owned()],
        // The hidden sheet in which exports store the service's values is printed only if the user names it.
        None => workbook
            .sheets()
            .iter()
            .filter(|entry| entry.visible || entry.name != SNAPSHOT_SHEET)
            .map(|entry| entry.name.clone())
            .collect(),
    };
    for (index, name) in wanted.into_iter().enumerate() {
        let sheet = workbook.read(&name, &limits, &|| false).map_err(problem)?;
        if index == 0 {
            workbook.check_unchanged().map_err(problem)?;
            print_ambiguous_cells(&sheet, console);
        }
        if json { print_json(&sheet, console) } else { print_csv(&sheet, console) }
    }
    Ok(ExitStatus::Done)
}

fn text_choice(text: &TextArguments) -> TextChoice {
    let reading = text.reading().unwrap_or_default();
    let separator = |text: &str| text.chars().next().map_or(Separator::None, Separator::By);
    TextChoice {
        encoding: reading.encoding,
        separator: reading.separator.as_deref().map(separator),
        quotes: if reading.quotes_as_text { Quotes::Text } else { Quotes::Enclose },
    }
}

/// Prints remarks on cells with several possible readings. `takt check` lists the readings.
fn print_ambiguous_cells(sheet: &Sheet, console: &Console) {
    let doubts = &sheet.doubts;
    if let Some(first) = doubts.quotes.first() {
        let cell_address = format!("{}{}", column_letters(first.column), first.row);
        console.print_remark("cells.quote", &[("place", cell_address), ("count", doubts.quotes.len().to_string())]);
    }
    if let Some(first) = doubts.encodings.first() {
        let cell_address = format!("{}{}", column_letters(first.column), first.row);
        console.print_remark(
            "cells.letters",
            &[("place", cell_address), ("count", doubts.encoding_doubt_count.to_string())],
        );
    }
}

fn print_json(sheet: &Sheet, console: &Console) {
    for row in &sheet.rows {
        let cells: Vec<Value> = (0..).zip(&row.cells).map(|(column, cell)| cell_json(column, cell)).collect();
        console.print_json(&json!({ "sheet": sheet.name, "row": row.number, "cells": cells }));
    }
}

fn cell_json(column: u32, cell: &Cell) -> Value {
    let value = match cell.value() {
        CellValue::Empty => Value::Null,
        CellValue::Text(text) | CellValue::Error(text) => json!(text),
        CellValue::Number(number) => json!(number),
        CellValue::DateTime(moment) => json!(moment.to_string()),
        CellValue::Duration(_) => json!(cell.shown()),
        CellValue::Boolean(value) => json!(value),
    };
    json!({ "column": column_letters(column), "kind": cell.kind(), "value": value, "shown": cell.shown() })
}

/// Prints a sheet as CSV. Prints rows without content as empty lines, so that line numbers equal Excel's row numbers.
fn print_csv(sheet: &Sheet, console: &Console) {
    console.print_line(&format!("# sheet {}", sheet.name));
    let mut next = 1;
    for row in &sheet.rows {
        for _ in next..row.number {
            console.print_line("");
        }
        next = row.number + 1;
        console.print_line(&row.cells.iter().map(|cell| quote_cell(&cell.shown())).collect::<Vec<_>>().join(","));
    }
}

fn quote_cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_keep_their_kind() {
        let date = jiff::civil::date(2026, 11, 21).at(6, 30, 0, 0);
        assert_eq!(
            cell_json(27, &Cell::date_time(date)),
            json!({"column": "AB", "kind": "date-time", "value": "2026-11-21T06:30:00", "shown": "2026-11-21 06:30"})
        );
        assert_eq!(
            cell_json(0, &Cell::number_shown(7.0, "007")),
            json!({"column": "A", "kind": "number", "value": 7.0, "shown": "007"})
        );
        assert_eq!(cell_json(0, &Cell::default())["kind"], json!("empty"));
    }

    #[test]
    fn texts_with_commas_and_quotes_are_quoted() {
        assert_eq!(quote_cell("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(quote_cell("0010"), "0010");
    }
}
