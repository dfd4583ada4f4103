//! Sorts rows by a column's values, only as far as pages are requested. A page of a million rows needs no full sort.
//! Cells are sorted as their field reads them, otherwise as shown.

mod lower_texts;
mod sort_keys;

use std::borrow::Cow;

use takt_contract::FieldKind;
use takt_sheet::{CellKind, CellRef, CellValue, RowBlock, RowSpan};

use self::{
    lower_texts::{BlockTexts, LowerTexts},
    sort_keys::{SortKey, SortKeys},
};
use crate::{
    cell_value::ReadValue,
    row_mapper::{RowCells, RowMapper},
};

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
        let reader = ColumnReader::new(column, mapper);
        let blocks = rows.map_blocks(&reader.columns(), |block| BlockValues::read(block, only, &reader));
        let count = |of: fn(&BlockValues) -> usize| blocks.iter().map(of).sum();
        let mut numbers: Vec<SortKey> = Vec::with_capacity(count(|block| block.numbers.len()));
        let mut empty: Vec<u32> = Vec::with_capacity(count(|block| block.empty.len()));
        let (mut texts, mut positions) = (Vec::with_capacity(blocks.len()), Vec::with_capacity(blocks.len()));
        for block in blocks {
            numbers.extend_from_slice(&block.numbers);
            empty.extend_from_slice(&block.empty);
            texts.push(block.lower_texts);
            positions.push(block.texts);
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

/// Milliseconds of the years 1 to 9999, relative to 1970.
const MILLISECONDS_RANGE: std::ops::Range<i64> = -62_135_596_800_000..253_402_300_800_000;

/// The sort value of a cell. Unreadable cells come after readable ones.
enum SortValue<'r> {
    Number(f64),
    Text(Cow<'r, str>),
    Empty,
}

/// Reads the sort values of a column, on a fast path for most cells.
struct ColumnReader<'a> {
    column: u32,
    /// The mapper, and the target that the column fills.
    mapper: Option<(&'a RowMapper<'a>, usize)>,
    mode: ReadMode,
}

/// The fast way to read most cells of a column. Other cells are read one by one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReadMode {
    /// Reads all cells as texts.
    Text,
    /// Reads all cells by their own kind.
    OwnKind,
    DateTime,
    Duration,
    Boolean,
    Other,
}

/// The values of a block's rows, each with its position.
#[derive(Debug, Default)]
struct BlockValues {
    numbers: Vec<SortKey>,
    /// Positions of the texts.
    texts: Vec<u32>,
    lower_texts: BlockTexts,
    empty: Vec<u32>,
}

impl<'a> ColumnReader<'a> {
    fn new(column: u32, mapper: Option<&'a RowMapper<'a>>) -> Self {
        let target =
            mapper.and_then(|mapper| mapper.layout.columns.iter().position(|&filled_by| filled_by == Some(column)));
        let mapper = mapper.zip(target);
        Self { column, mapper, mode: ReadMode::new(mapper) }
    }

    fn columns(&self) -> Vec<u32> {
        let mut columns = self.mapper.map(|(mapper, target)| mapper.source_columns(target)).unwrap_or_default();
        columns.push(self.column);
        columns
    }

    /// Returns the value of a row, given its index in the block and its cell.
    fn read_value<'p>(&self, block: &'p RowBlock<'p>, at: usize, cell: Option<CellRef<'p>>) -> SortValue<'p>
    where
        'a: 'p,
    {
        let Some(cell) = cell.filter(|cell| !cell.is_empty()) else { return SortValue::Empty };
        match (self.mode, cell.kind()) {
            (ReadMode::Text, _) => return text_value(cell),
            (ReadMode::OwnKind | ReadMode::DateTime, CellKind::DateTime) => {
                if let Some(milliseconds) = cell.milliseconds().filter(|at| MILLISECONDS_RANGE.contains(at)) {
                    return SortValue::Number(milliseconds_to_seconds(milliseconds));
                }
            }
            (ReadMode::OwnKind, CellKind::Text) => return text_value(cell),
            (ReadMode::Boolean, CellKind::Boolean | CellKind::Text) => {
                if let Some(is) = parse_boolean(cell) {
                    return SortValue::Number(f64::from(u8::from(is)));
                }
            }
            _ => {}
        }
        match cell.value() {
            CellValue::Number(value) => SortValue::Number(value),
            #[expect(clippy::cast_precision_loss, reason = "only compared")]
            CellValue::Duration(ticks) if matches!(self.mode, ReadMode::OwnKind | ReadMode::Duration) => {
                SortValue::Number(ticks as f64)
            }
            _ => block.row(at).map_or(SortValue::Empty, |row| sort_value(row, self.column, self.mapper)),
        }
    }
}

impl ReadMode {
    fn new(mapper: Option<(&RowMapper<'_>, usize)>) -> Self {
        let Some((mapper, target)) = mapper else { return Self::OwnKind };
        let is_changed = mapper
            .field_rule(target)
            .is_some_and(|rule| rule.constant.is_some() || rule.joined.is_some() || !rule.values.is_empty());
        match mapper.targets.fields.get(target).map(|field| field.kind) {
            Some(FieldKind::Text) => Self::Text,
            Some(FieldKind::DateTime) if !is_changed => Self::DateTime,
            Some(FieldKind::Boolean) if !is_changed => Self::Boolean,
            Some(FieldKind::Duration | FieldKind::TimeSpan) if !is_changed => Self::Duration,
            _ => Self::Other,
        }
    }
}

impl BlockValues {
    fn read(block: &RowBlock<'_>, only: Option<&[u32]>, reader: &ColumnReader<'_>) -> Self {
        if only.is_none()
            && matches!(reader.mode, ReadMode::Text | ReadMode::OwnKind)
            && let Some(found) = Self::read_texts(block, reader.column)
        {
            return found;
        }
        let mut found = Self::default();
        let first = u32::try_from(block.first()).unwrap_or(u32::MAX);
        let mut wanted =
            only.map(|only| only.get(only.partition_point(|&position| position < first)..).unwrap_or_default());
        let mut at = 0;
        // `for_each`, since zipped iterators copy each cell.
        block.cells(reader.column).for_each(|cell| {
            let position = first.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
            let is_wanted = wanted.is_none_or(|wanted| wanted.first() == Some(&position));
            if is_wanted {
                wanted = wanted.and_then(|wanted| wanted.get(1..));
                found.push(position, &reader.read_value(block, at, cell), block.len());
            }
            at += 1;
        });
        found.lower_texts.lowercase();
        found
    }

    /// Reads a column of plain texts at once. Returns `None` for other columns.
    fn read_texts(block: &RowBlock<'_>, column: u32) -> Option<Self> {
        let texts = block.texts(column)?;
        let lower_texts = BlockTexts::from_ascii(texts.text(), texts.ends())?;
        let position = |row: usize| u32::try_from(block.first() + row).unwrap_or(u32::MAX);
        let mut found = Self { lower_texts, ..Self::default() };
        found.texts.reserve_exact(texts.ends().len());
        found.empty.reserve_exact(block.len() - texts.ends().len());
        let mut next = 0;
        for row in texts.rows() {
            found.empty.extend((next..row).map(position));
            found.texts.push(position(row));
            next = row + 1;
        }
        found.empty.extend((next..block.len()).map(position));
        Some(found)
    }

    /// Adds a value. `rows` is the number of rows in the block.
    fn push(&mut self, position: u32, value: &SortValue<'_>, rows: usize) {
        match value {
            SortValue::Number(number) => {
                if self.numbers.is_empty() {
                    self.numbers.reserve_exact(rows);
                }
                self.numbers.push(SortKey { head: sortable_bits(*number), position, text: 0 });
            }
            SortValue::Empty => self.empty.push(position),
            SortValue::Text(text) => {
                if self.texts.is_empty() {
                    self.texts.reserve_exact(rows);
                    self.lower_texts.reserve(rows);
                }
                self.lower_texts.push(text);
                self.texts.push(position);
            }
        }
    }
}

fn text_value(cell: CellRef<'_>) -> SortValue<'_> {
    if let CellValue::Text(text) = cell.value()
        && let [first, .., last] = text.as_bytes()
        && first.is_ascii_graphic()
        && last.is_ascii_graphic()
    {
        return SortValue::Text(Cow::Borrowed(text));
    }
    let text = match cell.shown() {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    };
    if text.is_empty() { SortValue::Empty } else { SortValue::Text(text) }
}

/// Reads a boolean as programs export it. Returns `None` for any other cell.
fn parse_boolean(cell: CellRef<'_>) -> Option<bool> {
    match cell.value() {
        CellValue::Boolean(is) => Some(is),
        CellValue::Text(text) if text.eq_ignore_ascii_case("true") => Some(true),
        CellValue::Text(text) if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// Converts a number to bits with the same order.
fn sortable_bits(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

fn sort_value<'r>(row: impl RowCells<'r>, column: u32, mapper: Option<(&'r RowMapper<'r>, usize)>) -> SortValue<'r> {
    let Some(cell) = row.cell_at(column).filter(|cell| !cell.is_empty()) else { return SortValue::Empty };
    let text = is_text_field(mapper);
    if let (CellValue::Number(value), false) = (cell.value(), text) {
        return SortValue::Number(value);
    }
    let read = mapper
        .filter(|_| !text)
        .and_then(|(mapper, target)| mapper.read(row, target)?.ok().as_ref().and_then(sort_number));
    if let Some(value) = read.or_else(|| number_without_field(cell, mapper.is_none())) {
        return SortValue::Number(value);
    }
    text_value(cell)
}

fn is_text_field(mapper: Option<(&RowMapper<'_>, usize)>) -> bool {
    mapper
        .and_then(|(mapper, target)| mapper.targets.fields.get(target))
        .is_some_and(|field| field.kind == FieldKind::Text)
}

/// Returns a number that orders values of one kind.
fn sort_number(read: &ReadValue<'_>) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "only compared; what is that large is the same to a person")]
    match read {
        ReadValue::Text(_) => None,
        ReadValue::Integer(value) => Some(*value as f64),
        ReadValue::Number(value) => Some(*value),
        ReadValue::Boolean(value) => Some(f64::from(u8::from(*value))),
        ReadValue::DateTime(written) => {
            Some(to_seconds(written.at) - f64::from(written.offset.unwrap_or_default()) * 60.0)
        }
        ReadValue::Duration(ticks) => Some(*ticks as f64),
    }
}

/// Returns a number for a date-time or duration in a column without a field.
fn number_without_field(cell: CellRef<'_>, wanted: bool) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "only compared")]
    match cell.value() {
        CellValue::DateTime(at) if wanted => Some(to_seconds(at)),
        CellValue::Duration(ticks) if wanted => Some(ticks as f64),
        _ => None,
    }
}

fn to_seconds(at: jiff::civil::DateTime) -> f64 {
    at.duration_since(jiff::civil::DateTime::constant(1970, 1, 1, 0, 0, 0, 0)).as_secs_f64()
}

/// Like [`to_seconds`], from a cell's milliseconds. The results are equal, since dates from texts are sorted among
/// them.
#[expect(clippy::cast_precision_loss, reason = "less than 2^53")]
fn milliseconds_to_seconds(milliseconds: i64) -> f64 {
    (milliseconds / 1000) as f64 + (milliseconds % 1000 * 1_000_000) as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use jiff::civil::{Date, DateTime};
    use takt_contract::Contract;
    use takt_sheet::{Cell, Rows, SheetRow};

    use super::*;
    use crate::{
        column_layout::ColumnLayout, fix::Overlay, mapping::MappingRules, matching::Vocabulary,
        reference_checks::ReferenceChecks, target::TargetFields,
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
    const FIRST_PLAIN_COLUMN: usize = 7;

    struct Random(u64);

    impl Random {
        fn number_below(&mut self, below: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % below
        }

        fn pick_text(&mut self, texts: &[&str]) -> Cell {
            Cell::text(texts[self.number_below(texts.len() as u64) as usize])
        }

        fn text(&mut self) -> String {
            match self.number_below(8) {
                0 => format!("Frame assembly {:03}", self.number_below(400)),
                1 => format!("Frame assembly of a very long name {}", self.number_below(300)),
                2 => format!("frame assembly Ö{}", self.number_below(9)),
                3 => "Frame assembly\0".repeat(1 + self.number_below(2) as usize),
                4 => "Frame assembly aB".repeat(1 + self.number_below(4) as usize),
                5 => format!(" FRAME assembly {}", "a".repeat(self.number_below(40) as usize)),
                6 => format!("Frame assembly {}", ["é", "É", "İ", "Σ", "ßẞ"][self.number_below(5) as usize]),
                _ => "Frame assembly".to_owned(),
            }
        }

        fn date_time(&mut self) -> Cell {
            let begin = DateTime::constant(1969, 12, 30, 0, 0, 0, 0);
            Cell::date_time(begin + jiff::Span::new().milliseconds(self.number_below(3_000) as i64 * 250_001))
        }

        fn duration(&mut self) -> Cell {
            Cell::duration(self.number_below(500) as i64 * 90_000_001 - 9_000_000_000)
        }

        fn cells(&mut self) -> Vec<Cell> {
            let odd = |random: &mut Self| match random.number_below(6) {
                0 => Cell::default(),
                1 => Cell::text(format!("x{}", random.number_below(5))),
                2 => Cell::boolean(random.number_below(2) == 0),
                3 => random.pick_text(&["  ", "1,5", "2036-01-02", "2.1.1970", "1:30", "2 h", "yes", "nein", "#"]),
                4 => [Self::date_time, Self::duration][random.number_below(2) as usize](random),
                _ => Cell::number(random.number_below(100) as f64 / 3.0 - 15.0),
            };
            let number = |random: &mut Self| Cell::number(random.number_below(300) as f64 / 4.0 - 20.0);
            let mut usual: [&mut dyn FnMut(&mut Self) -> Cell; 6] = [
                &mut |random| Cell::text(random.text()),
                &mut |random| number(random),
                &mut |random| random.date_time(),
                &mut |random| random.duration(),
                &mut |random| Cell::boolean(random.number_below(2) == 0),
                &mut |random| odd(random),
            ];
            let odd_or_usual =
                usual.iter_mut().map(|usual| if self.number_below(4) == 0 { odd(self) } else { usual(self) });
            let mut cells: Vec<Cell> = odd_or_usual.collect();
            cells.resize(FIRST_PLAIN_COLUMN, Cell::default());
            cells
        }

        /// Returns texts with different patterns: ascending, random, repeated, with gaps, and non-ASCII.
        fn plain_texts(&mut self, number: u32) -> [Cell; HEADINGS.len() - FIRST_PLAIN_COLUMN] {
            let same = ["The same text many times", "the SAME text", "Other"][(number / 1_500 % 3) as usize];
            let note = ["Deburr all edges", "customer collects", "x"][self.number_below(3) as usize];
            let note = Cell::text(format!("{note}, see drawing {}", self.number_below(2_000)));
            [
                Cell::text(format!("WO-{}", 1_000_000 + u64::from(number) * 137)),
                Cell::text(format!("Frame assembly {:06}", self.number_below(900))),
                Cell::text(if number == 6_500 { "a".to_owned() } else { format!("{same}{}", self.number_below(2)) }),
                if self.number_below(10) < 6 { Cell::default() } else { note },
                Cell::text(format!("Größe {}", self.number_below(700))),
            ]
        }
    }

    /// Sorts all values at once, as the reference.
    fn reference_order(rows: RowSpan<'_>, mapper: Option<&RowMapper<'_>>, column: u32, descending: bool) -> Vec<u32> {
        let rank = |value: &SortValue<'_>| match value {
            SortValue::Number(_) => 0,
            SortValue::Text(_) => 1,
            SortValue::Empty => 2,
        };
        let target =
            |mapper: &RowMapper<'_>| mapper.layout.columns.iter().position(|&filled_by| filled_by == Some(column));
        let mapper = mapper.and_then(|mapper| Some((mapper, target(mapper)?)));
        let all: Vec<SheetRow> = rows.iter().collect();
        let mut keyed: Vec<(u32, SortValue<'_>)> =
            (0..).zip(all.iter().map(|row| sort_value(row, column, mapper))).collect();
        keyed.sort_by(|(_, a), (_, b)| {
            let turned = |order: Ordering| if descending { order.reverse() } else { order };
            match (a, b) {
                (SortValue::Empty, _) | (_, SortValue::Empty) => rank(a).cmp(&rank(b)),
                (SortValue::Number(a), SortValue::Number(b)) => turned(a.total_cmp(b)),
                (SortValue::Text(a), SortValue::Text(b)) => turned(a.to_lowercase().cmp(&b.to_lowercase())),
                _ => turned(rank(a).cmp(&rank(b))),
            }
        });
        keyed.into_iter().map(|(position, _)| position).collect()
    }

    /// Compares random pages of all rows and of some rows with the reference.
    fn compare_pages(rows: RowSpan<'_>, mapper: Option<&RowMapper<'_>>, random: &mut Random) {
        let columns = u32::try_from(HEADINGS.len()).unwrap();
        for (column, descending) in (0..columns).flat_map(|column| [(column, false), (column, true)]) {
            let expected = reference_order(rows, mapper, column, descending);
            let mut sorted = SortedPositions::new(None, rows, mapper, column, descending);
            assert_eq!(sorted.len(), rows.len());
            for _ in 0..40 {
                let (offset, limit) =
                    (random.number_below(u64::from(ROWS) + 90) as usize, random.number_below(300) as usize);
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
        let mut random = Random(SEED);
        let row = |number| {
            let mut cells = random.cells();
            cells.extend(random.plain_texts(number));
            SheetRow { number, cells, hidden: number % 9 == 0 }
        };
        let mut all = Rows::from_rows((1..=ROWS).map(row));
        let unchanged = all.clone();
        all.replace_cell(77, 0, Cell::text("Frame assembly fixed"));
        all.replace_cell(78, 2, Cell::number(5.0));
        all.replace_cell(79, 20, Cell::text("beyond"));
        compare_pages(unchanged.span_from(0), None, &mut random);
        let contract = Contract::builtin().unwrap();
        let mut targets = TargetFields::from_operation(contract.operation("work-orders.sync").unwrap()).unwrap();
        targets.add_property(HEADINGS[4], HEADINGS[4]);
        let headings = HEADINGS.map(str::to_owned);
        let matches = Vocabulary::new(&targets).match_headings(&headings);
        let (overlay, reference_checks) = (Overlay::default(), ReferenceChecks::default());
        for leaves_out in [false, true] {
            if leaves_out {
                all.retain(|_, hidden| !hidden);
            }
            let rows = all.span_from(5);
            compare_pages(rows, None, &mut random);
            let (rules, today) = (MappingRules::default(), Date::constant(2036, 1, 1));
            let layout = ColumnLayout::new(&targets, &matches, &rules, &headings, rows, &overlay, today);
            assert_eq!(layout.columns.iter().flatten().count(), 5, "each heading fills a field");
            let mapper = RowMapper {
                targets: &targets,
                layout: &layout,
                overlay: &overlay,
                reference_checks: &reference_checks,
            };
            compare_pages(rows, Some(&mapper), &mut random);
        }
    }
}
