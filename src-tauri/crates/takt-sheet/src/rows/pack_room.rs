//! Room in which column after column is compressed, taken once.

use std::fmt;

use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};

/// A column of which compressing leaves more than this many hundredths isn't compressed: it would take as long as any other.
const MOST_LEFT: usize = 60;
/// So many blocks of such a column are kept as they are before compressing is tried again.
const BLOCKS_UNCOMPRESSED: u8 = 15;
/// Bytes that are kept as they are at most, whatever follows in a file: what compresses well must not take all memory.
const MOST_UNCOMPRESSED: usize = 16 * 1024 * 1024;

/// Room in which columns are packed, used again and again.
#[derive(Default)]
pub(super) struct PackRoom {
    /// A column before it is compressed.
    pub(super) raw: Vec<u8>,
    /// True where nobody is going to ask which pairs of letters the texts have.
    pub(super) leaves_out_pairs: bool,
    /// For raw columns of less than 64 KiB, and for the others.
    small: CompressTable,
    large: Option<CompressTable>,
    /// By column: how many of its next blocks are kept as they are.
    kept_next: Vec<u8>,
    /// Bytes that were kept as they are.
    kept: usize,
}

impl fmt::Debug for PackRoom {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PackRoom").field("raw", &self.raw.len()).finish_non_exhaustive()
    }
}

impl PackRoom {
    pub(super) fn new(leaves_out_pairs: bool) -> Self {
        Self { leaves_out_pairs, ..Self::default() }
    }

    /// Other room for the same file: what was kept as it is counts there, too.
    pub(super) fn another(&self) -> Self {
        Self { kept: self.kept, ..Self::new(self.leaves_out_pairs) }
    }

    /// Puts what is in `raw` behind `packed`, a block of the column with this number. False where it is kept as it is.
    pub(super) fn compress(&mut self, column: usize, packed: &mut Vec<u8>) -> bool {
        let may_be_kept = self.raw.len() < usize::from(u16::MAX) && self.kept + self.raw.len() <= MOST_UNCOMPRESSED;
        if may_be_kept && let Some(blocks @ 1..) = self.kept_next.get_mut(column) {
            *blocks -= 1;
            self.keep(packed);
            return false;
        }
        let start = packed.len();
        self.put_compressed(packed);
        let is_worth_it = (packed.len() - start) * 100 <= self.raw.len() * MOST_LEFT;
        if is_worth_it || !may_be_kept {
            return true;
        }
        packed.truncate(start);
        self.keep(packed);
        if column >= self.kept_next.len() {
            self.kept_next.resize(column + 1, 0);
        }
        if let Some(blocks) = self.kept_next.get_mut(column) {
            *blocks = BLOCKS_UNCOMPRESSED;
        }
        false
    }

    fn keep(&mut self, packed: &mut Vec<u8>) {
        packed.extend(&self.raw);
        self.kept += self.raw.len();
    }

    /// The length of what is in `raw`, and itself compressed.
    fn put_compressed(&mut self, packed: &mut Vec<u8>) {
        let Self { raw, small, large, .. } = self;
        let is_small = raw.len() < usize::from(u16::MAX);
        let table = if is_small { small } else { large.get_or_insert_with(CompressTable::large) };
        packed.extend(u32::try_from(raw.len()).unwrap_or_default().to_le_bytes());
        let start = packed.len();
        packed.resize(start + get_maximum_output_size(raw.len()), 0);
        let compressed = compress_into_with_table(raw, packed.get_mut(start..).unwrap_or_default(), table);
        debug_assert!(compressed.is_ok(), "there is room for all of it");
        packed.truncate(start + compressed.unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters without any order, which nothing makes shorter.
    fn noise(length: usize) -> Vec<u8> {
        let mut state = 41_u64;
        let next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_be_bytes()[0]
        };
        std::iter::repeat_with(next).take(length).collect()
    }

    fn packed(room: &mut PackRoom, column: usize, raw: &[u8]) -> (bool, usize) {
        let mut packed = vec![7];
        room.raw = raw.to_vec();
        let is_compressed = room.compress(column, &mut packed);
        let (length, bytes) = (packed.len() - 1, packed.get(1..).unwrap_or_default());
        if is_compressed {
            assert_eq!(lz4_flex::block::decompress_size_prepended(bytes).unwrap(), raw);
        } else {
            assert_eq!(bytes, raw);
        }
        (is_compressed, length)
    }

    #[test]
    fn what_nothing_makes_shorter_is_kept_for_a_while() {
        let (mut room, alike, other) = (PackRoom::default(), vec![b'a'; 5_000], noise(5_000));
        for _ in 0..3 {
            assert!(packed(&mut room, 2, &alike).0);
            for _ in 0..=BLOCKS_UNCOMPRESSED {
                assert_eq!(packed(&mut room, 3, &other), (false, other.len()));
            }
            // Each column by itself.
            assert!(packed(&mut room, 2, &alike).0);
            // It was tried again.
            assert!(packed(&mut room, 3, &alike).0);
        }
    }

    /// A file may pretend that a column can't be made shorter, and then repeat itself.
    #[test]
    fn no_more_is_kept_than_may_be() {
        let (mut room, other) = (PackRoom::default(), noise(60_000));
        let repeated = vec![b'a'; 60_000];
        let mut kept = 0;
        for block in 0..2_000 {
            let (is_compressed, length) = packed(&mut room, 0, if block % 16 == 0 { &other } else { &repeated });
            kept += if is_compressed { 0 } else { length };
        }
        assert!((MOST_UNCOMPRESSED - 60_000..=MOST_UNCOMPRESSED).contains(&kept), "{kept}");
        assert!(packed(&mut room.another(), 0, &other).0, "nor in room that takes its place");
        assert!(packed(&mut PackRoom::default(), 0, &noise(usize::from(u16::MAX))).0, "a long one isn't kept");
    }
}
