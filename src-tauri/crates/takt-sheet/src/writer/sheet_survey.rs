//! What there is in a sheet's XML, looked at before anything is put in: its used columns, its filter, its heading's style.

use std::io::BufRead;

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use super::{
    notes::SheetNotes,
    sheet_edit::{attribute, number, place},
};
use crate::{SheetError, column_index, column_letters};

/// A rectangle of cells: columns 0-based, rows as Excel shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) left: u32,
    pub(super) top: u32,
    pub(super) right: u32,
    pub(super) bottom: u32,
}

#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Columns up to the last one that holds something, or that a merged area reaches.
    pub(super) used: u32,
    pub(super) header_style: Option<String>,
    pub(super) filter: Option<Area>,
    /// Whether a formula stands where the columns are replaced.
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
                        (3, "row") => (row, next) = (number(&start).unwrap_or(row + 1), 0),
                        (4, "c") => {
                            column = place(&start).unwrap_or(next);
                            next = column + 1;
                            survey.cell(notes, (row, column), &start);
                        }
                        (5, "f") => survey.drops_formula |= is_ours(notes, (row, column)),
                        _ => survey.element(notes, depth, &start),
                    }
                }
                Event::Empty(start) => match (depth + 1, start.local_name().as_ref()) {
                    (3, "row") => row = number(&start).unwrap_or(row + 1),
                    (4, "c") => next = place(&start).unwrap_or(next) + 1,
                    (5, "f") => survey.drops_formula |= is_ours(notes, (row, column)),
                    (depth, _) => survey.element(notes, depth, &start),
                },
                Event::End(_) => depth = depth.saturating_sub(1),
                Event::Eof => return Ok(survey),
                _ => {}
            }
        }
    }

    fn cell(&mut self, notes: &SheetNotes, (row, column): (u32, u32), start: &BytesStart<'_>) {
        self.used = self.used.max(column + 1);
        if Some(row) == notes.header_row && !is_ours(notes, (row, column)) {
            self.header_style = attribute(start, "s");
        }
    }

    fn element(&mut self, notes: &SheetNotes, depth: u32, start: &BytesStart<'_>) {
        let area = || attribute(start, "ref").and_then(|text| Area::parse(&text));
        match (depth, start.local_name().as_ref()) {
            (2, "autoFilter") => self.filter = area(),
            (3, "mergeCell") => {
                if let Some(area) = area().filter(|area| notes.covers(area.bottom)) {
                    self.used = self.used.max(area.right + 1);
                }
            }
            _ => {}
        }
    }
}

fn is_ours(notes: &SheetNotes, (row, column): (u32, u32)) -> bool {
    notes.covers(row) && notes.columns.iter().any(|ours| ours.at == Some(column))
}

impl Area {
    /// `A1:L264`, or one cell.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once(':').unwrap_or((text, text));
        let ((left, top), (right, bottom)) = (corner(from)?, corner(to)?);
        Some(Self { left, top, right, bottom })
    }

    /// The same, at least as far to the right as `column`.
    pub(super) fn reaching(&self, column: u32) -> Self {
        Self { right: self.right.max(column), ..self.clone() }
    }

    pub(super) fn text(&self) -> String {
        format!("{}{}:{}{}", column_letters(self.left), self.top, column_letters(self.right), self.bottom)
    }
}

fn corner(text: &str) -> Option<(u32, u32)> {
    let text = text.replace('$', "");
    let letters = text.trim_end_matches(|character: char| character.is_ascii_digit());
    Some((column_index(letters)?, text.get(letters.len()..)?.parse().ok()?))
}
