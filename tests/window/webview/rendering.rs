//! Rendering. Without a graphics card, hardware acceleration must be off. Pinned columns have layers only during
//! horizontal scrolling.

#[cfg(target_os = "linux")]
use std::path::Path;

use serde_json::json;

use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp};

/// The prefix of the names of threads that emulate a graphics card.
#[cfg(target_os = "linux")]
const EMULATED: &str = "llvmpipe";

#[cfg(target_os = "linux")]
#[tokio::test]
async fn without_a_graphics_card_none_is_emulated() {
    // WebKit looks for a graphics card when it shows a scrollable element for the first time.
    let app = orders().await;
    wait_for_pinned_at(&app, 150, "sticky").await;
    let threads = takt_tests::threads_of_home(app.takt.home());
    assert!(threads.iter().any(|name| name.starts_with("WebKitWebProc")), "{threads:?}");
    let may_have_card = ["dri", "nvidia0", "dxg"].iter().any(|device| Path::new("/dev").join(device).exists());
    assert!(may_have_card || !threads.iter().any(|name| name.starts_with(EMULATED)), "{threads:?}");
    app.window.close().await;
}

#[tokio::test]
async fn a_pinned_column_stays_in_sight() {
    let app = orders().await;
    wait_for_pinned_at(&app, 150, "sticky").await;
    wait_for_pinned_at(&app, 0, "relative").await;
    // The wheel event must make the column sticky before anything has moved.
    let turn =
        "document.querySelector(arguments[0]).dispatchEvent(new WheelEvent('wheel', { deltaX: 40, bubbles: true }))";
    app.window.client.execute(turn, vec![json!(VIEWPORT)]).await.unwrap();
    wait_for_pinned(&app, "sticky").await;
    app.window.close().await;
}

const VIEWPORT: &str = "[data-testid=\"grid-browse\"] .ag-grid-viewport";

async fn orders() -> TestApp {
    let app = TestApp::open(Engine::WebView).await;
    app.click("nav-browse").await;
    app.click("browse-work-orders.list").await;
    app.sign_in().await;
    app.wait_for_element("page-next").await;
    wait_for_pinned(&app, "relative").await;
    app
}

/// Waits until the pinned cells of each row and of the header have this CSS position, and are at the table's left edge.
async fn wait_for_pinned(app: &TestApp, position: &str) {
    app.window
        .wait_until(&format!("pinned columns that are {position}"), CHANGE_TIMEOUT, &pinned_check(position))
        .await;
}

/// Like [`wait_for_pinned`], but scrolls the table to `left` pixels first. A late movement of the scrollbar may revert
/// that, so scrolling is repeated.
async fn wait_for_pinned_at(app: &TestApp, left: u32, position: &str) {
    let scroll_and_check = format!(
        "const scrolled = document.querySelector('{VIEWPORT}');
        if (scrolled.scrollLeft !== {left}) {{ scrolled.scrollLeft = {left}; return false; }}
        {}",
        pinned_check(position)
    );
    app.window
        .wait_until(&format!("pinned columns that are {position} at {left} px"), CHANGE_TIMEOUT, &scroll_and_check)
        .await;
}

fn pinned_check(position: &str) -> String {
    format!(
        "const view = document.querySelector('{VIEWPORT}');
        const pinned = [...view.querySelectorAll('.ag-grid-pinned-left-cells')];
        const edge = view.getBoundingClientRect().left;
        return pinned.length > 10 && pinned.every((part) =>
            getComputedStyle(part).position === '{position}' && Math.abs(part.getBoundingClientRect().left - edge) <= 1)"
    )
}
