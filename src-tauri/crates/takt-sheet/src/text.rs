//! csv and its like: which letters the bytes are, which separator parts them, and the cells, all of them texts.
//!
//! Nothing is typed here: `00123` and `1,5` stay what they are until a field decides how to read them.

mod doubt;
mod encoding;
mod guess;
mod preview;
mod separator;
mod specials;
mod split;

use std::io::Read;

use serde::Serialize;

use crate::{
    CellRef, Limits, Measure, QuoteDoubt, Sheet, SheetError, progress::ProgressReporter, sheet::SheetBuilder,
    source::Source,
};
use doubt::DoubtKeeper;
use encoding::Decoding;
pub use encoding::ENCODINGS;
pub(crate) use encoding::{Letters, decode, looks_like_text};
use guess::Guess;
pub use guess::usual_encoding;
pub(crate) use preview::preview;
use split::Records;

/// Never part of a text that passed as one.
const NO_SEPARATOR: u8 = 0;

/// Enough of a text to tell its separator.
const HEAD: usize = 256 * 1024;
/// A row takes at most so many times the bytes of its longest cell.
const LONGEST_RECORD: usize = 64;
/// How much of a text is split at a time.
const BLOCK: usize = 256 * 1024;
const SEPARATORS: [char; 4] = [';', ',', '\t', '|'];

/// How a text is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TextForm {
    /// One of [`ENCODINGS`], or another that was found.
    pub encoding: &'static str,
    /// Absent where the whole line is one column.
    pub separator: Option<char>,
    pub quotes: Quotes,
    /// Encodings that are nearly as likely and read some cell otherwise; none where a person chose.
    pub rivals: Vec<&'static str>,
}

/// What quotes around a cell are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Quotes {
    /// What they enclose is one cell, line breaks and separators included.
    #[default]
    Enclose,
    /// Letters like any other.
    Text,
}

/// What a person says about a text. What is absent is found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextChoice {
    /// By name, letter case ignored; see [`ENCODINGS`].
    pub encoding: Option<String>,
    pub separator: Option<Separator>,
    pub quotes: Quotes,
}

/// A chosen separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    /// The whole line is one column.
    None,
    By(char),
}

impl TextForm {
    /// What the bytes look like, and what was chosen. `usual` as [`Limits::usual_encoding`].
    pub(crate) fn of(source: &Source, choice: &TextChoice, usual: Option<&'static str>) -> Result<Self, SheetError> {
        let Guess { letters, rivals } = match &choice.encoding {
            Some(name) => {
                Letters::by_name(name).ok_or_else(|| SheetError::UnknownChoice(name.clone())).map(Guess::certain)?
            }
            None => Letters::of_source(source, usual)?,
        };
        let separator = match choice.separator {
            Some(Separator::None) => None,
            Some(Separator::By(character)) if SEPARATORS.contains(&character) => Some(character),
            Some(Separator::By(character)) => return Err(SheetError::UnknownChoice(character.to_string())),
            None => {
                let head = source.head(HEAD)?;
                let text = letters.decode(&head);
                let (announced, body) = announced_separator(&text);
                announced.or_else(|| separator::separator(body)).map(char::from)
            }
        };
        let rivals = rivals.into_iter().map(Letters::name).collect();
        Ok(Self { encoding: letters.name(), separator, quotes: choice.quotes, rivals })
    }
}

pub(crate) fn read(
    source: &Source,
    name: &str,
    form: &TextForm,
    limits: &Limits,
    progress: &ProgressReporter<'_>,
) -> Result<Sheet, SheetError> {
    let letters = Letters::by_name(form.encoding).ok_or_else(|| SheetError::UnknownChoice(form.encoding.to_owned()))?;
    let separator = form.separator.and_then(|character| u8::try_from(character).ok()).unwrap_or(NO_SEPARATOR);
    let mut reader = source.reader();
    progress.expect(reader.counter(), source.len());
    let mut lines = Lines {
        builder: SheetBuilder::new(name, limits, progress),
        row: 0,
        width: 0,
        is_blank: true,
        quotes: form.quotes,
        doubts: DoubtKeeper::new(letters, &form.rivals),
        longest: limits.text_bytes,
    };
    let (mut bytes, mut text) = (Vec::new(), String::new());
    let mut decoding: Option<Decoding> = None;
    loop {
        // What is left of a long record isn't looked through again for every block.
        let wanted = BLOCK.max(text.len());
        bytes.clear();
        reader.by_ref().take(wanted as u64).read_to_end(&mut bytes).map_err(SheetError::Unreadable)?;
        let is_last = bytes.len() < wanted;
        let begins = decoding.is_none();
        decoding.get_or_insert_with(|| letters.decoding(&bytes)).push(&bytes, is_last, &mut text);
        let body = if begins { announced_separator(&text).1 } else { &text };
        let done = text.len() - body.len() + lines.take(body, separator, is_last)?;
        text.drain(..done);
        if text.len() > limits.text_bytes.saturating_mul(LONGEST_RECORD) {
            return Err(SheetError::too_large(Measure::TextBytes, limits.text_bytes as u64));
        }
        if is_last {
            break;
        }
    }
    let mut sheet = lines.builder.finish()?;
    sheet.doubts = lines.doubts.finish();
    if lines.is_blank || sheet.rows.is_empty() { Err(SheetError::Empty) } else { Ok(sheet) }
}

/// Records on their way into a sheet.
struct Lines<'a> {
    builder: SheetBuilder<'a>,
    row: u32,
    /// Columns of the last record whose quotes aren't doubted.
    width: usize,
    /// True as long as there was nothing but spaces, separators and quotes.
    is_blank: bool,
    quotes: Quotes,
    doubts: DoubtKeeper,
    /// Bytes of a cell.
    longest: usize,
}

impl Lines<'_> {
    /// Takes the whole records of a piece of text, and tells where the last of them ends.
    fn take(&mut self, text: &str, separator: u8, is_last: bool) -> Result<usize, SheetError> {
        let blank = |character: char| character.is_whitespace() || matches!(character, ';' | ',' | '|' | '"');
        self.is_blank = self.is_blank && text.chars().all(blank);
        let mut records = Records::of_part(text, separator, is_last).with_quotes(self.quotes);
        let mut fields = Vec::new();
        while records.read(&mut fields) {
            let doubt = records.doubt(self.width);
            if let Some((column, fault)) = doubt {
                self.check_bounds(column, fields.get(column as usize).map_or(0, |field| field.len()))?;
                self.doubts.quote(QuoteDoubt { row: self.row + 1, column, fault, lines: records.breaks() });
            } else if fields.len() > 1 {
                self.width = fields.len();
            }
            for (column, field) in (0..).zip(&fields) {
                self.builder.step()?;
                if !is_blank(field) {
                    self.doubts.letters((self.row, column), field);
                    self.builder.put(self.row, column, CellRef::of_text(field))?;
                }
            }
            self.row = self.row.saturating_add(1);
        }
        if let Some(column) = records.open_quote() {
            self.check_bounds(column, fields.last().map_or(0, |field| field.len()))?;
        }
        Ok(records.position())
    }

    /// A cell that a quote made too long is told by where that opens.
    fn check_bounds(&self, column: u32, bytes: usize) -> Result<(), SheetError> {
        if bytes <= self.longest {
            return Ok(());
        }
        Err(SheetError::QuoteNotClosed { row: self.row.saturating_add(1), column, limit: self.longest as u64 })
    }
}

#[inline]
fn is_blank(field: &str) -> bool {
    let begins_with_letter = field.as_bytes().first().is_some_and(u8::is_ascii_graphic);
    !begins_with_letter && field.trim().is_empty()
}

/// Whether most rows have the same number of columns, and more than one.
pub(crate) fn looks_like_table(head: &str) -> bool {
    let (announced, body) = announced_separator(head);
    announced.is_some() || separator::is_table(body)
}

/// A first line `sep=;` as Excel writes and hides it, and what follows it.
fn announced_separator(text: &str) -> (Option<u8>, &str) {
    let announced = || {
        let rest = text.strip_prefix("sep=").or_else(|| text.strip_prefix("SEP="))?;
        let separator = rest.bytes().next().filter(u8::is_ascii)?;
        let rest = rest.get(1..)?;
        let body = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).or_else(|| rest.strip_prefix('\r'))?;
        Some((separator, body))
    };
    announced().map_or((None, text), |(separator, body)| (Some(separator), body))
}
