//! Reports which parts of the contract a document has.

use serde::Serialize;
use takt_contract::{Contract, Operation, OperationKind};

use crate::{
    Document,
    matching::{MatchDecision, OperationMatch},
    proposal::{NoteKind, Proposal, ProposalNote},
};

/// The parts of the contract that a document has, lacks or adds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Coverage {
    /// One for each operation of the contract, in its order.
    pub operations: Vec<OperationCoverage>,
    /// The ids of usable operations that the contract doesn't have.
    pub added: Vec<String>,
    /// References that weren't followed.
    pub external: Vec<String>,
}

/// The coverage of one operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct OperationCoverage {
    pub operation: String,
    pub decision: MatchDecision,
    /// Paths of the contract's fields that the document doesn't have.
    pub gone: Vec<String>,
    /// Paths of the document's fields that the contract doesn't have.
    pub added: Vec<String>,
    /// The open questions.
    pub open: Vec<NoteKind>,
}

impl Coverage {
    /// Returns whether every operation is matched and has its key.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let fits =
            |one: &OperationCoverage| one.decision == MatchDecision::Matched && !one.open.contains(&NoteKind::KeyGone);
        self.operations.iter().all(fits)
    }
}

/// Returns the coverage of a document. `before` and `after` are the contracts without and with the proposed overlay.
#[must_use]
pub fn measure_coverage(
    document: &Document,
    matches: &[OperationMatch],
    proposal: &Proposal,
    before: &Contract,
    after: &Contract,
) -> Coverage {
    let operations = matches.iter().map(|one| {
        let known = before.operation(&one.operation).map(field_paths).unwrap_or_default();
        let found = after.operation(&one.operation).map(field_paths).unwrap_or_default();
        let without = |all: &[String], others: &[String]| -> Vec<String> {
            all.iter().filter(|path| !others.contains(path)).cloned().collect()
        };
        let open = |note: &&ProposalNote| note.operation == one.operation;
        OperationCoverage {
            operation: one.operation.clone(),
            decision: one.decision,
            gone: without(&known, &found),
            added: without(&found, &known),
            open: proposal.notes.iter().filter(open).map(|note| note.kind).collect(),
        }
    });
    let added = proposal.overlay.operations.iter().filter(|one| one.adds.is_some()).map(|one| one.id.clone());
    Coverage {
        operations: operations.collect(),
        added: added.collect(),
        external: document.external_references().to_vec(),
    }
}

/// Returns the paths of the request's fields, or of the response's fields for a read.
fn field_paths(operation: &Operation) -> Vec<String> {
    let shape = if operation.kind == OperationKind::Read { &operation.answer } else { &operation.request };
    shape.iter().flat_map(|shape| shape.fields_with_paths()).map(|(path, _)| path).collect()
}
