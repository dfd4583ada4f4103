//! Template cleanup. The links of a range of templates are shown and deleted, and each link has a result.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use takt_tests::{CHANGE_TIMEOUT, SecondPlant, as_text, results_folder};

use super::with_document;

const DELETE: &str = "template-processes.delete";

#[tokio::test]
#[ignore = "long: another interface"]
async fn links_of_templates_are_deleted() {
    let plant = SecondPlant::start(&[]);
    let app = with_document(&plant).await;
    let held = plant.state("template-processes").await;
    let of_range: Vec<&Value> =
        held.iter().filter(|link| [1, 2].contains(&link["templateId"].as_i64().unwrap())).collect();
    let operation = as_text(&of_range[0]["operationCode"]);
    app.click("nav-templates").await;
    app.type_text("template-ids", "1-2, 900").await;
    app.click("template-read").await;
    let absent =
        "return document.querySelector('[data-testid=\"templates-absent\"]')?.textContent === 'Not found: 900'";
    app.window.wait_until("the id that there isn't", CHANGE_TIMEOUT, absent).await;
    app.wait_until_gone("templates-stop").await;
    app.click("tick-all").await;
    app.type_text("operation-code", &operation).await;
    app.click("add-links").await;
    let shown: BTreeSet<(String, String)> = of_range.iter().map(|link| link_texts(link)).collect();
    assert_eq!(app.wait_for_number("links-count").await, shown.len() as u64);
    app.click("delete-links").await;
    app.wait_for_element("affected").await;
    app.window.screenshot(&results_folder("window").join("second-plant-cleanup.png")).await;
    app.type_text("confirm-count", &shown.len().to_string()).await;
    app.click("confirm-delete").await;
    app.wait_for_submission_end().await;
    let there: BTreeSet<(String, String)> = of_range
        .iter()
        .filter(|link| as_text(&link["operationCode"]) == operation)
        .map(|link| link_texts(link))
        .collect();
    let accepted = format!(
        "return document.querySelector('[data-testid=\"result-accepted\"]')?.textContent.replace(/[^0-9]/g, '') === '{}'",
        there.len()
    );
    app.window.wait_until("the accepted links", CHANGE_TIMEOUT, &accepted).await;
    match (shown.len() - there.len()) as u64 {
        0 => app.wait_until_gone("result-rejected").await,
        refused => assert_eq!(app.wait_for_number("result-rejected").await, refused),
    }
    let done: BTreeMap<String, bool> =
        plant.applied(DELETE).await.into_iter().map(|(key, item)| (key, item.accepted == 1)).collect();
    let expected: BTreeMap<String, bool> =
        shown.iter().map(|link| (format!("{} · {} · {operation}", link.0, link.1), there.contains(link))).collect();
    assert_eq!(done, expected);
    assert_eq!(held.len() - plant.state("template-processes").await.len(), there.len());
    app.window.close().await;
}

/// Returns the template and the process of a link as texts.
fn link_texts(link: &Value) -> (String, String) {
    (as_text(&link["templateId"]), as_text(&link["processCode"]))
}
