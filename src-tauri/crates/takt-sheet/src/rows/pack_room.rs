//! Room in which column after column is compressed, taken once.

use std::fmt;

use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};

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

    /// Puts what is in `raw` behind `packed`: its length, and itself compressed.
    pub(super) fn compress(&mut self, packed: &mut Vec<u8>) {
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
