//! The main job: a workbook is sent, and each row's result is compared with the plant's log.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use takt_tests::{Engine, TestApp, repository};

#[tokio::test]
async fn a_planner_sends_a_workbook_and_knows_every_rows_result() {
    let app = TestApp::open(Engine::WebView).await;
    app.click("sample-work-orders.sync").await;
    app.click("step-columns").await;
    app.wait_for_element("match-A").await;
    let missing =
        app.window.script("return document.querySelectorAll('[data-testid^=\"missing-\"]').length", vec![]).await;
    assert_eq!(missing, json!(0), "every required field found its column by itself");

    app.click("step-check").await;
    let sample = expected_results();
    let by_file: BTreeSet<u64> = wrong_rows(&sample, "file");
    assert_eq!(app.wait_for_number("counts-rows").await, sample["rows"].as_u64().unwrap());
    assert!(app.wait_for_number("facet-not-above").await == 1, "the zero quantity is counted");
    let id = 1;
    let findings = errors(&app, id).await;
    assert!(by_file.is_subset(&findings.keys().copied().collect()), "{by_file:?} in {findings:?}");

    app.click("step-send").await;
    app.wait_for_element("sign-in-panel").await;
    app.sign_in().await;
    app.wait_for_comparison("known").await;
    app.click("send").await;
    app.wait_for_submission_end().await;

    let log = app.plant_log("work-orders.sync", &["code", "operationCode"]).await;
    let submission = app.invoke("submission_list", json!({})).await[0].clone();
    let page = app
        .invoke("submission_rows", json!({ "id": submission["id"], "result": null, "offset": 0, "limit": 1000 }))
        .await;
    let rows = page["rows"].as_array().unwrap();
    assert_eq!(rows.len() as u64, sample["rows"].as_u64().unwrap(), "no row is lost");
    let mut counted: BTreeMap<&str, u64> = BTreeMap::new();
    for row in rows {
        let result = row["result"].as_str().unwrap();
        *counted.entry(result).or_default() += 1;
        let applied = log.get(row["key"].as_str().unwrap());
        match result {
            "accepted" => assert_eq!(applied, Some(&true), "{row}"),
            "rejected" => assert_eq!(applied, Some(&false), "{row}"),
            "skipped" => assert_eq!(applied, None, "{row}"),
            _ => panic!("nothing is left over: {row}"),
        }
    }
    for (result, count) in &counted {
        assert_eq!(app.wait_for_number(&format!("result-{result}")).await, *count, "{result} on screen");
    }
    let with = |result: &str| -> BTreeSet<u64> {
        rows.iter().filter(|row| row["result"] == result).map(|row| row["row"].as_u64().unwrap()).collect()
    };
    assert_eq!(with("rejected"), BTreeSet::new(), "what the service would refuse was found before");
    let wrong: BTreeSet<u64> = by_file.union(&wrong_rows(&sample, "service")).copied().collect();
    assert_eq!(with("skipped"), wrong);
    assert!(app.takt.home().join("journal.sqlite").is_file());
    app.window.close().await;
}

/// Returns the expected results for the sample of work orders, as listed in `samples.json`.
fn expected_results() -> Value {
    let list = std::fs::read_to_string(repository().join("tests/data/samples/samples.json")).unwrap();
    let mut list: Value = serde_json::from_str(&list).unwrap();
    let samples = list["samples"].as_array_mut().unwrap();
    samples.iter_mut().find(|sample| sample["file"] == "work-orders.sync.xlsx").unwrap().take()
}

fn wrong_rows(sample: &Value, found_by: &str) -> BTreeSet<u64> {
    let wrong = sample["wrong"].as_array().unwrap().iter().filter(|wrong| wrong["foundBy"] == found_by);
    wrong.flat_map(|wrong| wrong["rows"].as_array().unwrap()).map(|row| row.as_u64().unwrap()).collect()
}

/// Returns the rows with errors, each with the codes of its findings.
async fn errors(app: &TestApp, import: u32) -> BTreeMap<u64, Vec<String>> {
    let filter = json!({ "severity": "error", "code": null, "field": null, "text": null });
    let page = app.invoke("import_rows", json!({ "id": import, "filter": filter, "offset": 0, "limit": 1000 })).await;
    let rows = page["rows"].as_array().unwrap();
    rows.iter()
        .map(|row| {
            let codes = row["findings"].as_array().unwrap().iter().map(|finding| finding["code"].to_string());
            (row["row"].as_u64().unwrap(), codes.collect())
        })
        .collect()
}
