//! Cells of ods files, read in one pass over `content.xml`. No library is used, because a few bytes can repeat a cell
//! millions of times.
//!
//! This module passes the elements of tables to a handler, which lists the sheets or reads one and tracks the address
//! of each cell. Its submodules read rows and the content of cells.

mod regular_row;
mod value;
mod vocabulary;

use std::{
    borrow::Cow,
    collections::HashSet,
    io::{BufRead, Read},
};

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use self::{
    regular_row::{RegularRow, skip_rows},
    value::{ATTRIBUTES, CellHead, CellRun, CellSpan, Paragraphs},
    vocabulary::{
        CellElementFilter,
        Vocabulary::{CalcExtension, Style, Table, Text},
        attribute, attributes, has_usual_prefixes, is_hidden, parse_count,
    },
};
use crate::{
    LimitKind, Limits, MergedRange, Sheet, SheetEntry, SheetError,
    namespaces::NamespaceScopes,
    package,
    part_buffer::{PartBuffer, WINDOW_BYTES},
    progress::ProgressReporter,
    regular_xml::{Cursor, FastReadFailure},
    sheet::{SheetBuilder, make_names_unique},
    source::Source,
};

const CONTENT: &str = "content.xml";

/// After irregular rows, the XML reader reads at most this many more rows before a row is tried as a regular one again.
const MAX_PAUSED_ROWS: u32 = 64;

/// Lists the sheets. Tables within cells aren't sheets.
pub(crate) fn list_sheets(source: &Source, limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    let mut lister = SheetLister {
        limits,
        hidden_styles: HashSet::new(),
        style: String::new(),
        table_depth: 0,
        entries: Vec::new(),
    };
    walk_content(source, limits, &mut lister)?;
    let mut entries = lister.entries;
    make_names_unique(entries.iter_mut().map(|entry| &mut entry.name));
    Ok(entries)
}

/// Reads a sheet. `position` is the sheet's index in the list.
pub(crate) fn read_sheet(
    source: &Source,
    position: usize,
    name: &str,
    limits: &Limits,
    progress: &ProgressReporter<'_>,
) -> Result<Sheet, SheetError> {
    let mut sheet = SheetReader {
        requested_table: position,
        tables_begun: 0,
        table_depth: 0,
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
    walk_content(source, limits, &mut sheet)?;
    if sheet.was_found { sheet.builder.finish() } else { Err(SheetError::NoSuchSheet(name.to_owned())) }
}

/// Passes the elements of a file's content to a handler.
fn walk_content(source: &Source, limits: &Limits, handler: &mut impl EventHandler) -> Result<(), SheetError> {
    if source.head(2)? != b"PK" {
        return pass_elements(source.reader(), handler);
    }
    package::read_unpacked(package::open(source)?, CONTENT, limits.unpacked_bytes, |part| pass_elements(part, handler))
}

/// The list of sheets while it is being read.
struct SheetLister<'a> {
    limits: &'a Limits,
    hidden_styles: HashSet<String>,
    style: String,
    /// The nesting depth of the current table, or 0 outside of tables.
    table_depth: u32,
    entries: Vec<SheetEntry>,
}

impl EventHandler for SheetLister<'_> {
    fn handle_event(&mut self, event: &Event<'_>, scopes: &NamespaceScopes) -> Result<bool, SheetError> {
        let start = match event {
            Event::Start(start) => start,
            Event::End(end) => {
                self.table_depth = self.table_depth.saturating_sub(u32::from(end.local_name().as_ref() == "table"));
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
                self.table_depth = self.table_depth.saturating_add(1);
                // A table within a table is part of a cell.
                if self.table_depth > 1 {
                    return Ok(true);
                }
                let style = attribute(scopes, start, (Table, "style-name"));
                let visible = style.is_none_or(|name| !self.hidden_styles.contains(&name));
                let name = attribute(scopes, start, (Table, "name")).unwrap_or_default();
                self.entries.push(SheetEntry { name, visible });
                if self.entries.len() > self.limits.sheets {
                    return Err(SheetError::too_large(LimitKind::Sheets, self.limits.sheets as u64));
                }
            }
            _ => {}
        }
        Ok(true)
    }

    fn handle_rows(&mut self, text: &str) -> Result<(usize, FastReadFailure), SheetError> {
        Ok(skip_rows(text))
    }
}

/// Reads the requested sheet.
struct SheetReader<'a> {
    /// The index of the requested table, and the number of tables that have begun.
    requested_table: usize,
    tables_begun: usize,
    /// The nesting depth of the current table, or 0 outside of tables.
    table_depth: u32,
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
    cells: Vec<CellRun<'static>>,
    head: Option<CellHead<'static>>,
    text: Paragraphs,
}

impl EventHandler for SheetReader<'_> {
    fn handle_event(&mut self, event: &Event<'_>, scopes: &NamespaceScopes) -> Result<bool, SheetError> {
        self.builder.count_step()?;
        match event {
            Event::Start(start) => self.start_element(start, scopes)?,
            Event::End(end) => self.end_element(end.local_name().as_ref())?,
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
            return Err(SheetError::too_large(LimitKind::TextBytes, self.limits.text_bytes as u64));
        }
        Ok(!self.was_found || self.is_inside_table)
    }

    fn handle_rows(&mut self, text: &str) -> Result<(usize, FastReadFailure), SheetError> {
        if !self.is_inside_table {
            self.builder.count_step()?;
            return Ok(skip_rows(text));
        }
        let (mut cursor, mut row, mut handled_bytes) = (Cursor::new(text), RegularRow::default(), 0);
        loop {
            if let Err(failure) = row.read(&mut cursor, self.limits) {
                return Ok((handled_bytes, failure));
            }
            handled_bytes = cursor.position();
            self.builder.count_step()?;
            self.begin_row(row.repeat, row.is_hidden);
            row.spans.iter().for_each(|&span| self.merge(span));
            self.put_row(&row.cells)?;
            self.column = row.column;
        }
    }
}

impl SheetReader<'_> {
    fn start_element(&mut self, start: &BytesStart<'_>, scopes: &NamespaceScopes) -> Result<(), SheetError> {
        match start.local_name().as_ref() {
            "table" => {
                self.table_depth = self.table_depth.saturating_add(1);
                if self.table_depth > 1 {
                    // In the requested sheet, the rows of such a table would become rows of the sheet.
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
                    self.builder.layout.hide_columns(self.next_column_element, last);
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
            self.builder.layout.hide_rows(self.row.saturating_add(1), last);
        }
    }

    fn start_cell(&mut self, start: &BytesStart<'_>, scopes: &NamespaceScopes) {
        let values =
            attributes(scopes, start, &ATTRIBUTES).map(|value| value.map(|value| Cow::Owned(value.into_owned())));
        let [.., repeat, rows, columns] = &values;
        let count = |text: &Option<Cow<'_, str>>| text.as_deref().map_or(1, parse_count);
        let (repeat, rows, columns) = (count(repeat), count(rows), count(columns));
        if rows > 1 || columns > 1 {
            self.merge(CellSpan { column: self.column, rows, columns });
        }
        let is_error = attribute(scopes, start, (CalcExtension, "value-type")).is_some_and(|kind| kind == "error");
        self.head = Some(CellHead::new(values, is_error, repeat));
        self.text = Paragraphs::default();
    }

    fn merge(&mut self, CellSpan { column, rows, columns }: CellSpan) {
        let first_row = self.row.saturating_add(1);
        let (last_row, last_column) = (first_row.saturating_add(rows - 1), column.saturating_add(columns - 1));
        self.builder.layout.add_merge(MergedRange { first_row, last_row, first_column: column, last_column });
    }

    fn end_element(&mut self, name: &str) -> Result<(), SheetError> {
        match name {
            "table" => {
                self.table_depth = self.table_depth.saturating_sub(1);
                self.is_inside_table &= self.table_depth > 0;
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
        let cell = CellRun { column: self.column, repeat, content, shown };
        if cell.is_stored() {
            if cell.end_column() > u64::from(self.limits.columns) {
                return Err(SheetError::too_large(LimitKind::Columns, self.limits.columns));
            }
            self.cells.push(cell);
        }
        self.column = self.column.saturating_add(repeat);
        Ok(())
    }

    /// Adds the cells of the row that ends here, once per repetition of the row.
    fn put_row(&mut self, cells: &[CellRun<'_>]) -> Result<(), SheetError> {
        if !cells.is_empty() {
            let end = u64::from(self.row) + u64::from(self.row_repeat);
            if end > u64::from(self.limits.rows) {
                return Err(SheetError::too_large(LimitKind::Rows, self.limits.rows));
            }
            for row in (0..self.row_repeat).map(|offset| self.row + offset) {
                for CellRun { column, repeat, content, shown } in cells {
                    for offset in 0..*repeat {
                        self.builder.count_step()?;
                        if let Some(shown) = shown {
                            self.builder.add_shown_doubt(row, column + offset, shown);
                        }
                        self.builder.put_cell(row, column + offset, content.as_ref())?;
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

/// Handles the elements of an ods file's content.
trait EventHandler {
    /// Handles an event that belongs to a cell, a row or a table, with the namespaces that apply to it. Returns false
    /// to stop.
    fn handle_event(&mut self, event: &Event<'_>, scopes: &NamespaceScopes) -> Result<bool, SheetError>;

    /// Handles regular rows at the start of a text between two elements. Returns their length in bytes, and the reason
    /// why the next row isn't handled.
    fn handle_rows(&mut self, text: &str) -> Result<(usize, FastReadFailure), SheetError>;
}

/// Passes the elements of a package's content, or of a whole flat file, to the handler. Rows in the form that nearly
/// every program writes are passed as text, because the XML reader takes much longer.
fn pass_elements(content: impl Read, handler: &mut impl EventHandler) -> Result<(), SheetError> {
    let mut reader = Reader::from_reader(PartBuffer::new(content));
    reader.config_mut().expand_empty_elements = true;
    let mut buffer = Vec::new();
    let mut pause = RetryPause::default();
    let mut elements = CellElementFilter::default();
    let mut open_rows = 0_u32;
    loop {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer).map_err(SheetError::damaged)?;
        if !elements.includes(&event)? {
            continue;
        }
        let mut is_between_rows = false;
        match &event {
            Event::Start(start) if start.local_name().as_ref() == "table-row" => {
                open_rows = open_rows.saturating_add(1);
            }
            Event::End(end) if end.local_name().as_ref() == "table-row" => {
                open_rows = open_rows.saturating_sub(1);
                is_between_rows = open_rows == 0;
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
        if !handler.handle_event(&event, elements.scopes())? {
            return Ok(());
        }
        if is_between_rows && pause.is_over() && has_usual_prefixes(elements.scopes()) {
            let has_rows = handle_regular_rows(reader.get_mut(), handler)?;
            pause.record(has_rows);
        }
    }
}

/// Passes the next regular rows to the handler and leaves the first irregular row to the XML reader. Returns false if
/// no row was regular.
fn handle_regular_rows(part: &mut PartBuffer<'_>, handler: &mut impl EventHandler) -> Result<bool, SheetError> {
    let (mut window, mut has_rows) = (WINDOW_BYTES, false);
    loop {
        let has_more = part.len() > window;
        let (handled_bytes, failure) = handler.handle_rows(part.peek(window))?;
        part.consume(handled_bytes);
        has_rows |= handled_bytes > 0;
        if failure == FastReadFailure::Irregular {
            return Ok(has_rows);
        }
        // A row that is longer than the window is tried again in a larger window.
        window = if handled_bytes > 0 { WINDOW_BYTES } else { window.saturating_mul(2) };
        if !has_more && !part.fill_more().map_err(SheetError::damaged)? {
            return Ok(has_rows);
        }
    }
}

/// Limits how often rows are tried as regular ones after irregular rows, because trying each of them would take long.
#[derive(Debug, Default)]
struct RetryPause {
    /// The rows until the next try.
    rows_left: u32,
    /// The rows of the whole pause.
    pause_rows: u32,
}

impl RetryPause {
    fn is_over(&mut self) -> bool {
        let is_over = self.rows_left == 0;
        self.rows_left = self.rows_left.saturating_sub(1);
        is_over
    }

    fn record(&mut self, has_rows: bool) {
        self.pause_rows = if has_rows { 0 } else { (self.pause_rows * 2 + 1).min(MAX_PAUSED_ROWS) };
        self.rows_left = self.pause_rows;
    }
}
