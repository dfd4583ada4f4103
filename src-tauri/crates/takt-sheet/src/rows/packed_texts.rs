//! A packed column of nothing but texts, as a search looks at it: no cell of it is made.

use super::column::{ONE_HEAD, PackedColumn, next_length};
use crate::{CellKind, cell::head};

const AT_ONCE: usize = 32;
/// The bit by which a small letter differs from its capital one.
const CASE: u32 = 5;

/// Unpacked into room that is used again and again.
pub(super) struct PackedTexts<'b> {
    places: Option<&'b [u8]>,
    count: usize,
    /// As they are packed.
    lengths: &'b [u8],
    text: &'b mut [u8],
}

impl<'b> PackedTexts<'b> {
    /// Absent where the column holds anything else, or letters beyond ASCII.
    pub(super) fn open(packed: &[u8], room: &'b mut Vec<u8>) -> Option<Self> {
        let PackedColumn { flags, count, places, heads, values, texts } = PackedColumn::open(packed, room)?;
        let is_text = flags & ONE_HEAD != 0 && values.is_empty() && heads == [head(CellKind::Text, 0)];
        if !is_text {
            return None;
        }
        let mut rest = &texts[..];
        let mut length = 0_usize;
        for _ in 0..count {
            length = length.checked_add(next_length(&mut rest)? as usize)?;
        }
        if length != rest.len() || !rest.is_ascii() {
            return None;
        }
        let (lengths, text) = texts.split_at_mut_checked(texts.len() - length)?;
        Some(Self { places, count, lengths, text })
    }

    /// Small letters in place of capital ones: many at once, which the compiler doesn't make of the standard library's way.
    pub(super) fn lower(&mut self) {
        let (chunks, rest) = self.text.as_chunks_mut::<AT_ONCE>();
        for chunk in chunks {
            *chunk = chunk.map(|byte| byte | u8::from(byte.is_ascii_uppercase()) << CASE);
        }
        rest.make_ascii_lowercase();
    }

    /// Calls `hit` with the place of each cell whose text holds what `find` finds from an offset on, and which has this length.
    pub(super) fn search(&self, length: usize, find: impl Fn(&[u8]) -> Option<usize>, mut hit: impl FnMut(u16)) {
        let mut lengths = self.lengths;
        // Of the cell that is looked at: its number, and where its text ends.
        let (mut at, mut end) = (0, next_length(&mut lengths).unwrap_or_default() as usize);
        let mut from = 0;
        while let Some(found) = self.text.get(from..).and_then(&find) {
            let start = from + found;
            while end <= start {
                let Some(next) = next_length(&mut lengths) else { return };
                (at, end) = (at + 1, end + next as usize);
            }
            // What begins in one text and ends in the next is none.
            if start + length <= end {
                self.place(at).into_iter().for_each(&mut hit);
                from = end;
            } else {
                from = start + 1;
            }
        }
    }

    fn place(&self, at: usize) -> Option<u16> {
        let Some(places) = self.places else { return u16::try_from(at).ok().filter(|_| at < self.count) };
        places.get(at * 2..)?.first_chunk().map(|pair| u16::from_le_bytes(*pair))
    }
}
