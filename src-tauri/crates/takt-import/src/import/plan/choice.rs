//! Which sheets hold parts of another sheet's items: the business key of those, and fields of one of their lists.

use takt_contract::{Contract, Field, OperationKind, Shape};

use super::{
    PartChoice, StepPart,
    reference::{Reference, references},
};
use crate::import::{
    heading::normalised,
    matching::Vocabulary,
    target::{Target, Targets},
};

/// Below this a sheet isn't taken for parts without asking.
const MIN_SCORE: f64 = 0.6;
/// What it adds that the items stand in the same workbook.
const BESIDE: f64 = 0.03;
/// What the sheet's own name adds.
const NAMED: f64 = 0.05;
/// By how much a sheet without a part of its own key may look like more than parts.
const KEYED: f64 = 0.1;
/// Shorter words stand in other words by accident.
const MIN_NAME_LENGTH: usize = 5;

/// The lists of an operation's items that have fields of their own.
fn lists(shape: &Shape) -> impl Iterator<Item = &Field> {
    shape.fields.iter().filter(|field| !field.fields.is_empty())
}

/// By what a sheet of a list's parts may be called: the list's own names and synonyms, and those of what each part needs first.
fn names(list: &Field) -> impl Iterator<Item = String> {
    let first = list.fields.iter().find(|field| field.required);
    let called = |field: &Field| [&field.names.en, &field.names.de, &field.names.es, &field.names.pt].map(Clone::clone);
    let mut words: Vec<String> = called(list).to_vec();
    words.push(list.name.clone());
    words.extend(list.synonyms.iter().cloned());
    words.extend(first.into_iter().flat_map(|field| called(field).into_iter().chain(field.synonyms.iter().cloned())));
    words.into_iter().map(|word| normalised(&word)).filter(|word| word.len() >= MIN_NAME_LENGTH)
}

/// The fields of a sheet of parts: the items' key, of which only the first field is needed, and the part's own. What other
/// operations call a field of that name, or what names the same thing, is understood too: on such a sheet a plain "quantity"
/// is the part's.
pub(in crate::import) fn targets(contract: &Contract, operation: &str, list: &str) -> Option<Targets> {
    let contract_operation = contract.operation(operation)?;
    let mut targets = Targets::of(contract_operation)?;
    let first = targets.key.first()?.clone();
    targets.rules.clear();
    targets.list = Some(list.to_owned());
    targets.fields.retain(|target| target.key || target.part_of.as_ref().is_some_and(|(own, _)| own == list));
    let keys: Vec<String> = targets.fields.iter().filter(|target| target.key).flat_map(words).collect();
    let own = references(contract, operation);
    for target in &mut targets.fields {
        match target.part_of.clone() {
            None => target.required = target.path == first,
            Some((_, name)) => {
                let more = elsewhere(contract, &name, own.iter().find(|reference| reference.path == target.path));
                let more = more.into_iter().filter(|word| !keys.contains(&normalised(word)));
                target.synonyms.extend(more);
            }
        }
    }
    targets.fields.iter().any(|target| target.part_of.is_some()).then_some(targets)
}

fn words(target: &Target) -> Vec<String> {
    let names = [&target.names.en, &target.names.de, &target.names.es, &target.names.pt];
    let all = names.into_iter().chain(&target.synonyms).chain([&target.path]);
    all.map(|word| normalised(word)).collect()
}

/// How fields are called elsewhere that have the same name, or that refer to the same thing.
fn elsewhere(contract: &Contract, name: &str, reference: Option<&Reference>) -> Vec<String> {
    let mut found = Vec::new();
    for operation in contract.operations().iter().filter(|operation| operation.kind == OperationKind::Sync) {
        let Some(shape) = &operation.request else { continue };
        let theirs = references(contract, &operation.id);
        for field in &shape.fields {
            let alike = reference.is_some_and(|own| {
                theirs
                    .iter()
                    .any(|other| other.path == field.name && (&other.sync, &other.field) == (&own.sync, &own.field))
            });
            let called = field.name == name && !operation.key.contains(&field.name);
            if alike || called {
                found.extend([&field.names.en, &field.names.de, &field.names.es, &field.names.pt].map(Clone::clone));
                found.extend(field.synonyms.iter().cloned());
            }
        }
    }
    found
}

/// What a sheet with these headings may hold parts of, best first. `sheets` are those with items, and their operations.
pub(super) fn choices(
    contract: &Contract,
    (name, headings): (&str, &[String]),
    sheets: &[(&str, &str)],
) -> Vec<PartChoice> {
    let mut choices: Vec<PartChoice> = Vec::new();
    for (of, operation) in sheets {
        let found = contract.operation(operation).filter(|operation| operation.kind == OperationKind::Sync);
        let Some(shape) = found.and_then(|operation| operation.request.as_ref()) else { continue };
        for list in lists(shape) {
            let is_named = names(list).any(|word| normalised(name).contains(&word));
            let score = targets(contract, operation, &list.name).and_then(|targets| rate(&targets, headings));
            if let Some(score) = score.filter(|&score| score > 0.0) {
                let named_so = if is_named { NAMED } else { 0.0 };
                let part = StepPart { of: (*of).to_owned(), list: list.name.clone() };
                choices.push(PartChoice { part, score: score * (1.0 - NAMED - BESIDE) + BESIDE + named_so });
            }
        }
    }
    choices.sort_by(|a, b| b.score.total_cmp(&a.score));
    choices
}

/// The one that is taken without asking: better than what the sheet would be on its own. Where its rows couldn't be told
/// apart on their own, since a part of the key has no column, they are parts unless that is clearly worse.
pub(super) fn clear(choices: &[PartChoice], own: Option<f64>, has_key: bool) -> Option<&StepPart> {
    let best = choices.first()?;
    let more = if has_key { 0.0 } else { KEYED };
    (best.score >= MIN_SCORE && own.is_none_or(|own| best.score + more > own)).then_some(&best.part)
}

/// Half for the columns that found a field, half for the needed fields that found a column. Nothing without the key, or with
/// nothing of the part.
fn rate(targets: &Targets, headings: &[String]) -> Option<f64> {
    let named: Vec<String> = headings.iter().filter(|heading| !heading.is_empty()).cloned().collect();
    let matches = Vocabulary::of(targets).match_headings(&named);
    let has = |path: &str| matches.iter().any(|found| found.fills(path));
    let part = targets.fields.iter().any(|target| target.part_of.is_some() && has(&target.path));
    if !part || !has(targets.key.first()?) {
        return None;
    }
    let scores = matches.iter().filter_map(|found| found.matched.as_ref()).map(|matched| matched.score);
    let needed: Vec<&Target> = targets.fields.iter().filter(|target| target.required).collect();
    let filled = needed.iter().filter(|target| has(&target.path)).count();
    Some((scores.sum::<f64>() / share(named.len()) + share(filled) / share(needed.len().max(1))) / 2.0)
}

#[expect(clippy::cast_precision_loss, reason = "counts of columns")]
fn share(count: usize) -> f64 {
    count as f64
}
