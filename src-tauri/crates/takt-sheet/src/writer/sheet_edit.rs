//! One sheet's XML with two columns more. It is streamed: what isn't touched goes through as it is.

use std::io::{BufRead, Write};

use quick_xml::{
    Reader, Writer,
    events::{BytesStart, Event},
};

use super::{
    atomic, inline,
    notes::{SheetNotes, places},
    sheet_survey::{Area, Survey},
};
use crate::{SheetError, column_index};

/// What is written where.
#[derive(Debug)]
pub(super) struct SheetEdit<'a> {
    notes: &'a SheetNotes,
    places: [u32; 2],
    /// The style of the heading beside which ours stands.
    header_style: Option<String>,
    /// Whether a filter over the planner's columns takes ours along, so that sorting keeps rows together.
    filter: Option<Area>,
    /// Whether a formula goes away with the columns that are replaced.
    pub(super) drops_formula: bool,
}

impl<'a> SheetEdit<'a> {
    /// Looks through the sheet once, for where there is room.
    pub(super) fn new(notes: &'a SheetNotes, xml: impl BufRead) -> Result<Self, SheetError> {
        let survey = Survey::of(notes, xml)?;
        let places = places(&notes.columns, survey.used)?;
        let follows = |area: &Area| {
            Some(area.top) == notes.header_row
                && area.right + 1 == places[0].min(places[1])
                && places[0].abs_diff(places[1]) == 1
        };
        let filter = survey.filter.filter(follows);
        Ok(Self { notes, places, header_style: survey.header_style, filter, drops_formula: survey.drops_formula })
    }

    /// Copies the sheet.
    pub(super) fn copy(&self, xml: impl BufRead, out: impl Write) -> Result<(), SheetError> {
        let mut copy = Copy {
            edit: self,
            reader: Reader::from_reader(xml),
            writer: Writer::new(out),
            depth: 0,
            row: 0,
            cols: false,
        };
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            match copy.reader.read_event_into(&mut buffer).map_err(SheetError::damaged)? {
                Event::Eof => {
                    return if copy.depth == 0 { Ok(()) } else { Err(SheetError::damaged("the sheet stops")) };
                }
                event => copy.event(event)?,
            }
        }
    }
}

struct Copy<'a, R, W: Write> {
    edit: &'a SheetEdit<'a>,
    reader: Reader<R>,
    writer: Writer<W>,
    depth: u32,
    row: u32,
    /// Whether the sheet has told its columns' widths.
    cols: bool,
}

impl<R: BufRead, W: Write> Copy<'_, R, W> {
    fn event(&mut self, event: Event<'_>) -> Result<(), SheetError> {
        match event {
            Event::Start(start) => {
                self.depth += 1;
                match start.local_name().as_ref() {
                    "row" if self.depth == 3 => return self.row(&start, false),
                    "cols" if self.depth == 2 => return self.cols(&start),
                    "sheetData" if self.depth == 2 => self.widths(&start)?,
                    "autoFilter" if self.depth == 2 => return self.put(Event::Start(self.filter(&start))),
                    _ => {}
                }
                self.put(Event::Start(start))
            }
            Event::Empty(start) => {
                match (start.local_name().as_ref(), self.depth) {
                    ("row", 2) => return self.row(&start, true),
                    ("dimension", 1) => return self.put(Event::Empty(self.dimension(&start))),
                    ("autoFilter", 1) => return self.put(Event::Empty(self.filter(&start))),
                    ("sheetData", 1) => self.widths(&start)?,
                    _ => {}
                }
                self.put(Event::Empty(start))
            }
            Event::End(end) => {
                self.depth = self.depth.saturating_sub(1);
                self.put(Event::End(end))
            }
            other => self.put(other),
        }
    }

    /// A row with its cells; ours are put in where their columns are.
    fn row(&mut self, start: &BytesStart<'_>, empty: bool) -> Result<(), SheetError> {
        self.row = number(start).unwrap_or(self.row + 1);
        let prefix = prefix(start);
        let mut ours = self.ours();
        if empty && ours.is_empty() {
            return self.put(Event::Empty(start.borrow()));
        }
        self.put(Event::Start(without(start, "spans")))?;
        if !empty {
            self.cells(&prefix, &mut ours)?;
        }
        self.flush(&prefix, &mut ours, u32::MAX)?;
        self.put(Event::End(start.to_end()))
    }

    /// Up to and with the row's end, which isn't written.
    fn cells(&mut self, prefix: &str, ours: &mut Vec<(u32, String)>) -> Result<(), SheetError> {
        let mut buffer = Vec::new();
        let mut column = 0;
        loop {
            buffer.clear();
            match self.reader.read_event_into(&mut buffer).map_err(SheetError::damaged)? {
                Event::Start(cell) if self.depth == 3 && cell.local_name().as_ref() == "c" => {
                    let at = place(&cell).unwrap_or(column);
                    column = at + 1;
                    self.flush(prefix, ours, at)?;
                    if self.is_replaced(at) {
                        let end = cell.to_end().into_owned();
                        let mut skipped = Vec::new();
                        self.reader.read_to_end_into(end.name(), &mut skipped).map_err(SheetError::damaged)?;
                    } else {
                        self.depth += 1;
                        self.put(Event::Start(cell))?;
                    }
                }
                Event::Empty(cell) if self.depth == 3 && cell.local_name().as_ref() == "c" => {
                    let at = place(&cell).unwrap_or(column);
                    column = at + 1;
                    self.flush(prefix, ours, at)?;
                    if !self.is_replaced(at) {
                        self.put(Event::Empty(cell))?;
                    }
                }
                Event::Start(other) => {
                    self.depth += 1;
                    self.put(Event::Start(other))?;
                }
                Event::End(end) => {
                    self.depth -= 1;
                    if self.depth == 2 {
                        return Ok(());
                    }
                    self.put(Event::End(end))?;
                }
                Event::Eof => return Err(SheetError::damaged("the sheet stops")),
                other => self.put(other)?,
            }
        }
    }

    /// What is to be written into this row, by column.
    fn ours(&self) -> Vec<(u32, String)> {
        let Some(texts) = self.edit.notes.of_row(self.row) else { return Vec::new() };
        let cells = self.edit.places.iter().zip(texts).filter(|(_, text)| !text.is_empty());
        let mut ours: Vec<(u32, String)> = cells.map(|(&column, text)| (column, text.to_owned())).collect();
        ours.sort_by_key(|(column, _)| *column);
        ours
    }

    /// Writes what stands up to and with column `until`.
    fn flush(&mut self, prefix: &str, ours: &mut Vec<(u32, String)>, until: u32) -> Result<(), SheetError> {
        let due = ours.iter().take_while(|(column, _)| *column <= until).count();
        let mut written = String::new();
        for (column, text) in ours.drain(..due) {
            let header = Some(self.row) == self.edit.notes.header_row;
            let style = self.edit.header_style.as_deref().filter(|_| header);
            inline::cell(&mut written, prefix, (self.row, column), style, &text);
        }
        self.raw(&written)
    }

    fn is_replaced(&self, column: u32) -> bool {
        self.edit.places.contains(&column) && self.edit.notes.covers(self.row)
    }

    /// The widths that the sheet tells, and ours where it tells none of them.
    fn cols(&mut self, start: &BytesStart<'_>) -> Result<(), SheetError> {
        self.cols = true;
        let prefix = prefix(start);
        self.put(Event::Start(start.borrow()))?;
        let mut ours = self.widths_of_ours(&prefix);
        let mut told = Vec::new();
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            match self.reader.read_event_into(&mut buffer).map_err(SheetError::damaged)? {
                Event::Empty(col) => {
                    let bound =
                        |name| attribute(&col, name).and_then(|text| text.parse::<u32>().ok()).unwrap_or_default();
                    let (min, max) = (bound("min"), bound("max"));
                    ours.retain(|(column, _)| !(min..=max).contains(column));
                    told.push((min, String::from_utf8(written(Event::Empty(col))?).map_err(SheetError::damaged)?));
                }
                Event::End(end) => {
                    told.append(&mut ours);
                    told.sort_by_key(|(column, _)| *column);
                    self.raw(&told.into_iter().map(|(_, text)| text).collect::<String>())?;
                    self.depth -= 1;
                    return self.put(Event::End(end));
                }
                Event::Text(_) => {}
                _ => return Err(SheetError::damaged("widths that aren't known")),
            }
        }
    }

    /// Ours alone, before the first row.
    fn widths(&mut self, data: &BytesStart<'_>) -> Result<(), SheetError> {
        if self.cols {
            return Ok(());
        }
        let prefix = prefix(data);
        let mut widths = self.widths_of_ours(&prefix);
        widths.sort_by_key(|(column, _)| *column);
        let widths: String = widths.into_iter().map(|(_, text)| text).collect();
        self.raw(&format!("<{prefix}cols>{widths}</{prefix}cols>"))
    }

    /// By 1-based column.
    fn widths_of_ours(&self, prefix: &str) -> Vec<(u32, String)> {
        let columns = self.edit.places.iter().zip(&self.edit.notes.columns);
        columns
            .map(|(place, column)| {
                let (at, width) = (place + 1, column.width);
                (at, format!("<{prefix}col min=\"{at}\" max=\"{at}\" width=\"{width}\" customWidth=\"1\"/>"))
            })
            .collect()
    }

    fn dimension<'e>(&self, start: &BytesStart<'e>) -> BytesStart<'e> {
        let area = attribute(start, "ref").and_then(|text| Area::parse(&text));
        match area {
            Some(area) => with(start, "ref", &area.reaching(self.edit.places[0].max(self.edit.places[1])).text()),
            None => start.clone(),
        }
    }

    fn filter<'e>(&self, start: &BytesStart<'e>) -> BytesStart<'e> {
        match &self.edit.filter {
            Some(area) => with(start, "ref", &area.reaching(self.edit.places[0].max(self.edit.places[1])).text()),
            None => start.clone(),
        }
    }

    fn put(&mut self, event: Event<'_>) -> Result<(), SheetError> {
        self.writer.write_event(event).map_err(atomic::failed)
    }

    fn raw(&mut self, text: &str) -> Result<(), SheetError> {
        self.writer.get_mut().write_all(text.as_bytes()).map_err(atomic::failed)
    }
}

fn written(event: Event<'_>) -> Result<Vec<u8>, SheetError> {
    let mut writer = Writer::new(Vec::new());
    writer.write_event(event).map_err(atomic::failed)?;
    Ok(writer.into_inner())
}

/// The namespace's prefix with its colon; empty where there is none.
pub(super) fn prefix(start: &BytesStart<'_>) -> String {
    start.name().as_ref().rsplit_once(':').map_or_else(String::new, |(prefix, _)| format!("{prefix}:"))
}

pub(super) fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start.attributes().flatten().find(|attribute| attribute.key.as_ref() == name)?;
    quick_xml::escape::unescape(&found.value).ok().map(std::borrow::Cow::into_owned)
}

/// A row's number, where it has one.
pub(super) fn number(row: &BytesStart<'_>) -> Option<u32> {
    attribute(row, "r")?.parse().ok()
}

/// A cell's 0-based column, where it has one.
pub(super) fn place(cell: &BytesStart<'_>) -> Option<u32> {
    let place = attribute(cell, "r")?;
    column_index(place.trim_end_matches(|character: char| character.is_ascii_digit()))
}

fn without<'e>(start: &BytesStart<'_>, name: &str) -> BytesStart<'e> {
    let mut kept = BytesStart::new(start.name().as_ref().to_owned());
    for attribute in start.attributes().flatten().filter(|attribute| attribute.key.as_ref() != name) {
        kept.push_attribute(attribute);
    }
    kept
}

fn with<'e>(start: &BytesStart<'_>, name: &str, value: &str) -> BytesStart<'e> {
    let mut kept = BytesStart::new(start.name().as_ref().to_owned());
    for attribute in start.attributes().flatten() {
        if attribute.key.as_ref() == name {
            kept.push_attribute((name, value));
        } else {
            kept.push_attribute(attribute);
        }
    }
    kept
}
