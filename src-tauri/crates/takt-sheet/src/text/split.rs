//! Records of a text with separators, as Excel counts them: an empty line is a row, and a quoted line break is none.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::{Quotes, specials::Specials};
use crate::QuoteFault;

pub(super) struct Records<'a> {
    text: &'a str,
    position: usize,
    separator: u8,
    specials: Specials,
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

/// A cell with more line breaks may have swallowed rows, whatever its lines look like.
const MAX_LINE_BREAKS: u32 = 50;

/// What stands behind a field.
enum End {
    Field,
    Record,
    /// The text that is there so far.
    Text,
}

impl<'a> Records<'a> {
    /// `separator` is an ASCII byte.
    pub(super) fn new(text: &'a str, separator: u8) -> Self {
        let (quotes, seen) = (Quotes::Enclose, QuoteOccurrences::default());
        Self {
            text,
            position: 0,
            separator,
            specials: Specials::new(separator),
            quotes,
            is_last: true,
            most_fields: usize::MAX,
            has_too_many_fields: false,
            seen,
        }
    }

    pub(super) fn with_quotes(self, quotes: Quotes) -> Self {
        Self { quotes, ..self }
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
        loop {
            if self.quotes == Quotes::Text || self.byte() != Some(b'"') {
                fields.push(Cow::Borrowed(self.plain()));
            } else {
                self.push_quoted(fields);
            }
            self.seen.fields += 1;
            match self.end() {
                End::Field if fields.len() < self.most_fields => {}
                End::Field => {
                    (self.position, self.has_too_many_fields) = (start, true);
                    return false;
                }
                End::Record => return true,
                End::Text => {
                    self.position = start;
                    return false;
                }
            }
        }
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
        let record = self.text.get(self.seen.start..self.position).unwrap_or_default();
        let (mut lines, mut alike) = (0, 0);
        for line in Records::new(record, self.separator).with_quotes(Quotes::Text) {
            lines += 1;
            alike += usize::from(line.len() == width);
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

    /// Whether [`Self::doubt`] depends on the table's number of columns.
    #[inline]
    pub(super) fn asks_width(&self) -> bool {
        self.seen.wrong.is_none() && self.seen.spanning.is_some()
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
        let record = self.text.get(self.seen.start..self.position).unwrap_or_default();
        let record = record.trim_end_matches(['\r', '\n']);
        let breaks = record.matches('\n').count() + record.matches('\r').count() - record.matches("\r\n").count();
        u32::try_from(breaks).unwrap_or(u32::MAX)
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    /// Not inlined, so that a plain field is written straight into the list: one that is built elsewhere and copied at once makes the
    /// processor wait.
    #[inline(never)]
    fn push_quoted(&mut self, fields: &mut Vec<Cow<'a, str>>) {
        fields.push(self.quoted());
    }

    /// A field from its quote on; what follows a closing quote up to the separator belongs to it, as Excel has it.
    fn quoted(&mut self) -> Cow<'a, str> {
        self.position += 1;
        let mut field = Cow::Borrowed("");
        loop {
            let rest = self.text.get(self.position..).unwrap_or_default();
            let Some(quote) = memchr(b'"', rest.as_bytes()) else {
                self.position = self.text.len();
                self.seen.open = Some(self.seen.fields);
                self.seen.wrong.get_or_insert((self.seen.fields, QuoteFault::NotClosed));
                append(&mut field, rest);
                return field;
            };
            if self.seen.spanning.is_none()
                && memchr2(b'\n', b'\r', rest.as_bytes().get(..quote).unwrap_or_default()).is_some()
            {
                self.seen.spanning = Some(self.seen.fields);
            }
            append(&mut field, rest.get(..quote).unwrap_or_default());
            self.position += quote + 1;
            if self.byte() != Some(b'"') {
                break;
            }
            append(&mut field, "\"");
            self.position += 1;
        }
        let tail = self.plain();
        if !tail.trim().is_empty() {
            self.seen.wrong.get_or_insert((self.seen.fields, QuoteFault::TextAfter));
        }
        append(&mut field, tail);
        field
    }

    /// Up to the next separator or line end.
    #[inline]
    fn plain(&mut self) -> &'a str {
        let start = self.position;
        self.position = self.specials.next(self.text.as_bytes(), start);
        self.text.get(start..self.position).unwrap_or_default()
    }

    #[inline]
    fn end(&mut self) -> End {
        match self.byte() {
            Some(byte) if byte == self.separator => {
                self.position += 1;
                return End::Field;
            }
            Some(b'\r') => {
                // A line feed may still come.
                if !self.is_last && self.position + 1 == self.text.len() {
                    return End::Text;
                }
                self.position += 1;
                if self.byte() == Some(b'\n') {
                    self.position += 1;
                }
            }
            Some(_) => self.position += 1,
            None if !self.is_last => return End::Text,
            None => self.seen.is_open = true,
        }
        End::Record
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Vec<Cow<'a, str>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut record = Vec::new();
        self.read(&mut record).then_some(record)
    }
}

fn append<'a>(field: &mut Cow<'a, str>, more: &'a str) {
    if field.is_empty() {
        *field = Cow::Borrowed(more);
    } else if !more.is_empty() {
        field.to_mut().push_str(more);
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
}
