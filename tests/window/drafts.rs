//! Drafts. Work on a file survives a kill of the program, closing the file, and opening another one, without prompts.

use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

/// The address of a session bus that doesn't exist, so that no keychain is found.
const NO_KEYCHAIN: &str = "unix:path=/nonexistent";

#[tokio::test]
async fn work_on_a_file_is_there_again_after_a_kill() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("sample-work-orders.sync").await;
    app.click("step-check").await;
    app.wait_for_element("counts-rows").await;
    for fix in
        [json!({ "kind": "set", "row": 3, "column": 3, "text": "77" }), json!({ "kind": "exclude", "rows": [5, 6] })]
    {
        let fixed = app.invoke("import_fix", json!({ "id": 1, "fix": fix })).await;
        assert_eq!(fixed["problem"], Value::Null, "{fixed}");
    }
    let takt = app.kill();

    let app = TestApp::open_at(Engine::Chromium, takt, NO_KEYCHAIN).await;
    app.wait_for_element("draft-go-on").await;
    let words = app.window.script("return document.querySelector('[data-testid=\"draft-words\"]').textContent", vec![]);
    let words = words.await;
    assert!(words.as_str().unwrap().starts_with("1 fix and 2 skipped rows, last changed today"), "{words}");
    app.window.screenshot(&results_folder("window").join("home-draft.png")).await;
    assert_eq!(app.window.find_violations().await, []);
    app.click("draft-go-on").await;
    app.wait_for_element("draft-back").await;
    let at = "return document.querySelector('[data-testid=\"step-check\"]')?.getAttribute('aria-current') === 'step'";
    app.window.wait_until("the step where it was left", CHANGE_TIMEOUT, at).await;
    assert_eq!((app.wait_for_number("counts-edited").await, app.wait_for_number("counts-excluded").await), (1, 2));
    app.window.screenshot(&results_folder("window").join("draft-back.png")).await;
    assert_eq!(app.window.find_violations().await, []);

    // Neither opening another file nor closing it may prompt or lose work.
    app.drop_file(&takt_tests::repository().join("tests/data/samples/materials.sync.xlsx")).await;
    app.wait_until_gone("draft-back").await;
    app.click("import-leave").await;
    app.click("draft-go-on").await;
    app.wait_for_element("draft-back").await;
    app.click("draft-start-over").await;
    app.wait_until_gone("draft-back").await;
    app.wait_until_gone("counts-edited").await;
    app.click("import-leave").await;
    app.wait_for_element("recent-file").await;
    app.wait_until_gone("draft-go-on").await;
    app.window.screenshot(&results_folder("window").join("home-recent.png")).await;
    app.window.close().await;
}
