//! Records of a text with separators, as Excel counts them: an empty line is a row, and a quoted line break is none.

use std::borrow::Cow;

pub(super) struct Records<'a> {
    text: &'a str,
    position: usize,
    separator: u8,
}

impl<'a> Records<'a> {
    /// `separator` is an ASCII byte.
    pub(super) fn new(text: &'a str, separator: u8) -> Self {
        Self { text, position: 0, separator }
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
            let Some(quote) = rest.find('"') else {
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
        let ends = |byte: &u8| *byte == self.separator || matches!(byte, b'\n' | b'\r');
        let length = rest.as_bytes().iter().position(ends).unwrap_or(rest.len());
        self.position += length;
        rest.get(..length).unwrap_or_default()
    }

    /// True where the record ends.
    fn ends(&mut self) -> bool {
        match self.byte() {
            Some(byte) if byte == self.separator => {
                self.position += 1;
                return false;
            }
            Some(b'\r') => {
                self.position += 1;
                if self.byte() == Some(b'\n') {
                    self.position += 1;
                }
            }
            Some(_) => self.position += 1,
            None => {}
        }
        true
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Vec<Cow<'a, str>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.position >= self.text.len() {
            return None;
        }
        let mut record = Vec::new();
        loop {
            let field = self.field();
            record.push(field);
            if self.ends() {
                return Some(record);
            }
        }
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
}
