//! Finds sheets with parts of another sheet's items. Such a sheet has columns for the items' business key, and for
//! fields of one of their lists.

use takt_contract::{Contract, Field, OperationKind, RowSchema};

use super::{
    item_reference::{ItemReference, item_references},
    step::{PartChoice, StepPart},
};
use crate::{
    heading::normalize_heading,
    matching::Vocabulary,
    target::{TargetField, TargetFields},
};

/// Minimum score to treat a sheet as parts without asking.
const MIN_SCORE: f64 = 0.6;
/// Bonus for a sheet of parts, since its items are in the same workbook.
const SAME_WORKBOOK_BONUS: f64 = 0.03;
/// Bonus for a sheet whose name fits the list.
const NAME_BONUS: f64 = 0.05;
/// Bonus for parts if the sheet lacks a column for the key of its proposed operation.
const MISSING_KEY_BONUS: f64 = 0.1;
/// Minimum length of a name. Shorter words occur in other words by accident.
const MIN_NAME_LENGTH: usize = 5;

/// Returns the lists of an operation's items that have their own fields.
fn part_lists(shape: &RowSchema) -> impl Iterator<Item = &Field> {
    shape.fields.iter().filter(|field| !field.fields.is_empty())
}

/// Returns the words that may name a sheet of a list's parts. They're the names and synonyms of the list and of its
/// first required field.
fn sheet_words(list: &Field) -> impl Iterator<Item = String> {
    let first = list.fields.iter().find(|field| field.required);
    let called = |field: &Field| [&field.names.en, &field.names.de, &field.names.es, &field.names.pt].map(Clone::clone);
    let mut words: Vec<String> = called(list).to_vec();
    words.push(list.name.clone());
    words.extend(list.synonyms.iter().cloned());
    words.extend(first.into_iter().flat_map(|field| called(field).into_iter().chain(field.synonyms.iter().cloned())));
    words.into_iter().map(|word| normalize_heading(&word)).filter(|word| word.len() >= MIN_NAME_LENGTH)
}

/// Returns the fields of a sheet of parts: the items' key, of which only the first field is required, and the fields of
/// the list. Names of equal or equivalent fields in other operations are added as synonyms. On such a sheet, a plain
/// "quantity" is the part's quantity.
pub(crate) fn part_targets(contract: &Contract, operation: &str, list: &str) -> Option<TargetFields> {
    let contract_operation = contract.operation(operation)?;
    let mut targets = TargetFields::from_operation(contract_operation)?;
    let first = targets.key.first()?.clone();
    targets.rules.clear();
    targets.list = Some(list.to_owned());
    targets.fields.retain(|target| target.key || target.part_of.as_ref().is_some_and(|(own, _)| own == list));
    let keys: Vec<String> = targets.fields.iter().filter(|target| target.key).flat_map(normalized_words).collect();
    let own = item_references(contract, operation);
    for target in &mut targets.fields {
        match target.part_of.clone() {
            None => target.required = target.path == first,
            Some((_, name)) => {
                let more =
                    equivalent_names(contract, &name, own.iter().find(|reference| reference.path == target.path));
                let more = more.into_iter().filter(|word| !keys.contains(&normalize_heading(word)));
                target.synonyms.extend(more);
            }
        }
    }
    targets.fields.iter().any(|target| target.part_of.is_some()).then_some(targets)
}

fn normalized_words(target: &TargetField) -> Vec<String> {
    let names = [&target.names.en, &target.names.de, &target.names.es, &target.names.pt];
    let all = names.into_iter().chain(&target.synonyms).chain([&target.path]);
    all.map(|word| normalize_heading(word)).collect()
}

/// Returns the names of fields in other operations that have the same name or the same reference.
fn equivalent_names(contract: &Contract, name: &str, reference: Option<&ItemReference>) -> Vec<String> {
    let mut found = Vec::new();
    for operation in contract.operations().iter().filter(|operation| operation.kind == OperationKind::Sync) {
        let Some(shape) = &operation.request else { continue };
        let theirs = item_references(contract, &operation.id);
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

/// Returns the lists that a sheet with these headings may have parts of, best first. `sheets` are the sheets with
/// items, each with its operation.
pub(super) fn rate_part_choices(
    contract: &Contract,
    name: &str,
    headings: &[String],
    sheets: &[(&str, &str)],
) -> Vec<PartChoice> {
    let mut choices: Vec<PartChoice> = Vec::new();
    for (of, operation) in sheets {
        let found = contract.operation(operation).filter(|operation| operation.kind == OperationKind::Sync);
        let Some(shape) = found.and_then(|operation| operation.request.as_ref()) else { continue };
        for list in part_lists(shape) {
            let is_named = sheet_words(list).any(|word| normalize_heading(name).contains(&word));
            let score =
                part_targets(contract, operation, &list.name).and_then(|targets| rate_headings(&targets, headings));
            if let Some(score) = score.filter(|&score| score > 0.0) {
                let bonus = if is_named { NAME_BONUS } else { 0.0 };
                let part = StepPart { of: (*of).to_owned(), list: list.name.clone() };
                choices.push(PartChoice {
                    part,
                    score: score * (1.0 - NAME_BONUS - SAME_WORKBOOK_BONUS) + SAME_WORKBOOK_BONUS + bonus,
                });
            }
        }
    }
    choices.sort_by(|a, b| b.score.total_cmp(&a.score));
    choices
}

/// Returns the part that is chosen without asking, because it's better than the sheet's best own operation. If a column
/// of the sheet's own key is missing, parts win unless they're clearly worse.
pub(super) fn find_clear_part(choices: &[PartChoice], own: Option<f64>, has_key: bool) -> Option<&StepPart> {
    let best = choices.first()?;
    let more = if has_key { 0.0 } else { MISSING_KEY_BONUS };
    (best.score >= MIN_SCORE && own.is_none_or(|own| best.score + more > own)).then_some(&best.part)
}

/// Rates headings from 0 to 1. One half is the columns' average match score, with 0 for a column without a field. The
/// other half is the share of required fields with a column. Returns `None` without the key's first field, or without a
/// field of the part.
fn rate_headings(targets: &TargetFields, headings: &[String]) -> Option<f64> {
    let named: Vec<String> = headings.iter().filter(|heading| !heading.is_empty()).cloned().collect();
    let matches = Vocabulary::new(targets).match_headings(&named);
    let has = |path: &str| matches.iter().any(|column_match| column_match.fills(path));
    let part = targets.fields.iter().any(|target| target.part_of.is_some() && has(&target.path));
    if !part || !has(targets.key.first()?) {
        return None;
    }
    let scores = matches.iter().filter_map(|column_match| column_match.matched.as_ref()).map(|matched| matched.score);
    let needed: Vec<&TargetField> = targets.fields.iter().filter(|target| target.required).collect();
    let filled = needed.iter().filter(|target| has(&target.path)).count();
    Some((scores.sum::<f64>() / to_float(named.len()) + to_float(filled) / to_float(needed.len().max(1))) / 2.0)
}

#[expect(clippy::cast_precision_loss, reason = "counts of columns")]
fn to_float(count: usize) -> f64 {
    count as f64
}
