//! What a document says of a site, as an overlay on the contract.
//!
//! | module | owns |
//! |---|---|
//! | `parameters` | parameters and pages |
//! | `shape` | lists of objects: their member, their fields |
//! | `batch` | what a batch answers |
//! | `assumptions` | what the document says instead of assumptions about the service as a whole |
//! | `errors` | where an error's body carries its words |
//! | `marks` | what Takt's own marks say, where the document was exported by Takt |
//! | `added` | operations that the contract doesn't know |
//!
//! What the document leaves open isn't decided here: it becomes a [`ProposalNote`].

mod added;
pub mod assumptions;
mod batch;
mod errors;
mod marks;
mod parameters;
mod shape;

pub(crate) use batch::verdict;
use serde::Serialize;
use takt_contract::{
    Contract, Operation, OperationKind, Provenance, ProvenanceLevel,
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
    value::ValueDoubt,
};

/// An overlay, and what a person should know of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    pub overlay: Overlay,
    pub notes: Vec<ProposalNote>,
}

/// Something that the document leaves open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ProposalNote {
    pub operation: String,
    /// A field's or parameter's name; empty for the operation itself.
    pub at: String,
    pub kind: NoteKind,
}

/// What is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", tag = "note", content = "doubt")]
pub enum NoteKind {
    /// How a value travels.
    Value(ValueDoubt),
    /// The document doesn't say of what the rows or items are made.
    UnknownShape,
    /// A field of the business key is gone.
    KeyGone,
    /// A header or cookie that every request needs.
    RequiredHeader,
    /// A parameter that Takt doesn't know and every request needs.
    RequiredParameter,
    /// What a batch answers isn't described.
    UnknownAnswer,
    /// Which values mean that an item was accepted.
    SuccessValues,
    /// Rows per page aren't bounded by the document.
    UnknownPageSize,
}

/// The overlay that a document makes of its matches, and the operations that the contract doesn't know.
#[must_use]
pub fn propose(document: &Document, matches: &[OperationMatch], contract: &Contract) -> Proposal {
    let mut proposer = Proposer { document, notes: Vec::new() };
    let mut operations = Vec::new();
    for one in matches {
        let found = one.matched().and_then(|best| operation(document, &best.method, &best.path));
        if let (Some(theirs), Some(ours)) = (found, contract.operation(&one.operation)) {
            operations.push(proposer.operation(ours, theirs));
        }
    }
    operations.extend(proposer.added(matches, contract));
    let overlay = Overlay {
        operations,
        events: proposer.events(contract),
        errors: errors::form(document),
        reply: marks::of(Some(document.value()), "x-takt-reply"),
        assumptions: assumptions::replaced(document, contract),
    };
    Proposal { overlay, notes: proposer.notes }
}

pub(crate) fn operation<'a>(document: &'a Document, method: &str, path: &str) -> Option<&'a DocumentOperation> {
    document.operations().iter().find(|operation| operation.method == method && operation.path == path)
}

fn document_node<'a>(document: &'a Document, theirs: &DocumentOperation) -> Option<&'a serde_json::Value> {
    document.value().pointer(&theirs.pointer)
}

struct Proposer<'a> {
    document: &'a Document,
    notes: Vec<ProposalNote>,
}

impl Proposer<'_> {
    fn note(&mut self, operation: &str, at: &str, kind: NoteKind) {
        self.notes.push(ProposalNote { operation: operation.to_owned(), at: at.to_owned(), kind });
    }

    fn provenance(&self, theirs: &DocumentOperation) -> Provenance {
        let title = self.document.title();
        let source = format!("{title} {}: {} {}", self.document.version(), theirs.method, theirs.path);
        Provenance { level: ProvenanceLevel::Site, source: source.trim_start_matches([' ', ':']).to_owned() }
    }

    /// What the document says of the contract's events.
    fn events(&mut self, contract: &Contract) -> Vec<EventOverlay> {
        let noted = self.notes.len();
        let matches = match_events(self.document, contract.events());
        let overlays = matches.into_iter().filter_map(|EventMatch { event, sent }| {
            let (provenance, body) = (self.provenance(sent), request(self.document, sent)?);
            let fields = self.event_fields(event, &body, &provenance);
            Some(EventOverlay { id: event.id, provenance, fields })
        });
        let overlays = overlays.collect();
        // Notes are of operations.
        self.notes.truncate(noted);
        overlays
    }

    fn operation(&mut self, ours: &Operation, theirs: &DocumentOperation) -> OperationOverlay {
        let mut overlay = OperationOverlay::new(&ours.id, self.provenance(theirs));
        overlay.method = Some(theirs.method.clone());
        overlay.path = Some(self.document.path_at_site(&theirs.path));
        match ours.kind {
            OperationKind::Query => return overlay,
            OperationKind::Read => {
                overlay.paging = Some(self.paging(&ours.id, theirs));
                overlay.answer = answer(self.document, theirs).and_then(|body| self.shape(ours, &body, &overlay));
            }
            OperationKind::Sync | OperationKind::Delete => {
                overlay.request = request(self.document, theirs).and_then(|body| self.shape(ours, &body, &overlay));
                overlay.batch = self.batch(ours, theirs);
            }
        }
        overlay.parameters = Some(self.parameters(ours, theirs, &overlay));
        overlay.key = marks::of(document_node(self.document, theirs), "x-takt-key");
        overlay.batch_size = marks::of(document_node(self.document, theirs), "x-takt-batch-size");
        overlay
    }
}
