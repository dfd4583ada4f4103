//! The window copies a site that has its own interface. Rows that are sent to the copy must not reach the site.

use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, FreezePoint, SecondPlant, TestApp, results_folder};

use crate::second_plant::{DATES, SITE, change_three_orders, drop_sheet, orders, with_document};

const ORDERS: &str = "work-orders.sync";
const HEADLINE: &str = "5 of 6 rows had the same result as in the rehearsal.";
const COPY: &str = "works rehearsal";

#[tokio::test]
async fn a_site_is_copied_and_rehearsed_on() {
    let mut plant = SecondPlant::start(&[]);
    let relay = plant.relay();
    let app = with_document(&plant).await;
    app.click("contract-back").await;

    // Copying is stopped, and no copy remains. A response is held back until then.
    relay.freeze_at(FreezePoint { after: "", text: "GET /mes/", skip: 2, arrives: true });
    app.click(&format!("rehearse-{SITE}")).await;
    app.click("rehearsal-start").await;
    app.wait_for_element("rehearsal-progress").await;
    app.window.screenshot(&results_folder("window").join("rehearsal-progress.png")).await;
    app.click("rehearsal-stop").await;
    app.wait_for_element("rehearsal-close").await;
    assert!(!site_names(&app).await.contains(&json!(COPY)));
    relay.heal();

    app.click("rehearsal-start").await;
    app.wait_for_element("rehearsal-done").await;
    app.window.screenshot(&results_folder("window").join("rehearsal-done.png")).await;
    app.click("rehearsal-close").await;
    assert!(site_names(&app).await.contains(&json!(COPY)));
    let chosen = format!("return document.querySelector('[data-testid=\"site-switch\"]')?.dataset.site === '{COPY}'");
    app.window.wait_until("the copy to be chosen", CHANGE_TIMEOUT, &chosen).await;
    let marked = "const mark = document.querySelector('[data-testid=\"site-switch\"] [data-kind=\"practice\"]');
        return mark?.textContent.includes('Practice copy') === true";
    app.window.wait_until("its mark", CHANGE_TIMEOUT, marked).await;
    let copied = format!("return document.querySelector('[data-testid=\"rehearse-{COPY}\"]') === null");
    app.window.wait_until("a copy that isn't copied", CHANGE_TIMEOUT, &copied).await;

    change_three_orders(&app).await;
    app.click("step-preview").await;
    app.wait_for_element("preview").await;
    app.click("send-same").await;
    app.click("step-send").await;
    app.click("send").await;
    app.wait_for_submission_end().await;
    app.window.screenshot(&results_folder("window").join("rehearsal-results.png")).await;
    assert_eq!(app.wait_for_number("result-accepted").await, 3);
    assert!(plant.applied(DATES).await.is_empty(), "nothing reached the site");

    // The copy ends with the program, so the original site is chosen at the next start.
    let again = TestApp::open_at(Engine::Chromium, app.kill(), "unix:path=/nonexistent").await;
    let state = again.invoke("app_state", json!({})).await;
    let chosen = state["sites"].as_array().unwrap().iter().find(|view| view["chosen"] == true).unwrap();
    assert_eq!(chosen["site"]["name"], SITE);
    again.window.close().await;
}

/// The same file is sent to the copy and then to the site. In between, the site gets a new material.
#[tokio::test]
#[ignore = "long: two submissions"]
async fn what_was_rehearsed_is_compared_with_what_then_happened() {
    let plant = SecondPlant::start(&[]);
    let app = with_document(&plant).await;
    app.click("contract-back").await;
    app.click(&format!("rehearse-{SITE}")).await;
    app.click("rehearsal-start").await;
    app.wait_for_element("rehearsal-done").await;
    app.click("rehearsal-close").await;
    let mut rows = orders(6);
    rows[3][2] = "MAT-NEW".to_owned();
    send(&app, "orders.xls", &rows).await;
    assert_eq!([app.wait_for_number("result-accepted").await, app.wait_for_number("result-skipped").await], [5, 1]);
    app.wait_until_gone("rehearsal-comparison").await;
    app.click("new-import").await;

    assert_eq!(app.invoke("site_choose", json!({ "name": SITE })).await, Value::Null);
    let chosen = format!("return document.querySelector('[data-testid=\"site-switch\"]')?.dataset.site === '{SITE}'");
    app.window.wait_until("the site to be chosen", CHANGE_TIMEOUT, &chosen).await;
    send(&app, "materials.xls", &[["code", "description", "uoM"], ["MAT-NEW", "Bolt", "pcs"]]).await;
    app.click("new-import").await;
    send(&app, "orders.xls", &rows).await;
    app.window.wait_until("the headline", CHANGE_TIMEOUT, &text_equals_script("rehearsal-headline", HEADLINE)).await;
    app.window.screenshot(&results_folder("window").join("rehearsal-headline.png")).await;
    app.click("rehearsal-differences").await;
    app.wait_for_element("rehearsal-rows").await;
    app.window.screenshot(&results_folder("window").join("rehearsal-differences.png")).await;
    let violations = app.window.find_violations().await;
    assert!(violations.is_empty(), "{violations:#?}");
    let shown = "return [...document.querySelectorAll('[data-testid=\"rehearsal-rows\"] tbody tr')].map((row) => row.innerText)";
    let shown = app.window.script(shown, Vec::new()).await;
    let [row] = &shown.as_array().unwrap()[..] else { panic!("one row: {shown}") };
    let row = row.as_str().unwrap();
    for part in ["WO-900003", "skipped", "MAT-NEW", "accepted"] {
        assert!(row.contains(part), "{part} in {row}");
    }
    assert_eq!(plant.applied(ORDERS).await["WO-900003 · 010"].accepted, 1, "it was sent to the site");
    // The rehearsal shows the same comparison, and links back to the submission.
    app.click("rehearsal-other").await;
    app.window.wait_until("the rehearsal's rows", CHANGE_TIMEOUT, &text_equals_script("result-skipped", "1")).await;
    app.window
        .wait_until("the same headline", CHANGE_TIMEOUT, &text_equals_script("rehearsal-headline", HEADLINE))
        .await;
    app.window.close().await;
}

/// Sends the valid rows of a spreadsheet, after the preview.
async fn send<const N: usize>(app: &TestApp, name: &str, rows: &[[impl AsRef<str>; N]]) {
    drop_sheet(app, name, rows).await;
    app.click("step-preview").await;
    app.wait_for_element("preview").await;
    app.click("step-send").await;
    app.click("send").await;
    app.wait_for_submission_end().await;
}

fn text_equals_script(id: &str, text: &str) -> String {
    format!("return document.querySelector('[data-testid=\"{id}\"]')?.textContent === {}", json!(text))
}

async fn site_names(app: &TestApp) -> Vec<Value> {
    let state = app.invoke("app_state", json!({})).await;
    state["sites"].as_array().unwrap().iter().map(|view| view["site"]["name"].clone()).collect()
}
