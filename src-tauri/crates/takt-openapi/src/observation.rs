//! A contract learned from answers: what a site's answers show, as an overlay.
//!
//! The answers are described as an OpenAPI document, and that is matched and proposed like one that a site wrote itself. What
//! an answer doesn't hold may be there all the same, so nothing is ever gone by it, and nothing is required.

mod schema;

use serde_json::{Map, Value, json};
use takt_contract::{
    Contract, Field, FieldKind, Operation, OperationKind, Provenance, ProvenanceLevel,
    form::ValueForm,
    overlay::{FieldOverlay, OperationOverlay, Overlay, ShapeOverlay},
};

use crate::{Document, DocumentError, matching::OperationMatch, proposal::propose};

/// An answer to one of the contract's reads.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    pub operation: &'a Operation,
    pub body: &'a Value,
}

/// What the answers show of the operations that were asked, and of the changes that are seen again there.
///
/// # Errors
/// Where the answers are too large or too deep to be described.
pub fn observe(samples: &[Sample<'_>], contract: &Contract) -> Result<Overlay, DocumentError> {
    let document = Document::read(described(samples).to_string().as_bytes())?;
    let matches: Vec<OperationMatch> = samples
        .iter()
        .map(|sample| OperationMatch::by_hand(&sample.operation.id, &sample.operation.method, &sample.operation.path))
        .collect();
    let proposed = propose(&document, &matches, contract).overlay;
    let read = proposed.operations.iter().filter_map(|proposed| observed(proposed, contract.operation(&proposed.id)));
    let changes = contract.operations().iter().filter_map(|change| from_read_side(change, &proposed.operations));
    Ok(Overlay { operations: read.chain(changes).collect(), ..Overlay::default() })
}

/// The answers as an OpenAPI document.
fn described(samples: &[Sample<'_>]) -> Value {
    let mut paths = Map::new();
    for Sample { operation, body } in samples {
        let answer = json!({ "description": "", "content": { "application/json": { "schema": schema::of(body) } } });
        let method = operation.method.to_lowercase();
        let node = json!({ "x-takt-operation": operation.id, "responses": { "200": answer } });
        paths.insert(operation.path.clone(), json!({ method: node }));
    }
    json!({ "openapi": "3.1.0", "info": { "title": "", "version": "" }, "paths": paths })
}

/// Only what an answer can show: the list and its fields. Who said so before keeps the word where the answer only agrees.
fn observed(proposed: &OperationOverlay, known: Option<&Operation>) -> Option<OperationOverlay> {
    let answer = proposed.answer.as_ref()?;
    let seen = provenance("an answer of the site");
    let shape = known.and_then(|operation| operation.answer.as_ref());
    let fields = observed_fields(&answer.fields, shape.map_or(&[][..], |shape| &shape.fields), &seen);
    let said = known.map(|operation| operation.provenance.clone()).filter(|said| !is_assumed(said));
    let mut operation = OperationOverlay::new(&proposed.id, said.unwrap_or(seen));
    operation.answer = Some(ShapeOverlay { member: answer.member.clone(), schema: None, complete: false, fields });
    Some(operation)
}

fn observed_fields(fields: &[FieldOverlay], known: &[Field], seen: &Provenance) -> Vec<FieldOverlay> {
    let observed = |field: &FieldOverlay| {
        let known = known.iter().find(|known| known.name == field.name);
        let parts = observed_fields(&field.fields, known.map_or(&[][..], |known| &known.fields), seen);
        let agrees = known.is_some_and(|known| agrees(known, field));
        let form = field.form.clone().filter(|form| !agrees && !is_moment(form));
        let wire = field.wire.as_deref().unwrap_or(&field.name);
        let same = agrees && known.is_some_and(|known| known.wire_name() == wire);
        let said = known.map(|known| known.provenance.clone()).filter(|said| same && !is_assumed(said));
        FieldOverlay {
            wire: Some(wire.to_owned()),
            kind: field.kind.filter(|_| !agrees),
            form,
            names: field.names.clone().filter(|_| known.is_none()),
            fields: parts,
            ..FieldOverlay::new(&field.name, said.unwrap_or_else(|| seen.clone()))
        }
    };
    fields.iter().map(observed).collect()
}

/// Whether what came may well be what the contract says: a form of its own explains any value, text may look like anything, and
/// a whole number is a number, too.
fn agrees(known: &Field, field: &FieldOverlay) -> bool {
    let Some(kind) = field.kind else { return true };
    let looks_alike = match (known.kind, kind) {
        (FieldKind::Text, FieldKind::DateTime | FieldKind::Duration) | (FieldKind::Number, FieldKind::Integer) => true,
        (known, kind) => {
            known == kind && field.form.as_ref().is_none_or(|form| *form == ValueForm::AsIs || is_moment(form))
        }
    };
    known.form != ValueForm::AsIs || looks_alike
}

fn is_assumed(provenance: &Provenance) -> bool {
    provenance.level == ProvenanceLevel::Assumed
}

fn is_moment(form: &ValueForm) -> bool {
    matches!(form, ValueForm::OffsetDateTime | ValueForm::UtcDateTime | ValueForm::DateOnly)
}

/// A change's fields are probably called as they are where they are read again, and its moments look alike; a first trial run
/// proves it.
fn from_read_side(change: &Operation, proposed: &[OperationOverlay]) -> Option<OperationOverlay> {
    let shape = change.request.as_ref().filter(|_| change.kind == OperationKind::Sync)?;
    let read = change.read_back.as_ref()?;
    let answer = proposed.iter().find(|operation| operation.id == read.list)?.answer.as_ref()?;
    let provenance = provenance("the answer of its read side; not tried yet");
    let learned = |field: &Field| {
        if !is_assumed(&field.provenance) {
            return None;
        }
        let tie = read.key.iter().find(|tie| tie.own == field.name);
        let theirs = tie.map_or(field.name.as_str(), |tie| tie.theirs.as_str());
        let shown = answer.fields.iter().find(|shown| shown.name == theirs)?;
        let form = shown.form.clone().filter(|form| field.kind == FieldKind::DateTime && is_moment(form));
        let differs = shown.wire.is_some() || form.is_some();
        let overlay =
            FieldOverlay { wire: shown.wire.clone(), form, ..FieldOverlay::new(&field.name, provenance.clone()) };
        differs.then_some(overlay)
    };
    let fields: Vec<FieldOverlay> = shape.fields.iter().filter_map(learned).collect();
    if fields.is_empty() {
        return None;
    }
    let mut operation = OperationOverlay::new(&change.id, provenance.clone());
    operation.request = Some(ShapeOverlay { fields, ..ShapeOverlay::default() });
    Some(operation)
}

fn provenance(source: &str) -> Provenance {
    Provenance { level: ProvenanceLevel::Observed, source: source.to_owned() }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;

    fn orders(body: &Value) -> (Contract, Contract) {
        let contract = Contract::builtin().unwrap();
        let operation = contract.operation("work-orders.list").unwrap();
        let overlay = observe(&[Sample { operation, body }], &contract).unwrap();
        let learned = contract.with_overlay(&overlay, &TimeZone::UTC);
        (contract, learned)
    }

    #[test]
    fn names_and_the_list_are_learned_from_one_answer() {
        let body = json!({ "Data": { "Items": [
            { "Code": "WO-1", "OperationCode": "010", "BeginPlanned": "2026-11-23T06:00:00+01:00", "Color": "red" },
            { "Code": "WO-2", "OperationCode": "010", "BeginPlanned": null, "Color": "blue" },
        ] } });
        let (before, learned) = orders(&body);
        let answer = learned.operation("work-orders.list").unwrap().answer.as_ref().unwrap();
        assert_eq!(answer.member, "Data.Items");
        let field = |name: &str| answer.fields.iter().find(|field| field.name == name).unwrap();
        assert_eq!(field("code").wire_name(), "Code");
        assert_eq!(field("code").provenance.level, ProvenanceLevel::Observed);
        assert_eq!(field("beginPlanned").wire_name(), "BeginPlanned");
        assert!(answer.fields.iter().any(|field| field.wire_name() == "Color"));
        let known = before.operation("work-orders.list").unwrap().answer.as_ref().unwrap().fields.len();
        assert_eq!(answer.fields.len(), known + 1, "what an answer doesn't show isn't gone");
    }

    #[test]
    fn a_change_takes_the_names_of_its_read_side() {
        let (_, learned) = orders(&json!([{ "Code": "WO-1", "OperationCode": "010" }]));
        let sync = learned.operation("work-orders.sync").unwrap().request.as_ref().unwrap();
        let code = sync.fields.iter().find(|field| field.name == "code").unwrap();
        assert_eq!((code.wire_name(), &code.form), ("Code", &ValueForm::AsIs));
        assert_eq!(code.provenance.level, ProvenanceLevel::Observed);
    }

    #[test]
    fn codes_of_a_material_stay_text() {
        let body = json!({ "data": [{ "code": "P1000", "operationCode": "2026-11-23T06:00:00", "type": "PT10M" }] });
        let (_, learned) = orders(&body);
        let answer = learned.operation("work-orders.list").unwrap().answer.as_ref().unwrap();
        for name in ["code", "operationCode", "type"] {
            let field = answer.fields.iter().find(|field| field.name == name).unwrap();
            assert_eq!((field.kind, &field.form), (FieldKind::Text, &ValueForm::AsIs), "{name}");
        }
    }

    #[test]
    fn what_a_document_said_stays_and_what_came_otherwise_is_told() {
        let contract = Contract::builtin().unwrap();
        let site = Provenance { level: ProvenanceLevel::Site, source: "document".to_owned() };
        let field = |name: &str, wire: &str| FieldOverlay {
            wire: Some(wire.to_owned()),
            ..FieldOverlay::new(name, site.clone())
        };
        let minutes = ValueForm::DurationNumber { unit: takt_contract::form::DurationUnit::Minutes };
        let labor = FieldOverlay {
            kind: Some(FieldKind::Duration),
            form: Some(minutes.clone()),
            ..field("laborPredictedTime", "LaborMinutes")
        };
        let mut operation = OperationOverlay::new("work-orders.list", site.clone());
        let fields = vec![field("code", "Code"), field("operationCode", "Operation"), labor];
        operation.answer = Some(ShapeOverlay { fields, ..ShapeOverlay::default() });
        let overlay = Overlay { operations: vec![operation], ..Overlay::default() };
        let contract = contract.with_overlay(&overlay, &TimeZone::UTC);
        let body = json!({ "data": [{ "Code": "A", "operationCode": "010", "LaborMinutes": 90 }] });
        let operation = contract.operation("work-orders.list").unwrap();
        let learned = observe(&[Sample { operation, body: &body }], &contract).unwrap();
        let learned = contract.with_overlay(&learned, &TimeZone::UTC);
        let answer = learned.operation("work-orders.list").unwrap().answer.clone().unwrap();
        let field = |name: &str| answer.fields.iter().find(|field| field.name == name).unwrap();
        assert_eq!((field("code").wire_name(), field("code").provenance.level), ("Code", ProvenanceLevel::Site));
        let back = field("operationCode");
        assert_eq!((back.wire_name(), back.provenance.level), ("operationCode", ProvenanceLevel::Observed));
        assert_eq!(field("laborPredictedTime").form, minutes, "a number of minutes is what the document said");
    }

    #[test]
    fn an_answer_as_assumed_changes_nothing_but_who_says_so() {
        let body = json!({ "data": [{
            "code": "WO-1", "operationCode": "010", "requestedQuantity": 4, "beginPlanned": "2026-11-23T06:00:00", "endPlanned": "",
            "beginReal": null, "rawMaterials": [],
        }] });
        let (before, learned) = orders(&body);
        let differences = crate::comparison::compare(&before, &learned);
        let changed: Vec<_> = differences
            .iter()
            .filter(|difference| difference.kind != crate::comparison::DifferenceKind::Confirmed)
            .collect();
        assert!(changed.is_empty(), "{changed:?}");
    }
}
