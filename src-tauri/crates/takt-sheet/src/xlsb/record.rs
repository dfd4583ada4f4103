//! Records of a part of an xlsb. Kind and length are stored in groups of seven bits, followed by the content.

use std::io::{BufRead, Read};

use crate::{
    SheetError,
    binary_values::{push_utf16, u32_at},
};

/// No record that Takt reads is longer.
const MAX_RECORD_LENGTH: u32 = 16 * 1024 * 1024;
const KIND_BYTES: u32 = 2;
const LENGTH_BYTES: u32 = 4;

/// The records of a part. A record is borrowed from the buffer if it is complete there.
#[derive(Debug)]
pub(super) struct Records<R> {
    part: R,
    /// The bytes of the last record, which are consumed before the next one is read.
    consumed: usize,
    /// A record that isn't contiguous in the buffer.
    content: Vec<u8>,
}

impl<R: BufRead> Records<R> {
    pub(super) fn new(part: R) -> Self {
        Self { part, consumed: 0, content: Vec::new() }
    }

    /// Returns the kind and content of the next record, or `None` at the end of the part.
    pub(super) fn next(&mut self) -> Result<Option<(u32, &[u8])>, SheetError> {
        self.part.consume(std::mem::take(&mut self.consumed));
        let buffered = self.part.fill_buf().map_err(SheetError::damaged)?;
        let Some((kind, head, end)) = complete_record(buffered) else { return self.next_in_pieces() };
        self.consumed = end;
        // This reads nothing, because the bytes are buffered.
        let buffered = self.part.fill_buf().map_err(SheetError::damaged)?;
        Ok(Some((kind, buffered.get(head..end).unwrap_or_default())))
    }

    /// Calls `on_record` with every record, as [`Self::next`] returns it, until `on_record` returns false. Returns
    /// false if the part ends before.
    pub(super) fn for_each(
        &mut self,
        mut on_record: impl FnMut(u32, &[u8]) -> Result<bool, SheetError>,
    ) -> Result<bool, SheetError> {
        loop {
            self.part.consume(std::mem::take(&mut self.consumed));
            let buffered = self.part.fill_buf().map_err(SheetError::damaged)?;
            let mut rest = buffered;
            while let Some((kind, head, end)) = complete_record(rest) {
                let (record, behind) = rest.split_at_checked(end).unwrap_or((rest, &[]));
                rest = behind;
                if !on_record(kind, record.get(head..).unwrap_or_default())? {
                    self.consumed = buffered.len() - rest.len();
                    return Ok(true);
                }
            }
            self.consumed = buffered.len() - rest.len();
            if self.consumed == 0 {
                match self.next_in_pieces()? {
                    Some((kind, content)) if !on_record(kind, content)? => return Ok(true),
                    Some(_) => {}
                    None => return Ok(false),
                }
            }
        }
    }

    fn next_in_pieces(&mut self) -> Result<Option<(u32, &[u8])>, SheetError> {
        let Some(kind) = self.read_number(KIND_BYTES)? else { return Ok(None) };
        let length = self.read_number(LENGTH_BYTES)?.ok_or_else(|| SheetError::damaged("a record is cut off"))?;
        if length > MAX_RECORD_LENGTH {
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

    /// Reads a number, or returns `None` at the end of the part.
    fn read_number(&mut self, max_bytes: u32) -> Result<Option<u32>, SheetError> {
        let mut value = 0;
        for group in 0..max_bytes {
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
}

/// Returns the first record if it is completely buffered: its kind, and the start and end of its content.
fn complete_record(buffered: &[u8]) -> Option<(u32, usize, usize)> {
    // Nearly all records have a kind and a length of one byte each.
    if let &[kind @ ..0x80, length @ ..0x80, ..] = buffered {
        let end = 2 + usize::from(length);
        return (end <= buffered.len()).then_some((kind.into(), 2, end));
    }
    let (kind, behind) = number_at(buffered, 0, KIND_BYTES)?;
    let (length, head) = number_at(buffered, behind, LENGTH_BYTES)?;
    let end = head.checked_add(length as usize)?;
    (length <= MAX_RECORD_LENGTH && end <= buffered.len()).then_some((kind, head, end))
}

/// Decodes a number and returns it with its end, or `None` if it isn't completely buffered.
fn number_at(buffered: &[u8], from: usize, max_bytes: u32) -> Option<(u32, usize)> {
    let mut value = 0;
    let mut at = from;
    for group in 0..max_bytes {
        let byte = *buffered.get(at)?;
        at += 1;
        value |= u32::from(byte & 0x7F) << (7 * group);
        if byte & 0x80 == 0 {
            break;
        }
    }
    Some((value, at))
}

/// Appends a UTF-16 text that begins with its length, and moves `rest` to its end.
pub(super) fn push_wide_text(rest: &mut &[u8], out: &mut String) -> Option<()> {
    let length = usize::try_from(u32_at(rest, 0)?).ok()?.checked_mul(2)?;
    let units = rest.get(4..length.checked_add(4)?)?;
    *rest = rest.get(4 + length..)?;
    push_utf16(units, out);
    Some(())
}

/// Like [`push_wide_text`], but returns the text.
pub(super) fn read_wide_text(rest: &mut &[u8]) -> Option<String> {
    let mut text = String::new();
    push_wide_text(rest, &mut text)?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use super::*;

    /// The same records and the same error are read with any amount of buffered bytes.
    #[test]
    fn records_are_the_same_in_pieces_as_whole() {
        let mut part: Vec<u8> = Vec::new();
        for length in [0_usize, 1, 7, 127, 128, 300, 20_000] {
            let head = [&[0x9C, 0x01][..], &[(length & 0x7F) as u8 | 0x80, (length >> 7 & 0x7F) as u8 | 0x80]].concat();
            part.extend(head.into_iter().chain([(length >> 14) as u8]).chain(vec![length as u8; length]));
            part.extend([5, 2, 1, 2]);
        }
        let too_long = [&part[..], &[0x81, 0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0]].concat();
        let cut = (0..40).chain(part.len() - 30..=part.len()).map(|end| part[..end].to_vec());
        for part in cut.chain([too_long]) {
            let expected = all(BufReader::with_capacity(1, &part[..]));
            for capacity in [2, 3, 64, 1_000, 100_000] {
                assert_eq!(all(BufReader::with_capacity(capacity, &part[..])), expected, "{}", part.len());
            }
            assert_eq!(all(&part[..]), expected, "{}", part.len());
            assert_eq!(all(BufReader::new((&part[..]).chain(&[][..]))), expected);
        }
    }

    /// Reads records one by one, and several at a time.
    fn all(part: impl BufRead) -> (Vec<(u32, Vec<u8>)>, String) {
        let (mut records, mut found) = (Records::new(part), Vec::new());
        loop {
            let wanted = found.len() + 3;
            let more = records.for_each(|kind, content| {
                found.push((kind, content.to_vec()));
                Ok(found.len() < wanted)
            });
            match more {
                Ok(true) => {}
                Ok(false) => return (found, String::new()),
                Err(error) => return (found, format!("{error:?}")),
            }
            match records.next() {
                Ok(Some((kind, content))) => found.push((kind, content.to_vec())),
                Ok(None) => return (found, String::new()),
                Err(error) => return (found, format!("{error:?}")),
            }
        }
    }
}
