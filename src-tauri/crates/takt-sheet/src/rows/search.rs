//! Rows that show a text somewhere, letter case ignored. Texts are searched as they lie, one after the other; a number or a
//! date is written out once for all cells that hold it.

use std::collections::HashMap;

use memchr::memmem::Finder;

use super::{RowSpan, column::Column, part::Part};
use crate::{CellKind, CellRef};

/// Different values of a part that are remembered.
const MOST_KNOWN: usize = 100_000;

/// What is looked for.
struct Needle<'n> {
    /// In small letters.
    text: &'n str,
    finder: Finder<'n>,
}

impl RowSpan<'_> {
    /// The positions, ascending, of the rows of which a cell shows this text. An empty text stands in every row.
    #[must_use]
    pub fn showing(self, text: &str) -> Vec<u32> {
        let text = text.to_lowercase();
        let needle = Needle { text: &text, finder: Finder::new(text.as_bytes()) };
        let columns: Vec<u32> = (0..self.rows.all_columns()).collect();
        let found = self.parts(&columns, |part| {
            let mut hits = vec![text.is_empty(); part.len()];
            columns
                .iter()
                .filter_map(|&column| part.column(column))
                .for_each(|column| needle.mark(part, column, &mut hits));
            if part.patched {
                needle.mark_patched(part, &columns, &mut hits);
            }
            let hits = (part.first()..).zip(hits).filter(|(_, hit)| *hit);
            hits.filter_map(|(position, _)| u32::try_from(position).ok()).collect::<Vec<_>>()
        });
        found.concat()
    }
}

impl Needle<'_> {
    fn mark(&self, part: &Part<'_>, column: &Column, hits: &mut [bool]) {
        let mut hit = |place: u16| {
            if let Some(hit) = part.at(place).and_then(|at| hits.get_mut(at)) {
                *hit = true;
            }
        };
        if column.text().is_ascii() {
            self.mark_texts(column, &mut hit);
            self.mark_others(column, &mut hit);
        } else {
            let shows = |place: &u16| column.cell(*place).is_some_and(|cell| self.is_shown(cell));
            column.places().iter().copied().filter(shows).for_each(hit);
        }
    }

    /// All texts at once; what begins in one and ends in the next is none.
    fn mark_texts(&self, column: &Column, hit: &mut impl FnMut(u16)) {
        let text = column.text().to_ascii_lowercase();
        let mut from = 0;
        while let Some(found) = text.as_bytes().get(from..).and_then(|rest| self.finder.find(rest)) {
            let start = from + found;
            let at = column.ends().partition_point(|&end| end as usize <= start);
            let (Some(&end), Some(&place)) = (column.ends().get(at), column.places().get(at)) else { return };
            if start + self.text.len() <= end as usize {
                hit(place);
                from = end as usize;
            } else {
                from = start + 1;
            }
        }
    }

    fn mark_others(&self, column: &Column, hit: &mut impl FnMut(u16)) {
        let mut known: HashMap<(CellKind, u64), bool> = HashMap::new();
        for &place in column.places() {
            let Some(cell) = column.cell(place) else { continue };
            if matches!(cell.kind(), CellKind::Text | CellKind::Error | CellKind::Empty)
                || cell.is_shown_by_format()
                || !self.may_stand_in(cell.kind())
            {
                continue;
            }
            if known.len() > MOST_KNOWN {
                known.clear();
            }
            let (kind, _, bits, _) = cell.parts();
            if *known.entry((kind, bits)).or_insert_with(|| self.is_shown(cell)) {
                hit(place);
            }
        }
    }

    /// False where no cell of the kind can show it: its letters tell.
    fn may_stand_in(&self, kind: CellKind) -> bool {
        let letters: &[u8] = match kind {
            CellKind::Number => b"0123456789.-+e",
            CellKind::DateTime | CellKind::Duration => b"0123456789:-. ",
            _ => return true,
        };
        self.text.bytes().all(|byte| letters.contains(&byte))
    }

    fn is_shown(&self, cell: CellRef<'_>) -> bool {
        cell.shown().to_lowercase().contains(self.text)
    }

    /// What a mended row shows is found anew.
    fn mark_patched(&self, part: &Part<'_>, columns: &[u32], hits: &mut [bool]) {
        for (at, hit) in hits.iter_mut().enumerate().filter(|(at, _)| part.is_patched(*at)) {
            let Some(row) = part.row(at) else { continue };
            *hit = columns.iter().filter_map(|&column| row.cell(column)).any(|cell| self.is_shown(cell));
        }
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
        rows.set(77, 3, Cell::text("Größe mended"));
        rows.set(78, 9, Cell::text("beyond"));
        for leaves_out in [false, true] {
            if leaves_out {
                rows.keep(|_, hidden| !hidden);
            }
            let span = rows.below(3);
            for text in
                ["ab", "B", "größe", "ba", "2.5", "00", "1970-01-0", "true", "12:0", "c", "", "mended", "beyond"]
            {
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
