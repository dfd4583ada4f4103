//! The service's data in dark, in high contrast, and in a small window. Pictures are taken, axe-core must find no
//! violations, and the page must not scroll horizontally.

use serde_json::json;
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, are_pictures_enabled, results_folder};

/// A window's look, its width and its height.
pub(crate) type Look = (&'static str, u32, u32);

const LOOKS: [Look; 3] = [("dark", 1440, 900), ("contrast", 1440, 900), ("dark", 1024, 700)];

#[tokio::test]
#[ignore = "long: every look"]
async fn lists_and_their_details_in_every_look() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-browse").await;
    app.click("browse-work-orders.list").await;
    app.sign_in().await;
    let mut found = Vec::new();
    app.wait_for_element("grid-browse").await;
    found.extend(check_looks(&app, "list").await);
    app.click("columns").await;
    app.wait_for_element("columns-list").await;
    found.extend(check_looks(&app, "columns").await);
    app.click("columns").await;
    app.wait_until_gone("columns-list").await;
    app.click_css("[data-testid=\"grid-browse\"] [row-index=\"0\"] [col-id=\"operationCode\"]").await;
    app.wait_for_element("detail").await;
    found.extend(check_looks(&app, "detail").await);
    app.click_css("[data-testid=\"detail\"] [data-testid=\"code-link\"]").await;
    let read = "return document.querySelector('[data-testid=\"order-operations\"]') !== null
        && document.querySelector('[data-testid=\"order-reading\"]') === null";
    app.window.wait_until("the whole order", CHANGE_TIMEOUT, read).await;
    found.extend(check_looks(&app, "order").await);
    crate::graphql::open_graphql(&app).await;
    app.window.wait_until("an editor", CHANGE_TIMEOUT, crate::graphql::READY).await;
    app.click("graphql-run").await;
    app.wait_for_element("graphql-export").await;
    app.click_css("[data-testid=\"graphql-look\"] input[value=\"table\"] + label").await;
    app.wait_for_element("grid-graphql").await;
    found.extend(check_looks(&app, "graphql").await);
    app.click_css("[data-testid=\"grid-graphql\"] [row-index=\"0\"] [col-id=\"code\"] button").await;
    app.wait_for_element("order").await;
    assert!(found.is_empty(), "{found:#?}");
    app.window.close().await;
}

#[tokio::test]
#[ignore = "long: every look"]
async fn templates_and_their_cleanup_in_every_look() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-templates").await;
    app.sign_in().await;
    app.type_text("template-ids", "1-60, 305").await;
    app.click("template-read").await;
    app.wait_for_element("templates-absent").await;
    app.wait_until_gone("templates-stop").await;
    let mut found = check_looks(&app, "templates").await;
    app.click("tick-all").await;
    app.type_text("operation-code", "010").await;
    app.click("add-links").await;
    app.click_css("[data-testid=\"templates-shape\"] label:has(> input[value=\"matrix\"]), [data-testid=\"templates-shape\"] input[value=\"matrix\"] + label").await;
    app.wait_for_element("grid-matrix").await;
    found.extend(check_looks(&app, "matrix").await);
    app.click("delete-links").await;
    app.wait_for_element("affected").await;
    found.extend(check_looks(&app, "delete").await);
    let count = app.wait_for_number("links-count").await;
    app.type_text("confirm-count", &count.to_string()).await;
    app.click("confirm-delete").await;
    app.wait_for_submission_end().await;
    found.extend(check_looks(&app, "deleted-links").await);
    app.click("deleted-before").await;
    app.wait_for_element("grid-deleted").await;
    app.click_css("[data-testid=\"grid-deleted\"] .ag-row .ag-cell").await;
    app.wait_for_element("deleted-path").await;
    found.extend(check_looks(&app, "deleted").await);
    assert!(found.is_empty(), "{found:#?}");
    app.window.close().await;
}

/// Takes pictures in dark, in high contrast and in a small window. Returns axe-core's violations.
pub(crate) async fn check_looks(app: &TestApp, name: &str) -> Vec<String> {
    check_looks_in(app, name, &LOOKS).await
}

/// Takes pictures in these looks, and returns axe-core's violations. Does nothing unless `TAKT_TEST_LOOKS` is set.
pub(crate) async fn check_looks_in(app: &TestApp, name: &str, looks: &[Look]) -> Vec<String> {
    let mut found = Vec::new();
    if !are_pictures_enabled() {
        return found;
    }
    for (look, width, height) in looks {
        set_look(app, look).await;
        app.window.resize(*width, *height).await;
        app.window.screenshot(&results_folder("window").join(format!("look-{name}-{look}-{width}.png"))).await;
        let wide = "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
        let wider = app.window.script(wide, Vec::new()).await;
        if wider != json!(0) {
            found.push(format!("{name} ({look}, {width}): the page is {wider} wider than the window"));
        }
        let violations = app.window.find_violations().await.into_iter();
        found.extend(
            violations.map(|one| format!("{name} ({look}, {width}): {} {} at {:?}", one.rule, one.help, one.targets)),
        );
    }
    set_look(app, "light").await;
    app.window.resize(1440, 900).await;
    found
}

/// Changes the look in the same way as the settings, without leaving the page.
async fn set_look(app: &TestApp, look: &str) {
    let code = "document.documentElement.dataset.look = arguments[0];
        document.documentElement.dataset.mantineColorScheme = arguments[0] === 'dark' ? 'dark' : 'light'";
    app.window.script(code, vec![json!(look)]).await;
}
