//! Large texts, split on several threads at once.
//!
//! A text is cut at a line end that is likely to end a record: as many quotes stand before it as open and close. Each piece is
//! then taken by itself, by the same code that takes a text in its order, and what it gives counts only where it ends with a
//! whole record. So each piece that counts begins where a record begins, and no guess is relied on: where one was wrong, the text
//! from there on is taken in its order.

use std::{
    panic,
    sync::mpsc::{Receiver, Sender, channel},
    thread::{self, Scope, ScopedJoinHandle},
};

use memchr::{memchr_iter, memrchr};

use super::{
    Quotes, TextBlocks,
    lines::{LineForm, Lines, LinesPart},
};
use crate::{Limits, SheetError, panic_text::quiet, progress::ProgressReporter, sheet::SheetBuilder};

/// Pieces that each thread may have at a time, those that wait to be joined included.
const WAITING: usize = 2;
/// More threads wait for the one that reads and joins.
const MOST_THREADS: usize = 8;
/// A piece is at most so many times as long as is read for one; what a longer record needs is taken in its order.
const LONGEST: usize = 2;
/// So many pieces are to be right for each one that isn't, and so many may be wrong beside.
const RIGHT_FOR_WRONG: usize = 16;
const MOST_WRONG: usize = 2;

/// How a text is cut, and by how many it is split.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pieces {
    /// Bytes.
    pub(super) size: usize,
    pub(super) threads: usize,
}

impl Default for Pieces {
    fn default() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self { size: 512 * 1024, threads: cores.min(MOST_THREADS) }
    }
}

/// What became of the pieces.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PieceCounts {
    pub(super) right: usize,
    pub(super) wrong: usize,
}

impl PieceCounts {
    /// Whether more wrong guesses are made than work is saved.
    fn are_hopeless(self) -> bool {
        self.wrong > MOST_WRONG + self.right / RIGHT_FOR_WRONG
    }
}

/// Takes what is left of a text after `text`, or leaves it where it can't be split; what is left then is taken in its order.
pub(super) fn take(
    blocks: &mut TextBlocks,
    lines: &mut Lines<'_>,
    text: &mut String,
    (form, limits): (LineForm<'_>, &Limits),
    pieces: Pieces,
) -> Result<PieceCounts, SheetError> {
    if pieces.threads < 2 {
        return Ok(PieceCounts::default());
    }
    thread::scope(|scope| {
        let splitters: Vec<_> = (0..pieces.threads).map_while(|_| Splitter::start(scope, form, limits).ok()).collect();
        let mut pool =
            SplitterPool { splitters, given: 0, joined: 0, used: Vec::new(), counts: PieceCounts::default() };
        let taken = pool.take(blocks, lines, text, (form.quotes, pieces.size));
        pool.finish();
        taken.map(|()| pool.counts)
    })
}

/// A text to be split by itself, and how many columns the text before it has as far as is known.
struct Piece {
    text: String,
    width: usize,
}

/// The text back, and what was in it where it ends with a whole record.
struct Taken {
    text: String,
    lines: Option<LinesPart>,
}

/// A thread that splits, and the ways to it and back.
struct Splitter<'s> {
    pieces: Option<Sender<Piece>>,
    taken: Receiver<Taken>,
    thread: Option<ScopedJoinHandle<'s, ()>>,
}

impl<'s> Splitter<'s> {
    fn start<'e>(scope: &'s Scope<'s, 'e>, form: LineForm<'e>, limits: &'e Limits) -> std::io::Result<Self> {
        let (pieces, coming) = channel::<Piece>();
        let (going, taken) = channel();
        let split = move || {
            let progress = ProgressReporter::new(&|_| true);
            let begin = || Lines::new(SheetBuilder::of_parts(limits, &progress), form);
            let mut lines = begin();
            for Piece { text, width } in coming {
                let found = lines.take_part(&text, width);
                if found.is_none() {
                    lines = begin();
                }
                if going.send(Taken { text, lines: found }).is_err() {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("split".to_owned()).spawn_scoped(scope, || quiet(split))?;
        Ok(Self { pieces: Some(pieces), taken, thread: Some(thread) })
    }

    /// Ends the thread. One that gave up takes whoever waits for it along: rows would be missing.
    fn finish(&mut self) {
        self.pieces = None;
        if let Some(Err(cause)) = self.thread.take().map(ScopedJoinHandle::join) {
            panic::resume_unwind(cause);
        }
    }
}

/// The threads that split, in the order in which pieces are given to them and taken back.
struct SplitterPool<'s> {
    splitters: Vec<Splitter<'s>>,
    given: usize,
    joined: usize,
    /// Room of texts that were taken.
    used: Vec<String>,
    counts: PieceCounts,
}

impl SplitterPool<'_> {
    fn take(
        &mut self,
        blocks: &mut TextBlocks,
        lines: &mut Lines<'_>,
        text: &mut String,
        (quotes, size): (Quotes, usize),
    ) -> Result<(), SheetError> {
        while !self.splitters.is_empty() && !self.counts.are_hopeless() {
            blocks.read(size, text)?;
            let end = if blocks.is_last { None } else { likely_end(text, quotes).filter(|&end| end <= LONGEST * size) };
            if let Some(end) = end {
                self.give(end, text, lines.width());
                if self.given - self.joined < WAITING * self.splitters.len() || self.join(lines, text)? {
                    continue;
                }
            } else {
                while self.joined < self.given && self.join(lines, text)? {}
            }
            lines.take_from(text, blocks.is_last)?;
            if blocks.is_last {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Gives the text up to `end` away, and leaves the rest.
    fn give(&mut self, end: usize, text: &mut String, width: usize) {
        let mut rest = self.used.pop().unwrap_or_default();
        rest.clear();
        rest.push_str(text.get(end..).unwrap_or_default());
        text.truncate(end);
        let piece = Piece { text: std::mem::replace(text, rest), width };
        let at = self.given % self.splitters.len();
        let Some(splitter) = self.splitters.get_mut(at) else { return };
        if splitter.pieces.as_ref().is_none_or(|pieces| pieces.send(piece).is_err()) {
            splitter.finish();
        }
        self.given += 1;
    }

    /// The piece that was given first of those that aren't back.
    fn next(&mut self) -> Option<Taken> {
        let at = self.joined.checked_rem(self.splitters.len())?;
        let splitter = self.splitters.get_mut(at).filter(|_| self.joined < self.given)?;
        self.joined += 1;
        let taken = splitter.taken.recv().ok();
        if taken.is_none() {
            splitter.finish();
        }
        taken
    }

    /// Puts the next piece where it belongs. False where it doesn't end with a whole record: then what is left of it stands before
    /// `text`, together with all pieces that were given later.
    fn join(&mut self, lines: &mut Lines<'_>, text: &mut String) -> Result<bool, SheetError> {
        let Some(Taken { text: mut piece, lines: found }) = self.next() else { return Ok(true) };
        let is_joined = found.map_or(Ok(false), |found| lines.append(found))?;
        let end = if is_joined { piece.len() } else { lines.take(&piece, false)? };
        if end == piece.len() {
            self.used.push(piece);
            self.counts.right += 1;
            return Ok(true);
        }
        piece.drain(..end);
        while let Some(later) = self.next() {
            piece.push_str(&later.text);
        }
        piece.push_str(text);
        *text = piece;
        self.counts.wrong += 1;
        Ok(false)
    }

    fn finish(&mut self) {
        self.splitters.iter_mut().for_each(|splitter| splitter.pieces = None);
        self.splitters.iter_mut().for_each(Splitter::finish);
    }
}

/// Where the last line ends that isn't within quotes, if all quotes open or close; the text begins with a record.
fn likely_end(text: &str, quotes: Quotes) -> Option<usize> {
    let bytes = text.as_bytes();
    let has_odd = |from, to| {
        let quoted = quotes == Quotes::Enclose;
        quoted && bytes.get(from..to).is_some_and(|bytes| memchr_iter(b'"', bytes).count() % 2 == 1)
    };
    let mut is_within = has_odd(0, bytes.len());
    let mut end = bytes.len();
    loop {
        let line_end = memrchr(b'\n', bytes.get(..end)?)?;
        is_within ^= has_odd(line_end, end);
        if !is_within {
            return Some(line_end + 1);
        }
        end = line_end;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use encoding_rs::WINDOWS_1252;

    use super::*;
    use crate::{
        ReadProgress, Sheet,
        source::Source,
        text::{TextChoice, TextForm, read_in},
    };

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

    /// What is read, and what was told of it: the first rows.
    fn read(
        source: &Source,
        form: &TextForm,
        limits: &Limits,
        pieces: Pieces,
    ) -> (Result<Sheet, String>, Vec<String>, PieceCounts) {
        let heads = RefCell::new(Vec::new());
        let tell = |progress: ReadProgress<'_>| {
            heads.borrow_mut().extend(progress.head.map(|head| format!("{head:?}")));
            true
        };
        let progress = ProgressReporter::new(&tell);
        let read = read_in(source, "a", form, (limits, &progress), 300, pieces);
        let counts = read.as_ref().map(|(_, counts)| *counts).unwrap_or_default();
        (read.map(|(sheet, _)| sheet).map_err(|error| format!("{error:?}")), heads.into_inner(), counts)
    }

    #[test]
    fn pieces_give_what_the_text_gives_in_its_order() {
        println!("seed {SEED}");
        let mut random = Random(SEED);
        let (mut counts, mut doubted, mut refused) = (PieceCounts::default(), 0, 0);
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
            let limits = match random.below(8) {
                0 => Limits { rows: u32::try_from(100 + random.below(400)).unwrap(), ..usual },
                1 => Limits { cells: 300 + random.below(2_000) as u64, ..usual },
                2 => Limits { text_bytes: 3 + random.below(90), ..usual },
                3 => Limits { columns: u32::try_from(1 + random.below(8)).unwrap(), ..usual },
                _ => usual,
            };
            let expected = read(&source, &form, &limits, Pieces { size: 0, threads: 1 });
            for (size, threads) in [(40, 2), (200 + random.below(400), 3), (1_500, 2)] {
                let found = read(&source, &form, &limits, Pieces { size, threads });
                assert!((&found.0, &found.1) == (&expected.0, &expected.1), "round {round}, {size}: {text:?}");
                counts.right += found.2.right;
                counts.wrong += found.2.wrong;
            }
            doubted += usize::from(expected.0.as_ref().is_ok_and(|sheet| !sheet.doubts.quotes.is_empty()));
            refused += usize::from(expected.0.is_err());
        }
        let enough = counts.right > 5_000 && counts.wrong > 50 && doubted > 50 && refused > 20;
        assert!(enough, "{counts:?}, {doubted} doubted, {refused} refused");
    }

    #[test]
    fn a_text_is_cut_where_quotes_are_closed() {
        let end = |text: &str| likely_end(text, Quotes::Enclose);
        assert_eq!(end("a;b\nc;d"), Some(4));
        assert_eq!(end("a;b\nc;\"d\ne"), Some(4));
        assert_eq!(end("a;\"b\nc\"\n\"d\ne"), Some(8));
        assert_eq!(end("a;\"b\nc"), None);
        assert_eq!(end("a;b\rc"), None);
        assert_eq!(likely_end("a;\"b\nc", Quotes::Text), Some(5));
    }
}
