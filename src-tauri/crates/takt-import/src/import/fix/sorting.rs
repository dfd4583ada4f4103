//! Rows in the order of a column's values, worked out as far as it is looked at: a page of a million rows needs no sorted
//! million.

use std::{borrow::Cow, cmp::Ordering};

use takt_contract::FieldKind;
use takt_sheet::{CellRef, CellValue, Part, RowSpan};

use super::super::{RowSort, check::Plan, reading::ReadValue, row::RowCells};

/// Bytes of a text that are compared before the text itself is.
const HEAD: usize = 15;
/// In the place of a length: the text goes on.
const LONGER: u8 = 16;
/// Where the kind of a value stands beside the number of its text.
const KIND: u32 = 30;

/// Positions in order.
#[derive(Debug)]
pub(crate) struct SortedPositions {
    keys: Vec<Key>,
    /// Whatever lies before a cut comes before what lies behind it. Ascending.
    cuts: Vec<usize>,
    texts: Texts,
}

/// What a row is sorted by, smaller first, whatever the direction.
#[derive(Debug, Clone, Copy)]
struct Key {
    head: [u64; 2],
    position: u32,
    /// The kind, and for a long text its place among [`Texts`].
    tag: u32,
}

/// Texts in small letters; those of a part stand one after the other.
#[derive(Debug, Default)]
struct Texts {
    descending: bool,
    parts: Vec<String>,
    /// Part, beginning and end of each long text.
    long: Vec<[u32; 3]>,
}

/// What a cell is sorted by. What can't be read comes after what can.
enum Value<'r> {
    Number(f64),
    Text(Cow<'r, str>),
    Empty,
}

/// The values of a part's rows.
#[derive(Debug, Default)]
struct PartValues {
    rows: Vec<(u32, PartValue)>,
    text: String,
    /// Bytes that all texts begin with.
    common: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
enum PartValue {
    Number(f64),
    Text(u32, u32),
    Empty,
}

impl SortedPositions {
    /// Of these rows (of all where absent), ascending; rows of one value keep the sheet's order.
    pub(crate) fn new(
        only: Option<&[u32]>,
        rows: RowSpan<'_>,
        plan: Option<&Plan<'_>>,
        (column, descending): (u32, bool),
    ) -> Self {
        let target = plan.and_then(|plan| plan.layout.columns.iter().position(|&filled_by| filled_by == Some(column)));
        let plan = plan.zip(target);
        let mut columns = plan.map(|(plan, target)| plan.columns_of(target)).unwrap_or_default();
        columns.push(column);
        let found = rows.parts(&columns, |part| PartValues::of(part, only, column, plan));
        let mut texts = Texts { descending, ..Texts::default() };
        let keys = texts.take(found);
        Self { cuts: vec![0, keys.len()], keys, texts }
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The positions of so many rows from an offset on.
    pub(crate) fn page(&mut self, offset: usize, limit: usize) -> Vec<u32> {
        let start = offset.min(self.keys.len());
        let end = start.saturating_add(limit).min(self.keys.len());
        self.cut(start);
        self.cut(end);
        let Self { keys, texts, .. } = self;
        let Some(page) = keys.get_mut(start..end) else { return Vec::new() };
        page.sort_unstable_by(|a, b| texts.order(a, b));
        page.iter().map(|key| key.position).collect()
    }

    fn cut(&mut self, at: usize) {
        let Err(next) = self.cuts.binary_search(&at) else { return };
        let before = next.checked_sub(1).and_then(|before| self.cuts.get(before).copied()).unwrap_or_default();
        let behind = self.cuts.get(next).copied().unwrap_or(self.keys.len());
        let Self { keys, texts, cuts } = self;
        if let Some(between) = keys.get_mut(before..behind) {
            between.select_nth_unstable_by(at - before, |a, b| texts.order(a, b));
            cuts.insert(next, at);
        }
    }
}

/// By row number where no column is named.
pub(crate) fn is_reversed(sort: RowSort) -> bool {
    sort.column.is_none() && sort.descending
}

impl PartValues {
    fn of(part: &Part<'_>, only: Option<&[u32]>, column: u32, plan: Option<(&Plan<'_>, usize)>) -> Self {
        let mut found = Self::default();
        let first = u32::try_from(part.first()).unwrap_or(u32::MAX);
        let mut take = |at: usize, position: u32| {
            if let Some(row) = part.row(at) {
                found.push(position, &value(row, column, plan));
            }
        };
        match only {
            None => (0..part.len()).zip(first..).for_each(|(at, position)| take(at, position)),
            Some(only) => {
                let from = only.partition_point(|&position| position < first);
                let wanted = only.iter().skip(from).map(|&position| ((position - first) as usize, position));
                wanted.take_while(|(at, _)| *at < part.len()).for_each(|(at, position)| take(at, position));
            }
        }
        found
    }

    fn push(&mut self, position: u32, value: &Value<'_>) {
        let value = match value {
            Value::Number(number) => PartValue::Number(*number),
            Value::Empty => PartValue::Empty,
            Value::Text(text) => {
                let start = self.text.len();
                if text.is_ascii() {
                    self.text.push_str(text);
                    self.text.get_mut(start..).unwrap_or_default().make_ascii_lowercase();
                } else {
                    self.text.push_str(&text.to_lowercase());
                }
                self.narrow(start);
                let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
                PartValue::Text(place(start), place(self.text.len()))
            }
        };
        self.rows.push((position, value));
    }

    /// The text that was put last may have less in common with the first one, which begins all.
    fn narrow(&mut self, start: usize) {
        let (first, text) = self.text.split_at(start);
        self.common = Some(match self.common {
            None => text.len(),
            Some(common) => in_common(first.as_bytes().get(..common).unwrap_or_default(), text.as_bytes()),
        });
    }

    fn prefix(&self) -> Option<&[u8]> {
        self.text.as_bytes().get(..self.common?)
    }
}

fn in_common(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

impl Texts {
    fn take(&mut self, found: Vec<PartValues>) -> Vec<Key> {
        let mut prefixes = found.iter().filter_map(PartValues::prefix);
        let first = prefixes.next().unwrap_or_default();
        let common =
            prefixes.fold(first.len(), |common, prefix| in_common(first.get(..common).unwrap_or_default(), prefix));
        let mut keys = Vec::with_capacity(found.iter().map(|part| part.rows.len()).sum());
        for (number, part) in (0..).zip(found) {
            let bytes = part.text.as_bytes();
            for &(position, value) in &part.rows {
                let mut key = match value {
                    PartValue::Number(number) => Key::new(0, [in_order(number), 0]),
                    PartValue::Empty => Key::new(2, [0, 0]),
                    PartValue::Text(start, end) => {
                        let text = bytes.get(start as usize + common..end as usize).unwrap_or_default();
                        let mut key = Key::new(1, head(text));
                        if text.len() > HEAD {
                            key.tag |= u32::try_from(self.long.len()).unwrap_or(0) & ((1 << KIND) - 1);
                            self.long.push([number, start, end]);
                        }
                        key
                    }
                };
                key.position = position;
                keys.push(if self.descending { key.turned() } else { key });
            }
            self.parts.push(part.text);
        }
        if self.long.is_empty() {
            self.parts = Vec::new();
        }
        keys
    }

    fn order(&self, a: &Key, b: &Key) -> Ordering {
        let heads = (a.tag >> KIND, a.head).cmp(&(b.tag >> KIND, b.head));
        heads.then_with(|| self.whole(a, b)).then(a.position.cmp(&b.position))
    }

    /// Texts whose heads are the same.
    fn whole(&self, a: &Key, b: &Key) -> Ordering {
        let [_, tail] = a.head;
        let last = if self.descending { !tail } else { tail }.to_be_bytes()[7];
        if last != LONGER || a.tag >> KIND == 2 {
            return Ordering::Equal;
        }
        let order = self.text(a).cmp(self.text(b));
        if self.descending { order.reverse() } else { order }
    }

    fn text(&self, key: &Key) -> &[u8] {
        let place = self.long.get((key.tag & ((1 << KIND) - 1)) as usize);
        let found = place.and_then(|&[part, start, end]| {
            self.parts.get(part as usize)?.as_bytes().get(start as usize..end as usize)
        });
        found.unwrap_or_default()
    }
}

impl Key {
    fn new(kind: u32, head: [u64; 2]) -> Self {
        Self { head, position: 0, tag: kind << KIND }
    }

    /// The other direction: what is empty comes last all the same.
    fn turned(mut self) -> Self {
        let kind = self.tag >> KIND;
        if kind < 2 {
            self.tag ^= 1 << KIND;
            self.head = self.head.map(|part| !part);
        }
        self
    }
}

/// A text's first bytes, and its length where these are all.
fn head(text: &[u8]) -> [u64; 2] {
    let mut first = [0; HEAD + 1];
    first.iter_mut().zip(text.iter().take(HEAD)).for_each(|(place, byte)| *place = *byte);
    first[HEAD] = u8::try_from(text.len()).unwrap_or(LONGER).min(LONGER);
    let whole = u128::from_be_bytes(first);
    #[expect(clippy::cast_possible_truncation, reason = "both halves are taken")]
    [(whole >> 64) as u64, whole as u64]
}

/// A number as one that is ordered by its bits.
fn in_order(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

fn value<'r>(row: impl RowCells<'r>, column: u32, plan: Option<(&'r Plan<'r>, usize)>) -> Value<'r> {
    let Some(cell) = row.cell_at(column).filter(|cell| !cell.is_empty()) else { return Value::Empty };
    let text = is_text(plan);
    if let (CellValue::Number(value), false) = (cell.value(), text) {
        return Value::Number(value);
    }
    let read = plan.filter(|_| !text).and_then(|(plan, target)| plan.read(row, target)?.ok().as_ref().and_then(number));
    if let Some(value) = read.or_else(|| plain_number(cell, plan.is_none())) {
        return Value::Number(value);
    }
    let text = match cell.shown() {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    };
    if text.is_empty() { Value::Empty } else { Value::Text(text) }
}

fn is_text(plan: Option<(&Plan<'_>, usize)>) -> bool {
    plan.and_then(|(plan, target)| plan.targets.fields.get(target)).is_some_and(|field| field.kind == FieldKind::Text)
}

/// A value on the line on which its kind is ordered.
fn number(read: &ReadValue<'_>) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "only compared; what is that large is the same to a person")]
    match read {
        ReadValue::Text(_) => None,
        ReadValue::Integer(value) => Some(*value as f64),
        ReadValue::Number(value) => Some(*value),
        ReadValue::Boolean(value) => Some(f64::from(u8::from(*value))),
        ReadValue::DateTime(written) => {
            Some(seconds(written.at) - f64::from(written.offset.unwrap_or_default()) * 60.0)
        }
        ReadValue::Duration(ticks) => Some(*ticks as f64),
    }
}

/// A cell in a column that goes nowhere is ordered by its own kind.
fn plain_number(cell: CellRef<'_>, wanted: bool) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "only compared")]
    match cell.value() {
        CellValue::DateTime(at) if wanted => Some(seconds(at)),
        CellValue::Duration(ticks) if wanted => Some(ticks as f64),
        _ => None,
    }
}

fn seconds(at: jiff::civil::DateTime) -> f64 {
    at.duration_since(jiff::civil::DateTime::constant(1970, 1, 1, 0, 0, 0, 0)).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use takt_sheet::{Cell, Rows, SheetRow};

    use super::*;

    /// The plain way: all values, sorted as a whole.
    fn plainly(rows: RowSpan<'_>, column: u32, descending: bool) -> Vec<u32> {
        let rank = |value: &Value<'_>| match value {
            Value::Number(_) => 0,
            Value::Text(_) => 1,
            Value::Empty => 2,
        };
        let all: Vec<SheetRow> = rows.iter().collect();
        let mut keyed: Vec<(u32, Value<'_>)> = (0..).zip(all.iter().map(|row| value(row, column, None))).collect();
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

    #[test]
    fn pages_are_those_of_the_whole_order() {
        let mut state = 3_u64;
        println!("seed {state}");
        let mut next = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let texts = |next: &mut dyn FnMut(u64) -> u64| match next(5) {
            0 => format!("Frame assembly {:03}", next(400)),
            1 => format!("Frame assembly of a very long name {}", next(300)),
            2 => format!("frame assembly Ö{}", next(9)),
            3 => "Frame assembly\0".repeat(1 + next(2) as usize),
            _ => "Frame assembly".to_owned(),
        };
        let mut row = |number| SheetRow {
            number,
            cells: vec![
                Cell::text(texts(&mut next)),
                match next(4) {
                    0 => Cell::default(),
                    1 => Cell::text(format!("x{}", next(5))),
                    2 => Cell::boolean(next(2) == 0),
                    _ => Cell::number(next(100) as f64 - 50.0),
                },
            ],
            hidden: false,
        };
        let rows = Rows::of((1..7_000).map(&mut row));
        let rows = rows.below(5);
        for (column, descending) in [(0, false), (0, true), (1, false), (1, true), (7, true)] {
            let expected = plainly(rows, column, descending);
            let mut sorted = SortedPositions::new(None, rows, None, (column, descending));
            for offset in [6_000, 100, 0, 3_000, 3_050, 6_950, 9_000] {
                let wanted: Vec<u32> = expected.iter().skip(offset).take(100).copied().collect();
                assert_eq!(sorted.page(offset, 100), wanted, "column {column} at {offset}");
            }
            let only: Vec<u32> = (0..6_994).filter(|position| position % 7 == 3).collect();
            let mut some = SortedPositions::new(Some(&only), rows, None, (column, descending));
            let wanted: Vec<u32> = expected.into_iter().filter(|position| position % 7 == 3).collect();
            assert_eq!(some.page(0, usize::MAX), wanted);
        }
    }
}
