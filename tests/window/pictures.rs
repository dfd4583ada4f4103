//! Pictures of what the plant holds: each is drawn, in light and dark, and axe finds nothing.

use serde_json::json;
use takt_tests::results;

use crate::desk::{Desk, SOON};

/// The list's picture, of all its rows.
pub(crate) async fn picture(desk: &Desk, list: &str, paged: bool) {
    desk.click("nav-browse").await;
    desk.click(&format!("browse-{list}")).await;
    desk.sees("grid-browse").await;
    if paged {
        desk.click("browse-all").await;
        let all = "return document.querySelector('[data-testid=\"browse-total\"]') && !document.querySelector('[data-testid=\"browse-stop\"]') && !document.querySelector('[data-testid=\"page-number\"]')";
        desk.window.until("all rows", SOON, all).await;
    }
    desk.click("picture-switch").await;
    desk.sees("picture").await;
}

/// Another of the list's pictures, or another grouping.
pub(crate) async fn choose(desk: &Desk, select: &str, option: &str) {
    desk.press(&format!("input[data-testid=\"{select}\"], [data-testid=\"{select}\"] input")).await;
    let there = "return [...document.querySelectorAll('[role=option]')].some((one) => one.textContent === arguments[0] && one.checkVisibility())";
    for _ in 0..100 {
        if desk.window.script(there, vec![json!(option)]).await == json!(true) {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let click =
        "[...document.querySelectorAll('[role=option]')].find((one) => one.textContent === arguments[0]).click()";
    desk.window.script(click, vec![json!(option)]).await;
}

#[tokio::test]
async fn every_picture_is_looked_at() {
    let desk = Desk::open().await;
    desk.click("nav-browse").await;
    desk.sign_in().await;
    let mut found = Vec::new();
    for (list, pictures) in [
        ("work-orders.details", vec!["Plan and reality", "Produced", "Consumed", "Labor time", "Machine time"]),
        ("alerts.list", vec!["Time line", "Count"]),
        ("labor-times.list", vec!["Time spent"]),
        ("consumed-lots.list", vec!["Consumed"]),
        ("inspections.list", vec!["Plan and reality", "Inspected"]),
        ("work-stations.list", vec!["Calendar"]),
        ("inspection-processes.list", vec!["Predicted times"]),
    ] {
        picture(&desk, list, true).await;
        for (at, name) in pictures.into_iter().enumerate() {
            if at > 0 {
                choose(&desk, "picture-which", name).await;
            }
            let drawn = "return document.querySelector('[data-testid=\"picture\"] canvas') !== null && !document.querySelector('[data-testid=\"picture-empty\"]')";
            desk.window.until(name, SOON, drawn).await;
            for look in ["light", "dark"] {
                desk.window.script("document.documentElement.dataset.look = arguments[0]", vec![json!(look)]).await;
                for (width, height) in [(1440, 900), (1024, 700)] {
                    desk.window.client.set_window_size(width, height).await.unwrap();
                    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
                    let file = format!("picture-{list}-{name}-{look}-{width}.png").replace(' ', "-");
                    desk.window.screenshot(&results("window").join(file)).await;
                }
            }
            found.extend(
                desk.window.axe().await.iter().map(|one| format!("{list} {name}: {} {:?}", one.rule, one.targets)),
            );
        }
    }
    assert!(found.is_empty(), "{found:#?}");
    desk.window.close().await;
}
