//! Proposes the operation of a sheet, by the fields that its headings name.

use serde::{Deserialize, Serialize};
use takt_contract::{Contract, OperationKind};

use crate::{
    heading::normalize_heading,
    matching::Vocabulary,
    target::{TargetField, TargetFields},
};

const MAX_PROPOSALS: usize = 5;
/// Minimum score to choose an operation without asking.
const MIN_SCORE: f64 = 0.5;
/// Minimum lead of the best operation over the next one.
const MIN_LEAD: f64 = 0.02;
/// Bonus for an operation whose name fits the name of the file or sheet.
const NAME_BONUS: f64 = 0.05;

/// An operation that the file may be for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Proposal {
    pub operation: String,
    /// 0 to 1.
    pub score: f64,
    /// Number of columns with a field.
    pub matched: u32,
    /// Number of columns with a heading.
    pub columns: u32,
    /// Required fields without a column.
    pub missing: Vec<String>,
}

/// Every operation that takes items, with its vocabulary. The sheets that one call opens share it, since preparing
/// thousands of words takes time.
#[derive(Debug)]
pub(crate) struct KnownOperations {
    targets: Vec<TargetFields>,
    /// In the order of the targets.
    vocabularies: Vec<Vocabulary>,
}

impl KnownOperations {
    pub(crate) fn new(contract: &Contract) -> Self {
        let is_change = |kind| matches!(kind, OperationKind::Sync | OperationKind::Delete);
        let changes = contract.operations().iter().filter(|operation| is_change(operation.kind));
        let targets: Vec<TargetFields> = changes.filter_map(TargetFields::from_operation).collect();
        let vocabularies = targets.iter().map(Vocabulary::new).collect();
        Self { targets, vocabularies }
    }

    pub(crate) fn vocabularies(&self) -> &[Vocabulary] {
        &self.vocabularies
    }

    /// Returns the best proposals, best first. `hints` are the file's and the sheet's names.
    pub(crate) fn propose_operations(&self, contract: &Contract, headings: &[String], hints: &[&str]) -> Vec<Proposal> {
        let known = self.targets.iter().zip(&self.vocabularies);
        let mut proposals: Vec<Proposal> = known
            .filter_map(|(targets, vocabulary)| rate_operation(contract, targets, vocabulary, headings, hints))
            .collect();
        proposals.sort_by(|a, b| b.score.total_cmp(&a.score));
        proposals.truncate(MAX_PROPOSALS);
        proposals
    }
}

/// Returns the operation that is chosen without asking, if one is clear.
pub(crate) fn clear_winner(proposals: &[Proposal]) -> Option<&str> {
    let best = proposals.first()?;
    let next = proposals.get(1).map_or(0.0, |next| next.score);
    (best.score >= MIN_SCORE && best.score - next >= MIN_LEAD).then_some(best.operation.as_str())
}

/// Rates an operation from 0 to 1. One half is the share of columns with a field, the other half the share of required
/// fields with a column.
fn rate_operation(
    contract: &Contract,
    targets: &TargetFields,
    vocabulary: &Vocabulary,
    headings: &[String],
    hints: &[&str],
) -> Option<Proposal> {
    let named: Vec<String> = headings.iter().filter(|heading| !heading.is_empty()).cloned().collect();
    if named.is_empty() {
        return None;
    }
    let matches = vocabulary.match_headings(&named);
    let matched: Vec<(&str, f64)> = matches
        .iter()
        .filter_map(|column_match| column_match.matched.as_ref())
        .map(|matched| (matched.field.as_str(), matched.score))
        .collect();
    if matched.is_empty() {
        return None;
    }
    let required: Vec<&TargetField> =
        targets.fields.iter().filter(|target| target.required && target.part_of.is_none()).collect();
    let missing: Vec<String> = required
        .iter()
        .filter(|target| !matched.iter().any(|(field, _)| *field == target.path))
        .map(|target| target.path.clone())
        .collect();
    let columns = matched.iter().map(|(_, score)| score).sum::<f64>() / to_float(named.len());
    let present = 1.0 - to_float(missing.len()) / to_float(required.len().max(1));
    let bonus = if is_named_in_hints(contract, &targets.operation, hints) { NAME_BONUS } else { 0.0 };
    // Two operations may have the same fields, so the name bonus must make a difference even for a perfect match.
    Some(Proposal {
        operation: targets.operation.clone(),
        score: (columns + present) / 2.0 * (1.0 - NAME_BONUS) + bonus,
        matched: u32::try_from(matched.len()).unwrap_or(u32::MAX),
        columns: u32::try_from(named.len()).unwrap_or(u32::MAX),
        missing,
    })
}

fn is_named_in_hints(contract: &Contract, operation: &str, hints: &[&str]) -> bool {
    let Some(operation) = contract.operation(operation) else { return false };
    let names = &operation.names;
    let words = [&operation.id, &names.en, &names.de, &names.es, &names.pt].map(|name| normalize_heading(name));
    hints
        .iter()
        .map(|hint| normalize_heading(hint))
        .any(|hint| words.iter().any(|word| !word.is_empty() && hint.contains(word.as_str())))
}

#[expect(clippy::cast_precision_loss, reason = "counts of columns")]
fn to_float(count: usize) -> f64 {
    count as f64
}
