//! A browser that a test drives: opens the sign-in page, presses a button, follows where it is sent.

use reqwest::{Client, StatusCode, header};

pub(crate) struct Shown {
    pub(crate) status: StatusCode,
    pub(crate) text: String,
    /// Where the browser ended up.
    pub(crate) address: String,
}

pub(crate) async fn open(address: &str) -> Shown {
    let response = Client::builder().no_proxy().build().expect("a browser").get(address).send().await;
    shown(response.expect("the page")).await
}

/// Presses a button of the sign-in page, for example `user=planner`.
pub(crate) async fn press(address: &str, button: &str, language: &str) -> Shown {
    let page = open(address).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    let request = Client::builder()
        .no_proxy()
        .build()
        .expect("a browser")
        .post(address)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(header::ACCEPT_LANGUAGE, language)
        .body(button.to_owned());
    shown(request.send().await.expect("the way back")).await
}

async fn shown(response: reqwest::Response) -> Shown {
    let (status, address) = (response.status(), response.url().to_string());
    Shown { status, address, text: response.text().await.expect("its text") }
}
