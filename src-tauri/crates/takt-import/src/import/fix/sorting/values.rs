//! What the cells of a column are sorted by: as their field reads them, else as they show.

use std::borrow::Cow;

use takt_contract::FieldKind;
use takt_sheet::{CellKind, CellRef, CellValue, Part};

use super::{keys::Key, texts::PartTexts};
use crate::import::{check::Plan, reading::ReadValue, row::RowCells};

/// Milliseconds of the years 1 to 9999, seen from 1970.
const YEARS: std::ops::Range<i64> = -62_135_596_800_000..253_402_300_800_000;

/// What a cell is sorted by. What can't be read comes after what can.
pub(super) enum Value<'r> {
    Number(f64),
    Text(Cow<'r, str>),
    Empty,
}

/// Reads the cells of a column.
pub(super) struct Reader<'a> {
    column: u32,
    /// With the target that the column fills.
    plan: Option<(&'a Plan<'a>, usize)>,
    way: Way,
}

/// How most cells of a column are read; any other one is read like a single cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// All are texts.
    Text,
    /// All by their own kind.
    OwnKind,
    DateTime,
    Duration,
    Boolean,
    Other,
}

/// The values of a part's rows, each with its position.
#[derive(Debug, Default)]
pub(super) struct PartValues {
    pub(super) numbers: Vec<Key>,
    /// Where the texts stand.
    pub(super) texts: Vec<u32>,
    pub(super) lower: PartTexts,
    pub(super) empty: Vec<u32>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(column: u32, plan: Option<&'a Plan<'a>>) -> Self {
        let target = plan.and_then(|plan| plan.layout.columns.iter().position(|&filled_by| filled_by == Some(column)));
        let plan = plan.zip(target);
        Self { column, plan, way: Way::of(plan) }
    }

    /// All columns that it looks at.
    pub(super) fn columns(&self) -> Vec<u32> {
        let mut columns = self.plan.map(|(plan, target)| plan.columns_of(target)).unwrap_or_default();
        columns.push(self.column);
        columns
    }

    /// Of a row by its place in the part, with its cell in the column.
    fn value<'p>(&self, part: &'p Part<'p>, at: usize, cell: Option<CellRef<'p>>) -> Value<'p>
    where
        'a: 'p,
    {
        let Some(cell) = cell.filter(|cell| !cell.is_empty()) else { return Value::Empty };
        match (self.way, cell.kind()) {
            (Way::Text, _) => return shown(cell),
            (Way::OwnKind | Way::DateTime, CellKind::DateTime) => {
                if let Some(milliseconds) = cell.milliseconds().filter(|at| YEARS.contains(at)) {
                    return Value::Number(in_seconds(milliseconds));
                }
            }
            (Way::OwnKind, CellKind::Text) => return shown(cell),
            (Way::Boolean, CellKind::Boolean | CellKind::Text) => {
                if let Some(is) = boolean(cell) {
                    return Value::Number(f64::from(u8::from(is)));
                }
            }
            _ => {}
        }
        match cell.value() {
            CellValue::Number(value) => Value::Number(value),
            #[expect(clippy::cast_precision_loss, reason = "only compared")]
            CellValue::Duration(ticks) if matches!(self.way, Way::OwnKind | Way::Duration) => {
                Value::Number(ticks as f64)
            }
            _ => part.row(at).map_or(Value::Empty, |row| value(row, self.column, self.plan)),
        }
    }
}

impl Way {
    fn of(plan: Option<(&Plan<'_>, usize)>) -> Self {
        let Some((plan, target)) = plan else { return Self::OwnKind };
        let is_changed = plan
            .way(target)
            .is_some_and(|way| way.constant.is_some() || way.joined.is_some() || !way.values.is_empty());
        match plan.targets.fields.get(target).map(|field| field.kind) {
            Some(FieldKind::Text) => Self::Text,
            Some(FieldKind::DateTime) if !is_changed => Self::DateTime,
            Some(FieldKind::Boolean) if !is_changed => Self::Boolean,
            Some(FieldKind::Duration | FieldKind::TimeSpan) if !is_changed => Self::Duration,
            _ => Self::Other,
        }
    }
}

impl PartValues {
    pub(super) fn of(part: &Part<'_>, only: Option<&[u32]>, reader: &Reader<'_>) -> Self {
        if only.is_none()
            && matches!(reader.way, Way::Text | Way::OwnKind)
            && let Some(found) = Self::of_texts(part, reader.column)
        {
            return found;
        }
        let mut found = Self::default();
        let first = u32::try_from(part.first()).unwrap_or(u32::MAX);
        let mut wanted =
            only.map(|only| only.get(only.partition_point(|&position| position < first)..).unwrap_or_default());
        let mut at = 0;
        // Cells are handed over one by one: iterators that are zipped copy each of them.
        part.cells(reader.column).for_each(|cell| {
            let position = first.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
            let is_wanted = wanted.is_none_or(|wanted| wanted.first() == Some(&position));
            if is_wanted {
                wanted = wanted.and_then(|wanted| wanted.get(1..));
                found.push(position, &reader.value(part, at, cell), part.len());
            }
            at += 1;
        });
        found.lower.lower();
        found
    }

    /// Of a column that holds nothing but plain texts, all at once.
    fn of_texts(part: &Part<'_>, column: u32) -> Option<Self> {
        let texts = part.texts(column)?;
        let lower = PartTexts::of(texts.text(), texts.ends())?;
        let position = |row: usize| u32::try_from(part.first() + row).unwrap_or(u32::MAX);
        let mut found = Self { lower, ..Self::default() };
        found.texts.reserve_exact(texts.ends().len());
        found.empty.reserve_exact(part.len() - texts.ends().len());
        let mut next = 0;
        for row in texts.rows() {
            found.empty.extend((next..row).map(position));
            found.texts.push(position(row));
            next = row + 1;
        }
        found.empty.extend((next..part.len()).map(position));
        Some(found)
    }

    /// Of a part with so many rows.
    fn push(&mut self, position: u32, value: &Value<'_>, rows: usize) {
        match value {
            Value::Number(number) => {
                if self.numbers.is_empty() {
                    self.numbers.reserve_exact(rows);
                }
                self.numbers.push(Key { head: in_order(*number), position, text: 0 });
            }
            Value::Empty => self.empty.push(position),
            Value::Text(text) => {
                if self.texts.is_empty() {
                    self.texts.reserve_exact(rows);
                    self.lower.reserve(rows);
                }
                self.lower.push(text);
                self.texts.push(position);
            }
        }
    }
}

fn shown(cell: CellRef<'_>) -> Value<'_> {
    if let CellValue::Text(text) = cell.value()
        && let [first, .., last] = text.as_bytes()
        && first.is_ascii_graphic()
        && last.is_ascii_graphic()
    {
        return Value::Text(Cow::Borrowed(text));
    }
    let text = match cell.shown() {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    };
    if text.is_empty() { Value::Empty } else { Value::Text(text) }
}

/// As its field reads what programs export; absent for any other cell.
fn boolean(cell: CellRef<'_>) -> Option<bool> {
    match cell.value() {
        CellValue::Boolean(is) => Some(is),
        CellValue::Text(text) if text.eq_ignore_ascii_case("true") => Some(true),
        CellValue::Text(text) if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// A number as one that is ordered by its bits.
fn in_order(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

pub(super) fn value<'r>(row: impl RowCells<'r>, column: u32, plan: Option<(&'r Plan<'r>, usize)>) -> Value<'r> {
    let Some(cell) = row.cell_at(column).filter(|cell| !cell.is_empty()) else { return Value::Empty };
    let text = is_text(plan);
    if let (CellValue::Number(value), false) = (cell.value(), text) {
        return Value::Number(value);
    }
    let read = plan.filter(|_| !text).and_then(|(plan, target)| plan.read(row, target)?.ok().as_ref().and_then(number));
    if let Some(value) = read.or_else(|| plain_number(cell, plan.is_none())) {
        return Value::Number(value);
    }
    shown(cell)
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

/// The same from a cell's own count, and the very same number: dates from texts stand among them.
#[expect(clippy::cast_precision_loss, reason = "less than 2^53")]
fn in_seconds(milliseconds: i64) -> f64 {
    (milliseconds / 1000) as f64 + (milliseconds % 1000 * 1_000_000) as f64 / 1e9
}
