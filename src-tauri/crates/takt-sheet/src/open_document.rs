//! Cells of ods: one pass over `content.xml` of our own, since a repeat count of a few bytes can stand for millions of cells.
//!
//! Owns which elements count and where a cell lies. Leaves to its submodule what a cell holds.

mod value;

use std::{
    collections::HashSet,
    io::{BufRead, BufReader, Read},
};

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use crate::{
    Cell, Limits, Measure, Sheet, SheetEntry, SheetError,
    package::{self, attribute},
    shape::Merge,
    sheet::{SheetBuilder, distinct_names},
    source::Source,
    watch::Watch,
};
use value::{CellHead, Paragraphs};

const CONTENT: &str = "content.xml";
/// Elements whose text and tables are not the sheet's.
const FOREIGN: [&str; 4] = ["annotation", "shapes", "dde-links", "tracked-changes"];

pub(crate) fn sheets(source: &Source, limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    let mut hidden_styles = HashSet::new();
    let mut style = String::new();
    let mut found: Vec<SheetEntry> = Vec::new();
    walk(source, limits, |event| {
        let Event::Start(start) = event else { return Ok(true) };
        match start.local_name().as_ref() {
            "style" => style = attribute(start, "name").unwrap_or_default(),
            "table-properties" if attribute(start, "display").as_deref() == Some("false") => {
                hidden_styles.insert(style.clone());
            }
            "table" => {
                let visible = attribute(start, "style-name").is_none_or(|name| !hidden_styles.contains(&name));
                found.push(SheetEntry { name: attribute(start, "name").unwrap_or_default(), visible });
                if found.len() > limits.sheets {
                    return Err(SheetError::too_large(Measure::Sheets, limits.sheets as u64));
                }
            }
            _ => {}
        }
        Ok(true)
    })?;
    distinct_names(found.iter_mut().map(|entry| &mut entry.name));
    Ok(found)
}

/// `position` is the sheet's place in the list.
pub(crate) fn read(
    source: &Source,
    (position, name): (usize, &str),
    limits: &Limits,
    watch: &Watch<'_>,
) -> Result<Sheet, SheetError> {
    let mut reading = Reading {
        wanted: position,
        begun: 0,
        builder: SheetBuilder::new(name, limits, watch),
        limits,
        inside: false,
        seen: false,
        row: 0,
        row_repeat: 1,
        column: 0,
        listed: 0,
        cells: Vec::new(),
        head: None,
        text: Paragraphs::default(),
    };
    walk(source, limits, |event| {
        reading.builder.step()?;
        reading.take(event)?;
        Ok(!reading.seen || reading.inside)
    })?;
    if reading.seen { reading.builder.finish() } else { Err(SheetError::NoSuchSheet(name.to_owned())) }
}

/// Hands over every event outside of foreign elements, until `take` says that it has enough.
fn walk(
    source: &Source,
    limits: &Limits,
    take: impl FnMut(&Event<'_>) -> Result<bool, SheetError>,
) -> Result<(), SheetError> {
    if source.head(2)? != b"PK" {
        return walk_content(source.buffered(), take);
    }
    let mut package = package::open(source)?;
    let part = package.by_name(CONTENT).map_err(SheetError::damaged)?;
    walk_content(BufReader::new(part.take(limits.unpacked_bytes)), take)
}

/// The content of a package, or the whole of a flat file.
fn walk_content(
    content: impl BufRead,
    mut take: impl FnMut(&Event<'_>) -> Result<bool, SheetError>,
) -> Result<(), SheetError> {
    let mut reader = Reader::from_reader(content);
    reader.config_mut().expand_empty_elements = true;
    let mut buffer = Vec::new();
    let mut foreign = 0_u32;
    loop {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer).map_err(SheetError::damaged)?;
        match &event {
            Event::Start(start) if FOREIGN.contains(&start.local_name().as_ref()) => foreign += 1,
            Event::End(end) if FOREIGN.contains(&end.local_name().as_ref()) => {
                foreign = foreign.saturating_sub(1);
                continue;
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
        if foreign == 0 && !take(&event)? {
            return Ok(());
        }
    }
}

fn is_hidden(start: &BytesStart<'_>) -> bool {
    attribute(start, "visibility").is_some_and(|visibility| visibility == "collapse" || visibility == "filter")
}

/// How often something is repeated. A count that is too large stays too large.
fn count_of(text: &str) -> u32 {
    let text = text.trim();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().unwrap_or(u32::MAX).max(1) } else { 1 }
}

/// Where the pass stands in the wanted sheet.
struct Reading<'a> {
    /// Which table is read, counted from 0, and how many were begun.
    wanted: usize,
    begun: usize,
    builder: SheetBuilder<'a>,
    limits: &'a Limits,
    inside: bool,
    seen: bool,
    row: u32,
    row_repeat: u32,
    column: u32,
    /// Columns whose looks were listed so far.
    listed: u32,
    /// The current row's cells with content.
    cells: Vec<(u32, Cell)>,
    head: Option<CellHead>,
    text: Paragraphs,
}

impl Reading<'_> {
    fn take(&mut self, event: &Event<'_>) -> Result<(), SheetError> {
        match event {
            Event::Start(start) => self.start(start),
            Event::End(end) => self.end(end.local_name().as_ref())?,
            Event::Text(text) if self.head.is_some() => self.text.push(&text.xml10_content()),
            Event::CData(text) if self.head.is_some() => self.text.push(&text.xml10_content()),
            Event::GeneralRef(reference) if self.head.is_some() => {
                let character = reference.resolve_char_ref().ok().flatten();
                self.text.push_reference(character, &reference.xml10_content());
            }
            _ => {}
        }
        if self.text.length() > self.limits.text_bytes {
            return Err(SheetError::too_large(Measure::TextBytes, self.limits.text_bytes as u64));
        }
        Ok(())
    }

    fn start(&mut self, start: &BytesStart<'_>) {
        let repeat = |name| attribute(start, name).map_or(1, |count| count_of(&count));
        match start.local_name().as_ref() {
            "table" => {
                let wanted = self.begun == self.wanted;
                self.begun += 1;
                self.inside |= wanted;
                self.seen |= wanted;
            }
            _ if !self.inside => {}
            "table-row" => {
                self.row_repeat = repeat("number-rows-repeated");
                self.column = 0;
                self.cells.clear();
                if is_hidden(start) {
                    let last = self.row.saturating_add(self.row_repeat);
                    self.builder.shape.hide_rows(self.row.saturating_add(1), last);
                }
            }
            "table-column" => {
                let repeat = repeat("number-columns-repeated");
                if is_hidden(start) {
                    let last = self.listed.saturating_add(repeat - 1);
                    self.builder.shape.hide_columns(self.listed, last);
                }
                self.listed = self.listed.saturating_add(repeat);
            }
            "table-cell" | "covered-table-cell" => {
                let (rows, columns) = (repeat("number-rows-spanned"), repeat("number-columns-spanned"));
                if rows > 1 || columns > 1 {
                    let (row, column) = (self.row.saturating_add(1), self.column);
                    let (last_row, last_column) = (row.saturating_add(rows - 1), column.saturating_add(columns - 1));
                    self.builder.shape.merge(Merge { first_row: row, last_row, first_column: column, last_column });
                }
                self.head = Some(CellHead::new(start, repeat("number-columns-repeated")));
                self.text = Paragraphs::default();
            }
            name if self.head.is_some() => self.text.start(name, start),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) -> Result<(), SheetError> {
        match name {
            "table" => self.inside = false,
            "table-cell" | "covered-table-cell" => self.end_cell()?,
            "table-row" if self.inside => self.end_row()?,
            "p" | "h" => self.text.end(),
            _ => {}
        }
        Ok(())
    }

    fn end_cell(&mut self) -> Result<(), SheetError> {
        let Some(head) = self.head.take() else { return Ok(()) };
        let repeat = head.repeat;
        let cell = head.cell(std::mem::take(&mut self.text).finish());
        if !cell.is_empty() || cell.is_formula_without_value() {
            let end = u64::from(self.column) + u64::from(repeat);
            if end > u64::from(self.limits.columns) {
                return Err(SheetError::too_large(Measure::Columns, self.limits.columns));
            }
            self.cells.extend((0..repeat).map(|offset| (self.column + offset, cell.clone())));
        }
        self.column = self.column.saturating_add(repeat);
        Ok(())
    }

    fn end_row(&mut self) -> Result<(), SheetError> {
        if !self.cells.is_empty() {
            let end = u64::from(self.row) + u64::from(self.row_repeat);
            if end > u64::from(self.limits.rows) {
                return Err(SheetError::too_large(Measure::Rows, self.limits.rows));
            }
            for offset in 0..self.row_repeat {
                for (column, cell) in &self.cells {
                    self.builder.step()?;
                    self.builder.put(self.row + offset, *column, cell.as_ref())?;
                }
            }
        }
        self.row = self.row.saturating_add(self.row_repeat);
        Ok(())
    }
}
