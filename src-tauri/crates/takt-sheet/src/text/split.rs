//! Records of a text with separators, as Excel counts them: an empty line is a row, and a quoted line break is none.

use std::{borrow::Cow, mem, ops::Range};

use csv_core::{ReadFieldResult, ReadRecordResult, Reader, ReaderBuilder};
use memchr::{memchr, memchr2};

use super::Quotes;
use crate::QuoteFault;

/// Room for a field without its quotes, to begin with.
const FIELD_BYTES: usize = 256;
/// Larger records are read field by field.
const RECORD_BUFFER_BYTES: usize = 16 * 1024;
const RECORD_BUFFER_FIELDS: usize = 1024;
/// A cell with more line breaks may have swallowed rows, whatever its lines look like.
const MAX_LINE_BREAKS: u32 = 50;

/// Splits records with csv-core. Adds empty lines, which csv-core skips, and finds doubtful quotes.
pub(super) struct Records<'a> {
    text: &'a str,
    position: usize,
    separator: u8,
    reader: Reader,
    /// The last field without its quotes, and room behind it.
    unquoted: Vec<u8>,
    /// Bytes of it without the room.
    unquoted_len: usize,
    /// Reads a record at once.
    record_reader: Reader,
    /// The fields of such a record without their quotes.
    record: Vec<u8>,
    /// The end of each field in `record`.
    ends: Vec<usize>,
    quotes: Quotes,
    /// False where more of the text follows.
    is_last: bool,
    /// Fields that a record may have.
    most_fields: usize,
    /// True where the record that comes next has more.
    has_too_many_fields: bool,
    /// Of the last record.
    seen: QuoteOccurrences,
}

/// What the quotes of a record did.
#[derive(Debug, Clone, Copy, Default)]
struct QuoteOccurrences {
    /// Where the record begins.
    start: usize,
    /// Fields of the record that were read so far.
    fields: u32,
    /// The first field whose quote isn't closed, or is closed before the field's end.
    wrong: Option<(u32, QuoteFault)>,
    /// The first field with a line break in quotes.
    spanning: Option<u32>,
    /// The field whose quote is open at the end of the text that is there.
    open: Option<u32>,
    /// True if no line end follows the record.
    is_open: bool,
}

/// A field that was read to its end.
struct FieldEnd {
    /// Where it ends in the text.
    end: usize,
    is_record_end: bool,
}

/// Each reader is built: a clone of csv-core 0.1.13 reads nothing.
fn reader(separator: u8, quotes: Quotes) -> Reader {
    let mut reader = ReaderBuilder::new().delimiter(separator).quoting(quotes == Quotes::Enclose).build();
    // Before its first byte it would leave out a byte order mark, which is a character here. An empty line is left out.
    reader.read_field(b"\n", &mut [0]);
    reader
}

impl<'a> Records<'a> {
    /// `separator` is an ASCII byte.
    pub(super) fn new(text: &'a str, separator: u8) -> Self {
        let (quotes, seen) = (Quotes::Enclose, QuoteOccurrences::default());
        Self {
            text,
            position: 0,
            separator,
            record_reader: reader(separator, quotes),
            reader: reader(separator, quotes),
            unquoted: vec![0; FIELD_BYTES],
            unquoted_len: 0,
            record: vec![0; RECORD_BUFFER_BYTES],
            ends: vec![0; RECORD_BUFFER_FIELDS],
            quotes,
            is_last: true,
            most_fields: usize::MAX,
            has_too_many_fields: false,
            seen,
        }
    }

    pub(super) fn with_quotes(self, quotes: Quotes) -> Self {
        let reader = || reader(self.separator, quotes);
        Self { quotes, record_reader: reader(), reader: reader(), ..self }
    }

    /// A record with more fields isn't given, and none after it.
    pub(super) fn with_most_fields(self, most_fields: usize) -> Self {
        Self { most_fields, ..self }
    }

    /// The same for a text of which more may follow: only whole records are given.
    pub(super) fn of_part(text: &'a str, separator: u8, is_last: bool) -> Self {
        Self { is_last, ..Self::new(text, separator) }
    }

    /// Where the last whole record ends.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Puts the next record's fields in the place of those before. False where there is none, or not the whole of it.
    pub(super) fn read(&mut self, fields: &mut Vec<Cow<'a, str>>) -> bool {
        fields.clear();
        let start = self.position;
        self.seen = QuoteOccurrences { start, ..QuoteOccurrences::default() };
        if start >= self.text.len() {
            return false;
        }
        let is_whole = self.read_at_once(fields).unwrap_or_else(|| self.read_fields(fields));
        if !is_whole {
            self.position = start;
        }
        is_whole
    }

    /// Reads a record at once. Absent if it isn't whole or is very large.
    fn read_at_once(&mut self, fields: &mut Vec<Cow<'a, str>>) -> Option<bool> {
        if matches!(self.byte(self.position), Some(b'\n' | b'\r')) {
            fields.push(Cow::Borrowed(""));
            self.seen.fields = 1;
            self.position += 1;
            return Some(self.skip_line_feed());
        }
        let input = self.text.as_bytes().get(self.position..).unwrap_or_default();
        let (result, read, _, count) = self.record_reader.read_record(input, &mut self.record, &mut self.ends);
        if result != ReadRecordResult::Record || count > self.most_fields {
            self.record_reader = reader(self.separator, self.quotes);
            return None;
        }
        let (record, ends) = (mem::take(&mut self.record), mem::take(&mut self.ends));
        let (mut start, mut unquoted_start) = (self.position, 0);
        for &unquoted_end in ends.get(..count).unwrap_or_default() {
            let unquoted = record.get(unquoted_start..unquoted_end).unwrap_or_default();
            let is_quoted = self.quotes == Quotes::Enclose && self.byte(start) == Some(b'"');
            let length = if is_quoted { self.quoted_length(start, unquoted.len()) } else { unquoted.len() };
            self.push_field(start..start + length, unquoted, fields);
            // A separator or the record's end follows.
            (start, unquoted_start) = (start + length + 1, unquoted_end);
        }
        (self.record, self.ends) = (record, ends);
        self.position += read;
        Some(self.skip_line_feed())
    }

    /// Bytes of a closed field with its quotes. `unquoted` is their number without.
    fn quoted_length(&self, start: usize, mut unquoted: usize) -> usize {
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        let mut at = 1;
        while let Some(enclosed) = rest.get(at..).and_then(|rest| memchr(b'"', rest)) {
            at += enclosed + 1;
            unquoted = unquoted.saturating_sub(enclosed);
            if rest.get(at) != Some(&b'"') {
                break;
            }
            at += 1;
            unquoted = unquoted.saturating_sub(1);
        }
        at + unquoted
    }

    /// Adds a field by its place in the text.
    fn push_field(&mut self, place: Range<usize>, unquoted: &[u8], fields: &mut Vec<Cow<'a, str>>) {
        let raw = self.text.get(place).unwrap_or_default();
        let field = if self.quotes == Quotes::Enclose && raw.as_bytes().first() == Some(&b'"') {
            self.look_at_quotes(raw);
            without_quotes(raw, unquoted)
        } else {
            Cow::Borrowed(raw)
        };
        fields.push(field);
        self.seen.fields += 1;
    }

    fn read_fields(&mut self, fields: &mut Vec<Cow<'a, str>>) -> bool {
        loop {
            let start = self.position;
            let read = self.read_field();
            let end = read.as_ref().map_or(self.position, |field| field.end);
            let unquoted = mem::take(&mut self.unquoted);
            self.push_field(start..end, unquoted.get(..self.unquoted_len).unwrap_or_default(), fields);
            self.unquoted = unquoted;
            let Some(FieldEnd { is_record_end, .. }) = read else { return false };
            if is_record_end {
                return self.seen.is_open || self.skip_line_feed();
            }
            if fields.len() >= self.most_fields {
                self.has_too_many_fields = true;
                return false;
            }
        }
    }

    /// Nothing where the text that is there ends before the field does.
    fn read_field(&mut self) -> Option<FieldEnd> {
        self.unquoted_len = 0;
        loop {
            let input = self.text.as_bytes().get(self.position..).unwrap_or_default();
            // Without input it ends the field and the record.
            if input.is_empty() && !self.is_last {
                return None;
            }
            let room = self.unquoted.get_mut(self.unquoted_len..).unwrap_or_default();
            let (result, read, written) = self.reader.read_field(input, room);
            self.position += read;
            self.unquoted_len += written;
            match result {
                ReadFieldResult::OutputFull => self.unquoted.resize(2 * self.unquoted.len(), 0),
                ReadFieldResult::InputEmpty => {}
                ReadFieldResult::End => return None,
                ReadFieldResult::Field { record_end } => {
                    self.seen.is_open = read == 0;
                    let end = if self.seen.is_open { self.position } else { self.position - 1 };
                    return Some(FieldEnd { end, is_record_end: record_end });
                }
            }
        }
    }

    /// Behind a record's end: false where the text that is there ends with a carriage return, and a line feed may still come.
    fn skip_line_feed(&mut self) -> bool {
        if self.position.checked_sub(1).and_then(|last| self.byte(last)) != Some(b'\r') {
            return true;
        }
        match self.byte(self.position) {
            Some(b'\n') => self.position += 1,
            Some(_) => {}
            None => return self.is_last,
        }
        true
    }

    /// What is doubtful about the quotes of the last record, with the 0-based column. `width` is the table's number of columns.
    pub(super) fn doubt(&self, width: usize) -> Option<(u32, QuoteFault)> {
        self.seen.wrong.or_else(|| {
            let column = self.seen.spanning?;
            let holds_rows = self.breaks() > MAX_LINE_BREAKS || self.holds_rows(width);
            holds_rows.then_some((column, QuoteFault::HoldsRows))
        })
    }

    /// Whether most lines of the last record have as many columns as the table. A line of words with one comma has two columns by
    /// accident, so rows of two columns must all be alike and parted otherwise.
    fn holds_rows(&self, width: usize) -> bool {
        if width < 2 {
            return false;
        }
        let record = self.record().replace("\r\n", "\n");
        let record = record.strip_suffix(['\r', '\n']).unwrap_or(&record);
        let separator = char::from(self.separator);
        let (mut lines, mut alike) = (0, 0);
        for line in record.split(['\r', '\n']) {
            lines += 1;
            alike += usize::from(line.matches(separator).count() + 1 == width);
        }
        if width == 2 {
            return self.separator != b',' && lines > 2 && alike == lines;
        }
        alike > 1 && alike * 4 >= lines * 3
    }

    /// Whether the text ends after the last record without a line end.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.seen.is_open
    }

    /// The 0-based column whose quote is open at the end of the text, where no whole record is left.
    pub(super) fn open_quote(&self) -> Option<u32> {
        self.seen.open
    }

    /// Whether the record that comes next wasn't given for its number of fields.
    pub(super) fn has_too_many_fields(&self) -> bool {
        self.has_too_many_fields
    }

    /// Line breaks within the last record.
    pub(super) fn breaks(&self) -> u32 {
        let record = self.record().trim_end_matches(['\r', '\n']);
        let breaks = record.matches('\n').count() + record.matches('\r').count() - record.matches("\r\n").count();
        u32::try_from(breaks).unwrap_or(u32::MAX)
    }

    /// The last record with its line end.
    fn record(&self) -> &'a str {
        self.text.get(self.seen.start..self.position).unwrap_or_default()
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// Records the quote faults of a field that begins with a quote. Text behind a closing quote belongs to the field, as in Excel.
    fn look_at_quotes(&mut self, raw: &str) {
        let field = self.seen.fields;
        let mut rest = raw.get(1..).unwrap_or_default();
        loop {
            let Some(quote) = memchr(b'"', rest.as_bytes()) else {
                self.seen.open = Some(field);
                self.seen.wrong.get_or_insert((field, QuoteFault::NotClosed));
                return;
            };
            let enclosed = rest.as_bytes().get(..quote).unwrap_or_default();
            if self.seen.spanning.is_none() && memchr2(b'\n', b'\r', enclosed).is_some() {
                self.seen.spanning = Some(field);
            }
            rest = rest.get(quote + 1..).unwrap_or_default();
            let Some(after) = rest.strip_prefix('"') else { break };
            rest = after;
        }
        if !rest.trim().is_empty() {
            self.seen.wrong.get_or_insert((field, QuoteFault::TextAfter));
        }
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Vec<Cow<'a, str>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut record = Vec::new();
        self.read(&mut record).then_some(record)
    }
}

/// Of what stands in the text where that is the same.
fn without_quotes<'a>(raw: &'a str, unquoted: &[u8]) -> Cow<'a, str> {
    match raw.get(1..=unquoted.len()) {
        Some(enclosed) if enclosed.as_bytes() == unquoted => Cow::Borrowed(enclosed),
        _ => Cow::Owned(String::from_utf8_lossy(unquoted).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<Vec<String>> {
        Records::new(text, b';').map(|record| record.into_iter().map(Cow::into_owned).collect()).collect()
    }

    #[test]
    fn records_are_counted_as_excel_counts_them() {
        assert_eq!(split("a;b\r\n\r\nc;\"d\ne\";\"f\"\"g\"\n"), [vec!["a", "b"], vec![""], vec!["c", "d\ne", "f\"g"]]);
        assert_eq!(split("a;\"b\"c;d"), [vec!["a", "bc", "d"]]);
        assert_eq!(split("a;b;"), [vec!["a", "b", ""]]);
        assert_eq!(split("a;\"never closed\nb"), [vec!["a", "never closed\nb"]]);
        assert_eq!(split("a\rb"), [vec!["a"], vec!["b"]]);
        assert_eq!(split("ü;\"ß\""), [vec!["ü", "ß"]]);
        assert_eq!(split("\n\r\r\na"), [vec![""], vec![""], vec![""], vec!["a"]]);
        assert_eq!(split("\"\";\"\"\"\"\n;\n"), [vec!["", "\""], vec!["", ""]]);
        assert_eq!(split("\"b\"c\";\"d\" \"e\""), [vec!["bc\"", "d \"e\""]]);
    }

    #[test]
    fn a_byte_order_mark_in_a_record_is_a_character() {
        assert_eq!(split("\u{FEFF}a;b\n\u{FEFF}c"), [vec!["\u{FEFF}a", "b"], vec!["\u{FEFF}c"]]);
    }

    #[test]
    fn a_field_of_any_length_is_read_whole() {
        let long = "\"\"ä;\n".repeat(10_000);
        assert_eq!(split(&format!("1;\"{long}\";3\n")), [vec!["1", &long.replace("\"\"", "\""), "3"]]);
    }

    fn doubts(text: &str) -> Vec<Option<(u32, QuoteFault)>> {
        let (mut records, mut fields, mut doubts) = (Records::new(text, b';'), Vec::new(), Vec::new());
        while records.read(&mut fields) {
            doubts.push(records.doubt(3));
        }
        doubts
    }

    #[test]
    fn quotes_that_may_be_letters_are_doubted() {
        use QuoteFault::{HoldsRows, NotClosed, TextAfter};
        assert_eq!(doubts("a;b;c\n1;\"in;3\n4;5;6\n"), [None, Some((1, NotClosed))]);
        assert_eq!(doubts("1;\"5\" pipe;3\n4;\"5\" ;6\n"), [Some((1, TextAfter)), None]);
        assert_eq!(doubts("1;\"5 in;3\n4;\"6 in;6\n"), [Some((1, TextAfter))]);
        assert_eq!(doubts("1;\"five;3\n4;six\";6\n"), [Some((1, HoldsRows))]);
        assert_eq!(doubts("1;\"two\nlines\";3\n4;\"a;b\";\"say \"\"so\"\"\"\n"), [None, None]);
        assert_eq!(doubts("1;2;\"two\nlines\"\n"), [None]);
    }

    #[test]
    fn quotes_around_many_lines_are_doubted() {
        use QuoteFault::HoldsRows;
        // One of the lines that were swallowed has a field more.
        assert_eq!(doubts("1;\"five;3\n4;5;6\n7;8;9;10\n11;six\";12\n"), [Some((1, HoldsRows))]);
        let note = |lines: usize| format!("1;\"{}end\";3\n", "a line of words\n".repeat(lines));
        assert_eq!(doubts(&note(50)), [None]);
        assert_eq!(doubts(&note(51)), [Some((1, HoldsRows))]);
        assert_eq!(doubts(&note(51).replace('\n', "\r")), [Some((1, HoldsRows))]);
        let two = |text: &str, separator| {
            let mut records = Records::new(text, separator);
            records.read(&mut Vec::new());
            records.doubt(2)
        };
        assert_eq!(two("a;\"five\nb;6\nc;six\"", b';'), Some((1, HoldsRows)));
        assert_eq!(two("a,\"first line\nsecond, line\nthird, line\"", b','), None);
    }

    #[test]
    fn the_last_record_is_open_without_a_line_end() {
        for (text, expected) in
            [("a;b\nc;d", [false, true]), ("a;b\nc;d\n", [false, false]), ("a;b\r\"c\"\r", [false, false])]
        {
            let (mut records, mut fields, mut found) = (Records::new(text, b';'), Vec::new(), Vec::new());
            while records.read(&mut fields) {
                found.push(records.is_open());
            }
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn quotes_read_as_text_part_nothing() {
        let records = Records::new("1;\"5 in;3\n4;\"a\";6", b';').with_quotes(Quotes::Text);
        let cells: Vec<Vec<Cow<'_, str>>> = records.collect();
        assert_eq!(cells, [["1", "\"5 in", "3"], ["4", "\"a\"", "6"]]);
    }

    #[test]
    fn a_quote_that_is_open_at_the_end_of_a_piece_gives_what_is_there_of_its_field() {
        let mut fields = Vec::new();
        let mut records = Records::of_part("a;\"b \"\"c\"\";\nd", b';', false);
        assert!(!records.read(&mut fields));
        assert_eq!((records.open_quote(), records.position()), (Some(1), 0));
        assert_eq!(fields, ["a", "b \"c\";\nd"]);
        // It is closed, if no other quote follows.
        let mut records = Records::of_part("a;\"b\"", b';', false);
        assert!(!records.read(&mut fields));
        assert_eq!((records.open_quote(), records.position()), (None, 0));
    }

    #[test]
    fn a_text_in_pieces_gives_the_same_records() {
        let text = "a;\"b\"\"\r\nc\";ü\r\n\r\n;\"\"\"\"x;\rlast;\"open\n";
        let whole = split(text);
        assert_eq!(whole.len(), 4);
        for cut in (0..text.len()).filter(|&cut| text.is_char_boundary(cut)) {
            let (mut found, mut fields) = (Vec::new(), Vec::new());
            let own = |fields: &[Cow<'_, str>]| fields.iter().map(|field| field.to_string()).collect::<Vec<_>>();
            let mut first = Records::of_part(text.get(..cut).unwrap(), b';', false);
            while first.read(&mut fields) {
                found.push(own(&fields));
            }
            found.extend(split(text.get(first.position()..).unwrap()));
            assert_eq!(found, whole, "cut at {cut}");
        }
    }

    /// All that a caller can see: the records with their doubts, the position, and an open quote.
    fn everything(mut records: Records<'_>) -> (Vec<String>, usize, Option<u32>) {
        let (mut found, mut fields) = (Vec::new(), Vec::new());
        while records.read(&mut fields) {
            found.push(format!("{fields:?} {:?} {} {}", records.doubt(3), records.breaks(), records.is_open()));
        }
        (found, records.position(), records.open_quote())
    }

    #[test]
    fn a_record_at_once_is_the_same_as_field_by_field() {
        let mut state = 2026_u64;
        println!("seed {state}");
        let mut next = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % below
        };
        let pieces = ["a", "ü", ";", ";", "\"", "\"", "\"\"", "\n", "\r\n", "\r", " ", "\u{FEFF}", "long text"];
        for _ in 0..1_500 {
            let text: String = (0..next(40)).map(|_| pieces[next(pieces.len())]).collect();
            for quotes in [Quotes::Enclose, Quotes::Text] {
                for is_last in [true, false] {
                    let records = || Records::of_part(&text, b';', is_last).with_quotes(quotes);
                    let records = || records().with_most_fields(6);
                    // Without room for the ends of fields, no record is read at once.
                    let field_by_field = Records { ends: Vec::new(), ..records() };
                    assert_eq!(everything(records()), everything(field_by_field), "{text:?} {quotes:?} {is_last}");
                }
            }
        }
    }
}
