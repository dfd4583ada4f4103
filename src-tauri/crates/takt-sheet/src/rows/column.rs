//! One column of a block of rows: filled cell by cell, packed, unpacked. Only cells with content are in it.
//!
//! Packed, its parts stand one after the other (which rows, kinds, values byte by byte of their weight, texts), since like
//! beside like compresses best, and the whole is compressed by itself, so that one column is unpacked without the others.

use lz4_flex::block::{compress_prepend_size, decompress_size_prepended};

use crate::{
    CellKind,
    cell::{CellRef, head, of_head},
};

const DENSE: u8 = 1;
const ONE_HEAD: u8 = 2;
const BITS: u8 = 4;
const TEXT: u8 = 8;
/// Bytes that a cell takes before it is packed, its text aside.
const CELL: usize = 15;

/// What is the same for all cells, as it mostly is, isn't kept for each of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Column {
    /// The cells' rows within the block, ascending; empty where they stand in every row from the first one on.
    places: Vec<u16>,
    /// Kind and flags of each cell; empty where all have those of the first.
    heads: Vec<u8>,
    first_head: u8,
    /// Each cell's value; empty where all are zero.
    bits: Vec<u64>,
    /// Where each cell's text ends.
    ends: Vec<u32>,
    text: String,
}

impl Column {
    /// Puts a cell into the last row so far or below it. False if there is one already, which stays.
    #[inline]
    pub(super) fn put(&mut self, place: u16, cell: CellRef<'_>) -> bool {
        let (kind, flags, bits, text) = cell.parts();
        let (count, head) = (self.ends.len(), head(kind, flags));
        let is_alike = count > 0 && head == self.first_head && bits == 0;
        let are_alike = self.places.is_empty() && self.heads.is_empty() && self.bits.is_empty();
        if !is_alike || !are_alike || usize::from(place) != count {
            return self.put_other(place, cell);
        }
        self.put_text(text);
        true
    }

    fn put_text(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
    }

    /// Puts a cell that differs from those before in more than its text, or isn't in the row below them.
    fn put_other(&mut self, place: u16, cell: CellRef<'_>) -> bool {
        if self.last_place() == Some(place) {
            return false;
        }
        let (kind, flags, bits, text) = cell.parts();
        let (count, head) = (self.ends.len(), head(kind, flags));
        if count == 0 {
            self.first_head = head;
        }
        if !self.places.is_empty() || usize::from(place) != count {
            self.put_place(place);
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

    /// Behind the places so far, all of which are kept from now on.
    fn put_place(&mut self, place: u16) {
        if self.places.is_empty() {
            self.places.extend((0..).take(self.ends.len()));
        }
        self.places.push(place);
    }

    /// How many cells have content.
    fn count(&self) -> usize {
        self.ends.len()
    }

    /// The row of the last cell, by its place in the block.
    pub(super) fn last_place(&self) -> Option<u16> {
        self.place(self.count().checked_sub(1)?)
    }

    pub(super) fn cell(&self, place: u16) -> Option<CellRef<'_>> {
        let at = self.first_from(place);
        if self.place(at) == Some(place) { self.cell_at(at) } else { None }
    }

    /// A cell by its number among those with content.
    #[inline]
    pub(super) fn cell_at(&self, at: usize) -> Option<CellRef<'_>> {
        let text = self.text_at(at)?;
        let (kind, flags) = of_head(self.heads.get(at).copied().unwrap_or(self.first_head));
        let bits = self.bits.get(at).copied().unwrap_or_default();
        Some(CellRef::from_parts(kind, flags, bits, text))
    }

    /// True where every row from the first one on has a plain text, as in most columns of a csv, up to the last of them.
    pub(super) fn is_dense_text(&self) -> bool {
        self.places.is_empty() && self.bits.is_empty() && self.heads.is_empty() && self.is_plain_text()
    }

    /// A cell's text by its number among those with content.
    #[inline]
    pub(super) fn text_at(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)? as usize;
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&end| end as usize);
        Some(self.text.get(start..end).unwrap_or_default())
    }

    /// The row of a cell, by its place in the block, by the cell's number.
    #[inline]
    pub(super) fn place(&self, at: usize) -> Option<u16> {
        if self.places.is_empty() {
            return u16::try_from(at).ok().filter(|_| at < self.count());
        }
        self.places.get(at).copied()
    }

    /// The rows that have a cell, by their places in the block, ascending.
    pub(super) fn places(&self) -> impl Iterator<Item = u16> {
        (0..self.count()).map_while(|at| self.place(at))
    }

    /// The number of the first cell in this row or below it, among those with content.
    #[inline]
    pub(super) fn first_from(&self, place: u16) -> usize {
        let at = usize::from(place);
        if self.places.is_empty() {
            return at.min(self.count());
        }
        if self.places.get(at) == Some(&place) { at } else { self.places.partition_point(|&other| other < place) }
    }

    /// All texts one after the other.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// By cell: where its text ends.
    pub(super) fn ends(&self) -> &[u32] {
        &self.ends
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// True where each cell is a text and shows it as it is.
    pub(super) fn is_plain_text(&self) -> bool {
        let plain = head(CellKind::Text, 0);
        if self.heads.is_empty() { self.first_head == plain } else { self.heads.iter().all(|&head| head == plain) }
    }

    /// Bytes that it holds now.
    #[inline]
    pub(super) fn size(&self) -> usize {
        self.count() * CELL + self.text.len()
    }

    /// Keeps its room for the next block.
    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.heads.clear();
        self.bits.clear();
        self.ends.clear();
        self.text.clear();
    }

    /// Puts it behind `packed`.
    pub(super) fn pack(&self, packed: &mut Vec<u8>) {
        let one_head = self.heads.iter().all(|&head| head == self.first_head);
        let planes = self.bits.iter().fold(0, |all, bits| all | bits);
        let flag = |is: bool, flag: u8| if is { flag } else { 0 };
        let flags = flag(self.places.is_empty(), DENSE)
            | flag(one_head, ONE_HEAD)
            | flag(planes != 0, BITS)
            | flag(!self.text.is_empty(), TEXT);
        let mut raw = Vec::with_capacity(self.size());
        raw.extend(u32::try_from(self.count()).unwrap_or_default().to_le_bytes());
        self.places.iter().for_each(|place| raw.extend(place.to_le_bytes()));
        let heads = if one_head { self.one_head() } else { &self.heads[..] };
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
            self.ends.iter().for_each(|&end| put_length(end - std::mem::replace(&mut start, end), &mut raw));
            raw.extend(self.text.as_bytes());
        }
        // The kinds aren't compressed: they tell whether a column has to be unpacked.
        packed.extend([flags, heads.iter().fold(0, |kinds, &head| kinds | kind_bit(of_head(head).0))]);
        packed.extend(compress_prepend_size(&raw));
    }

    /// The kind and flags of all cells; nothing where there is none.
    fn one_head(&self) -> &[u8] {
        if self.is_empty() { &[] } else { std::slice::from_ref(&self.first_head) }
    }

    /// Whether a packed column has cells of this kind.
    pub(super) fn has_kind(packed: &[u8], kind: CellKind) -> bool {
        packed.get(1).is_some_and(|kinds| kinds & kind_bit(kind) != 0)
    }

    /// What was packed; nothing where that can't be.
    pub(super) fn unpack(packed: &[u8]) -> Self {
        Self::try_unpack(packed).unwrap_or_default()
    }

    fn try_unpack(packed: &[u8]) -> Option<Self> {
        let (&[flags, _], packed) = packed.split_first_chunk()?;
        let raw = decompress_size_prepended(packed).ok()?;
        let (count, mut rest) = raw.split_first_chunk()?;
        let count = u32::from_le_bytes(*count) as usize;
        let places = if flags & DENSE == 0 { take(&mut rest, count * 2)? } else { &[] };
        let places = places.as_chunks().0.iter().map(|place| u16::from_le_bytes(*place)).collect();
        let heads = take(&mut rest, if flags & ONE_HEAD != 0 { 1.min(count) } else { count })?;
        let first_head = heads.first().copied().unwrap_or_default();
        let heads = if flags & ONE_HEAD != 0 { Vec::new() } else { heads.to_vec() };
        let mut bits = Vec::new();
        if flags & BITS != 0 {
            let mask = *take(&mut rest, 1)?.first()?;
            bits.resize(count, 0);
            for byte in (0..8).filter(|byte| mask & (1 << byte) != 0) {
                let plane = take(&mut rest, count)?;
                bits.iter_mut().zip(plane).for_each(|(bits, &part)| *bits |= u64::from(part) << (8 * byte));
            }
        }
        if flags & TEXT == 0 {
            return Some(Self { places, heads, first_head, bits, ends: vec![0; count], text: String::new() });
        }
        let mut end = 0_u32;
        let mut ends = Vec::with_capacity(count);
        for _ in 0..count {
            end = end.checked_add(take_length(&mut rest)?)?;
            ends.push(end);
        }
        let text = String::from_utf8(rest.to_vec()).ok()?;
        Some(Self { places, heads, first_head, bits, ends, text })
    }
}

fn kind_bit(kind: CellKind) -> u8 {
    1 << kind as u8
}

fn take<'b>(rest: &mut &'b [u8], length: usize) -> Option<&'b [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

/// A short length takes a byte, another one five.
fn put_length(length: u32, raw: &mut Vec<u8>) {
    match u8::try_from(length) {
        Ok(short) if short < u8::MAX => raw.push(short),
        _ => {
            raw.push(u8::MAX);
            raw.extend(length.to_le_bytes());
        }
    }
}

fn take_length(rest: &mut &[u8]) -> Option<u32> {
    match *take(rest, 1)?.first()? {
        u8::MAX => Some(u32::from_le_bytes(*take(rest, 4)?.first_chunk()?)),
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

    /// Held against cells that are kept one by one, whatever is the same for all of them at first, and replaced or not.
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
            let mut kept = std::collections::BTreeMap::new();
            let mut place = u16::try_from(next(1 + gaps)).unwrap();
            for _ in 0..next(40) {
                let cell = &cells[(first + next(kinds)) % cells.len()];
                let is_new = !kept.contains_key(&place);
                assert_eq!(column.put(place, cell.as_ref()), is_new);
                kept.entry(place).or_insert_with(|| cell.clone());
                place += u16::try_from(1 - next(1 + replaces) + next(1 + gaps)).unwrap();
            }
            *if kept.keys().copied().eq((0..).take(kept.len())) { &mut dense } else { &mut sparse } += 1;
            let mut packed = vec![1, 2, 3];
            column.pack(&mut packed);
            for column in [&column, &Column::unpack(&packed[3..])] {
                for place in 0..=place + 1 {
                    assert_eq!(column.cell(place).map(CellRef::to_cell).as_ref(), kept.get(&place), "{kept:?}");
                    let first = column.place(column.first_from(place));
                    assert_eq!(first, kept.range(place..).next().map(|(place, _)| *place), "{kept:?} from {place}");
                }
                assert!(column.places().eq(kept.keys().copied()));
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
            for (place, cell) in (0..).step_by(step).zip(&cells) {
                assert!(column.put(place, cell.as_ref()));
                assert!(!column.put(place, Cell::text("x").as_ref()));
            }
            let back = Column::unpack(&packed(&column));
            for (place, cell) in (0..).step_by(step).zip(&cells) {
                assert_eq!(back.cell(place).map(CellRef::to_cell).as_ref(), Some(cell));
            }
            assert!(back.cell(100).is_none() && (step == 1 || back.cell(1).is_none()));
        }
        for length in [0, 1, 254, 255, 256, 70_000] {
            let mut column = Column::default();
            assert!(
                column.put(0, Cell::text("x".repeat(length) + "y").as_ref()) && column.put(1, Cell::text("z").as_ref())
            );
            let back = Column::unpack(&packed(&column));
            assert_eq!((back.text_at(0).map(str::len), back.text_at(1)), (Some(length + 1), Some("z")));
        }
        let empty = Column::default();
        assert!(Column::unpack(&packed(&empty)).is_empty());
        assert!(Column::unpack(&[9, 9]).is_empty());
    }
}
