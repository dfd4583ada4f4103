//! Work orders by GraphQL: the same rows as the lists.

use serde_json::{Value, json};

use crate::stage::{Answer, Stage};

impl Stage {
    async fn ask(&self, body: Value) -> Answer {
        let operation = self.operation("graphql");
        let request = self.request(operation.method.parse().unwrap(), &operation.path).json(&body);
        Answer::of(request.send().await.unwrap()).await
    }
}

#[tokio::test]
async fn orders_with_parts_properties_and_times() {
    let stage = Stage::new().await;
    let query = "query Orders($code: String) { workOrders(code: $code) { total pages page items { code operationCode requestedQuantity
        customer rawMaterials { code quantity uoM } properties { key value isLocked } laborPredictedTime { ticks totalHours } } } }";
    let answer =
        stage.ask(json!({ "query": query, "variables": { "code": "WO-260001" }, "operationName": "Orders" })).await;
    assert_eq!((answer.status, answer.body.get("errors")), (200, None), "{:?}", answer.body);
    let page = &answer.body["data"]["workOrders"];
    assert_eq!((&page["total"], &page["pages"], &page["page"]), (&json!(1), &json!(1), &json!(1)));
    let row = stage.read("work-orders.list", "?code=WO-260001").await.rows()[0].clone();
    let item = &page["items"][0];
    assert_eq!(item["requestedQuantity"].as_f64(), row["requestedQuantity"].as_f64());
    assert_eq!(item["customer"], row["customer"]);
    assert_eq!(item["rawMaterials"][0]["code"], row["rawMaterials"][0]["code"]);
    assert_eq!(item["properties"].as_array().unwrap().len(), row["properties"].as_array().unwrap().len());
    assert_eq!(item["laborPredictedTime"]["ticks"].as_f64(), row["laborPredictedTime"]["ticks"].as_f64());
    assert!(answer.header("x-ratelimit-remaining").parse::<u32>().is_ok());
}

#[tokio::test]
async fn pages_windows_and_everything_of_an_order() {
    let stage = Stage::new().await;
    let document = stage.contract.operation("work-orders.details").unwrap().answer.clone().unwrap();
    let mut fields = String::new();
    for field in &document.fields {
        fields.push_str(&field.name);
        if field.kind == takt_contract::FieldKind::TimeSpan {
            fields.push_str(" { ticks }");
        } else if let Some(first) = field.fields.first() {
            fields.push_str(&format!(" {{ {} }}", first.name));
        }
        fields.push(' ');
    }
    let query = format!(
        "{{ workOrders(page: 2, limit: 100, from: \"2000-01-01\", to: \"2100-01-01\") {{ total items {{ {fields} }} }} }}"
    );
    let answer = stage.ask(json!({ "query": query })).await;
    assert_eq!(answer.body.get("errors"), None, "{:?}", answer.body["errors"]);
    assert_eq!(answer.body["data"]["workOrders"]["items"].as_array().unwrap().len(), 100);
    for wrong in ["limit: 101", "page: 0", "from: \"never\""] {
        let answer = stage.ask(json!({ "query": format!("{{ workOrders({wrong}) {{ total }} }}") })).await;
        assert_eq!(answer.status, 200);
        assert!(
            answer.body["errors"][0]["message"].as_str().is_some_and(|text| text.contains("must be")),
            "{:?}",
            answer.body
        );
    }
}

#[tokio::test]
async fn introspection_and_bad_requests() {
    let stage = Stage::new().await;
    let answer = stage
        .ask(json!({ "query": "{ __schema { types { name fields { name type { name ofType { name } } } } } }" }))
        .await;
    let types = answer.body["data"]["__schema"]["types"].as_array().unwrap();
    for name in ["WorkOrder", "TimeSpan", "WorkOrderRawMaterials", "WorkOrderProperties"] {
        assert!(types.iter().any(|known| known["name"] == name), "{name}");
    }
    for body in [json!({}), json!({ "query": 1 }), json!([]), json!({ "query": "{ a }", "variables": 3 })] {
        let answer = stage.ask(body).await;
        assert_eq!(answer.status, 400);
        assert!(answer.body["errors"][0].is_string());
    }
    let deep = format!("{}{}", "{ workOrders ".repeat(500), "}".repeat(500));
    let answer = stage.ask(json!({ "query": deep })).await;
    assert_eq!(answer.status, 200);
    assert!(answer.body["errors"].is_array());
    let anonymous = stage.client.post(stage.url("/graphql")).json(&json!({ "query": "{ workOrders { total } }" }));
    assert_eq!(anonymous.send().await.unwrap().status(), 401);
}
