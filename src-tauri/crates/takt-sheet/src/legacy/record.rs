//! Records of an xls stream: kind, length, content. A record that is too long goes on in records of the kind `CONTINUE`.

use crate::{SheetError, compound::u16_at};

pub(super) const CONTINUE: u16 = 0x003C;
const HEAD: usize = 4;

/// A record with those that go on with it.
#[derive(Debug)]
pub(super) struct Record<'a> {
    pub(super) kind: u16,
    pub(super) content: &'a [u8],
    /// The contents of the records that follow and go on with it.
    pub(super) more: Vec<&'a [u8]>,
}

impl Record<'_> {
    /// The 16-bit number at a byte; 0 where the record is too short.
    pub(super) fn half(&self, at: usize) -> u16 {
        u16_at(self.content, at).unwrap_or_default()
    }
}

/// The records of a stream, from its front.
#[derive(Debug)]
pub(super) struct Records<'a>(pub(super) &'a [u8]);

impl<'a> Records<'a> {
    fn single(&mut self) -> Option<Result<(u16, &'a [u8]), SheetError>> {
        // What follows the last record is padding.
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
        let (kind, content) = match self.single()? {
            Ok(found) => found,
            Err(error) => return Some(Err(error)),
        };
        let mut more = Vec::new();
        while u16_at(self.0, 0) == Some(CONTINUE) {
            match self.single() {
                Some(Ok((_, content))) => more.push(content),
                Some(Err(error)) => return Some(Err(error)),
                None => break,
            }
        }
        Some(Ok(Record { kind, content, more }))
    }
}
