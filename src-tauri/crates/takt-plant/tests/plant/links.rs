//! The specified batch delete, to the letter.

use serde_json::{Value, json};

use crate::stage::{Stage, line};

#[tokio::test]
async fn links_go_one_by_one_and_the_process_with_its_last() {
    let stage = Stage::new().await;
    let links = stage.state("template-processes").await;
    // A process that is linked for two operations of one template.
    let twice = links.windows(2).find(|pair| {
        pair[0]["templateId"] == pair[1]["templateId"] && pair[0]["processCode"] == pair[1]["processCode"]
    });
    let (first, second) = twice.map(|pair| (pair[0].clone(), pair[1].clone())).unwrap();
    let template = first["templateId"].as_i64().unwrap();
    let path = format!("/api/v1/ProcessExecutionTemplates/{template}/Processes");
    let codes = |body: &Value| -> Vec<Value> {
        body["inspectionsProcesses"].as_array().unwrap().iter().map(|process| process["code"].clone()).collect()
    };
    let before = codes(&stage.get(&path).await.body);
    let unknown = json!({"templateId": template, "processCode": first["processCode"], "operationCode": "990"});
    let answer = stage.send("template-processes.delete", json!([first, unknown])).await;
    let result = |link: &Value, success: bool| json!({"templateId": link["templateId"], "processCode": link["processCode"], "operationCode": link["operationCode"], "success": success});
    assert_eq!(answer.status, 200);
    let expected = json!({"totalItems": 2, "successCount": 1, "errorCount": 1, "results": [result(&first, true), result(&unknown, false)]});
    assert_eq!(answer.body, expected);
    assert_eq!(stage.last().applied, [line(result(&first, true)), line(result(&unknown, false))]);
    assert_eq!(codes(&stage.get(&path).await.body), before);
    let answer = stage.send("template-processes.delete", json!([second, second])).await;
    assert_eq!(
        (answer.status, &answer.body["successCount"]),
        (200, &json!(1)),
        "the second time there is nothing to delete"
    );
    let after = codes(&stage.get(&path).await.body);
    assert_eq!(after.len(), before.len() - 1);
    assert!(!after.contains(&first["processCode"]));
    assert_eq!(stage.state("template-processes").await.len(), links.len() - 2);
}

#[tokio::test]
async fn invalid_links_fail_by_themselves() {
    let stage = Stage::new().await;
    let answer = stage
        .send(
            "template-processes.delete",
            json!([{"templateId": "1", "processCode": "IP-01"}, {"templateId": 1.5, "processCode": 7, "operationCode": null}]),
        )
        .await;
    assert_eq!((answer.status, &answer.body["errorCount"]), (200, &json!(2)));
    let results = json!([
        {"templateId": "1", "processCode": "IP-01", "success": false},
        {"templateId": 1.5, "processCode": 7, "operationCode": null, "success": false},
    ]);
    assert_eq!(answer.body["results"], results, "their fields are repeated as they came");
}

#[tokio::test]
async fn a_code_filters_the_processes_of_a_template() {
    let stage = Stage::new().await;
    let path = "/api/v1/ProcessExecutionTemplates/1/Processes";
    let all = stage.get(path).await.body;
    let code = all["inspectionsProcesses"][1]["code"].as_str().unwrap().to_owned();
    let one = stage.get(&format!("{path}?Code={code}")).await.body;
    assert_eq!(one, json!({"inspectionsProcesses": [all["inspectionsProcesses"][1]]}));
    assert_eq!(stage.get(&format!("{path}?Code=")).await.body, all);
    assert_eq!(stage.get(&format!("{path}?Code=nothing")).await.body, json!({"inspectionsProcesses": []}));
}
