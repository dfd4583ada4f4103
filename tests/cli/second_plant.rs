//! Tests that the second plant matches its document, and that its requests reach the practice plant.

use std::{collections::BTreeMap, fs};

use reqwest::Method;
use serde_json::{Value, json};
use takt_tests::{Applied, SecondPlant};

/// A client of the plant that checks every response against the document.
struct CheckedClient<'a> {
    plant: &'a SecondPlant,
    token: String,
    document: Value,
    client: reqwest::Client,
}

impl<'a> CheckedClient<'a> {
    async fn new(plant: &'a SecondPlant) -> Self {
        let text = fs::read_to_string(SecondPlant::document()).unwrap();
        let mut document: Value = serde_saphyr::from_str(&text).unwrap();
        allow_null(&mut document);
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { plant, token: plant.token("planner").await, document, client }
    }

    /// Calls an operation, and checks the response against the document's schema.
    async fn call(&self, method: &str, template: &str, target: &str, body: Option<Value>) -> (u16, Value) {
        let address = format!("{}{target}", self.plant.member("base_url"));
        let mut request = self.client.request(method.parse::<Method>().unwrap(), address).bearer_auth(&self.token);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        let kind = answer.headers()["content-type"].to_str().unwrap().split(';').next().unwrap().to_owned();
        let body: Value = answer.json().await.unwrap();
        let operation = &self.document["paths"][template][method.to_lowercase()];
        let schema = &operation["responses"][status.to_string()]["content"][&kind]["schema"];
        assert!(schema.is_object(), "{method} {target} answers {status} as {kind}: {body}");
        let schema = json!({ "allOf": [schema], "components": self.document["components"] });
        // .NET formats a time of day without an offset.
        let options = jsonschema::options().with_draft(jsonschema::Draft::Draft4).should_validate_formats(true);
        let validator = options.with_format("time", |text| text.len() == 8).build(&schema).unwrap();
        let wrong =
            validator.iter_errors(&body).map(|error| format!("{} {}", error.instance_path(), error.schema_path()));
        let wrong: Vec<_> = wrong.collect();
        assert!(wrong.is_empty(), "{method} {target}: {wrong:#?}");
        (status, body)
    }

    async fn get(&self, path: &str, query: &str) -> Value {
        let (status, body) = self.call("GET", path, &format!("{path}{query}"), None).await;
        assert_eq!(status, 200, "{path}{query}: {body}");
        body
    }

    async fn send(&self, method: &str, path: &str, body: Value) -> Value {
        let (status, body) = self.call(method, path, path, Some(body)).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }
}

/// Replaces `nullable` of OpenAPI 3.0 with JSON Schema's `null` type.
fn allow_null(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(allow_null);
            if members.remove("nullable") == Some(json!(true)) {
                let schema = Value::Object(std::mem::take(members));
                members.insert("anyOf".to_owned(), json!([schema, { "type": "null" }]));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(allow_null),
        _ => {}
    }
}

/// Returns the writing operations, each with its method, path, the name of the body's list, and items. The second item
/// is invalid.
fn write_operations() -> Vec<(&'static str, &'static str, &'static str, Vec<Value>)> {
    let order = |number: &str, center: &str| {
        json!({ "OrderNumber": number, "OperationNo": "010", "ArticleNumber": "MAT-1001", "OrderType": 2, "TargetQuantity": 5,
            "WorkCenter": center, "PlannedStart": "2027-03-01T08:00:00+01:00", "PlannedEnd": "2027-03-01T16:00:00+01:00",
            "PlannedLaborTime": "PT1H30M", "Components": [{ "ArticleNumber": "RAW-2001", "Quantity": 2 }],
            "Attributes": [{ "Attribute": "COLOUR", "Value": "red" }] })
    };
    let attribute = |number: &str| json!({ "OrderNumber": number, "Attribute": "COLOUR", "Value": "red" });
    let progress = |number: &str| json!({ "OrderNumber": number, "OperationNo": "010", "Yield": 1, "Scrap": 0 });
    let inspection = |number: &str, order: &str| json!({ "InspectionNumber": number, "OrderNumber": order, "OperationNo": "010", "ProcessNo": "IP-16", "SampleSize": 3 });
    let inspected = |number: &str| json!({ "InspectionNumber": number, "OperationNo": "010", "PassedQuantity": 1 });
    let schedule = |number: &str| {
        json!({ "OrderNumber": number, "OperationNo": "010", "PlannedStart": "2027-03-02T08:00:00+01:00",
            "PlannedEnd": "2027-03-02T16:00:00+01:00" })
    };
    let consumption = |order: &str| json!({ "OrderNumber": order, "OperationNo": "010", "ArticleNumber": "RAW-2001", "Quantity": 1.5 });
    let stock =
        |article: &str| json!({ "ArticleNumber": article, "QuantityOnHand": 7, "CountedAt": "2026-11-20T08:00:00Z" });
    let process = |number: &str| json!({ "ProcessNo": number, "Description": "Polish", "LaborMinutes": 90.5 });
    let article =
        |number: &str| json!({ "ArticleNumber": number, "Description": "Bolt", "Unit": "pcs", "Active": true });
    vec![
        ("POST", "/mes/v2/articles/import", "Items", vec![article("MAT-9001"), article("")]),
        ("PUT", "/mes/v2/production-orders", "Items", vec![order("PO-1", "WS-01"), order("PO-2", "NOWHERE")]),
        ("POST", "/mes/v2/production-orders/reschedule", "Items", vec![schedule("PO-1"), schedule("PO-X")]),
        ("PUT", "/mes/v2/production-orders/progress", "", vec![progress("PO-1"), progress("PO-X")]),
        ("PUT", "/mes/v2/production-orders/attributes", "", vec![attribute("PO-1"), attribute("PO-X")]),
        ("POST", "/mes/v2/consumptions/import", "Items", vec![consumption("PO-1"), consumption("PO-X")]),
        ("POST", "/mes/v2/inventory/import", "Items", vec![stock("MAT-1001"), stock("NONE")]),
        (
            "POST",
            "/mes/v2/inspection-orders/import",
            "Items",
            vec![inspection("I-1", "PO-1"), inspection("I-2", "PO-X")],
        ),
        ("PUT", "/mes/v2/inspection-orders/progress", "", vec![inspected("I-1"), inspected("I-X")]),
        ("PUT", "/mes/v2/inspection-orders/attributes", "", vec![attribute("PO-1"), attribute("PO-X")]),
        ("POST", "/mes/v2/processes/import", "Items", vec![process("IP-90"), process("")]),
        (
            "POST",
            "/mes/v2/tool-calibrations",
            "Items",
            vec![
                json!({ "ToolNumber": "T-0001", "CalibratedAt": "2026-11-20T08:00:00+01:00" }),
                json!({ "ToolNumber": "T-X" }),
            ],
        ),
    ]
}

#[tokio::test]
async fn every_operation_answers_as_its_document_says() {
    let plant = SecondPlant::start(&[]);
    let client = CheckedClient::new(&plant).await;
    let mut asked = Vec::new();
    for (path, item) in client.document["paths"].as_object().unwrap() {
        if !item["get"].is_object() {
            continue;
        }
        let target = path.replace("{templateId}", "1");
        let (status, body) = client.call("GET", path, &target, None).await;
        let rows = [&body["Data"]["Items"], &body["Data"], &body].into_iter().find(|rows| rows.is_array());
        assert!(status == 200 && !rows.unwrap().as_array().unwrap().is_empty(), "{path} {body}");
        asked.push(format!("get {path}"));
    }
    for (method, path, member, items) in write_operations() {
        let body = if member.is_empty() { json!(items) } else { json!({ (member): items }) };
        let answer = client.send(method, path, body).await;
        let counts = ["Total", "Succeeded", "Failed"].map(|name| answer[name].as_u64().unwrap());
        assert_eq!(counts, [2, 1, 1], "{path} {answer}");
        let failures = answer["Failures"].as_array().unwrap();
        assert_eq!((failures.len(), &failures[0]["Index"]), (1, &json!(1)), "{path} {answer}");
        assert!(!failures[0]["Messages"].as_array().unwrap().is_empty(), "{path} {answer}");
        asked.push(format!("{} {path}", method.to_lowercase()));
    }
    let delete = "/mes/v2/process-templates/links/bulk-delete";
    let links = json!([{ "TemplateId": 1, "ProcessNo": "IP-X", "OperationNo": "010" }]);
    let answer = client.send("POST", delete, links).await;
    assert_eq!((&answer["Deleted"], &answer["Results"][0]["Status"]), (&json!(0), &json!("NotDeleted")));
    let query = json!({ "query": "{ workOrders { items { code } } }" });
    assert!(client.send("POST", "/graphql", query).await["data"]["workOrders"]["items"].is_array());
    asked.extend([format!("post {delete}"), "post /graphql".to_owned()]);
    let described = client.document["paths"].as_object().unwrap().iter();
    let described = described
        .flat_map(|(path, item)| item.as_object().unwrap().keys().map(move |method| format!("{method} {path}")));
    let forgotten: Vec<_> = described.filter(|operation| !asked.contains(operation)).collect();
    assert!(forgotten.is_empty() && asked.len() == 27, "{forgotten:?}");
    assert_eq!(plant.calibrations().len(), 1);
}

#[tokio::test]
async fn what_is_sent_reaches_the_practice_plant_and_comes_back() {
    let plant = SecondPlant::start(&[]);
    let client = CheckedClient::new(&plant).await;
    let sent = write_operations().into_iter().find(|change| change.1 == "/mes/v2/production-orders").unwrap();
    let answer = client.send(sent.0, sent.1, json!({ (sent.2): sent.3 })).await;
    let failure = &answer["Failures"][0];
    assert_eq!((&failure["OrderNumber"], &failure["OperationNo"]), (&json!("PO-2"), &json!("010")));
    assert!(failure["Messages"][0].as_str().unwrap().starts_with("WorkCenter: "), "{failure}");
    let applied = plant.applied("work-orders.sync").await;
    let once = |accepted, refused| Applied { accepted, refused };
    let expected = [("PO-1 · 010".to_owned(), once(1, 0)), ("PO-2 · 010".to_owned(), once(0, 1))];
    assert_eq!(applied, BTreeMap::from(expected));
    let shown = client.get("/mes/v2/production-orders", "?OrderNumber=PO-1").await["Data"]["Items"][0].clone();
    for member in ["OrderType", "TargetQuantity", "PlannedStart", "PlannedEnd", "PlannedLaborTime", "WorkCenter"] {
        assert_eq!(shown[member], sent.3[0][member], "{member} of {shown}");
    }
    let plan = "?DateFrom=2027-03-01T00%3A00%3A00%2B01%3A00&DateTo=2027-03-02T00%3A00%3A00%2B01%3A00&OrderNumber=PO-1";
    assert_eq!(client.get("/mes/v2/production-orders", plan).await["Data"]["TotalCount"], 1);
}

#[tokio::test]
async fn pages_add_up() {
    let plant = SecondPlant::start(&[]);
    let client = CheckedClient::new(&plant).await;
    for (path, size) in [("/mes/v2/articles", 30), ("/mes/v2/tools", 50)] {
        let (mut rows, mut total) = (Vec::new(), u64::MAX);
        for page in 0..10 {
            let body = client.get(path, &format!("?PageIndex={page}&PageSize={size}")).await["Data"].take();
            total = body["TotalCount"].as_u64().unwrap();
            assert_eq!(body["TotalPages"].as_u64().unwrap(), total.div_ceil(size));
            rows.extend(body["Items"].as_array().unwrap().clone());
        }
        let once: std::collections::BTreeSet<String> = rows.iter().map(Value::to_string).collect();
        assert!(rows.len() as u64 == total && once.len() == rows.len(), "{path}: {total} and {}", rows.len());
    }
    let (status, body) = client.call("GET", "/mes/v2/articles", "/mes/v2/articles?PageSize=51", None).await;
    assert_eq!((status, body["errors"]["PageSize"].as_array().unwrap().len()), (400, 1));
}

#[tokio::test]
async fn what_is_not_as_the_document_says_is_refused() {
    let plant = SecondPlant::start(&[]);
    let mut client = CheckedClient::new(&plant).await;
    let orders = "/mes/v2/production-orders";
    let refused = [
        (json!([]), "$"),
        (json!({ "items": [] }), "$.items"),
        (json!({ "Items": [{ "code": "PO-1" }] }), "$.Items[0].code"),
        (
            json!({ "Items": [{ "OrderNumber": "PO-1", "PlannedStart": "2027-03-01T08:00:00" }] }),
            "$.Items[0].PlannedStart",
        ),
        (json!({ "Items": [{ "OrderNumber": "PO-1", "OrderType": "Rework" }] }), "$.Items[0].OrderType"),
        (
            json!({ "Items": [{ "OrderNumber": "PO-1", "PlannedLaborTime": "01:30:00" }] }),
            "$.Items[0].PlannedLaborTime",
        ),
    ];
    for (body, path_in_body) in refused {
        let (status, answer) = client.call("PUT", orders, orders, Some(body)).await;
        assert!(status == 400 && answer["errors"][path_in_body].is_array(), "{path_in_body}: {answer}");
    }
    let (status, _) = client.call("GET", orders, &format!("{orders}?DateFrom=2027-03-01T08:00:00"), None).await;
    assert_eq!(status, 400, "a parameter without an offset");
    let template = "/mes/v2/process-templates/{templateId}/processes";
    assert_eq!(client.call("GET", template, &template.replace("{templateId}", "9999"), None).await.0, 404);
    plant.set_faults(&["limit-429-header:1"]).await;
    assert_eq!(client.call("GET", orders, orders, None).await.0, 429);
    plant.set_faults(&["error-500:1"]).await;
    assert_eq!(client.call("GET", orders, orders, None).await.0, 500);
    plant.set_faults(&[]).await;
    client.token = plant.token("viewer").await;
    for (method, path, _, _) in write_operations() {
        assert_eq!(client.call(method, path, path, Some(json!({ "Items": [] }))).await.0 / 100, 4, "{path}");
    }
    client.token = "nobody".to_owned();
    assert_eq!(client.call("GET", "/mes/v2/tools", "/mes/v2/tools", None).await.0, 401);
    assert!(plant.applied("work-orders.sync").await.is_empty() && plant.calibrations().is_empty());
}
