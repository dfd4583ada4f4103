//! Plan sense in the window: the rows are held against the plant as soon as somebody is signed in, and a code that nobody
//! knows is replaced by what a person writes.

use serde_json::{Value, json};
use takt_tests::results;

use crate::{
    desk::{Desk, SOON},
    mend::focus,
};

const MATERIAL: u32 = 2;

#[tokio::test]
async fn rows_are_held_against_the_plant_and_what_is_wrong_is_replaced_by_what_a_person_writes() {
    let desk = Desk::open().await;
    desk.click("sample-work-orders.sync").await;
    desk.click("step-check").await;
    desk.stands_against("open").await;
    let errors = desk.number("counts-errors").await;
    assert_eq!(line(&desk).await, "Not checked against PracticeSign in");
    desk.click("against-sign-in").await;
    desk.sign_in().await;
    desk.stands_against("known").await;
    assert!(line(&desk).await.starts_with("Checked with the data of Practice as of "), "{}", line(&desk).await);
    let kinds = "return document.querySelectorAll('[data-testid=\"facet-unknown-code\"]').length";
    assert_eq!(desk.window.script(kinds, Vec::new()).await, json!(2), "a material and a work station");
    assert_eq!(desk.number("counts-errors").await, errors + 2);

    desk.types("check-search", "MAT-9099").await;
    focus(&desk, MATERIAL, "MAT-9099").await;
    // A code with another number is another material: nothing is suggested, and nothing is filled in.
    let chip = "return document.querySelector('[data-testid^=\"suggestion-\"]')";
    assert_eq!(desk.window.script(chip, Vec::new()).await, Value::Null);
    desk.press("[data-testid=\"mend-all-unknown-code\"][data-field=\"materialCode\"]").await;
    desk.sees("found-MAT-9099").await;
    desk.window.screenshot(&results("window").join("sense.png")).await;
    let filled = "return document.querySelector('[data-testid=\"found-MAT-9099\"]').value";
    assert_eq!(desk.window.script(filled, Vec::new()).await, json!(""));
    desk.types("found-MAT-9099", "MAT-1001").await;
    desk.click("found-replace").await;
    let fewer = format!(
        "return document.querySelector('[data-testid=\"counts-errors\"]').textContent.replace(/[^0-9]/g, '') === '{}'",
        errors + 1
    );
    desk.window.until("one error fewer", SOON, &fewer).await;
    let filter = json!({ "severity": null, "code": null, "field": null, "text": "MAT-1001" });
    let page = desk.ask("import_rows", json!({ "id": 1, "filter": filter, "offset": 0, "limit": 1000 })).await;
    assert!(page["rows"].as_array().unwrap().iter().any(|row| row["row"] == 103), "row 103 has it now");

    // What is made meanwhile elsewhere is known once it is read again.
    desk.click("against-again").await;
    desk.stands_against("known").await;
    let log = desk.control("log").await;
    let read = log.as_array().unwrap().iter().filter(|entry| entry["operation"] == "materials.list").count();
    assert_eq!(read, 4, "two pages, twice");
    desk.window.close().await;
}

async fn line(desk: &Desk) -> String {
    let code = "return document.querySelector('[data-testid=\"against\"]').textContent";
    match desk.window.script(code, Vec::new()).await {
        Value::String(text) => text,
        other => panic!("{other}"),
    }
}
