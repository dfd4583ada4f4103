//! One column of a block of rows: filled cell by cell, packed, unpacked. Only cells with content are in it.
//!
//! Packed, its parts stand one after the other (which rows, kinds, values byte by byte of their weight, texts), since like
//! beside like compresses best, and the whole is compressed by itself, so that one column is unpacked without the others.

use super::{
    lengths::{next_length, put_lengths},
    pack_room::PackRoom,
    pairs,
};
use crate::{
    CellKind, TICKS_PER_SECOND,
    cell::{CellRef, head, of_head},
};

const DENSE: u8 = 1;
pub(super) const ONE_HEAD: u8 = 2;
const BITS: u8 = 4;
const TEXT: u8 = 8;
const PAIRS: u8 = 16;
/// The bit of a column that is kept uncompressed.
const UNCOMPRESSED: u8 = 32;
/// Texts of fewer bytes are unpacked sooner than it is known which pairs of letters they have.
const LEAST_TEXT: usize = 512;
/// Kinds of which values can have a fraction, and the bit for one that has.
const FRACTIONAL: u8 = 1 << CellKind::Number as u8 | 1 << CellKind::DateTime as u8 | 1 << CellKind::Duration as u8;
const FRACTION: u8 = 1 << 7;
/// Above it a number may be shown with an exponent.
const PLAIN: f64 = 1e15;
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

    /// Each cell without its text: its place, kind, flags and value.
    pub(super) fn values(&self) -> impl Iterator<Item = (u16, CellKind, u8, u64)> {
        (0..).zip(self.places()).map(|(at, place)| {
            let (kind, flags) = of_head(self.heads.get(at).copied().unwrap_or(self.first_head));
            (place, kind, flags, self.bits.get(at).copied().unwrap_or_default())
        })
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

    /// Puts it behind `packed`; `number` is the column's own.
    pub(super) fn pack(&self, number: u32, packed: &mut Vec<u8>, room: &mut PackRoom) {
        let raw = &mut room.raw;
        raw.clear();
        let dense = self.places.is_empty();
        let one_head = self.heads.iter().all(|&head| head == self.first_head);
        let planes = self.bits.iter().fold(0, |all, bits| all | bits);
        let flag = |is: bool, flag: u8| if is { flag } else { 0 };
        let flags = flag(dense, DENSE)
            | flag(one_head, ONE_HEAD)
            | flag(planes != 0, BITS)
            | flag(!self.text.is_empty(), TEXT)
            | flag(self.text.len() >= LEAST_TEXT && !room.leaves_out_pairs, PAIRS);
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
            put_lengths(&self.ends, raw);
            raw.extend(self.text.as_bytes());
        }
        // What a search asks first stands before what is compressed.
        let start = packed.len();
        packed.extend([flags, self.kinds(heads)]);
        if flags & PAIRS != 0 {
            packed.extend(pairs::of(&self.text));
        }
        if !room.compress(number as usize, packed)
            && let Some(flags) = packed.get_mut(start)
        {
            *flags |= UNCOMPRESSED;
        }
    }

    /// The kind and flags of all cells; nothing where there is none.
    fn one_head(&self) -> &[u8] {
        if self.is_empty() { &[] } else { std::slice::from_ref(&self.first_head) }
    }

    /// A bit for each kind of cell, and [`FRACTION`].
    fn kinds(&self, heads: &[u8]) -> u8 {
        let kinds = heads.iter().fold(0, |kinds, &head| kinds | 1 << of_head(head).0 as u8);
        let has_fraction = kinds & FRACTIONAL != 0 && self.values().any(|(_, kind, _, bits)| has_fraction(kind, bits));
        if has_fraction { kinds | FRACTION } else { kinds }
    }

    /// What was packed; nothing where that can't be.
    pub(super) fn unpack(packed: &[u8]) -> Self {
        Self::unpack_in(packed, &mut Vec::new())
    }

    /// The same in room that is used again and again.
    pub(super) fn unpack_in(packed: &[u8], room: &mut Vec<u8>) -> Self {
        PackedColumn::open(packed, room).and_then(Self::of_packed).unwrap_or_default()
    }

    pub(super) fn of_packed(packed: PackedColumn<'_>) -> Option<Self> {
        let mut bits = Vec::new();
        if packed.flags & BITS != 0 {
            packed.bits(&mut bits);
        }
        let PackedColumn { flags, count, places, heads, texts, .. } = packed;
        let first_head = if count > 0 { *heads.first()? } else { 0 };
        let heads = if flags & ONE_HEAD != 0 { Vec::new() } else { heads.to_vec() };
        let pairs = places.unwrap_or_default().chunks_exact(2);
        let places: Vec<u16> = pairs.map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        if flags & TEXT == 0 {
            return Some(Self { places, heads, first_head, bits, ends: vec![0; count], text: String::new() });
        }
        let mut rest = &*texts;
        let mut end = 0_u32;
        let mut ends = Vec::with_capacity(count);
        for _ in 0..count {
            end = end.checked_add(next_length(&mut rest)?)?;
            ends.push(end);
        }
        let text = String::from_utf8(rest.to_vec()).ok()?;
        Some(Self { places, heads, first_head, bits, ends, text })
    }
}

/// What is known of a packed column without unpacking it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outline<'b> {
    pub(super) has_text: bool,
    kinds: u8,
    /// The pairs of letters in its texts; empty where that isn't known.
    pub(super) pairs: &'b [u8],
}

impl<'b> Outline<'b> {
    pub(super) fn of(packed: &'b [u8]) -> Option<Self> {
        let (&[flags, kinds], rest) = packed.split_first_chunk()?;
        let pairs = rest.get(..if flags & PAIRS != 0 { pairs::SIZE } else { 0 })?;
        Some(Self { has_text: flags & TEXT != 0, kinds, pairs })
    }

    pub(super) fn has_kind(self, kind: CellKind) -> bool {
        self.kinds & 1 << kind as u8 != 0
    }

    /// True where a number has decimals, or a date or a duration a part of a second.
    pub(super) fn has_fraction(self) -> bool {
        self.kinds & FRACTION != 0
    }
}

/// A column unpacked into its parts, none of which is read yet.
pub(super) struct PackedColumn<'b> {
    pub(super) flags: u8,
    /// Its cells.
    pub(super) count: usize,
    /// Two bytes each; absent where the cells stand in every row from the first one on.
    pub(super) places: Option<&'b [u8]>,
    /// One of all where [`ONE_HEAD`] says so.
    pub(super) heads: &'b [u8],
    /// Which bytes of the values there are, and those, byte by byte of their weight; empty where all are zero.
    pub(super) values: &'b [u8],
    /// The lengths of the texts, then the texts; empty where there are none.
    pub(super) texts: &'b mut [u8],
}

impl<'b> PackedColumn<'b> {
    /// `room` is used again and again. Absent where that can't have been packed.
    pub(super) fn open(packed: &[u8], room: &'b mut Vec<u8>) -> Option<Self> {
        let (&[flags, _], packed) = packed.split_first_chunk()?;
        let packed = packed.get(if flags & PAIRS != 0 { pairs::SIZE } else { 0 }..)?;
        if flags & UNCOMPRESSED != 0 {
            room.clear();
            room.extend_from_slice(packed);
        } else {
            let (size, packed) = lz4_flex::block::uncompressed_size(packed).ok()?;
            room.resize(size, 0);
            let length = lz4_flex::block::decompress_into(packed, room).ok()?;
            room.truncate(length);
        }
        let raw = room.as_mut_slice();
        let (count, mut rest) = raw.split_first_chunk_mut()?;
        let count = u32::from_le_bytes(*count) as usize;
        let places = if flags & DENSE != 0 { None } else { Some(&*take(&mut rest, count * 2)?) };
        let heads = &*take(&mut rest, if flags & ONE_HEAD != 0 { 1 } else { count })?;
        let mut values: &[u8] = &[];
        if flags & BITS != 0 {
            let planes = rest.first()?.count_ones() as usize;
            values = &*take(&mut rest, 1 + planes * count)?;
        }
        Some(Self { flags, count, places, heads, values, texts: rest })
    }

    /// The row of a cell by the cell's number.
    pub(super) fn place(&self, at: usize) -> Option<u16> {
        let Some(places) = self.places else { return u16::try_from(at).ok().filter(|_| at < self.count) };
        places.get(at * 2..)?.first_chunk().map(|pair| u16::from_le_bytes(*pair))
    }

    /// All values, into room that is used again and again.
    pub(super) fn bits(&self, bits: &mut Vec<u64>) {
        bits.clear();
        bits.resize(self.count, 0);
        let Some((&mask, planes)) = self.values.split_first() else { return };
        let used = (0..8).filter(|&byte| mask & (1 << byte) != 0);
        for (byte, plane) in used.zip(planes.chunks_exact(self.count.max(1))) {
            for (bits, &part) in bits.iter_mut().zip(plane) {
                *bits |= u64::from(part) << (8 * byte);
            }
        }
    }
}

/// False for a number that is shown as its digits, and a date or a duration of whole seconds.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::float_cmp, reason = "whole or not")]
fn has_fraction(kind: CellKind, bits: u64) -> bool {
    match kind {
        CellKind::Number => {
            let value = f64::from_bits(bits);
            value as i64 as f64 != value || value.abs() >= PLAIN
        }
        CellKind::DateTime => bits.cast_signed() % 1000 != 0,
        CellKind::Duration => bits.cast_signed() % TICKS_PER_SECOND != 0,
        _ => false,
    }
}

fn take<'b>(rest: &mut &'b mut [u8], length: usize) -> Option<&'b mut [u8]> {
    let (taken, left) = std::mem::take(rest).split_at_mut_checked(length)?;
    *rest = left;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cell;

    fn packed(column: &Column) -> Vec<u8> {
        let mut packed = Vec::new();
        column.pack(0, &mut packed, &mut PackRoom::default());
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
        let mut room = PackRoom::default();
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
            column.pack(0, &mut packed, &mut room);
            for column in [&column, &Column::unpack(&packed[3..])] {
                for place in 0..=place + 1 {
                    assert_eq!(column.cell(place).map(CellRef::to_cell).as_ref(), kept.get(&place), "{kept:?}");
                    let first = column.place(column.first_from(place));
                    assert_eq!(first, kept.range(place..).next().map(|(place, _)| *place), "{kept:?} from {place}");
                }
                assert!(column.places().eq(kept.keys().copied()));
                let values = kept.iter().map(|(&place, cell)| {
                    let (kind, flags, bits, _) = cell.as_ref().parts();
                    (place, kind, flags, bits)
                });
                assert!(column.values().eq(values), "{kept:?}");
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
        let empty = Column::default();
        assert!(Column::unpack(&packed(&empty)).is_empty());
        assert!(Column::unpack(&[9, 9]).is_empty());
    }
}
