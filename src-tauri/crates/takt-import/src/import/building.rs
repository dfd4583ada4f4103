//! Items from checked rows: JSON by the contract's request shape.

use std::ops::Range;

use serde_json::{Map, Value};
use takt_core::ExcelRow;
use takt_sheet::{RowSpan, SheetRow};

use super::{
    check::{CheckResult, Plan},
    reading::ReadValue,
};
use takt_core::{Item, RowId};

const KEY_JOINT: &str = " · ";

/// The rows of each item, packed: a sheet may make a million of them.
#[derive(Debug)]
pub(super) struct ItemRows {
    /// By item: where its rows begin in `positions`; one more at the end.
    starts: Vec<u32>,
    positions: Vec<u32>,
    blocked: Vec<bool>,
}

impl ItemRows {
    pub(super) fn new(checked: &CheckResult, rows: usize) -> Self {
        let count = checked.counts.items as usize;
        let items = || checked.items.iter().copied().take(rows).map(|item| item as usize);
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
            let Some(place) = next.get_mut(item) else { continue };
            if let Some(room) = positions.get_mut(*place as usize) {
                *room = position;
            }
            *place += 1;
        }
        Self { starts, positions, blocked: checked.blocked() }
    }

    pub(super) fn len(&self) -> usize {
        self.blocked.len()
    }

    /// The positions of an item's rows, ascending.
    fn of(&self, item: usize) -> impl Iterator<Item = usize> + '_ {
        let at = |item: usize| self.starts.get(item).map_or(self.positions.len(), |&start| start as usize);
        self.positions.get(at(item)..at(item + 1)).unwrap_or_default().iter().map(|&position| position as usize)
    }
}

/// One item per row, or per group of rows with one key; one for each excluded row, so that it is counted.
pub(super) fn build(plan: &Plan<'_>, checked: &CheckResult, sheet: &str, rows: RowSpan<'_>) -> Vec<Item> {
    let groups = ItemRows::new(checked, rows.len());
    let mut items = build_some(plan, &groups, sheet, rows, 0..groups.len());
    if checked.counts.excluded > 0 {
        let mut reader = rows.reader();
        let excluded = (0..rows.len())
            .filter(|&position| rows.number(position).is_some_and(|row| plan.overlay.excludes(ExcelRow::new(row))))
            .filter_map(|position| reader.get(position));
        items.extend(excluded.map(|row| item(plan, sheet, &[&row], (false, true))));
        items.sort_by_key(|item| item.rows.first().map(|row| row.row));
    }
    items
}

/// Some of the items, without those of excluded rows.
pub(super) fn build_some(
    plan: &Plan<'_>,
    groups: &ItemRows,
    sheet: &str,
    rows: RowSpan<'_>,
    which: Range<usize>,
) -> Vec<Item> {
    let mut reader = rows.reader();
    let mut items: Vec<Item> = Vec::with_capacity(which.len());
    for at in which {
        let rows: Vec<SheetRow> = groups.of(at).filter_map(|position| reader.get(position)).collect();
        let blocked = groups.blocked.get(at).copied().unwrap_or_default();
        items.push(item(plan, sheet, &rows.iter().collect::<Vec<_>>(), (blocked, false)));
    }
    items
}

fn item(plan: &Plan<'_>, sheet: &str, rows: &[&SheetRow], (blocked, skipped): (bool, bool)) -> Item {
    Item {
        rows: rows.iter().map(|row| RowId { sheet: sheet.to_owned(), row: ExcelRow::new(row.number) }).collect(),
        key: key(plan, rows),
        body: body(plan, rows),
        blocked,
        skipped,
        ..Item::default()
    }
}

/// Fields in the contract's order. What is empty is left out.
fn body(plan: &Plan<'_>, rows: &[&SheetRow]) -> Value {
    let mut body = Map::new();
    for (target, field) in plan.targets.fields.iter().enumerate() {
        match &field.part_of {
            None if field.property.is_some() => {}
            None => {
                if let Some(value) = first(plan, rows, target) {
                    body.insert(field.path.clone(), value.json());
                } else if let Some(empty) = plan.emptied(target) {
                    body.insert(field.path.clone(), empty.clone());
                }
            }
            Some((list, _)) if !body.contains_key(list) => {
                let parts = parts(plan, rows, list);
                if !parts.is_empty() {
                    body.insert(list.clone(), Value::Array(parts));
                }
            }
            Some(_) => {}
        }
    }
    add_properties(plan, rows, &mut body);
    Value::Object(body)
}

/// One part per column that is a property and has a value, behind the parts that the list has from rows.
fn add_properties(plan: &Plan<'_>, rows: &[&SheetRow], body: &mut Map<String, Value>) {
    for (target, field) in plan.targets.fields.iter().enumerate() {
        let Some(property) = &field.property else { continue };
        let value = first(plan, rows, target).map(|value| value.json());
        let Some(value) = value.or_else(|| plan.emptied(target).cloned()) else { continue };
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

fn parts(plan: &Plan<'_>, rows: &[&SheetRow], list: &str) -> Vec<Value> {
    rows.iter()
        .filter_map(|row| {
            let mut part = Map::new();
            let mut begun = false;
            for (target, field) in plan.targets.fields.iter().enumerate() {
                let Some((_, name)) = field.part_of.as_ref().filter(|(other, _)| other == list) else { continue };
                if let Some(Ok(value)) = plan.read(*row, target) {
                    part.insert(name.clone(), value.json());
                    begun |= !plan.is_constant(target);
                } else if let Some(empty) = plan.emptied(target) {
                    part.insert(name.clone(), empty.clone());
                }
            }
            begun.then_some(Value::Object(part))
        })
        .collect()
}

/// The business key as text.
pub(super) fn key(plan: &Plan<'_>, rows: &[&SheetRow]) -> String {
    let parts = plan.targets.key.iter().filter_map(|name| {
        let target = plan.targets.index(name)?;
        first(plan, rows, target).map(|value| value.shown())
    });
    parts.collect::<Vec<_>>().join(KEY_JOINT)
}

fn first<'r>(plan: &Plan<'r>, rows: &[&'r SheetRow], target: usize) -> Option<ReadValue<'r>> {
    rows.iter().find_map(|row| plan.read(*row, target)?.ok())
}
