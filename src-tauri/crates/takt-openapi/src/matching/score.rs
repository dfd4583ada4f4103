//! Scores how well an operation of the contract and one of the document match, with reasons.

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;

use super::profile::{ContractProfile, DocumentProfile, WordWeights};

/// The score from which a pair is matched without a question.
pub const MATCH_THRESHOLD: f64 = 0.60;
/// The minimum difference between the scores of a pair and of every alternative.
pub const MIN_LEAD: f64 = 0.05;

/// A reason for a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
// The user interface already has a MatchReason for the columns of an import.
#[serde(rename = "OperationMatchReason", rename_all = "camelCase")]
pub enum MatchReason {
    /// The document's mark names the operation.
    Mark,
    /// Method and path are the same.
    SamePath,
    PathWords,
    Tags,
    OperationId,
    Summary,
    Parameters,
    /// Members of the items or rows.
    Fields,
    /// The operation reads, but its filters are in the body.
    ReadByBody,
    /// The user chose the operation.
    Hand,
}

/// The score from which a part is listed as a reason.
const MIN_REASON_SCORE: f64 = 0.5;

/// The rarity of each word. The rarer a word, the better it distinguishes operations.
pub(crate) struct WordRarity(HashMap<String, f64>);

impl WordRarity {
    pub(crate) fn new(contract: &[ContractProfile], document: &[DocumentProfile]) -> Self {
        let mut counts: HashMap<&str, f64> = HashMap::new();
        let contract_words = contract.iter().filter_map(|profile| profile.words.first()).flat_map(HashMap::keys);
        let document_words = document.iter().flat_map(|profile| profile.path.keys());
        for word in contract_words.chain(document_words) {
            *counts.entry(word).or_insert(0.0) += 1.0;
        }
        let all = to_f64(contract.len() + document.len());
        Self(counts.into_iter().map(|(word, count)| (word.to_owned(), (1.0 + all / count).ln())).collect())
    }

    fn get(&self, word: &str) -> f64 {
        // A word that occurs in no path comes from prose and has less weight.
        self.0.get(word).copied().unwrap_or(0.7)
    }
}

/// Returns the score of a pair from 0 to 1, with its reasons.
pub(crate) fn score_operations(
    contract: &ContractProfile,
    document: &DocumentProfile,
    fields: Option<f64>,
    rarity: &WordRarity,
) -> (f64, Vec<MatchReason>) {
    let best = |weights: &WordWeights| {
        let each = contract.words.iter().map(|words| cosine_similarity(words, weights, rarity));
        each.fold(0.0, f64::max)
    };
    let parts = [
        (MatchReason::PathWords, best(&document.path), 0.30, true),
        (MatchReason::Tags, best(&document.tags), 0.08, !document.tags.is_empty()),
        (MatchReason::OperationId, best(&document.operation_id), 0.08, !document.operation_id.is_empty()),
        (MatchReason::Summary, best(&document.summary), 0.12, !document.summary.is_empty()),
        (MatchReason::Fields, fields.unwrap_or(0.0), 0.45, fields.is_some()),
        parameter_score(contract, document),
    ];
    let known = parts.iter().filter(|(.., known)| *known);
    let (sum, weight) =
        known.fold((0.0, 0.0), |(sum, weight), (_, score, part, _)| (sum + score * part, weight + part));
    let reasons =
        parts.iter().filter(|(_, score, _, known)| *known && *score >= MIN_REASON_SCORE).map(|(reason, ..)| *reason);
    (if weight > 0.0 { sum / weight } else { 0.0 }, reasons.collect())
}

fn parameter_score(contract: &ContractProfile, document: &DocumentProfile) -> (MatchReason, f64, f64, bool) {
    let same =
        contract.parameters.iter().filter(|keys| document.parameters.iter().any(|other| has_shared_key(keys, other)));
    let all = contract.parameters.len();
    let score = if all == 0 { 0.0 } else { to_f64(same.count()) / to_f64(all) };
    (MatchReason::Parameters, score, 0.10, all > 0)
}

/// Returns whether two names have a key in common.
pub(crate) fn has_shared_key(left: &BTreeSet<String>, right: &BTreeSet<String>) -> bool {
    left.iter().any(|key| right.contains(key))
}

fn cosine_similarity(left: &WordWeights, right: &WordWeights, rarity: &WordRarity) -> f64 {
    let weighted = |word: &str, weight: f64| weight.sqrt() * rarity.get(word);
    let product = |(word, weight): (&String, &f64)| {
        right.get(word).map_or(0.0, |other| weighted(word, *weight) * weighted(word, *other))
    };
    let norm = |weights: &WordWeights| {
        weights.iter().map(|(word, weight)| weighted(word, *weight).powi(2)).sum::<f64>().sqrt()
    };
    let norms = norm(left) * norm(right);
    if norms > 0.0 { left.iter().map(product).sum::<f64>() / norms } else { 0.0 }
}

pub(crate) fn to_f64(value: usize) -> f64 {
    f64::from(u32::try_from(value).unwrap_or(u32::MAX))
}
