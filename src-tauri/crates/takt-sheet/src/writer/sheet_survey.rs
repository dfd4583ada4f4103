//! Examines a sheet's XML before it is edited: its used columns, its filter and the style of its headings.

use std::io::BufRead;

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use super::{element::attribute, notes::SheetNotes};
use crate::{CellPlace, SheetError, column_index, column_letters};

/// A rectangle of cells. Columns are 0-based, rows 1-based.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) left: u32,
    pub(super) top: u32,
    pub(super) right: u32,
    pub(super) bottom: u32,
}

#[derive(Debug, Default)]
pub(super) struct Survey {
    /// The number of columns up to the last one that has content, or that a merged area reaches.
    pub(super) used: u32,
    pub(super) header_style: Option<String>,
    pub(super) filter: Option<Area>,
    /// Whether a formula is in the replaced columns.
    pub(super) drops_formula: bool,
}

impl Survey {
    pub(super) fn of(notes: &SheetNotes, xml: impl BufRead) -> Result<Self, SheetError> {
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
                            survey.cell(notes, CellPlace { row, column }, &start);
                        }
                        (5, "f") => survey.drops_formula |= is_note_cell(notes, CellPlace { row, column }),
                        _ => survey.element(notes, depth, &start),
                    }
                }
                Event::Empty(start) => match (depth + 1, start.local_name().as_ref()) {
                    (3, "row") => row = row_number(&start).unwrap_or(row + 1),
                    (4, "c") => next = cell_column(&start).unwrap_or(next) + 1,
                    (5, "f") => survey.drops_formula |= is_note_cell(notes, CellPlace { row, column }),
                    (depth, _) => survey.element(notes, depth, &start),
                },
                Event::End(_) => depth = depth.saturating_sub(1),
                Event::Eof => return Ok(survey),
                _ => {}
            }
        }
    }

    fn cell(&mut self, notes: &SheetNotes, address: CellPlace, start: &BytesStart<'_>) {
        self.used = self.used.max(address.column + 1);
        if Some(address.row) == notes.header_row && !is_note_cell(notes, address) {
            self.header_style = attribute(start, "s");
        }
    }

    fn element(&mut self, notes: &SheetNotes, depth: u32, start: &BytesStart<'_>) {
        let area = || attribute(start, "ref").and_then(|text| Area::parse(&text));
        match (depth, start.local_name().as_ref()) {
            (2, "autoFilter") => self.filter = area(),
            (3, "mergeCell") => {
                if let Some(area) = area().filter(|area| notes.replaces_cells_in(area.bottom)) {
                    self.used = self.used.max(area.right + 1);
                }
            }
            _ => {}
        }
    }
}

/// Returns a row's number, if it has one.
pub(super) fn row_number(row: &BytesStart<'_>) -> Option<u32> {
    attribute(row, "r")?.parse().ok()
}

/// Returns a cell's 0-based column, if it has an address.
pub(super) fn cell_column(cell: &BytesStart<'_>) -> Option<u32> {
    let address = attribute(cell, "r")?;
    column_index(address.trim_end_matches(|character: char| character.is_ascii_digit()))
}

fn is_note_cell(notes: &SheetNotes, address: CellPlace) -> bool {
    let CellPlace { row, column } = address;
    notes.replaces_cells_in(row) && notes.columns.iter().any(|column_notes| column_notes.at == Some(column))
}

impl Area {
    /// Parses `A1:L264` or a single cell.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once(':').unwrap_or((text, text));
        let ((left, top), (right, bottom)) = (parse_address(from)?, parse_address(to)?);
        Some(Self { left, top, right, bottom })
    }

    /// Returns the area, extended to the right to `column` if it ends before.
    pub(super) fn extended_to(&self, column: u32) -> Self {
        Self { right: self.right.max(column), ..self.clone() }
    }

    pub(super) fn text(&self) -> String {
        format!("{}{}:{}{}", column_letters(self.left), self.top, column_letters(self.right), self.bottom)
    }
}

fn parse_address(text: &str) -> Option<(u32, u32)> {
    let text = text.replace('$', "");
    let letters = text.trim_end_matches(|character: char| character.is_ascii_digit());
    Some((column_index(letters)?, text.get(letters.len()..)?.parse().ok()?))
}
