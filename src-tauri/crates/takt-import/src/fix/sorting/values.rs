//! The sort values of a column's cells, as their field reads them, otherwise as shown.

use std::borrow::Cow;

use takt_contract::FieldKind;
use takt_sheet::{CellKind, CellRef, CellValue, Part};

use super::{keys::SortKey, texts::PartTexts};
use crate::{reading::ReadValue, row::RowCells, row_mapper::RowMapper};

/// Milliseconds of the years 1 to 9999, relative to 1970.
const SUPPORTED_MILLISECONDS: std::ops::Range<i64> = -62_135_596_800_000..253_402_300_800_000;

/// The sort value of a cell. Unreadable cells come after readable ones.
pub(super) enum Value<'r> {
    Number(f64),
    Text(Cow<'r, str>),
    Empty,
}

/// Reads the cells of a column.
pub(super) struct Reader<'a> {
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

/// The values of a part's rows, each with its position.
#[derive(Debug, Default)]
pub(super) struct PartValues {
    pub(super) numbers: Vec<SortKey>,
    /// Positions of the texts.
    pub(super) texts: Vec<u32>,
    pub(super) lower: PartTexts,
    pub(super) empty: Vec<u32>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(column: u32, mapper: Option<&'a RowMapper<'a>>) -> Self {
        let target =
            mapper.and_then(|mapper| mapper.layout.columns.iter().position(|&filled_by| filled_by == Some(column)));
        let mapper = mapper.zip(target);
        Self { column, mapper, mode: ReadMode::new(mapper) }
    }

    /// Returns all columns that are read.
    pub(super) fn columns(&self) -> Vec<u32> {
        let mut columns = self.mapper.map(|(mapper, target)| mapper.columns_of(target)).unwrap_or_default();
        columns.push(self.column);
        columns
    }

    /// Returns the value of a row, given its index in the part and its cell.
    fn value<'p>(&self, part: &'p Part<'p>, at: usize, cell: Option<CellRef<'p>>) -> Value<'p>
    where
        'a: 'p,
    {
        let Some(cell) = cell.filter(|cell| !cell.is_empty()) else { return Value::Empty };
        match (self.mode, cell.kind()) {
            (ReadMode::Text, _) => return text_value(cell),
            (ReadMode::OwnKind | ReadMode::DateTime, CellKind::DateTime) => {
                if let Some(milliseconds) = cell.milliseconds().filter(|at| SUPPORTED_MILLISECONDS.contains(at)) {
                    return Value::Number(in_seconds(milliseconds));
                }
            }
            (ReadMode::OwnKind, CellKind::Text) => return text_value(cell),
            (ReadMode::Boolean, CellKind::Boolean | CellKind::Text) => {
                if let Some(is) = boolean(cell) {
                    return Value::Number(f64::from(u8::from(is)));
                }
            }
            _ => {}
        }
        match cell.value() {
            CellValue::Number(value) => Value::Number(value),
            #[expect(clippy::cast_precision_loss, reason = "only compared")]
            CellValue::Duration(ticks) if matches!(self.mode, ReadMode::OwnKind | ReadMode::Duration) => {
                Value::Number(ticks as f64)
            }
            _ => part.row(at).map_or(Value::Empty, |row| value(row, self.column, self.mapper)),
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

impl PartValues {
    pub(super) fn read(part: &Part<'_>, only: Option<&[u32]>, reader: &Reader<'_>) -> Self {
        if only.is_none()
            && matches!(reader.mode, ReadMode::Text | ReadMode::OwnKind)
            && let Some(found) = Self::read_texts(part, reader.column)
        {
            return found;
        }
        let mut found = Self::default();
        let first = u32::try_from(part.first()).unwrap_or(u32::MAX);
        let mut wanted =
            only.map(|only| only.get(only.partition_point(|&position| position < first)..).unwrap_or_default());
        let mut at = 0;
        // `for_each`, since zipped iterators copy each cell.
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

    /// Reads a column of plain texts at once. Returns `None` for other columns.
    fn read_texts(part: &Part<'_>, column: u32) -> Option<Self> {
        let texts = part.texts(column)?;
        let lower = PartTexts::from_ascii(texts.text(), texts.ends())?;
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

    /// Adds a value. `rows` is the number of rows in the part.
    fn push(&mut self, position: u32, value: &Value<'_>, rows: usize) {
        match value {
            Value::Number(number) => {
                if self.numbers.is_empty() {
                    self.numbers.reserve_exact(rows);
                }
                self.numbers.push(SortKey { head: sortable_bits(*number), position, text: 0 });
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

fn text_value(cell: CellRef<'_>) -> Value<'_> {
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

/// Reads a boolean as programs export it. Returns `None` for any other cell.
fn boolean(cell: CellRef<'_>) -> Option<bool> {
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

pub(super) fn value<'r>(row: impl RowCells<'r>, column: u32, mapper: Option<(&'r RowMapper<'r>, usize)>) -> Value<'r> {
    let Some(cell) = row.cell_at(column).filter(|cell| !cell.is_empty()) else { return Value::Empty };
    let text = is_text(mapper);
    if let (CellValue::Number(value), false) = (cell.value(), text) {
        return Value::Number(value);
    }
    let read = mapper
        .filter(|_| !text)
        .and_then(|(mapper, target)| mapper.read(row, target)?.ok().as_ref().and_then(sort_number));
    if let Some(value) = read.or_else(|| plain_number(cell, mapper.is_none())) {
        return Value::Number(value);
    }
    text_value(cell)
}

fn is_text(mapper: Option<(&RowMapper<'_>, usize)>) -> bool {
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
            Some(seconds(written.at) - f64::from(written.offset.unwrap_or_default()) * 60.0)
        }
        ReadValue::Duration(ticks) => Some(*ticks as f64),
    }
}

/// Returns a number for a date-time or duration in a column without a field.
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

/// Like [`seconds`], from a cell's milliseconds. The results are equal, since dates from texts are sorted among them.
#[expect(clippy::cast_precision_loss, reason = "less than 2^53")]
fn in_seconds(milliseconds: i64) -> f64 {
    (milliseconds / 1000) as f64 + (milliseconds % 1000 * 1_000_000) as f64 / 1e9
}
