//! Cells of ods files, read in one pass over `content.xml`. A repeat count of a few bytes can stand for millions of
//! cells, so no library is used.
//!
//! This module selects the elements that count and tracks the address of each cell. Its submodules read the content of
//! cells.

mod content;
mod regular_row;
mod skipped_row;
mod value;
mod vocabulary;

use std::{borrow::Cow, collections::HashSet};

use quick_xml::events::{BytesStart, Event};

use crate::{
    Limits, Measure, Sheet, SheetEntry, SheetError,
    namespaces::Scopes,
    package,
    progress::ProgressReporter,
    regular_xml::{Cursor, Miss},
    shape::Merge,
    sheet::{SheetBuilder, distinct_names},
    source::Source,
};
use content::EventHandler;
use regular_row::RegularRow;
use value::{ATTRIBUTES, CellHead, FoundCell, Paragraphs, Span};
use vocabulary::{
    Vocabulary::{CalcExtension, Style, Table, Text},
    attribute, attributes, is_hidden, parse_count,
};

const CONTENT: &str = "content.xml";

pub(crate) fn sheets(source: &Source, limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    let mut listing =
        Listing { limits, hidden_styles: HashSet::new(), style: String::new(), open: 0, entries: Vec::new() };
    walk(source, limits, &mut listing)?;
    let mut entries = listing.entries;
    distinct_names(entries.iter_mut().map(|entry| &mut entry.name));
    Ok(entries)
}

/// `position` is the sheet's index in the list.
pub(crate) fn read(
    source: &Source,
    position: usize,
    name: &str,
    limits: &Limits,
    progress: &ProgressReporter<'_>,
) -> Result<Sheet, SheetError> {
    let mut reading = Reading {
        requested_table: position,
        tables_begun: 0,
        open: 0,
        builder: SheetBuilder::new(name, limits, progress),
        limits,
        is_inside_table: false,
        was_found: false,
        row: 0,
        row_repeat: 1,
        column: 0,
        next_column_element: 0,
        cells: Vec::new(),
        head: None,
        text: Paragraphs::default(),
    };
    walk(source, limits, &mut reading)?;
    if reading.was_found { reading.builder.finish() } else { Err(SheetError::NoSuchSheet(name.to_owned())) }
}

fn walk(source: &Source, limits: &Limits, handler: &mut impl EventHandler) -> Result<(), SheetError> {
    if source.head(2)? != b"PK" {
        return content::walk(source.reader(), handler);
    }
    package::unpacked(package::open(source)?, CONTENT, limits.unpacked_bytes, |part| content::walk(part, handler))
}

/// Skips rows. Returns their length in bytes, and the reason why the next one isn't skipped.
fn skip_rows(text: &str) -> (usize, Miss) {
    let (mut cursor, mut open, mut handled_bytes) = (Cursor::new(text), Vec::new(), 0);
    loop {
        match skipped_row::skip(&mut cursor, &mut open) {
            Ok(()) => handled_bytes = cursor.position(),
            Err(miss) => return (handled_bytes, miss),
        }
    }
}

/// The list of sheets while it is being read.
struct Listing<'a> {
    limits: &'a Limits,
    hidden_styles: HashSet<String>,
    style: String,
    /// The number of open tables.
    open: u32,
    entries: Vec<SheetEntry>,
}

impl EventHandler for Listing<'_> {
    fn handle_event(&mut self, event: &Event<'_>, scopes: &Scopes) -> Result<bool, SheetError> {
        let start = match event {
            Event::Start(start) => start,
            Event::End(end) => {
                self.open = self.open.saturating_sub(u32::from(end.local_name().as_ref() == "table"));
                return Ok(true);
            }
            _ => return Ok(true),
        };
        match start.local_name().as_ref() {
            "style" => self.style = attribute(scopes, start, (Style, "name")).unwrap_or_default(),
            "table-properties" if attribute(scopes, start, (Table, "display")).as_deref() == Some("false") => {
                self.hidden_styles.insert(self.style.clone());
            }
            "table" => {
                self.open = self.open.saturating_add(1);
                // A table within a table is part of a cell.
                if self.open > 1 {
                    return Ok(true);
                }
                let style = attribute(scopes, start, (Table, "style-name"));
                let visible = style.is_none_or(|name| !self.hidden_styles.contains(&name));
                let name = attribute(scopes, start, (Table, "name")).unwrap_or_default();
                self.entries.push(SheetEntry { name, visible });
                if self.entries.len() > self.limits.sheets {
                    return Err(SheetError::too_large(Measure::Sheets, self.limits.sheets as u64));
                }
            }
            _ => {}
        }
        Ok(true)
    }

    fn handle_rows(&mut self, text: &str) -> Result<(usize, Miss), SheetError> {
        Ok(skip_rows(text))
    }
}

/// The state of reading the requested sheet.
struct Reading<'a> {
    /// The index of the requested table, and the number of tables that have begun.
    requested_table: usize,
    tables_begun: usize,
    /// The number of open tables.
    open: u32,
    builder: SheetBuilder<'a>,
    limits: &'a Limits,
    is_inside_table: bool,
    was_found: bool,
    row: u32,
    row_repeat: u32,
    column: u32,
    /// The first column of the next `table-column` element.
    next_column_element: u32,
    /// The cells of the current row that have content.
    cells: Vec<FoundCell<'static>>,
    head: Option<CellHead<'static>>,
    text: Paragraphs,
}

impl EventHandler for Reading<'_> {
    fn handle_event(&mut self, event: &Event<'_>, scopes: &Scopes) -> Result<bool, SheetError> {
        self.builder.step()?;
        match event {
            Event::Start(start) => self.start(start, scopes)?,
            Event::End(end) => self.end(end.local_name().as_ref())?,
            Event::Text(text) if self.head.is_some() => self.text.push(&text.xml10_content()),
            Event::CData(text) if self.head.is_some() => self.text.push(&text.xml10_content()),
            Event::GeneralRef(reference) if self.head.is_some() => {
                let letter = reference.resolve_char_ref().ok().flatten();
                if let Some(letter) = letter.or_else(|| predefined_entity(&reference.xml10_content())) {
                    self.text.push_letter(letter);
                }
            }
            _ => {}
        }
        if self.text.length() > self.limits.text_bytes {
            return Err(SheetError::too_large(Measure::TextBytes, self.limits.text_bytes as u64));
        }
        Ok(!self.was_found || self.is_inside_table)
    }

    fn handle_rows(&mut self, text: &str) -> Result<(usize, Miss), SheetError> {
        if !self.is_inside_table {
            self.builder.step()?;
            return Ok(skip_rows(text));
        }
        let (mut cursor, mut row, mut handled_bytes) = (Cursor::new(text), RegularRow::default(), 0);
        loop {
            if let Err(miss) = row.read(&mut cursor, self.limits) {
                return Ok((handled_bytes, miss));
            }
            handled_bytes = cursor.position();
            self.builder.step()?;
            self.begin_row(row.repeat, row.is_hidden);
            row.spans.iter().for_each(|&span| self.merge(span));
            self.put_row(&row.cells)?;
            self.column = row.column;
        }
    }
}

impl Reading<'_> {
    fn start(&mut self, start: &BytesStart<'_>, scopes: &Scopes) -> Result<(), SheetError> {
        match start.local_name().as_ref() {
            "table" => {
                self.open = self.open.saturating_add(1);
                if self.open > 1 {
                    // Otherwise its rows would become rows of the sheet.
                    return if self.is_inside_table {
                        Err(SheetError::Unsupported("a table in a cell"))
                    } else {
                        Ok(())
                    };
                }
                let is_requested = self.tables_begun == self.requested_table;
                self.tables_begun += 1;
                self.is_inside_table |= is_requested;
                self.was_found |= is_requested;
            }
            _ if !self.is_inside_table => {}
            "table-row" => {
                let [repeat, visibility] =
                    attributes(scopes, start, &[(Table, "number-rows-repeated"), (Table, "visibility")]);
                self.begin_row(repeat.as_deref().map_or(1, parse_count), visibility.as_deref().is_some_and(is_hidden));
            }
            "table-column" => {
                let [repeat, visibility] =
                    attributes(scopes, start, &[(Table, "number-columns-repeated"), (Table, "visibility")]);
                let repeat = repeat.as_deref().map_or(1, parse_count);
                if visibility.as_deref().is_some_and(is_hidden) {
                    let last = self.next_column_element.saturating_add(repeat - 1);
                    self.builder.shape.hide_columns(self.next_column_element, last);
                }
                self.next_column_element = self.next_column_element.saturating_add(repeat);
            }
            "table-cell" | "covered-table-cell" => self.start_cell(start, scopes),
            name if self.head.is_some() => match name {
                "p" | "h" => self.text.begin(),
                "s" => {
                    let max_spaces = self.limits.text_bytes.saturating_add(1);
                    self.text.push_spaces(attribute(scopes, start, (Text, "c")).as_deref(), max_spaces);
                }
                "tab" => self.text.push_element('\t'),
                "line-break" => self.text.push_element('\n'),
                _ => {}
            },
            _ => {}
        }
        Ok(())
    }

    fn begin_row(&mut self, repeat: u32, is_hidden: bool) {
        self.row_repeat = repeat;
        self.column = 0;
        self.cells.clear();
        if is_hidden {
            let last = self.row.saturating_add(repeat);
            self.builder.shape.hide_rows(self.row.saturating_add(1), last);
        }
    }

    fn start_cell(&mut self, start: &BytesStart<'_>, scopes: &Scopes) {
        let values =
            attributes(scopes, start, &ATTRIBUTES).map(|value| value.map(|value| Cow::Owned(value.into_owned())));
        let [.., repeat, rows, columns] = &values;
        let count = |text: &Option<Cow<'_, str>>| text.as_deref().map_or(1, parse_count);
        let (repeat, rows, columns) = (count(repeat), count(rows), count(columns));
        if rows > 1 || columns > 1 {
            self.merge(Span { column: self.column, rows, columns });
        }
        let is_error = attribute(scopes, start, (CalcExtension, "value-type")).is_some_and(|kind| kind == "error");
        self.head = Some(CellHead::new(values, is_error, repeat));
        self.text = Paragraphs::default();
    }

    fn merge(&mut self, Span { column, rows, columns }: Span) {
        let first_row = self.row.saturating_add(1);
        let (last_row, last_column) = (first_row.saturating_add(rows - 1), column.saturating_add(columns - 1));
        self.builder.shape.merge(Merge { first_row, last_row, first_column: column, last_column });
    }

    fn end(&mut self, name: &str) -> Result<(), SheetError> {
        match name {
            "table" => {
                self.open = self.open.saturating_sub(1);
                self.is_inside_table &= self.open > 0;
            }
            "table-cell" | "covered-table-cell" => self.end_cell()?,
            "table-row" if self.is_inside_table => {
                let cells = std::mem::take(&mut self.cells);
                self.put_row(&cells)?;
                self.cells = cells;
            }
            "p" | "h" => self.text.end(),
            _ => {}
        }
        Ok(())
    }

    fn end_cell(&mut self) -> Result<(), SheetError> {
        let Some(head) = self.head.take() else { return Ok(()) };
        let repeat = head.repeat;
        let (content, shown) = head.content(Cow::Owned(std::mem::take(&mut self.text).finish()));
        let cell = FoundCell { column: self.column, repeat, content, shown };
        if cell.is_there() {
            if cell.end() > u64::from(self.limits.columns) {
                return Err(SheetError::too_large(Measure::Columns, self.limits.columns));
            }
            self.cells.push(cell);
        }
        self.column = self.column.saturating_add(repeat);
        Ok(())
    }

    /// Adds the cells of the row that ends here, once per repetition of the row.
    fn put_row(&mut self, cells: &[FoundCell<'_>]) -> Result<(), SheetError> {
        if !cells.is_empty() {
            let end = u64::from(self.row) + u64::from(self.row_repeat);
            if end > u64::from(self.limits.rows) {
                return Err(SheetError::too_large(Measure::Rows, self.limits.rows));
            }
            for row in (0..self.row_repeat).map(|offset| self.row + offset) {
                for FoundCell { column, repeat, content, shown } in cells {
                    for offset in 0..*repeat {
                        self.builder.step()?;
                        if let Some(shown) = shown {
                            self.builder.add_shown_doubt(row, column + offset, shown);
                        }
                        self.builder.put(row, column + offset, content.as_ref())?;
                    }
                }
            }
        }
        self.row = self.row.saturating_add(self.row_repeat);
        Ok(())
    }
}

fn predefined_entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => None,
    }
}
