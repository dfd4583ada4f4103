//! Records of a text with separators, as Excel counts them: an empty line is a row, and a quoted line break is none.

use std::borrow::Cow;

use memchr::{memchr, memchr3};

pub(super) struct Records<'a> {
    text: &'a str,
    position: usize,
    separator: u8,
    /// False where more of the text follows.
    is_last: bool,
}

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
        Self { text, position: 0, separator, is_last: true }
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
        if start >= self.text.len() {
            return false;
        }
        loop {
            let field = self.field();
            fields.push(field);
            match self.end() {
                End::Field => {}
                End::Record => return true,
                End::Text => {
                    self.position = start;
                    return false;
                }
            }
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    /// One field; what follows a closing quote up to the separator belongs to it, as Excel has it.
    fn field(&mut self) -> Cow<'a, str> {
        if self.byte() != Some(b'"') {
            return Cow::Borrowed(self.plain());
        }
        self.position += 1;
        let mut field = Cow::Borrowed("");
        loop {
            let rest = self.text.get(self.position..).unwrap_or_default();
            let Some(quote) = memchr(b'"', rest.as_bytes()) else {
                self.position = self.text.len();
                append(&mut field, rest);
                return field;
            };
            append(&mut field, rest.get(..quote).unwrap_or_default());
            self.position += quote + 1;
            if self.byte() != Some(b'"') {
                break;
            }
            append(&mut field, "\"");
            self.position += 1;
        }
        let tail = self.plain();
        append(&mut field, tail);
        field
    }

    /// Up to the next separator or line end.
    fn plain(&mut self) -> &'a str {
        let rest = self.text.get(self.position..).unwrap_or_default();
        let length = memchr3(self.separator, b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len());
        self.position += length;
        rest.get(..length).unwrap_or_default()
    }

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
            None => {}
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
