//! Sign-ins that are canceled, restarted, and completed by pasting the browser's final address.

use takt_tests::{Engine, SOON, TestApp, results};

const ADDRESS: &str = "return document.querySelector('[data-testid=\"sign-in-address\"]')?.textContent";

async fn waiting(app: &TestApp) -> String {
    app.click("sign-in").await;
    app.sees("sign-in-waiting").await;
    app.window.until("address", SOON, ADDRESS).await.as_str().unwrap().to_owned()
}

#[tokio::test]
async fn given_up_begun_anew_and_ended_by_hand() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("sample-materials.sync").await;
    app.click("step-send").await;
    let first = waiting(&app).await;
    app.click("sign-in-cancel").await;
    app.sees("sign-in").await;
    let second = waiting(&app).await;
    assert_ne!(first, second);

    // The final address of the canceled sign-in must be refused.
    app.types("sign-in-pasted", &way_back(&first).await).await;
    app.click("sign-in-paste").await;
    app.sees("problem").await;
    app.window.screenshot(&results("window").join("sign-in.png")).await;
    app.replaces("sign-in-pasted", &way_back(&second).await).await;
    app.click("sign-in-paste").await;
    app.sees("send").await;
    app.window.close().await;
}

/// Signs in as a planner and returns the address to which the plant redirects.
async fn way_back(address: &str) -> String {
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let sent = client.post(address).form(&[("user", "planner")]).send().await.unwrap();
    sent.headers()["location"].to_str().unwrap().to_owned()
}
