//! One column of a block of rows, which is filled cell by cell, packed and unpacked. It contains only cells with
//! content.
//!
//! Packed, the column stores its rows, kinds, values (byte by byte of their significance) and texts one after the
//! other, because similar bytes compress best together. Each column is compressed separately, so one can be unpacked
//! without the others.

use lz4_flex::block::{compress_prepend_size, decompress_size_prepended};

use crate::{
    CellKind,
    cell::{CellRef, pack_head, unpack_head},
};

/// Flags of a packed column: its rows are consecutive, all cells have the same kind and flags, some value isn't zero,
/// and some text isn't empty.
const DENSE: u8 = 1;
const SAME_HEAD: u8 = 2;
const BITS: u8 = 4;
const TEXT: u8 = 8;
/// Bytes of a cell before packing, without its text.
const CELL_BYTES: usize = 15;

/// The cells with content of a column. Properties that all cells share, as in most columns, are stored only once.
#[derive(Debug, Clone, Default)]
pub(super) struct Column {
    /// The cells' rows within the block, ascending. Empty if the cells are in consecutive rows from the first one on.
    block_rows: Vec<u16>,
    /// The kind and flags of each cell. Empty if all of them equal `first_head`.
    heads: Vec<u8>,
    first_head: u8,
    /// Each cell's value. Empty if all values are zero.
    bits: Vec<u64>,
    /// The end of each cell's text.
    ends: Vec<u32>,
    text: String,
}

impl Column {
    /// Adds a cell in the last row so far or below it. If the row already has a cell, returns false and doesn't replace
    /// it.
    #[inline]
    pub(super) fn put_cell(&mut self, block_row: u16, cell: CellRef<'_>) -> bool {
        let (kind, flags, bits, text) = cell.parts();
        let (count, head) = (self.ends.len(), pack_head(kind, flags));
        let is_alike = count > 0 && head == self.first_head && bits == 0;
        let are_alike = self.block_rows.is_empty() && self.heads.is_empty() && self.bits.is_empty();
        if !is_alike || !are_alike || usize::from(block_row) != count {
            return self.put_other(block_row, cell);
        }
        self.put_text(text);
        true
    }

    fn put_text(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
    }

    /// Adds a cell that differs from the previous cells in more than its text, or isn't in the row below them.
    fn put_other(&mut self, block_row: u16, cell: CellRef<'_>) -> bool {
        if self.last_block_row() == Some(block_row) {
            return false;
        }
        let (kind, flags, bits, text) = cell.parts();
        let (count, head) = (self.ends.len(), pack_head(kind, flags));
        if count == 0 {
            self.first_head = head;
        }
        if !self.block_rows.is_empty() || usize::from(block_row) != count {
            self.put_block_row(block_row);
        }
        if !self.heads.is_empty() || head != self.first_head {
            self.heads.resize(count, self.first_head);
            self.heads.push(head);
        }
        if !self.bits.is_empty() || bits != 0 {
            self.bits.resize(count, 0);
            self.bits.push(bits);
        }
        self.put_text(text);
        true
    }

    /// Adds a row to the list of rows, which is no longer implicit from now on.
    fn put_block_row(&mut self, block_row: u16) {
        if self.block_rows.is_empty() {
            self.block_rows.extend((0..).take(self.ends.len()));
        }
        self.block_rows.push(block_row);
    }

    /// Returns the number of cells with content.
    fn count(&self) -> usize {
        self.ends.len()
    }

    /// Returns the last cell's row within the block.
    pub(super) fn last_block_row(&self) -> Option<u16> {
        self.block_row(self.count().checked_sub(1)?)
    }

    pub(super) fn cell(&self, block_row: u16) -> Option<CellRef<'_>> {
        let at = self.index_from(block_row);
        if self.block_row(at) == Some(block_row) { self.cell_at(at) } else { None }
    }

    /// Returns a cell by its index among the cells with content.
    #[inline]
    pub(super) fn cell_at(&self, at: usize) -> Option<CellRef<'_>> {
        let text = self.text_at(at)?;
        let (kind, flags) = unpack_head(self.heads.get(at).copied().unwrap_or(self.first_head));
        let bits = self.bits.get(at).copied().unwrap_or_default();
        Some(CellRef::from_parts(kind, flags, bits, text))
    }

    /// Returns true if the cells are plain texts in consecutive rows from the first one on, as in most columns of a
    /// csv.
    pub(super) fn is_dense_text(&self) -> bool {
        self.block_rows.is_empty() && self.bits.is_empty() && self.heads.is_empty() && self.is_plain_text()
    }

    /// Returns a cell's text by its index among the cells with content.
    #[inline]
    pub(super) fn text_at(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)? as usize;
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&end| end as usize);
        Some(self.text.get(start..end).unwrap_or_default())
    }

    /// Returns a cell's row within the block, by its index among the cells with content.
    #[inline]
    pub(super) fn block_row(&self, at: usize) -> Option<u16> {
        if self.block_rows.is_empty() {
            return u16::try_from(at).ok().filter(|_| at < self.count());
        }
        self.block_rows.get(at).copied()
    }

    /// Returns the rows within the block that have a cell, ascending.
    pub(super) fn block_rows(&self) -> impl Iterator<Item = u16> {
        (0..self.count()).map_while(|at| self.block_row(at))
    }

    /// Returns the index of the first cell in or below this row, among the cells with content.
    #[inline]
    pub(super) fn index_from(&self, block_row: u16) -> usize {
        let at = usize::from(block_row);
        if self.block_rows.is_empty() {
            return at.min(self.count());
        }
        if self.block_rows.get(at) == Some(&block_row) {
            at
        } else {
            self.block_rows.partition_point(|&other| other < block_row)
        }
    }

    /// Returns all texts, concatenated.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the end of each cell's text.
    pub(super) fn ends(&self) -> &[u32] {
        &self.ends
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns true if all cells are texts that no format changes.
    pub(super) fn is_plain_text(&self) -> bool {
        let plain = pack_head(CellKind::Text, 0);
        if self.heads.is_empty() { self.first_head == plain } else { self.heads.iter().all(|&head| head == plain) }
    }

    /// Returns the approximate bytes of the unpacked column in memory.
    #[inline]
    pub(super) fn byte_size(&self) -> usize {
        self.count() * CELL_BYTES + self.text.len()
    }

    /// Removes all cells and retains the memory for the next block.
    pub(super) fn clear(&mut self) {
        self.block_rows.clear();
        self.heads.clear();
        self.bits.clear();
        self.ends.clear();
        self.text.clear();
    }

    /// Appends the packed column to `packed`.
    pub(super) fn pack(&self, packed: &mut Vec<u8>) {
        let same_head = self.heads.iter().all(|&head| head == self.first_head);
        let planes = self.bits.iter().fold(0, |all, bits| all | bits);
        let flag = |is: bool, flag: u8| if is { flag } else { 0 };
        let flags = flag(self.block_rows.is_empty(), DENSE)
            | flag(same_head, SAME_HEAD)
            | flag(planes != 0, BITS)
            | flag(!self.text.is_empty(), TEXT);
        let mut raw = Vec::with_capacity(self.byte_size());
        raw.extend(u32::try_from(self.count()).unwrap_or_default().to_le_bytes());
        self.block_rows.iter().for_each(|block_row| raw.extend(block_row.to_le_bytes()));
        let heads = if same_head { self.same_head() } else { &self.heads[..] };
        raw.extend(heads);
        if planes != 0 {
            let bytes = planes.to_le_bytes();
            let used: Vec<usize> = (0..8).filter(|&byte| bytes.get(byte) != Some(&0)).collect();
            raw.push(used.iter().fold(0, |mask, byte| mask | 1 << byte));
            for byte in used {
                raw.extend(self.bits.iter().map(|bits| bits.to_le_bytes()[byte]));
            }
        }
        if flags & TEXT != 0 {
            let mut start = 0;
            self.ends.iter().for_each(|&end| write_length(end - std::mem::replace(&mut start, end), &mut raw));
            raw.extend(self.text.as_bytes());
        }
        // The kinds aren't compressed, because they decide whether a column must be unpacked.
        packed.extend([flags, heads.iter().fold(0, |kinds, &head| kinds | kind_bit(unpack_head(head).0))]);
        packed.extend(compress_prepend_size(&raw));
    }

    /// Returns the kind and flags of all cells. Empty if there are no cells.
    fn same_head(&self) -> &[u8] {
        if self.is_empty() { &[] } else { std::slice::from_ref(&self.first_head) }
    }

    /// Returns whether a packed column has cells of this kind.
    pub(super) fn has_kind(packed: &[u8], kind: CellKind) -> bool {
        packed.get(1).is_some_and(|kinds| kinds & kind_bit(kind) != 0)
    }

    /// Unpacks a column. Invalid bytes become an empty column.
    pub(super) fn unpack(packed: &[u8]) -> Self {
        Self::try_unpack(packed).unwrap_or_default()
    }

    fn try_unpack(packed: &[u8]) -> Option<Self> {
        let (&[flags, _], packed) = packed.split_first_chunk()?;
        let raw = decompress_size_prepended(packed).ok()?;
        let (count, mut rest) = raw.split_first_chunk()?;
        let count = u32::from_le_bytes(*count) as usize;
        let block_rows = if flags & DENSE == 0 { split_off_bytes(&mut rest, count * 2)? } else { &[] };
        let block_rows = block_rows.as_chunks().0.iter().map(|block_row| u16::from_le_bytes(*block_row)).collect();
        let heads = split_off_bytes(&mut rest, if flags & SAME_HEAD != 0 { 1.min(count) } else { count })?;
        let first_head = heads.first().copied().unwrap_or_default();
        let heads = if flags & SAME_HEAD != 0 { Vec::new() } else { heads.to_vec() };
        let mut bits = Vec::new();
        if flags & BITS != 0 {
            let mask = *split_off_bytes(&mut rest, 1)?.first()?;
            bits.resize(count, 0);
            for byte in (0..8).filter(|byte| mask & (1 << byte) != 0) {
                let plane = split_off_bytes(&mut rest, count)?;
                bits.iter_mut().zip(plane).for_each(|(bits, &part)| *bits |= u64::from(part) << (8 * byte));
            }
        }
        if flags & TEXT == 0 {
            return Some(Self { block_rows, heads, first_head, bits, ends: vec![0; count], text: String::new() });
        }
        let mut end = 0_u32;
        let mut ends = Vec::with_capacity(count);
        for _ in 0..count {
            end = end.checked_add(read_length(&mut rest)?)?;
            ends.push(end);
        }
        let text = String::from_utf8(rest.to_vec()).ok()?;
        Some(Self { block_rows, heads, first_head, bits, ends, text })
    }
}

fn kind_bit(kind: CellKind) -> u8 {
    1 << kind as u8
}

/// Splits off the first bytes. Returns `None` if there are fewer.
fn split_off_bytes<'b>(rest: &mut &'b [u8], length: usize) -> Option<&'b [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

/// Writes a length. A short one takes one byte, a longer one five.
fn write_length(length: u32, raw: &mut Vec<u8>) {
    match u8::try_from(length) {
        Ok(short) if short < u8::MAX => raw.push(short),
        _ => {
            raw.push(u8::MAX);
            raw.extend(length.to_le_bytes());
        }
    }
}

/// Reads a length that [`write_length`] wrote.
fn read_length(rest: &mut &[u8]) -> Option<u32> {
    match *split_off_bytes(rest, 1)?.first()? {
        u8::MAX => Some(u32::from_le_bytes(*split_off_bytes(rest, 4)?.first_chunk()?)),
        short => Some(u32::from(short)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cell;

    fn packed(column: &Column) -> Vec<u8> {
        let mut packed = Vec::new();
        column.pack(&mut packed);
        packed
    }

    /// Compares a column with a map of cells, with uniform and mixed cells, gaps and repeated rows.
    #[test]
    fn a_column_holds_what_was_put() {
        let mut state = 29_u64;
        println!("seed {state}");
        let mut next = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let cells = [
            Cell::text("a"),
            Cell::text("bc"),
            Cell::number(0.0),
            Cell::number(2.5),
            Cell::boolean(false),
            Cell::number_shown(7.0, "007"),
            Cell::formula_without_value(),
        ];
        let (mut dense, mut sparse) = (0, 0);
        let mut column = Column::default();
        for _ in 0..3_000 {
            column.clear();
            let (kinds, gaps, replaces) = (1 + next(cells.len()), next(3), next(2));
            let first = next(cells.len());
            let mut expected = std::collections::BTreeMap::new();
            let mut block_row = u16::try_from(next(1 + gaps)).unwrap();
            for _ in 0..next(40) {
                let cell = &cells[(first + next(kinds)) % cells.len()];
                let is_new = !expected.contains_key(&block_row);
                assert_eq!(column.put_cell(block_row, cell.as_ref()), is_new);
                expected.entry(block_row).or_insert_with(|| cell.clone());
                block_row += u16::try_from(1 - next(1 + replaces) + next(1 + gaps)).unwrap();
            }
            *if expected.keys().copied().eq((0..).take(expected.len())) { &mut dense } else { &mut sparse } += 1;
            let mut packed = vec![1, 2, 3];
            column.pack(&mut packed);
            for column in [&column, &Column::unpack(&packed[3..])] {
                for block_row in 0..=block_row + 1 {
                    assert_eq!(
                        column.cell(block_row).map(CellRef::to_cell).as_ref(),
                        expected.get(&block_row),
                        "{expected:?}"
                    );
                    let first = column.block_row(column.index_from(block_row));
                    assert_eq!(
                        first,
                        expected.range(block_row..).next().map(|(block_row, _)| *block_row),
                        "{expected:?} from {block_row}"
                    );
                }
                assert!(column.block_rows().eq(expected.keys().copied()));
            }
        }
        assert!(dense > 500 && sparse > 500, "{dense} {sparse}");
    }

    #[test]
    fn what_is_packed_comes_back() {
        let long = "ä".repeat(300);
        let cells = [
            Cell::text("a"),
            Cell::number(-1.5),
            Cell::number_shown(7.0, "007"),
            Cell::boolean(true),
            Cell::formula_without_value(),
            Cell::error("#REF!"),
            Cell::duration(-7),
            Cell::text(long),
        ];
        for step in [1, 3] {
            let mut column = Column::default();
            for (block_row, cell) in (0..).step_by(step).zip(&cells) {
                assert!(column.put_cell(block_row, cell.as_ref()));
                assert!(!column.put_cell(block_row, Cell::text("x").as_ref()));
            }
            let back = Column::unpack(&packed(&column));
            for (block_row, cell) in (0..).step_by(step).zip(&cells) {
                assert_eq!(back.cell(block_row).map(CellRef::to_cell).as_ref(), Some(cell));
            }
            assert!(back.cell(100).is_none() && (step == 1 || back.cell(1).is_none()));
        }
        for length in [0, 1, 254, 255, 256, 70_000] {
            let mut column = Column::default();
            assert!(
                column.put_cell(0, Cell::text("x".repeat(length) + "y").as_ref())
                    && column.put_cell(1, Cell::text("z").as_ref())
            );
            let back = Column::unpack(&packed(&column));
            assert_eq!((back.text_at(0).map(str::len), back.text_at(1)), (Some(length + 1), Some("z")));
        }
        let empty = Column::default();
        assert!(Column::unpack(&packed(&empty)).is_empty());
        assert!(Column::unpack(&[9, 9]).is_empty());
    }
}
