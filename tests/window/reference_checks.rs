//! Reference checks in the window. After the sign-in, the rows are compared with the plant, and the user replaces an
//! unknown code.

use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

use crate::fix::focus_first_cell;

const MATERIAL: u32 = 2;

#[tokio::test]
async fn rows_are_held_against_the_plant_and_what_is_wrong_is_replaced_by_what_a_person_writes() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("sample-work-orders.sync").await;
    app.click("step-check").await;
    app.wait_for_comparison("open").await;
    let errors = app.wait_for_number("counts-errors").await;
    assert_eq!(status_line(&app).await, "Not checked against PracticeSign in");
    app.click("against-sign-in").await;
    app.sign_in().await;
    app.wait_for_comparison("known").await;
    assert!(status_line(&app).await.starts_with("Checked against Practice data from "), "{}", status_line(&app).await);
    let kinds = "return document.querySelectorAll('[data-testid=\"facet-unknown-code\"]').length";
    assert_eq!(app.window.script(kinds, Vec::new()).await, json!(2), "a material and a work station");
    assert_eq!(app.wait_for_number("counts-errors").await, errors + 2);

    app.type_text("check-search", "MAT-9099").await;
    focus_first_cell(&app, MATERIAL, "MAT-9099").await;
    // A code with another number is another material, so no suggestion may be shown.
    let chip = "return document.querySelector('[data-testid^=\"suggestion-\"]')";
    assert_eq!(app.window.script(chip, Vec::new()).await, Value::Null);
    app.click_css("[data-testid=\"fix-all-unknown-code\"][data-field=\"materialCode\"]").await;
    app.wait_for_element("found-MAT-9099").await;
    app.window.screenshot(&results_folder("window").join("sense.png")).await;
    let filled = "return document.querySelector('[data-testid=\"found-MAT-9099\"]').value";
    assert_eq!(app.window.script(filled, Vec::new()).await, json!(""));
    app.type_text("found-MAT-9099", "MAT-1001").await;
    app.click("found-replace").await;
    let fewer = format!(
        "return document.querySelector('[data-testid=\"counts-errors\"]').textContent.replace(/[^0-9]/g, '') === '{}'",
        errors + 1
    );
    app.window.wait_until("one error fewer", CHANGE_TIMEOUT, &fewer).await;
    let filter = json!({ "severity": null, "code": null, "field": null, "text": "MAT-1001" });
    let page = app.invoke("import_rows", json!({ "id": 1, "filter": filter, "offset": 0, "limit": 1000 })).await;
    assert!(page["rows"].as_array().unwrap().iter().any(|row| row["row"] == 103), "row 103 has it now");

    // Changes at the site are only found when its lists are read again.
    app.click("against-again").await;
    app.wait_for_comparison("known").await;
    let log = app.control("log").await;
    let read = log.as_array().unwrap().iter().filter(|entry| entry["operation"] == "materials.list").count();
    assert_eq!(read, 4, "two pages, twice");
    app.window.close().await;
}

async fn status_line(app: &TestApp) -> String {
    let code = "return document.querySelector('[data-testid=\"against\"]').textContent";
    match app.window.script(code, Vec::new()).await {
        Value::String(text) => text,
        other => panic!("{other}"),
    }
}
