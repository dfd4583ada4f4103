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

const LISTS: [(&str, &[&str]); 7] = [
    ("work-orders.details", &["Plan and reality", "Produced", "Consumed", "Labor time", "Machine time"]),
    ("alerts.list", &["Time line", "Count"]),
    ("labor-times.list", &["Time spent"]),
    ("consumed-lots.list", &["Consumed"]),
    ("inspections.list", &["Plan and reality", "Inspected"]),
    ("work-stations.list", &["Calendar"]),
    ("inspection-processes.list", &["Predicted times"]),
];

#[tokio::test]
async fn every_picture_is_looked_at() {
    every_picture("light").await;
}

#[tokio::test]
async fn every_picture_is_looked_at_in_the_dark() {
    every_picture("dark").await;
}

async fn every_picture(look: &str) {
    let desk = Desk::open().await;
    desk.click("nav-settings").await;
    desk.sees("look").await;
    let wear = "document.querySelector(`[data-testid=\"look\"] input[value=\"${arguments[0]}\"]`).click()";
    desk.window.script(wear, vec![json!(look)]).await;
    desk.click("nav-browse").await;
    desk.sign_in().await;
    let mut found = Vec::new();
    for (list, pictures) in LISTS {
        picture(&desk, list, true).await;
        for (at, name) in pictures.iter().enumerate() {
            if at > 0 {
                choose(&desk, "picture-which", name).await;
            }
            let drawn = "return document.querySelector('[data-testid=\"picture\"] canvas') !== null && !document.querySelector('[data-testid=\"picture-empty\"]')";
            desk.window.until(name, SOON, drawn).await;
            for (width, height) in [(1440, 900), (1024, 700)] {
                desk.window.resize(width, height).await;
                tokio::time::sleep(std::time::Duration::from_millis(500)).await;
                let file = format!("picture-{list}-{name}-{look}-{width}.png").replace(' ', "-");
                desk.window.screenshot(&results("window").join(file)).await;
                let rules = desk.window.axe().await;
                found.extend(rules.iter().map(|one| format!("{list} {name} {width}: {} {:?}", one.rule, one.targets)));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
    desk.window.close().await;
}
