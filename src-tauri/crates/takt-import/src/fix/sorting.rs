//! Sorts rows by a column's values, only as far as pages are requested. A page of a million rows needs no full sort.

mod keys;
mod texts;
mod values;

use takt_sheet::RowSpan;

use self::{
    keys::{SortKey, SortKeys},
    texts::LowerTexts,
    values::{PartValues, Reader},
};
use crate::{row_mapper::RowMapper, view::RowSort};

/// Sorted positions. Numbers come before texts. Empty cells come last in both directions.
#[derive(Debug)]
pub(crate) struct SortedPositions {
    values: [SortKeys; 2],
    empty: Vec<u32>,
}

impl SortedPositions {
    /// Sorts these rows, or all rows if `only` is `None`. `only` is ascending. Rows with equal values keep the sheet's
    /// order.
    pub(crate) fn new(
        only: Option<&[u32]>,
        rows: RowSpan<'_>,
        mapper: Option<&RowMapper<'_>>,
        column: u32,
        descending: bool,
    ) -> Self {
        let reader = Reader::new(column, mapper);
        let parts = rows.parts(&reader.columns(), |part| PartValues::read(part, only, &reader));
        let count = |of: fn(&PartValues) -> usize| parts.iter().map(of).sum();
        let mut numbers: Vec<SortKey> = Vec::with_capacity(count(|part| part.numbers.len()));
        let mut empty: Vec<u32> = Vec::with_capacity(count(|part| part.empty.len()));
        let (mut texts, mut positions) = (Vec::with_capacity(parts.len()), Vec::with_capacity(parts.len()));
        for part in parts {
            numbers.extend_from_slice(&part.numbers);
            empty.extend_from_slice(&part.empty);
            texts.push(part.lower);
            positions.push(part.texts);
        }
        let texts = SortKeys::from_texts(LowerTexts::new(texts), &positions, descending);
        let mut values = [SortKeys::from_values(numbers, descending), texts];
        if descending {
            values.reverse();
        }
        Self { values, empty }
    }

    pub(crate) fn len(&self) -> usize {
        self.values.iter().map(SortKeys::len).sum::<usize>() + self.empty.len()
    }

    /// Returns the positions of `limit` rows from `offset` on.
    pub(crate) fn page(&mut self, offset: usize, limit: usize) -> Vec<u32> {
        let (mut start, mut end) = (offset, offset.saturating_add(limit));
        let mut page = Vec::with_capacity(limit.min(self.len()));
        for values in &mut self.values {
            let length = values.len();
            page.extend(values.page(start.min(length), end.min(length)));
            (start, end) = (start.saturating_sub(length), end.saturating_sub(length));
        }
        let length = self.empty.len();
        page.extend(self.empty.get(start.min(length)..end.min(length)).unwrap_or_default());
        page
    }
}

/// Returns true for descending row numbers.
pub(crate) fn is_reversed(sort: RowSort) -> bool {
    sort.column.is_none() && sort.descending
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use jiff::civil::{Date, DateTime};
    use takt_contract::Contract;
    use takt_sheet::{Cell, Rows, SheetRow};

    use super::{values::Value, *};
    use crate::{
        column_layout::ColumnLayout, fix::overlay::Overlay, mapping::Rules, matching::Vocabulary,
        reference_checks::ReferenceChecks, target::Targets,
    };

    const SEED: u64 = 3;
    const ROWS: u32 = 7_000;
    /// Headings of text, number, date-time, duration and boolean fields. The other columns fill no field. The last ones
    /// contain only texts.
    const HEADINGS: [&str; 12] = [
        "Work order",
        "Quantity",
        "Start",
        "Machine hours",
        "properties[RUSH]",
        "?",
        "??",
        "#1",
        "#2",
        "#3",
        "#4",
        "#5",
    ];
    const FIRST_PLAIN: usize = 7;

    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, below: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % below
        }

        fn pick(&mut self, texts: &[&str]) -> Cell {
            Cell::text(texts[self.roll(texts.len() as u64) as usize])
        }

        fn text(&mut self) -> String {
            match self.roll(8) {
                0 => format!("Frame assembly {:03}", self.roll(400)),
                1 => format!("Frame assembly of a very long name {}", self.roll(300)),
                2 => format!("frame assembly Ö{}", self.roll(9)),
                3 => "Frame assembly\0".repeat(1 + self.roll(2) as usize),
                4 => "Frame assembly aB".repeat(1 + self.roll(4) as usize),
                5 => format!(" FRAME assembly {}", "a".repeat(self.roll(40) as usize)),
                6 => format!("Frame assembly {}", ["é", "É", "İ", "Σ", "ßẞ"][self.roll(5) as usize]),
                _ => "Frame assembly".to_owned(),
            }
        }

        fn date_time(&mut self) -> Cell {
            let begin = DateTime::constant(1969, 12, 30, 0, 0, 0, 0);
            Cell::date_time(begin + jiff::Span::new().milliseconds(self.roll(3_000) as i64 * 250_001))
        }

        fn duration(&mut self) -> Cell {
            Cell::duration(self.roll(500) as i64 * 90_000_001 - 9_000_000_000)
        }

        fn cells(&mut self) -> Vec<Cell> {
            let odd = |dice: &mut Self| match dice.roll(6) {
                0 => Cell::default(),
                1 => Cell::text(format!("x{}", dice.roll(5))),
                2 => Cell::boolean(dice.roll(2) == 0),
                3 => dice.pick(&["  ", "1,5", "2036-01-02", "2.1.1970", "1:30", "2 h", "yes", "nein", "#"]),
                4 => [Self::date_time, Self::duration][dice.roll(2) as usize](dice),
                _ => Cell::number(dice.roll(100) as f64 / 3.0 - 15.0),
            };
            let number = |dice: &mut Self| Cell::number(dice.roll(300) as f64 / 4.0 - 20.0);
            let mut usual: [&mut dyn FnMut(&mut Self) -> Cell; 6] = [
                &mut |dice| Cell::text(dice.text()),
                &mut |dice| number(dice),
                &mut |dice| dice.date_time(),
                &mut |dice| dice.duration(),
                &mut |dice| Cell::boolean(dice.roll(2) == 0),
                &mut |dice| odd(dice),
            ];
            let odd_or_usual = usual.iter_mut().map(|usual| if self.roll(4) == 0 { odd(self) } else { usual(self) });
            let mut cells: Vec<Cell> = odd_or_usual.collect();
            cells.resize(FIRST_PLAIN, Cell::default());
            cells
        }

        /// Returns texts with different patterns: ascending, random, repeated, with gaps, and non-ASCII.
        fn plain_texts(&mut self, number: u32) -> [Cell; HEADINGS.len() - FIRST_PLAIN] {
            let same = ["The same text many times", "the SAME text", "Other"][(number / 1_500 % 3) as usize];
            let note = ["Deburr all edges", "customer collects", "x"][self.roll(3) as usize];
            let note = Cell::text(format!("{note}, see drawing {}", self.roll(2_000)));
            [
                Cell::text(format!("WO-{}", 1_000_000 + u64::from(number) * 137)),
                Cell::text(format!("Frame assembly {:06}", self.roll(900))),
                Cell::text(if number == 6_500 { "a".to_owned() } else { format!("{same}{}", self.roll(2)) }),
                if self.roll(10) < 6 { Cell::default() } else { note },
                Cell::text(format!("Größe {}", self.roll(700))),
            ]
        }
    }

    /// Sorts all values at once, as the reference.
    fn reference_order(rows: RowSpan<'_>, mapper: Option<&RowMapper<'_>>, column: u32, descending: bool) -> Vec<u32> {
        let rank = |value: &Value<'_>| match value {
            Value::Number(_) => 0,
            Value::Text(_) => 1,
            Value::Empty => 2,
        };
        let target =
            |mapper: &RowMapper<'_>| mapper.layout.columns.iter().position(|&filled_by| filled_by == Some(column));
        let mapper = mapper.and_then(|mapper| Some((mapper, target(mapper)?)));
        let all: Vec<SheetRow> = rows.iter().collect();
        let mut keyed: Vec<(u32, Value<'_>)> =
            (0..).zip(all.iter().map(|row| values::value(row, column, mapper))).collect();
        keyed.sort_by(|(_, a), (_, b)| {
            let turned = |order: Ordering| if descending { order.reverse() } else { order };
            match (a, b) {
                (Value::Empty, _) | (_, Value::Empty) => rank(a).cmp(&rank(b)),
                (Value::Number(a), Value::Number(b)) => turned(a.total_cmp(b)),
                (Value::Text(a), Value::Text(b)) => turned(a.to_lowercase().cmp(&b.to_lowercase())),
                _ => turned(rank(a).cmp(&rank(b))),
            }
        });
        keyed.into_iter().map(|(position, _)| position).collect()
    }

    /// Compares random pages of all rows and of some rows with the reference.
    fn check(rows: RowSpan<'_>, mapper: Option<&RowMapper<'_>>, dice: &mut Dice) {
        let columns = u32::try_from(HEADINGS.len()).unwrap();
        for (column, descending) in (0..columns).flat_map(|column| [(column, false), (column, true)]) {
            let expected = reference_order(rows, mapper, column, descending);
            let mut sorted = SortedPositions::new(None, rows, mapper, column, descending);
            assert_eq!(sorted.len(), rows.len());
            for _ in 0..40 {
                let (offset, limit) = (dice.roll(u64::from(ROWS) + 90) as usize, dice.roll(300) as usize);
                let wanted: Vec<u32> = expected.iter().skip(offset).take(limit).copied().collect();
                assert_eq!(sorted.page(offset, limit), wanted, "column {column}, {limit} at {offset}");
            }
            assert_eq!(sorted.page(0, usize::MAX), expected, "column {column}");
            let some = |position: &u32| position % 7 == 3;
            let only: Vec<u32> = (0..ROWS).filter(some).filter(|&position| (position as usize) < rows.len()).collect();
            let mut some_sorted = SortedPositions::new(Some(&only), rows, mapper, column, descending);
            let wanted: Vec<u32> = expected.into_iter().filter(some).collect();
            assert_eq!(some_sorted.page(0, usize::MAX), wanted);
        }
    }

    #[test]
    fn pages_are_those_of_the_whole_order() {
        println!("seed {SEED}");
        let mut dice = Dice(SEED);
        let row = |number| {
            let mut cells = dice.cells();
            cells.extend(dice.plain_texts(number));
            SheetRow { number, cells, hidden: number % 9 == 0 }
        };
        let mut all = Rows::of((1..=ROWS).map(row));
        let unchanged = all.clone();
        all.set(77, 0, Cell::text("Frame assembly fixed"));
        all.set(78, 2, Cell::number(5.0));
        all.set(79, 20, Cell::text("beyond"));
        check(unchanged.below(0), None, &mut dice);
        let contract = Contract::builtin().unwrap();
        let mut targets = Targets::from_operation(contract.operation("work-orders.sync").unwrap()).unwrap();
        targets.add_property(HEADINGS[4], HEADINGS[4]);
        let headings = HEADINGS.map(str::to_owned);
        let matches = Vocabulary::new(&targets).match_headings(&headings);
        let (overlay, reference_checks) = (Overlay::default(), ReferenceChecks::default());
        for leaves_out in [false, true] {
            if leaves_out {
                all.retain(|_, hidden| !hidden);
            }
            let rows = all.below(5);
            check(rows, None, &mut dice);
            let (rules, today) = (Rules::default(), Date::constant(2036, 1, 1));
            let layout = ColumnLayout::new(&targets, &matches, &rules, &headings, rows, &overlay, today);
            assert_eq!(layout.columns.iter().flatten().count(), 5, "each heading fills a field");
            let mapper = RowMapper {
                targets: &targets,
                layout: &layout,
                overlay: &overlay,
                reference_checks: &reference_checks,
            };
            check(rows, Some(&mapper), &mut dice);
        }
    }
}
