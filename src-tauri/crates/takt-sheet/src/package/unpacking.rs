//! A part that is unpacked on a thread of its own, while what came before is read.

use std::{
    io::{self, BufRead, Read},
    panic,
    sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    thread,
};

use crate::{SheetError, package, panic_text::quiet, source::Source};

const BLOCK: u64 = 128 * 1024;

/// Gives the part to `read`, which may leave the rest of it. At most `most` bytes are unpacked, and so many blocks of 128 kB may
/// wait to be read.
pub(crate) fn unpacked<T>(
    source: &Source,
    (name, most, waiting): (&str, u64, usize),
    read: impl FnOnce(UnpackedPart) -> Result<T, SheetError>,
) -> Result<T, SheetError> {
    thread::scope(|scope| {
        let (full, blocks) = sync_channel(waiting);
        let (empty, used) = channel();
        let unpacking = scope.spawn(move || {
            quiet(|| {
                let mut package = package::open(source)?;
                let part = package::part(&mut package, name);
                let part = part.ok_or_else(|| SheetError::damaged(format_args!("there is no part {name:?}")))?;
                unpack(part.take(most), &full, &used);
                Ok(())
            })
        });
        let result = read(UnpackedPart { blocks, empty, block: Vec::new(), position: 0 });
        // The channel is closed by now, which ends the unpacking.
        unpacking.join().unwrap_or_else(|reason| panic::resume_unwind(reason)).and(result)
    })
}

fn unpack(mut part: impl Read, full: &SyncSender<io::Result<Vec<u8>>>, used: &Receiver<Vec<u8>>) {
    loop {
        let mut block = used.try_recv().unwrap_or_default();
        block.clear();
        let read = part.by_ref().take(BLOCK).read_to_end(&mut block);
        let is_last = block.is_empty() || read.is_err();
        if !block.is_empty() && full.send(Ok(block)).is_err() {
            return;
        }
        if let Err(error) = read {
            // Whoever reads may have enough.
            let _ = full.send(Err(error));
        }
        if is_last {
            return;
        }
    }
}

/// What is unpacked, from the front.
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
            // Whoever unpacks may have come to the end.
            let _ = self.empty.send(before);
        }
        Ok(self.block.get(self.position..).unwrap_or_default())
    }

    fn consume(&mut self, length: usize) {
        self.position = self.position.saturating_add(length).min(self.block.len());
    }
}
