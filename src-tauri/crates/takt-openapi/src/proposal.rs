//! Proposes an overlay on the contract from a document and its matches.
//!
//! | module | owns |
//! |---|---|
//! | `parameters` | parameters and pages |
//! | `shape` | lists of objects: their member, their fields |
//! | `batch` | the form of a batch's response |
//! | `assumptions` | values that replace assumptions about the service |
//! | `errors` | the members of error bodies |
//! | `marks` | Takt's marks in documents exported by Takt |
//! | `proposer` | the document, and the notes |
//! | `added` | operations that the contract doesn't have |
//!
//! Questions that the document leaves open become [`ProposalNote`]s.

mod added;
pub mod assumptions;
mod batch;
mod errors;
mod marks;
mod parameters;
mod proposer;
mod shape;

pub(crate) use batch::outcome_of_name;
pub use proposer::{NoteKind, ProposalNote};
use proposer::{Proposer, document_node};
use serde::Serialize;
use takt_contract::{
    Contract, Operation, OperationKind,
    overlay::{EventOverlay, OperationOverlay, Overlay},
};

use crate::{
    Document,
    document::DocumentOperation,
    matching::{
        OperationMatch,
        body::{answer, request},
        events::{EventMatch, match_events},
    },
};

/// A proposed overlay and notes for its review.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    pub overlay: Overlay,
    pub notes: Vec<ProposalNote>,
}

/// Proposes an overlay from the matches, including operations that the contract doesn't have.
#[must_use]
pub fn propose(document: &Document, matches: &[OperationMatch], contract: &Contract) -> Proposal {
    let mut proposer = Proposer { document, notes: Vec::new() };
    let mut operations = Vec::new();
    for one in matches {
        let found = one.matched().and_then(|best| operation(document, &best.method, &best.path));
        if let (Some(documented), Some(contract_operation)) = (found, contract.operation(&one.operation)) {
            operations.push(proposer.operation(contract_operation, documented));
        }
    }
    operations.extend(proposer.added(matches, contract));
    let overlay = Overlay {
        operations,
        events: proposer.events(contract),
        errors: errors::form(document),
        reply: marks::read(Some(document.value()), "x-takt-reply"),
        assumptions: assumptions::overlays(document, contract),
    };
    Proposal { overlay, notes: proposer.notes }
}

pub(crate) fn operation<'a>(document: &'a Document, method: &str, path: &str) -> Option<&'a DocumentOperation> {
    document.operations().iter().find(|operation| operation.method == method && operation.path == path)
}

impl Proposer<'_> {
    /// Proposes overlays for the contract's events.
    fn events(&mut self, contract: &Contract) -> Vec<EventOverlay> {
        let noted = self.notes.len();
        let matches = match_events(self.document, contract.events());
        let overlays = matches.into_iter().filter_map(|EventMatch { event, sent }| {
            let (provenance, body) = (self.provenance(sent), request(self.document, sent)?);
            let fields = self.event_fields(event, &body, &provenance);
            Some(EventOverlay { id: event.id, provenance, fields })
        });
        let overlays = overlays.collect();
        // Notes belong to operations, so those of events are dropped.
        self.notes.truncate(noted);
        overlays
    }

    fn operation(&mut self, contract_operation: &Operation, documented: &DocumentOperation) -> OperationOverlay {
        let mut overlay = OperationOverlay::new(&contract_operation.id, self.provenance(documented));
        overlay.method = Some(documented.method.clone());
        overlay.path = Some(self.document.path_at_site(&documented.path));
        match contract_operation.kind {
            OperationKind::Query => return overlay,
            OperationKind::Read => {
                overlay.paging = Some(self.paging(&contract_operation.id, documented));
                overlay.answer =
                    answer(self.document, documented).and_then(|body| self.shape(contract_operation, &body, &overlay));
            }
            OperationKind::Sync | OperationKind::Delete => {
                overlay.request =
                    request(self.document, documented).and_then(|body| self.shape(contract_operation, &body, &overlay));
                overlay.batch = self.batch(contract_operation, documented);
            }
        }
        overlay.parameters = Some(self.parameters(contract_operation, documented, &overlay));
        overlay.key = marks::read(document_node(self.document, documented), "x-takt-key");
        overlay.batch_size = marks::read(document_node(self.document, documented), "x-takt-batch-size");
        overlay
    }
}
