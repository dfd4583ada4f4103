//! Proposes an overlay on the contract from a document and its matches, including operations that the contract doesn't
//! have, and the members of error bodies.
//!
//! | module | purpose |
//! |---|---|
//! | `parameters` | parameters and pages |
//! | `shape` | lists of objects: their members and fields |
//! | `batch` | the form of a batch's response |
//! | `assumptions` | values that replace assumptions about the service |
//! | `proposer` | the document with Takt's marks, and the notes |
//!
//! Questions that the document leaves open become [`ProposalNote`]s.

pub mod assumptions;
mod batch;
mod parameters;
mod proposer;
mod shape;

use std::collections::HashSet;

pub(crate) use batch::parse_outcome_name;
pub use proposer::{NoteKind, ProposalNote};
use proposer::{Proposer, document_node, read_mark};
use serde::Serialize;
use shape::display_names;
use takt_contract::{
    Contract, FieldKind, Names, Operation, OperationKind, Provenance, RowSchema,
    form::{BatchForm, ErrorForm, Paging},
    overlay::{AddedOperation, EventOverlay, OperationOverlay, Overlay},
};

use crate::{
    Document,
    document::DocumentOperation,
    matching::{
        OperationMatch,
        events::{EventMatch, match_events},
        kind::{ReadCertainty, possible_kinds, rate_read_certainty},
    },
    member_names::{names, position_in},
    object_list::find_main_list,
    schema::Schema,
    words::{Vocabulary, split_words},
};

/// The maximum number of proposed operations that the contract doesn't have.
const MAX_ADDED_OPERATIONS: usize = 500;
/// The maximum number of error responses that are read. Most of them share a few schemas.
const MAX_ERROR_ANSWERS: usize = 300;

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
pub fn propose_overlay(document: &Document, matches: &[OperationMatch], contract: &Contract) -> Proposal {
    let mut proposer = Proposer { document, notes: Vec::new() };
    let mut operations = Vec::new();
    for one in matches {
        let found = one.matched().and_then(|best| find_operation(document, &best.method, &best.path));
        if let (Some(documented), Some(contract_operation)) = (found, contract.operation(&one.operation)) {
            operations.push(proposer.propose_operation(contract_operation, documented));
        }
    }
    operations.extend(proposer.propose_new_operations(matches, contract));
    let overlay = Overlay {
        operations,
        events: proposer.propose_events(contract),
        errors: find_error_form(document),
        reply: read_mark(Some(document.value()), "x-takt-reply"),
        assumptions: assumptions::assumption_overlays(document, contract),
    };
    Proposal { overlay, notes: proposer.notes }
}

fn find_operation<'a>(document: &'a Document, method: &str, path: &str) -> Option<&'a DocumentOperation> {
    document.operations().iter().find(|operation| operation.method == method && operation.path == path)
}

impl Proposer<'_> {
    /// Proposes overlays for the contract's events.
    fn propose_events(&mut self, contract: &Contract) -> Vec<EventOverlay> {
        let noted = self.notes.len();
        let matches = match_events(self.document, contract.events());
        let overlays = matches.into_iter().filter_map(|EventMatch { event, webhook }| {
            let (provenance, body) = (self.provenance(webhook), self.document.request_body(webhook)?);
            let fields = self.propose_event_fields(event, &body, &provenance);
            Some(EventOverlay { id: event.id, provenance, fields })
        });
        let overlays = overlays.collect();
        // Notes belong to operations, so notes about events are dropped.
        self.notes.truncate(noted);
        overlays
    }

    fn propose_operation(
        &mut self,
        contract_operation: &Operation,
        documented: &DocumentOperation,
    ) -> OperationOverlay {
        let mut overlay = OperationOverlay::new(&contract_operation.id, self.provenance(documented));
        overlay.method = Some(documented.method.clone());
        overlay.path = Some(self.document.path_at_site(&documented.path));
        match contract_operation.kind {
            OperationKind::Query => return overlay,
            OperationKind::Read => {
                overlay.paging = Some(self.propose_paging(&contract_operation.id, documented));
                overlay.answer = self
                    .document
                    .response_body(documented)
                    .and_then(|body| self.propose_shape(contract_operation, &body, &overlay));
            }
            OperationKind::Sync | OperationKind::Delete => {
                overlay.request = self
                    .document
                    .request_body(documented)
                    .and_then(|body| self.propose_shape(contract_operation, &body, &overlay));
                overlay.batch = self.propose_batch(contract_operation, documented);
            }
        }
        overlay.parameters = Some(self.propose_parameters(contract_operation, documented, &overlay));
        overlay.key = read_mark(document_node(self.document, documented), "x-takt-key");
        overlay.batch_size = read_mark(document_node(self.document, documented), "x-takt-batch-size");
        overlay
    }

    /// Proposes operations that the contract doesn't have: reads of lists, and requests with lists of objects.
    fn propose_new_operations(&mut self, matches: &[OperationMatch], contract: &Contract) -> Vec<OperationOverlay> {
        let document = self.document;
        let matched: HashSet<(&str, &str)> = matches
            .iter()
            .filter_map(|one| one.best.as_ref())
            .map(|best| (best.method.as_str(), best.path.as_str()))
            .collect();
        let mut ids: HashSet<String> = contract.operations().iter().map(|operation| operation.id.clone()).collect();
        let mut added = Vec::new();
        for documented in document.operations() {
            if added.len() >= MAX_ADDED_OPERATIONS
                || matched.contains(&(documented.method.as_str(), documented.path.as_str()))
            {
                continue;
            }
            let Some(kind) = self.usable_kind(documented) else { continue };
            let base = documented.mark.clone().unwrap_or_else(|| propose_operation_id(documented, kind));
            let numbered = (2..).map(|number| format!("{base}-{number}"));
            let id = std::iter::once(base.clone()).chain(numbered).find(|id| !ids.contains(id)).unwrap_or_default();
            ids.insert(id.clone());
            added.push(self.propose_new_operation(&id, kind, documented));
        }
        added
    }

    /// Returns the kind of an operation that reads a list or sends a list of objects. Other operations can't be used.
    fn usable_kind(&self, documented: &DocumentOperation) -> Option<OperationKind> {
        let marked = read_mark(document_node(self.document, documented), "x-takt-kind");
        if marked.is_some() {
            return marked.filter(|kind| *kind != OperationKind::Query);
        }
        let kind = possible_kinds(self.document, documented).into_iter().next()?;
        let lists =
            || self.document.response_body(documented).and_then(|body| find_main_list(self.document, &body)).is_some();
        match kind {
            // An operation that may change data must not be sent for browsing.
            OperationKind::Read if rate_read_certainty(self.document, documented) == ReadCertainty::Perhaps => None,
            OperationKind::Read => lists().then_some(kind),
            OperationKind::Sync | OperationKind::Delete => Some(kind),
            OperationKind::Query => None,
        }
    }

    fn propose_new_operation(
        &mut self,
        id: &str,
        kind: OperationKind,
        documented: &DocumentOperation,
    ) -> OperationOverlay {
        let provenance = self.provenance(documented);
        let area =
            documented.tags.first().cloned().unwrap_or_else(|| id.split('.').next().unwrap_or_default().to_owned());
        let summary = Some(documented.summary.as_str()).filter(|summary| !summary.is_empty());
        let name = documented.operation_id.as_deref().unwrap_or(id);
        let node = document_node(self.document, documented);
        let names = read_mark(node, "x-takt-names").unwrap_or_else(|| display_names(name, summary));
        let mut overlay = self.propose_operation(&empty_operation(id, kind, &provenance), documented);
        overlay.key = overlay.key.clone().or_else(|| Some(choose_key_fields(&overlay)));
        overlay.adds = Some(AddedOperation {
            kind,
            area,
            purpose: summary.map_or_else(|| names.en.clone(), str::to_owned),
            names,
        });
        overlay
    }
}

/// Returns the fields of the business key: required codes, else the first code.
fn choose_key_fields(overlay: &OperationOverlay) -> Vec<String> {
    let shape = overlay.request.as_ref().or(overlay.answer.as_ref());
    let fields = shape.map_or(&[][..], |shape| &shape.fields);
    let plain = |kind: Option<FieldKind>| matches!(kind, Some(FieldKind::Text | FieldKind::Integer));
    let is_code = |name: &str| {
        let concepts = Vocabulary::get().concepts(name);
        concepts.last().is_some_and(|last| last == "code" || last == "id" || last.ends_with(" code"))
    };
    let required =
        fields.iter().filter(|field| field.required == Some(true) && plain(field.kind) && is_code(&field.name));
    let required: Vec<String> = required.map(|field| field.name.clone()).collect();
    if !required.is_empty() {
        return required;
    }
    let first = fields.iter().find(|field| plain(field.kind) && is_code(&field.name));
    first.map(|field| field.name.clone()).into_iter().collect()
}

/// Returns an id of area and verb, such as `tools.list` or `tool-calibrations.import`.
fn propose_operation_id(documented: &DocumentOperation, kind: OperationKind) -> String {
    let kebab = |text: &str| split_words(text).join("-");
    let plain = documented.path.split('/').filter(|part| !part.contains('{'));
    let has_subject = |part: &&str| !Vocabulary::get().distinctive_concepts(part).is_empty();
    let segments: Vec<String> = plain.filter(has_subject).map(kebab).filter(|part| !part.is_empty()).collect();
    let area = documented
        .tags
        .first()
        .map(|tag| kebab(tag))
        .filter(|tag| !tag.is_empty())
        .or_else(|| segments.first().cloned());
    let area = area.unwrap_or_else(|| "site".to_owned());
    let verb = match kind {
        OperationKind::Read => "list",
        OperationKind::Delete => "delete",
        OperationKind::Sync | OperationKind::Query => "sync",
    };
    let last = documented.operation_id.as_deref().map(kebab).or_else(|| segments.last().cloned()).unwrap_or_default();
    let tail = last.strip_prefix(area.as_str()).unwrap_or(&last).trim_matches('-').to_owned();
    let tail = if tail.is_empty() { verb.to_owned() } else { tail };
    format!("{area}.{tail}").chars().take(80).collect()
}

/// Returns an operation without properties except id, kind and provenance.
fn empty_operation(id: &str, kind: OperationKind, provenance: &Provenance) -> Operation {
    let sends = matches!(kind, OperationKind::Sync | OperationKind::Delete);
    Operation {
        id: id.to_owned(),
        area: String::new(),
        area_names: Names::default(),
        kind,
        method: String::new(),
        path: String::new(),
        paged: false,
        paging: Paging::default(),
        purpose: String::new(),
        names: Names::default(),
        provenance: provenance.clone(),
        statements: Vec::new(),
        parameters: Vec::new(),
        request: sends.then(RowSchema::default),
        answer: (!sends).then(RowSchema::default),
        batch: BatchForm::default(),
        key: Vec::new(),
        read_back: None,
        pictures: Vec::new(),
        cleanup: None,
        counts: Default::default(),
        absent: Vec::new(),
        total: None,
        nouns: None,
        batch_size: 0,
        is_repeatable: true,
        list_effects: Default::default(),
        untried: false,
        time_zone: jiff::tz::TimeZone::UTC,
    }
}

/// Returns the members of all error bodies in a document. None if none has a reason.
fn find_error_form(document: &Document) -> Option<ErrorForm> {
    if let Some(form) = read_mark(Some(document.value()), "x-takt-errors") {
        return Some(form);
    }
    let mut bodies: Vec<Schema<'_>> = Vec::new();
    let mut pointers = HashSet::new();
    let answers = document.operations().iter().flat_map(|operation| &operation.responses);
    let failures = answers.filter(|answer| answer.status.starts_with(['4', '5']) || answer.status == "default");
    for pointer in failures.filter_map(|answer| answer.schema.as_ref()).take(MAX_ERROR_ANSWERS) {
        let body = document.schema(pointer);
        let key = body.name.clone().unwrap_or_else(|| pointer.0.clone());
        if pointers.insert(key) {
            bodies.push(body);
        }
    }
    let (reasons, log_id) =
        (find_members_named(&bodies, &names().error_reasons), find_members_named(&bodies, &names().error_log));
    let mut form = ErrorForm { reasons, absent: Vec::new(), log_id };
    let problem = |body: &Schema<'_>| names().problem.iter().all(|name| body.member(name).is_some());
    if form.log_id.is_empty() && bodies.iter().any(problem) {
        form.log_id.clone_from(&names().problem_log);
    }
    (!form.reasons.is_empty()).then_some(form)
}

/// Returns the members that have one of these names, the likeliest first.
fn find_members_named(bodies: &[Schema<'_>], names: &[String]) -> Vec<String> {
    let all = bodies.iter().flat_map(|body| &body.members);
    let mut found: Vec<(usize, &str)> =
        all.filter_map(|member| Some((position_in(names, member.name)?, member.name))).collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|(_, name)| name.to_owned()).collect()
}
