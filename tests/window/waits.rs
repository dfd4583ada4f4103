//! A service that limits its requests: who waits for it says so, and until when.

use takt_tests::{Plant, SOON, results};

use crate::own_site::signed_in;

#[tokio::test]
async fn reading_everything_says_that_it_waits() {
    let plant = Plant::start(&["--rate-limit", "1/4"]);
    let app = signed_in(takt_tests::Engine::Chromium, "Limited", &plant, plant.member("base_url")).await;
    app.click("browse-work-orders.list").await;
    app.sees("page-next").await;
    app.click("browse-all").await;
    let waits = "return document.querySelector('[data-testid=\"browse-waits\"]')?.textContent";
    let said = app.window.until("a wait", SOON, waits).await;
    let said = said.as_str().unwrap();
    let time = said.strip_prefix("waiting for the service's request limit until ").unwrap_or_else(|| panic!("{said}"));
    assert!(time.starts_with(|first: char| first.is_ascii_digit()) && time.contains(':'), "{said}");
    app.window.screenshot(&results("window").join("read-all-waits.png")).await;
    app.gone("browse-waits").await;
    let all = "return document.querySelector('[data-testid=\"browse-total\"]')?.textContent.includes('loaded')";
    app.window.until("all rows", SOON, all).await;
    app.window.close().await;
}
