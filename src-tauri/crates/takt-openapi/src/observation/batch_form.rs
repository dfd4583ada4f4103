//! Learns the form of a batch's response from the response to a first row.

use serde_json::{Value, json};
use takt_contract::{
    Contract, Operation, Provenance, ProvenanceLevel, RowSchema,
    form::{BatchForm, IndexMember, Scalar, SuccessMember, at_path},
    overlay::{OperationOverlay, Overlay},
    wire::ParsedBatchResponse,
};

use super::{
    evidence::{Evidence, EvidenceKind, Observation},
    schema_inference::infer_schema,
};
use crate::{
    Document,
    matching::OperationMatch,
    proposal::{parse_outcome_name, propose_overlay},
};

/// Learns an operation's batch form from the response to a single row. Returns None unless the response has a list with
/// one result that states whether the row was accepted. Other responses don't show the form reliably.
#[must_use]
pub fn observe_batch_response(operation: &Operation, answer: &Value, contract: &Contract) -> Option<Observation> {
    let form = with_observed_values(propose_form(operation, answer, contract)?, answer);
    let blank = RowSchema::default();
    let shape = operation.request.as_ref().unwrap_or(&blank);
    let reading = ParsedBatchResponse::read(&form, shape, answer.to_string().as_bytes()).ok()?;
    let [result] = reading.results.as_slice() else { return None };
    let accepted = result.success.filter(|_| form.success.is_some())?;
    let success = form.success.as_ref()?;
    let new_evidence = |kind, name: &str, count| Evidence::for_operation(&operation.id, kind, name, count, 1);
    let evidence = vec![
        new_evidence(EvidenceKind::Results, &form.results, 1),
        new_evidence(
            EvidenceKind::Success,
            &format!("{} = {}", success.name, result.success_text),
            u32::from(accepted),
        ),
    ];
    let seen = Provenance { level: ProvenanceLevel::Observed, source: "the answer to a first row".to_owned() };
    let overlay = OperationOverlay { batch: Some(form), ..OperationOverlay::new(&operation.id, seen) };
    Some(Observation { overlay: Overlay { operations: vec![overlay], ..Overlay::default() }, evidence })
}

/// Returns the form proposed for a document that describes this response.
fn propose_form(operation: &Operation, answer: &Value, contract: &Contract) -> Option<BatchForm> {
    let answer = json!({ "description": "", "content": { "application/json": { "schema": infer_schema(answer) } } });
    let node = json!({ "x-takt-operation": operation.id, "responses": { "200": answer } });
    let method = operation.method.to_lowercase();
    let document = json!({ "openapi": "3.1.0", "info": { "title": "", "version": "" },
        "paths": { operation.path.clone(): { method: node } } });
    let document = Document::read(document.to_string().as_bytes()).ok()?;
    let matched = [OperationMatch::chosen_by_user(&operation.id, &operation.method, &operation.path)];
    propose_overlay(&document, &matched, contract)
        .overlay
        .operations
        .into_iter()
        .find(|one| one.id == operation.id)?
        .batch
}

/// Adds the properties that only a value shows: the first index, and the word for yes or no.
fn with_observed_values(mut form: BatchForm, answer: &Value) -> BatchForm {
    let result = at_path(answer, &form.results).and_then(|list| list.get(0)).cloned().unwrap_or_default();
    if let Some(index) = &mut form.index {
        let first = result.get(&index.name).and_then(Value::as_u64).and_then(|first| u32::try_from(first).ok());
        *index = IndexMember { first: first.filter(|first| *first <= 1).unwrap_or(index.first), ..index.clone() };
    }
    if let Some(SuccessMember { name, accepted, rejected }) = &mut form.success
        && accepted.is_empty()
        && let Some(Value::String(word)) = result.get(name.as_str())
    {
        match parse_outcome_name(word) {
            Some(true) => accepted.push(Scalar::Text(word.clone())),
            Some(false) => rejected.push(Scalar::Text(word.clone())),
            None => {}
        }
    }
    form
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;

    fn learned(answer: &Value) -> Option<(BatchForm, Vec<Evidence>)> {
        let contract = Contract::builtin().unwrap();
        let operation = contract.operation("work-orders.sync").unwrap();
        let seen = observe_batch_response(operation, answer, &contract)?;
        let after = contract.with_overlay(&seen.overlay, &TimeZone::UTC);
        Some((after.operation("work-orders.sync").unwrap().batch.clone(), seen.evidence))
    }

    #[test]
    fn the_answer_to_one_row_shows_how_rows_are_answered() {
        let answer = json!({ "Data": { "Total": 1, "Succeeded": 1, "Failed": 0,
            "Items": [{ "Row": 1, "Code": "A", "OperationCode": "010", "Status": "Created", "Messages": [] }] } });
        let (form, evidence) = learned(&answer).unwrap();
        assert_eq!((form.results.as_str(), form.lacks_key), ("Data.Items", false));
        let success = form.success.unwrap();
        assert_eq!((success.name.as_str(), success.accepted), ("Status", vec![Scalar::Text("Created".to_owned())]));
        assert_eq!(form.index, Some(IndexMember { name: "Row".to_owned(), first: 1 }));
        assert_eq!(form.accepted.as_deref(), Some("Data.Succeeded"));
        let found: Vec<_> = evidence.iter().map(|one| (one.kind, one.name.as_str())).collect();
        assert_eq!(found[0], (EvidenceKind::Results, "Data.Items"));
        assert_eq!(found[1], (EvidenceKind::Success, "Status = \"Created\""));

        let (form, _) = learned(&json!([{ "Code": "A", "OperationCode": "010", "Ok": false, "Error": "no" }])).unwrap();
        assert_eq!((form.results.as_str(), form.reasons.as_slice()), ("", ["Error".to_owned()].as_slice()));
    }

    #[test]
    fn an_answer_that_tells_nothing_of_the_row_is_no_proposal() {
        for answer in [
            json!({}),
            json!({ "message": "thank you" }),
            json!([]),
            json!([{ "Code": "A", "State": "Purple" }]),
            json!([{ "Code": "A", "Ok": true }, { "Code": "B", "Ok": true }]),
        ] {
            assert!(learned(&answer).is_none(), "{answer}");
        }
    }
}
