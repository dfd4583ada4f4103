//! Copies one sheet's XML with two more columns. The XML is streamed, and everything else in it is copied unchanged.

use std::io::{BufRead, Write};

use quick_xml::{
    Reader, Writer,
    events::{BytesStart, Event},
};

use super::{
    atomic,
    element::{attribute, prefix, with_attribute, without_attribute},
    notes::{SheetNotes, note_columns},
    sheet_xml::push_text_cell,
};
use crate::{CellAddress, SheetError, column_index, column_letters};

/// The positions and styles of a sheet's new columns.
#[derive(Debug)]
pub(super) struct SheetEdit<'a> {
    notes: &'a SheetNotes,
    note_columns: [u32; 2],
    /// The style of the heading next to the new headings.
    header_style: Option<String>,
    /// The area of a filter next to the new columns. It is extended to the new columns, so that sorting keeps rows
    /// together.
    filter: Option<CellArea>,
    /// Whether a formula is in the replaced columns.
    pub(super) drops_formula: bool,
}

impl<'a> SheetEdit<'a> {
    /// Reads the sheet once to find the positions of the columns.
    pub(super) fn new(notes: &'a SheetNotes, xml: impl BufRead) -> Result<Self, SheetError> {
        let survey = SheetSurvey::read(notes, xml)?;
        let note_columns = note_columns(&notes.columns, survey.used_columns)?;
        let follows = |area: &CellArea| {
            Some(area.top) == notes.header_row
                && area.right + 1 == note_columns[0].min(note_columns[1])
                && note_columns[0].abs_diff(note_columns[1]) == 1
        };
        let filter = survey.filter.filter(follows);
        Ok(Self { notes, note_columns, header_style: survey.header_style, filter, drops_formula: survey.drops_formula })
    }

    /// Copies the sheet with the edit.
    pub(super) fn copy_sheet(&self, xml: impl BufRead, out: impl Write) -> Result<(), SheetError> {
        let mut copier = SheetCopier {
            edit: self,
            reader: Reader::from_reader(xml),
            writer: Writer::new(out),
            depth: 0,
            row: 0,
            has_column_widths: false,
        };
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            match copier.reader.read_event_into(&mut buffer).map_err(SheetError::damaged)? {
                Event::Eof => {
                    return if copier.depth == 0 { Ok(()) } else { Err(SheetError::damaged("the sheet stops")) };
                }
                event => copier.copy_event(event)?,
            }
        }
    }
}

struct SheetCopier<'a, R, W: Write> {
    edit: &'a SheetEdit<'a>,
    reader: Reader<R>,
    writer: Writer<W>,
    depth: u32,
    row: u32,
    /// Whether the sheet contains column widths.
    has_column_widths: bool,
}

impl<R: BufRead, W: Write> SheetCopier<'_, R, W> {
    fn copy_event(&mut self, event: Event<'_>) -> Result<(), SheetError> {
        match event {
            Event::Start(start) => {
                self.depth += 1;
                match start.local_name().as_ref() {
                    "row" if self.depth == 3 => return self.copy_row(&start, false),
                    "cols" if self.depth == 2 => return self.copy_column_widths(&start),
                    "sheetData" if self.depth == 2 => self.write_column_widths(&start)?,
                    "autoFilter" if self.depth == 2 => {
                        return self.write_event(Event::Start(self.extend_filter(&start)));
                    }
                    _ => {}
                }
                self.write_event(Event::Start(start))
            }
            Event::Empty(start) => {
                match (start.local_name().as_ref(), self.depth) {
                    ("row", 2) => return self.copy_row(&start, true),
                    ("dimension", 1) => return self.write_event(Event::Empty(self.extend_dimension(&start))),
                    ("autoFilter", 1) => return self.write_event(Event::Empty(self.extend_filter(&start))),
                    ("sheetData", 1) => self.write_column_widths(&start)?,
                    _ => {}
                }
                self.write_event(Event::Empty(start))
            }
            Event::End(end) => {
                self.depth = self.depth.saturating_sub(1);
                self.write_event(Event::End(end))
            }
            other => self.write_event(other),
        }
    }

    /// Copies a row with its cells, and inserts the new cells at their columns.
    fn copy_row(&mut self, start: &BytesStart<'_>, empty: bool) -> Result<(), SheetError> {
        self.row = row_number(start).unwrap_or(self.row + 1);
        let prefix = prefix(start);
        let mut new_cells = self.new_cells();
        if empty && new_cells.is_empty() {
            return self.write_event(Event::Empty(start.borrow()));
        }
        self.write_event(Event::Start(without_attribute(start, "spans")))?;
        if !empty {
            self.copy_cells(&prefix, &mut new_cells)?;
        }
        self.write_new_cells(&prefix, &mut new_cells, u32::MAX)?;
        self.write_event(Event::End(start.to_end()))
    }

    /// Copies the cells up to the row's end, which isn't written.
    fn copy_cells(&mut self, prefix: &str, new_cells: &mut Vec<(u32, String)>) -> Result<(), SheetError> {
        let mut buffer = Vec::new();
        let mut column = 0;
        loop {
            buffer.clear();
            match self.reader.read_event_into(&mut buffer).map_err(SheetError::damaged)? {
                Event::Start(cell) if self.depth == 3 && cell.local_name().as_ref() == "c" => {
                    let at = cell_column(&cell).unwrap_or(column);
                    column = at + 1;
                    self.write_new_cells(prefix, new_cells, at)?;
                    if self.is_replaced(at) {
                        let end = cell.to_end().into_owned();
                        let mut skipped = Vec::new();
                        self.reader.read_to_end_into(end.name(), &mut skipped).map_err(SheetError::damaged)?;
                    } else {
                        self.depth += 1;
                        self.write_event(Event::Start(cell))?;
                    }
                }
                Event::Empty(cell) if self.depth == 3 && cell.local_name().as_ref() == "c" => {
                    let at = cell_column(&cell).unwrap_or(column);
                    column = at + 1;
                    self.write_new_cells(prefix, new_cells, at)?;
                    if !self.is_replaced(at) {
                        self.write_event(Event::Empty(cell))?;
                    }
                }
                Event::Start(other) => {
                    self.depth += 1;
                    self.write_event(Event::Start(other))?;
                }
                Event::End(end) => {
                    self.depth -= 1;
                    if self.depth == 2 {
                        return Ok(());
                    }
                    self.write_event(Event::End(end))?;
                }
                Event::Eof => return Err(SheetError::damaged("the sheet stops")),
                other => self.write_event(other)?,
            }
        }
    }

    /// Returns the new cells of this row, by column.
    fn new_cells(&self) -> Vec<(u32, String)> {
        let Some(texts) = self.edit.notes.texts_of_row(self.row) else { return Vec::new() };
        let cells = self.edit.note_columns.iter().zip(texts).filter(|(_, text)| !text.is_empty());
        let mut new_cells: Vec<(u32, String)> = cells.map(|(&column, text)| (column, text.to_owned())).collect();
        new_cells.sort_by_key(|(column, _)| *column);
        new_cells
    }

    /// Writes the new cells up to and including column `until`.
    fn write_new_cells(
        &mut self,
        prefix: &str,
        new_cells: &mut Vec<(u32, String)>,
        until: u32,
    ) -> Result<(), SheetError> {
        let due = new_cells.iter().take_while(|(column, _)| *column <= until).count();
        let mut written = String::new();
        for (column, text) in new_cells.drain(..due) {
            let header = Some(self.row) == self.edit.notes.header_row;
            let style = self.edit.header_style.as_deref().filter(|_| header);
            let address = CellAddress { row: self.row, column };
            push_text_cell(&mut written, prefix, address, style, &text);
        }
        self.write_raw(&written)
    }

    fn is_replaced(&self, column: u32) -> bool {
        self.edit.note_columns.contains(&column) && self.edit.notes.replaces_cells_in(self.row)
    }

    /// Copies the column widths, and adds widths for new columns without one.
    fn copy_column_widths(&mut self, start: &BytesStart<'_>) -> Result<(), SheetError> {
        self.has_column_widths = true;
        let prefix = prefix(start);
        self.write_event(Event::Start(start.borrow()))?;
        let mut new_widths = self.new_column_widths(&prefix);
        let mut widths = Vec::new();
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            match self.reader.read_event_into(&mut buffer).map_err(SheetError::damaged)? {
                Event::Empty(col) => {
                    let bound =
                        |name| attribute(&col, name).and_then(|text| text.parse::<u32>().ok()).unwrap_or_default();
                    let (min, max) = (bound("min"), bound("max"));
                    new_widths.retain(|(column, _)| !(min..=max).contains(column));
                    widths.push((min, String::from_utf8(event_xml(Event::Empty(col))?).map_err(SheetError::damaged)?));
                }
                Event::End(end) => {
                    widths.append(&mut new_widths);
                    widths.sort_by_key(|(column, _)| *column);
                    self.write_raw(&widths.into_iter().map(|(_, text)| text).collect::<String>())?;
                    self.depth -= 1;
                    return self.write_event(Event::End(end));
                }
                Event::Text(_) => {}
                _ => return Err(SheetError::damaged("widths that aren't known")),
            }
        }
    }

    /// Writes the widths of the new columns before the first row, if the sheet has no column widths.
    fn write_column_widths(&mut self, data: &BytesStart<'_>) -> Result<(), SheetError> {
        if self.has_column_widths {
            return Ok(());
        }
        let prefix = prefix(data);
        let mut widths = self.new_column_widths(&prefix);
        widths.sort_by_key(|(column, _)| *column);
        let widths: String = widths.into_iter().map(|(_, text)| text).collect();
        self.write_raw(&format!("<{prefix}cols>{widths}</{prefix}cols>"))
    }

    /// Returns the widths of the new columns, by 1-based column.
    fn new_column_widths(&self, prefix: &str) -> Vec<(u32, String)> {
        let columns = self.edit.note_columns.iter().zip(&self.edit.notes.columns);
        columns
            .map(|(index, column)| {
                let (at, width) = (index + 1, column.width);
                (at, format!("<{prefix}col min=\"{at}\" max=\"{at}\" width=\"{width}\" customWidth=\"1\"/>"))
            })
            .collect()
    }

    fn extend_dimension<'e>(&self, start: &BytesStart<'e>) -> BytesStart<'e> {
        let area = attribute(start, "ref").and_then(|text| CellArea::parse(&text));
        match area {
            Some(area) => with_attribute(
                start,
                "ref",
                &area.extended_to(self.edit.note_columns[0].max(self.edit.note_columns[1])).reference(),
            ),
            None => start.clone(),
        }
    }

    fn extend_filter<'e>(&self, start: &BytesStart<'e>) -> BytesStart<'e> {
        match &self.edit.filter {
            Some(area) => with_attribute(
                start,
                "ref",
                &area.extended_to(self.edit.note_columns[0].max(self.edit.note_columns[1])).reference(),
            ),
            None => start.clone(),
        }
    }

    fn write_event(&mut self, event: Event<'_>) -> Result<(), SheetError> {
        self.writer.write_event(event).map_err(atomic::write_error)
    }

    fn write_raw(&mut self, text: &str) -> Result<(), SheetError> {
        self.writer.get_mut().write_all(text.as_bytes()).map_err(atomic::write_error)
    }
}

fn event_xml(event: Event<'_>) -> Result<Vec<u8>, SheetError> {
    let mut writer = Writer::new(Vec::new());
    writer.write_event(event).map_err(atomic::write_error)?;
    Ok(writer.into_inner())
}

/// A rectangle of cells. Columns are 0-based, rows 1-based.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CellArea {
    left: u32,
    top: u32,
    right: u32,
    bottom: u32,
}

/// The properties of a sheet that are needed before it is edited.
#[derive(Debug, Default)]
struct SheetSurvey {
    /// The number of columns up to the last one that has content, or that a merged area reaches.
    used_columns: u32,
    header_style: Option<String>,
    filter: Option<CellArea>,
    /// Whether a formula is in the replaced columns.
    drops_formula: bool,
}

impl SheetSurvey {
    fn read(notes: &SheetNotes, xml: impl BufRead) -> Result<Self, SheetError> {
        let mut survey = Self::default();
        let mut reader = Reader::from_reader(xml);
        let mut buffer = Vec::new();
        let (mut depth, mut row, mut next) = (0_u32, 0, 0);
        let mut column = 0;
        loop {
            buffer.clear();
            match reader.read_event_into(&mut buffer).map_err(SheetError::damaged)? {
                Event::Start(start) => {
                    depth += 1;
                    match (depth, start.local_name().as_ref()) {
                        (3, "row") => (row, next) = (row_number(&start).unwrap_or(row + 1), 0),
                        (4, "c") => {
                            column = cell_column(&start).unwrap_or(next);
                            next = column + 1;
                            survey.add_cell(notes, CellAddress { row, column }, &start);
                        }
                        (5, "f") => survey.drops_formula |= is_note_cell(notes, CellAddress { row, column }),
                        _ => survey.add_element(notes, depth, &start),
                    }
                }
                Event::Empty(start) => match (depth + 1, start.local_name().as_ref()) {
                    (3, "row") => row = row_number(&start).unwrap_or(row + 1),
                    (4, "c") => next = cell_column(&start).unwrap_or(next) + 1,
                    (5, "f") => survey.drops_formula |= is_note_cell(notes, CellAddress { row, column }),
                    (depth, _) => survey.add_element(notes, depth, &start),
                },
                Event::End(_) => depth = depth.saturating_sub(1),
                Event::Eof => return Ok(survey),
                _ => {}
            }
        }
    }

    fn add_cell(&mut self, notes: &SheetNotes, address: CellAddress, start: &BytesStart<'_>) {
        self.used_columns = self.used_columns.max(address.column + 1);
        if Some(address.row) == notes.header_row && !is_note_cell(notes, address) {
            self.header_style = attribute(start, "s");
        }
    }

    fn add_element(&mut self, notes: &SheetNotes, depth: u32, start: &BytesStart<'_>) {
        let area = || attribute(start, "ref").and_then(|text| CellArea::parse(&text));
        match (depth, start.local_name().as_ref()) {
            (2, "autoFilter") => self.filter = area(),
            (3, "mergeCell") => {
                if let Some(area) = area().filter(|area| notes.replaces_cells_in(area.bottom)) {
                    self.used_columns = self.used_columns.max(area.right + 1);
                }
            }
            _ => {}
        }
    }
}

/// Returns a row's number, if it has one.
fn row_number(row: &BytesStart<'_>) -> Option<u32> {
    attribute(row, "r")?.parse().ok()
}

/// Returns a cell's 0-based column, if it has an address.
fn cell_column(cell: &BytesStart<'_>) -> Option<u32> {
    let address = attribute(cell, "r")?;
    column_index(address.trim_end_matches(|character: char| character.is_ascii_digit()))
}

fn is_note_cell(notes: &SheetNotes, address: CellAddress) -> bool {
    let CellAddress { row, column } = address;
    notes.replaces_cells_in(row) && notes.columns.iter().any(|column_notes| column_notes.existing_index == Some(column))
}

impl CellArea {
    /// Parses `A1:L264` or a single cell.
    fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once(':').unwrap_or((text, text));
        let ((left, top), (right, bottom)) = (parse_address(from)?, parse_address(to)?);
        Some(Self { left, top, right, bottom })
    }

    /// Returns the area, extended to the right to `column` if it ends before.
    fn extended_to(&self, column: u32) -> Self {
        Self { right: self.right.max(column), ..self.clone() }
    }

    fn reference(&self) -> String {
        format!("{}{}:{}{}", column_letters(self.left), self.top, column_letters(self.right), self.bottom)
    }
}

fn parse_address(text: &str) -> Option<(u32, u32)> {
    let text = text.replace('$', "");
    let letters = text.trim_end_matches(|character: char| character.is_ascii_digit());
    Some((column_index(letters)?, text.get(letters.len()..)?.parse().ok()?))
}
