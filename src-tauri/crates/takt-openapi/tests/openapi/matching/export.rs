//! A contract in force, exported and read again, is the same contract.

use takt_contract::{Contract, Operation, OperationKind};
use takt_openapi::{Document, coverage::coverage, export, matching::match_operations, proposal::propose};

use super::{SECOND_PLANT, contract, proposal::in_force};

fn read_again(contract_in_force: &Contract) -> Contract {
    let text = export::document(contract_in_force).to_string();
    in_force(text.as_bytes())
}

/// What can be told apart at the site, without who says so.
fn statements(operation: &Operation) -> Vec<String> {
    let shape = if operation.kind == OperationKind::Read { &operation.answer } else { &operation.request };
    let mut said = vec![
        format!("{} {} {:?} {:?}", operation.method, operation.path, operation.kind, operation.key),
        format!("{} {:?}", operation.paged, operation.paged.then_some(&operation.paging)),
        format!("{:?} {}", operation.batch, operation.batch_size),
        format!("{:?}", shape.as_ref().map(|shape| (&shape.member, &shape.schema))),
    ];
    let parameters = operation.parameters.iter().map(|one| {
        format!("{} {} {:?} {:?} {:?} {}", one.name, one.wire_name(), one.kind, one.form, one.place, one.required)
    });
    said.extend(parameters);
    let mut fields: Vec<String> = shape
        .iter()
        .flat_map(|shape| shape.flat())
        .map(|(path, field)| {
            format!(
                "{path} {:?} {:?} {:?} {} {} {:?}",
                field.wire, field.kind, field.form, field.required, field.nullable, field.limits
            )
        })
        .collect();
    fields.sort();
    said.extend(fields);
    said
}

fn assert_same(before: &Contract, after: &Contract) {
    let ids = |contract: &Contract| contract.operations().iter().map(|one| one.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(before), ids(after));
    for (before, after) in before.operations().iter().zip(after.operations()) {
        assert_eq!(statements(before), statements(after), "{}", before.id);
    }
    assert_eq!(before.errors(), after.errors());
}

#[test]
fn the_contract_of_the_second_plant_survives_export() {
    let before = in_force(SECOND_PLANT);
    assert_same(&before, &read_again(&before));
}

#[test]
fn our_own_contract_survives_export() {
    let before = contract();
    assert_same(&before, &read_again(&before));
}

#[test]
fn the_report_says_what_a_document_lacks() {
    let contract = contract();
    let mut value = Document::read(SECOND_PLANT).unwrap().value().clone();
    value["paths"].as_object_mut().unwrap().remove("/mes/v2/alarms");
    let dto = "/components/schemas/ArticleImportDto/properties";
    value.pointer_mut(dto).unwrap().as_object_mut().unwrap().remove("ArticleNumber");
    let document = Document::read(value.to_string().as_bytes()).unwrap();
    let matches = match_operations(&document, &contract);
    let proposal = propose(&document, &matches, &contract);
    let after = contract.with_overlay(&proposal.overlay, &jiff::tz::TimeZone::UTC);
    let report = coverage(&document, &matches, &proposal, &contract, &after);
    assert!(!report.is_complete());
    assert_eq!(report.added.len(), 2);
    let materials = report.operations.iter().find(|one| one.operation == "materials.sync").unwrap();
    assert!(materials.gone.contains(&"code".to_owned()), "{materials:?}");
}
