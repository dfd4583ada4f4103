//! Records of an xls stream, with kind, length and content, and the texts in them. Records of the kind `CONTINUE`
//! continue a record that is too long.
//!
//! Excel 97 and later write each character of a text in UTF-16, without the upper byte if that is zero in the whole
//! text. The workbook's code page doesn't matter for them. Excel 5 and 95 write bytes in the code page.

use encoding_rs::Encoding;

use crate::{
    SheetError,
    binary_values::{push_latin, push_utf16, u16_at, u32_at},
    text::TextEncoding,
};

const CONTINUE: u16 = 0x003C;
const HEAD_BYTES: usize = 4;

/// Flags of a text: two bytes per character, an extension such as a pronunciation, and runs of fonts.
const WIDE_FLAG: u8 = 0x01;
const EXTENDED_FLAG: u8 = 0x04;
const RICH_FLAG: u8 = 0x08;
/// The bytes of a run: the position in a rich text where it begins, and its font.
const RUN_BYTES: usize = 4;

/// A record with the records that continue it.
#[derive(Debug)]
pub(super) struct Record<'a> {
    pub(super) kind: u16,
    pub(super) content: &'a [u8],
    /// The contents of the records that continue it.
    pub(super) continuations: Vec<&'a [u8]>,
}

impl Record<'_> {
    /// Returns the 16-bit number at a byte, or 0 if the record is too short.
    pub(super) fn read_u16_or_zero(&self, at: usize) -> u16 {
        u16_at(self.content, at).unwrap_or_default()
    }
}

/// The records of a stream from its start.
#[derive(Debug)]
pub(super) struct Records<'a>(pub(super) &'a [u8]);

impl<'a> Records<'a> {
    /// Returns the kind and the content of the next record, without the records that continue it.
    fn next_single(&mut self) -> Option<Result<(u16, &'a [u8]), SheetError>> {
        // The bytes after the last record are padding.
        let (kind, length) = (u16_at(self.0, 0)?, usize::from(u16_at(self.0, 2)?));
        let Some((record, rest)) = self.0.split_at_checked(HEAD_BYTES + length) else {
            self.0 = &[];
            return Some(Err(SheetError::damaged("a record is cut off")));
        };
        self.0 = rest;
        Some(Ok((kind, record.get(HEAD_BYTES..).unwrap_or_default())))
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, SheetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (kind, content) = match self.next_single()? {
            Ok(found) => found,
            Err(error) => return Some(Err(error)),
        };
        let mut continuations = Vec::new();
        while u16_at(self.0, 0) == Some(CONTINUE) {
            match self.next_single() {
                Some(Ok((_, content))) => continuations.push(content),
                Some(Err(error)) => return Some(Err(error)),
                None => break,
            }
        }
        Some(Ok(Record { kind, content, continuations }))
    }
}

/// The storage of texts in a workbook.
#[derive(Debug, Clone, Copy)]
pub(super) enum StringFormat {
    /// Excel 97 and later.
    Unicode,
    /// Excel 5 and 95, in the encoding of a code page.
    Bytes(TextEncoding),
}

impl StringFormat {
    /// Returns the storage for the workbook's code page.
    pub(super) fn from_code_page(page: u16) -> Self {
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
        Self::Bytes(TextEncoding::by_name(&name).unwrap_or(TextEncoding::Known(encoding_rs::WINDOWS_1252)))
    }

    /// Reads a text that begins with its length, as in cells and formats.
    pub(super) fn read_text(self, record: &Record<'_>, from: usize) -> Result<String, SheetError> {
        let mut text = String::new();
        self.push_text(record, from, &mut text)?;
        Ok(text)
    }

    /// Like [`Self::read_text`], but appends the text to `out`.
    fn push_text(self, record: &Record<'_>, from: usize, out: &mut String) -> Result<(), SheetError> {
        let Self::Bytes(encoding) = self else { return Segments::new(record, from).push_rich_text(out) };
        let length = u16_at(record.content, from).ok_or_else(too_short_error)?;
        let mut bytes = record.content.get(from + 2..).unwrap_or_default().to_vec();
        bytes.extend(record.continuations.iter().copied().flatten());
        bytes.truncate(usize::from(length));
        out.push_str(&decode(encoding, &bytes));
        Ok(())
    }

    /// Reads a text that begins with a length of one byte, as in names of sheets and formats of Excel 5.
    pub(super) fn read_short_text(self, content: &[u8]) -> Option<String> {
        let (&length, rest) = content.split_first()?;
        let length = usize::from(length);
        match self {
            Self::Bytes(encoding) => Some(decode(encoding, rest.get(..length.min(rest.len()))?)),
            Self::Unicode => {
                let (&flags, rest) = rest.split_first()?;
                let mut units = Vec::new();
                push_units(rest, flags, length, &mut units);
                Some(String::from_utf16_lossy(&units))
            }
        }
    }
}

fn decode(text_encoding: TextEncoding, bytes: &[u8]) -> String {
    match text_encoding {
        // A code page has no byte order mark.
        TextEncoding::Known(encoding) => Encoding::decode_without_bom_handling(encoding, bytes).0.into_owned(),
        TextEncoding::Dos => text_encoding.decode(bytes).into_owned(),
    }
}

fn too_short_error() -> SheetError {
    SheetError::damaged("a text is cut off")
}

/// Appends at most `max_units` UTF-16 units and returns how many bytes they used.
fn push_units(bytes: &[u8], flags: u8, max_units: usize, units: &mut Vec<u16>) -> usize {
    if flags & WIDE_FLAG == 0 {
        let used = bytes.get(..max_units).unwrap_or(bytes);
        units.extend(used.iter().copied().map(u16::from));
        return used.len();
    }
    let pairs = bytes.chunks_exact(2).take(max_units);
    let count = pairs.len();
    units.extend(pairs.map(|pair| u16_at(pair, 0).unwrap_or_default()));
    count * 2
}

/// The content of a record and of the records that continue it.
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

    /// Returns whether no bytes are left. Moves to the next record at the end of one.
    pub(super) fn is_at_end(&mut self) -> bool {
        while self.rest.is_empty() {
            let Some(next) = self.record.continuations.get(self.next) else { return true };
            self.rest = next;
            self.next += 1;
        }
        false
    }

    /// Reads bytes, which may be in several records.
    fn read_bytes<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], SheetError> {
        if let Some((&bytes, rest)) = self.rest.split_first_chunk() {
            self.rest = rest;
            return Ok(bytes);
        }
        let mut bytes = [0; COUNT];
        for byte in &mut bytes {
            if self.is_at_end() {
                return Err(too_short_error());
            }
            let (&first, rest) = self.rest.split_first().ok_or_else(too_short_error)?;
            (*byte, self.rest) = (first, rest);
        }
        Ok(bytes)
    }

    /// Skips bytes. Missing bytes at the end are ignored.
    fn skip(&mut self, mut count: usize) {
        while count > 0 && !self.is_at_end() {
            let step = count.min(self.rest.len());
            self.rest = self.rest.get(step..).unwrap_or_default();
            count -= step;
        }
    }

    /// Appends a text to `out`: its length, flags and characters. Its formatting is skipped.
    pub(super) fn push_rich_text(&mut self, out: &mut String) -> Result<(), SheetError> {
        let length = usize::from(u16::from_le_bytes(self.read_bytes()?));
        if length == 0 && self.is_at_end() {
            return Ok(());
        }
        let [flags] = self.read_bytes()?;
        let runs = if flags & RICH_FLAG == 0 { 0 } else { usize::from(u16::from_le_bytes(self.read_bytes()?)) };
        let extended =
            if flags & EXTENDED_FLAG == 0 { 0 } else { u32_at(&self.read_bytes::<4>()?, 0).unwrap_or_default() };
        if self.push_whole(length, flags, out).is_none() {
            self.push_in_pieces(length, flags, out)?;
        }
        self.skip(runs.saturating_mul(RUN_BYTES));
        self.skip(extended as usize);
        Ok(())
    }

    /// Appends the characters, or returns `None` if this record doesn't contain all of them.
    fn push_whole(&mut self, length: usize, flags: u8, out: &mut String) -> Option<()> {
        let is_wide = flags & WIDE_FLAG != 0;
        let (characters, rest) = self.rest.split_at_checked(if is_wide { length * 2 } else { length })?;
        self.rest = rest;
        if is_wide {
            push_utf16(characters, out)
        } else {
            push_latin(characters, out)
        }
        Some(())
    }

    fn push_in_pieces(&mut self, length: usize, mut flags: u8, out: &mut String) -> Result<(), SheetError> {
        self.units.clear();
        while self.units.len() < length {
            if self.rest.is_empty() {
                if self.is_at_end() {
                    return Err(too_short_error());
                }
                // The characters in a continuing record begin with new flags.
                [flags] = self.read_bytes()?;
            }
            let missing = length - self.units.len();
            let used = push_units(self.rest, flags, missing, &mut self.units);
            self.rest = self.rest.get(used..).unwrap_or_default();
            if used == 0 && !self.rest.is_empty() {
                return Err(SheetError::damaged("a text ends within a letter"));
            }
        }
        out.extend(
            char::decode_utf16(self.units.iter().copied()).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)),
        );
        Ok(())
    }
}
