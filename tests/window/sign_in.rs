//! Signing in, where it doesn't go straight: given up, begun anew, and by hand where the browser can't come back.

use takt_tests::results;

use crate::desk::{Desk, SOON};

const ADDRESS: &str = "return document.querySelector('[data-testid=\"sign-in-address\"]')?.textContent";

async fn waiting(desk: &Desk) -> String {
    desk.click("sign-in").await;
    desk.sees("sign-in-waiting").await;
    desk.window.until("address", SOON, ADDRESS).await.as_str().unwrap().to_owned()
}

#[tokio::test]
async fn given_up_begun_anew_and_ended_by_hand() {
    let desk = Desk::open().await;
    desk.click("sample-materials.sync").await;
    desk.click("step-send").await;
    let first = waiting(&desk).await;
    desk.click("sign-in-cancel").await;
    desk.sees("sign-in").await;
    let second = waiting(&desk).await;
    assert_ne!(first, second);

    // The way back of the sign-in that was given up is none of this one.
    desk.types("sign-in-pasted", &way_back(&first).await).await;
    desk.click("sign-in-paste").await;
    desk.sees("problem").await;
    desk.window.screenshot(&results("window").join("sign-in.png")).await;
    desk.window.clear("input[data-testid=\"sign-in-pasted\"], [data-testid=\"sign-in-pasted\"] input").await;
    desk.types("sign-in-pasted", &way_back(&second).await).await;
    desk.click("sign-in-paste").await;
    desk.sees("send").await;
    desk.window.close().await;
}

/// Where the plant sends the browser once a planner has signed in.
async fn way_back(address: &str) -> String {
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let sent = client.post(address).form(&[("user", "planner")]).send().await.unwrap();
    sent.headers()["location"].to_str().unwrap().to_owned()
}
