//! Sign-ins that are canceled, restarted, and completed by pasting the browser's final address.

use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

const ADDRESS: &str = "return document.querySelector('[data-testid=\"sign-in-address\"]')?.textContent";

async fn wait_for_address(app: &TestApp) -> String {
    app.click("sign-in").await;
    app.wait_for_element("sign-in-waiting").await;
    app.window.wait_until("address", CHANGE_TIMEOUT, ADDRESS).await.as_str().unwrap().to_owned()
}

#[tokio::test]
async fn given_up_begun_anew_and_ended_by_hand() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("sample-materials.sync").await;
    app.click("step-send").await;
    let first = wait_for_address(&app).await;
    app.click("sign-in-cancel").await;
    app.wait_for_element("sign-in").await;
    let second = wait_for_address(&app).await;
    assert_ne!(first, second);

    // The final address of the canceled sign-in must be refused.
    app.type_text("sign-in-pasted", &log_in_as_planner(&first).await).await;
    app.click("sign-in-paste").await;
    app.wait_for_element("problem").await;
    app.window.screenshot(&results_folder("window").join("sign-in.png")).await;
    app.replace_text("sign-in-pasted", &log_in_as_planner(&second).await).await;
    app.click("sign-in-paste").await;
    app.wait_for_element("send").await;
    app.window.close().await;
}

/// Signs in as a planner and returns the address to which the plant redirects.
async fn log_in_as_planner(address: &str) -> String {
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let sent = client.post(address).form(&[("user", "planner")]).send().await.unwrap();
    sent.headers()["location"].to_str().unwrap().to_owned()
}
