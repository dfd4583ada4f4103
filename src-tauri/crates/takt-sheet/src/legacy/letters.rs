//! Texts of an xls. Excel 97 and later ones write each letter in UTF-16, with the upper byte left out where it is zero
//! throughout: the workbook's code page says nothing about them, whatever it is. Excel 5 and 95 write bytes of the code page.

use encoding_rs::Encoding;

use super::record::Record;
use crate::{
    SheetError,
    compound::{u16_at, u32_at},
    text::Letters,
    utf16::{push_latin, push_utf16},
};

const WIDE: u8 = 0x01;
const EXTENDED: u8 = 0x04;
const RICH: u8 = 0x08;
/// Bytes for where a part of a rich text begins and which font it has.
const RUN: usize = 4;

/// How texts are written in a workbook.
#[derive(Debug, Clone, Copy)]
pub(super) enum Writing {
    /// Excel 97 and later.
    Unicode,
    /// Excel 5 and 95: letters of a code page.
    Bytes(Letters),
}

impl Writing {
    /// By what the workbook's code page is.
    pub(super) fn of_code_page(page: u16) -> Self {
        let name = match page {
            437 | 850 | 858 => "850".to_owned(),
            866 => "ibm866".to_owned(),
            874 => "windows-874".to_owned(),
            932 => "shift_jis".to_owned(),
            936 => "gbk".to_owned(),
            949 => "euc-kr".to_owned(),
            950 => "big5".to_owned(),
            10_000 | 32_768 => "macintosh".to_owned(),
            10_007 => "x-mac-cyrillic".to_owned(),
            20_866 => "koi8-r".to_owned(),
            28_591..=28_605 => format!("iso-8859-{}", page - 28_590),
            65_001 => "utf-8".to_owned(),
            page => format!("windows-{page}"),
        };
        Self::Bytes(Letters::by_name(&name).unwrap_or(Letters::Known(encoding_rs::WINDOWS_1252)))
    }

    /// A text with its length in front, as cells and formats have it.
    pub(super) fn text(self, record: &Record<'_>, from: usize) -> Result<String, SheetError> {
        let mut text = String::new();
        self.push_text(record, from, &mut text)?;
        Ok(text)
    }

    /// The same, added to `out`.
    pub(super) fn push_text(self, record: &Record<'_>, from: usize, out: &mut String) -> Result<(), SheetError> {
        let Self::Bytes(letters) = self else { return Segments::new(record, from).rich_text(out) };
        let length = u16_at(record.content, from).ok_or_else(too_short)?;
        let mut bytes = record.content.get(from + 2..).unwrap_or_default().to_vec();
        bytes.extend(record.more.iter().copied().flatten());
        bytes.truncate(usize::from(length));
        out.push_str(&decode(letters, &bytes));
        Ok(())
    }

    /// A text with a length of one byte in front, as sheets' names have it, and the formats of Excel 5.
    pub(super) fn short_text(self, content: &[u8]) -> Option<String> {
        let (&length, rest) = content.split_first()?;
        let length = usize::from(length);
        match self {
            Self::Bytes(letters) => Some(decode(letters, rest.get(..length.min(rest.len()))?)),
            Self::Unicode => {
                let (&flags, rest) = rest.split_first()?;
                let mut units = Vec::new();
                units_of(rest, flags, length, &mut units);
                Some(String::from_utf16_lossy(&units))
            }
        }
    }
}

fn decode(letters: Letters, bytes: &[u8]) -> String {
    match letters {
        // A code page has no byte order mark.
        Letters::Known(encoding) => Encoding::decode_without_bom_handling(encoding, bytes).0.into_owned(),
        Letters::Dos => letters.decode(bytes).into_owned(),
    }
}

fn too_short() -> SheetError {
    SheetError::damaged("a text is cut off")
}

/// Adds at most so many letters; tells how many bytes they took.
fn units_of(bytes: &[u8], flags: u8, most: usize, units: &mut Vec<u16>) -> usize {
    if flags & WIDE == 0 {
        let taken = bytes.get(..most).unwrap_or(bytes);
        units.extend(taken.iter().copied().map(u16::from));
        return taken.len();
    }
    let pairs = bytes.chunks_exact(2).take(most);
    let count = pairs.len();
    units.extend(pairs.map(|pair| u16_at(pair, 0).unwrap_or_default()));
    count * 2
}

/// A record's content together with what goes on with it.
#[derive(Debug)]
pub(super) struct Segments<'r, 'a> {
    record: &'r Record<'a>,
    rest: &'a [u8],
    next: usize,
    units: Vec<u16>,
}

impl<'r, 'a> Segments<'r, 'a> {
    pub(super) fn new(record: &'r Record<'a>, from: usize) -> Self {
        Self { record, rest: record.content.get(from..).unwrap_or_default(), next: 0, units: Vec::new() }
    }

    /// Whether nothing is left; moves on to the next record where this one has ended.
    pub(super) fn is_at_end(&mut self) -> bool {
        while self.rest.is_empty() {
            let Some(next) = self.record.more.get(self.next) else { return true };
            self.rest = next;
            self.next += 1;
        }
        false
    }

    fn take<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], SheetError> {
        if let Some((&bytes, rest)) = self.rest.split_first_chunk() {
            self.rest = rest;
            return Ok(bytes);
        }
        let mut bytes = [0; COUNT];
        for byte in &mut bytes {
            if self.is_at_end() {
                return Err(too_short());
            }
            let (&first, rest) = self.rest.split_first().ok_or_else(too_short)?;
            (*byte, self.rest) = (first, rest);
        }
        Ok(bytes)
    }

    /// What lies behind the last record isn't missed.
    fn skip(&mut self, mut count: usize) {
        while count > 0 && !self.is_at_end() {
            let step = count.min(self.rest.len());
            self.rest = self.rest.get(step..).unwrap_or_default();
            count -= step;
        }
    }

    /// Adds a text to `out`: its length, its flags, its letters; how it is formatted is passed over.
    pub(super) fn rich_text(&mut self, out: &mut String) -> Result<(), SheetError> {
        let length = usize::from(u16::from_le_bytes(self.take()?));
        if length == 0 && self.is_at_end() {
            return Ok(());
        }
        let [flags] = self.take()?;
        let runs = if flags & RICH == 0 { 0 } else { usize::from(u16::from_le_bytes(self.take()?)) };
        let extended = if flags & EXTENDED == 0 { 0 } else { u32_at(&self.take::<4>()?, 0).unwrap_or_default() };
        if self.push_whole(length, flags, out).is_none() {
            self.push_in_pieces(length, flags, out)?;
        }
        self.skip(runs.saturating_mul(RUN));
        self.skip(extended as usize);
        Ok(())
    }

    /// Absent where the letters don't all lie in this record.
    fn push_whole(&mut self, length: usize, flags: u8, out: &mut String) -> Option<()> {
        let is_wide = flags & WIDE != 0;
        let (letters, rest) = self.rest.split_at_checked(if is_wide { length * 2 } else { length })?;
        self.rest = rest;
        if is_wide {
            push_utf16(letters, out)
        } else {
            push_latin(letters, out)
        }
        Some(())
    }

    fn push_in_pieces(&mut self, length: usize, mut flags: u8, out: &mut String) -> Result<(), SheetError> {
        self.units.clear();
        while self.units.len() < length {
            if self.rest.is_empty() {
                if self.is_at_end() {
                    return Err(too_short());
                }
                // Letters that go on in another record say anew how they are written.
                [flags] = self.take()?;
            }
            let missing = length - self.units.len();
            let taken = units_of(self.rest, flags, missing, &mut self.units);
            self.rest = self.rest.get(taken..).unwrap_or_default();
            if taken == 0 && !self.rest.is_empty() {
                return Err(SheetError::damaged("a text ends within a letter"));
            }
        }
        out.extend(
            char::decode_utf16(self.units.iter().copied()).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)),
        );
        Ok(())
    }
}
