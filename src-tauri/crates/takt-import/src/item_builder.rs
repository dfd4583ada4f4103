//! Builds items from checked rows, as JSON in the contract's request shape.

use std::ops::Range;

use serde_json::{Map, Value};
use takt_core::{ExcelRow, Item, RowId};
use takt_sheet::{RowBatch, RowSpan, SheetRow};

use crate::{cell_value::ReadValue, check::CheckResult, row_mapper::RowMapper};

const KEY_SEPARATOR: &str = " · ";
/// Maximum number of rows that are read together. An item with more rows is read alone.
const MAX_BATCH_ROWS: usize = 16_384;

/// The rows of each item. Packed, since a sheet may have a million items.
#[derive(Debug)]
pub(crate) struct ItemRows {
    /// By item, the start of its rows in `positions`, with one more entry at the end.
    starts: Vec<u32>,
    positions: Vec<u32>,
    blocked: Vec<bool>,
}

impl ItemRows {
    pub(crate) fn new(check_result: &CheckResult, rows: usize) -> Self {
        let count = check_result.counts.items as usize;
        let items = || check_result.items.iter().copied().take(rows).map(|item| item as usize);
        let mut starts = vec![0_u32; count + 1];
        for start in items().filter(|&item| item < count).filter_map(|item| item.checked_add(1)) {
            if let Some(start) = starts.get_mut(start) {
                *start += 1;
            }
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut positions = vec![0_u32; starts.last().copied().unwrap_or_default() as usize];
        for (position, item) in (0..).zip(items()).filter(|(_, item)| *item < count) {
            let Some(next_start) = next.get_mut(item) else { continue };
            if let Some(slot) = positions.get_mut(*next_start as usize) {
                *slot = position;
            }
            *next_start += 1;
        }
        Self { starts, positions, blocked: check_result.blocked_items() }
    }

    pub(crate) fn len(&self) -> usize {
        self.blocked.len()
    }

    /// Returns the next items of a range, at least one, whose rows fit in one batch.
    fn next_batch(&self, range: Range<usize>) -> Range<usize> {
        let start = |item: usize| self.starts.get(item).map_or(self.positions.len(), |&start| start as usize);
        let limit = start(range.start) + MAX_BATCH_ROWS;
        let end = range.clone().skip(1).find(|&item| start(item + 1) > limit).unwrap_or(range.end);
        range.start..end
    }

    /// Returns the positions of an item's rows, ascending.
    fn row_positions(&self, item: usize) -> impl Iterator<Item = usize> + '_ {
        let at = |item: usize| self.starts.get(item).map_or(self.positions.len(), |&start| start as usize);
        self.positions.get(at(item)..at(item + 1)).unwrap_or_default().iter().map(|&position| position as usize)
    }
}

/// Builds one item per row, or per group of rows with the same key. Each excluded row becomes a skipped item, so that
/// it's counted.
pub(crate) fn build_items(
    mapper: &RowMapper<'_>,
    check_result: &CheckResult,
    sheet: &str,
    rows: RowSpan<'_>,
) -> Vec<Item> {
    let groups = ItemRows::new(check_result, rows.len());
    let mut items = build_range(mapper, &groups, sheet, rows, 0..groups.len());
    if check_result.counts.excluded > 0 {
        let mut reader = rows.reader();
        let excluded = (0..rows.len())
            .filter(|&position| rows.number(position).map(ExcelRow::new).is_some_and(|row| is_skipped(mapper, row)))
            .filter_map(|position| reader.get(position));
        items.extend(excluded.map(|row| build_item(mapper, sheet, &[&row], false, true)));
        items.sort_by_key(|item| item.rows.first().map(|row| row.row));
    }
    items
}

/// Returns true for a row that the user excluded. Rows that were sent aren't part of the import.
fn is_skipped(mapper: &RowMapper<'_>, row: ExcelRow) -> bool {
    mapper.overlay.excluded_rows().contains(&row) && !mapper.overlay.is_sent(row)
}

/// Builds the items in a range. Excluded rows belong to none of them.
pub(crate) fn build_range(
    mapper: &RowMapper<'_>,
    groups: &ItemRows,
    sheet: &str,
    rows: RowSpan<'_>,
    range: Range<usize>,
) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::with_capacity(range.len());
    let mut remaining = range;
    while !remaining.is_empty() {
        let batch = groups.next_batch(remaining.clone());
        // The rows of an item may be anywhere in the sheet.
        let read = RowBatch::read(rows, batch.clone().flat_map(|at| groups.row_positions(at)).collect());
        for at in batch.clone() {
            let rows: Vec<&SheetRow> = groups.row_positions(at).filter_map(|position| read.get(position)).collect();
            let blocked = groups.blocked.get(at).copied().unwrap_or_default();
            items.push(build_item(mapper, sheet, &rows, blocked, false));
        }
        remaining.start = batch.end;
    }
    items
}

fn build_item(mapper: &RowMapper<'_>, sheet: &str, rows: &[&SheetRow], blocked: bool, skipped: bool) -> Item {
    Item {
        rows: rows.iter().map(|row| RowId { sheet: sheet.to_owned(), row: ExcelRow::new(row.number) }).collect(),
        key: key_text(mapper, rows),
        body: item_body(mapper, rows),
        blocked,
        skipped,
        ..Item::default()
    }
}

/// Builds the item's JSON, with fields in the contract's order. A field without a value is left out unless the mapping
/// clears it.
fn item_body(mapper: &RowMapper<'_>, rows: &[&SheetRow]) -> Value {
    let mut body = Map::new();
    for (target, field) in mapper.targets.fields.iter().enumerate() {
        match &field.part_of {
            None if field.property.is_some() => {}
            None => {
                if let Some(value) = first_value(mapper, rows, target) {
                    body.insert(field.path.clone(), value.to_json());
                } else if let Some(empty) = mapper.value_for_empty(target) {
                    body.insert(field.path.clone(), empty.clone());
                }
            }
            Some((list, _)) if !body.contains_key(list) => {
                let parts = build_list_parts(mapper, rows, list);
                if !parts.is_empty() {
                    body.insert(list.clone(), Value::Array(parts));
                }
            }
            Some(_) => {}
        }
    }
    add_properties(mapper, rows, &mut body);
    Value::Object(body)
}

/// Adds one part per property column with a value, after the parts that come from rows.
fn add_properties(mapper: &RowMapper<'_>, rows: &[&SheetRow], body: &mut Map<String, Value>) {
    for (target, field) in mapper.targets.fields.iter().enumerate() {
        let Some(property) = &field.property else { continue };
        let value = first_value(mapper, rows, target).map(|value| value.to_json());
        let Some(value) = value.or_else(|| mapper.value_for_empty(target).cloned()) else { continue };
        let mut part = Map::new();
        part.insert("key".to_owned(), Value::String(property.key.clone()));
        part.insert("value".to_owned(), value);
        if let Some(name) = &property.name {
            part.insert("name".to_owned(), Value::String(name.clone()));
        }
        let list = body.entry(property.list.clone()).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(parts) = list {
            parts.push(Value::Object(part));
        }
    }
}

fn build_list_parts(mapper: &RowMapper<'_>, rows: &[&SheetRow], list: &str) -> Vec<Value> {
    rows.iter()
        .filter_map(|row| {
            let mut part = Map::new();
            let mut has_value = false;
            for (target, field) in mapper.targets.fields.iter().enumerate() {
                let Some((_, name)) = field.part_of.as_ref().filter(|(other, _)| other == list) else { continue };
                if let Some(Ok(value)) = mapper.read(*row, target) {
                    part.insert(name.clone(), value.to_json());
                    has_value |= !mapper.is_constant(target);
                } else if let Some(empty) = mapper.value_for_empty(target) {
                    part.insert(name.clone(), empty.clone());
                }
            }
            has_value.then_some(Value::Object(part))
        })
        .collect()
}

/// Returns the business key as text, its parts joined with ` · `. Parts without a value are left out.
pub(crate) fn key_text(mapper: &RowMapper<'_>, rows: &[&SheetRow]) -> String {
    let parts = mapper.targets.key.iter().filter_map(|name| {
        let target = mapper.targets.index(name)?;
        first_value(mapper, rows, target).map(|value| value.display_text())
    });
    parts.collect::<Vec<_>>().join(KEY_SEPARATOR)
}

fn first_value<'r>(mapper: &RowMapper<'r>, rows: &[&'r SheetRow], target: usize) -> Option<ReadValue<'r>> {
    rows.iter().find_map(|row| mapper.read(*row, target)?.ok())
}
