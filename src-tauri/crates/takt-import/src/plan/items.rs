//! The items of a plan with their parts from other sheets, and the items that they wait for.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;
use takt_contract::Contract;
use takt_core::{Item, Problem};

use super::{
    item_reference::{ItemReference, item_references},
    open_workbook::OpenWorkbook,
    parts::{ItemKeyIndex, KeyMatch},
    step::{PlanStep, StepState},
};
use crate::{mapping::PlanMapping, view::ItemSet};

/// The items of one step, and the items that they wait for.
#[derive(Debug, Clone, Default)]
pub struct StepItems {
    pub set: ItemSet,
    /// Items that wait for items of earlier steps.
    pub waits: Vec<ItemWait>,
}

impl From<ItemSet> for StepItems {
    /// Creates a step whose items don't wait for others.
    fn from(set: ItemSet) -> Self {
        Self { set, waits: Vec::new() }
    }
}

/// An item that is sent after another one was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemWait {
    /// The item's index in its step.
    pub item: usize,
    /// The index of its reference. One accepted item for each reference is enough.
    pub reference: u32,
    /// The index of the earlier step in the plan.
    pub step: usize,
    /// The index of the awaited item in that step.
    pub awaited_item: usize,
}

/// Returns the items of each step in the plan's order. Skipped steps are left out, and nothing waits for them.
pub(super) fn build_step_items(
    book: &OpenWorkbook,
    contract: &Contract,
    steps: &[PlanStep],
) -> Result<Vec<StepItems>, Problem> {
    let is_in = |step: &&PlanStep| step.state != StepState::Skipped;
    let mut built: Vec<StepItems> = Vec::new();
    // Parts can't be sent alone, and neither can a sheet without an operation.
    if steps.is_empty() {
        return Err(Problem::obstacle("no-operation"));
    }
    for step in steps.iter().filter(is_in).filter(|step| step.part.is_none()) {
        let Some(owner) = book.sheet(&step.sheet) else { continue };
        let mut set = owner.items()?;
        let key = contract.operation(&step.operation).map(|operation| operation.key.clone()).unwrap_or_default();
        let mut mappings: Vec<_> = owner.mapping().into_iter().collect();
        for part in steps.iter().filter(is_in).filter_map(|step| step.part.as_ref().map(|part| (step, part))) {
            if let Some(sheet) = book.sheet(&part.0.sheet).filter(|_| part.1.of == step.sheet) {
                mappings.extend(sheet.mapping());
                join_parts(&mut set.items, &key, &part.1.list, sheet.items()?.items);
            }
        }
        set.mapping = PlanMapping::to_value(mappings);
        let waits = item_waits(contract, &set, &built);
        built.push(StepItems { set, waits });
    }
    Ok(built)
}

/// Adds parts to the items that they belong to. Parts without an item stay separate and are blocked, so that their rows
/// are counted.
fn join_parts(items: &mut Vec<Item>, key: &[String], list: &str, parts: Vec<Item>) {
    let mut keys = ItemKeyIndex::default();
    for (index, item) in items.iter().enumerate() {
        keys.add(&item_key(&item.body, key), index);
    }
    for mut part in parts {
        let owner = match keys.find(&item_key(&part.body, key)) {
            KeyMatch::One(index) if !part.skipped => items.get_mut(index),
            KeyMatch::One(_) | KeyMatch::Missing | KeyMatch::Several => None,
        };
        match owner {
            Some(owner) if owner.skipped => {
                part.skipped = true;
                items.push(part);
            }
            Some(owner) => {
                owner.rows.append(&mut part.rows);
                owner.blocked |= part.blocked;
                owner.errors.append(&mut part.errors);
                append_members(&mut owner.body, list, &mut part.body);
            }
            None => {
                part.blocked = !part.skipped;
                items.push(part);
            }
        }
    }
}

fn append_members(body: &mut Value, list: &str, part: &mut Value) {
    let Some(Value::Array(mut members)) = part.get_mut(list).map(Value::take) else { return };
    let Some(body) = body.as_object_mut() else { return };
    match body.get_mut(list) {
        Some(Value::Array(own)) => own.append(&mut members),
        _ => drop(body.insert(list.to_owned(), Value::Array(members))),
    }
}

fn item_key(body: &Value, key: &[String]) -> Vec<Option<String>> {
    key.iter().map(|name| body.get(name).and_then(value_text)).collect()
}

fn value_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn item_waits(contract: &Contract, set: &ItemSet, earlier: &[StepItems]) -> Vec<ItemWait> {
    let references = item_references(contract, &set.operation);
    let of_plan = |reference: &&ItemReference| earlier.iter().any(|step| step.set.operation == reference.sync);
    let mut waits = Vec::new();
    let mut numbers: HashMap<usize, u32> = HashMap::new();
    for reference in references.iter().filter(of_plan) {
        let known = index_by_value(reference, earlier);
        for (index, item) in set.items.iter().enumerate().filter(|(_, item)| !item.skipped && !item.blocked) {
            for value in values_at(&item.body, &reference.path) {
                let fits = |&&(step, other): &&(usize, usize)| {
                    let other = earlier.get(step).and_then(|step| step.set.items.get(other));
                    other.is_some_and(|other| has_same_scope(reference, &item.body, &other.body))
                };
                let others: Vec<(usize, usize)> =
                    known.get(&value).into_iter().flatten().filter(fits).copied().collect();
                if others.is_empty() {
                    continue;
                }
                let number = numbers.entry(index).or_default();
                let wait = |&(step, other): &(usize, usize)| ItemWait {
                    item: index,
                    reference: *number,
                    step,
                    awaited_item: other,
                };
                waits.extend(others.iter().map(wait));
                *number += 1;
            }
        }
    }
    waits
}

/// Returns the earlier items that can be referred to, by value, as step and index. Items that the user excluded aren't
/// waited for.
fn index_by_value(reference: &ItemReference, earlier: &[StepItems]) -> HashMap<String, Vec<(usize, usize)>> {
    let mut known: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
    for (at, step) in earlier.iter().enumerate().filter(|(_, step)| step.set.operation == reference.sync) {
        // Nothing can wait for a part without an item.
        let of_step = |item: &Item| item.rows.first().is_some_and(|row| row.sheet == step.set.sheet);
        for (index, item) in step.set.items.iter().enumerate().filter(|(_, item)| !item.skipped && of_step(item)) {
            if let Some(value) = item.body.get(&reference.field).and_then(value_text) {
                known.entry(value).or_default().push((at, index));
            }
        }
    }
    known
}

/// Returns the values at a path: the item's value, or one value per member of a list.
fn values_at(body: &Value, path: &str) -> BTreeSet<String> {
    match path.split_once('.') {
        None => body.get(path).and_then(value_text).into_iter().collect(),
        Some((list, name)) => {
            let members = body.get(list).and_then(Value::as_array).into_iter().flatten();
            members.filter_map(|member| member.get(name).and_then(value_text)).collect()
        }
    }
}

fn has_same_scope(reference: &ItemReference, own: &Value, other: &Value) -> bool {
    reference.scope_fields.iter().all(|(theirs, name)| {
        let (own, other) = (own.get(name).and_then(value_text), other.get(theirs).and_then(value_text));
        own.is_none() || other.is_none() || own == other
    })
}
