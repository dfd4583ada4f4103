//! Reads the tables of a web page as tolerantly as a browser. Tags may stay open, and anything but tables is skipped.
//!
//! As in a csv, all cells are texts, except for the value of a number (`x:num`) in web pages from Excel. Elements that
//! a browser doesn't show are left out of a cell: hidden sort keys, pronunciations, comments. Only the attributes of
//! elements are read, not the style sheets of the page.

use std::collections::HashMap;

use crate::{
    Cell, LimitKind, Limits, MergedRange, Sheet, SheetEntry, SheetError, progress::ProgressReporter,
    sheet::SheetBuilder,
};

/// The length includes `&` and `;`.
const MAX_REFERENCE_LENGTH: usize = 10;
/// More deeply nested tables are skipped.
const MAX_TABLE_DEPTH: usize = 64;

/// A longer tag is read as text.
const MAX_TAG_LENGTH: usize = 64 * 1024;

/// Elements that aren't shown as text, whatever their style.
const HIDDEN_ELEMENTS: [&str; 12] =
    ["audio", "canvas", "datalist", "iframe", "noframes", "object", "rp", "rt", "svg", "template", "video", "xml"];
/// Elements without content and without a closing tag.
const VOID_ELEMENTS: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

pub(super) fn list_sheets(text: &str, stem: &str, limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    let mut filled: Vec<bool> = Vec::new();
    walk_tables(text, |table, event| {
        if let TableEvent::Cell(content) = event {
            if filled.len() <= table {
                filled.resize(table + 1, false);
            }
            if let Some(is_filled) = filled.get_mut(table) {
                *is_filled |= !content.text.is_empty();
            }
        }
        let tables = filled.iter().filter(|filled| **filled).count();
        if tables > limits.sheets {
            Err(SheetError::too_large(LimitKind::Sheets, limits.sheets as u64))
        } else {
            Ok(())
        }
    })?;
    let sheet_name = |number: usize| if number == 0 { stem.to_owned() } else { format!("{stem} {}", number + 1) };
    let count = filled.iter().filter(|filled| **filled).count();
    Ok((0..count).map(|number| SheetEntry { name: sheet_name(number), visible: true }).collect())
}

pub(super) fn read_sheet(
    text: &str,
    position: usize,
    name: &str,
    limits: &Limits,
    progress: &ProgressReporter<'_>,
) -> Result<Sheet, SheetError> {
    let table = find_filled_table(text, position)?.ok_or_else(|| SheetError::NoSuchSheet(name.to_owned()))?;
    let mut builder = SheetBuilder::new(name, limits, progress);
    let mut row = 0_u32;
    let mut column = 0_u32;
    let mut has_begun = false;
    // The columns that a cell of an earlier row covers, with the row after its last one.
    let mut row_spans: HashMap<u32, u32> = HashMap::new();
    let mut skipped_columns = 0_u64;
    walk_tables(text, |number, event| {
        builder.count_step()?;
        if number != table {
            return Ok(());
        }
        match event {
            TableEvent::Row { hidden } => {
                row += u32::from(has_begun);
                has_begun = true;
                column = 0;
                if hidden {
                    builder.layout.hide_rows(row + 1, row + 1);
                }
            }
            TableEvent::Cell(content) => {
                has_begun = true;
                while row_spans.get(&column).is_some_and(|end| *end > row) {
                    column += 1;
                    skipped_columns += 1;
                }
                if skipped_columns > limits.cells {
                    return Err(SheetError::too_large(LimitKind::Cells, limits.cells));
                }
                let width = content.columns.clamp(1, limits.columns);
                let last_row = row.saturating_add(content.rows.max(1)).min(limits.rows);
                if width > 1 || content.rows > 1 {
                    let (first_column, last_column) = (column, column.saturating_add(width - 1));
                    builder.layout.add_merge(MergedRange { first_row: row + 1, last_row, first_column, last_column });
                }
                if content.rows > 1 {
                    row_spans.extend(
                        (column..column.saturating_add(width))
                            .take(limits.columns as usize)
                            .map(|column| (column, last_row)),
                    );
                }
                let cell = content.number.map_or_else(|| Cell::text(content.text), Cell::number);
                builder.put_cell(row, column, cell.as_ref())?;
                column = column.saturating_add(width);
            }
        }
        Ok(())
    })?;
    builder.finish()
}

/// Returns the number of a table. Only tables with content are included in `position`.
fn find_filled_table(text: &str, position: usize) -> Result<Option<usize>, SheetError> {
    let mut filled: Vec<usize> = Vec::new();
    walk_tables(text, |table, event| {
        if matches!(&event, TableEvent::Cell(content) if !content.text.is_empty()) && !filled.contains(&table) {
            filled.push(table);
        }
        Ok(())
    })?;
    filled.sort_unstable();
    Ok(filled.get(position).copied())
}

enum TableEvent {
    Row { hidden: bool },
    Cell(CellContent),
}

#[derive(Default)]
struct CellContent {
    text: String,
    number: Option<f64>,
    rows: u32,
    columns: u32,
}

/// An open table: its number, its open cell, and the hidden element in that cell.
struct OpenTable {
    number: usize,
    cell: Option<CellContent>,
    hidden: Option<HiddenElement>,
}

/// Calls `on_event` for rows and finished cells with the number of their table. Tables are numbered in the order in
/// which they begin.
fn walk_tables(
    text: &str,
    mut on_event: impl FnMut(usize, TableEvent) -> Result<(), SheetError>,
) -> Result<(), SheetError> {
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
            && is_in_hidden_element(&mut table.hidden, tag, &name, closes)
        {
            continue;
        }
        match (name.as_str(), closes) {
            ("script" | "style", false) => rest = skip_to_closing_tag(rest, &name),
            ("table", false) if tables.len() < MAX_TABLE_DEPTH => {
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
                    cell.text = trim_blanks(&cell.text);
                    on_event(table.number, TableEvent::Cell(cell))?;
                }
                match (name.as_str(), closes) {
                    ("table", true) => drop(tables.pop()),
                    ("tr", false) => {
                        on_event(table.number, TableEvent::Row { hidden: is_hidden_by_attribute(tag) })?;
                    }
                    ("td" | "th", false) => table.cell = Some(begin_cell(tag)),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    // Passes on the open cells of a page that was cut off.
    for table in tables.iter_mut().rev() {
        if let Some(mut cell) = table.cell.take() {
            cell.text = trim_blanks(&cell.text);
            on_event(table.number, TableEvent::Cell(cell))?;
        }
    }
    Ok(())
}

fn begin_cell(tag: &str) -> CellContent {
    let count = |name| attribute_value(tag, name).and_then(|count| count.trim().parse().ok()).unwrap_or(1_u32);
    let number = attribute_value(tag, "x:num")
        .and_then(|number| number.trim().parse().ok())
        .filter(|number: &f64| number.is_finite());
    CellContent { text: String::new(), number, rows: count("rowspan"), columns: count("colspan") }
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
fn trim_blanks(text: &str) -> String {
    text.trim_matches(|letter: char| letter.is_whitespace()).to_owned()
}

/// A hidden element, and the number of open elements with its name.
struct HiddenElement {
    name: String,
    depth: u32,
}

/// Returns whether a tag in a cell belongs to a hidden element. Updates `hidden`, which is the open hidden element.
fn is_in_hidden_element(hidden: &mut Option<HiddenElement>, tag: &str, name: &str, closes: bool) -> bool {
    if hidden.as_ref().is_some_and(|open| ends_without_tag(&open.name, name, closes)) {
        *hidden = None;
    }
    if let Some(open) = hidden {
        if open.name == name {
            open.depth = if closes { open.depth.saturating_sub(1) } else { open.depth.saturating_add(1) };
            if open.depth == 0 {
                *hidden = None;
            }
        }
        return true;
    }
    let has_content = !closes && !tag.ends_with('/') && !VOID_ELEMENTS.contains(&name);
    let is_hidden = has_content && (HIDDEN_ELEMENTS.contains(&name) || is_hidden_by_attribute(tag));
    if is_hidden {
        *hidden = Some(HiddenElement { name: name.to_owned(), depth: 1 });
    }
    is_hidden
}

/// Returns whether a tag ends an open element whose closing tag may be left out.
fn ends_without_tag(open: &str, name: &str, closes: bool) -> bool {
    match open {
        "p" => !closes && matches!(name, "p" | "div" | "ul" | "ol" | "pre"),
        "rt" | "rp" => (!closes && matches!(name, "rt" | "rp")) || (closes && name == "ruby"),
        _ => false,
    }
}

/// Returns whether a tag hides its element by an attribute.
fn is_hidden_by_attribute(tag: &str) -> bool {
    has_attribute(tag, "hidden")
        || attribute_value(tag, "style").is_some_and(|style| {
            let style: String = style.chars().filter(|letter| !letter.is_whitespace()).collect();
            let style = style.to_ascii_lowercase();
            ["display:none", "visibility:hidden", "visibility:collapse", "mso-hide:all", "mso-element:comment"]
                .iter()
                .any(|hiding| style.contains(hiding))
        })
}

/// Splits off the text up to the next tag, and the tag without its angle brackets. Comments aren't tags.
fn next_tag(text: &str) -> (&str, Option<&str>, &str) {
    let Some(open) = text.find('<') else { return (text, None, "") };
    let (words, rest) = text.split_at(open);
    if rest.starts_with("<!--") {
        return (words, None, rest.find("-->").and_then(|end| rest.get(end + 3..)).unwrap_or_default());
    }
    let is_tag = rest[1..].starts_with(|letter: char| letter.is_ascii_alphabetic() || "/!?".contains(letter));
    match is_tag.then(|| tag_end(rest)).flatten() {
        Some(end) => (words, rest.get(1..end), rest.get(end + 1..).unwrap_or_default()),
        // A lone angle bracket is text.
        None => (text.get(..=open).unwrap_or_default(), None, text.get(open + 1..).unwrap_or_default()),
    }
}

/// Returns the end of a tag. An angle bracket in quotes doesn't end it. Returns `None` if another tag begins first.
fn tag_end(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate().take(MAX_TAG_LENGTH) {
        match (quote, byte) {
            (None, b'>') => return Some(at),
            (None, b'<') if at > 0 => return None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// Returns the name in lower case, and whether the tag is a closing one.
fn tag_name(tag: &str) -> (String, bool) {
    let (closes, rest) = tag.strip_prefix('/').map_or((false, tag), |rest| (true, rest));
    let name = rest.chars().take_while(|letter| letter.is_ascii_alphanumeric() || *letter == ':').collect::<String>();
    (name.to_ascii_lowercase(), closes)
}

/// Returns the text from the closing tag of a script or a style on, or an empty text without such a tag.
fn skip_to_closing_tag<'a>(text: &'a str, name: &str) -> &'a str {
    let close = format!("</{name}");
    let bytes = text.as_bytes();
    let at = memchr::memchr_iter(b'<', bytes)
        .find(|&at| bytes.get(at..at + close.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(close.as_bytes())));
    at.and_then(|at| text.get(at..)).unwrap_or_default()
}

/// Returns the value of an attribute, with or without quotes.
fn attribute_value<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let mut from = 0;
    while let Some(at) = find_ignoring_case(tag.get(from..)?, name).map(|at| at + from) {
        from = at + name.len();
        let stands_alone = at > 0 && tag.as_bytes().get(at - 1).is_some_and(u8::is_ascii_whitespace);
        let rest = tag.get(from..)?.trim_start();
        let Some(rest) = rest.strip_prefix('=').filter(|_| stands_alone) else { continue };
        let rest = rest.trim_start();
        return match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => rest.get(1..)?.split(quote).next(),
            _ => rest.split(|letter: char| letter.is_ascii_whitespace() || letter == '/').next(),
        };
    }
    None
}

fn find_ignoring_case(text: &str, word: &str) -> Option<usize> {
    text.as_bytes().windows(word.len()).position(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

/// Returns whether a tag has an attribute, with or without a value.
fn has_attribute(tag: &str, name: &str) -> bool {
    let mut quote = None;
    let outside_quotes: String = tag
        .chars()
        .map(|letter| match quote {
            Some(open) if letter == open => {
                quote = None;
                ' '
            }
            Some(_) => '.',
            None if matches!(letter, '"' | '\'') => {
                quote = Some(letter);
                '.'
            }
            None => letter,
        })
        .collect();
    let mut words = outside_quotes.split_ascii_whitespace().skip(1);
    words.any(|word| word.split(['=', '/']).next().is_some_and(|word| word.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_hidden_by_attributes_and_styles() {
        for tag in [
            "span hidden",
            "span HIDDEN=''",
            "span class=\"a b\" hidden=\"until-found\"",
            "span style=\"display: none\"",
            "span style='color:red;DISPLAY:NONE'",
            "span style=\"visibility:hidden\"",
            "span style='mso-hide:all'",
        ] {
            assert!(is_hidden_by_attribute(tag), "{tag}");
        }
        for tag in
            ["span", "span title=\"is hidden\"", "span aria-hidden=\"true\"", "hidden", "span style='display:inline'"]
        {
            assert!(!is_hidden_by_attribute(tag), "{tag}");
        }
    }
}
