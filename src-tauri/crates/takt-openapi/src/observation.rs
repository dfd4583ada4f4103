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
    Ok(Overlay { operations: read.chain(changes).collect(), errors: None })
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

/// Only what an answer can show: the list and its fields.
fn observed(proposed: &OperationOverlay, known: Option<&Operation>) -> Option<OperationOverlay> {
    let answer = proposed.answer.as_ref()?;
    let provenance = provenance("an answer of the site");
    let known = known.and_then(|operation| operation.answer.as_ref()).map_or(&[][..], |shape| &shape.fields);
    let fields = observed_fields(&answer.fields, known, &provenance);
    let mut operation = OperationOverlay::new(&proposed.id, provenance);
    operation.answer = Some(ShapeOverlay { member: answer.member.clone(), schema: None, complete: false, fields });
    Some(operation)
}

fn observed_fields(fields: &[FieldOverlay], known: &[Field], provenance: &Provenance) -> Vec<FieldOverlay> {
    let observed = fields.iter().map(|field| {
        let known = known.iter().find(|known| known.name == field.name);
        let parts = known.map_or(&[][..], |known| &known.fields);
        // A whole number is a number, too, and Takt reads a moment with and without an offset.
        let whole =
            field.kind == Some(FieldKind::Integer) && known.is_some_and(|known| known.kind == FieldKind::Number);
        FieldOverlay {
            wire: field.wire.clone(),
            kind: field.kind.filter(|_| !whole),
            form: field.form.clone().filter(|form| !is_moment(form)),
            names: field.names.clone(),
            fields: observed_fields(&field.fields, parts, provenance),
            ..FieldOverlay::new(&field.name, provenance.clone())
        }
    });
    observed.collect()
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
