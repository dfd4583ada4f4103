//! The window copies a site with an interface of its own, and what is sent to the copy stays there.

use serde_json::{Value, json};
use takt_tests::{SecondPlant, results};

use crate::{
    own_site,
    second_plant::{DATES, change_three_orders},
    test_app::{SOON, TestApp},
};

const SITE: &str = "works";
const COPY: &str = "works rehearsal";

#[tokio::test]
async fn a_site_is_copied_and_rehearsed_on() {
    let plant = SecondPlant::start(&[]);
    let app = own_site::signed_in(SITE, &plant, plant.member("base_url")).await;
    app.click("nav-settings").await;
    app.click(&format!("contract-{SITE}")).await;
    app.click("contract-fetch").await;
    app.click("contract-take").await;
    app.gone("contract-preview").await;
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

/// The names of all sites.
async fn names(app: &TestApp) -> Vec<Value> {
    let state = app.ask("app_state", json!({})).await;
    state["sites"].as_array().unwrap().iter().map(|view| view["site"]["name"].clone()).collect()
}
