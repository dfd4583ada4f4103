//! The window copies a site with an interface of its own, and what is sent to the copy stays there.

use serde_json::{Value, json};
use takt_tests::{SecondPlant, results};

use crate::{
    second_plant::{DATES, SITE, change_three_orders, drop_rows, with_document},
    test_app::{SOON, TestApp},
};

const ORDERS: &str = "work-orders.sync";
const COPY: &str = "works rehearsal";

#[tokio::test]
async fn a_site_is_copied_and_rehearsed_on() {
    let plant = SecondPlant::start(&[]);
    let app = with_document(&plant).await;
    app.click("contract-back").await;

    // Stopped, it leaves nothing.
    plant.make_faults(&["latency=200"]).await;
    app.click(&format!("rehearse-{SITE}")).await;
    app.click("rehearsal-start").await;
    app.sees("rehearsal-progress").await;
    app.window.screenshot(&results("window").join("rehearsal-progress.png")).await;
    app.click("rehearsal-stop").await;
    app.sees("rehearsal-close").await;
    assert!(!names(&app).await.contains(&json!(COPY)));
    plant.make_faults(&[]).await;

    app.click("rehearsal-start").await;
    app.sees("rehearsal-done").await;
    app.window.screenshot(&results("window").join("rehearsal-done.png")).await;
    app.click("rehearsal-close").await;
    assert!(names(&app).await.contains(&json!(COPY)));
    let chosen = format!("return document.querySelector('[data-testid=\"site-switch\"]')?.dataset.site === '{COPY}'");
    app.window.until("the copy to be chosen", SOON, &chosen).await;
    let marked = "const mark = document.querySelector('[data-testid=\"site-switch\"] [data-kind=\"practice\"]');
        return mark?.textContent.includes('Practice copy') === true";
    app.window.until("its mark", SOON, marked).await;
    let copied = format!("return document.querySelector('[data-testid=\"rehearse-{COPY}\"]') === null");
    app.window.until("a copy that isn't copied", SOON, &copied).await;

    change_three_orders(&app).await;
    app.click("step-preview").await;
    app.sees("preview").await;
    app.click("send-same").await;
    app.click("step-send").await;
    app.click("send").await;
    app.submission_ends().await;
    app.window.screenshot(&results("window").join("rehearsal-results.png")).await;
    assert_eq!(app.number("result-accepted").await, 3);
    assert!(plant.applied(DATES).await.is_empty(), "nothing reached the site");

    // The copy ends with the program; what is chosen then is the site.
    let again = TestApp::open_at(app.kill(), "unix:path=/nonexistent").await;
    let state = again.ask("app_state", json!({})).await;
    let chosen = state["sites"].as_array().unwrap().iter().find(|view| view["chosen"] == true).unwrap();
    assert_eq!(chosen["site"]["name"], SITE);
    again.window.close().await;
}

/// The same file goes to the copy and then to the site, where one row comes out otherwise.
#[tokio::test]
async fn what_was_rehearsed_is_compared_with_what_then_happened() {
    let plant = SecondPlant::start(&[]);
    let app = with_document(&plant).await;
    app.click("contract-back").await;
    app.click(&format!("rehearse-{SITE}")).await;
    app.click("rehearsal-start").await;
    app.sees("rehearsal-done").await;
    app.click("rehearsal-close").await;
    let codes: Vec<String> = (900_001..=900_006).map(|number| format!("WO-{number}")).collect();
    let mut rows = vec![["code", "operationCode", "materialCode", "requestedQuantity"]];
    rows.extend(codes.iter().map(|code| [code.as_str(), "010", "MAT-1001", "4"]));
    let rows: Vec<&[&str]> = rows.iter().map(|row| &row[..]).collect();
    send(&app, &rows).await;
    assert_eq!(app.number("result-accepted").await, 6);
    app.gone("rehearsal-comparison").await;
    app.click("new-import").await;

    assert_eq!(app.ask("site_choose", json!({ "name": SITE })).await, Value::Null);
    let chosen = format!("return document.querySelector('[data-testid=\"site-switch\"]')?.dataset.site === '{SITE}'");
    app.window.until("the site to be chosen", SOON, &chosen).await;
    plant.make_faults(&["reject-item:1"]).await;
    send(&app, &rows).await;
    let rejected = app.number("result-rejected").await;
    let (same, different) = (6 - rejected, rejected);
    assert!((1..6).contains(&different), "{different}");
    let headline = format!("{same} of 6 rows did what the rehearsal said.");
    app.window.until("the headline", SOON, &is("rehearsal-headline", &headline)).await;
    app.window.screenshot(&results("window").join("rehearsal-headline.png")).await;
    app.click("rehearsal-differences").await;
    app.sees("rehearsal-rows").await;
    app.window.screenshot(&results("window").join("rehearsal-differences.png")).await;
    let violations = app.window.axe().await;
    assert!(violations.is_empty(), "{violations:#?}");
    let shown = "return [...document.querySelectorAll('[data-testid=\"rehearsal-rows\"] tbody tr')].map((row) => row.innerText)";
    let shown = app.window.script(shown, Vec::new()).await;
    let applied = plant.applied(ORDERS).await;
    let refused: Vec<&String> = applied.iter().filter(|(_, item)| item.refused == 1).map(|(key, _)| key).collect();
    assert_eq!((shown.as_array().unwrap().len(), refused.len() as u64), (refused.len(), different));
    for (row, key) in shown.as_array().unwrap().iter().zip(refused) {
        let row = row.as_str().unwrap();
        assert!(row.contains(key.as_str()) && row.contains("accepted") && row.contains("rejected"), "{key} in {row}");
    }
    // The rehearsal says the same, and leads back.
    app.click("rehearsal-other").await;
    app.window.until("the rehearsal's rows", SOON, &is("result-accepted", "6")).await;
    app.window.until("the same headline", SOON, &is("rehearsal-headline", &headline)).await;
    app.window.close().await;
}

async fn send(app: &TestApp, rows: &[&[&str]]) {
    drop_rows(app, "orders.xls", rows).await;
    app.click("step-send").await;
    app.click("send").await;
    app.submission_ends().await;
}

fn is(id: &str, text: &str) -> String {
    format!("return document.querySelector('[data-testid=\"{id}\"]')?.textContent === {}", json!(text))
}

/// The names of all sites.
async fn names(app: &TestApp) -> Vec<Value> {
    let state = app.ask("app_state", json!({})).await;
    state["sites"].as_array().unwrap().iter().map(|view| view["site"]["name"].clone()).collect()
}
