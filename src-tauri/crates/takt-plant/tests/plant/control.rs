//! Tests of the control interface, the pages and the contract document.

use reqwest::Method;
use serde_json::{Value, json};

use crate::fixture::{Answer, Fixture};

#[tokio::test]
async fn the_control_interface_wants_its_key() {
    let fixture = Fixture::new().await;
    for (method, path) in
        [(Method::GET, "/log"), (Method::GET, "/state/materials"), (Method::POST, "/reset"), (Method::POST, "/faults")]
    {
        for key in ["", "wrong", &fixture.planner] {
            let url = format!("{}{path}", fixture.plant.control_url);
            let answer =
                Answer::read(fixture.client.request(method.clone(), url).bearer_auth(key).send().await.unwrap()).await;
            assert_eq!((answer.status, answer.body), (401, json!({ "error": "The control key is missing or wrong." })));
        }
    }
    let answer = Answer::read(fixture.control_request(Method::GET, "/state/secrets").send().await.unwrap()).await;
    assert_eq!((answer.status, answer.body), (404, json!({ "error": "There is no such resource." })));
    let wrong = json!({ "faults": ["error-500:7"] });
    let answer =
        Answer::read(fixture.control_request(Method::POST, "/faults").json(&wrong).send().await.unwrap()).await;
    assert_eq!((answer.status, answer.body), (400, json!({ "errors": ["`7` is not a probability between 0 and 1"] })));
}

#[tokio::test]
async fn the_log_tells_every_request_and_no_secret() {
    let fixture = Fixture::new().await;
    fixture.get("/api/v1/Materials?page=2").await;
    fixture
        .client
        .post(format!("{}/connect/token", fixture.plant.auth_url))
        .form(&[("client_secret", "s3cret")])
        .send()
        .await
        .unwrap();
    fixture.send_batch("materials.sync", json!([{"code": "X", "description": "Y"}])).await;
    let log = Answer::read(fixture.control_request(Method::GET, "/log").send().await.unwrap()).await.body;
    let expected = json!([
        {"number": 1, "at": "2026-11-20T09:00:00Z", "method": "GET", "path": "/api/v1/Materials?page=2", "operation": "materials.list",
            "user": "planner", "status": 200, "fault": null, "applied": []},
        {"number": 2, "at": "2026-11-20T09:00:00Z", "method": "POST", "path": "/identity/connect/token", "operation": "connect/token",
            "user": null, "status": 401, "fault": null, "applied": []},
        {"number": 3, "at": "2026-11-20T09:00:00Z", "method": "POST", "path": "/api/v1/Materials/batch", "operation": "materials.sync",
            "user": "planner", "status": 200, "fault": null, "applied": [{"code": "X", "success": true}]},
    ]);
    assert_eq!(log, expected);
    assert_eq!(serde_json::to_value(fixture.plant.log()).unwrap(), expected);
    let shown = format!("{:?} {:?}", fixture.plant, fixture.plant.issue_tokens("viewer").unwrap());
    assert!(!shown.contains(&fixture.plant.client_secret) && !shown.contains(&fixture.plant.control_key));
}

#[tokio::test]
async fn a_reset_brings_the_seed_back() {
    let fixture = Fixture::new().await;
    let before = (fixture.resource_rows("materials").await, fixture.resource_rows("template-processes").await);
    fixture.send_batch("materials.sync", json!([{"code": "MAT-1001", "description": "Other"}])).await;
    fixture.send_batch("template-processes.delete", json!([before.1[0]])).await;
    fixture.set_faults(&["error-500"], 1).await;
    assert_ne!(fixture.resource_rows("template-processes").await, before.1);
    let answer = fixture.control_request(Method::POST, "/reset").send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!((fixture.resource_rows("materials").await, fixture.resource_rows("template-processes").await), before);
    assert_eq!(fixture.plant.log(), []);
    assert_eq!(fixture.get("/api/v1/Materials").await.status, 200, "who was signed in still is");
}

#[tokio::test]
async fn the_contract_and_the_home_page_are_served() {
    let fixture = Fixture::new().await;
    let document = fixture.get("/openapi.json").await.body;
    assert_eq!(document["servers"][0]["url"], fixture.plant.base_url);
    let flow = &document["components"]["securitySchemes"]["oauth2"]["flows"]["authorizationCode"];
    assert_eq!(flow["tokenUrl"], format!("{}/connect/token", fixture.plant.auth_url));
    assert!(takt_contract::Contract::from_document(document).is_ok_and(|contract| contract.operations().len() == 25));
    let page = fixture.client.get(fixture.url("/")).header("accept-language", "de").send().await.unwrap();
    assert_eq!(page.status(), 200);
    let html = page.text().await.unwrap();
    assert!(html.contains("<html lang=\"de\">") && html.contains("href=\"/openapi.json\""));
    for operation in fixture.contract.operations() {
        assert!(html.contains(&format!("<code>{}</code>", operation.id)), "{}", operation.id);
    }
    let link = html
        .split("href=\"")
        .find(|part| part.starts_with("/identity"))
        .and_then(|part| part.split('"').next())
        .unwrap();
    let sign_in = fixture.client.get(fixture.url(&link.replace("&amp;", "&"))).send().await.unwrap();
    assert_eq!(sign_in.status(), 200);
}

#[tokio::test]
async fn the_ready_line_has_what_was_promised() {
    let fixture = Fixture::new().await;
    let line = serde_json::to_value(&fixture.plant).unwrap();
    let names: Vec<&String> = line.as_object().unwrap().keys().collect();
    let promised = [
        "base_url",
        "auth_url",
        "client_id",
        "client_secret",
        "redirect_uris",
        "control_url",
        "control_key",
        "time_zone",
    ];
    assert_eq!(names, promised);
    assert_eq!(
        (&line["time_zone"], line["redirect_uris"].as_array().map(Vec::len)),
        (&Value::from("Europe/Berlin"), Some(8))
    );
}
