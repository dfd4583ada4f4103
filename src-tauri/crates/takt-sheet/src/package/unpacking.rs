//! Unpacks a part on another thread while its earlier blocks are read.

use std::{
    io::{self, BufRead, Read},
    panic,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    },
    thread,
};

use super::parts::{self, Package, read_rest};
use crate::{SheetError, panic_text::suppress_panic_text};

/// Bytes of a block.
const BLOCK: usize = 64 * 1024;
/// The number of blocks that may wait to be read.
const MAX_WAITING_BLOCKS: usize = 4;

/// Calls `read` with the part, which may leave the rest of it. At most `max_bytes` bytes are unpacked.
///
/// A wrong checksum is an error, even if `read` didn't need the end of the part.
pub(crate) fn unpacked<T>(
    mut package: Package,
    name: &str,
    max_bytes: u64,
    read: impl FnOnce(&mut UnpackedPart) -> Result<T, SheetError>,
) -> Result<T, SheetError> {
    let has_failed = AtomicBool::new(false);
    let unpack = |blocks: &BlockSender| {
        let part = parts::part(&mut package, name)?;
        let mut part = part.ok_or_else(|| SheetError::missing_part(name))?.take(max_bytes);
        blocks.send_all(&mut part);
        if has_failed.load(Ordering::Acquire) { Ok(()) } else { read_rest(part) }
    };
    let (unpacked, result) = on_another_thread(unpack, |mut part| {
        let result = read(&mut part);
        has_failed.store(result.is_err(), Ordering::Release);
        result
    });
    unpacked.and(result).map_err(|error| error.in_part(name))
}

/// Calls `read` with the bytes that `prepare` sends from another thread. `read` may leave the rest.
pub(crate) fn on_another_thread<P: Send, T>(
    prepare: impl FnOnce(&BlockSender) -> P + Send,
    read: impl FnOnce(UnpackedPart) -> T,
) -> (P, T) {
    thread::scope(|scope| {
        let (full, blocks) = sync_channel(MAX_WAITING_BLOCKS);
        let (empty, used) = channel();
        let sender = BlockSender { full, used };
        let preparing = scope.spawn(move || suppress_panic_text(|| prepare(&sender)));
        let result = read(UnpackedPart { blocks, empty, block: Vec::new(), position: 0 });
        // `read` has closed the channel, which ends the preparing.
        (preparing.join().unwrap_or_else(|reason| panic::resume_unwind(reason)), result)
    })
}

/// Sends blocks of a part to the thread that reads them.
pub(crate) struct BlockSender {
    full: SyncSender<io::Result<Vec<u8>>>,
    used: Receiver<Vec<u8>>,
}

impl BlockSender {
    /// Sends the part in blocks. Stops at its end, at an error, or if the receiver is gone.
    pub(crate) fn send_all(&self, mut part: impl Read) {
        loop {
            let mut block = self.used.try_recv().unwrap_or_default();
            block.clear();
            let read = part.by_ref().take(BLOCK as u64).read_to_end(&mut block);
            let is_last = block.is_empty() || read.is_err();
            if !block.is_empty() && self.full.send(Ok(block)).is_err() {
                return;
            }
            if let Err(error) = read {
                // The receiver may be gone.
                let _ = self.full.send(Err(error));
            }
            if is_last {
                return;
            }
        }
    }
}

/// The unpacked bytes of a part, from its start.
#[derive(Debug)]
pub(crate) struct UnpackedPart {
    blocks: Receiver<io::Result<Vec<u8>>>,
    empty: Sender<Vec<u8>>,
    block: Vec<u8>,
    position: usize,
}

impl Read for UnpackedPart {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.read(out)?;
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for UnpackedPart {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.position >= self.block.len()
            && let Ok(next) = self.blocks.recv()
        {
            let before = std::mem::replace(&mut self.block, next?);
            self.position = 0;
            // The unpacking thread may have ended.
            let _ = self.empty.send(before);
        }
        Ok(self.block.get(self.position..).unwrap_or_default())
    }

    fn consume(&mut self, length: usize) {
        self.position = self.position.saturating_add(length).min(self.block.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns this many bytes and then fails.
    struct Broken(u64);

    impl Read for Broken {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(io::Error::other("cut off"));
            }
            let length = io::repeat(b'a').take(self.0).read(out)?;
            self.0 -= length as u64;
            Ok(length)
        }
    }

    /// Returns the bytes that another thread sends, and how reading them ends.
    fn read(part: impl Read + Send) -> (Vec<u8>, io::Result<usize>) {
        let mut bytes = Vec::new();
        let ((), end) = on_another_thread(move |blocks| blocks.send_all(part), |mut part| part.read_to_end(&mut bytes));
        (bytes, end)
    }

    #[test]
    fn all_bytes_come_in_their_order() {
        for length in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 9 * BLOCK + 7] {
            let bytes: Vec<u8> = (0..=250).cycle().take(length).collect();
            let (found, end) = read(bytes.as_slice());
            assert!(found == bytes && end.is_ok_and(|end| end == length), "{length}");
        }
    }

    #[test]
    fn what_came_before_something_was_wrong_is_read_first() {
        for length in [0, 5, BLOCK, 3 * BLOCK + 5] {
            let (found, end) = read(Broken(length as u64));
            assert_eq!(found.len(), length);
            assert_eq!(end.unwrap_err().to_string(), "cut off");
        }
    }

    #[test]
    fn the_reader_may_leave_the_rest() {
        let read = |mut part: UnpackedPart| {
            let mut first = [0; 3];
            part.read_exact(&mut first).unwrap();
            first
        };
        assert_eq!(on_another_thread(|blocks| blocks.send_all(io::repeat(b'a')), read).1, *b"aaa");
    }
}
