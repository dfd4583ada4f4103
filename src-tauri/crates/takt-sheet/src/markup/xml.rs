//! XML spreadsheets of 2003: typed cells, with number formats by style.

use std::collections::HashMap;

use jiff::civil::date;
use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use crate::{
    Cell, Limits, Measure, Sheet, SheetEntry, SheetError, TICKS_PER_SECOND, number_format::CodeFormat,
    package::attribute, serial, shape::Merge, sheet::SheetBuilder, watch::Watch,
};

pub(super) fn sheets(text: &str, limits: &Limits) -> Result<Vec<SheetEntry>, SheetError> {
    let mut found: Vec<SheetEntry> = Vec::new();
    let mut reader = Reader::from_str(text);
    let mut asks_visible = false;
    loop {
        match reader.read_event().map_err(SheetError::damaged)? {
            Event::Start(start) | Event::Empty(start) if start.local_name().as_ref() == "Worksheet" => {
                found.push(SheetEntry { name: attribute(&start, "Name").unwrap_or_default(), visible: true });
                if found.len() > limits.sheets {
                    return Err(SheetError::too_large(Measure::Sheets, limits.sheets as u64));
                }
            }
            Event::Start(start) => asks_visible = start.local_name().as_ref() == "Visible",
            Event::Text(text) if asks_visible => {
                if let Some(last) = found.last_mut() {
                    last.visible = !text.xml10_content().contains("Hidden");
                }
            }
            Event::End(_) => asks_visible = false,
            Event::Eof => return Ok(found),
            _ => {}
        }
    }
}

pub(super) fn read(
    text: &str,
    (position, name): (usize, &str),
    limits: &Limits,
    watch: &Watch<'_>,
) -> Result<Sheet, SheetError> {
    let mut reading = Reading {
        builder: SheetBuilder::new(name, limits, watch),
        wanted: position + 1,
        seen: 0,
        style: String::new(),
        formats: HashMap::new(),
        row: 0,
        column: 0,
        listed: 0,
        after_row: 0,
        after_cell: 0,
        cell: None,
        inside_comment: false,
    };
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    loop {
        reading.builder.step()?;
        match reader.read_event().map_err(SheetError::damaged)? {
            Event::Start(start) => reading.start(&start),
            Event::End(end) => reading.end(end.local_name().as_ref())?,
            Event::Text(text) => reading.text(&text.xml10_content()),
            Event::CData(text) => reading.text(&text.xml10_content()),
            Event::GeneralRef(reference) => {
                let named = match reference.xml10_content().as_ref() {
                    "amp" => Some('&'),
                    "lt" => Some('<'),
                    "gt" => Some('>'),
                    "quot" => Some('"'),
                    "apos" => Some('\''),
                    _ => None,
                };
                let letter = reference.resolve_char_ref().ok().flatten().or(named);
                reading.text(letter.map(String::from).as_deref().unwrap_or_default());
            }
            Event::Eof => break,
            _ => {}
        }
    }
    reading.builder.finish()
}

/// Where the pass stands. Rows and columns are 0-based.
struct Reading<'a> {
    builder: SheetBuilder<'a>,
    /// Which worksheet is read, counted from 1, and how many were begun.
    wanted: usize,
    seen: usize,
    style: String,
    /// Number formats by style.
    formats: HashMap<String, String>,
    row: u32,
    column: u32,
    listed: u32,
    /// Rows and cells that the current one stands for beyond itself.
    after_row: u32,
    after_cell: u32,
    cell: Option<Content>,
    inside_comment: bool,
}

#[derive(Default)]
struct Content {
    style: Option<String>,
    has_formula: bool,
    kind: Option<String>,
    inside: bool,
    text: String,
}

impl Reading<'_> {
    fn start(&mut self, start: &BytesStart<'_>) {
        let number = |name| attribute(start, name).and_then(|text| text.trim().parse::<u32>().ok());
        let is_hidden = || attribute(start, "Hidden").is_some_and(|hidden| hidden == "1");
        match start.local_name().as_ref() {
            "Style" => self.style = attribute(start, "ID").unwrap_or_default(),
            "NumberFormat" => {
                if let Some(format) = attribute(start, "Format") {
                    self.formats.insert(self.style.clone(), format);
                }
            }
            "Worksheet" => self.seen += 1,
            _ if self.seen != self.wanted => {}
            "Column" => {
                self.listed = number("Index").map_or(self.listed, |index| index.saturating_sub(1));
                let last = self.listed.saturating_add(number("Span").unwrap_or_default());
                if is_hidden() {
                    self.builder.shape.hide_columns(self.listed, last);
                }
                self.listed = last.saturating_add(1);
            }
            "Row" => {
                self.row = number("Index").map_or(self.row, |index| index.saturating_sub(1));
                self.after_row = number("Span").unwrap_or_default();
                self.column = 0;
                if is_hidden() {
                    let first = self.row.saturating_add(1);
                    self.builder.shape.hide_rows(first, first.saturating_add(self.after_row));
                }
            }
            "Cell" => {
                self.column = number("Index").map_or(self.column, |index| index.saturating_sub(1));
                self.after_cell = number("MergeAcross").unwrap_or_default();
                let down = number("MergeDown").unwrap_or_default();
                if self.after_cell > 0 || down > 0 {
                    let first_row = self.row.saturating_add(1);
                    let (last_row, last_column) =
                        (first_row.saturating_add(down), self.column.saturating_add(self.after_cell));
                    self.builder.shape.merge(Merge { first_row, last_row, first_column: self.column, last_column });
                }
                let (style, formula) = (attribute(start, "StyleID"), attribute(start, "Formula"));
                self.cell = Some(Content { style, has_formula: formula.is_some(), ..Content::default() });
            }
            "Comment" => self.inside_comment = true,
            "Data" if !self.inside_comment => {
                if let Some(cell) = &mut self.cell {
                    cell.kind = attribute(start, "Type");
                    cell.inside = true;
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(cell) = self.cell.as_mut().filter(|cell| cell.inside) {
            cell.text.push_str(text);
        }
    }

    fn end(&mut self, name: &str) -> Result<(), SheetError> {
        match name {
            _ if self.seen != self.wanted => {}
            "Data" => self.cell.iter_mut().for_each(|cell| cell.inside = false),
            "Comment" => self.inside_comment = false,
            "Cell" => {
                if let Some(content) = self.cell.take() {
                    let cell = self.typed(content);
                    self.builder.put(self.row, self.column, cell.as_ref())?;
                }
                self.column = self.column.saturating_add(self.after_cell).saturating_add(1);
            }
            "Row" => self.row = self.row.saturating_add(self.after_row).saturating_add(1),
            _ => {}
        }
        Ok(())
    }

    fn typed(&self, content: Content) -> Cell {
        let format = content.style.and_then(|style| self.formats.get(&style)).map_or("", String::as_str);
        let value = content.text.trim();
        let typed = match content.kind.as_deref() {
            None if content.has_formula => Some(Cell::formula_without_value()),
            Some("Number") => value.parse().ok().map(|number| number_shown(number, format)),
            Some("Boolean") => Some(Cell::boolean(value == "1" || value.eq_ignore_ascii_case("true"))),
            Some("Error") => Some(Cell::error(value)),
            Some("DateTime") => moment(value, format),
            _ => None,
        };
        typed.unwrap_or_else(|| Cell::text(content.text))
    }
}

/// Some writers leave a date to its format.
fn number_shown(number: f64, format: &str) -> Cell {
    if format.to_ascii_lowercase().contains("[h") {
        return serial::duration_ticks(number).map_or_else(|| Cell::number(number), Cell::duration);
    }
    if shows_date(format) {
        return match serial::moment(number, false) {
            Some(serial::Moment::DateTime(value)) => Cell::date_time(value),
            Some(serial::Moment::TimeOfDay(ticks)) => Cell::duration(ticks),
            None => Cell::number(number),
        };
    }
    match CodeFormat::parse(format).and_then(|format| format.show(number)) {
        Some(shown) => Cell::number_shown(number, shown),
        None => Cell::number(number),
    }
}

/// A format by name, or one of nothing but parts of a date.
fn shows_date(format: &str) -> bool {
    let format = format.to_ascii_lowercase();
    let mut quoted = false;
    let mut letters = format.chars().filter(|letter| {
        quoted ^= *letter == '"';
        !quoted && (letter.is_ascii_alphanumeric() || matches!(letter, '#' | '?'))
    });
    let parts: String = letters.by_ref().collect();
    let named = format.ends_with(" date") || format.ends_with(" time");
    named || (!parts.is_empty() && parts.chars().all(|letter| "ymdhsap".contains(letter)))
}

/// A time without a date, or a duration, is counted from the last day of 1899.
fn moment(value: &str, format: &str) -> Option<Cell> {
    let value = serial::civil(value)?;
    let zero = date(1899, 12, 31);
    let is_duration = value.date() == zero || format.to_ascii_lowercase().contains("[h");
    let ticks =
        || (serial::to_milliseconds(value) - serial::to_milliseconds(zero.at(0, 0, 0, 0))) * (TICKS_PER_SECOND / 1000);
    Some(if is_duration { Cell::duration(ticks()) } else { Cell::date_time(value) })
}
