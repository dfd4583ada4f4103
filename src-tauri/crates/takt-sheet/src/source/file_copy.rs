//! Copies a large file. One thread reads and writes, and another one computes facts about all bytes, which are needed
//! later anyway. Both threads take about the same time.

use std::{
    fs::File,
    io::{self, Read, Write},
    panic,
    path::Path,
    sync::mpsc::{channel, sync_channel},
    thread,
};

use sha2::{Digest, Sha256};

/// Bytes that are read at a time.
pub(super) const BLOCK_BYTES: usize = 256 * 1024;
/// If this many blocks wait to be hashed, copying waits, too.
const MAX_WAITING_BLOCKS: usize = 4;
const MAX_CHARACTER_BYTES: usize = 4;

/// The facts about a file's content that are computed while it is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ContentFacts {
    pub(super) sha256: [u8; 32],
    /// False if the bytes aren't UTF-8. An incomplete character at the end is allowed.
    pub(super) is_utf8: bool,
}

/// A copy in a file without a name, which disappears when it is closed.
#[derive(Debug)]
pub(super) struct FileCopy {
    pub(super) file: File,
    pub(super) length: u64,
    pub(super) facts: ContentFacts,
}

/// Copies a file. Returns `None` if the copy can't be made, because the folder is full or gone, so the file can still
/// be read into memory. Stops one byte after `max_bytes`. `on_progress` gets the number of bytes after each block.
pub(super) fn copy_file(
    file: &mut File,
    folder: &Path,
    max_bytes: u64,
    on_progress: &mut dyn FnMut(u64),
) -> io::Result<Option<FileCopy>> {
    let Ok(mut copy) = tempfile::tempfile_in(folder) else { return Ok(None) };
    let mut length = 0;
    let facts = thread::scope(|scope| {
        let (full, blocks) = sync_channel::<Vec<u8>>(MAX_WAITING_BLOCKS);
        let (empty, used) = channel();
        let hashing = thread::Builder::new().name("hash".to_owned()).spawn_scoped(scope, move || {
            let mut facts = FactsBuilder::default();
            for block in blocks {
                facts.update(&block);
                // The reading thread may have ended.
                let _ = empty.send(block);
            }
            facts.finish()
        });
        let Ok(hashing) = hashing else { return Ok(None) };
        loop {
            let mut block: Vec<u8> = used.try_recv().unwrap_or_default();
            block.resize(BLOCK_BYTES, 0);
            let read = file.read(&mut block)?;
            length += read as u64;
            if read == 0 || length > max_bytes {
                break;
            }
            block.truncate(read);
            if copy.write_all(&block).is_err() {
                return Ok(None);
            }
            if full.send(block).is_err() {
                break;
            }
            on_progress(length);
        }
        drop(full);
        Ok::<_, io::Error>(Some(hashing.join().unwrap_or_else(|cause| panic::resume_unwind(cause))))
    })?;
    Ok(facts.map(|facts| FileCopy { file: copy, length, facts }))
}

#[derive(Debug, Default)]
struct FactsBuilder {
    hasher: Sha256,
    not_utf8: bool,
    /// The beginning of a character that continues in the next block.
    partial_character: Vec<u8>,
}

impl FactsBuilder {
    fn update(&mut self, block: &[u8]) {
        self.hasher.update(block);
        let mut rest = block;
        while !self.not_utf8 && !self.partial_character.is_empty() {
            let Some((&byte, behind)) = rest.split_first() else { return };
            self.partial_character.push(byte);
            rest = behind;
            match std::str::from_utf8(&self.partial_character) {
                Ok(_) => self.partial_character.clear(),
                Err(error) => {
                    self.not_utf8 = error.error_len().is_some() || self.partial_character.len() >= MAX_CHARACTER_BYTES
                }
            }
        }
        if self.not_utf8 {
            return;
        }
        if let Err(error) = std::str::from_utf8(rest) {
            self.not_utf8 = error.error_len().is_some();
            self.partial_character = rest.get(error.valid_up_to()..).unwrap_or_default().to_vec();
        }
    }

    fn finish(self) -> ContentFacts {
        ContentFacts { sha256: self.hasher.finalize().into(), is_utf8: !self.not_utf8 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of any size give the same facts as the whole content.
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
                facts.update(block);
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
