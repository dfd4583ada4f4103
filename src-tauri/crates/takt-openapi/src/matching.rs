//! Matches the document's operations and members with the contract's operations and fields.
//!
//! | module | purpose |
//! |---|---|
//! | `read_parameters` | the parameters of a read, including the members of its body |
//! | `kind` | whether an operation reads or changes data |
//! | `profile` | comparable profiles of operations |
//! | `score` | how well two operations match, and why |
//! | `assign` | the assignment with the greatest sum of scores |
//! | `fields` | members and fields |
//! | `events` | webhooks and the contract's events |
//!
//! A wrong match costs more than a question. A pair is matched only above a threshold, and only if no other assignment
//! comes close.

mod assign;
pub(crate) mod events;
mod fields;
pub(crate) mod kind;
mod profile;
pub(crate) mod read_parameters;
mod score;

pub(crate) use fields::{FIELD_THRESHOLD, MemberName, SURE_FIELD_THRESHOLD, match_members, match_names};
pub use fields::{FieldMatch, FieldReason, match_fields};
pub use score::{MATCH_THRESHOLD, MIN_LEAD, MatchReason};

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;
use takt_contract::{Contract, Operation, OperationKind};

use crate::Document;
use kind::ReadCertainty;
use profile::{ContractProfile, DocumentProfile};
use score::{WordRarity, score_operations, to_f64};

/// The minimum score of a candidate that is offered to the user.
const MIN_SCORE: f64 = 0.15;
/// The minimum score of a pair with the same path and method.
const SAME_PATH_SCORE: f64 = 0.98;
/// Multiplies the score of a read whose filters are in the body, because it may be a change.
const READ_BY_BODY_FACTOR: f64 = 0.9;

/// The match of one of the contract's operations in the document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct OperationMatch {
    /// The id of the contract's operation.
    pub operation: String,
    pub best: Option<MatchCandidate>,
    pub runner_up: Option<MatchCandidate>,
    pub decision: MatchDecision,
}

/// An operation of the document that may match.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct MatchCandidate {
    pub method: String,
    pub path: String,
    /// From 0 to 1.
    pub score: f64,
    pub reasons: Vec<MatchReason>,
}

/// The result of matching an operation, and whether the user has to decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub enum MatchDecision {
    Matched,
    /// The best candidate isn't certain enough.
    Ask,
    /// The document has no candidate.
    Missing,
}

impl OperationMatch {
    /// Returns a match that the user chose.
    #[must_use]
    pub fn chosen_by_user(operation: &str, method: &str, path: &str) -> Self {
        let reasons = vec![MatchReason::Hand];
        let best = MatchCandidate { method: method.to_owned(), path: path.to_owned(), score: 1.0, reasons };
        Self { operation: operation.to_owned(), best: Some(best), runner_up: None, decision: MatchDecision::Matched }
    }

    /// Returns the document's operation if it is certain or the user chose it.
    #[must_use]
    pub fn matched(&self) -> Option<&MatchCandidate> {
        self.best.as_ref().filter(|_| self.decision == MatchDecision::Matched)
    }
}

/// Matches each of the contract's operations with at most one of the document's, and the other way around.
#[must_use]
pub fn match_operations(document: &Document, contract: &Contract) -> Vec<OperationMatch> {
    let table = ScoreTable::new(document, contract);
    let assigned = assign::assign_rows(&table.scores);
    let matches = contract.operations().iter().enumerate();
    matches.map(|(row, operation)| table.result(row, operation, &assigned, document)).collect()
}

/// The scores of all pairs: one row for each of the contract's operations, one column for each of the document's.
struct ScoreTable {
    scores: Vec<Vec<f64>>,
    reasons: HashMap<(usize, usize), Vec<MatchReason>>,
}

impl ScoreTable {
    fn new(document: &Document, contract: &Contract) -> Self {
        let known: Vec<ContractProfile> = contract.operations().iter().map(ContractProfile::new).collect();
        let profiles: Vec<DocumentProfile> =
            document.operations().iter().map(|operation| DocumentProfile::new(document, operation)).collect();
        let rarity = WordRarity::new(&known, &profiles);
        let index = FieldIndex::new(&profiles);
        let mut table = Self { scores: Vec::new(), reasons: HashMap::new() };
        for (row, (operation, profile)) in contract.operations().iter().zip(&known).enumerate() {
            let fields = index.scores(profile, &profiles);
            let scores = profiles.iter().enumerate().map(|(column, other)| {
                let (value, reasons) =
                    Self::score_pair(document, operation, profile, column, other, fields.get(column), &rarity);
                if value > 0.0 {
                    table.reasons.insert((row, column), reasons);
                }
                value
            });
            let scores = scores.collect();
            table.scores.push(scores);
        }
        table
    }

    fn score_pair(
        document: &Document,
        operation: &Operation,
        profile: &ContractProfile,
        column: usize,
        other: &DocumentProfile,
        fields: Option<&Option<f64>>,
        rarity: &WordRarity,
    ) -> (f64, Vec<MatchReason>) {
        let Some(documented) = document.operations().get(column) else { return (0.0, Vec::new()) };
        if let Some(mark) = &documented.mark {
            return if *mark == operation.id { (1.0, vec![MatchReason::Mark]) } else { (0.0, Vec::new()) };
        }
        if !other.kinds.contains(&operation.kind) {
            return (0.0, Vec::new());
        }
        if operation.kind == OperationKind::Query {
            return (0.9, vec![MatchReason::PathWords]);
        }
        let (mut value, mut reasons) = score_operations(profile, other, fields.copied().flatten(), rarity);
        let path = document.path_at_site(&documented.path);
        if documented.method == operation.method && [&path, &documented.path].contains(&&operation.path) {
            value = value.max(SAME_PATH_SCORE);
            reasons.insert(0, MatchReason::SamePath);
        }
        if documented.deprecated {
            value *= 0.9;
        }
        if other.read_by_body != ReadCertainty::No {
            reasons.push(MatchReason::ReadByBody);
            value *= READ_BY_BODY_FACTOR;
        }
        if other.read_by_body == ReadCertainty::Perhaps {
            value = value.min(MATCH_THRESHOLD - MIN_LEAD);
        }
        (if value < MIN_SCORE { 0.0 } else { value }, reasons)
    }

    fn score(&self, row: usize, column: usize) -> f64 {
        self.scores.get(row).and_then(|row| row.get(column)).copied().unwrap_or(0.0)
    }

    fn result(
        &self,
        row: usize,
        operation: &Operation,
        assigned: &[Option<usize>],
        document: &Document,
    ) -> OperationMatch {
        let best = assigned.get(row).copied().flatten();
        let others = (0..document.operations().len()).filter(|column| Some(*column) != best);
        let runner_up = others.max_by(|left, right| self.score(row, *left).total_cmp(&self.score(row, *right)));
        let decision = match best {
            None => MatchDecision::Missing,
            Some(column) if self.score(row, column) >= MATCH_THRESHOLD && self.is_clear(row, column, assigned) => {
                MatchDecision::Matched
            }
            Some(_) => MatchDecision::Ask,
        };
        OperationMatch {
            operation: operation.id.clone(),
            best: best.and_then(|column| self.candidate(row, column, document)),
            runner_up: runner_up.and_then(|column| self.candidate(row, column, document)),
            decision,
        }
    }

    fn candidate(&self, row: usize, column: usize, document: &Document) -> Option<MatchCandidate> {
        let operation = document.operations().get(column)?;
        let score = self.score(row, column);
        let reasons = self.reasons.get(&(row, column))?.clone();
        (score > 0.0).then(|| MatchCandidate {
            method: operation.method.clone(),
            path: operation.path.clone(),
            score,
            reasons,
        })
    }

    /// Returns whether the score of every alternative is lower by at least [`MIN_LEAD`]. Alternatives are unassigned
    /// operations of the document or of the contract, and swaps with another pair.
    fn is_clear(&self, row: usize, column: usize, assigned: &[Option<usize>]) -> bool {
        let own = self.score(row, column);
        let columns = self.scores.get(row).map_or(0, Vec::len);
        let owners: HashMap<usize, usize> =
            assigned.iter().enumerate().filter_map(|(row, column)| Some(((*column)?, row))).collect();
        let other_columns = (0..columns).filter(|other| *other != column).all(|other| {
            let here = self.score(row, other);
            match owners.get(&other) {
                None => own - here >= MIN_LEAD,
                Some(owner) => own + self.score(*owner, other) - here - self.score(*owner, column) >= MIN_LEAD,
            }
        });
        let rows_without = assigned.iter().enumerate().filter(|(_, column)| column.is_none());
        other_columns && rows_without.map(|(other, _)| self.score(other, column)).all(|other| own - other >= MIN_LEAD)
    }
}

/// An index from field keys to the members of the document's operations.
struct FieldIndex {
    members_by_key: HashMap<String, Vec<(usize, usize)>>,
}

impl FieldIndex {
    fn new(profiles: &[DocumentProfile]) -> Self {
        let mut members_by_key: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        for (operation, profile) in profiles.iter().enumerate() {
            for (member, keys) in profile.fields.iter().flatten().enumerate() {
                for key in keys {
                    members_by_key.entry(key.clone()).or_default().push((operation, member));
                }
            }
        }
        Self { members_by_key }
    }

    /// Returns the share of fields in common for each operation. None if an operation's members are unknown.
    fn scores(&self, contract: &ContractProfile, profiles: &[DocumentProfile]) -> Vec<Option<f64>> {
        let mut fields = vec![0_usize; profiles.len()];
        let mut members: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); profiles.len()];
        for keys in &contract.fields {
            let mut seen = BTreeSet::new();
            for (operation, member) in keys.iter().filter_map(|key| self.members_by_key.get(key)).flatten() {
                if let Some(members) = members.get_mut(*operation) {
                    members.insert(*member);
                }
                if seen.insert(*operation)
                    && let Some(fields) = fields.get_mut(*operation)
                {
                    *fields += 1;
                }
            }
        }
        let common = profiles.iter().zip(fields.iter().zip(&members)).map(|(profile, (fields, members))| {
            let all = profile.fields.as_ref()?.len() + contract.fields.len();
            Some(if all == 0 { 0.0 } else { to_f64(fields + members.len()) / to_f64(all) })
        });
        common.collect()
    }
}
