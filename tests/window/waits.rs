//! A service that limits its requests: who waits for it says so, and until when.

use takt_tests::{Plant, results};

use crate::{desk::SOON, own_site::signed_in};

#[tokio::test]
async fn reading_everything_says_that_it_waits() {
    let plant = Plant::start(&["--rate-limit", "1/4"]);
    let desk = signed_in("Limited", &plant, plant.member("base_url")).await;
    desk.click("browse-work-orders.list").await;
    desk.sees("page-next").await;
    desk.click("browse-all").await;
    let waits = "return document.querySelector('[data-testid=\"browse-waits\"]')?.textContent";
    let said = desk.window.until("a wait", SOON, waits).await;
    let said = said.as_str().unwrap();
    let time = said.strip_prefix("waits for the service's limit until ").unwrap_or_else(|| panic!("{said}"));
    assert!(time.starts_with(|first: char| first.is_ascii_digit()) && time.contains(':'), "{said}");
    desk.window.screenshot(&results("window").join("read-all-waits.png")).await;
    desk.gone("browse-waits").await;
    let all =
        "return document.querySelector('[data-testid=\"browse-total\"]')?.textContent.includes('all that was read')";
    desk.window.until("all rows", SOON, all).await;
    desk.window.close().await;
}
