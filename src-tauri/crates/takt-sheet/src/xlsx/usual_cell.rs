//! A cell exactly as Excel and most other programs write it: its place, perhaps a format and a kind, in this order, perhaps a
//! formula, and a value that is plain digits, a plain number, or a plain text of its own. Any other cell is left to who reads
//! all of them.

use memchr::memchr;

use super::cells::FileKind;
use crate::{
    Limits,
    cell_batch::{CellBatch, RawCell, Value},
    number_text::number,
    regular_xml::Cursor,
};

/// A number that is longer is looked at more closely.
const MOST_DIGITS: usize = 9;
const MOST_LETTERS: usize = 3;

/// What follows the cell's name, of which what was taken is counted.
struct Taken<'c, 't> {
    cursor: &'c Cursor<'t>,
    bytes: &'t [u8],
    at: usize,
}

/// The cell from behind its name, and how many bytes it takes. The batch is only changed where there is one.
pub(super) fn read(cursor: &Cursor<'_>, limits: &Limits, batch: &mut CellBatch) -> Option<(RawCell, usize)> {
    let mut taken = Taken { cursor, bytes: cursor.rest(), at: 0 };
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
    let value = match taken.kind()? {
        FileKind::Absent | FileKind::Number => taken.value(Taken::number)?,
        FileKind::Shared => taken.value(|taken| taken.digits().map(Value::Shared))?,
        FileKind::Boolean => taken.value(Taken::boolean)?,
        FileKind::Text => {
            taken.start_value()?;
            taken.text(b"</v></c>", limits, batch)?
        }
        FileKind::Inline => taken.text(b"</t></is></c>", limits, batch)?,
        FileKind::Error | FileKind::Moment | FileKind::Unknown => return None,
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

impl<'t> Taken<'_, 't> {
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

    /// The kind, up to the formula or the value, or up to the letters of a text of the cell's own.
    #[inline]
    fn kind(&mut self) -> Option<FileKind> {
        if self.all(b" t=\"s\">").is_some() {
            Some(FileKind::Shared)
        } else if self.all(b">").is_some() {
            Some(FileKind::Absent)
        } else if self.all(b" t=\"n\">").is_some() {
            Some(FileKind::Number)
        } else if self.all(b" t=\"str\">").is_some() {
            Some(FileKind::Text)
        } else if self.all(b" t=\"inlineStr\"><is><t>").is_some() {
            Some(FileKind::Inline)
        } else {
            self.all(b" t=\"b\">").map(|()| FileKind::Boolean)
        }
    }

    /// To behind `<v>`, past the formula before it where there is one.
    #[inline]
    fn start_value(&mut self) -> Option<()> {
        if self.all(b"<f").is_some() {
            self.formula()?;
        }
        self.all(b"<v>")
    }

    /// A formula from behind its name. What it says doesn't matter, only where it ends: a `>` within quotes ends no tag.
    fn formula(&mut self) -> Option<()> {
        let end = memchr(b'>', self.rest())?;
        let attributes = self.rest().get(..end)?;
        let is_whole_name = attributes.first().is_none_or(|&byte| matches!(byte, b' ' | b'/'));
        let is_quoted = attributes.iter().filter(|&&byte| byte == b'"').count() % 2 == 1;
        let is_odd = |&byte: &u8| matches!(byte, b'<' | b'\'' | b'&');
        if !is_whole_name || is_quoted || attributes.iter().any(is_odd) {
            return None;
        }
        self.at += end + 1;
        if attributes.last() == Some(&b'/') {
            return Some(());
        }
        self.at += memchr(b'<', self.rest())?;
        self.all(b"</f>")
    }

    /// A value that `read` reads, and what stands around it.
    #[inline]
    fn value(&mut self, read: impl FnOnce(&mut Self) -> Option<Value>) -> Option<Value> {
        self.start_value()?;
        let value = read(self)?;
        self.all(b"</v></c>").map(|()| value)
    }

    fn boolean(&mut self) -> Option<Value> {
        self.digits().filter(|&digit| digit < 2).map(|digit| Value::Boolean(digit == 1))
    }

    /// A plain text and what ends its cell.
    fn text<const LENGTH: usize>(
        &mut self,
        end: &[u8; LENGTH],
        limits: &Limits,
        batch: &mut CellBatch,
    ) -> Option<Value> {
        let start = self.at;
        self.at += memchr(b'<', self.rest())?;
        let text = self.cursor.piece(start..self.at)?;
        self.all(end)?;
        (is_plain(text) && text.len() <= limits.text_bytes).then(|| {
            let (start, end) = batch.add(text);
            Value::Text(start, end)
        })
    }

    #[inline]
    fn number(&mut self) -> Option<Value> {
        let start = self.at;
        while let Some(b'0'..=b'9' | b'.' | b'-' | b'+' | b'E' | b'e') = self.bytes.get(self.at) {
            self.at += 1;
        }
        number(self.cursor.piece(start..self.at)?).map(Value::Number)
    }
}
