//! Reads the tables of a web page as tolerantly as a browser. Tags may stay open, and anything but tables is skipped.
//!
//! As in a csv, nothing is typed. An exception is the value of a number (`x:num`), which pages of Excel contain.

mod hidden;
mod tag;

use std::collections::HashMap;

use self::{
    hidden::HiddenElement,
    tag::{attribute_value, next_tag, skip_to_closing_tag, tag_name},
};
use crate::{
    Cell, Limits, Measure, Sheet, SheetEntry, SheetError, progress::ProgressReporter, shape::Merge, sheet::SheetBuilder,
};

/// The length includes `&` and `;`.
const MAX_REFERENCE_LENGTH: usize = 10;
/// More deeply nested tables are skipped.
const MAX_DEPTH: usize = 64;

pub(super) fn sheets(text: &str, stem: &str, limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    let mut filled: Vec<bool> = Vec::new();
    walk(text, |table, event| {
        if let Event::Cell(content) = event {
            if filled.len() <= table {
                filled.resize(table + 1, false);
            }
            if let Some(is_filled) = filled.get_mut(table) {
                *is_filled |= !content.text.is_empty();
            }
        }
        let tables = filled.iter().filter(|filled| **filled).count();
        if tables > limits.sheets { Err(SheetError::too_large(Measure::Sheets, limits.sheets as u64)) } else { Ok(()) }
    })?;
    let sheet_name = |number: usize| if number == 0 { stem.to_owned() } else { format!("{stem} {}", number + 1) };
    let count = filled.iter().filter(|filled| **filled).count();
    Ok((0..count).map(|number| SheetEntry { name: sheet_name(number), visible: true }).collect())
}

pub(super) fn read(
    text: &str,
    position: usize,
    name: &str,
    limits: &Limits,
    progress: &ProgressReporter<'_>,
) -> Result<Sheet, SheetError> {
    let table = nth_filled(text, position)?.ok_or_else(|| SheetError::NoSuchSheet(name.to_owned()))?;
    let mut builder = SheetBuilder::new(name, limits, progress);
    let mut row = 0_u32;
    let mut column = 0_u32;
    let mut has_begun = false;
    // The columns that a cell of an earlier row covers, with the row after its last one.
    let mut row_spans: HashMap<u32, u32> = HashMap::new();
    let mut skipped_columns = 0_u64;
    walk(text, |number, event| {
        builder.step()?;
        if number != table {
            return Ok(());
        }
        match event {
            Event::Row { hidden } => {
                row += u32::from(has_begun);
                has_begun = true;
                column = 0;
                if hidden {
                    builder.shape.hide_rows(row + 1, row + 1);
                }
            }
            Event::Cell(content) => {
                has_begun = true;
                while row_spans.get(&column).is_some_and(|end| *end > row) {
                    column += 1;
                    skipped_columns += 1;
                }
                if skipped_columns > limits.cells {
                    return Err(SheetError::too_large(Measure::Cells, limits.cells));
                }
                let width = content.columns.clamp(1, limits.columns);
                let last_row = row.saturating_add(content.rows.max(1)).min(limits.rows);
                if width > 1 || content.rows > 1 {
                    let (first_column, last_column) = (column, column.saturating_add(width - 1));
                    builder.shape.merge(Merge { first_row: row + 1, last_row, first_column, last_column });
                }
                if content.rows > 1 {
                    row_spans.extend(
                        (column..column.saturating_add(width))
                            .take(limits.columns as usize)
                            .map(|column| (column, last_row)),
                    );
                }
                let cell = content.number.map_or_else(|| Cell::text(content.text), Cell::number);
                builder.put(row, column, cell.as_ref())?;
                column = column.saturating_add(width);
            }
        }
        Ok(())
    })?;
    builder.finish()
}

/// Returns the number of the table at `position` among those with content.
fn nth_filled(text: &str, position: usize) -> Result<Option<usize>, SheetError> {
    let mut filled: Vec<usize> = Vec::new();
    walk(text, |table, event| {
        if matches!(&event, Event::Cell(content) if !content.text.is_empty()) && !filled.contains(&table) {
            filled.push(table);
        }
        Ok(())
    })?;
    filled.sort_unstable();
    Ok(filled.get(position).copied())
}

enum Event {
    Row { hidden: bool },
    Cell(Content),
}

#[derive(Default)]
struct Content {
    text: String,
    number: Option<f64>,
    rows: u32,
    columns: u32,
}

/// An open table: its number, its open cell, and the hidden element in that cell.
struct OpenTable {
    number: usize,
    cell: Option<Content>,
    hidden: Option<HiddenElement>,
}

/// Calls `on_event` for rows and finished cells with the number of their table. Tables are numbered in the order in
/// which they begin.
fn walk(text: &str, mut on_event: impl FnMut(usize, Event) -> Result<(), SheetError>) -> Result<(), SheetError> {
    let mut tables: Vec<OpenTable> = Vec::new();
    let mut tables_begun = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let (words, tag, after) = next_tag(rest);
        if let Some(table) = tables.last_mut()
            && table.hidden.is_none()
            && let Some(cell) = &mut table.cell
        {
            append_text(&mut cell.text, words);
        }
        rest = after;
        let Some(tag) = tag else { continue };
        let (name, closes) = tag_name(tag);
        if let Some(table) = tables.last_mut().filter(|table| table.cell.is_some())
            && !matches!(name.as_str(), "script" | "style" | "table" | "tr" | "td" | "th")
            && hidden::is_hidden(&mut table.hidden, tag, &name, closes)
        {
            continue;
        }
        match (name.as_str(), closes) {
            ("script" | "style", false) => rest = skip_to_closing_tag(rest, &name),
            ("table", false) if tables.len() < MAX_DEPTH => {
                tables.push(OpenTable { number: tables_begun, cell: None, hidden: None });
                tables_begun += 1;
            }
            ("br" | "p" | "div", _) => {
                let cell = tables.last_mut().and_then(|table| table.cell.as_mut());
                cell.into_iter().filter(|cell| !cell.text.is_empty()).for_each(|cell| cell.text.push('\n'));
            }
            ("table" | "tr" | "td" | "th", _) => {
                let Some(table) = tables.last_mut() else { continue };
                table.hidden = None;
                if let Some(mut cell) = table.cell.take() {
                    cell.text = tidy(&cell.text);
                    on_event(table.number, Event::Cell(cell))?;
                }
                match (name.as_str(), closes) {
                    ("table", true) => drop(tables.pop()),
                    ("tr", false) => {
                        on_event(table.number, Event::Row { hidden: hidden::is_styled_hidden(tag) })?;
                    }
                    ("td" | "th", false) => table.cell = Some(begin_cell(tag)),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    // A page that was cut off still has its last cells.
    for table in tables.iter_mut().rev() {
        if let Some(mut cell) = table.cell.take() {
            cell.text = tidy(&cell.text);
            on_event(table.number, Event::Cell(cell))?;
        }
    }
    Ok(())
}

fn begin_cell(tag: &str) -> Content {
    let count = |name| attribute_value(tag, name).and_then(|count| count.trim().parse().ok()).unwrap_or(1_u32);
    let number = attribute_value(tag, "x:num")
        .and_then(|number| number.trim().parse().ok())
        .filter(|number: &f64| number.is_finite());
    Content { text: String::new(), number, rows: count("rowspan"), columns: count("colspan") }
}

/// Appends a text. White space becomes a single blank, and references are decoded.
fn append_text(text: &mut String, words: &str) {
    let mut rest = words;
    while let Some(letter) = rest.chars().next() {
        if letter == '&'
            && let Some((letter, after)) = decode_reference(rest)
        {
            text.push(letter);
            rest = after;
            continue;
        }
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        if !matches!(letter, ' ' | '\t' | '\r' | '\n' | '\u{c}') {
            text.push(letter);
        } else if !text.ends_with([' ', '\n']) {
            text.push(' ');
        }
    }
}

/// Decodes the references that are usual in spreadsheets, or returns `None` for any other one.
fn decode_reference(text: &str) -> Option<(char, &str)> {
    let end = text.bytes().take(MAX_REFERENCE_LENGTH).position(|byte| byte == b';')?;
    let (name, after) = (text.get(1..end)?, text.get(end + 1..)?);
    let letter = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        "auml" => 'ä',
        "ouml" => 'ö',
        "uuml" => 'ü',
        "Auml" => 'Ä',
        "Ouml" => 'Ö',
        "Uuml" => 'Ü',
        "szlig" => 'ß',
        "eacute" => 'é',
        "euro" => '€',
        "ntilde" => 'ñ',
        "ccedil" => 'ç',
        "atilde" => 'ã',
        "otilde" => 'õ',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((letter, after))
}

/// Removes blanks at the ends. A no-break space alone marks an empty cell.
fn tidy(text: &str) -> String {
    text.trim_matches(|letter: char| letter.is_whitespace()).to_owned()
}
