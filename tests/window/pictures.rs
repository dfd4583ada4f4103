//! Charts of the plant's data. Each one is drawn in light and dark, and axe-core must find no violations.

use serde_json::json;
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

/// Opens a list's chart. If `paged` is set, all its pages are read first.
pub(crate) async fn open_chart(app: &TestApp, list: &str, paged: bool) {
    app.click("nav-browse").await;
    app.click(&format!("browse-{list}")).await;
    app.wait_for_element("grid-browse").await;
    if paged {
        app.click("browse-all").await;
        let all = "return document.querySelector('[data-testid=\"browse-total\"]') && !document.querySelector('[data-testid=\"browse-stop\"]') && !document.querySelector('[data-testid=\"page-number\"]')";
        app.window.wait_until("all rows", CHANGE_TIMEOUT, all).await;
    }
    app.click("picture-switch").await;
    app.wait_for_element("picture").await;
}

/// Chooses a value of a select by its label, such as another chart or another grouping.
pub(crate) async fn choose_chart_option(app: &TestApp, select: &str, option: &str) {
    app.click_css(&format!("input[data-testid=\"{select}\"], [data-testid=\"{select}\"] input")).await;
    let click = format!(
        "const all = [...document.querySelectorAll('[role=option]')];
        const found = all.find((one) => one.textContent === {} && one.checkVisibility());
        found?.click();
        return found !== undefined",
        json!(option)
    );
    app.window.wait_until(option, CHANGE_TIMEOUT, &click).await;
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
#[ignore = "long: every look"]
async fn every_picture_is_looked_at() {
    every_picture("light").await;
}

#[tokio::test]
#[ignore = "long: every look"]
async fn every_picture_is_looked_at_in_the_dark() {
    every_picture("dark").await;
}

async fn every_picture(look: &str) {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-settings").await;
    app.wait_for_element("look").await;
    let wear = "document.querySelector(`[data-testid=\"look\"] input[value=\"${arguments[0]}\"]`).click()";
    app.window.script(wear, vec![json!(look)]).await;
    app.click("nav-browse").await;
    app.sign_in().await;
    let mut found = Vec::new();
    for (list, pictures) in LISTS {
        open_chart(&app, list, true).await;
        for (at, name) in pictures.iter().enumerate() {
            if at > 0 {
                choose_chart_option(&app, "picture-which", name).await;
            }
            let drawn = "return document.querySelector('[data-testid=\"picture\"] canvas') !== null && !document.querySelector('[data-testid=\"picture-empty\"]')";
            app.window.wait_until(name, CHANGE_TIMEOUT, drawn).await;
            for (width, height) in [(1440, 900), (1024, 700)] {
                app.window.resize(width, height).await;
                let file = format!("picture-{list}-{name}-{look}-{width}.png").replace(' ', "-");
                app.window.screenshot(&results_folder("window").join(file)).await;
                let rules = app.window.find_violations().await;
                found.extend(rules.iter().map(|one| format!("{list} {name} {width}: {} {:?}", one.rule, one.targets)));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
    app.window.close().await;
}

/// A search in the table also applies to the chart. A note above the chart names the search.
#[tokio::test]
async fn a_chart_says_which_filters_of_the_table_apply() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-browse").await;
    app.sign_in().await;
    app.click("browse-work-orders.list").await;
    app.wait_for_element("grid-browse").await;
    app.type_text("table-find", "WO-26001").await;
    let shown = "return document.querySelector('[data-testid=\"table-count\"]')?.textContent.includes(' of ') || null";
    app.window.wait_until("fewer rows", CHANGE_TIMEOUT, shown).await;
    app.click("picture-switch").await;
    let note = "return document.querySelector('[data-testid=\"picture-filtered\"]')?.textContent || null";
    let note = app.window.wait_until("the filter", CHANGE_TIMEOUT, note).await;
    assert!(note.as_str().unwrap().contains("as filtered in the table: “WO-26001”."), "{note}");
    app.click_css("[data-testid=\"picture-filtered\"] button").await;
    app.wait_until_gone("picture-filtered").await;
    app.wait_for_element("picture").await;
    app.window.close().await;
}
