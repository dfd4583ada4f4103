//! Reads columns out of rows on all processors, and parses only the required members.

use std::ops::Range;
use std::panic::resume_unwind;
use std::{fmt, thread};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use crate::lists::arrange::cell::{Cell, ColumnSource};
use crate::lists::arrange::column::Column;
use crate::lists::row_set::{BLOCK_ROWS, RowSet};

/// Reads columns out of the first `row_count` rows in one pass.
pub(super) fn read_columns(set: &RowSet, sources: &[ColumnSource], row_count: usize) -> Vec<Column> {
    if sources.is_empty() {
        return Vec::new();
    }
    let read_range = |range: Range<usize>| {
        let mut columns: Vec<Vec<Cell>> = sources.iter().map(|_| Vec::with_capacity(range.len())).collect();
        set.for_each_row_in(range, |_, text| {
            let mut row = serde_json::Deserializer::from_str(text);
            let cells =
                RowCellsSeed(sources).deserialize(&mut row).unwrap_or_else(|_| vec![Cell::Empty; sources.len()]);
            columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
        });
        columns
    };
    let mut columns_cells: Vec<Vec<Cell>> = sources.iter().map(|_| Vec::with_capacity(row_count)).collect();
    for columns in map_in_parallel(0..row_count, read_range) {
        columns_cells.iter_mut().zip(columns).for_each(|(cells, part)| cells.extend(part));
    }
    let columns = sources.iter().zip(columns_cells);
    columns.map(|(source, cells)| Column::new(source.clone(), cells)).collect()
}

/// Runs `work` on parts of a range of rows, on all processors. Returns the results in order.
pub(super) fn map_in_parallel<T: Send>(rows: Range<usize>, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
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

/// Parses only the members of a row that the columns need.
struct RowCellsSeed<'a>(&'a [ColumnSource]);

impl<'de> DeserializeSeed<'de> for RowCellsSeed<'_> {
    type Value = Vec<Cell>;

    fn deserialize<D: Deserializer<'de>>(self, row: D) -> Result<Vec<Cell>, D::Error> {
        row.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RowCellsSeed<'_> {
    type Value = Vec<Cell>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Vec<Cell>, A::Error> {
        let mut cells = vec![Cell::Empty; self.0.len()];
        while let Some(name) = members.next_key_seed(MemberNameSeed(self.0))? {
            let Some(name) = name else {
                members.next_value::<IgnoredAny>()?;
                continue;
            };
            let value: Value = members.next_value()?;
            for (source, cell) in self.0.iter().zip(&mut cells).filter(|(source, _)| source.starts_with_member(name)) {
                *cell = source.find_within(&value).map_or(Cell::Empty, |value| source.to_cell(value));
            }
        }
        Ok(cells)
    }
}

/// Deserializes a member's name. Returns `None` if no column needs the member.
struct MemberNameSeed<'a>(&'a [ColumnSource]);

impl<'de, 'a> DeserializeSeed<'de> for MemberNameSeed<'a> {
    type Value = Option<&'a str>;

    fn deserialize<D: Deserializer<'de>>(self, name: D) -> Result<Option<&'a str>, D::Error> {
        name.deserialize_str(self)
    }
}

impl<'a> Visitor<'_> for MemberNameSeed<'a> {
    type Value = Option<&'a str>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a member's name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Option<&'a str>, E> {
        Ok(self.0.iter().find(|source| source.starts_with_member(name)).and_then(ColumnSource::first_member))
    }
}
