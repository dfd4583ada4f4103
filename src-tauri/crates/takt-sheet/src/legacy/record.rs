//! Records of an xls stream, with kind, length and content. Records of the kind `CONTINUE` continue a record that is
//! too long.

use crate::{SheetError, compound::u16_at};

pub(super) const CONTINUE: u16 = 0x003C;
const HEAD: usize = 4;

/// A record with the records that continue it.
#[derive(Debug)]
pub(super) struct Record<'a> {
    pub(super) kind: u16,
    pub(super) content: &'a [u8],
    /// The contents of the records that continue it.
    pub(super) more: Vec<&'a [u8]>,
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
    fn next_single(&mut self) -> Option<Result<(u16, &'a [u8]), SheetError>> {
        // The bytes after the last record are padding.
        let (kind, length) = (u16_at(self.0, 0)?, usize::from(u16_at(self.0, 2)?));
        let Some((record, rest)) = self.0.split_at_checked(HEAD + length) else {
            self.0 = &[];
            return Some(Err(SheetError::damaged("a record is cut off")));
        };
        self.0 = rest;
        Some(Ok((kind, record.get(HEAD..).unwrap_or_default())))
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, SheetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (kind, content) = match self.next_single()? {
            Ok(found) => found,
            Err(error) => return Some(Err(error)),
        };
        let mut more = Vec::new();
        while u16_at(self.0, 0) == Some(CONTINUE) {
            match self.next_single() {
                Some(Ok((_, content))) => more.push(content),
                Some(Err(error)) => return Some(Err(error)),
                None => break,
            }
        }
        Some(Ok(Record { kind, content, more }))
    }
}
