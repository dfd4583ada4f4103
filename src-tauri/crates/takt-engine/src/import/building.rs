//! Items from checked rows: JSON by the contract's request shape.

use serde_json::{Map, Value};
use takt_sheet::SheetRow;

use super::{
    check::{Checked, Plan},
    reading::Read,
};
use crate::{Item, RowId};

const KEY_JOINT: &str = " · ";

/// One item per row, or per group of rows with one key.
pub(super) fn build(plan: &Plan<'_>, checked: &Checked, sheet: &str, rows: &[SheetRow]) -> Vec<Item> {
    let blocked = checked.blocked();
    let mut members: Vec<Vec<&SheetRow>> = vec![Vec::new(); checked.counts.items as usize];
    for (row, &item) in rows.iter().zip(&checked.items) {
        if let Some(place) = members.get_mut(item as usize) {
            place.push(row);
        }
    }
    members
        .iter()
        .zip(blocked)
        .map(|(rows, blocked)| Item {
            rows: rows.iter().map(|row| RowId { sheet: sheet.to_owned(), row: row.number }).collect(),
            key: key(plan, rows),
            body: body(plan, rows),
            blocked,
        })
        .collect()
}

/// Fields in the contract's order. What is empty is left out.
fn body(plan: &Plan<'_>, rows: &[&SheetRow]) -> Value {
    let mut body = Map::new();
    for (target, field) in plan.targets.fields.iter().enumerate() {
        match &field.part_of {
            None => {
                if let Some(value) = first(plan, rows, target) {
                    body.insert(field.path.clone(), value.json());
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
    Value::Object(body)
}

fn parts(plan: &Plan<'_>, rows: &[&SheetRow], list: &str) -> Vec<Value> {
    rows.iter()
        .filter_map(|row| {
            let mut part = Map::new();
            for (target, field) in plan.targets.fields.iter().enumerate() {
                let Some((_, name)) = field.part_of.as_ref().filter(|(other, _)| other == list) else { continue };
                if let Some(Ok(value)) = plan.read(row, target) {
                    part.insert(name.clone(), value.json());
                }
            }
            (!part.is_empty()).then_some(Value::Object(part))
        })
        .collect()
}

fn key(plan: &Plan<'_>, rows: &[&SheetRow]) -> String {
    let parts = plan.targets.key.iter().filter_map(|name| {
        let target = plan.targets.index(name)?;
        first(plan, rows, target).map(|value| value.shown())
    });
    parts.collect::<Vec<_>>().join(KEY_JOINT)
}

fn first<'r>(plan: &Plan<'_>, rows: &[&'r SheetRow], target: usize) -> Option<Read<'r>> {
    rows.iter().find_map(|row| plan.read(row, target)?.ok())
}
