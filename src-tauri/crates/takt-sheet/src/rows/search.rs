//! Finds rows in which a cell shows a text. Letter case is ignored.

use memchr::memmem::Finder;

use super::{column::Column, reader::RowSpan, row_block::RowBlock};
use crate::CellRef;

impl RowSpan<'_> {
    /// Returns the positions of the rows in which a cell shows this text, ascending. Every row shows an empty text.
    #[must_use]
    pub fn find_rows_with_text(self, text: &str) -> Vec<u32> {
        let text = text.to_lowercase();
        let finder = Finder::new(text.as_bytes());
        let found = self.map_blocks(&[], |block| {
            let mut search = TextSearch { finder: &finder, lowered: String::new() };
            let mut shows = vec![text.is_empty(); block.len()];
            for (_, packed) in block.packed_columns() {
                search.mark_rows(&Column::unpack(packed), block, &mut shows);
            }
            search.mark_patched_rows(self, block, &mut shows);
            let positions = (block.first()..).zip(shows).filter(|(_, shows)| *shows);
            positions.filter_map(|(position, _)| u32::try_from(position).ok()).collect::<Vec<_>>()
        });
        found.concat()
    }
}

struct TextSearch<'f> {
    /// Finds the lower-case text.
    finder: &'f Finder<'f>,
    /// A buffer for a cell's shown text in lower case.
    lowered: String,
}

impl TextSearch<'_> {
    /// Marks the rows in which this column shows the text.
    fn mark_rows(&mut self, column: &Column, block: &RowBlock<'_>, shows: &mut [bool]) {
        for (at, block_row) in column.block_rows().enumerate() {
            let Some(shows) = block.row_index(block_row).and_then(|at| shows.get_mut(at)).filter(|shows| !**shows)
            else {
                continue;
            };
            *shows = column.cell_at(at).is_some_and(|cell| self.is_text_in(cell));
        }
    }

    /// Marks rows with replaced cells again, because a replaced cell may no longer show the text.
    fn mark_patched_rows(&mut self, span: RowSpan<'_>, block: &RowBlock<'_>, shows: &mut [bool]) {
        let mut reader = span.reader();
        for (at, shows) in shows.iter_mut().enumerate().filter(|(at, _)| block.is_row_patched(*at)) {
            let Some(row) = reader.get(block.first() + at) else { continue };
            *shows = row.cells.iter().any(|cell| self.is_text_in(cell.as_ref()));
        }
    }

    fn is_text_in(&mut self, cell: CellRef<'_>) -> bool {
        let shown = cell.shown();
        if shown.is_ascii() {
            self.lowered.clear();
            self.lowered.push_str(&shown);
            self.lowered.make_ascii_lowercase();
        } else {
            self.lowered = shown.to_lowercase();
        }
        self.finder.find(self.lowered.as_bytes()).is_some()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Cell, SheetRow, rows::Rows, serial::from_milliseconds};

    /// The search finds the same rows as a comparison cell by cell.
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
        let mut rows = Rows::from_rows((1..6_000).map(row));
        rows.replace_cell(77, 3, Cell::text("Größe fixed"));
        rows.replace_cell(78, 9, Cell::text("beyond"));
        for leaves_out in [false, true] {
            if leaves_out {
                rows.retain(|_, hidden| !hidden);
            }
            let span = rows.span_from(3);
            let texts =
                ["ab", "B", "größe", "ba", "2.5", ".", "-", "00", "-01", "-01-", "1970-01-0", "01-02 1", "true"];
            for text in texts.into_iter().chain(["12:0", "c", "", "fixed", "beyond", "1.0", "7.", "e-", "-1", "0-0"]) {
                let shows = |row: &SheetRow| {
                    row.cells.iter().any(|cell| cell.shown().to_lowercase().contains(&text.to_lowercase()))
                };
                let expected: Vec<u32> =
                    (0..).zip(span.iter()).filter(|(_, row)| text.is_empty() || shows(row)).map(|(at, _)| at).collect();
                assert!(span.find_rows_with_text(text) == expected, "{text:?}");
            }
        }
    }
}
