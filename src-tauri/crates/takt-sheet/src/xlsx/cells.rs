//! Cells of a sheet's part, one after the other, with what it hides and merges.

use quick_xml::events::{BytesStart, Event};

use super::{
    content::Content,
    regular_rows::{Place, RowEnd, RowScanner},
    texts::{Scratch, rich_text},
    workbook::is_true,
};
use crate::{
    Limits, Measure, SheetError,
    cell_batch::{CellBatch, RawCell, Value},
    namespaces::PartElements,
    package::plain_attribute,
    part_buffer::WINDOW,
    regular_xml::{Cursor, Miss},
    row_numbers::RowNumbers,
    shape::{Merge, Shape},
    xml_text::{XmlReader, keeps_blanks, push_reference},
};

/// Reads a part from its front.
pub(super) struct CellReader<'l, 'p> {
    reader: XmlReader<'p>,
    elements: PartElements,
    /// The sheet's name, for errors.
    sheet: &'l str,
    limits: &'l Limits,
    pub(super) shape: Shape,
    scratch: Scratch,
    text: String,
    place: Place,
    state: State,
    /// Whether blanks around texts count, as the elements around the cells say.
    keeps_blanks: bool,
    /// The XML reader has read a row whose name has no prefix. The next rows may be regular.
    row_was_read: bool,
    /// Rows with content.
    rows: RowNumbers,
    /// Whether the current row has content.
    has_content: bool,
    /// Pieces of markup that were looked at and held no cell.
    steps: u64,
}

/// A cell is a handful of pieces of markup.
const STEPS_PER_CELL: u64 = 16;
/// One that holds nothing has a beginning and an end.
const STEPS_PER_EMPTY_CELL: u64 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Cell,
    RowEnd,
    End,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Before,
    Inside,
    Behind,
}

/// Attributes of a cell.
#[derive(Debug, Default)]
struct Head {
    format: u32,
    kind: FileKind,
    keeps_blanks: Option<bool>,
}

/// `t` of a cell.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
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

impl<'l, 'p> CellReader<'l, 'p> {
    pub(super) fn new(reader: XmlReader<'p>, sheet: &'l str, limits: &'l Limits) -> Self {
        Self {
            reader,
            elements: PartElements::default(),
            sheet,
            limits,
            shape: Shape::default(),
            scratch: Scratch::default(),
            text: String::new(),
            place: Place::default(),
            state: State::Before,
            keeps_blanks: false,
            row_was_read: false,
            rows: RowNumbers::default(),
            has_content: false,
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

    /// Puts so many cells that hold something into the batch, or some more. False behind the last one; what stands behind the
    /// cells is then read, too.
    pub(super) fn fill(&mut self, batch: &mut CellBatch, cells: usize) -> Result<bool, SheetError> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut found = Found::RowEnd;
        let filled = loop {
            let is_between = found == Found::RowEnd && self.state == State::Inside && self.row_was_read;
            if is_between && let Err(error) = self.regular_rows(batch, cells) {
                break Err(error);
            }
            if batch.is_full(cells) {
                break Ok(true);
            }
            found = match self.next_with(&mut scratch, batch) {
                Ok(Found::End) => break Ok(false),
                Ok(found) => found,
                Err(error) => break Err(error),
            };
        };
        self.scratch = scratch;
        filled
    }

    /// As many rows as stand there in the regular shape; the first one that doesn't is left to the XML reader.
    fn regular_rows(&mut self, batch: &mut CellBatch, cells: usize) -> Result<(), SheetError> {
        let scanner = RowScanner { limits: self.limits, keeps_blanks: self.keeps_blanks };
        let mut window = WINDOW;
        loop {
            let part = self.reader.get_mut();
            let (mut taken, mut ends, mut repeated) = (0, RowEnd::default(), false);
            let has_more = part.len() > window;
            let mut cursor = Cursor::new(part.text(window));
            let miss = loop {
                match scanner.row(&mut cursor, &mut self.place, batch) {
                    Ok(end) => {
                        taken = cursor.position();
                        (ends.filled, ends.empty) = (ends.filled + end.filled, ends.empty + end.empty + 1);
                        if let Some(number) = end.hidden {
                            self.shape.hide_rows(number, number);
                        }
                        // Behind the row, its number is the 1-based one.
                        if end.filled > 0 && !self.rows.insert(self.place.row) {
                            repeated = true;
                            break Miss::Irregular;
                        }
                    }
                    Err(miss) => break miss,
                }
            };
            std::io::BufRead::consume(part, taken);
            if repeated {
                return Err(self.repeated_row(self.place.row));
            }
            self.steps =
                self.steps.saturating_sub(ends.filled * STEPS_PER_CELL / 2) + ends.empty * STEPS_PER_EMPTY_CELL;
            self.step()?;
            if batch.is_full(cells) || miss == Miss::Irregular {
                return Ok(());
            }
            // A row that is longer than the window is looked at in a larger one.
            window = if taken > 0 { WINDOW } else { window.saturating_mul(2) };
            if !has_more && !self.reader.get_mut().read_on().map_err(SheetError::damaged)? {
                return Ok(());
            }
        }
    }

    /// Reads on to the next cell that holds something, the end of a row, or the end.
    fn next_with(&mut self, scratch: &mut Scratch, batch: &mut CellBatch) -> Result<Found, SheetError> {
        loop {
            self.step()?;
            scratch.buffer.clear();
            let event = self.reader.read_event_into(&mut scratch.buffer).map_err(SheetError::damaged);
            let event = match event.and_then(|event| Ok((self.elements.includes(&event)?, event))) {
                Ok((true, event)) => event,
                Ok((false, _)) => continue,
                // What follows the cells isn't missed where it can't be read.
                Err(_) if self.state == State::Behind => return Ok(Found::End),
                Err(error) => return Err(error),
            };
            match event {
                Event::Start(start) => match start.local_name().as_ref() {
                    "c" if self.state == State::Inside => {
                        let head = self.head(&start)?;
                        let Place { row, column } = self.place;
                        self.place.column = column.saturating_add(1);
                        if let Some(value) = self.value(&head, scratch, batch)? {
                            self.steps = self.steps.saturating_sub(STEPS_PER_CELL);
                            self.has_content = true;
                            batch.cells.push(RawCell { row, column, format: head.format, value });
                            return Ok(Found::Cell);
                        }
                    }
                    "row" if self.state == State::Inside => self.start_row(&start)?,
                    "sheetData" if self.state == State::Before => {
                        self.state = State::Inside;
                        self.keeps_blanks = keeps_blanks(&start).unwrap_or(self.keeps_blanks);
                    }
                    "worksheet" => self.keeps_blanks = keeps_blanks(&start).unwrap_or_default(),
                    "col" => self.column_looks(&start),
                    "mergeCell" => {
                        if let Some(merge) = plain_attribute(&start, "ref").as_deref().and_then(Merge::parse) {
                            self.shape.merge(merge);
                        }
                    }
                    _ => {}
                },
                Event::End(end) => match end.local_name().as_ref() {
                    "row" if self.state == State::Inside => {
                        self.place = Place { row: self.place.row.saturating_add(1), column: 0 };
                        self.row_was_read |= end.name().prefix().is_none();
                        if std::mem::take(&mut self.has_content) && !self.rows.insert(self.place.row) {
                            return Err(self.repeated_row(self.place.row));
                        }
                        return Ok(Found::RowEnd);
                    }
                    "sheetData" if self.state == State::Inside => self.state = State::Behind,
                    _ => {}
                },
                Event::Eof => {
                    return match self.state {
                        State::Before => Err(SheetError::damaged("a sheet's part has no cells")),
                        State::Inside => Err(SheetError::damaged("a sheet's cells are cut off")),
                        State::Behind => Ok(Found::End),
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
                "r" => self.place.row = self.row_number(found.value.trim())?,
                "hidden" => hidden = is_true(&found.value),
                _ => {}
            }
        }
        self.place.column = 0;
        if hidden {
            let number = self.place.row.saturating_add(1);
            self.shape.hide_rows(number, number);
        }
        Ok(())
    }

    fn column_looks(&mut self, start: &BytesStart<'_>) {
        let number = |name| {
            plain_attribute(start, name).and_then(|text| text.trim().parse::<u32>().ok()).filter(|&number| number > 0)
        };
        if !plain_attribute(start, "hidden").is_some_and(|hidden| is_true(&hidden)) {
            return;
        }
        if let (Some(first), Some(last)) = (number("min"), number("max")) {
            self.shape.hide_columns(first - 1, last - 1);
        }
    }

    /// `number` is 1-based.
    fn repeated_row(&self, number: u32) -> SheetError {
        SheetError::Repeated { sheet: self.sheet.to_owned(), row: number, column: None }
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
                "s" => {
                    let number: usize = found.value.trim().parse().unwrap_or_default();
                    head.format = u32::try_from(number).unwrap_or(u32::MAX);
                }
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
        let column = column.ok_or_else(|| SheetError::damaged(format_args!("{place:?} is no place")))?;
        self.place = Place { row, column };
        Ok(())
    }

    /// What stands in the cell that has just begun; reads to its end.
    fn value(
        &mut self,
        head: &Head,
        scratch: &mut Scratch,
        batch: &mut CellBatch,
    ) -> Result<Option<Value>, SheetError> {
        let (mut has_formula, mut has_value, mut inline) = (false, false, None);
        self.text.clear();
        loop {
            self.step()?;
            scratch.buffer.clear();
            let event = self.reader.read_event_into(&mut scratch.buffer).map_err(SheetError::damaged)?;
            if !self.elements.includes(&event)? {
                continue;
            }
            match event {
                Event::Start(start) => match start.local_name().as_ref() {
                    "v" => {
                        has_value = true;
                        self.plain_text(&mut scratch.buffer)?;
                    }
                    "is" => {
                        let around = head.keeps_blanks.unwrap_or(self.keeps_blanks);
                        let keeps = keeps_blanks(&start).unwrap_or(around);
                        let mut text = String::new();
                        let source = (&mut self.reader, &mut self.elements);
                        rich_text(source, ("is", keeps), scratch, (&mut text, self.limits))?;
                        inline = Some(text);
                    }
                    name => {
                        has_formula |= name == "f";
                        let end = start.to_end().into_owned();
                        scratch.buffer.clear();
                        self.reader.read_to_end_into(end.name(), &mut scratch.buffer).map_err(SheetError::damaged)?;
                        self.elements.leave();
                    }
                },
                Event::End(end) if end.local_name().as_ref() == "c" => break,
                Event::Eof => return Err(SheetError::damaged("a cell is cut off")),
                _ => {}
            }
        }
        let value = has_value.then_some(self.text.as_str());
        Ok(Content { kind: head.kind, has_formula, value, inline: inline.as_deref() }.value(batch))
    }

    /// The text up to the end of a value.
    fn plain_text(&mut self, buffer: &mut Vec<u8>) -> Result<(), SheetError> {
        self.text.clear();
        loop {
            self.step()?;
            buffer.clear();
            let event = self.reader.read_event_into(buffer).map_err(SheetError::damaged)?;
            if !self.elements.includes(&event)? {
                continue;
            }
            match event {
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
    pub(super) fn of(text: &str) -> Self {
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
