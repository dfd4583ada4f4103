//! Reads columns out of rows on all processors, and parses only the required members.

use std::ops::Range;
use std::panic::resume_unwind;
use std::{fmt, thread};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use crate::lists::arrange::cell::{Cell, ColumnSource};
use crate::lists::arrange::column::Column;
use crate::lists::set::{BLOCK_ROWS, RowSet};

/// Reads columns out of the first `row_count` rows in one pass.
pub(super) fn read_columns(set: &RowSet, wanted: &[ColumnSource], row_count: usize) -> Vec<Column> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let read_range = |range: Range<usize>| {
        let mut columns: Vec<Vec<Cell>> = wanted.iter().map(|_| Vec::with_capacity(range.len())).collect();
        set.for_each_in(range, |_, text| {
            let mut row = serde_json::Deserializer::from_str(text);
            let cells = RowMembers(wanted).deserialize(&mut row).unwrap_or_else(|_| vec![Cell::Empty; wanted.len()]);
            columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
        });
        columns
    };
    let mut columns_cells: Vec<Vec<Cell>> = wanted.iter().map(|_| Vec::with_capacity(row_count)).collect();
    for columns in in_parallel(0..row_count, read_range) {
        columns_cells.iter_mut().zip(columns).for_each(|(cells, part)| cells.extend(part));
    }
    let columns = wanted.iter().zip(columns_cells);
    columns.map(|(wanted, cells)| Column::new(wanted.clone(), cells)).collect()
}

/// Splits work on rows across all processors, and returns the results in order.
pub(super) fn in_parallel<T: Send>(rows: Range<usize>, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let blocks = rows.len().div_ceil(BLOCK_ROWS).div_ceil(threads).max(1);
    let begin = rows.start / BLOCK_ROWS * BLOCK_ROWS;
    let parts: Vec<Range<usize>> = (begin..rows.end)
        .step_by(blocks * BLOCK_ROWS)
        .map(|first| first.max(rows.start)..(first + blocks * BLOCK_ROWS).min(rows.end))
        .collect();
    if parts.len() < 2 {
        return parts.into_iter().map(work).collect();
    }
    let work = &work;
    thread::scope(|scope| {
        let handles: Vec<_> = parts.into_iter().map(|part| scope.spawn(move || work(part))).collect();
        handles.into_iter().map(|handle| handle.join().unwrap_or_else(|cause| resume_unwind(cause))).collect()
    })
}

/// Parses only the wanted members of a row.
struct RowMembers<'a>(&'a [ColumnSource]);

impl<'de> DeserializeSeed<'de> for RowMembers<'_> {
    type Value = Vec<Cell>;

    fn deserialize<D: Deserializer<'de>>(self, row: D) -> Result<Vec<Cell>, D::Error> {
        row.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RowMembers<'_> {
    type Value = Vec<Cell>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Vec<Cell>, A::Error> {
        let mut cells = vec![Cell::Empty; self.0.len()];
        while let Some(name) = members.next_key_seed(Member(self.0))? {
            let Some(name) = name else {
                members.next_value::<IgnoredAny>()?;
                continue;
            };
            let value: Value = members.next_value()?;
            for (wanted, cell) in self.0.iter().zip(&mut cells).filter(|(wanted, _)| wanted.begins_with(name)) {
                *cell = wanted.find_within(&value).map_or(Cell::Empty, |value| wanted.cell(value));
            }
        }
        Ok(cells)
    }
}

/// A member's name, if it is wanted.
struct Member<'a>(&'a [ColumnSource]);

impl<'de, 'a> DeserializeSeed<'de> for Member<'a> {
    type Value = Option<&'a str>;

    fn deserialize<D: Deserializer<'de>>(self, name: D) -> Result<Option<&'a str>, D::Error> {
        name.deserialize_str(self)
    }
}

impl<'a> Visitor<'_> for Member<'a> {
    type Value = Option<&'a str>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a member's name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Option<&'a str>, E> {
        Ok(self.0.iter().find(|wanted| wanted.begins_with(name)).and_then(ColumnSource::first_member))
    }
}
