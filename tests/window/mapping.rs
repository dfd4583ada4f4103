//! The columns step. A single click resolves an ambiguous date order, a duration without unit, or a calendar week. A
//! constant fills a required field. The plant must receive all values.

use std::fs;

use fantoccini::key::Key;

use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

#[tokio::test]
async fn one_click_settles_each_open_format_and_a_constant_fills_a_required_field() {
    let app = TestApp::open(Engine::Chromium).await;
    let samples = app.takt.home().join("samples");
    fs::create_dir_all(&samples).unwrap();
    let text = "code;operationCode;requestedQuantity;promiseDate;beginPlanned;laborPredictedTime\n\
                WO-CLICK;010;5;03/02/2027;KW 50;7,5\n";
    fs::write(samples.join("work-orders.sync.xlsx"), text).unwrap();
    app.click("sample-work-orders.sync").await;
    app.click("step-columns").await;
    app.wait_for_element("choose-day-first-D").await;
    app.click("choose-day-first-D").await;
    wait_until_applied(&app, "D").await;
    app.window.screenshot(&results_folder("window").join("open-formats.png")).await;
    for (choice, column) in [("friday", "E"), ("hours", "F")] {
        app.click(&format!("choose-{choice}-{column}")).await;
        wait_until_applied(&app, column).await;
    }
    app.type_text("constant-materialCode", &format!("MAT-1001{}", char::from(Key::Enter))).await;
    app.wait_for_element("mapping-notes").await;
    app.click("step-check").await;
    assert_eq!(app.wait_for_number("counts-rows").await, 1);
    app.click("step-send").await;
    app.wait_for_element("sign-in-panel").await;
    app.sign_in().await;
    // The sign-in causes another comparison of the rows with the site.
    app.wait_for_comparison("known").await;
    app.click("send").await;
    app.wait_for_submission_end().await;

    let state = app.control("state/work-orders").await;
    let orders = state["data"].as_array().unwrap();
    let order = orders.iter().find(|order| order["code"] == "WO-CLICK").unwrap();
    assert_eq!(order["materialCode"], "MAT-1001", "{order}");
    assert!(order["promiseDate"].as_str().unwrap().starts_with("2027-02-03"), "{order}");
    let friday: jiff::civil::DateTime = order["beginPlanned"].as_str().unwrap().parse().unwrap();
    assert_eq!((friday.weekday(), friday.date().iso_week_date().week()), (jiff::civil::Weekday::Friday, 50), "{order}");
    let hours = &order["laborPredictedTime"]["totalHours"];
    assert_eq!(hours.as_f64(), Some(7.5), "{order}");
    app.window.close().await;
}

/// Waits until the user's choice of the column's format is applied.
async fn wait_until_applied(app: &TestApp, column: &str) {
    let code =
        format!("return document.querySelector('[data-testid=\"format-{column}\"]')?.dataset.verdict === 'chosen'");
    app.window.wait_until("the format is settled", CHANGE_TIMEOUT, &code).await;
}
