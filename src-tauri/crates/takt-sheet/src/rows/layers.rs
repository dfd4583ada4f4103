//! Rows in whatever order they come. Nearly every file has them in order; where one goes back, a new layer begins, and in the
//! end all layers become one. A file that goes back and forth without end is sorted in memory, within the limits.

use std::iter::Peekable;

use super::{Rows, packer::Packer};
use crate::{Cell, CellRef, SheetRow};

/// More layers than this aren't begun.
const MOST_LAYERS: usize = 8;

#[derive(Debug, Default)]
pub(crate) struct Layers {
    /// Later ones lie over earlier ones.
    done: Vec<Rows>,
    now: Packer,
    /// In any order, over all layers.
    loose: Vec<SheetRow>,
}

impl Layers {
    /// `is_searched` as [`crate::Limits::is_searched`].
    pub(crate) fn new(is_searched: bool) -> Self {
        Self { now: Packer::new(is_searched), ..Self::default() }
    }

    /// The same where no other thread packs the rows.
    pub(crate) fn on_this_thread(is_searched: bool) -> Self {
        Self { now: Packer::on_this_thread(is_searched), ..Self::default() }
    }

    /// All rows so far where they came in order; nothing is left of them, except room.
    pub(crate) fn take_ordered(&mut self) -> Rows {
        debug_assert!(self.done.is_empty() && self.loose.is_empty(), "the rows came in order");
        self.now.take()
    }

    /// Puts rows below all others where those came in order. `shift` is added to their numbers.
    pub(crate) fn append(&mut self, rows: Rows, shift: u32) {
        debug_assert!(self.done.is_empty() && self.loose.is_empty(), "the rows came in order");
        self.now.append(rows, shift);
    }

    /// How many rows came so far.
    pub(crate) fn count(&self) -> u32 {
        let loose = u32::try_from(self.loose.len()).unwrap_or(u32::MAX);
        self.done.iter().map(|rows| u32::try_from(rows.len()).unwrap_or(u32::MAX)).sum::<u32>()
            + self.now.count()
            + loose
    }

    /// The first rows; none once their order isn't sure any more.
    pub(crate) fn head(&mut self, most: usize) -> Vec<SheetRow> {
        if self.done.is_empty() && self.loose.is_empty() { self.now.head(most) } else { Vec::new() }
    }

    pub(crate) fn begin(&mut self, number: u32) {
        let back = self.now.last().is_some_and(|last| last >= number);
        if !self.loose.is_empty() || (back && self.done.len() >= MOST_LAYERS) {
            if let Some(last) = self.loose.last_mut() {
                last.cells.shrink_to_fit();
            }
            self.loose.push(SheetRow { number, cells: Vec::new(), hidden: false });
            return;
        }
        if back {
            self.done.push(std::mem::take(&mut self.now).finish());
        }
        self.now.begin(number);
    }

    /// Puts a cell into the last row. False where it replaces one.
    #[inline]
    pub(crate) fn put(&mut self, column: u32, cell: CellRef<'_>) -> bool {
        match self.loose.last_mut() {
            None => self.now.put(column, cell),
            Some(row) => put(&mut row.cells, column as usize, cell.to_cell()),
        }
    }

    /// All rows in order.
    pub(crate) fn finish(self) -> Rows {
        let Self { mut done, now, mut loose } = self;
        done.push(now.finish());
        loose.sort_by_key(|row| row.number);
        loose.dedup_by(|later, earlier| {
            let same = later.number == earlier.number;
            if same {
                merge(&mut earlier.cells, std::mem::take(&mut later.cells));
            }
            same
        });
        done.push(Rows::of(loose));
        done.retain(|rows| !rows.is_empty());
        if done.len() < 2 { done.pop().unwrap_or_default() } else { merged(&done) }
    }
}

fn merged(layers: &[Rows]) -> Rows {
    let mut layers: Vec<Peekable<_>> = layers.iter().map(|rows| rows.iter().peekable()).collect();
    let mut packer = Packer::default();
    while let Some(number) = layers.iter_mut().filter_map(|layer| Some(layer.peek()?.number)).min() {
        let mut pieces = layers.iter_mut().filter_map(|layer| layer.next_if(|row| row.number == number));
        let Some(mut row) = pieces.next() else { break };
        pieces.for_each(|later| merge(&mut row.cells, later.cells));
        packer.put_row(&row);
    }
    packer.finish()
}

/// A row that came in two pieces.
fn merge(cells: &mut Vec<Cell>, later: Vec<Cell>) {
    for (column, cell) in later.into_iter().enumerate() {
        if !cell.is_empty() || cell.is_formula_without_value() {
            put(cells, column, cell);
        }
    }
}

/// False where there was a cell with content.
fn put(cells: &mut Vec<Cell>, column: usize, cell: Cell) -> bool {
    if column >= cells.len() {
        cells.resize_with(column + 1, Cell::default);
    }
    cells.get_mut(column).is_some_and(|place| std::mem::replace(place, cell).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(layers: Layers) -> Vec<(u32, Vec<String>)> {
        let rows = layers.finish();
        rows.iter().map(|row| (row.number, row.cells.iter().map(|cell| cell.shown().into_owned()).collect())).collect()
    }

    #[test]
    fn rows_come_into_order_and_later_cells_stay() {
        // Few turns make layers, many are sorted.
        for turns in [1_u32, 3, 40] {
            let mut layers = Layers::default();
            for turn in 0..=turns {
                for number in [2, 5, 9] {
                    layers.begin(number + turn % 2);
                    layers.put(turn % 3, CellRef::of_text(&turn.to_string()));
                }
            }
            let last = |of: u32, column: u32| {
                let turn = (0..=turns).rev().find(|turn| turn % 2 == of && turn % 3 == column);
                turn.map(|turn| turn.to_string()).unwrap_or_default()
            };
            for (number, cells) in shown(layers) {
                let of = u32::from([3, 6, 10].contains(&number));
                assert!(of == 1 || [2, 5, 9].contains(&number), "{number}");
                for (column, cell) in (0..3).map(|column| (column, cells.get(column as usize))) {
                    assert_eq!(cell.cloned().unwrap_or_default(), last(of, column), "{turns} turns, row {number}");
                }
            }
        }
    }

    #[test]
    fn a_row_begun_anew_stays_one_row() {
        let mut layers = Layers::default();
        layers.begin(1);
        assert!(layers.put(0, CellRef::of_text("a")) && !layers.put(0, CellRef::of_text("b")));
        let text = |text: &str| text.to_owned();
        assert_eq!(shown(layers), [(1, vec![text("b")])]);
    }
}
