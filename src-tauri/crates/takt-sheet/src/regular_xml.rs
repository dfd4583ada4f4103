//! Reads XML in the form that nearly every program writes, directly from its bytes. XML in any other form (prefixes,
//! comments, CDATA, unusual references) is left to the XML reader.

use memchr::{memchr, memchr3_iter};

/// The reason why the fast reader can't read a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FastReadFailure {
    /// The piece continues after the available bytes.
    CutOff,
    Irregular,
}

/// A position in a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// Returns the number of bytes that were passed.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn skip_blanks(&mut self) {
        while self.peek_byte().is_ok_and(is_blank) {
            self.at += 1;
        }
    }

    /// Skips `expected` and returns true if it comes next. Fails with [`FastReadFailure::CutOff`] if the text ends
    /// within `expected`.
    pub(crate) fn skip_if_next(&mut self, expected: &[u8]) -> Result<bool, FastReadFailure> {
        let rest = self.remaining_bytes();
        if rest.starts_with(expected) {
            self.at += expected.len();
            return Ok(true);
        }
        if expected.starts_with(rest) { Err(FastReadFailure::CutOff) } else { Ok(false) }
    }

    pub(crate) fn expect(&mut self, expected: &[u8]) -> Result<(), FastReadFailure> {
        if self.skip_if_next(expected)? { Ok(()) } else { Err(FastReadFailure::Irregular) }
    }

    /// Reads the next attribute of a tag. Its raw value contains neither quotes nor references. Returns `None` at the
    /// end of the tag.
    pub(crate) fn read_attribute(&mut self) -> Result<Option<(&'t [u8], &'t str)>, FastReadFailure> {
        let Some((name, quote)) = self.read_attribute_name()? else { return Ok(None) };
        let value = self.remaining_bytes();
        let special = |&byte: &u8| matches!(byte, b'"' | b'\'' | b'<' | b'>' | b'&');
        let length = value.iter().position(special).ok_or(FastReadFailure::CutOff)?;
        if value.get(length) != Some(&quote) {
            return Err(FastReadFailure::Irregular);
        }
        self.read_value(length).map(|value| Some((name, value)))
    }

    /// Like [`Self::read_attribute`], but the raw value may contain anything except its quote.
    pub(crate) fn read_any_attribute(&mut self) -> Result<Option<(&'t [u8], &'t str)>, FastReadFailure> {
        let Some((name, quote)) = self.read_attribute_name()? else { return Ok(None) };
        let length = memchr(quote, self.remaining_bytes()).ok_or(FastReadFailure::CutOff)?;
        self.read_value(length).map(|value| Some((name, value)))
    }

    /// Reads the name of the next attribute, and the quote that precedes its value.
    fn read_attribute_name(&mut self) -> Result<Option<(&'t [u8], u8)>, FastReadFailure> {
        if !is_blank(self.peek_byte()?) {
            return if matches!(self.peek_byte()?, b'>' | b'/') { Ok(None) } else { Err(FastReadFailure::Irregular) };
        }
        self.skip_blanks();
        if matches!(self.peek_byte()?, b'>' | b'/') {
            return Ok(None);
        }
        let rest = self.remaining_bytes();
        let is_name = |&byte: &u8| NAME_BYTES.get(usize::from(byte)).copied().unwrap_or_default();
        let length = rest.iter().position(|byte| !is_name(byte)).ok_or(FastReadFailure::CutOff)?;
        let name = rest.get(..length).unwrap_or_default();
        self.at += length;
        let quote = match rest.get(length..length + 2) {
            Some([b'=', quote @ (b'"' | b'\'')]) if length > 0 => *quote,
            Some(_) => return Err(FastReadFailure::Irregular),
            None => return Err(FastReadFailure::CutOff),
        };
        self.at += 2;
        Ok(Some((name, quote)))
    }

    /// Reads a value of this length and the quote after it.
    fn read_value(&mut self, length: usize) -> Result<&'t str, FastReadFailure> {
        let value = self.text.get(self.at..self.at + length).ok_or(FastReadFailure::Irregular)?;
        self.at += length + 1;
        Ok(value)
    }

    /// Reads a tag and returns the text between its `<` and its `>`.
    pub(crate) fn read_tag(&mut self) -> Result<&'t str, FastReadFailure> {
        self.expect(b"<")?;
        let mut quote = None;
        for at in memchr3_iter(b'>', b'"', b'\'', self.remaining_bytes()) {
            let byte = self.remaining_bytes().get(at).copied();
            match quote {
                None if byte == Some(b'>') => return self.read_value(at),
                None => quote = byte,
                Some(_) if quote == byte => quote = None,
                Some(_) => {}
            }
        }
        Err(FastReadFailure::CutOff)
    }

    /// Reads the end of a tag whose attributes were read. Returns true if the element is empty.
    pub(crate) fn read_tag_end(&mut self) -> Result<bool, FastReadFailure> {
        if self.skip_if_next(b">")? {
            return Ok(false);
        }
        self.expect(b"/>").map(|()| true)
    }

    /// Reads the raw text up to the next tag.
    pub(crate) fn read_raw_text(&mut self) -> Result<&'t str, FastReadFailure> {
        let length = memchr(b'<', self.remaining_bytes()).ok_or(FastReadFailure::CutOff)?;
        let text = self.text.get(self.at..self.at + length).ok_or(FastReadFailure::Irregular)?;
        self.at += length;
        Ok(text)
    }

    /// Returns the bytes from this position on.
    fn remaining_bytes(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn peek_byte(&self) -> Result<u8, FastReadFailure> {
        self.text.as_bytes().get(self.at).copied().ok_or(FastReadFailure::CutOff)
    }
}

/// Returns the character of a predefined reference, such as `&amp;`, and the length of the reference.
pub(crate) fn predefined_reference(text: &str) -> Option<(char, usize)> {
    let predefined = [("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>'), ("&quot;", '"'), ("&apos;", '\'')];
    predefined.into_iter().find(|(name, _)| text.starts_with(name)).map(|(name, letter)| (letter, name.len()))
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r')
}

/// Whether a byte may occur in a name.
static NAME_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_' | b'.' | b'-');
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_read_to_the_end_of_the_tag() {
        let mut cursor = Cursor::new("<c r=\"A1\"\n x:s='ä' />rest");
        cursor.expect(b"<c").unwrap();
        assert_eq!(cursor.read_attribute(), Ok(Some((b"r".as_slice(), "A1"))));
        assert_eq!(cursor.read_attribute(), Ok(Some((b"x:s".as_slice(), "ä"))));
        assert_eq!(cursor.read_attribute(), Ok(None));
        assert_eq!((cursor.read_tag_end(), cursor.read_raw_text()), (Ok(true), Err(FastReadFailure::CutOff)));
    }

    #[test]
    fn what_is_cut_off_is_told_from_what_is_irregular() {
        let xml = "<c r=\"A1\" t='s'><v>7</v>";
        let read = |text: &str| -> Result<(), FastReadFailure> {
            let mut cursor = Cursor::new(text);
            cursor.expect(b"<c")?;
            while cursor.read_attribute()?.is_some() {}
            cursor.read_tag_end()?;
            cursor.expect(b"<v>")?;
            cursor.read_raw_text()?;
            cursor.expect(b"</v>")
        };
        assert_eq!(read(xml), Ok(()));
        for end in 0..xml.len() {
            assert_eq!(read(&xml[..end]), Err(FastReadFailure::CutOff), "{end}");
        }
        for text in [
            "<cx r=\"A1\">",
            "<c r=A1>",
            "<c r =\"A1\">",
            "<c r=\"&#65;1\">",
            "<c r=\"A'1\">",
            "<c =\"A1\">",
            "<c ><x/>",
        ] {
            assert_eq!(read(text), Err(FastReadFailure::Irregular), "{text}");
        }
    }
}
