//! Reads the records of a text into batches of cells, in order. It counts the rows, collects ambiguities, and limits
//! the length of records.
//!
//! Records are split on a second thread, while earlier cells are added to the sheet.

use std::borrow::Cow;

use memchr::memchr;

use super::{
    encoding::TextEncoding,
    form::TextForm,
    records::{Quotes, Records},
    separator::NO_SEPARATOR,
};
use crate::{
    CellAddress, EncodingDoubt, FieldCount, LimitKind, Limits, QuoteDoubt, QuoteFault, SheetError, TextDoubts,
    cell_batch::{BatchSender, CellBatch, MAX_BATCH_CELLS, RawCell, RawValue},
    formula_guard::{parse_text_formula, remove_formula_guards, strip_formula_guard},
};

/// The maximum bytes of a row, as a multiple of the maximum bytes of a cell.
const MAX_RECORD_LENGTH_FACTOR: usize = 64;
/// The maximum number of fields of a row, as a multiple of a sheet's columns. Fields after the last column may be
/// empty.
const MAX_FIELDS_FACTOR: usize = 4;

/// The maximum number of listed cells for each kind of ambiguity, except for doubtful quotes.
const MAX_LISTED_CELLS: usize = 10_000;

/// The form in which records are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordFormat<'f> {
    encoding: TextEncoding,
    separator: u8,
    quotes: Quotes,
    rivals: &'f [&'static str],
    /// The maximum length of a cell in bytes.
    max_cell_bytes: usize,
    /// See [`Limits::columns`].
    max_columns: u32,
    /// See [`TextForm::is_written_by_takt`].
    is_written_by_takt: bool,
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
            is_written_by_takt: form.is_written_by_takt,
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

    /// Reads the complete records of a piece of text, and leaves the incomplete last one in it.
    pub(super) fn read_from(&mut self, text: &mut String, is_last: bool) -> Result<(), SheetError> {
        let end = self.read_records(text, is_last);
        if end.is_err() {
            // The cells before the error are stored, because they may exceed a limit first.
            self.batches.send(&mut self.batch)?;
        }
        text.drain(..end?);
        if text.len() > self.form.max_cell_bytes.saturating_mul(MAX_RECORD_LENGTH_FACTOR) {
            return Err(SheetError::too_large(LimitKind::TextBytes, self.form.max_cell_bytes as u64));
        }
        Ok(())
    }

    /// Reads the complete records of a piece of text and returns the end of the last one.
    fn read_records(&mut self, text: &str, is_last: bool) -> Result<usize, SheetError> {
        let blank = |character: char| character.is_whitespace() || matches!(character, ';' | ',' | '|' | '"');
        self.is_blank = self.is_blank && text.chars().all(blank);
        let max_fields = (self.form.max_columns as usize).saturating_mul(MAX_FIELDS_FACTOR);
        let records = Records::from_part(text, self.form.separator, is_last);
        let mut records = records.with_quotes(self.form.quotes).with_max_fields(max_fields);
        let mut fields = Vec::new();
        while records.read(&mut fields) {
            // In a file that Takt wrote, all line breaks in quotes are intended.
            let is_intended = |fault: QuoteFault| self.form.is_written_by_takt && fault == QuoteFault::ContainsRows;
            let doubt = records.quote_doubt(self.width).filter(|(_, fault)| !is_intended(*fault));
            if let Some((column, fault)) = doubt {
                self.check_length(column, fields.get(column as usize).map_or(0, |field| field.len()))?;
                self.doubts.add_quote(QuoteDoubt { row: self.row + 1, column, fault, lines: records.line_breaks() });
            } else if fields.len() > 1 {
                self.width = fields.len();
            }
            let mut has_content = false;
            for (column, field) in (0..).zip(&mut fields) {
                if self.form.is_written_by_takt && memchr(b'\'', field.as_bytes()).is_some() {
                    *field = Cow::Owned(remove_formula_guards(field).into_owned());
                }
                let is_formula = !self.form.is_written_by_takt && field.as_bytes().first() == Some(&b'=');
                if let Some(text) = is_formula.then(|| parse_text_formula(field)).flatten() {
                    self.doubts.add_text_formula(self.row, column);
                    *field = Cow::Owned(text);
                }
                if !is_blank(field) {
                    has_content = true;
                    self.doubts.check_encoding(self.row, column, field);
                    if field.as_bytes().first() == Some(&b'\'') {
                        self.record_apostrophe(column, field);
                    }
                    let (start, end) = self.batch.add_text(field);
                    self.batch.cells.push(RawCell {
                        row: self.row,
                        column,
                        format: 0,
                        value: RawValue::Text(start, end),
                    });
                } else {
                    self.batch.steps += 1;
                }
            }
            if has_content {
                self.doubts.add_field_count(self.row, fields.len());
                if records.lacks_line_end() {
                    self.doubts.set_unterminated_row(self.row);
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
            return Err(SheetError::too_large(LimitKind::Columns, self.form.max_columns));
        }
        if let Some(column) = records.open_quote() {
            self.check_length(column, fields.last().map_or(0, |field| field.len()))?;
        }
        Ok(records.position())
    }

    /// Records an end-of-file mark, which proves that the text is complete.
    pub(super) fn set_end_mark(&mut self) {
        self.doubts.set_end_mark();
    }

    /// Records an apostrophe that may be a guard. In files that Takt wrote, guards are certain, so they aren't
    /// recorded.
    fn record_apostrophe(&mut self, column: u32, field: &str) {
        if !self.form.is_written_by_takt && strip_formula_guard(field).is_some() {
            self.doubts.add_apostrophe(self.row, column);
        }
    }

    /// Refuses a cell that is too long because of a quote. The error contains the address of the quote.
    fn check_length(&self, column: u32, bytes: usize) -> Result<(), SheetError> {
        let max_cell_bytes = self.form.max_cell_bytes;
        if bytes <= max_cell_bytes {
            return Ok(());
        }
        Err(SheetError::QuoteNotClosed { row: self.row.saturating_add(1), column, limit: max_cell_bytes as u64 })
    }

    /// Sends the last cells and returns the ambiguities. A blank text is an error.
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

/// Collects the ambiguities of a text.
struct DoubtCollector {
    encoding: TextEncoding,
    rivals: Vec<TextEncoding>,
    ambiguous: AmbiguousCharacters,
    doubts: TextDoubts,
}

/// The characters beyond ASCII that some rival decodes differently.
enum AmbiguousCharacters {
    All,
    /// Ascending.
    Some(Vec<char>),
}

impl AmbiguousCharacters {
    fn new(encoding: TextEncoding, rivals: &[TextEncoding]) -> Self {
        if !encoding.is_single_byte() || rivals.iter().any(|rival| !rival.is_single_byte()) {
            return Self::All;
        }
        let is_ambiguous = |byte: &u8| {
            let own = encoding.decode(std::slice::from_ref(byte));
            rivals.iter().any(|rival| rival.decode(std::slice::from_ref(byte)) != own)
        };
        let bytes: Vec<u8> = (0x80..=u8::MAX).filter(is_ambiguous).collect();
        let mut characters: Vec<char> = encoding.decode(&bytes).chars().collect();
        characters.sort_unstable();
        Self::Some(characters)
    }

    fn occur_in(&self, text: &str) -> bool {
        match self {
            Self::All => !text.is_ascii(),
            Self::Some(characters) => {
                text.chars().any(|letter| !letter.is_ascii() && characters.binary_search(&letter).is_ok())
            }
        }
    }
}

impl DoubtCollector {
    fn new(encoding: TextEncoding, rivals: &[&'static str]) -> Self {
        let rivals: Vec<TextEncoding> = rivals.iter().filter_map(|name| TextEncoding::by_name(name)).collect();
        let ambiguous = AmbiguousCharacters::new(encoding, &rivals);
        Self { encoding, rivals, ambiguous, doubts: TextDoubts::default() }
    }

    /// Adds a doubtful quote. All of them are listed, because none of their rows may be sent before users decide.
    fn add_quote(&mut self, doubt: QuoteDoubt) {
        self.doubts.quotes.push(doubt);
    }

    /// Records the number of fields of a 0-based row with content. Rows must come in order.
    #[inline]
    fn add_field_count(&mut self, row: u32, fields: usize) {
        let fields = u32::try_from(fields).unwrap_or(u32::MAX);
        if self.doubts.field_counts.last().is_none_or(|last| last.fields != fields) {
            self.doubts.field_counts.push(FieldCount { row: row.saturating_add(1), fields });
        }
    }

    /// Records that the text ends within this 0-based row.
    fn set_unterminated_row(&mut self, row: u32) {
        self.doubts.unterminated_row = Some(row.saturating_add(1));
    }

    fn add_apostrophe(&mut self, row: u32, column: u32) {
        if self.doubts.apostrophes.len() < MAX_LISTED_CELLS {
            self.doubts.apostrophes.push(CellAddress { row: row.saturating_add(1), column });
        }
    }

    fn add_text_formula(&mut self, row: u32, column: u32) {
        if self.doubts.text_formulas.len() < MAX_LISTED_CELLS {
            self.doubts.text_formulas.push(CellAddress { row: row.saturating_add(1), column });
        }
    }

    /// Records an end-of-file mark, which proves that the text is complete.
    fn set_end_mark(&mut self) {
        (self.doubts.has_end_mark, self.doubts.unterminated_row) = (true, None);
    }

    /// Records that the text ends within a character.
    fn set_cut_character(&mut self) {
        self.doubts.has_cut_character = true;
    }

    /// Lists a cell if a rival decodes it differently. The address is 0-based.
    #[inline]
    fn check_encoding(&mut self, row: u32, column: u32, text: &str) {
        if !self.rivals.is_empty() && !text.is_ascii() {
            self.compare_rivals(row, column, text);
        }
    }

    fn compare_rivals(&mut self, row: u32, column: u32, text: &str) {
        if !self.ambiguous.occur_in(text) {
            return;
        }
        self.doubts.encoding_doubt_count = self.doubts.encoding_doubt_count.saturating_add(1);
        if self.doubts.encodings.len() < MAX_LISTED_CELLS {
            let bytes = self.encoding.encode(text);
            self.doubts.encodings.push(EncodingDoubt {
                row: row.saturating_add(1),
                column,
                text: text.to_owned(),
                rival_texts: self.rivals.iter().map(|rival| rival.decode(&bytes).into_owned()).collect(),
            });
        }
    }

    fn finish(self) -> TextDoubts {
        self.doubts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_letters_that_a_rival_reads_otherwise_are_doubted() {
        let western = TextEncoding::by_name("windows-1252").unwrap();
        let mut collector = DoubtCollector::new(western, &["windows-1250"]);
        for (row, text) in (0..).zip(["plain", "Größe", "Ø 12", "¥", "±0,5"]) {
            collector.check_encoding(row, 1, text);
        }
        let doubts = collector.finish();
        let cells: Vec<(u32, &str, &str)> = doubts
            .encodings
            .iter()
            .map(|doubt| (doubt.row, doubt.text.as_str(), doubt.rival_texts[0].as_str()))
            .collect();
        assert_eq!(cells, [(3, "Ø 12", "Ř 12"), (4, "¥", "Ą")]);
        assert_eq!(doubts.encoding_doubt_count, 2);
        let mut collector = DoubtCollector::new(western, &["Shift_JIS"]);
        (0..10_100).for_each(|row| collector.check_encoding(row, 0, "ä"));
        let doubts = collector.finish();
        assert_eq!((doubts.encodings.len(), doubts.encoding_doubt_count), (MAX_LISTED_CELLS, 10_100));
    }
}
