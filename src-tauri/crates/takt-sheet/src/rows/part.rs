//! Some neighbouring rows with the columns that are asked for, unpacked at once: cells are looked at where they lie, and parts
//! are looked at on all cores.

use std::{
    ops::Range,
    panic,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use super::{RowSpan, Rows, block::Block, column::Column};
use crate::{CellKind, CellRef};

/// With fewer parts for each core than this, another core isn't worth its start.
const MIN_PARTS: usize = 4;
/// A column that isn't in the part.
const ABSENT: u16 = u16::MAX;

/// Neighbouring rows of a span, in which columns were unpacked.
#[derive(Debug)]
pub struct Part<'a> {
    rows: &'a Rows,
    block: &'a Block,
    /// Position of its first row in the span.
    first: usize,
    /// By row: its place in the block; absent where they follow each other from the first one on.
    places: Option<Vec<u16>>,
    first_place: u16,
    length: usize,
    columns: Vec<Column>,
    /// By column: where it is among the unpacked ones.
    slots: Vec<u16>,
    pub(super) patched: bool,
}

/// A column that is unpacked.
struct WantedColumn {
    number: u32,
    /// Kinds of cells of which a block must have one; absent where all count.
    kinds: Option<Vec<CellKind>>,
}

/// A row of a part.
#[derive(Debug, Clone, Copy)]
pub struct PartRow<'p> {
    part: &'p Part<'p>,
    place: u16,
}

/// The cells of a column of a part; each is absent where its row has none.
#[derive(Debug)]
pub struct ColumnCells<'p> {
    part: &'p Part<'p>,
    /// The column's number.
    number: u32,
    own: Option<&'p Column>,
    /// True where row follows row and no cell stands in the place of another.
    follows: bool,
    /// True where in addition nothing but the text is to be known of a cell: it is the column's `next` or none.
    is_dense_text: bool,
    /// The column's next cell among those that it has.
    next: usize,
    /// The next row.
    at: usize,
    end: usize,
}

/// A column of a part that holds nothing but texts.
#[derive(Debug, Clone, Copy)]
pub struct ColumnTexts<'p> {
    own: &'p Column,
    first_place: u16,
}

impl<'p> ColumnTexts<'p> {
    /// All of them, one after the other.
    #[must_use]
    pub fn text(self) -> &'p str {
        self.own.text()
    }

    /// Where each one ends; it begins where the one before ends.
    #[must_use]
    pub fn ends(self) -> &'p [u32] {
        self.own.ends()
    }

    /// The rows that have one, by their places in the part, ascending.
    pub fn rows(self) -> impl Iterator<Item = usize> + use<'p> {
        self.own.places().map(move |place| usize::from(place.saturating_sub(self.first_place)))
    }
}

impl<'p> Iterator for ColumnCells<'p> {
    type Item = Option<CellRef<'p>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.end {
            return None;
        }
        let at = self.at;
        self.at += 1;
        if !self.follows {
            return Some(self.part.row(at).and_then(|row| row.cell(self.number)));
        }
        let Some(own) = self.own else { return Some(None) };
        if self.is_dense_text {
            let text = own.text_at(self.next);
            self.next += 1;
            return Some(text.map(|text| CellRef::from_parts(CellKind::Text, 0, 0, text)));
        }
        let place = usize::from(self.part.first_place) + at;
        if own.place(self.next).is_none_or(|next| usize::from(next) != place) {
            return Some(None);
        }
        let cell = own.cell_at(self.next);
        self.next += 1;
        Some(cell)
    }
}

impl<'a> RowSpan<'a> {
    /// Looks at every part of the span with these columns, on all cores; what came of each, in their order.
    pub fn parts<T: Send>(self, columns: &[u32], work: impl Fn(&Part<'_>) -> T + Sync) -> Vec<T> {
        let wanted: Vec<_> = columns.iter().map(|&number| WantedColumn { number, kinds: None }).collect();
        self.parts_of(&wanted, work)
    }

    /// The same for columns of which only cells of some kinds count: a column that has none of them in a part isn't unpacked, and
    /// has no cells there.
    pub fn parts_of_kinds<T: Send>(
        self,
        columns: &[(u32, &[CellKind])],
        work: impl Fn(&Part<'_>) -> T + Sync,
    ) -> Vec<T> {
        let kinds = |number: u32| {
            let of_column = columns.iter().filter(|(other, _)| *other == number);
            of_column.flat_map(|(_, kinds)| kinds.iter().copied()).collect()
        };
        let wanted = columns.iter().map(|&(number, _)| WantedColumn { number, kinds: Some(kinds(number)) });
        self.parts_of(&wanted.collect::<Vec<_>>(), work)
    }

    fn parts_of<T: Send>(self, columns: &[WantedColumn], work: impl Fn(&Part<'_>) -> T + Sync) -> Vec<T> {
        let blocks = self.rows.blocks.len();
        let first = self.rows.stored(self.from).map_or(blocks, |stored| self.rows.block_index(stored));
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let cores = cores.min((blocks - first) / MIN_PARTS).max(1);
        let next = AtomicUsize::new(first);
        let look = || {
            let mut done = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= blocks {
                    return done;
                }
                done.extend(self.part(index, columns).map(|part| (index, work(&part))));
            }
        };
        let mut done = thread::scope(|scope| {
            let others: Vec<_> = (1..cores).map(|_| scope.spawn(look)).collect();
            let mut done = look();
            for other in others {
                done.extend(other.join().unwrap_or_else(|reason| panic::resume_unwind(reason)));
            }
            done
        });
        done.sort_unstable_by_key(|(index, _)| *index);
        done.into_iter().map(|(_, found)| found).collect()
    }

    /// The rows of a block that belong to the span; absent where none does.
    fn part(self, index: usize, columns: &[WantedColumn]) -> Option<Part<'a>> {
        let block = self.rows.blocks.get(index)?;
        let end = self.rows.blocks.get(index + 1).map_or(u32::MAX, |next| next.first);
        let first = self.at_or_after(block.first);
        let length = self.at_or_after(end) - first;
        if length == 0 {
            return None;
        }
        let place = |at: usize| {
            let stored = self.rows.stored(self.from + first + at).unwrap_or_default();
            u16::try_from(stored - block.first).unwrap_or_default()
        };
        let mut slots = vec![ABSENT; columns.iter().map(|column| column.number as usize + 1).max().unwrap_or_default()];
        let mut unpacked = Vec::with_capacity(columns.len());
        for WantedColumn { number, kinds } in columns {
            if let Some(slot) = slots.get_mut(*number as usize).filter(|slot| **slot == ABSENT) {
                *slot = u16::try_from(unpacked.len()).unwrap_or(ABSENT);
                let counts = kinds.as_ref().is_none_or(|kinds| block.has_kind(*number, kinds));
                unpacked.push(if counts { block.column(*number) } else { Column::default() });
            }
        }
        Some(Part {
            rows: self.rows,
            block,
            first,
            places: self.rows.included.is_some().then(|| (0..length).map(place).collect()),
            first_place: place(0),
            length,
            columns: unpacked,
            slots,
            patched: self.rows.patches.range(block.first..end).next().is_some(),
        })
    }

    /// The first position in the span whose row isn't before this one.
    fn at_or_after(self, stored: u32) -> usize {
        let position = match &self.rows.included {
            Some(kept) => kept.count_below(stored) as usize,
            None => stored.min(self.rows.numbers.len()) as usize,
        };
        position.max(self.from) - self.from
    }
}

impl<'a> Part<'a> {
    /// Position of its first row in the span.
    #[must_use]
    pub fn first(&self) -> usize {
        self.first
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Its rows, in order.
    pub fn rows(&self) -> impl Iterator<Item = PartRow<'_>> {
        (0..self.length).filter_map(|at| self.row(at))
    }

    /// The cells of one of the part's columns, row by row.
    pub fn cells(&self, column: u32) -> ColumnCells<'_> {
        self.cells_of(column, 0..self.length)
    }

    /// The same for some of the rows, by their places in the part.
    pub fn cells_of(&self, column: u32, rows: Range<usize>) -> ColumnCells<'_> {
        let own = self.column(column);
        let first = u16::try_from(rows.start).unwrap_or(u16::MAX).saturating_add(self.first_place);
        let next = own.map_or(0, |own| own.first_from(first));
        let follows = !self.patched && self.places.is_none();
        let is_dense_text = follows && own.is_some_and(Column::is_dense_text);
        ColumnCells {
            part: self,
            number: column,
            own,
            follows,
            is_dense_text,
            next,
            at: rows.start,
            end: rows.end.min(self.length),
        }
    }

    /// The texts of one of the part's columns; absent where a cell is anything else than a text, stands in the place of another
    /// or lies outside of the part, or where rows are left out.
    #[must_use]
    pub fn texts(&self, column: u32) -> Option<ColumnTexts<'_>> {
        let own = self.column(column).filter(|own| !self.patched && self.places.is_none() && own.is_plain_text())?;
        let (first, last) = (own.place(0)?, own.last_place()?);
        let lies_in_part = first >= self.first_place && usize::from(last - self.first_place) < self.length;
        lies_in_part.then_some(ColumnTexts { own, first_place: self.first_place })
    }

    /// A row by its place in the part, from 0.
    #[must_use]
    pub fn row(&self, at: usize) -> Option<PartRow<'_>> {
        let place = match &self.places {
            Some(places) => *places.get(at)?,
            None if at < self.length => self.first_place + u16::try_from(at).ok()?,
            None => return None,
        };
        Some(PartRow { part: self, place })
    }

    /// All columns with content of the block that it lies in, packed.
    pub(super) fn packed(&self) -> impl Iterator<Item = (u32, &'a [u8])> {
        self.block.columns()
    }

    fn column(&self, column: u32) -> Option<&Column> {
        self.columns.get(usize::from(*self.slots.get(column as usize)?))
    }

    /// By place in the block: the row's place in the part.
    pub(super) fn at(&self, place: u16) -> Option<usize> {
        match &self.places {
            Some(places) => places.binary_search(&place).ok(),
            None => place.checked_sub(self.first_place).map(usize::from).filter(|&at| at < self.length),
        }
    }

    pub(super) fn is_patched(&self, at: usize) -> bool {
        self.patched && self.row(at).is_some_and(|row| self.rows.patches.contains_key(&row.stored()))
    }
}

impl<'p> PartRow<'p> {
    /// The row's number, 1-based as Excel shows it.
    #[must_use]
    pub fn number(self) -> u32 {
        self.part.rows.numbers.get(self.stored()).unwrap_or_default()
    }

    /// The cell of one of the part's columns; absent where there is none.
    #[must_use]
    pub fn cell(self, column: u32) -> Option<CellRef<'p>> {
        if self.part.patched
            && let Some(patch) = self.part.rows.patches.get(&self.stored()).and_then(|cells| cells.get(&column))
        {
            return Some(patch.as_ref());
        }
        self.part.column(column)?.cell(self.place)
    }

    fn stored(self) -> u32 {
        self.part.block.first + u32::from(self.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cell, SheetRow};

    fn rows(count: u32) -> Rows {
        let row = |number: u32| SheetRow {
            number: number * 2 + 1,
            cells: vec![Cell::text(format!("row {number}")), Cell::default(), Cell::number(f64::from(number))],
            hidden: number.is_multiple_of(5),
        };
        Rows::of((0..count).map(row))
    }

    /// Columns in every row, in some, in the first ones alone, and of other cells than texts: each cell in its row.
    #[test]
    fn texts_stand_in_their_rows() {
        let text = |is: bool, text: String| if is { Cell::text(text) } else { Cell::default() };
        let row = |number: u32| SheetRow {
            number: number + 1,
            cells: vec![
                Cell::text(format!("a{number}")),
                text(number.is_multiple_of(3), format!("b{number}")),
                text(number < 1_500, format!("c{number}")),
                if number.is_multiple_of(7) { Cell::number(1.5) } else { Cell::text("d") },
            ],
            hidden: false,
        };
        let rows = Rows::of((0..5_000).map(row));
        for from in [0, 700, 1_024, 1_499] {
            rows.below(from).parts(&[0, 1, 2, 3], |part| {
                for column in 0..4 {
                    for start in [0, 1, 32, 475, 477, 1_000] {
                        let cells = part.cells_of(column, start..part.len()).map(|cell| cell.map(CellRef::to_cell));
                        let expected = (from + part.first() + start..).map(|at| {
                            let cell = row(u32::try_from(at).unwrap()).cells.swap_remove(column as usize);
                            Some(cell).filter(|cell| !cell.is_empty())
                        });
                        let expected = expected.take(part.len().saturating_sub(start));
                        assert!(cells.eq(expected), "column {column} from {from} and {start}");
                    }
                }
            });
        }
    }

    /// Columns of one kind, of several and of none, each in some blocks alone: cells of the kinds that count are all there.
    #[test]
    fn cells_of_kinds_that_count_are_there() {
        let row = |number: u32| SheetRow {
            number: number + 1,
            cells: vec![
                Cell::text(format!("a{number}")),
                Cell::number(f64::from(number)),
                if number == 3_000 { Cell::text("b") } else { Cell::number(1.5) },
                if number < 1_500 { Cell::boolean(true) } else { Cell::default() },
            ],
            hidden: false,
        };
        let mut rows = Rows::of((0..5_000).map(row));
        rows.set(4_500, 1, Cell::text("fixed"));
        const TEXT: &[CellKind] = &[CellKind::Text];
        let columns = [(0, TEXT), (1, TEXT), (2, TEXT), (3, TEXT), (1, &[CellKind::Error])];
        let parts = rows.below(10).parts_of_kinds(&columns, |part| {
            let texts = (0..4).map(|column| {
                let cells = part.cells(column).flatten();
                cells.filter(|cell| cell.kind() == CellKind::Text).map(|cell| cell.shown().into_owned()).collect()
            });
            let is_left_out = part.cells(3).all(|cell| cell.is_none());
            (texts.collect::<Vec<Vec<String>>>(), is_left_out)
        });
        assert!(parts.len() > 4 && parts.iter().all(|(_, is_left_out)| *is_left_out), "booleans don't count");
        let texts = |column: usize| parts.iter().flat_map(|(texts, _)| texts[column].clone()).collect::<Vec<_>>();
        assert_eq!(texts(0), (10..5_000).map(|number| format!("a{number}")).collect::<Vec<_>>());
        assert_eq!((texts(1), texts(2)), (vec!["fixed".to_owned()], vec!["b".to_owned()]));
    }

    fn shown(span: RowSpan<'_>) -> Vec<(usize, u32, String, String)> {
        let text = |cell: Option<CellRef<'_>>| cell.map(|cell| cell.shown().into_owned()).unwrap_or_default();
        let parts = span.parts(&[2, 0], |part| {
            for column in [0, 1, 2] {
                assert!(part.cells(column).eq(part.rows().map(|row| row.cell(column))));
                if let Some(texts) = part.texts(column) {
                    let mut start = 0;
                    let cells = texts.rows().zip(texts.ends()).map(|(row, &end)| {
                        let text = &texts.text()[start..end as usize];
                        start = end as usize;
                        (row, Some(CellRef::of_text(text)))
                    });
                    assert!(cells.eq(part.cells(column).enumerate().filter(|(_, cell)| cell.is_some())));
                }
                for rows in
                    [0..part.len(), 1..part.len(), part.len() / 2..part.len() / 2 + 7, part.len()..0, 9..part.len() + 9]
                {
                    let cells = part.rows().map(|row| row.cell(column)).take(rows.end).skip(rows.start);
                    assert!(part.cells_of(column, rows.clone()).eq(cells), "{rows:?}");
                }
            }
            let rows = (part.first()..).zip(part.rows());
            rows.map(|(at, row)| (at, row.number(), text(row.cell(0)), text(row.cell(2)))).collect::<Vec<_>>()
        });
        parts.concat()
    }

    #[test]
    fn parts_hold_what_the_rows_hold() {
        let mut rows = rows(12_345);
        rows.set(7_000, 2, Cell::text("fixed"));
        for leaves_out in [false, true] {
            if leaves_out {
                rows.retain(|_, hidden| !hidden);
            }
            for from in [0, 1, 1_023, 1_024, 5_000, rows.len() - 1, rows.len(), rows.len() + 9] {
                let span = rows.below(from);
                let text = |row: &SheetRow, column| row.cell(column).map(|cell| cell.shown().into_owned());
                let expected = span.iter().enumerate().map(|(at, row)| {
                    (at, row.number, text(&row, 0).unwrap_or_default(), text(&row, 2).unwrap_or_default())
                });
                assert_eq!(shown(span), expected.collect::<Vec<_>>(), "from {from}");
            }
        }
    }
}
