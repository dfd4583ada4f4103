//! Checks whether all of a file is UTF-8. Large files are checked on several threads. Each piece reaches from its first
//! character to the first character of the next piece, so each character belongs to one piece.

use std::{
    io::{self, Read, Seek, SeekFrom},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
};

use crate::source::Source;

const PIECE: u64 = 512 * 1024;
/// The bytes of a character after its first one.
const MAX_CONTINUATION_BYTES: usize = 3;
const MAX_THREADS: u64 = 8;
/// With fewer pieces per thread, another thread isn't worthwhile.
const MIN_PIECES: u64 = 4;

/// Returns whether a file is UTF-8. A character that the file's end cuts off doesn't count.
pub(super) fn is_utf8(source: &Source) -> io::Result<bool> {
    match source.is_utf8() {
        Some(known) => Ok(known),
        None => is_utf8_in(source, PIECE),
    }
}

/// Like [`is_utf8`], with pieces of `size` bytes.
fn is_utf8_in(source: &Source, size: u64) -> io::Result<bool> {
    let pieces = source.len().div_ceil(size);
    let (next, is_invalid) = (AtomicU64::new(0), AtomicBool::new(false));
    let check = || -> io::Result<()> {
        let mut bytes = Vec::new();
        while !is_invalid.load(Ordering::Relaxed) {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= pieces {
                break;
            }
            if !is_piece_utf8(source, piece * size, size, &mut bytes)? {
                is_invalid.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    };
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let threads = (pieces / MIN_PIECES).clamp(1, cores.min(MAX_THREADS));
    thread::scope(|scope| {
        let threads_to_join: Vec<_> =
            (1..threads).map_while(|_| thread::Builder::new().spawn_scoped(scope, check).ok()).collect();
        let own = check();
        let results = threads_to_join
            .into_iter()
            .map(|other| other.join().unwrap_or_else(|cause| std::panic::resume_unwind(cause)));
        results.fold(own, io::Result::and)
    })?;
    Ok(!is_invalid.into_inner())
}

fn is_piece_utf8(source: &Source, from: u64, size: u64, bytes: &mut Vec<u8>) -> io::Result<bool> {
    bytes.clear();
    let mut reader = source.reader();
    reader.seek(SeekFrom::Start(from))?;
    // The piece's last character may need these bytes.
    reader.take(size + MAX_CONTINUATION_BYTES as u64).read_to_end(bytes)?;
    let begin = if from == 0 { Some(0) } else { first_letter(bytes) };
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let behind = bytes.get(size..).unwrap_or_default();
    let end = size.saturating_add(first_letter(behind).unwrap_or(behind.len())).min(bytes.len());
    let is_last = from + end as u64 >= source.len();
    let Some(letters) = begin.and_then(|begin| bytes.get(begin..end)) else { return Ok(false) };
    Ok(std::str::from_utf8(letters).err().is_none_or(|error| is_last && error.error_len().is_none()))
}

/// Returns the start of the first character, or `None` if the bytes before it belong to no character.
fn first_letter(bytes: &[u8]) -> Option<usize> {
    let at = bytes.iter().position(|byte| byte & 0xC0 != 0x80).unwrap_or(bytes.len());
    (at <= MAX_CONTINUATION_BYTES).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces of any size give the result of the whole file.
    #[test]
    fn pieces_tell_what_the_whole_tells() {
        let mut state = 23_u64;
        println!("seed {state}");
        let mut next = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let pieces: [&[u8]; 9] =
            [b"a", "ä".as_bytes(), "€".as_bytes(), "😀".as_bytes(), b"\xFF", b"\xC3", b"\x80", b"\xF0\x9F", b"\n"];
        let (mut valid, mut invalid) = (0, 0);
        for _ in 0..3_000 {
            let odd = next(5) == 0;
            let mut bytes: Vec<u8> =
                (0..next(40)).flat_map(|_| pieces[next(if odd { 9 } else { 4 })]).copied().collect();
            bytes.truncate(bytes.len().saturating_sub(next(3)));
            let expected = std::str::from_utf8(&bytes).err().is_none_or(|error| error.error_len().is_none());
            let source = Source::from_bytes(bytes.clone());
            for size in [1, 2, 3, 4, 5, 7, 64] {
                assert_eq!(is_utf8_in(&source, size).unwrap(), expected, "{bytes:?} in {size}");
            }
            *if expected { &mut valid } else { &mut invalid } += 1;
        }
        assert!(valid > 1_000 && invalid > 200, "{valid} {invalid}");
    }
}
