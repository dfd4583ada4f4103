//! Signing in, where it doesn't go straight: given up, begun anew, and by hand where the browser can't come back.

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

    // The way back of the sign-in that was given up is none of this one.
    app.types("sign-in-pasted", &way_back(&first).await).await;
    app.click("sign-in-paste").await;
    app.sees("problem").await;
    app.window.screenshot(&results("window").join("sign-in.png")).await;
    app.replaces("sign-in-pasted", &way_back(&second).await).await;
    app.click("sign-in-paste").await;
    app.sees("send").await;
    app.window.close().await;
}

/// Where the plant sends the browser once a planner has signed in.
async fn way_back(address: &str) -> String {
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let sent = client.post(address).form(&[("user", "planner")]).send().await.unwrap();
    sent.headers()["location"].to_str().unwrap().to_owned()
}
