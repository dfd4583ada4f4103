//! An import has one site: the one that the window shows. Choosing another one at any step checks and previews the rows anew, or
//! isn't possible; what is sent goes where the screen says.

use serde_json::{Value, json};
use takt_tests::results;

use crate::desk::{Desk, SOON};

pub(crate) const WORKS: &str = "Works South";
const PRACTICE: &str = "practice";

#[tokio::test]
async fn the_site_that_is_shown_is_the_one_that_is_sent_to() {
    let desk = Desk::open().await;
    add_works(&desk, "test").await;
    rows_as_import(&desk).await;
    // At each step the window goes to the other site, and the import goes with it.
    let mut sites = [WORKS, PRACTICE].into_iter().cycle();
    for step in ["file", "columns", "check", "preview", "send"] {
        desk.click(&format!("step-{step}")).await;
        let site = sites.next().unwrap();
        switch(&desk, site).await;
        stands_at(&desk, site).await;
        if step == "send" {
            // The new site's preview comes before anything is sent there.
            desk.window.until("the preview", SOON, &at_step("preview")).await;
        }
    }
    desk.window.screenshot(&results("window").join("import-site.png")).await;
    if desk.window.script("return document.querySelector('[data-testid=\"sign-in-panel\"]') !== null", vec![]).await
        == true
    {
        desk.sign_in().await;
    }
    desk.sees("preview").await;
    // Nothing was changed; it is sent all the same.
    desk.click("send-same").await;
    desk.click("step-send").await;
    assert!(text(&desk, "send").await.ends_with(&format!("to {WORKS}")));
    desk.tell_plant("faults", json!({ "faults": ["reject-item:1"] })).await;
    desk.click("send").await;
    desk.sees("grid-results").await;
    desk.tell_plant("faults", json!({ "faults": [] })).await;
    assert_eq!(sent_to(&desk, 1).await, WORKS);

    // What was rejected goes back there, whatever the window is at meanwhile.
    desk.click("mend-rejected").await;
    desk.sees("counts-rejected").await;
    desk.window.screenshot(&results("window").join("rejected-rows.png")).await;
    switch(&desk, PRACTICE).await;
    for step in ["check", "preview", "send"] {
        desk.click(&format!("step-{step}")).await;
        desk.sees("other-site").await;
    }
    desk.window.screenshot(&results("window").join("other-site.png")).await;
    desk.gone("send").await;
    desk.click("other-site-back").await;
    desk.gone("other-site").await;
    assert!(text(&desk, "send").await.ends_with(&format!("to {WORKS}")));
    desk.click("send").await;
    desk.sees("grid-results").await;
    assert_eq!(sent_to(&desk, 2).await, WORKS);
    desk.window.close().await;
}

#[tokio::test]
async fn samples_are_for_practice_alone() {
    let desk = Desk::open().await;
    add_works(&desk, "test").await;
    switch(&desk, WORKS).await;
    desk.sees("samples-practice").await;
    let shut = "return document.querySelector('[data-testid=\"sample-materials.sync\"]').disabled";
    assert_eq!(desk.window.script(shut, vec![]).await, json!(true));
    desk.window.screenshot(&results("window").join("samples-elsewhere.png")).await;
    desk.click("samples-practice").await;
    desk.click("sample-materials.sync").await;
    desk.click("step-send").await;
    switch(&desk, WORKS).await;
    desk.sees("other-site").await;
    desk.gone("send").await;
    let refused = desk.ask("import_choose_site", json!({ "id": 1, "site": WORKS })).await;
    assert_eq!(refused["problem"]["parameters"]["obstacle"], "sample-elsewhere", "{refused}");
    desk.window.close().await;
}

/// The embedded plant once more, as a site of a person's own.
pub(crate) async fn add_works(desk: &Desk, kind: &str) {
    let plant = desk.ask("practice_plant", json!({})).await;
    let mut site = desk.ask("app_state", json!({})).await["sites"][0]["site"].clone();
    site["name"] = json!(WORKS);
    site["kind"] = json!(kind);
    let saved = desk.ask("site_save", json!({ "site": site, "secret": plant["clientSecret"] })).await;
    assert_eq!(saved["problem"], Value::Null, "{saved}");
}

/// Three orders of the chosen site's list, opened to change their dates.
pub(crate) async fn rows_as_import(desk: &Desk) {
    desk.click("nav-browse").await;
    desk.click("browse-work-orders.list").await;
    desk.sign_in().await;
    for row in 0..3 {
        desk.press(&format!("[data-testid=\"grid-browse\"] [row-index=\"{row}\"] .ag-selection-checkbox input")).await;
        let told = format!(
            "return document.querySelector('[data-testid=\"table-ticked\"]')?.textContent.startsWith('{}')",
            row + 1
        );
        desk.window.until("the ticked rows", SOON, &told).await;
    }
    desk.click("rows-change").await;
    desk.click("change-work-orders.planning-dates").await;
    desk.sees("grid-check").await;
}

/// As a person does it, at the top of the window.
async fn switch(desk: &Desk, site: &str) {
    desk.click("site-switch").await;
    desk.click(&format!("site-{site}")).await;
    let shown = format!("return document.querySelector('[data-testid=\"site-switch\"]')?.dataset.site === '{site}'");
    desk.window.until("the site", SOON, &shown).await;
    desk.window.until("the menu's end", SOON, "return document.querySelector('[role=\"menu\"]') === null").await;
}

/// Until the engine has the import at this site.
async fn stands_at(desk: &Desk, site: &str) {
    for _ in 0..200 {
        if desk.ask("import_view", json!({ "id": 1 })).await["destination"]["site"] == site {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("the import stayed behind");
}

async fn sent_to(desk: &Desk, id: u32) -> String {
    let view = desk.ask("submission_get", json!({ "id": id })).await;
    view["site"].as_str().unwrap().to_owned()
}

async fn text(desk: &Desk, id: &str) -> String {
    desk.sees(id).await;
    let code = format!("return document.querySelector('[data-testid=\"{id}\"]').textContent");
    desk.window.script(&code, vec![]).await.as_str().unwrap().to_owned()
}

fn at_step(step: &str) -> String {
    format!("return document.querySelector('[data-testid=\"step-{step}\"]')?.getAttribute('aria-current') === 'step'")
}
