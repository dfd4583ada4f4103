//! Lost responses. The rows are unconfirmed until they are read back. No row may be lost or sent twice.

use takt_tests::{CHANGE_TIMEOUT, SecondPlant, TestApp, results_folder};

use super::{ORDERS, check_agreement, drop_rows, orders, with_document};

#[tokio::test]
#[ignore = "long: another interface"]
async fn what_arrived_before_the_answer_was_cut_is_found_there() {
    unconfirmed_rows_are_read_back("apply-then-drop:1").await;
}

#[tokio::test]
#[ignore = "long: another interface"]
async fn what_never_arrived_is_sent_again() {
    unconfirmed_rows_are_read_back("drop-before-apply:1").await;
}

async fn unconfirmed_rows_are_read_back(fault: &str) {
    let plant = SecondPlant::start(&[]);
    let app = with_document(&plant).await;
    drop_rows(&app, "orders.xls", &orders(6)).await;
    app.click("step-send").await;
    plant.set_faults(&[fault]).await;
    app.click("send").await;
    // Reading back fails, too, so the rows remain unconfirmed.
    app.wait_for_submission_end().await;
    assert_eq!(app.wait_for_number("result-unconfirmed").await, 6, "{fault}");
    app.window.screenshot(&results_folder("window").join("second-plant-unconfirmed.png")).await;
    plant.set_faults(&[]).await;
    app.click("find-out").await;
    check_all_accepted(&app).await;
    let counts = check_agreement(&app, &plant, ORDERS, 1).await;
    assert_eq!(counts.get("accepted"), Some(&6), "{fault}: {counts:?}");
    app.window.close().await;
}

async fn check_all_accepted(app: &TestApp) {
    let all = "return document.querySelector('[data-testid=\"result-accepted\"]')?.textContent === '6'";
    app.window.wait_until("every row's result", CHANGE_TIMEOUT, all).await;
    app.wait_for_submission_end().await;
}
