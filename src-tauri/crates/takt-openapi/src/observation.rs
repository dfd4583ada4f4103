//! Learns a contract from a site's responses, as an overlay.
//!
//! The responses are described as an OpenAPI document, from which an overlay is proposed as from a site's document. A
//! member that a response lacks may still exist. So observation never removes fields and never makes them required.

mod batch_form;
mod evidence;
mod fields;
mod paging;
mod read_side;
mod schema_inference;

use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};
use takt_contract::{
    Contract, Operation, Provenance, ProvenanceLevel,
    form::at_path,
    overlay::{OperationOverlay, Overlay, ShapeOverlay},
};

use crate::{Document, DocumentError, matching::OperationMatch, proposal::propose_overlay};
use evidence::saturating_count;
use fields::{ObservedObject, is_assumed, observe_fields};
use read_side::ReadSideLearner;
use schema_inference::infer_schema;

pub use batch_form::observe_batch_response;
pub use evidence::{Evidence, EvidenceKind, Observation};
pub use paging::{DetectedPaging, detect_paging};

/// A response to one of the contract's reads.
#[derive(Debug, Clone, Copy)]
pub struct ResponseSample<'a> {
    pub operation: &'a Operation,
    pub body: &'a Value,
}

/// Learns the operations that returned the responses, and the changes that are read back by these operations.
///
/// # Errors
/// Fails if the responses are too large or nested too deeply.
pub fn observe_samples(samples: &[ResponseSample<'_>], contract: &Contract) -> Result<Observation, DocumentError> {
    let document = Document::read(describe_samples(samples).to_string().as_bytes())?;
    let matches: Vec<OperationMatch> = samples
        .iter()
        .map(|sample| {
            OperationMatch::chosen_by_user(&sample.operation.id, &sample.operation.method, &sample.operation.path)
        })
        .collect();
    let proposed = propose_overlay(&document, &matches, contract).overlay.operations;
    let mut evidence = Vec::new();
    let mut operations: Vec<OperationOverlay> = Vec::new();
    for proposed in &proposed {
        let sample = samples.iter().find(|sample| sample.operation.id == proposed.id);
        operations.extend(sample.and_then(|sample| observe_operation(proposed, sample, &mut evidence)));
    }
    let mut overlay = Overlay { operations, ..Overlay::default() };
    let seen = contract.with_overlay(&overlay, &TimeZone::UTC);
    let learner = ReadSideLearner::new(&seen, &overlay, &proposed);
    let changes = contract.operations().iter().filter_map(|change| learner.observe_change(change, &mut evidence));
    let changes: Vec<OperationOverlay> = changes.collect();
    overlay.operations.extend(changes);
    Ok(Observation { overlay, evidence })
}

/// Describes the responses as an OpenAPI document.
fn describe_samples(samples: &[ResponseSample<'_>]) -> Value {
    let mut paths = Map::new();
    for ResponseSample { operation, body } in samples {
        let answer = json!({ "description": "", "content": { "application/json": { "schema": infer_schema(body) } } });
        let method = operation.method.to_lowercase();
        let node = json!({ "x-takt-operation": operation.id, "responses": { "200": answer } });
        paths.insert(operation.path.clone(), json!({ method: node }));
    }
    json!({ "openapi": "3.1.0", "info": { "title": "", "version": "" }, "paths": paths })
}

/// Reduces a proposal to the parts that a response can show: the list and its fields.
fn observe_operation(
    proposed: &OperationOverlay,
    sample: &ResponseSample<'_>,
    evidence: &mut Vec<Evidence>,
) -> Option<OperationOverlay> {
    let (answer, known) = (proposed.answer.as_ref()?, sample.operation);
    let seen = Provenance { level: ProvenanceLevel::Observed, source: "an answer of the site".to_owned() };
    let list = answer.member.as_deref().unwrap_or_default();
    let rows: Vec<&Value> =
        at_path(sample.body, list).and_then(Value::as_array).map(|rows| rows.iter().collect()).unwrap_or_default();
    let shape = known.answer.as_ref();
    if shape.is_none_or(|shape| shape.member != list) {
        evidence.push(Evidence::for_operation(&known.id, EvidenceKind::List, list, saturating_count(rows.len()), 0));
    }
    let context = ObservedObject { operation: &known.id, prefix: String::new(), key: &known.key, provenance: &seen };
    let known_fields = shape.map_or(&[][..], |shape| &shape.fields);
    let fields = observe_fields(&context, &answer.fields, known_fields, &rows, evidence);
    let known_provenance = Some(known.provenance.clone()).filter(|provenance| !is_assumed(provenance));
    let mut operation = OperationOverlay::new(&proposed.id, known_provenance.unwrap_or(seen));
    operation.answer = Some(ShapeOverlay { member: answer.member.clone(), schema: None, complete: false, fields });
    Some(operation)
}

#[cfg(test)]
mod tests {
    use takt_contract::{FieldKind, form::ValueForm, overlay::FieldOverlay};

    use super::*;

    fn orders(body: &Value) -> (Contract, Contract) {
        let contract = Contract::builtin().unwrap();
        let operation = contract.operation("work-orders.list").unwrap();
        let overlay = observe_samples(&[ResponseSample { operation, body }], &contract).unwrap().overlay;
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
    fn whole_numbers_that_come_again_are_codes_and_are_sent_like_that_once_it_is_tried() {
        let row = |code: &str, kind: u32| json!({ "Code": code, "OperationCode": "010", "Type": kind });
        let body = json!([row("A", 1), row("B", 2), row("C", 1), row("D", 2)]);
        let contract = Contract::builtin().unwrap();
        let operation = contract.operation("work-orders.list").unwrap();
        let seen = observe_samples(&[ResponseSample { operation, body: &body }], &contract).unwrap();
        let evidence_of = |kind: EvidenceKind| seen.evidence.iter().find(|evidence| evidence.kind == kind).unwrap();
        let codes = evidence_of(EvidenceKind::Codes);
        assert_eq!((codes.field.as_str(), codes.name.as_str(), codes.of), ("type", "1, 2", 4));
        assert_eq!(evidence_of(EvidenceKind::Capital).name, "Items");
        let learned = contract.with_overlay(&seen.overlay, &TimeZone::UTC);
        let sync = learned.operation("work-orders.sync").unwrap();
        let kind = sync.request.as_ref().unwrap().fields.iter().find(|field| field.name == "type").unwrap();
        assert!(matches!(&kind.form, ValueForm::Codes { codes } if codes.len() == 2));
        assert!(sync.untried && sync.request.as_ref().unwrap().member == "Items");
        assert!(!learned.operation("work-orders.list").unwrap().untried);
    }

    #[test]
    fn as_many_numbers_in_a_row_as_the_contract_has_words_are_those_words() {
        let contract = Contract::builtin().unwrap();
        let operation = contract.operation("order-history.list").unwrap();
        let fields = &operation.answer.as_ref().unwrap().fields;
        let words = fields.iter().find(|field| field.name == "kind").unwrap().limits.values.clone();
        let count = i32::try_from(words.len()).unwrap();
        assert!(count > 1, "{words:?}");
        let learned = |first: i32, count: i32| {
            let rows: Vec<Value> = (0..count * 2)
                .map(|row| json!({ "Code": row.to_string(), "OperationCode": "010", "Kind": first + row % count }))
                .collect();
            let seen = observe_samples(&[ResponseSample { operation, body: &Value::from(rows) }], &contract).unwrap();
            let kinds: Vec<EvidenceKind> =
                seen.evidence.iter().filter(|one| one.field == "kind").map(|one| one.kind).collect();
            let learned = contract.with_overlay(&seen.overlay, &TimeZone::UTC);
            let answer = learned.operation("order-history.list").unwrap().answer.clone().unwrap();
            let field = answer.fields.into_iter().find(|field| field.name == "kind").unwrap();
            (field.limits.values, kinds.contains(&EvidenceKind::CodesInOrder))
        };
        assert_eq!(learned(1, count), (words.clone(), true));
        assert_eq!(learned(0, count), (words, true));
        assert!(!learned(7, count).1 && !learned(1, count - 1).1 && !learned(1, count + 1).1);
    }

    #[test]
    fn what_is_proposed_is_told_with_what_proves_it() {
        let body = json!({ "Data": [
            { "Code": "A", "BeginPlanned": "2026-11-23T06:00:00+01:00", "LaborPredictedTime": "PT1H" },
            { "Code": "B", "BeginPlanned": null, "LaborPredictedTime": "PT2H" },
        ] });
        let contract = Contract::builtin().unwrap();
        let operation = contract.operation("work-orders.list").unwrap();
        let seen = observe_samples(&[ResponseSample { operation, body: &body }], &contract).unwrap();
        let evidence_of = |kind: EvidenceKind, field: &str| {
            let found = seen.evidence.iter().find(|evidence| evidence.kind == kind && evidence.field == field).unwrap();
            (found.name.as_str(), found.count, found.of)
        };
        assert_eq!(evidence_of(EvidenceKind::List, ""), ("Data", 2, 0));
        assert_eq!(evidence_of(EvidenceKind::Member, "code"), ("Code", 2, 2));
        assert_eq!(evidence_of(EvidenceKind::Offset, "beginPlanned"), ("", 1, 1));
        assert_eq!(evidence_of(EvidenceKind::IsoDuration, "laborPredictedTime"), ("", 2, 2));
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
        let learned = observe_samples(&[ResponseSample { operation, body: &body }], &contract).unwrap().overlay;
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
        let differences = crate::comparison::compare_contracts(&before, &learned);
        let changed: Vec<_> = differences
            .iter()
            .filter(|difference| difference.kind != crate::comparison::DifferenceKind::Confirmed)
            .collect();
        assert!(changed.is_empty(), "{changed:?}");
    }
}
