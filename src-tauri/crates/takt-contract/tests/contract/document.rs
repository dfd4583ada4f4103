//! Checks that the contract document is complete, resolvable, named in four languages and valid JSON Schema.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Value, json};
use takt_contract::{Contract, EventOutcome, Field, FieldKind, OperationKind, ProvenanceLevel, RowSchema, Rule};

use super::document;

const LANGUAGES: [&str; 4] = ["en", "de", "es", "pt"];

fn contract() -> Contract {
    Contract::builtin().unwrap()
}

/// Calls `visit` with every object of the document and its pointer.
fn visit_objects(node: &Value, at: &str, visit: &mut impl FnMut(&str, &Value)) {
    if node.is_object() {
        visit(at, node);
    }
    match node {
        Value::Object(members) => {
            members.iter().for_each(|(name, child)| visit_objects(child, &format!("{at}/{name}"), visit))
        }
        Value::Array(parts) => {
            parts.iter().enumerate().for_each(|(i, child)| visit_objects(child, &format!("{at}/{i}"), visit))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn follow_references<'a>(document: &'a Value, node: &'a Value) -> &'a Value {
    match node.get("$ref").and_then(Value::as_str) {
        Some(reference) => follow_references(document, document.pointer(reference.trim_start_matches('#')).unwrap()),
        None => node,
    }
}

/// Returns the names of a node, else the names of its target.
fn names_of<'a>(document: &'a Value, node: &'a Value) -> Option<&'a Value> {
    let target = || {
        let reference = node.get("$ref")?.as_str()?;
        names_of(document, document.pointer(reference.trim_start_matches('#'))?)
    };
    node.get("x-takt-names").or_else(target).or_else(|| names_of(document, node.get("anyOf")?.get(0)?))
}

fn assert_names(document: &Value, at: &str, node: &Value) {
    let named = names_of(document, node).unwrap_or_else(|| panic!("{at} has no names"));
    for language in LANGUAGES {
        let name = named[language].as_str().unwrap_or_default();
        assert!(!name.trim().is_empty() && name.trim() == name, "{at} has no name in {language}");
    }
    assert_eq!(named.as_object().unwrap().len(), LANGUAGES.len(), "{at}");
}

fn assert_provenance(at: &str, node: &Value) {
    let provenance = &node["x-takt-provenance"];
    assert!(matches!(provenance["level"].as_str(), Some("specified" | "assumed")), "{at}: {provenance}");
    assert!(provenance["source"].as_str().is_some_and(|source| source.len() > 5), "{at}: {provenance}");
}

#[test]
fn every_reference_resolves() {
    let document = document();
    let mut references = 0;
    visit_objects(&document, "", &mut |at, node| {
        if let Some(reference) = node.get("$ref").and_then(Value::as_str) {
            assert!(document.pointer(reference.trim_start_matches('#')).is_some(), "{at}: {reference}");
            references += 1;
        }
    });
    assert!(references > 500, "{references}");
}

#[test]
fn everything_says_where_it_comes_from_and_has_a_name_in_four_languages() {
    let document = document();
    let components = &document["components"];
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            assert_provenance(path, operation);
            assert_names(&document, &format!("{method} {path}"), operation);
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                assert_provenance(path, follow_references(&document, parameter));
                assert_names(&document, path, follow_references(&document, parameter));
            }
        }
    }
    for group in ["webhooks"] {
        for (name, item) in document[group].as_object().unwrap() {
            assert_provenance(name, &item["post"]);
            assert_names(&document, name, &item["post"]);
        }
    }
    for (name, part) in ["headers", "responses"].iter().flat_map(|group| components[group].as_object().unwrap()) {
        assert_provenance(name, part);
    }
    let mut properties = 0;
    for (name, schema) in components["schemas"].as_object().unwrap() {
        let narrows = schema.get("allOf").is_some();
        if schema["type"] != "object" {
            if !narrows {
                assert_names(&document, name, schema);
            }
            continue;
        }
        assert_provenance(name, schema);
        for (property, node) in schema["properties"].as_object().unwrap() {
            let at = format!("{name}.{property}");
            assert_provenance(&at, node);
            assert_names(&document, &at, node);
            properties += 1;
        }
        for rule in schema.get("x-takt-rules").and_then(Value::as_array).into_iter().flatten() {
            assert!(rule["provenance"]["source"].is_string(), "{name}: {rule}");
        }
    }
    assert!(properties > 300, "{properties}");
    assert!(document["tags"].as_array().unwrap().iter().all(|tag| tag["x-takt-names"]["pt"].is_string()));
}

#[test]
fn every_component_is_a_valid_json_schema_2020_12() {
    let document = document();
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        let verdict = jsonschema::draft202012::meta::validate(schema);
        assert!(verdict.is_ok(), "{name}: {}", verdict.unwrap_err());
        let usable = json!({"$ref": format!("#/components/schemas/{name}"), "components": document["components"]});
        assert!(jsonschema::draft202012::new(&usable).is_ok(), "{name} can't be used for validation");
    }
    assert!(!jsonschema::draft202012::meta::is_valid(&json!({"type": "moment"})), "the check can fail");
}

#[test]
fn the_operations_are_those_that_were_decided() {
    let table = "templates.processes GET /api/v1/ProcessExecutionTemplates/{templateId}/Processes specified -
        template-processes.delete DELETE /api/v1/ProcessExecutionTemplateProcesses/batch specified -
        graphql POST /graphql specified -
        materials.list GET /api/v1/Materials assumed -
        materials.sync POST /api/v1/Materials/batch assumed -
        work-orders.list GET /api/v1/WorkOrders assumed from,to,code
        work-orders.details GET /api/v1/WorkOrders/ProductionDetails assumed from,to,code
        work-orders.sync POST /api/v1/WorkOrders/batch assumed -
        work-orders.execution POST /api/v1/WorkOrders/CurrentExecution/batch assumed -
        work-orders.properties POST /api/v1/WorkOrders/Properties/batch assumed -
        work-orders.planning-dates POST /api/v1/WorkOrders/PlanningDates/batch assumed -
        stock.sync POST /api/v1/MaterialInventories/batch assumed -
        alerts.list GET /api/v1/ProductionAlerts assumed from,to
        labor-times.list GET /api/v1/EmployeeHours assumed from,to
        inspections.list GET /api/v1/Inspections assumed from,to,code
        inspections.sync POST /api/v1/Inspections/batch assumed -
        inspections.execution POST /api/v1/Inspections/CurrentExecution/batch assumed -
        inspections.properties POST /api/v1/Inspections/Properties/batch assumed -
        inspection-processes.list GET /api/v1/InspectionProcesses assumed -
        inspection-processes.sync POST /api/v1/InspectionProcesses/batch assumed -
        quality-checks.list GET /api/v1/QualityChecks assumed from,to,code
        consumed-lots.list GET /api/v1/ConsumedLots assumed code
        consumed-lots.sync POST /api/v1/ConsumedLots/batch assumed -
        order-history.list GET /api/v1/WorkOrderHistory assumed code,from,to
        work-stations.list GET /api/v1/WorkStations assumed -";
    let contract = contract();
    let mut expected = BTreeSet::new();
    for line in table.lines() {
        let [id, method, path, level, parameters] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        expected.insert(id.to_owned());
        let operation = contract.operation(id).unwrap_or_else(|| panic!("no operation {id}"));
        let specified = operation.provenance.level == ProvenanceLevel::Specified;
        let found = (operation.method.as_str(), operation.path.as_str(), specified);
        assert_eq!(found, (method, path, level == "specified"), "{id}");
        if parameters != "-" {
            let names: Vec<&str> = operation.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            assert_eq!(names, parameters.split(',').collect::<Vec<_>>(), "{id}");
        }
        let list = operation.kind == OperationKind::Read && id != "templates.processes";
        assert_eq!(operation.paged, list, "{id}");
    }
    assert_eq!(contract.operations().iter().map(|operation| operation.id.clone()).collect::<BTreeSet<_>>(), expected);
}

#[test]
fn the_fields_of_what_is_sent_are_those_that_were_decided() {
    let table = "materials.sync: code* description* uoM family type isActive properties[key* value name]; key code
        work-orders.sync: code* operationCode* materialCode* requestedQuantity*>0 type workOrderGrouper customer promiseDate \
            workStationCode templateId beginPlanned endPlanned laborPredictedTime machinePredictedTime note \
            rawMaterials[code* description sequence quantity*>0 uoM] properties[key* value name]; key code operationCode
        work-orders.execution: code* operationCode* workStationCode producedGoodQuantity>=0 producedBadQuantity>=0 \
            beginReal endReal statusDescription note; key code operationCode
        work-orders.properties: workOrderCode* operationCode key* value name isLocked; key workOrderCode operationCode key
        work-orders.planning-dates: code* operationCode* workStationCode beginPlanned* endPlanned*; key code operationCode
        stock.sync: materialCode* quantity*>=0 uoM warehouse location serialNumber date; \
            key materialCode warehouse location serialNumber
        inspections.sync: code* workOrderCode* operationCode processCode* workStationCode beginPlanned endPlanned \
            quantity>0 note properties[key* value name]; key code operationCode
        inspections.execution: code* operationCode* workStationCode producedGoodQuantity>=0 producedBadQuantity>=0 \
            beginReal endReal statusDescription note; key code operationCode
        inspections.properties: workOrderCode* operationCode key* value name isLocked; key workOrderCode operationCode key
        inspection-processes.sync: code* description* predictedLaborTime predictedMachineTime isQualityInspection; key code
        consumed-lots.sync: workOrderCode* operationCode materialCode* serialNumber quantity*>0 uoM; \
            key workOrderCode operationCode materialCode serialNumber
        template-processes.delete: templateId* processCode* operationCode*; key templateId processCode operationCode";
    let contract = contract();
    let mut expected = BTreeMap::new();
    for line in table.lines() {
        let (id, fields) = line.trim().split_once(": ").unwrap();
        expected.insert(id.to_owned(), fields.to_owned());
    }
    let batches = contract.operations().iter().filter_map(|operation| Some((operation, operation.request.as_ref()?)));
    let found: BTreeMap<String, String> = batches
        .map(|(operation, shape)| {
            // Items without a read-back use small requests, since the user must check unknown results by hand.
            let size = if operation.read_back.is_some() { 100 } else { 10 };
            assert_eq!((operation.batch_size, shape.member.as_str()), (size, "items"), "{}", operation.id);
            (operation.id.clone(), format!("{}; key {}", format_fields(&shape.fields), operation.key.join(" ")))
        })
        .collect();
    assert_eq!(found, expected);
}

fn format_fields(fields: &[Field]) -> String {
    let field = |field: &Field| {
        let required = if field.required { "*" } else { "" };
        let above = field.limits.exclusive_minimum.map(|bound| format!(">{bound}"));
        let least = field.limits.minimum.map(|bound| format!(">={bound}"));
        let bound = above.or(least).unwrap_or_default();
        let parts = if field.fields.is_empty() { String::new() } else { format!("[{}]", format_fields(&field.fields)) };
        format!("{}{required}{bound}{parts}", field.name)
    };
    fields.iter().map(field).collect::<Vec<_>>().join(" ")
}

#[test]
fn begin_lies_before_end_wherever_both_are_sent() {
    for operation in contract().operations() {
        let Some(request) = &operation.request else { continue };
        let dates: Vec<&str> =
            request.fields.iter().map(|field| field.name.as_str()).filter(|name| name.starts_with("begin")).collect();
        let ruled: Vec<&str> = request.rules.iter().map(|Rule::Before { first, .. }| first.as_str()).collect();
        assert_eq!(ruled, dates, "{}", operation.id);
    }
}

#[test]
fn a_list_carries_every_field_that_its_sync_takes() {
    let contract = contract();
    let shape = |id: &str| {
        let operation = contract.operation(id).unwrap();
        operation.request.clone().or_else(|| operation.answer.clone()).unwrap()
    };
    let names =
        |shape: &RowSchema| shape.fields_with_paths().into_iter().map(|(path, _)| path).collect::<BTreeSet<_>>();
    for (sync, list) in [
        ("materials.sync", "materials.list"),
        ("work-orders.sync", "work-orders.list"),
        ("work-orders.sync", "work-orders.details"),
        ("work-orders.execution", "work-orders.list"),
        ("work-orders.planning-dates", "work-orders.list"),
        ("inspections.sync", "inspections.list"),
        ("inspections.execution", "inspections.list"),
        ("inspection-processes.sync", "inspection-processes.list"),
        ("consumed-lots.sync", "consumed-lots.list"),
    ] {
        let (sent, listed) = (names(&shape(sync)), names(&shape(list)));
        assert!(sent.is_subset(&listed), "{list} lacks {:?}", sent.difference(&listed).collect::<Vec<_>>());
    }
}

#[test]
fn no_heading_means_two_fields_of_one_operation() {
    let plain = |heading: &str| heading.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    for operation in contract().operations() {
        let Some(request) = &operation.request else { continue };
        let mut meanings: BTreeMap<String, String> = BTreeMap::new();
        for (path, field) in request.fields_with_paths() {
            let names = &field.names;
            let headings: HashSet<String> = [&names.en, &names.de, &names.es, &names.pt]
                .into_iter()
                .chain(&field.synonyms)
                .map(|h| plain(h))
                .collect();
            let container = matches!(field.kind, FieldKind::List | FieldKind::Object);
            assert!(container || field.synonyms.len() >= 5, "{}: {path} has too few synonyms", operation.id);
            for heading in headings {
                if let Some(other) = meanings.insert(heading.clone(), path.clone()) {
                    panic!("{}: `{heading}` means {other} and {path}", operation.id);
                }
            }
        }
    }
}

#[test]
fn well_known_headings_are_found() {
    let contract = contract();
    let request = contract.operation("work-orders.sync").unwrap().request.clone().unwrap();
    let of =
        |path: &str| request.fields_with_paths().into_iter().find(|(name, _)| name == path).unwrap().1.synonyms.clone();
    for (path, headings) in [
        ("code", vec!["Order no", "Auftragsnummer", "FA-Nr", "Orden", "N.º OP"]),
        ("operationCode", vec!["Op", "Vorgang", "AVO", "VORNR", "Fase"]),
        ("requestedQuantity", vec!["Qty", "Menge", "Cantidad", "Qtde.", "GAMNG"]),
        ("rawMaterials.code", vec!["Component code", "Rohmaterial", "Materia prima", "Insumo"]),
    ] {
        let synonyms = of(path);
        for heading in headings {
            assert!(synonyms.iter().any(|synonym| synonym == heading), "{path}: {heading}");
        }
    }
    let answer = contract.operation("work-orders.list").unwrap().answer.clone().unwrap();
    assert!(
        answer.fields_with_paths().iter().all(|(_, field)| field.synonyms.is_empty()),
        "an answer is not matched with columns"
    );
}

#[test]
fn the_assumptions_are_data() {
    let document = document();
    let assumptions = document["x-takt-assumptions"].as_array().unwrap();
    let mut ids = HashSet::new();
    for assumption in assumptions {
        assert!(ids.insert(assumption["id"].as_str().unwrap()), "{assumption}");
        assert!(assumption["subject"].is_string() && assumption["decision"].is_string(), "{assumption}");
        assert_eq!(assumption["provenance"]["level"], "assumed", "{assumption}");
        assert!(assumption["provenance"]["source"].as_str().is_some_and(|why| why.len() > 10), "{assumption}");
        let id = assumption["id"].as_str().unwrap();
        let checked = assumption.get("value").map(|value| contract().check_assumption(id, value));
        assert!(checked.is_none_or(|checked| checked.is_ok()), "{assumption}");
    }
    let value = |id: &str| assumptions.iter().find(|assumption| assumption["id"] == id).unwrap()["value"].clone();
    assert_eq!(value("batch-size"), 100);
    assert_eq!(value("scopes"), "service-portal-api service-api offline_access");
    assert_eq!(value("reserved-prefix"), "");
    assert_eq!(value("retry-after-unit")["unit"], "seconds");
    let contract = contract();
    assert_eq!(contract.assumption("event-date-unset"), Some(&value("event-date-unset")));
    assert_eq!((contract.assumption("durations"), contract.assumption("nothing")), (None, None));
}

#[test]
fn the_twelve_events_are_known_and_two_of_them_ask() {
    let contract = contract();
    let events = contract.events();
    assert_eq!(events.iter().map(|event| event.id).collect::<Vec<_>>(), (0..12).collect::<Vec<_>>());
    let asks: Vec<_> = events.iter().filter(|event| event.asks).map(|event| event.name.as_str()).collect();
    assert_eq!(asks, ["CanWorkOrderFinalize", "CanWorkOrderTrackQuantity"]);
}

#[test]
fn the_events_that_move_the_floor_say_so() {
    let contract = contract();
    let moves: Vec<_> =
        contract.events().iter().filter_map(|event| Some((event.id, event.floor.as_ref()?.moves))).collect();
    assert_eq!(
        moves,
        [
            (0, EventOutcome::Alert),
            (1, EventOutcome::Planned),
            (2, EventOutcome::Running),
            (3, EventOutcome::Paused),
            (4, EventOutcome::Ended),
            (5, EventOutcome::Planned),
            (7, EventOutcome::Running),
        ]
    );
}

/// Mock servers return examples from the document, so every value needs an example that is valid for its schema.
#[test]
fn every_value_has_an_example_of_its_schema() {
    let document = document();
    let (mut seen, mut lacking) = (0, Vec::new());
    let components = document["components"].clone();
    let validated = |at: &str, schema: &Value, example: &Value| {
        let root = json!({ "allOf": [schema], "components": components });
        let validator = jsonschema::options().should_validate_formats(false).build(&root).unwrap();
        assert!(validator.is_valid(example), "{at}: {example}");
    };
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        for (property, node) in schema["properties"].as_object().into_iter().flatten() {
            let at = format!("{name}.{property}");
            let branch =
                node["anyOf"].as_array().and_then(|branches| branches.iter().find(|one| one["type"] != "null"));
            let whole = follow_references(&document, branch.unwrap_or(node));
            let part = follow_references(&document, &whole["items"]);
            let has_parts = whole.get("properties").or_else(|| whole.get("allOf")).or_else(|| part.get("properties"));
            let examples = node.get("examples").or_else(|| whole.get("examples"));
            let examples = examples.or_else(|| whole.get("const")).or_else(|| part.get("examples"));
            match examples {
                None if has_parts.is_none() => lacking.push(at),
                Some(Value::Array(examples)) => {
                    seen += 1;
                    let of_part = node.get("examples").or_else(|| whole.get("examples")).is_none();
                    let schema = if of_part { part } else { node };
                    examples.iter().for_each(|example| validated(&at, schema, example));
                }
                _ => {}
            }
        }
    }
    for (path, item) in document["paths"].as_object().unwrap() {
        for operation in item.as_object().unwrap().values() {
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let parameter = follow_references(&document, parameter);
                let at = format!("{path} {}", parameter["name"]);
                match parameter.get("example") {
                    Some(example) => validated(&at, &parameter["schema"], example),
                    None => lacking.push(at),
                }
            }
        }
    }
    for (name, header) in document["components"]["headers"].as_object().unwrap() {
        validated(name, &header["schema"], &header["example"]);
    }
    assert!(lacking.is_empty() && seen > 300, "{seen} {lacking:?}");
}
