//! A cell exactly as Excel and most other programs write it: its place, perhaps a format and a kind, in this order, and a value
//! that is plain digits, a plain number, or a plain text of its own. Any other cell is left to who reads all of them.

use memchr::memchr;

use crate::{
    Limits,
    cell_batch::{CellBatch, RawCell, Value},
    number_text::number,
    regular_xml::Cursor,
};

/// A number that is longer is looked at more closely.
const MOST_DIGITS: usize = 9;
const MOST_LETTERS: usize = 3;

/// Bytes, of which those that were taken are counted.
struct Taken<'t> {
    bytes: &'t [u8],
    at: usize,
}

/// The cell from behind its name, and how many bytes it takes. The batch is only changed where there is one.
pub(super) fn read(cursor: &Cursor<'_>, limits: &Limits, batch: &mut CellBatch) -> Option<(RawCell, usize)> {
    let mut taken = Taken { bytes: cursor.rest(), at: 0 };
    taken.all(b" r=\"")?;
    let column = taken.letters()?.checked_sub(1)?;
    let row = taken.digits().filter(|row| (1..=limits.rows).contains(row))? - 1;
    taken.all(b"\"")?;
    let format = match taken.all(b" s=\"") {
        Some(()) => {
            let format = taken.digits()?;
            taken.all(b"\"")?;
            format
        }
        None => 0,
    };
    let value = if taken.all(b" t=\"s\"><v>").is_some() {
        let number = taken.digits()?;
        taken.all(b"</v></c>")?;
        Value::Shared(number)
    } else if taken.all(b"><v>").is_some() {
        let start = taken.at;
        taken.number();
        let number = number(cursor.piece(start..taken.at)?)?;
        taken.all(b"</v></c>")?;
        Value::Number(number)
    } else if taken.all(b" t=\"inlineStr\"><is><t>").is_some() {
        let start = taken.at;
        taken.at += memchr(b'<', taken.rest())?;
        let text = cursor.piece(start..taken.at).filter(|text| is_plain(text) && text.len() <= limits.text_bytes)?;
        taken.all(b"</t></is></c>")?;
        let (start, end) = batch.add(text);
        Value::Text(start, end)
    } else {
        taken.all(b" t=\"b\"><v>")?;
        let value = taken.digits().filter(|&digit| digit < 2)? == 1;
        taken.all(b"</v></c>")?;
        Value::Boolean(value)
    };
    Some((RawCell { row, column, format, value }, taken.at))
}

/// A text that is meant as it is written: without references, escapes and line ends, and without blanks around it.
fn is_plain(text: &str) -> bool {
    let is_ordinary = |byte: Option<&u8>| byte.is_some_and(|&byte| byte > b' ');
    let bytes = text.as_bytes();
    let special = |&byte: &u8| matches!(byte, b'&' | b'\r' | b'_');
    is_ordinary(bytes.first()) && is_ordinary(bytes.last()) && !bytes.iter().any(special)
}

impl<'t> Taken<'t> {
    fn rest(&self) -> &'t [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    #[inline]
    fn all<const LENGTH: usize>(&mut self, expected: &[u8; LENGTH]) -> Option<()> {
        let there: &[u8; LENGTH] = self.rest().first_chunk()?;
        (there == expected).then(|| self.at += LENGTH)
    }

    /// A column's letters as its 1-based number.
    #[inline]
    fn letters(&mut self) -> Option<u32> {
        let (mut number, start) = (0, self.at);
        while let Some(&letter @ b'A'..=b'Z') = self.bytes.get(self.at) {
            if self.at - start == MOST_LETTERS {
                return None;
            }
            number = number * 26 + u32::from(letter - b'A') + 1;
            self.at += 1;
        }
        (self.at > start).then_some(number)
    }

    #[inline]
    fn digits(&mut self) -> Option<u32> {
        let (mut number, start) = (0, self.at);
        while let Some(&digit @ b'0'..=b'9') = self.bytes.get(self.at) {
            if self.at - start == MOST_DIGITS {
                return None;
            }
            number = number * 10 + u32::from(digit - b'0');
            self.at += 1;
        }
        (self.at > start).then_some(number)
    }

    /// What a number is written with.
    #[inline]
    fn number(&mut self) {
        while let Some(b'0'..=b'9' | b'.' | b'-' | b'+' | b'E' | b'e') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }
}
