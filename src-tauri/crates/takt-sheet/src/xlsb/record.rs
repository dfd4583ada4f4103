//! Records of a part of an xlsb: kind and length in groups of seven bits, then the content.

use std::io::{BufRead, Read};

use crate::{
    SheetError,
    compound::{u16_at, u32_at},
};

/// No record that matters is longer.
const LONGEST_RECORD: u32 = 16 * 1024 * 1024;

/// The records of a part, one after the other, in the same piece of memory.
#[derive(Debug)]
pub(super) struct Records<R> {
    part: R,
    content: Vec<u8>,
}

impl<R: BufRead> Records<R> {
    pub(super) fn new(part: R) -> Self {
        Self { part, content: Vec::new() }
    }

    /// `None` at the end of the part.
    fn number(&mut self, most: u32) -> Result<Option<u32>, SheetError> {
        let mut value = 0;
        for group in 0..most {
            let mut byte = [0];
            if self.part.read(&mut byte).map_err(SheetError::damaged)? == 0 {
                return Ok(None);
            }
            value |= u32::from(byte[0] & 0x7F) << (7 * group);
            if byte[0] & 0x80 == 0 {
                break;
            }
        }
        Ok(Some(value))
    }

    /// Kind and content; `None` at the end of the part.
    pub(super) fn next(&mut self) -> Result<Option<(u32, &[u8])>, SheetError> {
        let Some(kind) = self.number(2)? else { return Ok(None) };
        let length = self.number(4)?.ok_or_else(|| SheetError::damaged("a record is cut off"))?;
        if length > LONGEST_RECORD {
            return Err(SheetError::damaged("a record is longer than any can be"));
        }
        self.content.clear();
        let read =
            self.part.by_ref().take(length.into()).read_to_end(&mut self.content).map_err(SheetError::damaged)?;
        if read < length as usize {
            return Err(SheetError::damaged("a record is cut off"));
        }
        Ok(Some((kind, &self.content)))
    }
}

/// A text with its length in front, in UTF-16; `rest` moves on behind it.
pub(super) fn wide_text(rest: &mut &[u8]) -> Option<String> {
    let length = usize::try_from(u32_at(rest, 0)?).ok()?.checked_mul(2)?;
    let units = rest.get(4..length.checked_add(4)?)?;
    *rest = rest.get(4 + length..)?;
    let units = units.chunks_exact(2).filter_map(|pair| u16_at(pair, 0));
    Some(char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}
