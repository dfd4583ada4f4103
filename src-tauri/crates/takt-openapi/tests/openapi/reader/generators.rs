//! Documents as written by .NET's generators and others.

use takt_openapi::{document::ParameterLocation, schema::SchemaKind};

use super::{format_members, item_schema, read, response_schema};

const SWASHBUCKLE: &str = include_str!("../../documents/swashbuckle-small.json");
const NSWAG: &str = include_str!("../../documents/nswag-small.json");
const ASPNET: &str = include_str!("../../documents/aspnet-small.json");
const ANCHORS: &str = include_str!("../../documents/anchors.yaml");

#[test]
fn swashbuckle_writes_no_required_and_several_media_types() {
    let document = read(SWASHBUCKLE);
    assert_eq!((document.title(), document.version()), ("Plant API", "v1"));
    assert_eq!(document.base_path(), "/mes");
    let operation = &document.operations()[0];
    assert_eq!((operation.method.as_str(), operation.operation_id.as_deref()), ("GET", None));
    let places: Vec<(&str, ParameterLocation, bool)> =
        operation.parameters.iter().map(|one| (one.name.as_str(), one.place, one.required)).collect();
    assert_eq!(
        places,
        [
            ("plant", ParameterLocation::Path, true),
            ("PageNumber", ParameterLocation::Query, false),
            ("PageSize", ParameterLocation::Query, false),
        ]
    );
    let page = response_schema(&document, "/api/{plant}/WorkOrders");
    assert_eq!(page.name.as_deref(), Some("WorkOrderDtoPagedResult"));
    assert_eq!(format_members(&document, &page), ["data: List?", "totalCount: Integer"]);
    let row = item_schema(&document, &document.resolve(&page.member("data").unwrap().node));
    assert_eq!(
        format_members(&document, &row),
        ["code: Text?", "setupTime: Text", "runTime: Object", "status: Integer", "parent: Object?"]
    );
    assert_eq!(document.resolve(&row.member("setupTime").unwrap().node).format, Some("date-span"));
    let parent = document.resolve(&row.member("parent").unwrap().node);
    assert_eq!(parent.name.as_deref(), Some("WorkOrderDto"), "it contains itself");
    let sent = &document.operations()[1];
    assert_eq!(document.schema(sent.request.as_ref().unwrap()).kind, Some(SchemaKind::List));
    assert_eq!(sent.responses[1].headers, ["X-Total-Count"]);
}

#[test]
fn nswag_names_the_codes_of_enumerations() {
    let document = read(NSWAG);
    let operation = &document.operations()[0];
    assert_eq!(operation.operation_id.as_deref(), Some("Materials_GetAll"));
    let row = item_schema(&document, &response_schema(&document, "/api/Materials"));
    assert_eq!(
        format_members(&document, &row),
        ["Code: Text!", "Kind: Integer", "LeadTime: Text", "Base: Object?", "Amount: Number"]
    );
    let kind = document.resolve(&row.member("kind").unwrap().node);
    let codes: Vec<(String, i64)> =
        kind.codes.iter().map(|code| (code.name.clone().unwrap(), code.value.as_i64().unwrap())).collect();
    assert_eq!(codes, [("Raw".to_owned(), 0), ("Finished".to_owned(), 10)]);
    assert_eq!(document.resolve(&row.member("LeadTime").unwrap().node).format, Some("duration"));
}

#[test]
fn aspnet_writes_numbers_that_may_be_text() {
    let document = read(ASPNET);
    let row = item_schema(&document, &response_schema(&document, "/orders"));
    assert_eq!(
        format_members(&document, &row),
        ["number: Text?!", "quantity: Number", "position: Integer?", "machine: Object?", "run: Text", "state: Text"]
    );
    assert!(document.resolve(&row.member("run").unwrap().node).pattern.unwrap().contains("d{2}"));
    let states = document.resolve(&row.member("state").unwrap().node);
    assert_eq!(states.codes.len(), 2);
    assert_eq!(document.webhooks()[0].path, "orderDone");
}

#[test]
fn yaml_with_anchors_merge_keys_and_unions() {
    let document = read(ANCHORS);
    assert_eq!(document.servers(), ["https://plant.example/v3/mes"]);
    assert_eq!(document.base_path(), "/v3/mes");
    let operation = &document.operations()[0];
    assert_eq!(operation.responses[0].status, "200", "an unquoted status is text, too");
    assert!(operation.deprecated);
    let row = item_schema(&document, &response_schema(&document, "/lots"));
    assert_eq!(
        format_members(&document, &row),
        ["id: Integer!", "code: Text", "weight: Number", "parts: List", "length: Number", "no: unknown"]
    );
    assert_eq!(document.external_references(), ["other.yaml#/components/schemas/Outside"]);
    assert!(document.resolve(&row.member("no").unwrap().node).external);
}

#[test]
fn a_parameter_of_the_operation_replaces_the_paths_own() {
    let document = read(
        r##"{"openapi":"3.1.0","paths":{"/a/{id}":{
            "parameters":[{"name":"id","in":"path","schema":{"type":"string"}},{"$ref":"#/components/parameters/L"}],
            "get":{"parameters":[{"name":"id","in":"path","description":"own","schema":{"type":"integer"}}]}}},
            "components":{"parameters":{"L":{"name":"limit","in":"query","schema":{"maximum":50}}}}}"##,
    );
    let parameters = &document.operations()[0].parameters;
    assert_eq!(parameters.len(), 2);
    assert_eq!(parameters[0].description, "own");
    assert_eq!(document.schema(parameters[1].schema.as_ref().unwrap()).maximum, Some(50.0));
}

#[test]
fn references_lead_into_any_part_and_through_chains() {
    let document = read(
        r##"{"openapi":"3.0.3","paths":{"/a":{"get":{"x-shape one":{"$ref":"#/components/schemas/A"},"responses":{"200":{"$ref":"#/x-parts/ok"}}}},
            "/b":{"get":{"responses":{"2XX":{"content":{"application/json; charset=utf-8":
              {"schema":{"$ref":"#/paths/~1a/get/x-shape%20one"}}}}}}}},
            "x-parts":{"ok":{"description":"","content":{"application/hal+json":{"schema":{"$ref":"#/components/schemas/A"}}}}},
            "components":{"schemas":{"A":{"$ref":"#/components/schemas/B"},"B":{"type":"array","items":{"type":"string"}}}}}"##,
    );
    for path in ["/a", "/b"] {
        assert_eq!(response_schema(&document, path).kind, Some(SchemaKind::List), "{path}");
    }
}

#[test]
fn windows_shells_write_utf_16() {
    let text = "openapi: 3.0.0\npaths: {}\n";
    let mut bytes = vec![0xff, 0xfe];
    bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    assert!(takt_openapi::Document::read(&bytes).unwrap().operations().is_empty());
}
