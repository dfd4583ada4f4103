//! Cells of a sheet's part, one after the other, with what it hides and merges.

use std::io::BufRead;

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use super::{
    texts::{Scratch, rich_text},
    workbook::is_true,
};
use crate::{
    Cell, Limits, Measure, SheetError,
    package::attribute,
    shape::{Merge, Shape},
    xml_text::{keeps_blanks, push_reference, without_escapes},
};

/// A cell where it was found. Row and column are 0-based.
#[derive(Debug)]
pub(super) struct RawCell {
    pub(super) row: u32,
    pub(super) column: u32,
    /// The number of the cell's own format.
    pub(super) format: usize,
    pub(super) value: Value,
}

/// What stands in a cell, before formats and shared texts are asked.
#[derive(Debug)]
pub(super) enum Value {
    Number(f64),
    /// The number of a shared text.
    Shared(usize),
    /// A date in ISO 8601.
    Moment(String),
    Cell(Cell),
}

/// Reads a part from its front.
pub(super) struct CellReader<'l, R> {
    reader: Reader<R>,
    limits: &'l Limits,
    pub(super) shape: Shape,
    scratch: Scratch,
    text: String,
    /// The row that cells without a place of their own are in, and the column of the next one; both 0-based.
    row: u32,
    column: u32,
    state: State,
    /// Whether blanks around texts count, as the elements around the cells say.
    keeps_blanks: bool,
    /// Pieces of markup that were looked at and held no cell.
    steps: u64,
}

/// A cell is a handful of pieces of markup.
const STEPS_PER_CELL: u64 = 16;

#[derive(Debug, PartialEq, Eq)]
enum State {
    Before,
    Inside,
    Behind,
}

/// Attributes of a cell.
#[derive(Debug, Default)]
struct Head {
    format: usize,
    kind: FileKind,
    keeps_blanks: Option<bool>,
}

/// `t` of a cell.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum FileKind {
    #[default]
    Absent,
    Number,
    Shared,
    Text,
    Inline,
    Boolean,
    Error,
    Moment,
    Unknown,
}

impl<'l, R: BufRead> CellReader<'l, R> {
    pub(super) fn new(reader: Reader<R>, limits: &'l Limits) -> Self {
        Self {
            reader,
            limits,
            shape: Shape::default(),
            scratch: Scratch::default(),
            text: String::new(),
            row: 0,
            column: 0,
            state: State::Before,
            keeps_blanks: false,
            steps: 0,
        }
    }

    /// Refuses a part that is made to take long.
    fn step(&mut self) -> Result<(), SheetError> {
        self.steps += 1;
        if self.steps > self.limits.cells {
            Err(SheetError::too_large(Measure::Cells, self.limits.cells))
        } else {
            Ok(())
        }
    }

    /// The next cell that holds something; absent behind the last one. What stands behind the cells is then read, too.
    pub(super) fn next(&mut self) -> Result<Option<RawCell>, SheetError> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let found = self.next_with(&mut scratch);
        self.scratch = scratch;
        found
    }

    fn next_with(&mut self, scratch: &mut Scratch) -> Result<Option<RawCell>, SheetError> {
        loop {
            self.step()?;
            scratch.buffer.clear();
            let event = match self.reader.read_event_into(&mut scratch.buffer) {
                Ok(event) => event,
                // What follows the cells isn't missed where it can't be read.
                Err(_) if self.state == State::Behind => return Ok(None),
                Err(error) => return Err(SheetError::damaged(error)),
            };
            match event {
                Event::Start(start) => match start.local_name().as_ref() {
                    "c" if self.state == State::Inside => {
                        let head = self.head(&start)?;
                        if let Some(value) = self.value(&head, scratch)? {
                            self.steps = self.steps.saturating_sub(STEPS_PER_CELL);
                            let place = (self.row, self.column);
                            self.column = self.column.saturating_add(1);
                            return Ok(Some(RawCell { row: place.0, column: place.1, format: head.format, value }));
                        }
                        self.column = self.column.saturating_add(1);
                    }
                    "row" if self.state == State::Inside => self.start_row(&start)?,
                    "sheetData" if self.state == State::Before => {
                        self.state = State::Inside;
                        self.keeps_blanks = keeps_blanks(&start).unwrap_or(self.keeps_blanks);
                    }
                    "worksheet" => self.keeps_blanks = keeps_blanks(&start).unwrap_or_default(),
                    "col" => self.column_looks(&start),
                    "mergeCell" => {
                        if let Some(merge) = attribute(&start, "ref").as_deref().and_then(Merge::parse) {
                            self.shape.merge(merge);
                        }
                    }
                    _ => {}
                },
                Event::End(end) => match end.local_name().as_ref() {
                    "row" if self.state == State::Inside => {
                        self.row = self.row.saturating_add(1);
                        self.column = 0;
                    }
                    "sheetData" if self.state == State::Inside => self.state = State::Behind,
                    _ => {}
                },
                Event::Eof => {
                    return match self.state {
                        State::Before => Err(SheetError::damaged("a sheet's part has no cells")),
                        State::Inside => Err(SheetError::damaged("a sheet's cells are cut off")),
                        State::Behind => Ok(None),
                    };
                }
                _ => {}
            }
        }
    }

    fn start_row(&mut self, start: &BytesStart<'_>) -> Result<(), SheetError> {
        let mut hidden = false;
        for found in start.attributes().with_checks(false).flatten() {
            match found.key.as_ref() {
                "r" => self.row = self.row_number(found.value.trim())?,
                "hidden" => hidden = is_true(&found.value),
                _ => {}
            }
        }
        self.column = 0;
        if hidden {
            let number = self.row.saturating_add(1);
            self.shape.hide_rows(number, number);
        }
        Ok(())
    }

    fn column_looks(&mut self, start: &BytesStart<'_>) {
        let number =
            |name| attribute(start, name).and_then(|text| text.trim().parse::<u32>().ok()).filter(|&number| number > 0);
        if !attribute(start, "hidden").is_some_and(|hidden| is_true(&hidden)) {
            return;
        }
        if let (Some(first), Some(last)) = (number("min"), number("max")) {
            self.shape.hide_columns(first - 1, last - 1);
        }
    }

    /// A row's number, 0-based. One that there can't be is refused: it must not stand for another row.
    fn row_number(&self, digits: &str) -> Result<u32, SheetError> {
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(SheetError::damaged(format_args!("{digits:?} is no row number")));
        }
        let number = digits.parse::<u32>().ok().filter(|&number| number <= self.limits.rows);
        let number = number.ok_or_else(|| SheetError::too_large(Measure::Rows, self.limits.rows))?;
        number.checked_sub(1).ok_or_else(|| SheetError::damaged("there is no row 0"))
    }

    /// Attributes of a cell; its place becomes the current one.
    fn head(&mut self, start: &BytesStart<'_>) -> Result<Head, SheetError> {
        let mut head = Head::default();
        for found in start.attributes().with_checks(false).flatten() {
            match found.key.as_ref() {
                "r" => self.go_to(found.value.trim())?,
                "s" => head.format = found.value.trim().parse().unwrap_or_default(),
                "t" => head.kind = FileKind::of(&found.value),
                "xml:space" => head.keeps_blanks = Some(&*found.value == "preserve"),
                _ => {}
            }
        }
        Ok(head)
    }

    fn go_to(&mut self, place: &str) -> Result<(), SheetError> {
        let letters = place.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (letters, digits) = place.split_at(letters);
        let row = self.row_number(digits)?;
        let column = crate::column_index(letters);
        if column.is_none() && letters.len() > 3 {
            return Err(SheetError::too_large(Measure::Columns, self.limits.columns));
        }
        self.column = column.ok_or_else(|| SheetError::damaged(format_args!("{place:?} is no place")))?;
        self.row = row;
        Ok(())
    }

    /// What stands in the cell that has just begun; reads to its end.
    fn value(&mut self, head: &Head, scratch: &mut Scratch) -> Result<Option<Value>, SheetError> {
        let (mut has_formula, mut has_value, mut inline) = (false, false, None);
        self.text.clear();
        loop {
            self.step()?;
            scratch.buffer.clear();
            match self.reader.read_event_into(&mut scratch.buffer).map_err(SheetError::damaged)? {
                Event::Start(start) => match start.local_name().as_ref() {
                    "v" => {
                        has_value = true;
                        self.plain_text(&mut scratch.buffer)?;
                    }
                    "is" => {
                        let around = head.keeps_blanks.unwrap_or(self.keeps_blanks);
                        let keeps = keeps_blanks(&start).unwrap_or(around);
                        let mut text = String::new();
                        rich_text(&mut self.reader, ("is", keeps), scratch, (&mut text, self.limits))?;
                        inline = Some(text);
                    }
                    name => {
                        has_formula |= name == "f";
                        let end = start.to_end().into_owned();
                        scratch.buffer.clear();
                        self.reader.read_to_end_into(end.name(), &mut scratch.buffer).map_err(SheetError::damaged)?;
                    }
                },
                Event::End(end) if end.local_name().as_ref() == "c" => break,
                Event::Eof => return Err(SheetError::damaged("a cell is cut off")),
                _ => {}
            }
        }
        if let Some(text) = inline {
            return Ok(Some(Value::Cell(Cell::text(text))));
        }
        let is_text = matches!(head.kind, FileKind::Text | FileKind::Inline);
        if self.text.trim().is_empty() && !(is_text && has_value) {
            return Ok(has_formula.then(|| Value::Cell(Cell::formula_without_value())));
        }
        Ok(Some(self.typed(head.kind)))
    }

    fn typed(&self, kind: FileKind) -> Value {
        let text = self.text.trim();
        Value::Cell(match kind {
            FileKind::Absent | FileKind::Number => match text.parse() {
                Ok(number) => return Value::Number(number),
                Err(_) if kind == FileKind::Absent => Cell::text(text),
                Err(_) => Cell::unreadable(),
            },
            FileKind::Shared => match text.parse() {
                Ok(number) => return Value::Shared(number),
                Err(_) => Cell::unreadable(),
            },
            FileKind::Text | FileKind::Inline => Cell::text(&*without_escapes(&self.text)),
            FileKind::Boolean => match text {
                "0" => Cell::boolean(false),
                "1" => Cell::boolean(true),
                text if text.eq_ignore_ascii_case("false") => Cell::boolean(false),
                text if text.eq_ignore_ascii_case("true") => Cell::boolean(true),
                _ => Cell::unreadable(),
            },
            FileKind::Error => Cell::error(text),
            FileKind::Moment => return Value::Moment(text.to_owned()),
            FileKind::Unknown => Cell::unreadable(),
        })
    }

    /// The text up to the end of a value.
    fn plain_text(&mut self, buffer: &mut Vec<u8>) -> Result<(), SheetError> {
        self.text.clear();
        loop {
            self.step()?;
            buffer.clear();
            match self.reader.read_event_into(buffer).map_err(SheetError::damaged)? {
                Event::Text(text) => self.text.push_str(&text.xml10_content()),
                Event::CData(text) => self.text.push_str(&text.xml10_content()),
                Event::GeneralRef(reference) => push_reference(&reference, &mut self.text)?,
                Event::End(end) if end.local_name().as_ref() == "v" => return Ok(()),
                Event::Eof => return Err(SheetError::damaged("a value is cut off")),
                _ => {}
            }
            if self.text.len() > self.limits.text_bytes {
                return Err(SheetError::too_large(Measure::TextBytes, self.limits.text_bytes as u64));
            }
        }
    }
}

impl FileKind {
    fn of(text: &str) -> Self {
        match text {
            "n" => Self::Number,
            "s" => Self::Shared,
            "str" => Self::Text,
            "inlineStr" | "is" => Self::Inline,
            "b" => Self::Boolean,
            "e" => Self::Error,
            "d" => Self::Moment,
            _ => Self::Unknown,
        }
    }
}
