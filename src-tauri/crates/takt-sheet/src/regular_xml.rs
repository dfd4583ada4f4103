//! Reads XML in the form that nearly every program writes, directly from its bytes. XML in any other form (prefixes,
//! comments, CDATA, unusual references) is left to the XML reader.

use memchr::{memchr, memchr3_iter};

/// The reason why a piece isn't read here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Miss {
    /// The piece continues behind the bytes that were read.
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
        while self.byte().is_ok_and(is_blank) {
            self.at += 1;
        }
    }

    /// Skips `expected` if it comes next. Returns false if something else does.
    pub(crate) fn take(&mut self, expected: &[u8]) -> Result<bool, Miss> {
        let rest = self.rest();
        if rest.starts_with(expected) {
            self.at += expected.len();
            return Ok(true);
        }
        if expected.starts_with(rest) { Err(Miss::CutOff) } else { Ok(false) }
    }

    pub(crate) fn expect(&mut self, expected: &[u8]) -> Result<(), Miss> {
        if self.take(expected)? { Ok(()) } else { Err(Miss::Irregular) }
    }

    /// Reads the next attribute of a tag. Its raw value contains neither quotes nor references. Returns `None` at the
    /// end of the tag.
    pub(crate) fn attribute(&mut self) -> Result<Option<(&'t [u8], &'t str)>, Miss> {
        let Some((name, quote)) = self.attribute_name()? else { return Ok(None) };
        let value = self.rest();
        let special = |&byte: &u8| matches!(byte, b'"' | b'\'' | b'<' | b'>' | b'&');
        let length = value.iter().position(special).ok_or(Miss::CutOff)?;
        if value.get(length) != Some(&quote) {
            return Err(Miss::Irregular);
        }
        self.value(length).map(|value| Some((name, value)))
    }

    /// Like [`Self::attribute`], but the raw value may contain anything except its quote.
    pub(crate) fn any_attribute(&mut self) -> Result<Option<(&'t [u8], &'t str)>, Miss> {
        let Some((name, quote)) = self.attribute_name()? else { return Ok(None) };
        let length = memchr(quote, self.rest()).ok_or(Miss::CutOff)?;
        self.value(length).map(|value| Some((name, value)))
    }

    /// Reads the name of the next attribute, and the quote that precedes its value.
    fn attribute_name(&mut self) -> Result<Option<(&'t [u8], u8)>, Miss> {
        if !is_blank(self.byte()?) {
            return if matches!(self.byte()?, b'>' | b'/') { Ok(None) } else { Err(Miss::Irregular) };
        }
        self.skip_blanks();
        if matches!(self.byte()?, b'>' | b'/') {
            return Ok(None);
        }
        let rest = self.rest();
        let is_name = |&byte: &u8| NAME.get(usize::from(byte)).copied().unwrap_or_default();
        let length = rest.iter().position(|byte| !is_name(byte)).ok_or(Miss::CutOff)?;
        let name = rest.get(..length).unwrap_or_default();
        self.at += length;
        let quote = match rest.get(length..length + 2) {
            Some([b'=', quote @ (b'"' | b'\'')]) if length > 0 => *quote,
            Some(_) => return Err(Miss::Irregular),
            None => return Err(Miss::CutOff),
        };
        self.at += 2;
        Ok(Some((name, quote)))
    }

    /// Reads a value of this length and the quote after it.
    fn value(&mut self, length: usize) -> Result<&'t str, Miss> {
        let value = self.text.get(self.at..self.at + length).ok_or(Miss::Irregular)?;
        self.at += length + 1;
        Ok(value)
    }

    /// Reads the text between the `<` here and the `>` that ends the tag.
    pub(crate) fn tag(&mut self) -> Result<&'t str, Miss> {
        self.expect(b"<")?;
        let mut quote = None;
        for at in memchr3_iter(b'>', b'"', b'\'', self.rest()) {
            let byte = self.rest().get(at).copied();
            match quote {
                None if byte == Some(b'>') => return self.value(at),
                None => quote = byte,
                Some(_) if quote == byte => quote = None,
                Some(_) => {}
            }
        }
        Err(Miss::CutOff)
    }

    /// Reads the end of a tag whose attributes were read. Returns true if the element is empty.
    pub(crate) fn end_tag(&mut self) -> Result<bool, Miss> {
        if self.take(b">")? {
            return Ok(false);
        }
        self.expect(b"/>").map(|()| true)
    }

    /// Reads the raw text up to the next tag.
    pub(crate) fn raw_text(&mut self) -> Result<&'t str, Miss> {
        let length = memchr(b'<', self.rest()).ok_or(Miss::CutOff)?;
        let text = self.text.get(self.at..self.at + length).ok_or(Miss::Irregular)?;
        self.at += length;
        Ok(text)
    }

    /// Returns the bytes from this position on.
    pub(crate) fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn byte(&self) -> Result<u8, Miss> {
        self.text.as_bytes().get(self.at).copied().ok_or(Miss::CutOff)
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
static NAME: [bool; 256] = {
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
        assert_eq!(cursor.attribute(), Ok(Some((b"r".as_slice(), "A1"))));
        assert_eq!(cursor.attribute(), Ok(Some((b"x:s".as_slice(), "ä"))));
        assert_eq!(cursor.attribute(), Ok(None));
        assert_eq!((cursor.end_tag(), cursor.raw_text()), (Ok(true), Err(Miss::CutOff)));
    }

    #[test]
    fn what_is_cut_off_is_told_from_what_is_irregular() {
        let xml = "<c r=\"A1\" t='s'><v>7</v>";
        let read = |text: &str| -> Result<(), Miss> {
            let mut cursor = Cursor::new(text);
            cursor.expect(b"<c")?;
            while cursor.attribute()?.is_some() {}
            cursor.end_tag()?;
            cursor.expect(b"<v>")?;
            cursor.raw_text()?;
            cursor.expect(b"</v>")
        };
        assert_eq!(read(xml), Ok(()));
        for end in 0..xml.len() {
            assert_eq!(read(&xml[..end]), Err(Miss::CutOff), "{end}");
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
            assert_eq!(read(text), Err(Miss::Irregular), "{text}");
        }
    }
}
