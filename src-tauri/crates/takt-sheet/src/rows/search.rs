//! Rows that show a text somewhere, letter case ignored. Texts are searched as they lie, one after the other, and numbers and
//! dates as they lie, too (`values`).

mod values;

use memchr::memmem::Finder;

use self::values::ShownValues;
use super::{
    RowSpan,
    column::{Column, Outline, PackedColumn},
    packed_texts::PackedTexts,
    pairs::WantedPairs,
    part::Part,
};
use crate::{CellRef, cell::of_head};

/// What is looked for.
struct Needle<'n> {
    /// In small letters.
    text: &'n str,
    finder: Finder<'n>,
    pairs: WantedPairs,
    /// True where small and capital letters differ in it.
    has_letters: bool,
}

/// What a thread needs for searching, used again and again.
struct Room<'n> {
    values: ShownValues<'n>,
    raw: Vec<u8>,
    lowered: Vec<u8>,
    bits: Vec<u64>,
}

/// The rows of a part that show it, as far as is known.
struct Hits<'p> {
    part: &'p Part<'p>,
    rows: Vec<bool>,
    /// Rows that don't show it so far.
    open: usize,
}

impl RowSpan<'_> {
    /// The positions, ascending, of the rows of which a cell shows this text. An empty text stands in every row.
    #[must_use]
    pub fn showing(self, text: &str) -> Vec<u32> {
        let text = text.to_lowercase();
        let needle = Needle::new(&text);
        let found = self.parts_with(
            &[],
            || needle.room(),
            |room, part| {
                let mut hits = Hits::new(part, text.is_empty());
                if part.patched {
                    // What stands in the place of a cell may hide a hit.
                    part.packed().for_each(|(_, column)| needle.mark(column, &mut hits, room));
                    needle.mark_patched(self, &mut hits);
                } else {
                    let mut columns = part.packed();
                    while hits.open > 0
                        && let Some((_, column)) = columns.next()
                    {
                        needle.mark(column, &mut hits, room);
                    }
                }
                hits.positions()
            },
        );
        found.concat()
    }
}

impl<'n> Needle<'n> {
    fn new(text: &'n str) -> Self {
        let has_letters = text.bytes().any(|byte| byte.is_ascii_lowercase() || !byte.is_ascii());
        Self { text, finder: Finder::new(text.as_bytes()), pairs: WantedPairs::of(text), has_letters }
    }

    fn room(&self) -> Room<'_> {
        Room {
            values: ShownValues::new(self.text, &self.finder),
            raw: Vec::new(),
            lowered: Vec::new(),
            bits: Vec::new(),
        }
    }

    fn mark(&self, packed: &[u8], hits: &mut Hits<'_>, room: &mut Room<'_>) {
        let Some(outline) = Outline::of(packed) else { return };
        let may_stand_in_texts = outline.has_text && self.pairs.may_stand_in(outline.pairs);
        if !may_stand_in_texts && !room.values.may_stand_in(outline) {
            return;
        }
        let Some(opened) = PackedColumn::open(packed, &mut room.raw) else { return };
        if !may_stand_in_texts {
            mark_values(&opened, hits, &mut room.values, &mut room.bits);
            return;
        }
        let opened = match PackedTexts::of(opened) {
            Ok(mut texts) => {
                if self.has_letters {
                    texts.lower(&mut room.lowered);
                }
                return texts.search(self.text.len(), |text| self.finder.find(text), |place| hits.set(place));
            }
            Err(opened) => opened,
        };
        let column = Column::of_packed(opened).unwrap_or_default();
        if column.text().is_ascii() {
            self.mark_texts(&column, hits);
            if room.values.may_stand_in(outline) {
                for (place, kind, flags, bits) in column.values() {
                    if hits.is_open(place) && room.values.shows(kind, flags, bits) {
                        hits.set(place);
                    }
                }
            }
        } else {
            let shows = |place: &u16| column.cell(*place).is_some_and(|cell| self.is_shown(cell));
            column.places().filter(shows).for_each(|place| hits.set(place));
        }
    }

    /// All texts at once; what begins in one and ends in the next is none.
    fn mark_texts(&self, column: &Column, hits: &mut Hits<'_>) {
        let text = column.text().to_ascii_lowercase();
        let mut from = 0;
        while let Some(found) = text.as_bytes().get(from..).and_then(|rest| self.finder.find(rest)) {
            let start = from + found;
            let at = column.ends().partition_point(|&end| end as usize <= start);
            let (Some(&end), Some(place)) = (column.ends().get(at), column.place(at)) else { return };
            if start + self.text.len() <= end as usize {
                hits.set(place);
                from = end as usize;
            } else {
                from = start + 1;
            }
        }
    }

    fn is_shown(&self, cell: CellRef<'_>) -> bool {
        cell.shown().to_lowercase().contains(self.text)
    }

    /// What a fixed row shows is found anew.
    fn mark_patched(&self, span: RowSpan<'_>, hits: &mut Hits<'_>) {
        let mut reader = span.reader();
        let part = hits.part;
        for (at, hit) in hits.rows.iter_mut().enumerate().filter(|(at, _)| part.is_patched(*at)) {
            let Some(row) = reader.get(part.first() + at) else { continue };
            *hit = row.cells.iter().any(|cell| self.is_shown(cell.as_ref()));
        }
    }
}

/// A column of which no text shows it.
fn mark_values(column: &PackedColumn<'_>, hits: &mut Hits<'_>, values: &mut ShownValues<'_>, bits: &mut Vec<u64>) {
    column.bits(bits);
    let heads = column.heads;
    for (at, &bits) in bits.iter().enumerate() {
        let Some(place) = column.place(at).filter(|&place| hits.is_open(place)) else { continue };
        let Some(&head) = heads.get(at).or(heads.first()) else { return };
        let (kind, flags) = of_head(head);
        if values.shows(kind, flags, bits) {
            hits.set(place);
        }
    }
}

impl<'p> Hits<'p> {
    fn new(part: &'p Part<'p>, all: bool) -> Self {
        Self { part, rows: vec![all; part.len()], open: if all { 0 } else { part.len() } }
    }

    fn set(&mut self, place: u16) {
        if let Some(hit) = self.part.at(place).and_then(|at| self.rows.get_mut(at)) {
            self.open -= usize::from(!*hit);
            *hit = true;
        }
    }

    /// True for a row of the part that isn't known to show it.
    fn is_open(&self, place: u16) -> bool {
        self.part.at(place).is_some_and(|at| self.rows.get(at) == Some(&false))
    }

    fn positions(self) -> Vec<u32> {
        let hits = (self.part.first()..).zip(self.rows).filter(|(_, hit)| *hit);
        hits.filter_map(|(position, _)| u32::try_from(position).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Cell, SheetRow, rows::Rows, serial::from_milliseconds};

    /// Whatever is found by parts is found cell by cell.
    #[test]
    fn the_search_finds_what_cells_show() {
        let mut state = 5_u64;
        println!("seed {state}");
        let mut next = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut cell = move |column: u64| match (column + next(2) * next(5)) % 7 {
            0 => Cell::text(["Ab", "aB c", "GRÖSSE", "b", "ab-12", ""][next(6) as usize]),
            1 => Cell::number(next(50) as f64 / 4.0),
            2 => Cell::date_time(from_milliseconds((next(1_000) * 3_600_000).cast_signed())),
            3 => Cell::duration((next(100) * 36_000_000_000).cast_signed()),
            4 => Cell::boolean(next(2) == 0),
            5 => Cell::number_shown(7.0, "007"),
            _ => Cell::default(),
        };
        let row = |number| SheetRow { number, cells: (0..6).map(&mut cell).collect(), hidden: number % 9 == 0 };
        let mut rows = Rows::of((1..6_000).map(row));
        rows.set(77, 3, Cell::text("Größe fixed"));
        rows.set(78, 9, Cell::text("beyond"));
        for leaves_out in [false, true] {
            if leaves_out {
                rows.retain(|_, hidden| !hidden);
            }
            let span = rows.below(3);
            let texts =
                ["ab", "B", "größe", "ba", "2.5", ".", "-", "00", "-01", "-01-", "1970-01-0", "01-02 1", "true"];
            for text in texts.into_iter().chain(["12:0", "c", "", "fixed", "beyond", "1.0", "7.", "e-", "-1", "0-0"]) {
                let shows = |row: &SheetRow| {
                    row.cells.iter().any(|cell| cell.shown().to_lowercase().contains(&text.to_lowercase()))
                };
                let expected: Vec<u32> =
                    (0..).zip(span.iter()).filter(|(_, row)| text.is_empty() || shows(row)).map(|(at, _)| at).collect();
                assert!(span.showing(text) == expected, "{text:?}");
            }
        }
    }
}
