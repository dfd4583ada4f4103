//! A colleague's site file in the window. It is previewed and imported, with its contract and without secrets.

use serde_json::json;
use takt_tests::{CHANGE_TIMEOUT, Engine, SecondPlant, Takt, TestApp, results_folder};

#[tokio::test]
async fn a_colleagues_site_is_looked_at_and_set_up() {
    let (colleague, plant) = (Takt::new(), SecondPlant::start(&[]));
    let added = colleague.add_site("Works South", &plant);
    assert_eq!(added.code, Some(0), "{}", added.err);
    let file = colleague.file("works.takt-site.json").display().to_string();
    let exported = colleague.run(&["site", "export", "Works South", "--out", &file]);
    assert_eq!(exported.code, Some(0), "{}", exported.err);

    let app = TestApp::open_with(Engine::Chromium, &[("TAKT_OPEN_SITE_FILE", &file)]).await;
    app.click("nav-settings").await;
    app.click("site-file-pick").await;
    app.wait_for_element("site-file").await;
    app.window.screenshot(&results_folder("window").join("site-file.png")).await;
    app.wait_until_gone("site-row-Works South").await;
    app.click("site-file-import").await;
    app.wait_for_element("site-row-Works South").await;
    let state = app.invoke("app_state", json!({})).await;
    let site = state["sites"].as_array().unwrap().iter().find(|view| view["site"]["name"] == "Works South").unwrap();
    assert_eq!((&site["hasSecret"], &site["signedIn"]), (&json!(false), &json!(false)), "{site}");
    app.click("contract-Works South").await;
    let from_file = "return document.querySelector('[data-testid=\"contract-current\"]')?.textContent.includes('works.takt-site.json')";
    app.window.wait_until("where the contract is from", CHANGE_TIMEOUT, from_file).await;
    app.window.close().await;
}
