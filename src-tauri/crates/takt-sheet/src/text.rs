//! Text files such as csv. Detects the encoding and the separator, and reads the cells, all of them as texts.
//!
//! Values aren't typed here. `00123` and `1,5` stay texts until a field decides how to read them.

mod encoding;
mod encoding_detection;
mod encoding_rating;
mod form;
mod languages;
mod record_reader;
mod records;
mod separator;

use std::io::Read;

use self::{
    encoding::BlockDecoder,
    record_reader::{RecordFormat, RecordReader},
    records::Records,
    separator::{NO_SEPARATOR, split_announced_separator},
};
use crate::{
    Limits, Sheet, SheetError, TextDoubts,
    cell_batch::{BatchReceiver, CellResolver, read_in_parallel},
    formula_guard::{parse_text_formula, remove_formula_guards},
    number_format::CellFormats,
    progress::ProgressReporter,
    shared_texts::SharedTexts,
    sheet::SheetBuilder,
    source::{Source, SourceReader},
};

pub use self::{
    encoding::ENCODINGS,
    form::{Separator, TextChoice, TextForm},
    languages::usual_encoding,
    records::Quotes,
};
pub(crate) use self::{
    encoding::TextEncoding,
    encoding_detection::{decode, looks_like_text},
    separator::looks_like_table,
};

/// The end-of-file mark of DOS text files, which Excel ignores, too.
const END_MARK: char = '\u{1A}';

/// Bytes of a text that are split at a time.
const BLOCK_BYTES: usize = 256 * 1024;

/// Bytes of a text that are read for a preview.
const PREVIEW_BYTES: usize = 64 * 1024;

/// Reads the cells of a text in this form.
pub(crate) fn read_sheet(
    source: &Source,
    name: &str,
    form: &TextForm,
    limits: &Limits,
    progress: &ProgressReporter<'_>,
) -> Result<Sheet, SheetError> {
    read_in_blocks(source, name, form, limits, progress, BLOCK_BYTES)
}

/// Like [`read_sheet`], with blocks of `block_bytes` bytes.
fn read_in_blocks(
    source: &Source,
    name: &str,
    form: &TextForm,
    limits: &Limits,
    progress: &ProgressReporter<'_>,
    block_bytes: usize,
) -> Result<Sheet, SheetError> {
    let encoding =
        TextEncoding::by_name(form.encoding).ok_or_else(|| SheetError::UnknownChoice(form.encoding.to_owned()))?;
    let blocks = TextBlocks::new(source, encoding);
    progress.set_counter(blocks.reader.counter(), source.len());
    let record_format = RecordFormat::new(encoding, form, limits);
    let mut builder = SheetBuilder::new(name, limits, progress);
    let mut resolver = CellResolver {
        formats: CellFormats::default(),
        is_1904: false,
        texts: &mut SharedTexts::default(),
        text_spans: Vec::new(),
    };
    let store = |batches: BatchReceiver| batches.store_all(|batch| resolver.put_batch(batch, &mut builder));
    let doubts = read_in_parallel(
        |batches| read_records(blocks, RecordReader::new(batches, record_format), block_bytes),
        store,
    )?;
    let sheet = builder.finish()?;
    if sheet.rows.is_empty() { Err(SheetError::Empty) } else { Ok(Sheet { doubts, ..sheet }) }
}

/// Reads a text in blocks of `block_bytes` bytes and passes them to `records`.
fn read_records(
    mut blocks: TextBlocks,
    mut records: RecordReader<'_>,
    block_bytes: usize,
) -> Result<TextDoubts, SheetError> {
    let mut text = String::new();
    blocks.read(block_bytes, &mut text)?;
    let announced = text.len() - split_announced_separator(&text).1.len();
    text.drain(..announced);
    records.read_from(&mut text, blocks.is_last)?;
    while !blocks.is_last {
        blocks.read(block_bytes, &mut text)?;
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
    /// True if an end-of-file mark, which isn't part of the text, was found at the end.
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

    /// Appends the characters of at least `min_bytes` bytes to a text.
    fn read(&mut self, min_bytes: usize, text: &mut String) -> Result<(), SheetError> {
        // Blocks grow with the rest of a long record, so that it isn't scanned again for every small block.
        let wanted = min_bytes.max(text.len());
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

/// Reads the first rows of a text with another encoding or separator, before users decide on them. Returns at most
/// `max_rows` rows with content, with their numbers.
pub(crate) fn preview_rows(
    source: &Source,
    choice: &TextChoice,
    max_rows: usize,
    usual_encoding: Option<&'static str>,
) -> Result<Vec<(u32, Vec<String>)>, SheetError> {
    let head = source.head(PREVIEW_BYTES)?;
    let form = TextForm::detect(&Source::from_bytes(&*head), choice, usual_encoding)?;
    let encoding = TextEncoding::by_name(form.encoding).unwrap_or_else(|| TextEncoding::detect(&head));
    let text = encoding.decode(&head);
    let (_, body) = split_announced_separator(&text);
    let separator = form.separator.and_then(|character| u8::try_from(character).ok()).unwrap_or(NO_SEPARATOR);
    let numbered = (1_u32..).zip(Records::new(body, separator).with_quotes(form.quotes));
    let mut rows: Vec<(u32, Vec<String>)> = numbered
        .map(|(row, record)| (row, record.into_iter().map(|field| field_text(&field, &form)).collect::<Vec<_>>()))
        .filter(|(_, cells)| cells.iter().any(|cell| !cell.trim().is_empty()))
        .take(max_rows + 1)
        .collect();
    // If the text was cut, its last row may be incomplete.
    if rows.len() > max_rows || (head.len() as u64) < source.len() && rows.len() > 1 {
        rows.truncate(max_rows.min(rows.len() - 1));
    }
    Ok(rows)
}

/// Returns a field as a sheet's cell would contain it.
fn field_text(field: &str, form: &TextForm) -> String {
    if form.is_written_by_takt {
        remove_formula_guards(field).into_owned()
    } else {
        parse_text_formula(field).unwrap_or_else(|| field.to_owned())
    }
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
        fn number_below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).unwrap() % limit
        }

        fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
            texts[self.number_below(texts.len())]
        }
    }

    /// Returns rows of about the same number of columns. About one in `odd` fields is unusual.
    fn random_table(random: &mut Random, odd: usize, separator: &str) -> String {
        let line_end = random.pick(&["\n", "\n", "\r\n", "\r"]);
        let columns = 1 + random.number_below(6);
        let mut text = if random.number_below(4) == 0 { format!("sep={separator}\n") } else { String::new() };
        for row in 0..150 + random.number_below(400) {
            let columns = if random.number_below(odd) == 0 { random.number_below(9) } else { columns };
            for column in 0..columns {
                text.push_str(if column > 0 { separator } else { "" });
                let usual = format!("{row}");
                text.push_str(match random.number_below(odd) {
                    0 => random.pick(&[
                        "\"a\nb\"",
                        "\"a\r\nb;c,d\"",
                        "\"x\ny\nz\"",
                        "\"1;2;3\n4;5;6\"",
                        "\"\"\"q\"\"\"",
                        "\"\"",
                    ]),
                    1 => random.pick(&["Stück", " ", "", "\u{a0}", "a \"b\" c", "für €", "\"in\"", "\" \""]),
                    2 if random.number_below(12) == 0 => random.pick(&["5\" pipe", "\"open", "\"closed\" early", "\""]),
                    _ => &usual,
                });
            }
            text.push_str(if random.number_below(odd) == 0 {
                random.pick(&["\n", "\r\n", "\n\n", "\r"])
            } else {
                line_end
            });
        }
        if random.number_below(2) == 0 {
            text.push_str("last");
        }
        text
    }

    /// Returns the sheet, and the first rows that were reported while it was read.
    fn read(
        source: &Source,
        form: &TextForm,
        limits: &Limits,
        block_bytes: usize,
    ) -> (Result<Sheet, String>, Vec<String>) {
        let heads = RefCell::new(Vec::new());
        let on_progress = |progress: ReadProgress<'_>| {
            heads.borrow_mut().extend(progress.head.map(|head| format!("{head:?}")));
            true
        };
        let read = read_in_blocks(source, "a", form, limits, &ProgressReporter::new(&on_progress), block_bytes);
        (read.map_err(|error| format!("{error:?}")), heads.into_inner())
    }

    #[test]
    fn blocks_of_any_size_give_the_same() {
        println!("seed {SEED}");
        let mut random = Random(SEED);
        let (mut doubted, mut refused) = (0, 0);
        for round in 0..400 {
            let odd = [6, 40, 400, 4_000][random.number_below(4)];
            let separator = random.pick(&[";", ",", "\t"]);
            let text = random_table(&mut random, odd, separator);
            let bytes = match random.number_below(6) {
                0 => WINDOWS_1252.encode(&text).0.into_owned(),
                1 => [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect(),
                2 => [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
                3 if text.is_ascii() => [text.as_bytes(), b"\nSt\xFCck"].concat(),
                _ => text.clone().into_bytes(),
            };
            let source = Source::from_bytes(bytes);
            let quotes = if random.number_below(5) == 0 { Quotes::Text } else { Quotes::Enclose };
            let choice = TextChoice { quotes, ..TextChoice::default() };
            let form = TextForm::detect(&source, &choice, None).unwrap();
            let usual = Limits::default();
            let limits = match random.number_below(6) {
                0 => Limits { rows: u32::try_from(100 + random.number_below(400)).unwrap(), ..usual },
                1 => Limits { cells: 300 + random.number_below(2_000) as u64, ..usual },
                2 => Limits { columns: u32::try_from(1 + random.number_below(8)).unwrap(), ..usual },
                _ => usual,
            };
            let expected = read(&source, &form, &limits, BLOCK_BYTES);
            for block in [40 + random.number_below(40), 200 + random.number_below(400), 1_500] {
                assert!(read(&source, &form, &limits, block) == expected, "round {round}, {block}: {text:?}");
            }
            doubted += usize::from(expected.0.as_ref().is_ok_and(|sheet| !sheet.doubts.quotes.is_empty()));
            refused += usize::from(expected.0.is_err());
        }
        assert!(doubted > 50 && refused > 20, "{doubted} doubted, {refused} refused");
    }
}
