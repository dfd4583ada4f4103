//! Splits a text with separators into records, as Excel counts them. An empty line is a record, and a quoted line break
//! doesn't end one.

use std::{borrow::Cow, mem, ops::Range};

use csv_core::{ReadFieldResult, ReadRecordResult, Reader, ReaderBuilder};
use memchr::{memchr, memchr2};
use serde::Serialize;

use crate::QuoteFault;

/// The initial size of the buffer for an unquoted field.
const FIELD_BUFFER_BYTES: usize = 256;
/// Larger records are read field by field.
const RECORD_BUFFER_BYTES: usize = 16 * 1024;
const RECORD_BUFFER_FIELDS: usize = 1024;
/// A cell with more line breaks may contain rows, whatever its lines look like.
const MAX_LINE_BREAKS: u32 = 50;

/// The meaning of quotes around a cell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Quotes {
    /// Quotes enclose a cell, including line breaks and separators.
    #[default]
    Enclose,
    /// Quotes are characters like any other.
    Text,
}

/// Splits records with csv-core. Adds the empty lines that csv-core skips, and finds doubtful quotes.
pub(super) struct Records<'a> {
    text: &'a str,
    position: usize,
    separator: u8,
    reader: Reader,
    /// A buffer that begins with the last field without its quotes.
    unquoted: Vec<u8>,
    /// The length of the last field in bytes.
    unquoted_len: usize,
    /// Reads whole records.
    record_reader: Reader,
    /// The fields of a whole record, without their quotes.
    record: Vec<u8>,
    /// The end of each field in `record`.
    ends: Vec<usize>,
    quotes: Quotes,
    /// False if more of the text follows.
    is_last: bool,
    /// The maximum number of fields of a record.
    max_fields: usize,
    /// True if the next record has more fields than `max_fields`.
    has_too_many_fields: bool,
    /// The findings about quotes of the last record.
    quote_findings: QuoteFindings,
}

/// The position of a record, and findings about its quotes.
#[derive(Debug, Clone, Copy, Default)]
struct QuoteFindings {
    /// The start of the record.
    start: usize,
    /// The number of fields that were read so far.
    fields: u32,
    /// The first field whose quote isn't closed, or is closed before the field's end.
    first_fault: Option<(u32, QuoteFault)>,
    /// The first field with a line break in quotes.
    first_multiline: Option<u32>,
    /// The field whose quote is open at the end of the available text.
    open_field: Option<u32>,
    /// True if no line end follows the record.
    lacks_line_end: bool,
}

struct FieldEnd {
    /// The byte offset in the text.
    end: usize,
    is_record_end: bool,
}

/// Builds a reader. It can't be cloned, because a clone of csv-core 0.1.13 reads nothing.
fn field_reader(separator: u8, quotes: Quotes) -> Reader {
    let mut reader = ReaderBuilder::new().delimiter(separator).quoting(quotes == Quotes::Enclose).build();
    // csv-core skips a byte order mark at its start, but here the mark is a character. So the reader gets an empty line
    // first.
    reader.read_field(b"\n", &mut [0]);
    reader
}

impl<'a> Records<'a> {
    /// Splits a whole text. `separator` is an ASCII byte or `NO_SEPARATOR`.
    pub(super) fn new(text: &'a str, separator: u8) -> Self {
        let (quotes, quote_findings) = (Quotes::Enclose, QuoteFindings::default());
        Self {
            text,
            position: 0,
            separator,
            record_reader: field_reader(separator, quotes),
            reader: field_reader(separator, quotes),
            unquoted: vec![0; FIELD_BUFFER_BYTES],
            unquoted_len: 0,
            record: vec![0; RECORD_BUFFER_BYTES],
            ends: vec![0; RECORD_BUFFER_FIELDS],
            quotes,
            is_last: true,
            max_fields: usize::MAX,
            has_too_many_fields: false,
            quote_findings,
        }
    }

    pub(super) fn with_quotes(self, quotes: Quotes) -> Self {
        let reader = || field_reader(self.separator, quotes);
        Self { quotes, record_reader: reader(), reader: reader(), ..self }
    }

    /// Sets the maximum number of fields. Reading stops before a record with more.
    pub(super) fn with_max_fields(self, max_fields: usize) -> Self {
        Self { max_fields, ..self }
    }

    /// Splits a text of which more may follow. Only whole records are returned.
    pub(super) fn from_part(text: &'a str, separator: u8, is_last: bool) -> Self {
        Self { is_last, ..Self::new(text, separator) }
    }

    /// Returns the end of the last whole record.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Reads the next record into `fields`. Returns false if there is no complete record.
    pub(super) fn read(&mut self, fields: &mut Vec<Cow<'a, str>>) -> bool {
        fields.clear();
        let start = self.position;
        self.quote_findings = QuoteFindings { start, ..QuoteFindings::default() };
        if start >= self.text.len() {
            return false;
        }
        let is_whole = self.read_whole_record(fields).unwrap_or_else(|| self.read_fields(fields));
        if !is_whole {
            self.position = start;
        }
        is_whole
    }

    /// Reads a record at once. Returns `None` if it is incomplete or very large.
    fn read_whole_record(&mut self, fields: &mut Vec<Cow<'a, str>>) -> Option<bool> {
        if matches!(self.byte(self.position), Some(b'\n' | b'\r')) {
            fields.push(Cow::Borrowed(""));
            self.quote_findings.fields = 1;
            self.position += 1;
            return Some(self.skip_line_feed());
        }
        let input = self.text.as_bytes().get(self.position..).unwrap_or_default();
        let (result, read, _, count) = self.record_reader.read_record(input, &mut self.record, &mut self.ends);
        if result != ReadRecordResult::Record || count > self.max_fields {
            self.record_reader = field_reader(self.separator, self.quotes);
            return None;
        }
        let (record, ends) = (mem::take(&mut self.record), mem::take(&mut self.ends));
        let (mut start, mut unquoted_start) = (self.position, 0);
        for &unquoted_end in ends.get(..count).unwrap_or_default() {
            let unquoted = record.get(unquoted_start..unquoted_end).unwrap_or_default();
            let is_quoted = self.quotes == Quotes::Enclose && self.byte(start) == Some(b'"');
            let length = if is_quoted { self.quoted_length(start, unquoted.len()) } else { unquoted.len() };
            self.push_field(start..start + length, unquoted, fields);
            // The separator or the record's end follows.
            (start, unquoted_start) = (start + length + 1, unquoted_end);
        }
        (self.record, self.ends) = (record, ends);
        self.position += read;
        Some(self.skip_line_feed())
    }

    /// Returns the bytes of a closed field with its quotes. `unquoted` is the number of bytes without them.
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

    /// Adds the field in this range of the text, without its quotes.
    fn push_field(&mut self, range: Range<usize>, unquoted: &[u8], fields: &mut Vec<Cow<'a, str>>) {
        let raw = self.text.get(range).unwrap_or_default();
        let field = if self.quotes == Quotes::Enclose && raw.as_bytes().first() == Some(&b'"') {
            self.check_quotes(raw);
            unquoted_field(raw, unquoted)
        } else {
            Cow::Borrowed(raw)
        };
        fields.push(field);
        self.quote_findings.fields += 1;
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
                return self.quote_findings.lacks_line_end || self.skip_line_feed();
            }
            if fields.len() >= self.max_fields {
                self.has_too_many_fields = true;
                return false;
            }
        }
    }

    /// Reads a field. Returns `None` if the available text ends before it.
    fn read_field(&mut self) -> Option<FieldEnd> {
        self.unquoted_len = 0;
        loop {
            let input = self.text.as_bytes().get(self.position..).unwrap_or_default();
            // csv-core would take an empty input as the end of the field and the record.
            if input.is_empty() && !self.is_last {
                return None;
            }
            let free = self.unquoted.get_mut(self.unquoted_len..).unwrap_or_default();
            let (result, read, written) = self.reader.read_field(input, free);
            self.position += read;
            self.unquoted_len += written;
            match result {
                ReadFieldResult::OutputFull => self.unquoted.resize(2 * self.unquoted.len(), 0),
                ReadFieldResult::InputEmpty => {}
                ReadFieldResult::End => return None,
                ReadFieldResult::Field { record_end } => {
                    self.quote_findings.lacks_line_end = read == 0;
                    let end = if self.quote_findings.lacks_line_end { self.position } else { self.position - 1 };
                    return Some(FieldEnd { end, is_record_end: record_end });
                }
            }
        }
    }

    /// Skips the line feed after a carriage return. Returns false if the available text ends there, because the line
    /// feed may follow.
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

    /// Returns the fault of a quote in the last record, with its 0-based column. `width` is the table's number of
    /// columns.
    pub(super) fn quote_doubt(&self, width: usize) -> Option<(u32, QuoteFault)> {
        self.quote_findings.first_fault.or_else(|| {
            let column = self.quote_findings.first_multiline?;
            let contains_rows = self.line_breaks() > MAX_LINE_BREAKS || self.contains_rows(width);
            contains_rows.then_some((column, QuoteFault::ContainsRows))
        })
    }

    /// Returns whether most lines of the last record have as many columns as the table. A sentence with one comma has
    /// two columns by accident. So for two columns, all lines must match, and the separator mustn't be a comma.
    fn contains_rows(&self, width: usize) -> bool {
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

    /// Returns whether the text ends after the last record without a line end.
    #[inline]
    pub(super) fn lacks_line_end(&self) -> bool {
        self.quote_findings.lacks_line_end
    }

    /// Returns the 0-based column whose quote is open at the end of the text, if no whole record is left.
    pub(super) fn open_quote(&self) -> Option<u32> {
        self.quote_findings.open_field
    }

    /// Returns whether reading stopped because the next record has too many fields.
    pub(super) fn has_too_many_fields(&self) -> bool {
        self.has_too_many_fields
    }

    /// Returns the number of line breaks within the last record.
    pub(super) fn line_breaks(&self) -> u32 {
        let record = self.record().trim_end_matches(['\r', '\n']);
        let count = record.matches('\n').count() + record.matches('\r').count() - record.matches("\r\n").count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Returns the last record with its line end.
    fn record(&self) -> &'a str {
        self.text.get(self.quote_findings.start..self.position).unwrap_or_default()
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// Records the quote faults of a quoted field. Text after a closing quote belongs to the field, as in Excel.
    fn check_quotes(&mut self, raw: &str) {
        let field = self.quote_findings.fields;
        let mut rest = raw.get(1..).unwrap_or_default();
        loop {
            let Some(quote) = memchr(b'"', rest.as_bytes()) else {
                self.quote_findings.open_field = Some(field);
                self.quote_findings.first_fault.get_or_insert((field, QuoteFault::NotClosed));
                return;
            };
            let enclosed = rest.as_bytes().get(..quote).unwrap_or_default();
            if self.quote_findings.first_multiline.is_none() && memchr2(b'\n', b'\r', enclosed).is_some() {
                self.quote_findings.first_multiline = Some(field);
            }
            rest = rest.get(quote + 1..).unwrap_or_default();
            let Some(after) = rest.strip_prefix('"') else { break };
            rest = after;
        }
        if !rest.trim().is_empty() {
            self.quote_findings.first_fault.get_or_insert((field, QuoteFault::TextAfter));
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

/// Returns the unquoted field, borrowed from the text if it is the same there.
fn unquoted_field<'a>(raw: &'a str, unquoted: &[u8]) -> Cow<'a, str> {
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
            doubts.push(records.quote_doubt(3));
        }
        doubts
    }

    #[test]
    fn quotes_that_may_be_letters_are_doubted() {
        use QuoteFault::{ContainsRows, NotClosed, TextAfter};
        assert_eq!(doubts("a;b;c\n1;\"in;3\n4;5;6\n"), [None, Some((1, NotClosed))]);
        assert_eq!(doubts("1;\"5\" pipe;3\n4;\"5\" ;6\n"), [Some((1, TextAfter)), None]);
        assert_eq!(doubts("1;\"5 in;3\n4;\"6 in;6\n"), [Some((1, TextAfter))]);
        assert_eq!(doubts("1;\"five;3\n4;six\";6\n"), [Some((1, ContainsRows))]);
        assert_eq!(doubts("1;\"two\nlines\";3\n4;\"a;b\";\"say \"\"so\"\"\"\n"), [None, None]);
        assert_eq!(doubts("1;2;\"two\nlines\"\n"), [None]);
    }

    #[test]
    fn quotes_around_many_lines_are_doubted() {
        use QuoteFault::ContainsRows;
        // One of the lines within the cell has one more field.
        assert_eq!(doubts("1;\"five;3\n4;5;6\n7;8;9;10\n11;six\";12\n"), [Some((1, ContainsRows))]);
        let note = |lines: usize| format!("1;\"{}end\";3\n", "a line of words\n".repeat(lines));
        assert_eq!(doubts(&note(50)), [None]);
        assert_eq!(doubts(&note(51)), [Some((1, ContainsRows))]);
        assert_eq!(doubts(&note(51).replace('\n', "\r")), [Some((1, ContainsRows))]);
        let two = |text: &str, separator| {
            let mut records = Records::new(text, separator);
            records.read(&mut Vec::new());
            records.quote_doubt(2)
        };
        assert_eq!(two("a;\"five\nb;6\nc;six\"", b';'), Some((1, ContainsRows)));
        assert_eq!(two("a,\"first line\nsecond, line\nthird, line\"", b','), None);
    }

    #[test]
    fn the_last_record_is_open_without_a_line_end() {
        for (text, expected) in
            [("a;b\nc;d", [false, true]), ("a;b\nc;d\n", [false, false]), ("a;b\r\"c\"\r", [false, false])]
        {
            let (mut records, mut fields, mut found) = (Records::new(text, b';'), Vec::new(), Vec::new());
            while records.read(&mut fields) {
                found.push(records.lacks_line_end());
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
        let mut records = Records::from_part("a;\"b \"\"c\"\";\nd", b';', false);
        assert!(!records.read(&mut fields));
        assert_eq!((records.open_quote(), records.position()), (Some(1), 0));
        assert_eq!(fields, ["a", "b \"c\";\nd"]);
        // The quote is closed unless another quote follows.
        let mut records = Records::from_part("a;\"b\"", b';', false);
        assert!(!records.read(&mut fields));
        assert_eq!((records.open_quote(), records.position()), (None, 0));
    }

    #[test]
    fn a_text_in_pieces_gives_the_same_records() {
        let text = "a;\"b\"\"\r\nc\";ü\r\n\r\n;\"\"\"\"x;\rlast;\"open\n";
        let expected = split(text);
        assert_eq!(expected.len(), 4);
        for cut in (0..text.len()).filter(|&cut| text.is_char_boundary(cut)) {
            let (mut found, mut fields) = (Vec::new(), Vec::new());
            let own = |fields: &[Cow<'_, str>]| fields.iter().map(|field| field.to_string()).collect::<Vec<_>>();
            let mut first = Records::from_part(text.get(..cut).unwrap(), b';', false);
            while first.read(&mut fields) {
                found.push(own(&fields));
            }
            found.extend(split(text.get(first.position()..).unwrap()));
            assert_eq!(found, expected, "cut at {cut}");
        }
    }

    /// Returns the complete result: the records with their doubts, the position, and an open quote.
    fn read_all_records(mut records: Records<'_>) -> (Vec<String>, usize, Option<u32>) {
        let (mut found, mut fields) = (Vec::new(), Vec::new());
        while records.read(&mut fields) {
            found.push(format!(
                "{fields:?} {:?} {} {}",
                records.quote_doubt(3),
                records.line_breaks(),
                records.lacks_line_end()
            ));
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
                    let records = || Records::from_part(&text, b';', is_last).with_quotes(quotes);
                    let records = || records().with_max_fields(6);
                    // Without a buffer for the ends of fields, no record is read at once.
                    let field_by_field = Records { ends: Vec::new(), ..records() };
                    assert_eq!(
                        read_all_records(records()),
                        read_all_records(field_by_field),
                        "{text:?} {quotes:?} {is_last}"
                    );
                }
            }
        }
    }
}
