//! What a plan would send: items with their parts from other sheets, and which of them wait for which.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;
use takt_contract::Contract;

use super::{
    Book, PlanStep, StepState,
    parts::{KeyMatch, Keys},
    reference::{Reference, references},
};
use takt_core::{Item, Problem};

use crate::{ItemSet, import::PlanMapping};

/// One step's items.
#[derive(Debug, Clone, Default)]
pub struct StepItems {
    pub set: ItemSet,
    /// Those that wait for items of earlier steps.
    pub waits: Vec<ItemWait>,
}

impl From<ItemSet> for StepItems {
    /// A step that waits for none.
    fn from(set: ItemSet) -> Self {
        Self { set, waits: Vec::new() }
    }
}

/// An item that is sent after another one was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemWait {
    /// Among its step's items.
    pub item: usize,
    /// Which of its references it is: one accepted item for each is enough.
    pub reference: u32,
    /// The earlier step, among the plan's.
    pub step: usize,
    /// The item that it waits for, among that step's.
    pub other: usize,
}

/// Step by step in the plan's order; what is left out is no part of it, and nothing waits for it.
pub(super) fn items(book: &Book, contract: &Contract, steps: &[PlanStep]) -> Result<Vec<StepItems>, Problem> {
    let is_in = |step: &&PlanStep| step.state != StepState::Skipped;
    let mut made: Vec<StepItems> = Vec::new();
    // Parts are nothing by themselves, and neither is a sheet of which nobody knows what it is for.
    if steps.is_empty() {
        return Err(Problem::in_the_way("no-operation"));
    }
    for step in steps.iter().filter(is_in).filter(|step| step.part.is_none()) {
        let Some(owner) = book.sheet(&step.sheet) else { continue };
        let mut set = owner.items()?;
        let key = contract.operation(&step.operation).map(|operation| operation.key.clone()).unwrap_or_default();
        let mut mappings: Vec<_> = owner.mapping().into_iter().collect();
        for part in steps.iter().filter(is_in).filter_map(|step| step.part.as_ref().map(|part| (step, part))) {
            if let Some(sheet) = book.sheet(&part.0.sheet).filter(|_| part.1.of == step.sheet) {
                mappings.extend(sheet.mapping());
                join(&mut set.items, &key, &part.1.list, sheet.items()?.items);
            }
        }
        set.mapping = PlanMapping::value(mappings);
        let waits = waits(contract, &set, &made);
        made.push(StepItems { set, waits });
    }
    Ok(made)
}

/// Puts parts into the items that they belong to. What belongs to none stays by itself, so that its rows are counted.
fn join(items: &mut Vec<Item>, key: &[String], list: &str, parts: Vec<Item>) {
    let mut keys = Keys::default();
    for (place, item) in items.iter().enumerate() {
        keys.add(&key_of(&item.body, key), place);
    }
    for mut part in parts {
        let owner = match keys.find(&key_of(&part.body, key)) {
            KeyMatch::One(place) if !part.skipped => items.get_mut(place),
            KeyMatch::One(_) | KeyMatch::Nothing | KeyMatch::Several => None,
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
                append(&mut owner.body, list, &mut part.body);
            }
            None => {
                part.blocked = !part.skipped;
                items.push(part);
            }
        }
    }
}

fn append(body: &mut Value, list: &str, part: &mut Value) {
    let Some(Value::Array(mut members)) = part.get_mut(list).map(Value::take) else { return };
    let Some(body) = body.as_object_mut() else { return };
    match body.get_mut(list) {
        Some(Value::Array(own)) => own.append(&mut members),
        _ => drop(body.insert(list.to_owned(), Value::Array(members))),
    }
}

fn key_of(body: &Value, key: &[String]) -> Vec<Option<String>> {
    key.iter().map(|name| body.get(name).and_then(text)).collect()
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn waits(contract: &Contract, set: &ItemSet, earlier: &[StepItems]) -> Vec<ItemWait> {
    let references = references(contract, &set.operation);
    let of_plan = |reference: &&Reference| earlier.iter().any(|step| step.set.operation == reference.sync);
    let mut waits = Vec::new();
    let mut numbers: HashMap<usize, u32> = HashMap::new();
    for reference in references.iter().filter(of_plan) {
        let known = predecessor_index(reference, earlier);
        for (place, item) in set.items.iter().enumerate().filter(|(_, item)| !item.skipped && !item.blocked) {
            for value in values(&item.body, &reference.path) {
                let fits = |&&(step, other): &&(usize, usize)| {
                    let other = earlier.get(step).and_then(|step| step.set.items.get(other));
                    other.is_some_and(|other| agrees(reference, &item.body, &other.body))
                };
                let others: Vec<(usize, usize)> =
                    known.get(&value).into_iter().flatten().filter(fits).copied().collect();
                if others.is_empty() {
                    continue;
                }
                let number = numbers.entry(place).or_default();
                let wait = |&(step, other): &(usize, usize)| ItemWait { item: place, reference: *number, step, other };
                waits.extend(others.iter().map(wait));
                *number += 1;
            }
        }
    }
    waits
}

/// The earlier items that may be referred to, by their value: step and place. What a person left out isn't waited for.
fn predecessor_index(reference: &Reference, earlier: &[StepItems]) -> HashMap<String, Vec<(usize, usize)>> {
    let mut known: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
    for (at, step) in earlier.iter().enumerate().filter(|(_, step)| step.set.operation == reference.sync) {
        // A part without an item of its own is none that anything could wait for.
        let of_step = |item: &Item| item.rows.first().is_some_and(|row| row.sheet == step.set.sheet);
        for (place, item) in step.set.items.iter().enumerate().filter(|(_, item)| !item.skipped && of_step(item)) {
            if let Some(value) = item.body.get(&reference.field).and_then(text) {
                known.entry(value).or_default().push((at, place));
            }
        }
    }
    known
}

/// The values at a path: one of the item, or one of each of a list's members.
fn values(body: &Value, path: &str) -> BTreeSet<String> {
    match path.split_once('.') {
        None => body.get(path).and_then(text).into_iter().collect(),
        Some((list, name)) => {
            let members = body.get(list).and_then(Value::as_array).into_iter().flatten();
            members.filter_map(|member| member.get(name).and_then(text)).collect()
        }
    }
}

fn agrees(reference: &Reference, own: &Value, other: &Value) -> bool {
    reference.within.iter().all(|(theirs, name)| {
        let (own, other) = (own.get(name).and_then(text), other.get(theirs).and_then(text));
        own.is_none() || other.is_none() || own == other
    })
}
