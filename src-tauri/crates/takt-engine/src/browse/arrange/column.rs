//! The values of one column of a set: read out of the rows once, kept, and ranked once.

use std::{
    collections::HashMap,
    fmt,
    ops::Range,
    panic::resume_unwind,
    sync::{Arc, OnceLock},
    thread,
};

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use takt_contract::{FieldKind, wire};

use super::{Arranged, Arrangement, ValueCount, natural, sift::wall};
use crate::browse::{RowSet, set::BLOCK};

/// Columns that a set keeps; the one that wasn't used for longest goes first.
const MOST_COLUMNS: usize = 12;
/// Bytes of a text that a column keeps.
const MOST_TEXT: usize = 1_000;
/// The rank of an empty cell.
pub(super) const EMPTY: u32 = u32::MAX;

/// A value as it is sorted and tested.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Empty,
    /// Numbers, ticks, parts of a list, microseconds of the wall's time, and 0 and 1; with how it reads.
    Number(f64),
    Time(f64, Box<str>),
    Text(Box<str>),
    /// The front of a longer text.
    Cut(Box<str>),
}

impl Cell {
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) | Self::Time(number, _) => Some(*number),
            Self::Empty | Self::Text(_) | Self::Cut(_) => None,
        }
    }

    pub(super) fn text(&self) -> std::borrow::Cow<'_, str> {
        match self {
            Self::Empty => "".into(),
            Self::Number(number) => number.to_string().into(),
            Self::Time(_, text) | Self::Text(text) | Self::Cut(text) => (&**text).into(),
        }
    }
}

/// Where a column's values stand in a row, and what they are.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    name: String,
    path: Vec<String>,
    kind: Option<FieldKind>,
    zone: TimeZone,
}

impl Wanted {
    pub(super) fn new(name: &str, path: Vec<String>, kind: Option<FieldKind>, zone: &TimeZone) -> Self {
        Self { name: name.to_owned(), path, kind, zone: zone.clone() }
    }

    pub(super) fn find<'a>(&self, row: &'a Value) -> Option<&'a Value> {
        self.path.iter().try_fold(row, |value, name| value.get(name))
    }

    fn cell(&self, value: &Value) -> Cell {
        match value {
            Value::Null => Cell::Empty,
            Value::Bool(truth) => Cell::Number(f64::from(u8::from(*truth))),
            Value::Number(number) => number.as_f64().map_or(Cell::Empty, Cell::Number),
            Value::String(text) => self.cell_of_text(text),
            Value::Array(parts) if parts.is_empty() => Cell::Empty,
            Value::Array(parts) => Cell::Number(f64::from(u32::try_from(parts.len()).unwrap_or(u32::MAX))),
            Value::Object(_) => match value.get("ticks").and_then(Value::as_f64) {
                Some(ticks) if self.kind == Some(FieldKind::TimeSpan) => Cell::Number(ticks),
                _ => text_cell(&value.to_string()),
            },
        }
    }

    fn cell_of_text(&self, text: &str) -> Cell {
        match self.kind {
            Some(FieldKind::DateTime) => match self.wall_time(text) {
                Some(moment) => Cell::Time(wall(moment), text.into()),
                None => text_cell(text),
            },
            #[expect(clippy::cast_precision_loss, reason = "900 years in ticks are whole in a float")]
            Some(FieldKind::Duration | FieldKind::TimeSpan) => {
                wire::duration::parse_ticks(text).map_or_else(|| text_cell(text), |ticks| Cell::Number(ticks as f64))
            }
            _ => text_cell(text),
        }
    }

    fn wall_time(&self, text: &str) -> Option<DateTime> {
        let has_offset = text.get(10..).is_some_and(|rest| rest.ends_with(['Z', 'z']) || rest.contains(['+', '-']));
        if has_offset {
            return text.parse::<Timestamp>().ok().map(|moment| self.zone.to_datetime(moment));
        }
        text.parse().ok()
    }
}

fn text_cell(text: &str) -> Cell {
    if text.trim().is_empty() {
        return Cell::Empty;
    }
    if text.len() <= MOST_TEXT {
        return Cell::Text(text.into());
    }
    Cell::Cut(text.get(..text.floor_char_boundary(MOST_TEXT)).unwrap_or_default().into())
}

/// One column of a set, as long as the set was when it was read.
#[derive(Debug)]
pub(super) struct Column {
    wanted: Wanted,
    cells: Vec<Cell>,
    ranks: OnceLock<Arc<[u32]>>,
}

impl Column {
    pub(super) fn wanted(&self) -> &Wanted {
        &self.wanted
    }

    pub(super) fn cell(&self, at: u32) -> &Cell {
        self.cells.get(at as usize).unwrap_or(&Cell::Empty)
    }

    /// For each row the place of its value among all values; the same for the same value.
    pub(super) fn ranks(&self) -> Arc<[u32]> {
        Arc::clone(self.ranks.get_or_init(|| ranked(&self.cells)))
    }

    pub(super) fn values(&self, most: usize) -> Vec<ValueCount> {
        let mut counted: HashMap<std::borrow::Cow<'_, str>, u32> = HashMap::new();
        for cell in self.cells.iter().filter(|cell| !matches!(cell, Cell::Empty | Cell::Cut(_))) {
            *counted.entry(cell.text()).or_default() += 1;
        }
        let mut values: Vec<ValueCount> =
            counted.into_iter().map(|(text, rows)| ValueCount { text: text.into_owned(), rows }).collect();
        values.sort_by(|a, b| b.rows.cmp(&a.rows).then_with(|| a.text.cmp(&b.text)));
        values.truncate(most);
        values.sort_by_cached_key(|value| (natural::key(&value.text), value.text.clone()));
        values
    }
}

/// Numbers come before texts; those by their natural order, and alike ones by how they are written.
fn ranked(cells: &[Cell]) -> Arc<[u32]> {
    let mut keyed: Vec<(Option<f64>, Vec<u8>, u32)> = Vec::with_capacity(cells.len());
    for (at, cell) in cells.iter().enumerate() {
        let at = super::position(at);
        match cell {
            Cell::Empty => {}
            Cell::Number(number) | Cell::Time(number, _) => keyed.push((Some(*number), Vec::new(), at)),
            Cell::Text(text) | Cell::Cut(text) => keyed.push((None, key_of(text), at)),
        }
    }
    keyed.sort_unstable_by(|a, b| compare(a, b).then(a.2.cmp(&b.2)));
    let mut ranks = vec![EMPTY; cells.len()];
    let mut rank = 0;
    for (place, one) in keyed.iter().enumerate() {
        if place > 0 && keyed.get(place - 1).is_some_and(|before| compare(before, one).is_ne()) {
            rank += 1;
        }
        if let Some(slot) = ranks.get_mut(one.2 as usize) {
            *slot = rank;
        }
    }
    ranks.into()
}

fn key_of(text: &str) -> Vec<u8> {
    let mut key = natural::key(text);
    key.push(0);
    key.extend(text.bytes());
    key
}

fn compare(a: &(Option<f64>, Vec<u8>, u32), b: &(Option<f64>, Vec<u8>, u32)) -> std::cmp::Ordering {
    match (a.0, b.0) {
        (Some(first), Some(second)) => first.total_cmp(&second),
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (None, None) => a.1.cmp(&b.1),
    }
}

/// What a set keeps for its tables: columns, and the last arrangement.
#[derive(Debug, Default)]
pub(in crate::browse) struct Kept {
    /// The one used last stands last.
    columns: Vec<Arc<Column>>,
    last: Option<(Arrangement, Arranged)>,
}

impl Kept {
    pub(super) fn last(&self, arrangement: &Arrangement, of: usize) -> Option<Arranged> {
        let (asked, found) = self.last.as_ref()?;
        (asked == arrangement && found.of == of).then(|| found.clone())
    }

    pub(super) fn keep(&mut self, arrangement: &Arrangement, found: &Arranged) {
        self.last = Some((arrangement.clone(), found.clone()));
    }

    /// The columns that are wanted, each `of` rows long. Rows that came since a column was read are read now.
    pub(super) fn columns(&mut self, set: &RowSet, wanted: &[Wanted], of: usize) -> Vec<Arc<Column>> {
        let mut found: HashMap<String, Arc<Column>> = HashMap::new();
        let mut missing: Vec<Wanted> = Vec::new();
        for one in wanted {
            if found.contains_key(&one.name) || missing.iter().any(|other| other.name == one.name) {
                continue;
            }
            let place = self.columns.iter().position(|column| column.wanted.name == one.name);
            match place.map(|place| self.columns.remove(place)) {
                Some(column) if column.cells.len() >= of => {
                    self.columns.push(Arc::clone(&column));
                    found.insert(one.name.clone(), column);
                }
                _ => missing.push(one.clone()),
            }
        }
        for column in read(set, &missing, of) {
            let column = Arc::new(column);
            self.columns.push(Arc::clone(&column));
            found.insert(column.wanted.name.clone(), column);
        }
        let over = self.columns.len().saturating_sub(MOST_COLUMNS);
        self.columns.drain(..over);
        wanted.iter().filter_map(|one| found.get(&one.name).cloned()).collect()
    }
}

/// Reads columns out of the first `of` rows, in one go through the rows.
fn read(set: &RowSet, wanted: &[Wanted], of: usize) -> Vec<Column> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let part = |range: Range<usize>| {
        let mut columns: Vec<Vec<Cell>> = wanted.iter().map(|_| Vec::with_capacity(range.len())).collect();
        set.walk(range, |_, text| {
            let mut row = serde_json::Deserializer::from_str(text);
            let cells = Picked(wanted).deserialize(&mut row).unwrap_or_else(|_| vec![Cell::Empty; wanted.len()]);
            columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
        });
        columns
    };
    let mut whole: Vec<Vec<Cell>> = wanted.iter().map(|_| Vec::with_capacity(of)).collect();
    for columns in in_parallel(0..of, part) {
        whole.iter_mut().zip(columns).for_each(|(cells, part)| cells.extend(part));
    }
    let made = wanted.iter().zip(whole);
    made.map(|(wanted, cells)| Column { wanted: wanted.clone(), cells, ranks: OnceLock::new() }).collect()
}

/// Work on rows in as many parts as there are processors; the parts come back in their order.
pub(super) fn in_parallel<T: Send>(rows: Range<usize>, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let hands = thread::available_parallelism().map_or(1, usize::from);
    let blocks = rows.len().div_ceil(BLOCK).div_ceil(hands).max(1);
    let begin = rows.start / BLOCK * BLOCK;
    let parts: Vec<Range<usize>> = (begin..rows.end)
        .step_by(blocks * BLOCK)
        .map(|first| first.max(rows.start)..(first + blocks * BLOCK).min(rows.end))
        .collect();
    if parts.len() < 2 {
        return parts.into_iter().map(work).collect();
    }
    let work = &work;
    thread::scope(|scope| {
        let hands: Vec<_> = parts.into_iter().map(|part| scope.spawn(move || work(part))).collect();
        hands.into_iter().map(|hand| hand.join().unwrap_or_else(|cause| resume_unwind(cause))).collect()
    })
}

/// Reads of a row only the members that are wanted.
struct Picked<'a>(&'a [Wanted]);

impl<'de> DeserializeSeed<'de> for Picked<'_> {
    type Value = Vec<Cell>;

    fn deserialize<D: Deserializer<'de>>(self, row: D) -> Result<Vec<Cell>, D::Error> {
        row.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Picked<'_> {
    type Value = Vec<Cell>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Vec<Cell>, A::Error> {
        let mut cells = vec![Cell::Empty; self.0.len()];
        while let Some(name) = members.next_key::<std::borrow::Cow<'de, str>>()? {
            let of_name = |wanted: &Wanted| wanted.path.first().is_some_and(|first| *first == name);
            if !self.0.iter().any(of_name) {
                members.next_value::<IgnoredAny>()?;
                continue;
            }
            let value: Value = members.next_value()?;
            for (wanted, cell) in self.0.iter().zip(&mut cells).filter(|(wanted, _)| of_name(wanted)) {
                let found = wanted.path.iter().skip(1).try_fold(&value, |value, name| value.get(name));
                *cell = found.map_or(Cell::Empty, |value| wanted.cell(value));
            }
        }
        Ok(cells)
    }
}
