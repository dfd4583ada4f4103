//! Text files such as csv. Detects the encoding and the separator, and reads the cells, all of them as texts.
//!
//! Values aren't typed here. `00123` and `1,5` stay texts until a field decides how to read them.

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
use encoding::BlockDecoder;
pub use encoding::ENCODINGS;
pub(crate) use encoding::{TextEncoding, decode, looks_like_text};
use guess::Guess;
pub use guess::usual_encoding;
use lines::{RecordFormat, RecordReader};
pub(crate) use preview::preview;

/// The end-of-file mark of DOS text files, which Excel leaves out, too.
const END_MARK: char = '\u{1A}';
/// A byte that isn't in any text that passed the check.
const NO_SEPARATOR: u8 = 0;

/// The bytes of a text that suffice to detect its separator.
const HEAD: usize = 256 * 1024;
/// The bytes of a text that are split at a time.
const BLOCK: usize = 256 * 1024;
const SEPARATORS: [char; 4] = [';', ',', '\t', '|'];
/// The separator of the files that Takt writes.
const OWN_SEPARATOR: char = ',';

/// The form in which a text is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TextForm {
    /// One of [`ENCODINGS`], or another one that was detected.
    pub encoding: &'static str,
    /// Absent if each line is a single column.
    pub separator: Option<char>,
    pub quotes: Quotes,
    /// Encodings that read some cell differently, the likeliest first. Empty if the encoding is certain or was chosen.
    pub rivals: Vec<&'static str>,
    /// False if one of the rivals is nearly as likely.
    pub is_clear: bool,
    /// True if Takt wrote the file as csv, so its texts are guarded against being read as formulas.
    pub is_own: bool,
}

/// The meaning of quotes around a cell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Quotes {
    /// They enclose one cell, including line breaks and separators.
    #[default]
    Enclose,
    /// Characters like any other.
    Text,
}

/// The user's choices for a text. Absent ones are detected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextChoice {
    /// The name in any letter case, see [`ENCODINGS`].
    pub encoding: Option<String>,
    pub separator: Option<Separator>,
    pub quotes: Quotes,
}

/// A chosen separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    /// Each line is a single column.
    None,
    By(char),
}

impl TextForm {
    /// Returns the chosen form, completed by what is detected in the bytes. `usual` is [`Limits::usual_encoding`].
    pub(crate) fn detect(
        source: &Source,
        choice: &TextChoice,
        usual: Option<&'static str>,
    ) -> Result<Self, SheetError> {
        let Guess { encoding, rivals, is_clear } = match &choice.encoding {
            Some(name) => TextEncoding::by_name(name)
                .ok_or_else(|| SheetError::UnknownChoice(name.clone()))
                .map(Guess::certain)?,
            None => TextEncoding::detect_source(source, usual)?,
        };
        let head = source.head(HEAD)?;
        let is_own = is_own(&head, encoding);
        let separator = match choice.separator {
            Some(Separator::None) => None,
            Some(Separator::By(character)) if SEPARATORS.contains(&character) => Some(character),
            Some(Separator::By(character)) => return Err(SheetError::UnknownChoice(character.to_string())),
            None if is_own => Some(OWN_SEPARATOR),
            None => {
                let text = encoding.decode(&head);
                let (announced, body) = announced_separator(&text);
                announced.or_else(|| separator::separator(body)).map(char::from)
            }
        };
        let rivals = rivals.into_iter().map(TextEncoding::name).collect();
        let is_own = is_own && separator == Some(OWN_SEPARATOR) && choice.quotes == Quotes::Enclose;
        Ok(Self { encoding: encoding.name(), separator, quotes: choice.quotes, rivals, is_clear, is_own })
    }
}

pub(crate) fn read(
    source: &Source,
    name: &str,
    form: &TextForm,
    limits: &Limits,
    progress: &ProgressReporter<'_>,
) -> Result<Sheet, SheetError> {
    read_in_blocks(source, name, form, (limits, progress), BLOCK)
}

/// Like [`read`], with blocks of `block` bytes.
fn read_in_blocks(
    source: &Source,
    name: &str,
    form: &TextForm,
    (limits, progress): (&Limits, &ProgressReporter<'_>),
    block: usize,
) -> Result<Sheet, SheetError> {
    let encoding =
        TextEncoding::by_name(form.encoding).ok_or_else(|| SheetError::UnknownChoice(form.encoding.to_owned()))?;
    let blocks = TextBlocks::new(source, encoding);
    progress.expect(blocks.reader.counter(), source.len());
    let record_format = RecordFormat::new(encoding, form, limits);
    let mut builder = SheetBuilder::new(name, limits, progress);
    let mut placement = CellPlacement {
        formats: CellFormats::default(),
        is_1904: false,
        texts: &mut SharedTexts::default(),
        touched_spans: Vec::new(),
    };
    let put = |batches: BatchReceiver| batches.take_all(|batch| placement.put_all(batch, &mut builder));
    let doubts =
        read_ahead::read_in_parallel(|batches| split(blocks, RecordReader::new(batches, record_format), block), put)?;
    let sheet = builder.finish()?;
    if sheet.rows.is_empty() { Err(SheetError::Empty) } else { Ok(Sheet { doubts, ..sheet }) }
}

/// Reads a text in blocks of `block` bytes and passes them to `records`.
fn split(mut blocks: TextBlocks, mut records: RecordReader<'_>, block: usize) -> Result<TextDoubts, SheetError> {
    let mut text = String::new();
    blocks.read(block, &mut text)?;
    let announced = text.len() - announced_separator(&text).1.len();
    text.drain(..announced);
    records.read_from(&mut text, blocks.is_last)?;
    while !blocks.is_last {
        blocks.read(block, &mut text)?;
        records.read_from(&mut text, blocks.is_last)?;
    }
    if blocks.has_end_mark {
        records.set_end_mark();
    }
    records.finish()
}

/// The characters of a text, decoded in blocks.
struct TextBlocks {
    reader: SourceReader,
    encoding: TextEncoding,
    decoder: Option<BlockDecoder>,
    bytes: Vec<u8>,
    /// True once the text's end was read.
    is_last: bool,
    /// True if an end-of-file mark, which isn't part of the text, was read there.
    has_end_mark: bool,
}

impl TextBlocks {
    fn new(source: &Source, encoding: TextEncoding) -> Self {
        Self {
            reader: source.reader(),
            encoding,
            decoder: None,
            bytes: Vec::new(),
            is_last: false,
            has_end_mark: false,
        }
    }

    /// Appends the characters of at least `least` bytes to a text.
    fn read(&mut self, least: usize, text: &mut String) -> Result<(), SheetError> {
        // Blocks grow with the rest of a long record, so that it isn't scanned again for every small block.
        let wanted = least.max(text.len());
        self.bytes.clear();
        self.reader.by_ref().take(wanted as u64).read_to_end(&mut self.bytes).map_err(SheetError::Unreadable)?;
        self.is_last = self.bytes.len() < wanted;
        let decoder = self.decoder.get_or_insert_with(|| self.encoding.decoder(&self.bytes));
        decoder.push(&self.bytes, self.is_last, text);
        if self.is_last && text.ends_with(END_MARK) {
            text.truncate(text.trim_end_matches(END_MARK).len());
            self.has_end_mark = true;
        }
        Ok(())
    }
}

/// Returns whether Takt wrote a csv that begins with these bytes.
fn is_own(head: &[u8], encoding: TextEncoding) -> bool {
    encoding.is_utf8()
        && head.starts_with(BYTE_ORDER_MARK.as_bytes())
        && csv_dialect::is_written_by_takt(&encoding.decode(head))
}

/// Returns whether a text announces its separator, or most rows have the same number of columns, and more than one.
pub(crate) fn looks_like_table(head: &str) -> bool {
    let (announced, body) = announced_separator(head);
    announced.is_some() || separator::is_table(body)
}

/// Splits off a first line such as `sep=;`, which Excel writes and hides.
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

        fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
            texts[self.below(texts.len())]
        }
    }

    /// Returns rows of about the same number of columns. About one in `odd` fields is unusual.
    fn table(random: &mut Random, odd: usize, separator: &str) -> String {
        let line_end = random.pick(&["\n", "\n", "\r\n", "\r"]);
        let columns = 1 + random.below(6);
        let mut text = if random.below(4) == 0 { format!("sep={separator}\n") } else { String::new() };
        for row in 0..150 + random.below(400) {
            let columns = if random.below(odd) == 0 { random.below(9) } else { columns };
            for column in 0..columns {
                text.push_str(if column > 0 { separator } else { "" });
                let usual = format!("{row}");
                text.push_str(match random.below(odd) {
                    0 => random.pick(&[
                        "\"a\nb\"",
                        "\"a\r\nb;c,d\"",
                        "\"x\ny\nz\"",
                        "\"1;2;3\n4;5;6\"",
                        "\"\"\"q\"\"\"",
                        "\"\"",
                    ]),
                    1 => random.pick(&["Stück", " ", "", "\u{a0}", "a \"b\" c", "für €", "\"in\"", "\" \""]),
                    2 if random.below(12) == 0 => random.pick(&["5\" pipe", "\"open", "\"closed\" early", "\""]),
                    _ => &usual,
                });
            }
            text.push_str(if random.below(odd) == 0 { random.pick(&["\n", "\r\n", "\n\n", "\r"]) } else { line_end });
        }
        if random.below(2) == 0 {
            text.push_str("last");
        }
        text
    }

    /// Returns the sheet, and the first rows that were reported while it was read.
    fn read(source: &Source, form: &TextForm, limits: &Limits, block: usize) -> (Result<Sheet, String>, Vec<String>) {
        let heads = RefCell::new(Vec::new());
        let tell = |progress: ReadProgress<'_>| {
            heads.borrow_mut().extend(progress.head.map(|head| format!("{head:?}")));
            true
        };
        let read = read_in_blocks(source, "a", form, (limits, &ProgressReporter::new(&tell)), block);
        (read.map_err(|error| format!("{error:?}")), heads.into_inner())
    }

    #[test]
    fn blocks_of_any_size_give_the_same() {
        println!("seed {SEED}");
        let mut random = Random(SEED);
        let (mut doubted, mut refused) = (0, 0);
        for round in 0..400 {
            let odd = [6, 40, 400, 4_000][random.below(4)];
            let separator = random.pick(&[";", ",", "\t"]);
            let text = table(&mut random, odd, separator);
            let bytes = match random.below(6) {
                0 => WINDOWS_1252.encode(&text).0.into_owned(),
                1 => [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect(),
                2 => [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
                3 if text.is_ascii() => [text.as_bytes(), b"\nSt\xFCck"].concat(),
                _ => text.clone().into_bytes(),
            };
            let source = Source::from_bytes(bytes);
            let quotes = if random.below(5) == 0 { Quotes::Text } else { Quotes::Enclose };
            let choice = TextChoice { quotes, ..TextChoice::default() };
            let form = TextForm::detect(&source, &choice, None).unwrap();
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
