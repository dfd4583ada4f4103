//! Template cleanup. The links of a range of templates are shown and deleted, and each link has a result.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use takt_tests::{SOON, SecondPlant, as_text, results};

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
    app.types("template-ids", "1-2, 900").await;
    app.click("template-read").await;
    let absent =
        "return document.querySelector('[data-testid=\"templates-absent\"]')?.textContent === 'Not found: 900'";
    app.window.until("the id that there isn't", SOON, absent).await;
    app.gone("templates-stop").await;
    app.click("tick-all").await;
    app.types("operation-code", &operation).await;
    app.click("add-links").await;
    let shown: BTreeSet<(String, String)> = of_range.iter().map(|link| process(link)).collect();
    assert_eq!(app.number("links-count").await, shown.len() as u64);
    app.click("delete-links").await;
    app.sees("affected").await;
    app.window.screenshot(&results("window").join("second-plant-cleanup.png")).await;
    app.types("confirm-count", &shown.len().to_string()).await;
    app.click("confirm-delete").await;
    app.submission_ends().await;
    let there: BTreeSet<(String, String)> =
        of_range.iter().filter(|link| as_text(&link["operationCode"]) == operation).map(|link| process(link)).collect();
    let accepted = format!(
        "return document.querySelector('[data-testid=\"result-accepted\"]')?.textContent.replace(/[^0-9]/g, '') === '{}'",
        there.len()
    );
    app.window.until("the accepted links", SOON, &accepted).await;
    match (shown.len() - there.len()) as u64 {
        0 => app.gone("result-rejected").await,
        refused => assert_eq!(app.number("result-rejected").await, refused),
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
fn process(link: &Value) -> (String, String) {
    (as_text(&link["templateId"]), as_text(&link["processCode"]))
}
