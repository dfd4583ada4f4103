//! csv and its like: which letters the bytes are, which separator parts them, and the cells, all of them texts.
//!
//! Nothing is typed here: `00123` and `1,5` stay what they are until a field decides how to read them.

mod doubt;
mod encoding;
mod guess;
mod lines;
mod preview;
mod separator;
mod split;
mod utf8;

use std::io::Read;

use serde::Serialize;

use crate::{
    Limits, Sheet, SheetError, TextDoubts,
    cell_batch::CellPlacement,
    csv_dialect::{self, BYTE_ORDER_MARK},
    number_format::CellFormats,
    progress::ProgressReporter,
    read_ahead::{self, BatchReceiver},
    shared_texts::SharedTexts,
    sheet::SheetBuilder,
    source::{Source, SourceReader},
};
use encoding::Decoding;
pub use encoding::ENCODINGS;
pub(crate) use encoding::{Letters, decode, looks_like_text};
use guess::Guess;
pub use guess::usual_encoding;
use lines::{LineForm, Lines};
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
    read_in(source, name, form, (limits, progress), BLOCK)
}

/// The same with blocks of so many bytes.
fn read_in(
    source: &Source,
    name: &str,
    form: &TextForm,
    (limits, progress): (&Limits, &ProgressReporter<'_>),
    block: usize,
) -> Result<Sheet, SheetError> {
    let letters = Letters::by_name(form.encoding).ok_or_else(|| SheetError::UnknownChoice(form.encoding.to_owned()))?;
    let blocks = TextBlocks::new(source, letters);
    progress.expect(blocks.reader.counter(), source.len());
    let line_form = LineForm::new(letters, form, limits);
    let mut builder = SheetBuilder::new(name, limits, progress);
    let mut placement = CellPlacement {
        formats: CellFormats::default(),
        is_1904: false,
        texts: &mut SharedTexts::default(),
        places: Vec::new(),
    };
    let put = |batches: BatchReceiver| batches.take_all(|batch| placement.put_all(batch, &mut builder));
    let doubts = read_ahead::each(|batches| split(blocks, Lines::new(batches, line_form), block), put)?;
    let sheet = builder.finish()?;
    if sheet.rows.is_empty() { Err(SheetError::Empty) } else { Ok(Sheet { doubts, ..sheet }) }
}

/// Gives all records to `lines`, in blocks of so many bytes.
fn split(mut blocks: TextBlocks, mut lines: Lines<'_>, block: usize) -> Result<TextDoubts, SheetError> {
    let mut text = String::new();
    blocks.read(block, &mut text)?;
    let announced = text.len() - announced_separator(&text).1.len();
    text.drain(..announced);
    lines.take_from(&mut text, blocks.is_last)?;
    while !blocks.is_last {
        blocks.read(block, &mut text)?;
        lines.take_from(&mut text, blocks.is_last)?;
    }
    if blocks.has_end_mark {
        lines.end_mark();
    }
    lines.finish()
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
        let separator = rest.bytes().next().filter(|byte| byte.is_ascii() && !matches!(byte, b'\r' | b'\n'))?;
        let rest = rest.get(1..)?;
        let body = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).or_else(|| rest.strip_prefix('\r'))?;
        Some((separator, body))
    };
    announced().map_or((None, text), |(separator, body)| (Some(separator), body))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use encoding_rs::WINDOWS_1252;

    use super::*;
    use crate::ReadProgress;

    const SEED: u64 = 2026;

    struct Random(u64);

    impl Random {
        fn below(&mut self, below: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).unwrap() % below
        }

        fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
            texts[self.below(texts.len())]
        }
    }

    /// Rows of about as many columns, with as many oddities as this share says.
    fn table(random: &mut Random, odd: usize, separator: &str) -> String {
        let line_end = random.of(&["\n", "\n", "\r\n", "\r"]);
        let columns = 1 + random.below(6);
        let mut text = if random.below(4) == 0 { format!("sep={separator}\n") } else { String::new() };
        for row in 0..150 + random.below(400) {
            let columns = if random.below(odd) == 0 { random.below(9) } else { columns };
            for column in 0..columns {
                text.push_str(if column > 0 { separator } else { "" });
                let usual = format!("{row}");
                text.push_str(match random.below(odd) {
                    0 => random.of(&[
                        "\"a\nb\"",
                        "\"a\r\nb;c,d\"",
                        "\"x\ny\nz\"",
                        "\"1;2;3\n4;5;6\"",
                        "\"\"\"q\"\"\"",
                        "\"\"",
                    ]),
                    1 => random.of(&["Stück", " ", "", "\u{a0}", "a \"b\" c", "für €", "\"in\"", "\" \""]),
                    2 if random.below(12) == 0 => random.of(&["5\" pipe", "\"open", "\"closed\" early", "\""]),
                    _ => &usual,
                });
            }
            text.push_str(if random.below(odd) == 0 { random.of(&["\n", "\r\n", "\n\n", "\r"]) } else { line_end });
        }
        if random.below(2) == 0 {
            text.push_str("last");
        }
        text
    }

    /// The sheet, and the first rows that were reported while it was read.
    fn read(source: &Source, form: &TextForm, limits: &Limits, block: usize) -> (Result<Sheet, String>, Vec<String>) {
        let heads = RefCell::new(Vec::new());
        let tell = |progress: ReadProgress<'_>| {
            heads.borrow_mut().extend(progress.head.map(|head| format!("{head:?}")));
            true
        };
        let read = read_in(source, "a", form, (limits, &ProgressReporter::new(&tell)), block);
        (read.map_err(|error| format!("{error:?}")), heads.into_inner())
    }

    #[test]
    fn blocks_of_any_size_give_the_same() {
        println!("seed {SEED}");
        let mut random = Random(SEED);
        let (mut doubted, mut refused) = (0, 0);
        for round in 0..400 {
            let odd = [6, 40, 400, 4_000][random.below(4)];
            let separator = random.of(&[";", ",", "\t"]);
            let text = table(&mut random, odd, separator);
            let bytes = match random.below(6) {
                0 => WINDOWS_1252.encode(&text).0.into_owned(),
                1 => [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect(),
                2 => [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
                3 if text.is_ascii() => [text.as_bytes(), b"\nSt\xFCck"].concat(),
                _ => text.clone().into_bytes(),
            };
            let source = Source::of(bytes);
            let quotes = if random.below(5) == 0 { Quotes::Text } else { Quotes::Enclose };
            let choice = TextChoice { quotes, ..TextChoice::default() };
            let form = TextForm::of(&source, &choice, None).unwrap();
            let usual = Limits::default();
            let limits = match random.below(6) {
                0 => Limits { rows: u32::try_from(100 + random.below(400)).unwrap(), ..usual },
                1 => Limits { cells: 300 + random.below(2_000) as u64, ..usual },
                2 => Limits { columns: u32::try_from(1 + random.below(8)).unwrap(), ..usual },
                _ => usual,
            };
            let expected = read(&source, &form, &limits, BLOCK);
            for block in [40 + random.below(40), 200 + random.below(400), 1_500] {
                assert!(read(&source, &form, &limits, block) == expected, "round {round}, {block}: {text:?}");
            }
            doubted += usize::from(expected.0.as_ref().is_ok_and(|sheet| !sheet.doubts.quotes.is_empty()));
            refused += usize::from(expected.0.is_err());
        }
        assert!(doubted > 50 && refused > 20, "{doubted} doubted, {refused} refused");
    }

    #[test]
    fn a_line_end_is_no_announced_separator() {
        for text in ["sep=\r\na;b\r\n", "sep=\n\na;b\n", "sep=\r\ra;b\r", "sep=\n"] {
            assert_eq!(announced_separator(text), (None, text));
        }
        assert_eq!(announced_separator("sep=;\r\na;b"), (Some(b';'), "a;b"));
    }
}
