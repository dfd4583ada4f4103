//! What of the contract a document has: the report on whether it fits Takt.

use serde::Serialize;
use takt_contract::{Contract, Operation, OperationKind};

use crate::{
    Document,
    matching::{MatchDecision, OperationMatch},
    proposal::{NoteKind, Proposal, ProposalNote},
};

/// How well a document fits.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Coverage {
    /// One for each of the contract's operations, in its order.
    pub operations: Vec<OperationCoverage>,
    /// The ids of operations that the contract doesn't know and that can be used.
    pub added: Vec<String>,
    /// References that weren't followed.
    pub external: Vec<String>,
}

/// What the document says of one operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct OperationCoverage {
    pub operation: String,
    pub decision: MatchDecision,
    /// Fields of the contract that the document doesn't have, parts after their carrier.
    pub gone: Vec<String>,
    /// Fields of the document that the contract doesn't have.
    pub added: Vec<String>,
    /// What stays open.
    pub open: Vec<NoteKind>,
}

impl Coverage {
    /// Whether every operation is matched and keeps its key.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let fits =
            |one: &OperationCoverage| one.decision == MatchDecision::Matched && !one.open.contains(&NoteKind::KeyGone);
        self.operations.iter().all(fits)
    }
}

/// The report: the contract before, and what the proposal makes of it.
#[must_use]
pub fn coverage(
    document: &Document,
    matches: &[OperationMatch],
    proposal: &Proposal,
    before: &Contract,
    after: &Contract,
) -> Coverage {
    let operations = matches.iter().map(|one| {
        let known = before.operation(&one.operation).map(paths).unwrap_or_default();
        let found = after.operation(&one.operation).map(paths).unwrap_or_default();
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

/// The paths of what is sent, or of what is read.
fn paths(operation: &Operation) -> Vec<String> {
    let shape = if operation.kind == OperationKind::Read { &operation.answer } else { &operation.request };
    shape.iter().flat_map(|shape| shape.flat()).map(|(path, _)| path).collect()
}
