//! A browser for tests, which opens the sign-in page, presses a button and follows redirects.

use reqwest::{Client, StatusCode, header};

pub(crate) struct BrowserPage {
    pub(crate) status: StatusCode,
    pub(crate) text: String,
    /// The address after all redirects.
    pub(crate) address: String,
}

pub(crate) async fn open_page(address: &str) -> BrowserPage {
    let response = Client::builder().no_proxy().build().expect("a browser").get(address).send().await;
    read_page(response.expect("the page")).await
}

/// Presses a button of the sign-in page, for example `user=planner`, and follows the redirects.
pub(crate) async fn press_button(address: &str, button: &str, language: &str) -> BrowserPage {
    let page = open_page(address).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text);
    let request = Client::builder()
        .no_proxy()
        .build()
        .expect("a browser")
        .post(address)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(header::ACCEPT_LANGUAGE, language)
        .body(button.to_owned());
    read_page(request.send().await.expect("the way back")).await
}

async fn read_page(response: reqwest::Response) -> BrowserPage {
    let (status, address) = (response.status(), response.url().to_string());
    BrowserPage { status, address, text: response.text().await.expect("its text") }
}

/// Presses a button and returns the redirect address without opening it.
pub(crate) async fn redirect_address(address: &str, button: &str) -> String {
    let browser = Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().expect("a browser");
    let request =
        browser.post(address).header(header::CONTENT_TYPE, "application/x-www-form-urlencoded").body(button.to_owned());
    let sent = request.send().await.expect("the way back");
    sent.headers()[header::LOCATION].to_str().expect("an address").to_owned()
}
