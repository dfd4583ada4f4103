//! Bytes of a part on their way to the XML reader. What is there can be looked at before it is taken, so that pieces in a
//! regular shape are read without that reader.

use std::{
    fmt,
    io::{self, BufRead, Read},
};

/// What is read at once.
const BLOCK: usize = 128 * 1024;
/// What is looked at before it is taken: little, so that a piece that isn't regular costs little.
pub(crate) const WINDOW: usize = 16 * 1024;
/// So much may be there before something is taken.
const MAX_BUFFERED_BYTES: usize = 2 * 1024 * 1024;

pub(crate) struct PartBuffer<'p> {
    part: Box<dyn Read + 'p>,
    bytes: Vec<u8>,
    /// What is there and not yet taken.
    start: usize,
    end: usize,
    /// Met behind what is there; told once that is taken.
    failure: Option<io::Error>,
}

impl fmt::Debug for PartBuffer<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PartBuffer").field("start", &self.start).field("end", &self.end).finish_non_exhaustive()
    }
}

impl<'p> PartBuffer<'p> {
    pub(crate) fn new(part: impl Read + 'p) -> Self {
        Self { part: Box::new(part), bytes: Vec::new(), start: 0, end: 0, failure: None }
    }

    /// Bytes that are there.
    pub(crate) fn len(&self) -> usize {
        self.end - self.start
    }

    /// So many bytes of what is there, as far as they are UTF-8.
    pub(crate) fn text(&self, most: usize) -> &str {
        let end = self.end.min(self.start.saturating_add(most));
        let bytes = self.bytes.get(self.start..end).unwrap_or_default();
        match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(bytes.get(..error.valid_up_to()).unwrap_or_default()).unwrap_or_default(),
        }
    }

    /// Reads on behind what is there. False where nothing follows, or as much is there as may be.
    pub(crate) fn read_on(&mut self) -> io::Result<bool> {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.end == self.bytes.len() {
            if self.end >= MAX_BUFFERED_BYTES {
                return Ok(false);
            }
            self.bytes.resize((self.end * 2).clamp(BLOCK, MAX_BUFFERED_BYTES), 0);
        }
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        let before = self.end;
        while let Some(room) = self.bytes.get_mut(self.end..).filter(|room| !room.is_empty()) {
            match self.part.read(room) {
                Ok(0) => break,
                Ok(length) => self.end += length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failure = Some(error);
                    break;
                }
            }
        }
        match self.failure.take() {
            // What came before is told first.
            Some(error) if self.end == before => Err(error),
            failure => {
                self.failure = failure;
                Ok(self.end > before)
            }
        }
    }
}

impl Read for PartBuffer<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.read(out)?;
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for PartBuffer<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            self.read_on()?;
        }
        Ok(self.bytes.get(self.start..self.end).unwrap_or_default())
    }

    fn consume(&mut self, length: usize) {
        self.start = (self.start + length).min(self.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_is_looked_at_than_was_taken() {
        let text = "äb".repeat(BLOCK);
        let mut buffer = PartBuffer::new(text.as_bytes());
        assert_eq!(buffer.text(BLOCK), "");
        assert!(buffer.read_on().unwrap());
        // The block ends within a letter.
        assert!(text.starts_with(buffer.text(BLOCK)) && buffer.text(BLOCK).len() > BLOCK - 2);
        buffer.consume(3);
        assert!(buffer.read_on().unwrap());
        let mut rest = String::new();
        buffer.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, text[3..]);
        assert!(!buffer.read_on().unwrap());
    }

    #[test]
    fn what_is_no_text_ends_what_can_be_looked_at() {
        let mut buffer = PartBuffer::new(b"ab\xFFcd".as_slice());
        buffer.read_on().unwrap();
        assert_eq!(buffer.text(9), "ab");
    }

    #[test]
    fn no_more_is_held_than_may_be() {
        let mut buffer = PartBuffer::new(io::repeat(b'a'));
        while buffer.read_on().unwrap() {}
        assert_eq!((buffer.len(), buffer.text(7)), (MAX_BUFFERED_BYTES, "aaaaaaa"));
    }
}
