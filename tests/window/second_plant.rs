//! The main job in the window at a site with an interface of its own, by the document that the site gives.

use serde_json::json;
use takt_tests::{SecondPlant, results};

use crate::{
    import_site::change_first_orders,
    own_site,
    test_app::{SOON, TestApp},
};

const SITE: &str = "works";
pub(crate) const DATES: &str = "work-orders.planning-dates";

#[tokio::test]
async fn the_main_job_works_by_the_document_that_the_site_gives() {
    let plant = SecondPlant::start(&["--fault", "reject-item:1"]);
    let app = own_site::signed_in(SITE, &plant, plant.member("base_url")).await;
    app.click("nav-settings").await;
    app.click(&format!("contract-{SITE}")).await;
    app.click("contract-fetch").await;
    app.sees("contract-preview").await;
    app.window.screenshot(&results("window").join("contract-fetched.png")).await;
    app.click("contract-take").await;
    let taken =
        "return document.querySelector('[data-testid=\"contract-current\"]')?.textContent.includes('/swagger/')";
    app.window.until("the address of the document", SOON, taken).await;

    change_three_orders(&app).await;
    app.click("step-preview").await;
    app.sees("preview").await;
    // Nothing was changed; it is sent all the same.
    app.click("send-same").await;
    app.click("step-send").await;
    app.click("send").await;
    app.submission_ends().await;
    app.window.screenshot(&results("window").join("second-plant-results.png")).await;
    assert_eq!([app.number("result-accepted").await, app.number("result-rejected").await], [2, 1]);

    // What the window says is what the plant behind did.
    let page = app.ask("submission_rows", json!({ "id": 1, "result": null, "offset": 0, "limit": 10 })).await;
    let applied = plant.applied(DATES).await;
    for row in page["rows"].as_array().unwrap() {
        let accepted = applied.get(row["key"].as_str().unwrap()).is_some_and(|item| item.accepted == 1);
        assert_eq!(row["result"] == "accepted", accepted, "{row} in {applied:?}");
    }
    app.window.close().await;
}

pub(crate) async fn change_three_orders(app: &TestApp) {
    app.click("nav-browse").await;
    app.click("browse-work-orders.list").await;
    change_first_orders(app).await;
}
