//! Records of a text on their way into a sheet, in their order. Owns row numbers, what is doubted, and how long a record may be.
//!
//! Records are split on a second thread, while earlier cells are put into the sheet.

use std::borrow::Cow;

use memchr::memchr;

use super::{NO_SEPARATOR, Quotes, TextForm, doubt::DoubtKeeper, encoding::Letters, split::Records};
use crate::{
    Limits, Measure, QuoteDoubt, QuoteFault, SheetError, TextDoubts,
    cell_batch::{CellBatch, RawCell, Value},
    formula_guard::{formula_text, unguard, without_formula_guard},
    read_ahead::{BatchSender, MAX_BATCH_CELLS},
};

/// A row takes at most so many times the bytes of its longest cell.
const MAX_RECORD_LENGTH_FACTOR: usize = 64;
/// A row has at most so many times as many fields as a sheet has columns: those behind the last column may be empty.
const MAX_FIELDS_FACTOR: usize = 4;

/// How the lines of a text are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineForm<'f> {
    letters: Letters,
    separator: u8,
    quotes: Quotes,
    rivals: &'f [&'static str],
    /// Bytes of a cell.
    longest: usize,
    /// Columns of a sheet.
    columns: u32,
    /// As [`TextForm::is_own`].
    is_own: bool,
}

impl<'f> LineForm<'f> {
    pub(super) fn new(letters: Letters, form: &'f TextForm, limits: &Limits) -> Self {
        let separator = form.separator.and_then(|character| u8::try_from(character).ok()).unwrap_or(NO_SEPARATOR);
        Self {
            letters,
            separator,
            quotes: form.quotes,
            rivals: &form.rivals,
            longest: limits.text_bytes,
            columns: limits.columns,
            is_own: form.is_own,
        }
    }
}

pub(super) struct Lines<'a> {
    batches: BatchSender,
    batch: CellBatch,
    form: LineForm<'a>,
    row: u32,
    /// Columns of the last record whose quotes aren't doubted.
    width: usize,
    /// True as long as there was nothing but spaces, separators and quotes.
    is_blank: bool,
    doubts: DoubtKeeper,
}

impl<'a> Lines<'a> {
    pub(super) fn new(batches: BatchSender, form: LineForm<'a>) -> Self {
        let doubts = DoubtKeeper::new(form.letters, form.rivals);
        Self { batches, batch: CellBatch::default(), form, row: 0, width: 0, is_blank: true, doubts }
    }

    /// Takes the whole records of a piece of text and leaves the rest.
    pub(super) fn take_from(&mut self, text: &mut String, is_last: bool) -> Result<(), SheetError> {
        let done = self.take(text, is_last);
        if done.is_err() {
            // The cells before the error are stored, because they may exceed a limit first.
            self.batches.send(&mut self.batch)?;
        }
        text.drain(..done?);
        if text.len() > self.form.longest.saturating_mul(MAX_RECORD_LENGTH_FACTOR) {
            return Err(SheetError::too_large(Measure::TextBytes, self.form.longest as u64));
        }
        Ok(())
    }

    /// Takes the whole records of a piece of text, and tells where the last of them ends.
    fn take(&mut self, text: &str, is_last: bool) -> Result<usize, SheetError> {
        let blank = |character: char| character.is_whitespace() || matches!(character, ';' | ',' | '|' | '"');
        self.is_blank = self.is_blank && text.chars().all(blank);
        let most_fields = (self.form.columns as usize).saturating_mul(MAX_FIELDS_FACTOR);
        let records = Records::of_part(text, self.form.separator, is_last);
        let mut records = records.with_quotes(self.form.quotes).with_most_fields(most_fields);
        let mut fields = Vec::new();
        while records.read(&mut fields) {
            // In a file of Takt all line breaks in quotes are meant.
            let is_meant = |fault: QuoteFault| self.form.is_own && fault == QuoteFault::HoldsRows;
            let doubt = records.doubt(self.width).filter(|(_, fault)| !is_meant(*fault));
            if let Some((column, fault)) = doubt {
                self.check_bounds(column, fields.get(column as usize).map_or(0, |field| field.len()))?;
                self.doubts.quote(QuoteDoubt { row: self.row + 1, column, fault, lines: records.breaks() });
            } else if fields.len() > 1 {
                self.width = fields.len();
            }
            let mut has_content = false;
            for (column, field) in (0..).zip(&mut fields) {
                if self.form.is_own && memchr(b'\'', field.as_bytes()).is_some() {
                    *field = Cow::Owned(unguard(field).into_owned());
                }
                let is_formula = !self.form.is_own && field.as_bytes().first() == Some(&b'=');
                if let Some(text) = is_formula.then(|| formula_text(field)).flatten() {
                    self.doubts.text_formula((self.row, column));
                    *field = Cow::Owned(text);
                }
                if !is_blank(field) {
                    has_content = true;
                    self.doubts.letters((self.row, column), field);
                    if field.as_bytes().first() == Some(&b'\'') {
                        self.note_apostrophe(column, field);
                    }
                    let (start, end) = self.batch.add(field);
                    self.batch.cells.push(RawCell { row: self.row, column, format: 0, value: Value::Text(start, end) });
                } else {
                    self.batch.steps += 1;
                }
            }
            if has_content {
                self.doubts.fields(self.row, fields.len());
                if records.is_open() {
                    self.doubts.open_row(self.row);
                    if text.ends_with(char::REPLACEMENT_CHARACTER) {
                        self.doubts.cut_letter();
                    }
                }
            }
            self.row = self.row.saturating_add(1);
            if self.batch.is_full(MAX_BATCH_CELLS) {
                self.batches.send(&mut self.batch)?;
            }
        }
        if records.has_too_many_fields() {
            return Err(SheetError::too_large(Measure::Columns, self.form.columns));
        }
        if let Some(column) = records.open_quote() {
            self.check_bounds(column, fields.last().map_or(0, |field| field.len()))?;
        }
        Ok(records.position())
    }

    /// A mark behind the text says that it is whole.
    pub(super) fn end_mark(&mut self) {
        self.doubts.end_mark();
    }

    /// In a file of another program nothing tells whether the apostrophe is meant.
    fn note_apostrophe(&mut self, column: u32, field: &str) {
        if !self.form.is_own && without_formula_guard(field).is_some() {
            self.doubts.apostrophe((self.row, column));
        }
    }

    /// A cell that a quote made too long is told by where that opens.
    fn check_bounds(&self, column: u32, bytes: usize) -> Result<(), SheetError> {
        let longest = self.form.longest;
        if bytes <= longest {
            return Ok(());
        }
        Err(SheetError::QuoteNotClosed { row: self.row.saturating_add(1), column, limit: longest as u64 })
    }

    /// Sends the last cells.
    pub(super) fn finish(mut self) -> Result<TextDoubts, SheetError> {
        self.batches.send(&mut self.batch)?;
        if self.is_blank { Err(SheetError::Empty) } else { Ok(self.doubts.finish()) }
    }
}

#[inline]
fn is_blank(field: &str) -> bool {
    let begins_with_letter = field.as_bytes().first().is_some_and(u8::is_ascii_graphic);
    !begins_with_letter && field.trim().is_empty()
}
