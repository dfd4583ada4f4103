//! Tests of the batch delete in the specification.

use serde_json::{Value, json};

use crate::fixture::{Fixture, applied_item};

#[tokio::test]
async fn links_go_one_by_one_and_the_process_with_its_last() {
    let fixture = Fixture::new().await;
    let links = fixture.resource_rows("template-processes").await;
    // Finds a process that a template uses for two operations.
    let twice = links.windows(2).find(|pair| {
        pair[0]["templateId"] == pair[1]["templateId"] && pair[0]["processCode"] == pair[1]["processCode"]
    });
    let (first, second) = twice.map(|pair| (pair[0].clone(), pair[1].clone())).unwrap();
    let template = first["templateId"].as_i64().unwrap();
    let path = format!("/api/v1/ProcessExecutionTemplates/{template}/Processes");
    let codes = |body: &Value| -> Vec<Value> {
        body["inspectionsProcesses"].as_array().unwrap().iter().map(|process| process["code"].clone()).collect()
    };
    let before = codes(&fixture.get(&path).await.body);
    let unknown = json!({"templateId": template, "processCode": first["processCode"], "operationCode": "990"});
    let answer = fixture.send_batch("template-processes.delete", json!([first, unknown])).await;
    let result = |link: &Value, success: bool| json!({"templateId": link["templateId"], "processCode": link["processCode"], "operationCode": link["operationCode"], "success": success});
    assert_eq!(answer.status, 200);
    let expected = json!({"totalItems": 2, "successCount": 1, "errorCount": 1, "results": [result(&first, true), result(&unknown, false)]});
    assert_eq!(answer.body, expected);
    assert_eq!(
        fixture.last_log_entry().applied,
        [applied_item(result(&first, true)), applied_item(result(&unknown, false))]
    );
    assert_eq!(codes(&fixture.get(&path).await.body), before);
    let answer = fixture.send_batch("template-processes.delete", json!([second, second])).await;
    assert_eq!(
        (answer.status, &answer.body["successCount"]),
        (200, &json!(1)),
        "the second time there is nothing to delete"
    );
    let after = codes(&fixture.get(&path).await.body);
    assert_eq!(after.len(), before.len() - 1);
    assert!(!after.contains(&first["processCode"]));
    assert_eq!(fixture.resource_rows("template-processes").await.len(), links.len() - 2);
}

/// Results repeat the three fields of a link, so an item without them can't have a result.
#[tokio::test]
async fn a_batch_with_something_that_is_no_link_is_refused_as_a_whole() {
    let fixture = Fixture::new().await;
    let before = fixture.resource_rows("template-processes").await;
    let good = before[0].clone();
    let no_links = [
        (json!({"templateId": 1, "processCode": "IP-01"}), vec!["operationCode is required."]),
        (
            json!({"templateId": "1", "processCode": 7, "operationCode": null}),
            vec!["operationCode must be string.", "processCode must be string.", "templateId must be integer."],
        ),
        (
            json!({"templateId": 1.5, "processCode": "IP-01", "operationCode": "010"}),
            vec!["templateId must be integer."],
        ),
        (json!({"href": "/api/v1/ProcessExecutionTemplates/1/Processes"}), Vec::new()),
        (json!("IP-01"), Vec::new()),
        (Value::Null, Vec::new()),
    ];
    for (item, sentences) in no_links {
        let answer = fixture.send_batch("template-processes.delete", json!([good, item])).await;
        assert_eq!(answer.status, 412, "{item}: {}", answer.body);
        let errors = answer.body["errors"].as_array().unwrap();
        assert!(errors.iter().all(|error| error.as_str().unwrap().starts_with("items.1")), "{item}: {errors:?}");
        for sentence in sentences {
            assert!(errors.contains(&json!(format!("items.1.{sentence}"))), "{item}: {errors:?}");
        }
        assert!(fixture.last_log_entry().applied.is_empty());
    }
    assert_eq!(fixture.resource_rows("template-processes").await, before, "nothing is deleted");
    let whole = json!({"templateId": 1.0, "processCode": "IP-99", "operationCode": "010"});
    let answer = fixture.send_batch("template-processes.delete", json!([whole])).await;
    let result = json!({"templateId": 1, "processCode": "IP-99", "operationCode": "010", "success": false});
    assert_eq!((answer.status, &answer.body["results"]), (200, &json!([result])));
    let answer = fixture.send_batch("template-processes.delete", json!(vec![Value::Null; 200])).await;
    assert_eq!((answer.status, answer.body["errors"].as_array().map(Vec::len)), (412, Some(51)));
}

#[tokio::test]
async fn a_code_filters_the_processes_of_a_template() {
    let fixture = Fixture::new().await;
    let path = "/api/v1/ProcessExecutionTemplates/1/Processes";
    let all = fixture.get(path).await.body;
    let code = all["inspectionsProcesses"][1]["code"].as_str().unwrap().to_owned();
    let one = fixture.get(&format!("{path}?Code={code}")).await.body;
    assert_eq!(one, json!({"inspectionsProcesses": [all["inspectionsProcesses"][1]]}));
    assert_eq!(fixture.get(&format!("{path}?Code=")).await.body, all);
    assert_eq!(fixture.get(&format!("{path}?Code=nothing")).await.body, json!({"inspectionsProcesses": []}));
}
