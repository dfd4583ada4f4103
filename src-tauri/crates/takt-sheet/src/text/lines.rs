//! Reads the records of a text into batches of cells, in order. It counts the rows, collects ambiguities, and limits
//! the length of records.
//!
//! Records are split on a second thread, while earlier cells are added to the sheet.

use std::borrow::Cow;

use memchr::memchr;

use super::{
    doubt::DoubtCollector,
    encoding::TextEncoding,
    form::TextForm,
    separator::NO_SEPARATOR,
    split::{Quotes, Records},
};
use crate::{
    Limits, Measure, QuoteDoubt, QuoteFault, SheetError, TextDoubts,
    cell_batch::{CellBatch, RawCell, Value},
    formula_guard::{formula_text, unguard, without_formula_guard},
    read_ahead::{BatchSender, MAX_BATCH_CELLS},
};

/// The maximum bytes of a row, as a multiple of the bytes of its longest cell.
const MAX_RECORD_LENGTH_FACTOR: usize = 64;
/// The maximum number of fields of a row, as a multiple of a sheet's columns. Fields behind the last column may be
/// empty.
const MAX_FIELDS_FACTOR: usize = 4;

/// The form in which records are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordFormat<'f> {
    encoding: TextEncoding,
    separator: u8,
    quotes: Quotes,
    rivals: &'f [&'static str],
    /// The maximum bytes of a cell.
    max_cell_bytes: usize,
    /// The maximum number of columns of a sheet.
    max_columns: u32,
    /// See [`TextForm::is_own`].
    is_own: bool,
}

impl<'f> RecordFormat<'f> {
    pub(super) fn new(encoding: TextEncoding, form: &'f TextForm, limits: &Limits) -> Self {
        let separator = form.separator.and_then(|character| u8::try_from(character).ok()).unwrap_or(NO_SEPARATOR);
        Self {
            encoding,
            separator,
            quotes: form.quotes,
            rivals: &form.rivals,
            max_cell_bytes: limits.text_bytes,
            max_columns: limits.columns,
            is_own: form.is_own,
        }
    }
}

pub(super) struct RecordReader<'a> {
    batches: BatchSender,
    batch: CellBatch,
    form: RecordFormat<'a>,
    row: u32,
    /// The number of columns of the last record whose quotes aren't doubtful.
    width: usize,
    /// True as long as the text has only spaces, separators and quotes.
    is_blank: bool,
    doubts: DoubtCollector,
}

impl<'a> RecordReader<'a> {
    pub(super) fn new(batches: BatchSender, form: RecordFormat<'a>) -> Self {
        let doubts = DoubtCollector::new(form.encoding, form.rivals);
        Self { batches, batch: CellBatch::default(), form, row: 0, width: 0, is_blank: true, doubts }
    }

    /// Reads the whole records of a piece of text and leaves the rest.
    pub(super) fn read_from(&mut self, text: &mut String, is_last: bool) -> Result<(), SheetError> {
        let end = self.read_records(text, is_last);
        if end.is_err() {
            // The cells before the error are stored, because they may exceed a limit first.
            self.batches.send(&mut self.batch)?;
        }
        text.drain(..end?);
        if text.len() > self.form.max_cell_bytes.saturating_mul(MAX_RECORD_LENGTH_FACTOR) {
            return Err(SheetError::too_large(Measure::TextBytes, self.form.max_cell_bytes as u64));
        }
        Ok(())
    }

    /// Reads the whole records of a piece of text and returns the end of the last one.
    fn read_records(&mut self, text: &str, is_last: bool) -> Result<usize, SheetError> {
        let blank = |character: char| character.is_whitespace() || matches!(character, ';' | ',' | '|' | '"');
        self.is_blank = self.is_blank && text.chars().all(blank);
        let max_fields = (self.form.max_columns as usize).saturating_mul(MAX_FIELDS_FACTOR);
        let records = Records::from_part(text, self.form.separator, is_last);
        let mut records = records.with_quotes(self.form.quotes).with_max_fields(max_fields);
        let mut fields = Vec::new();
        while records.read(&mut fields) {
            // In a file that Takt wrote, all line breaks in quotes are intended.
            let is_meant = |fault: QuoteFault| self.form.is_own && fault == QuoteFault::HoldsRows;
            let doubt = records.quote_doubt(self.width).filter(|(_, fault)| !is_meant(*fault));
            if let Some((column, fault)) = doubt {
                self.check_bounds(column, fields.get(column as usize).map_or(0, |field| field.len()))?;
                self.doubts.add_quote(QuoteDoubt { row: self.row + 1, column, fault, lines: records.line_breaks() });
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
                    self.doubts.add_text_formula(self.row, column);
                    *field = Cow::Owned(text);
                }
                if !is_blank(field) {
                    has_content = true;
                    self.doubts.check_encoding(self.row, column, field);
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
                self.doubts.add_field_count(self.row, fields.len());
                if records.is_open() {
                    self.doubts.set_open_row(self.row);
                    if text.ends_with(char::REPLACEMENT_CHARACTER) {
                        self.doubts.set_cut_character();
                    }
                }
            }
            self.row = self.row.saturating_add(1);
            if self.batch.is_full(MAX_BATCH_CELLS) {
                self.batches.send(&mut self.batch)?;
            }
        }
        if records.has_too_many_fields() {
            return Err(SheetError::too_large(Measure::Columns, self.form.max_columns));
        }
        if let Some(column) = records.open_quote() {
            self.check_bounds(column, fields.last().map_or(0, |field| field.len()))?;
        }
        Ok(records.position())
    }

    /// Records an end-of-file mark, which proves that the text is complete.
    pub(super) fn set_end_mark(&mut self) {
        self.doubts.set_end_mark();
    }

    /// Records an apostrophe that may be a guard. Only in files that Takt wrote is it certain.
    fn note_apostrophe(&mut self, column: u32, field: &str) {
        if !self.form.is_own && without_formula_guard(field).is_some() {
            self.doubts.add_apostrophe(self.row, column);
        }
    }

    /// Refuses a cell that a quote made too long, with the address of the quote.
    fn check_bounds(&self, column: u32, bytes: usize) -> Result<(), SheetError> {
        let max_cell_bytes = self.form.max_cell_bytes;
        if bytes <= max_cell_bytes {
            return Ok(());
        }
        Err(SheetError::QuoteNotClosed { row: self.row.saturating_add(1), column, limit: max_cell_bytes as u64 })
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
