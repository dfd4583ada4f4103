//! An import's site is the window's site. If the user switches it, the rows are checked and previewed again, or
//! switching isn't possible. Rows must only be sent to the displayed site.

use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

pub(crate) const WORKS: &str = "Works South";
const PRACTICE: &str = "practice";

#[tokio::test]
async fn the_site_that_is_shown_is_the_one_that_is_sent_to() {
    let app = TestApp::open(Engine::Chromium).await;
    add_works(&app, "test").await;
    open_rows_as_import(&app).await;
    // The site is switched at each step, and the import must follow.
    let mut sites = [WORKS, PRACTICE].into_iter().cycle();
    for step in ["file", "columns", "check", "preview", "send"] {
        app.click(&format!("step-{step}")).await;
        let site = sites.next().unwrap();
        switch_site(&app, site).await;
        wait_for_import_site(&app, site).await;
        if step == "send" {
            // After switching, the new site's preview is shown first.
            app.window.wait_until("the preview", CHANGE_TIMEOUT, &step_script("preview")).await;
        }
    }
    app.window.screenshot(&results_folder("window").join("import-site.png")).await;
    let asked = "return document.querySelector('[data-testid=\"sign-in-panel\"]') ? 'asked'
        : document.querySelector('[data-testid=\"preview\"]') ? 'shown' : null";
    if app.window.wait_until("a preview or a sign-in", CHANGE_TIMEOUT, asked).await == "asked" {
        app.sign_in().await;
    }
    app.wait_for_element("preview").await;
    // The rows have no changes, so the user must choose to send them.
    app.click("send-same").await;
    app.click("step-send").await;
    assert!(element_text(&app, "send").await.ends_with(&format!("to {WORKS}")));
    app.post_to_plant("faults", json!({ "faults": ["reject-item:1"] })).await;
    app.click("send").await;
    app.wait_for_submission_end().await;
    app.post_to_plant("faults", json!({ "faults": [] })).await;
    assert_eq!(site_of_submission(&app, 1).await, WORKS);

    // Rejected rows must be sent to their own site again, even if the user has switched the window's site.
    app.click("fix-rejected").await;
    app.wait_for_element("counts-rejected").await;
    app.window.screenshot(&results_folder("window").join("rejected-rows.png")).await;
    switch_site(&app, PRACTICE).await;
    for step in ["check", "preview", "send"] {
        app.click(&format!("step-{step}")).await;
        app.wait_for_element("other-site").await;
    }
    app.window.screenshot(&results_folder("window").join("other-site.png")).await;
    app.wait_until_gone("send").await;
    app.click("other-site-back").await;
    app.wait_until_gone("other-site").await;
    assert!(element_text(&app, "send").await.ends_with(&format!("to {WORKS}")));
    app.click("send").await;
    app.wait_for_submission_end().await;
    assert_eq!(site_of_submission(&app, 2).await, WORKS);
    app.window.close().await;
}

#[tokio::test]
async fn samples_are_for_practice_alone() {
    let app = TestApp::open(Engine::Chromium).await;
    add_works(&app, "test").await;
    switch_site(&app, WORKS).await;
    app.wait_for_element("samples-practice").await;
    app.wait_until_gone("sample-materials.sync").await;
    app.window.screenshot(&results_folder("window").join("samples-elsewhere.png")).await;
    app.click("samples-practice").await;
    app.click("sample-materials.sync").await;
    app.click("step-send").await;
    switch_site(&app, WORKS).await;
    app.wait_for_element("other-site").await;
    app.wait_until_gone("send").await;
    let refused = app.invoke("import_choose_site", json!({ "id": 1, "site": WORKS })).await;
    assert_eq!(refused["problem"]["parameters"]["obstacle"], "sample-elsewhere", "{refused}");
    app.window.close().await;
}

/// Adds the embedded plant as a further site of this kind.
pub(crate) async fn add_works(app: &TestApp, kind: &str) {
    let plant = app.invoke("practice_plant", json!({})).await;
    let mut site = app.invoke("app_state", json!({})).await["sites"][0]["site"].clone();
    site["name"] = json!(WORKS);
    site["kind"] = json!(kind);
    let saved = app.invoke("site_save", json!({ "site": site, "secrets": { "client": plant["clientSecret"] } })).await;
    assert_eq!(saved["problem"], Value::Null, "{saved}");
}

/// Opens three orders of the chosen site's list as an import for changing their dates.
pub(crate) async fn open_rows_as_import(app: &TestApp) {
    app.click("nav-browse").await;
    app.click("browse-work-orders.list").await;
    app.sign_in().await;
    change_first_orders(app).await;
}

/// Selects the first three orders of the open list, and opens them as an import for changing their dates.
pub(crate) async fn change_first_orders(app: &TestApp) {
    for row in 0..3 {
        app.click_css(&format!("[data-testid=\"grid-browse\"] [row-index=\"{row}\"] .ag-selection-checkbox")).await;
        let told = format!(
            "return document.querySelector('[data-testid=\"table-ticked\"]')?.textContent.startsWith('{}')",
            row + 1
        );
        app.window.wait_until("the ticked rows", CHANGE_TIMEOUT, &told).await;
    }
    app.click("rows-change").await;
    app.click("change-work-orders.planning-dates").await;
    app.wait_for_element("grid-check").await;
}

/// Switches the site in the window's header.
async fn switch_site(app: &TestApp, site: &str) {
    app.click("site-switch").await;
    app.click(&format!("site-{site}")).await;
    let shown = format!("return document.querySelector('[data-testid=\"site-switch\"]')?.dataset.site === '{site}'");
    app.window.wait_until("the site", CHANGE_TIMEOUT, &shown).await;
    app.window
        .wait_until("the menu's end", CHANGE_TIMEOUT, "return document.querySelector('[role=\"menu\"]') === null")
        .await;
}

/// Waits until the engine has assigned the import to this site.
async fn wait_for_import_site(app: &TestApp, site: &str) {
    for _ in 0..200 {
        if app.invoke("import_view", json!({ "id": 1 })).await["destination"]["site"] == site {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("the import stayed behind");
}

async fn site_of_submission(app: &TestApp, id: u32) -> String {
    let view = app.invoke("submission_get", json!({ "id": id })).await;
    view["site"].as_str().unwrap().to_owned()
}

async fn element_text(app: &TestApp, id: &str) -> String {
    app.wait_for_element(id).await;
    let code = format!("return document.querySelector('[data-testid=\"{id}\"]').textContent");
    app.window.script(&code, vec![]).await.as_str().unwrap().to_owned()
}

fn step_script(step: &str) -> String {
    format!("return document.querySelector('[data-testid=\"step-{step}\"]')?.getAttribute('aria-current') === 'step'")
}
