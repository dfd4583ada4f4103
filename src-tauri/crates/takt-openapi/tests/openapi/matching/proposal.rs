//! The proposal for the second plant, from its document alone.

use takt_contract::{
    Contract, FieldKind, Operation,
    form::{CountPlace, DurationUnit, Scalar, ValueForm},
};
use takt_openapi::{
    Document,
    matching::match_operations,
    proposal::{Proposal, propose_overlay},
};

use super::{SECOND_PLANT, contract};

pub(crate) fn proposal(bytes: &[u8]) -> Proposal {
    let contract = contract();
    let document = Document::read(bytes).unwrap();
    propose_overlay(&document, &match_operations(&document, &contract), &contract)
}

pub(crate) fn proposed_contract(bytes: &[u8]) -> Contract {
    contract().with_overlay(&proposal(bytes).overlay, &jiff::tz::TimeZone::UTC)
}

/// Returns the wire names of an operation's fields by their names in Takt.
fn wire_names(operation: &Operation) -> Vec<(String, String)> {
    let shape = operation.request.as_ref().or(operation.answer.as_ref()).unwrap();
    let wire = |field: &takt_contract::Field| field.wire.clone().unwrap_or_else(|| field.name.clone());
    shape.fields.iter().map(|field| (field.name.clone(), wire(field))).collect()
}

fn assert_wire(contract: &Contract, id: &str, expected: &[(&str, &str)]) {
    let found = wire_names(contract.operation(id).unwrap());
    let expected: Vec<(String, String)> =
        expected.iter().map(|(name, wire)| ((*name).to_owned(), (*wire).to_owned())).collect();
    let mut sorted = found.clone();
    sorted.sort();
    let mut wanted = expected;
    wanted.sort();
    assert_eq!(sorted, wanted, "{id}");
}

#[test]
fn fields_of_the_second_plant_have_their_names() {
    let contract = proposed_contract(SECOND_PLANT);
    assert_wire(
        &contract,
        "materials.sync",
        &[
            ("code", "ArticleNumber"),
            ("description", "Description"),
            ("uoM", "Unit"),
            ("family", "ProductGroup"),
            ("type", "ArticleType"),
            ("isActive", "Active"),
            ("properties", "Attributes"),
        ],
    );
    assert_wire(
        &contract,
        "work-orders.execution",
        &[
            ("code", "OrderNumber"),
            ("operationCode", "OperationNo"),
            ("workStationCode", "WorkCenter"),
            ("producedGoodQuantity", "Yield"),
            ("producedBadQuantity", "Scrap"),
            ("beginReal", "ActualStart"),
            ("endReal", "ActualEnd"),
            ("statusDescription", "Status"),
            ("note", "Remarks"),
        ],
    );
    assert_wire(
        &contract,
        "alerts.list",
        &[
            ("id", "Id"),
            ("type", "Category"),
            ("status", "State"),
            ("workStationCode", "WorkCenter"),
            ("workStation", "WorkCenterName"),
            ("opened", "RaisedAt"),
            ("acknowledged", "AcknowledgedAt"),
            ("closed", "ClosedAt"),
            ("note", "Remarks"),
            ("workOrderCode", "OrderNumber"),
            ("operationCode", "OperationNo"),
            ("employeeBadge", "BadgeNumber"),
        ],
    );
    assert_wire(
        &contract,
        "inspections.properties",
        &[
            ("workOrderCode", "OrderNumber"),
            ("operationCode", "OperationNo"),
            ("key", "Attribute"),
            ("value", "Value"),
            ("name", "DisplayName"),
            ("isLocked", "Locked"),
        ],
    );
}

/// The fields without a match are printed, so that changes of the matching are visible.
#[test]
fn few_fields_are_left_over() {
    let contract = contract();
    let proposal = proposal(SECOND_PLANT);
    let proposed_contract = contract.with_overlay(&proposal.overlay, &jiff::tz::TimeZone::UTC);
    let mut left = Vec::new();
    for operation in contract.operations() {
        let other = proposed_contract.operation(&operation.id).unwrap();
        let pairs = [(&operation.request, &other.request), (&operation.answer, &other.answer)];
        for (before, after) in pairs.into_iter().filter_map(|(before, after)| before.as_ref().zip(after.as_ref())) {
            let (before, after) = (before.fields_with_paths(), after.fields_with_paths());
            let gone = before.iter().filter(|(path, _)| !after.iter().any(|(other, _)| other == path));
            left.extend(gone.map(|(path, _)| format!("- {} {path}", operation.id)));
            let new = after.iter().filter(|(path, _)| !before.iter().any(|(other, _)| other == path));
            left.extend(new.map(|(path, field)| format!("+ {} {path} = {:?}", operation.id, field.wire)));
        }
    }
    println!("{}\n{:#?}", left.join("\n"), proposal.notes);
    assert!(left.len() <= 12, "{}", left.join("\n"));
}

#[test]
fn paging_batch_and_errors_of_the_second_plant() {
    let contract = proposed_contract(SECOND_PLANT);
    let list = contract.operation("work-orders.list").unwrap();
    assert!(list.paged);
    let paging = &list.paging;
    assert_eq!((paging.page.as_str(), paging.limit.as_deref()), ("PageIndex", Some("PageSize")));
    assert_eq!((paging.first, paging.rows, paging.counts_rows), (0, 50, false));
    assert_eq!(paging.total, Some(CountPlace::Member("Data.TotalCount".to_owned())));
    assert_eq!(list.answer.as_ref().unwrap().member, "Data.Items");
    assert!(!contract.operation("work-stations.list").unwrap().paged);
    assert_eq!(contract.operation("work-stations.list").unwrap().answer.as_ref().unwrap().member, "");
    let parameters: Vec<(&str, &str)> =
        list.parameters.iter().map(|one| (one.name.as_str(), one.wire_name())).collect();
    assert_eq!(parameters, [("from", "DateFrom"), ("to", "DateTo"), ("code", "OrderNumber")]);

    let sync = &contract.operation("materials.sync").unwrap().batch;
    assert_eq!((sync.results.as_str(), sync.only_failures, sync.lacks_key), ("Failures", true, false));
    assert_eq!(sync.reasons, ["Messages"]);
    assert_eq!(sync.index.as_ref().map(|index| (index.name.as_str(), index.first)), Some(("Index", 0)));
    let counts = [&sync.total, &sync.accepted, &sync.rejected].map(|count| count.as_deref().unwrap_or_default());
    assert_eq!(counts, ["Total", "Succeeded", "Failed"]);

    let delete = &contract.operation("template-processes.delete").unwrap().batch;
    let success = delete.success.as_ref().unwrap();
    assert_eq!((delete.results.as_str(), success.name.as_str()), ("Results", "Status"));
    assert_eq!(success.accepted, [Scalar::Text("Deleted".to_owned())]);
    assert_eq!(success.rejected, [Scalar::Text("NotDeleted".to_owned())]);
    assert_eq!(delete.reasons, ["Reason"]);
    assert_eq!(contract.operation("work-orders.execution").unwrap().request.as_ref().unwrap().member, "");

    let errors = contract.error_form();
    assert_eq!(errors.reasons, ["errors", "detail", "title"]);
    assert_eq!(errors.log_id, ["traceId"]);
}

#[test]
fn values_of_the_second_plant_have_their_forms() {
    let contract = proposed_contract(SECOND_PLANT);
    let form = |id: &str, path: &str| {
        let operation = contract.operation(id).unwrap();
        let shape = operation.request.as_ref().or(operation.answer.as_ref()).unwrap();
        let flat = shape.fields_with_paths();
        let (_, field) = flat.iter().find(|(other, _)| other == path).unwrap_or_else(|| panic!("{id} {path}"));
        (field.kind, field.form.clone())
    };
    assert_eq!(form("work-orders.sync", "beginPlanned"), (FieldKind::DateTime, ValueForm::OffsetDateTime));
    assert_eq!(form("work-orders.sync", "laborPredictedTime"), (FieldKind::Duration, ValueForm::DurationIso));
    let minutes = ValueForm::DurationNumber { unit: DurationUnit::Minutes };
    assert_eq!(form("inspection-processes.sync", "predictedLaborTime"), (FieldKind::Duration, minutes.clone()));
    assert_eq!(form("labor-times.list", "duration"), (FieldKind::Duration, minutes));
    let (kind, codes) = form("alerts.list", "status");
    assert_eq!(kind, FieldKind::Text);
    assert!(matches!(codes, ValueForm::Codes { codes } if codes.len() == 3));
}

#[test]
fn codes_are_called_what_the_contract_calls_its_values() {
    let contract = proposed_contract(SECOND_PLANT);
    let row = |id: &str| contract.operation(id).unwrap().answer.clone().unwrap();
    let history = row("order-history.list").decode_row(r#"{"Kind":0}"#);
    assert_eq!(history, r#"{"kind":"planning"}"#);
    let days = r#"{"Shifts":[{"Intervals":[{"DayOfWeek":0},{"DayOfWeek":1},{"DayOfWeek":6}]}]}"#;
    let days = row("work-stations.list").decode_row(days);
    assert_eq!(days, r#"{"shifts":[{"intervals":[{"weekday":7},{"weekday":1},{"weekday":6}]}]}"#);
    assert_eq!(row("alerts.list").decode_row(r#"{"State":1}"#), r#"{"status":"Acknowledged"}"#);
}

#[test]
fn operations_that_the_contract_lacks_are_added() {
    let contract = proposed_contract(SECOND_PLANT);
    let added: Vec<&Operation> = contract.operations().iter().skip(25).collect();
    let ids: Vec<&str> = added.iter().map(|operation| operation.id.as_str()).collect();
    assert_eq!(ids, ["tools.tool-calibrations-import", "tools.list"]);
    assert_eq!(added[0].key, ["toolNumber"]);
    assert_eq!(added[1].paging.page, "PageIndex");
}
