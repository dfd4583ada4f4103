//! Buffers a part for the XML reader. Buffered bytes can be inspected before they are consumed, so that pieces in a
//! regular form are read without that reader.

use std::{
    fmt,
    io::{self, BufRead, Read},
};

/// The minimum size of the buffer.
const BLOCK_BYTES: usize = 128 * 1024;
/// The initial number of bytes that are inspected at a time. It is doubled for a longer piece. A small window limits the
/// bytes that are decoded in vain if the inspection stops early.
pub(crate) const WINDOW_BYTES: usize = 16 * 1024;
/// The buffer doesn't grow beyond this size, so bytes must be consumed first.
const MAX_BUFFERED_BYTES: usize = 2 * 1024 * 1024;

pub(crate) struct PartBuffer<'p> {
    part: Box<dyn Read + 'p>,
    bytes: Vec<u8>,
    /// The range of `bytes` that is buffered and not yet consumed.
    start: usize,
    end: usize,
    /// An error that occurred after the buffered bytes were read. It is returned once they are consumed.
    deferred_error: Option<io::Error>,
}

impl fmt::Debug for PartBuffer<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PartBuffer").field("start", &self.start).field("end", &self.end).finish_non_exhaustive()
    }
}

impl<'p> PartBuffer<'p> {
    pub(crate) fn new(part: impl Read + 'p) -> Self {
        Self { part: Box::new(part), bytes: Vec::new(), start: 0, end: 0, deferred_error: None }
    }

    pub(crate) fn len(&self) -> usize {
        self.end - self.start
    }

    /// Returns the first buffered bytes without consuming them, as far as they are UTF-8.
    pub(crate) fn peek(&self, max_bytes: usize) -> &str {
        let end = self.end.min(self.start.saturating_add(max_bytes));
        let bytes = self.bytes.get(self.start..end).unwrap_or_default();
        match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(bytes.get(..error.valid_up_to()).unwrap_or_default()).unwrap_or_default(),
        }
    }

    /// Reads more bytes into the buffer. Returns false at the end of the part, or if the buffer is full.
    pub(crate) fn fill_more(&mut self) -> io::Result<bool> {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.end == self.bytes.len() {
            if self.end >= MAX_BUFFERED_BYTES {
                return Ok(false);
            }
            self.bytes.resize((self.end * 2).clamp(BLOCK_BYTES, MAX_BUFFERED_BYTES), 0);
        }
        if let Some(error) = self.deferred_error.take() {
            return Err(error);
        }
        let before = self.end;
        while let Some(free) = self.bytes.get_mut(self.end..).filter(|free| !free.is_empty()) {
            match self.part.read(free) {
                Ok(0) => break,
                Ok(length) => self.end += length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.deferred_error = Some(error);
                    break;
                }
            }
        }
        match self.deferred_error.take() {
            // The bytes before an error are returned first.
            Some(error) if self.end == before => Err(error),
            deferred_error => {
                self.deferred_error = deferred_error;
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
            self.fill_more()?;
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
        let text = "äb".repeat(BLOCK_BYTES);
        let mut buffer = PartBuffer::new(text.as_bytes());
        assert_eq!(buffer.peek(BLOCK_BYTES), "");
        assert!(buffer.fill_more().unwrap());
        // The block ends within a character.
        assert!(text.starts_with(buffer.peek(BLOCK_BYTES)) && buffer.peek(BLOCK_BYTES).len() > BLOCK_BYTES - 2);
        buffer.consume(3);
        assert!(buffer.fill_more().unwrap());
        let mut rest = String::new();
        buffer.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, text[3..]);
        assert!(!buffer.fill_more().unwrap());
    }

    #[test]
    fn what_is_no_text_ends_what_can_be_looked_at() {
        let mut buffer = PartBuffer::new(b"ab\xFFcd".as_slice());
        buffer.fill_more().unwrap();
        assert_eq!(buffer.peek(9), "ab");
    }

    #[test]
    fn no_more_is_held_than_may_be() {
        let mut buffer = PartBuffer::new(io::repeat(b'a'));
        while buffer.fill_more().unwrap() {}
        assert_eq!((buffer.len(), buffer.peek(7)), (MAX_BUFFERED_BYTES, "aaaaaaa"));
    }
}
