//! A large file on its way into its copy: one thread reads and writes, and another finds out meanwhile what is asked of all
//! bytes anyway. Both take about as long.

use std::{
    fs::File,
    io::{self, Read, Write},
    panic,
    path::Path,
    sync::mpsc::{channel, sync_channel},
    thread,
};

use sha2::{Digest, Sha256};

use super::BLOCK;

/// Blocks that may wait to be looked at.
const MAX_WAITING_BLOCKS: usize = 4;
const MAX_CHARACTER_BYTES: usize = 4;

/// What is known of a file's content by having read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ContentFacts {
    pub(super) sha256: [u8; 32],
    /// False where some bytes are no UTF-8; a letter that the end cuts off is none of them.
    pub(super) is_utf8: bool,
}

/// A copy that has no name.
#[derive(Debug)]
pub(super) struct Copied {
    pub(super) file: File,
    pub(super) length: u64,
    pub(super) facts: ContentFacts,
}

/// Nothing where the copy can't be made: the folder may be full or gone, and the file can still be held. One byte more than
/// `most` is enough; `told` hears after each block how many bytes are read.
pub(super) fn copy(file: &mut File, folder: &Path, most: u64, told: &mut dyn FnMut(u64)) -> io::Result<Option<Copied>> {
    let Ok(mut copied) = tempfile::tempfile_in(folder) else { return Ok(None) };
    let mut length = 0;
    let facts = thread::scope(|scope| {
        let (full, blocks) = sync_channel::<Vec<u8>>(MAX_WAITING_BLOCKS);
        let (empty, used) = channel();
        let looking = thread::Builder::new().name("hash".to_owned()).spawn_scoped(scope, move || {
            let mut facts = FactsBuilder::default();
            for block in blocks {
                facts.see(&block);
                // The reading thread may have ended.
                let _ = empty.send(block);
            }
            facts.finish()
        });
        let Ok(looking) = looking else { return Ok(None) };
        loop {
            let mut block: Vec<u8> = used.try_recv().unwrap_or_default();
            block.resize(BLOCK, 0);
            let read = file.read(&mut block)?;
            length += read as u64;
            if read == 0 || length > most {
                break;
            }
            block.truncate(read);
            if copied.write_all(&block).is_err() {
                return Ok(None);
            }
            if full.send(block).is_err() {
                break;
            }
            told(length);
        }
        drop(full);
        Ok::<_, io::Error>(Some(looking.join().unwrap_or_else(|cause| panic::resume_unwind(cause))))
    })?;
    Ok(facts.map(|facts| Copied { file: copied, length, facts }))
}

#[derive(Debug, Default)]
struct FactsBuilder {
    hasher: Sha256,
    not_utf8: bool,
    /// The beginning of a letter that goes on in the next block.
    begun: Vec<u8>,
}

impl FactsBuilder {
    fn see(&mut self, block: &[u8]) {
        self.hasher.update(block);
        let mut rest = block;
        while !self.not_utf8 && !self.begun.is_empty() {
            let Some((&byte, behind)) = rest.split_first() else { return };
            self.begun.push(byte);
            rest = behind;
            match std::str::from_utf8(&self.begun) {
                Ok(_) => self.begun.clear(),
                Err(error) => self.not_utf8 = error.error_len().is_some() || self.begun.len() >= MAX_CHARACTER_BYTES,
            }
        }
        if self.not_utf8 {
            return;
        }
        if let Err(error) = std::str::from_utf8(rest) {
            self.not_utf8 = error.error_len().is_some();
            self.begun = rest.get(error.valid_up_to()..).unwrap_or_default().to_vec();
        }
    }

    fn finish(self) -> ContentFacts {
        ContentFacts { sha256: self.hasher.finalize().into(), is_utf8: !self.not_utf8 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However the bytes come, what is known of them is what is known of the whole.
    #[test]
    fn blocks_tell_what_the_whole_tells() {
        let mut state = 17_u64;
        println!("seed {state}");
        let mut next = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let pieces: [&[u8]; 9] =
            [b"a", "ä".as_bytes(), "€".as_bytes(), "😀".as_bytes(), b"\xFF", b"\xC3", b"\x80", b"\xF0\x9F", b"\n"];
        let (mut valid, mut invalid) = (0, 0);
        for _ in 0..4_000 {
            let odd = next(5) == 0;
            let bytes: Vec<u8> = (0..next(12)).flat_map(|_| pieces[next(if odd { 9 } else { 4 })]).copied().collect();
            let mut facts = FactsBuilder::default();
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let (block, left) = rest.split_at(1 + next(rest.len()));
                facts.see(block);
                rest = left;
            }
            let is_utf8 = std::str::from_utf8(&bytes).err().is_none_or(|error| error.error_len().is_none());
            let whole = ContentFacts { sha256: Sha256::digest(&bytes).into(), is_utf8 };
            assert_eq!(facts.finish(), whole, "{bytes:?}");
            *if is_utf8 { &mut valid } else { &mut invalid } += 1;
        }
        assert!(valid > 1_000 && invalid > 200, "{valid} {invalid}");
    }
}
