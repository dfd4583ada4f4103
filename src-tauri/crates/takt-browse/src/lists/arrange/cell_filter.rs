//! Finds the rows that pass a filter, or that contain a text.

use std::collections::HashSet;
use std::ops::Range;

use jiff::civil::{Date, DateTime};
use serde_json::Value;

use crate::lists::arrange::cell::{Cell, local_micros};
use crate::lists::arrange::column::Column;
use crate::lists::arrange::column_reader::map_in_parallel;
use crate::lists::arrangement::Test;
use crate::lists::row_set::RowSet;

/// A test prepared for many cells.
pub(super) enum CellFilter {
    Contains(String),
    Lacks(String),
    OneOf(HashSet<String>),
    Empty,
    Filled,
    /// From and to, both included.
    Between(f64, f64),
}

impl CellFilter {
    pub(super) fn new(test: &Test) -> Self {
        match test {
            Test::Contains { text } => Self::Contains(lowercase(text.trim())),
            Test::Lacks { text } => Self::Lacks(lowercase(text.trim())),
            Test::Equals { text } => Self::OneOf(HashSet::from([lowercase(text.trim())])),
            Test::OneOf { texts } => Self::OneOf(texts.iter().map(|text| lowercase(text.trim())).collect()),
            Test::Empty => Self::Empty,
            Test::Filled => Self::Filled,
            Test::Between { from, to } => Self::Between(from.unwrap_or(f64::MIN), to.unwrap_or(f64::MAX)),
            Test::During { from, to } => Self::during(from.as_deref(), to.as_deref()),
            Test::Truth { value } => {
                let one = f64::from(u8::from(*value));
                Self::Between(one, one)
            }
        }
    }

    /// Creates a filter for a time range. An unreadable end doesn't limit it.
    fn during(from: Option<&str>, to: Option<&str>) -> Self {
        let read = |text: Option<&str>| text.and_then(time_range);
        let first = read(from).map_or(f64::MIN, |(first, _)| first);
        Self::Between(first, read(to).map_or(f64::MAX, |(_, last)| last))
    }

    pub(super) fn passes(&self, set: &RowSet, column: &Column, at: u32) -> bool {
        let cell = column.cell(at);
        match self {
            Self::Empty => matches!(cell, Cell::Empty),
            Self::Filled => !matches!(cell, Cell::Empty),
            Self::Between(from, to) => cell.as_number().is_some_and(|number| (*from..=*to).contains(&number)),
            Self::OneOf(texts) => {
                !matches!(cell, Cell::Empty) && texts.contains(&lowercase(&full_text(set, column, at)))
            }
            Self::Contains(part) => !matches!(cell, Cell::Empty) && cell_contains(set, column, at, part),
            Self::Lacks(part) => matches!(cell, Cell::Empty) || !cell_contains(set, column, at, part),
        }
    }
}

fn cell_contains(set: &RowSet, column: &Column, at: u32, part: &str) -> bool {
    lowercase(&full_text(set, column, at)).contains(part)
}

/// Returns a cell's text. Texts that were cut for the column are read from the row.
fn full_text(set: &RowSet, column: &Column, at: u32) -> String {
    match column.cell(at) {
        Cell::Cut(_) => {
            set.rows_at(&[at]).first().and_then(|row| column.source().find(row)).map(plain_text).unwrap_or_default()
        }
        cell => cell.text().trim().to_owned(),
    }
}

fn plain_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_owned())
}

/// Returns the first and last microsecond of a day, minute or second, in local time.
fn time_range(text: &str) -> Option<(f64, f64)> {
    let text = text.trim();
    if let Ok(day) = text.parse::<Date>()
        && !text.contains([':', 'T', ' '])
    {
        let next = day.tomorrow().ok()?;
        return Some((local_micros(day.to_datetime(jiff::civil::Time::midnight())), local_micros(next.into()) - 1.0));
    }
    let time: DateTime = text.parse().ok()?;
    let span = if text.matches(':').count() > 1 { 1_000_000.0 } else { 60_000_000.0 };
    Some((local_micros(time), local_micros(time) + span - 1.0))
}

fn lowercase(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.to_lowercase() }
}

/// Returns those of the ascending `positions` whose rows contain a text in any value.
pub(super) fn find_text(set: &RowSet, positions: &[u32], text: &str) -> Vec<u32> {
    let (Some(first), Some(last)) = (positions.first(), positions.last()) else { return Vec::new() };
    let lowercase_text = lowercase(text);
    // The text as escaped in JSON, so that most rows needn't be parsed.
    let quoted = Value::from(lowercase_text.as_str()).to_string();
    let raw = quoted.trim_start_matches('"').strip_suffix('"').unwrap_or_default().to_owned();
    let part = |range: Range<usize>| {
        let mut matches = Vec::new();
        set.for_each_row_in(range, |at, row| {
            if lowercase(row).contains(&raw) && contains_position(positions, at) && row_contains(row, &lowercase_text) {
                matches.extend(u32::try_from(at));
            }
        });
        matches
    };
    map_in_parallel(*first as usize..*last as usize + 1, part).concat()
}

fn contains_position(positions: &[u32], at: usize) -> bool {
    u32::try_from(at).is_ok_and(|at| positions.binary_search(&at).is_ok())
}

fn row_contains(row: &str, part: &str) -> bool {
    serde_json::from_str(row).is_ok_and(|row: Value| value_contains(&row, part))
}

fn value_contains(value: &Value, part: &str) -> bool {
    match value {
        Value::Null | Value::Bool(_) => false,
        Value::Number(number) => number.to_string().contains(part),
        Value::String(text) => lowercase(text).contains(part),
        Value::Array(parts) => parts.iter().any(|value| value_contains(value, part)),
        Value::Object(members) => members.values().any(|value| value_contains(value, part)),
    }
}
