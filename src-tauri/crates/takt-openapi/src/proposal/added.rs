//! Proposes operations that the contract doesn't have: reads of lists, and requests with lists of objects.

use std::collections::HashSet;

use takt_contract::{
    Contract, FieldKind, Names, Operation, OperationKind, Provenance, Shape,
    form::{BatchForm, Paging},
    overlay::{AddedOperation, OperationOverlay},
};

use super::{
    marks,
    proposer::{Proposer, document_node},
    shape::names_of,
};
use crate::{
    document::DocumentOperation,
    list::main_list,
    matching::{
        OperationMatch,
        body::answer,
        kind::{ReadByBody, kinds, read_by_body},
    },
    words::{Vocabulary, split},
};

/// Proposed operations that the contract doesn't have.
const MAX_ADDED: usize = 500;

impl Proposer<'_> {
    pub(super) fn added(&mut self, matches: &[OperationMatch], contract: &Contract) -> Vec<OperationOverlay> {
        let document = self.document;
        let taken: HashSet<(&str, &str)> = matches
            .iter()
            .filter_map(|one| one.best.as_ref())
            .map(|best| (best.method.as_str(), best.path.as_str()))
            .collect();
        let mut ids: HashSet<String> = contract.operations().iter().map(|operation| operation.id.clone()).collect();
        let mut added = Vec::new();
        for documented in document.operations() {
            if added.len() >= MAX_ADDED || taken.contains(&(documented.method.as_str(), documented.path.as_str())) {
                continue;
            }
            let Some(kind) = self.usable(documented) else { continue };
            let base = documented.mark.clone().unwrap_or_else(|| id(documented, kind));
            let numbered = (2..).map(|number| format!("{base}-{number}"));
            let id = std::iter::once(base.clone()).chain(numbered).find(|id| !ids.contains(id)).unwrap_or_default();
            ids.insert(id.clone());
            added.push(self.added_operation(&id, kind, documented));
        }
        added
    }

    /// Returns the kind if it reads a list or sends a list of objects. Other operations can't be used.
    fn usable(&self, documented: &DocumentOperation) -> Option<OperationKind> {
        let marked = marks::read(document_node(self.document, documented), "x-takt-kind");
        if marked.is_some() {
            return marked.filter(|kind| *kind != OperationKind::Query);
        }
        let kind = kinds(self.document, documented).into_iter().next()?;
        let lists = || answer(self.document, documented).and_then(|body| main_list(self.document, &body)).is_some();
        match kind {
            // An operation that may change data must not be sent for browsing.
            OperationKind::Read if read_by_body(self.document, documented) == ReadByBody::Perhaps => None,
            OperationKind::Read => lists().then_some(kind),
            OperationKind::Sync | OperationKind::Delete => Some(kind),
            OperationKind::Query => None,
        }
    }

    fn added_operation(&mut self, id: &str, kind: OperationKind, documented: &DocumentOperation) -> OperationOverlay {
        let provenance = self.provenance(documented);
        let area =
            documented.tags.first().cloned().unwrap_or_else(|| id.split('.').next().unwrap_or_default().to_owned());
        let summary = Some(documented.summary.as_str()).filter(|summary| !summary.is_empty());
        let name = documented.operation_id.as_deref().unwrap_or(id);
        let node = document_node(self.document, documented);
        let names = marks::read(node, "x-takt-names").unwrap_or_else(|| names_of(name, summary));
        let mut overlay = self.operation(&unknown(id, kind, &provenance), documented);
        overlay.key = overlay.key.clone().or_else(|| Some(key(&overlay)));
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
fn key(overlay: &OperationOverlay) -> Vec<String> {
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
fn id(documented: &DocumentOperation, kind: OperationKind) -> String {
    let kebab = |text: &str| split(text).join("-");
    let plain = documented.path.split('/').filter(|part| !part.contains('{'));
    let noise = |part: &&str| !Vocabulary::get().subjects(part).is_empty();
    let segments: Vec<String> = plain.filter(noise).map(kebab).filter(|part| !part.is_empty()).collect();
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
fn unknown(id: &str, kind: OperationKind, provenance: &Provenance) -> Operation {
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
        request: sends.then(Shape::default),
        answer: (!sends).then(Shape::default),
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
