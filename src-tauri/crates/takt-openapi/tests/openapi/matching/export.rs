//! A contract in force stays the same if it is exported and read again.

use serde_json::{Value, json};
use takt_contract::{Contract, Operation, OperationKind, read_back::ListEffect};
use takt_openapi::{
    Document,
    coverage::measure_coverage,
    export,
    matching::match_operations,
    proposal::{assumptions, propose_overlay},
};

use super::{SECOND_PLANT, contract, proposal::proposed_contract};

fn export_and_read(contract_in_force: &Contract) -> Contract {
    let text = export::document(contract_in_force).to_string();
    proposed_contract(text.as_bytes())
}

/// Formats everything that distinguishes operations at a site, without provenance.
fn format_statements(operation: &Operation) -> Vec<String> {
    let shape = if operation.kind == OperationKind::Read { &operation.answer } else { &operation.request };
    let mut statements = vec![
        format!("{} {} {:?} {:?}", operation.method, operation.path, operation.kind, operation.key),
        format!("{} {:?}", operation.paged, operation.paged.then_some(&operation.paging)),
        format!("{:?} {}", operation.batch, operation.batch_size),
        format!("{:?}", shape.as_ref().map(|shape| (&shape.member, &shape.schema))),
    ];
    let parameters = operation.parameters.iter().map(|one| {
        format!("{} {} {:?} {:?} {:?} {}", one.name, one.wire_name(), one.kind, one.form, one.place, one.required)
    });
    statements.extend(parameters);
    let mut fields: Vec<String> = shape
        .iter()
        .flat_map(|shape| shape.fields_with_paths())
        .map(|(path, field)| {
            format!(
                "{path} {:?} {:?} {:?} {} {} {:?}",
                field.wire, field.kind, field.form, field.required, field.nullable, field.limits
            )
        })
        .collect();
    fields.sort();
    statements.extend(fields);
    statements
}

fn assert_same(before: &Contract, after: &Contract) {
    let ids = |contract: &Contract| contract.operations().iter().map(|one| one.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(before), ids(after));
    for (before, after) in before.operations().iter().zip(after.operations()) {
        assert_eq!(format_statements(before), format_statements(after), "{}", before.id);
    }
    assert_eq!(before.error_form(), after.error_form());
}

#[test]
fn the_contract_of_the_second_plant_survives_export() {
    let before = proposed_contract(SECOND_PLANT);
    assert_same(&before, &export_and_read(&before));
}

#[test]
fn our_own_contract_survives_export() {
    let before = contract();
    assert_same(&before, &export_and_read(&before));
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
    let proposal = propose_overlay(&document, &matches, &contract);
    let after = contract.with_overlay(&proposal.overlay, &jiff::tz::TimeZone::UTC);
    let report = measure_coverage(&document, &matches, &proposal, &contract, &after);
    assert!(!report.is_complete());
    assert_eq!(report.added.len(), 2);
    let materials = report.operations.iter().find(|one| one.operation == "materials.sync").unwrap();
    assert!(materials.gone.contains(&"code".to_owned()), "{materials:?}");
}

#[test]
fn an_export_says_who_says_so_and_what_goes_wrong() {
    let contract = contract();
    let value = export::document(&contract);
    let list = &value["paths"]["/api/v1/WorkOrders"]["get"];
    assert_eq!(list["x-takt-statements"]["method"]["level"], "specified");
    assert_eq!(list["x-takt-statements"]["path"]["level"], "assumed");
    for status in ["400", "401", "403", "404", "405", "412", "414", "429", "431", "500"] {
        let reference = list["responses"][status]["$ref"].as_str().unwrap();
        assert!(value.pointer(&reference[1..]).is_some_and(Value::is_object), "{status}");
        assert!(list["x-takt-statuses"][status]["level"].is_string(), "{status}");
    }
    let row = &list["responses"]["200"]["content"]["application/json"]["schema"]["properties"]["data"]["items"];
    assert_eq!(row["properties"]["code"]["x-takt-provenance"]["level"], "assumed");
    assert!(list["responses"]["200"]["headers"]["X-RateLimit-Reset"].is_object());
    assert_eq!(value["security"][0]["oauth2"][0], "service-api");
    assert!(value["components"]["securitySchemes"]["oauth2"].is_object());
    let assumptions = value["x-takt-assumptions"].as_array().unwrap();
    assert!(assumptions.iter().any(|one| one["id"] == "retry-after-unit" && one["value"]["unit"] == "seconds"));
    assert_eq!(value["paths"]["/graphql"]["post"]["x-takt-statements"]["schema"]["level"], "assumed");
}

/// A site's document replaces assumptions about the service.
#[test]
fn a_document_replaces_assumptions() {
    let ours = contract();
    let mut value = export::document(&ours);
    let reply = json!({ "body": { "allowed": "$allowed" } });
    value["x-takt-reply"] = reply.clone();
    for (id, said) in [
        ("absent-statuses", json!({ "*": [404, 410] })),
        ("repeat", json!({ "*": true, "stock.sync": false })),
        ("validation-reply", reply.clone()),
        ("sent-lists", json!({ "*": "replaces", "work-orders.sync": { "properties": "adds" } })),
        ("durations", json!("not known to have a value")),
    ] {
        let assumptions = value["x-takt-assumptions"].as_array_mut().unwrap();
        assumptions.iter_mut().find(|one| one["id"] == id).unwrap()["value"] = said;
    }
    let site = proposed_contract(value.to_string().as_bytes());
    assert_eq!(site.operation("templates.processes").unwrap().absent, [404, 410]);
    let repeats = |id: &str| site.operation(id).unwrap().is_repeatable;
    assert_eq!((repeats("stock.sync"), repeats("materials.sync")), (false, true));
    assert_eq!(json!(site.reply_form()), reply);
    let levels: Vec<&str> = site.assumptions().iter().map(|one| one.provenance.level.json_name()).collect();
    assert_eq!(levels.iter().filter(|level| **level == "site").count(), 4);
    let effect = |id: &str, list: &str| site.operation(id).unwrap().list_effects.effect_for_list(list);
    assert_eq!(effect("work-orders.sync", "properties"), ListEffect::Adds);
    assert_eq!(effect("work-orders.sync", "rawMaterials"), ListEffect::Replaces);
    assert_eq!(effect("materials.sync", "properties"), ListEffect::Replaces);
    let again = export_and_read(&site);
    assert_eq!(
        again.operation("work-orders.sync").unwrap().list_effects.effect_for_list("properties"),
        ListEffect::Adds
    );
    assert_eq!(again.operation("templates.processes").unwrap().absent, [404, 410]);
    assert_eq!(json!(again.reply_form()), reply);
}

/// Values that Takt can't follow are reported and ignored.
#[test]
fn a_value_that_an_assumption_can_not_have_is_told() {
    let ours = contract();
    for (id, said, reason) in [
        ("sent-lists", json!({ "*": "sometimes" }), "a list either \"replaces\" or \"adds\""),
        ("sent-lists", json!("adds"), "\"adds\": an object is expected"),
        ("sent-lists", json!({ "work-orders.sync": { "notes": "adds" } }), "`work-orders.sync` sends no list `notes`"),
        ("sent-lists", json!({ "*": "replaces", "work-order.sync": "adds" }), "no operation `work-order.sync`"),
        ("repeat", json!({ "*": "yes" }), "`repeat`: *: \"yes\": invalid type"),
        ("absent-statuses", json!({ "*": [200] }), "200 is no status of a failed request"),
        ("absent-statuses", json!([404]), "`absent-statuses`: [404]"),
        ("retry-after-unit", json!({ "unit": "hours" }), "Takt can't follow another value"),
        (
            "event-unanswered-check",
            json!({ "restSeconds": "ten" }),
            "/restSeconds (\"ten\") is of another type than 10",
        ),
        ("event-delivery", json!({ "headers": { "signature": "X Bad" } }), "\"X Bad\" can't be the name of a header"),
        ("event-delivery", json!({ "headers": { "signature": ["X"] } }), "/headers/signature"),
        ("event-delivery", json!({ "headers": {}, "signing": { "covers": [true] } }), "/signing/covers/0 (true)"),
        ("batch-size", json!(20), "Takt can't follow another value"),
    ] {
        let mut value = export::document(&ours);
        let listed = value["x-takt-assumptions"].as_array_mut().unwrap();
        listed.iter_mut().find(|one| one["id"] == id).unwrap()["value"] = said.clone();
        let document = Document::read(value.to_string().as_bytes()).unwrap();
        let errors: Vec<String> = assumptions::errors(&document, &ours).iter().map(ToString::to_string).collect();
        assert!(errors.len() == 1 && errors[0].contains(id) && errors[0].contains(reason), "{said}: {errors:?}");
        let site = proposed_contract(value.to_string().as_bytes());
        assert_eq!(site.assumption(id), ours.assumption(id), "{said}");
    }
}
