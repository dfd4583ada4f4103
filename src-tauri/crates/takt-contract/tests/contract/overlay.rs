//! Tests the effect of an overlay on references between operations.

use jiff::tz::TimeZone;
use serde_json::json;
use takt_contract::{Contract, overlay::Overlay};

/// Returns the contract of a site whose list has only these fields.
fn contract_with_list_fields(list: &str, fields: &[&str]) -> Contract {
    let provenance = json!({"level": "site", "source": "test"});
    let fields: Vec<_> = fields.iter().map(|name| json!({"name": name, "provenance": provenance})).collect();
    let answer = json!({"complete": true, "fields": fields});
    let operation = json!({"id": list, "provenance": provenance, "answer": answer});
    let overlay: Overlay = serde_json::from_value(json!({"operations": [operation], "events": []})).unwrap();
    Contract::builtin().unwrap().with_overlay(&overlay, &TimeZone::UTC)
}

/// Returns whether a material in a stock row is checked against the list of materials.
fn is_material_checked(contract: &Contract) -> bool {
    let request = contract.operation("stock.sync").unwrap().request.clone().unwrap();
    let material = request.fields.iter().find(|field| field.name == "materialCode").unwrap();
    material.refers_to.is_some()
}

#[test]
fn nothing_refers_to_a_field_that_the_site_doesnt_have() {
    assert!(is_material_checked(&contract_with_list_fields("materials.list", &["code"])));
    let without_code = contract_with_list_fields("materials.list", &["description"]);
    assert!(!is_material_checked(&without_code));
    // Without the code in the list, materials can't be read back either.
    let read_back = |contract: &Contract| contract.operation("materials.sync").unwrap().read_back.is_some();
    assert!(read_back(&Contract::builtin().unwrap()));
    assert!(!read_back(&without_code));
}

#[test]
fn a_key_has_no_field_that_the_site_doesnt_have() {
    let key = |contract: &Contract| contract.operation("materials.list").unwrap().key.clone();
    assert_eq!(key(&Contract::builtin().unwrap()), ["code"]);
    assert!(key(&contract_with_list_fields("materials.list", &["description"])).is_empty());
}
