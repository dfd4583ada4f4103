//! csv and its like: which letters the bytes are, which separator parts them, and the cells, all of them texts.
//!
//! Nothing is typed here: `00123` and `1,5` stay what they are until a field decides how to read them.

mod doubt;
mod encoding;
mod guess;
mod lines;
mod parallel;
mod preview;
mod separator;
mod specials;
mod split;
mod utf8;

use std::io::Read;

use serde::Serialize;

use crate::{
    Limits, Sheet, SheetError,
    csv_dialect::{self, BYTE_ORDER_MARK},
    progress::ProgressReporter,
    sheet::SheetBuilder,
    source::{Source, SourceReader},
};
use encoding::Decoding;
pub use encoding::ENCODINGS;
pub(crate) use encoding::{Letters, decode, looks_like_text};
use guess::Guess;
pub use guess::usual_encoding;
use lines::{LineForm, Lines};
use parallel::{PieceCounts, Pieces};
pub(crate) use preview::preview;

/// Marks the end of a text in DOS, which Excel leaves out, too.
const END_MARK: char = '\u{1A}';
/// Never part of a text that passed as one.
const NO_SEPARATOR: u8 = 0;

/// Enough of a text to tell its separator.
const HEAD: usize = 256 * 1024;
/// How much of a text is split at a time.
const BLOCK: usize = 256 * 1024;
const SEPARATORS: [char; 4] = [';', ',', '\t', '|'];
/// Of the files that Takt writes.
const OWN_SEPARATOR: char = ',';

/// How a text is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TextForm {
    /// One of [`ENCODINGS`], or another that was found.
    pub encoding: &'static str,
    /// Absent where the whole line is one column.
    pub separator: Option<char>,
    pub quotes: Quotes,
    /// Encodings that read some cell otherwise, the likeliest first. None if the encoding is certain or was chosen.
    pub rivals: Vec<&'static str>,
    /// False if one of the rivals is nearly as likely.
    pub is_clear: bool,
    /// True if Takt wrote the file as csv: its texts are guarded against being taken for formulas.
    pub is_own: bool,
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
        let Guess { letters, rivals, is_clear } = match &choice.encoding {
            Some(name) => {
                Letters::by_name(name).ok_or_else(|| SheetError::UnknownChoice(name.clone())).map(Guess::certain)?
            }
            None => Letters::of_source(source, usual)?,
        };
        let head = source.head(HEAD)?;
        let is_own = is_own(&head, letters);
        let separator = match choice.separator {
            Some(Separator::None) => None,
            Some(Separator::By(character)) if SEPARATORS.contains(&character) => Some(character),
            Some(Separator::By(character)) => return Err(SheetError::UnknownChoice(character.to_string())),
            None if is_own => Some(OWN_SEPARATOR),
            None => {
                let text = letters.decode(&head);
                let (announced, body) = announced_separator(&text);
                announced.or_else(|| separator::separator(body)).map(char::from)
            }
        };
        let rivals = rivals.into_iter().map(Letters::name).collect();
        let is_own = is_own && separator == Some(OWN_SEPARATOR) && choice.quotes == Quotes::Enclose;
        Ok(Self { encoding: letters.name(), separator, quotes: choice.quotes, rivals, is_clear, is_own })
    }
}

pub(crate) fn read(
    source: &Source,
    name: &str,
    form: &TextForm,
    limits: &Limits,
    progress: &ProgressReporter<'_>,
) -> Result<Sheet, SheetError> {
    read_in(source, name, form, (limits, progress), BLOCK, Pieces::default()).map(|(sheet, _)| sheet)
}

/// The same with blocks of so many bytes, and the rest in these pieces.
fn read_in(
    source: &Source,
    name: &str,
    form: &TextForm,
    (limits, progress): (&Limits, &ProgressReporter<'_>),
    block: usize,
    pieces: Pieces,
) -> Result<(Sheet, PieceCounts), SheetError> {
    let letters = Letters::by_name(form.encoding).ok_or_else(|| SheetError::UnknownChoice(form.encoding.to_owned()))?;
    let mut blocks = TextBlocks::new(source, letters);
    progress.expect(blocks.reader.counter(), source.len());
    let line_form = LineForm::new(letters, form, limits);
    let mut lines = Lines::new(SheetBuilder::new(name, limits, progress), line_form);
    let mut text = String::new();
    blocks.read(block, &mut text)?;
    let announced = text.len() - announced_separator(&text).1.len();
    text.drain(..announced);
    lines.take_from(&mut text, blocks.is_last)?;
    // The first rows are told before any others are read ahead.
    while !blocks.is_last && !lines.has_told_head() {
        blocks.read(block, &mut text)?;
        lines.take_from(&mut text, blocks.is_last)?;
    }
    let mut counts = PieceCounts::default();
    if !blocks.is_last {
        counts = parallel::take(&mut blocks, &mut lines, &mut text, (line_form, limits), pieces)?;
    }
    while !blocks.is_last {
        blocks.read(block, &mut text)?;
        lines.take_from(&mut text, blocks.is_last)?;
    }
    if blocks.has_end_mark {
        lines.end_mark();
    }
    lines.finish().map(|sheet| (sheet, counts))
}

/// A text's letters, some of them at a time.
struct TextBlocks {
    reader: SourceReader,
    letters: Letters,
    decoding: Option<Decoding>,
    bytes: Vec<u8>,
    /// True once the text's end is read.
    is_last: bool,
    /// True if a mark of the end, which isn't part of the text, was read there.
    has_end_mark: bool,
}

impl TextBlocks {
    fn new(source: &Source, letters: Letters) -> Self {
        Self {
            reader: source.reader(),
            letters,
            decoding: None,
            bytes: Vec::new(),
            is_last: false,
            has_end_mark: false,
        }
    }

    /// Puts the letters of at least so many bytes behind a text.
    fn read(&mut self, least: usize, text: &mut String) -> Result<(), SheetError> {
        // What is left of a long record isn't looked through again for every block.
        let wanted = least.max(text.len());
        self.bytes.clear();
        self.reader.by_ref().take(wanted as u64).read_to_end(&mut self.bytes).map_err(SheetError::Unreadable)?;
        self.is_last = self.bytes.len() < wanted;
        let decoding = self.decoding.get_or_insert_with(|| self.letters.decoding(&self.bytes));
        decoding.push(&self.bytes, self.is_last, text);
        if self.is_last && text.ends_with(END_MARK) {
            text.truncate(text.trim_end_matches(END_MARK).len());
            self.has_end_mark = true;
        }
        Ok(())
    }
}

/// Whether Takt wrote a csv that begins with these bytes.
fn is_own(head: &[u8], letters: Letters) -> bool {
    letters.is_utf8() && head.starts_with(BYTE_ORDER_MARK.as_bytes()) && csv_dialect::is_own(&letters.decode(head))
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
