//! The service's data in dark, in high contrast, and in a small window. Pictures are taken, axe-core must find no
//! violations, and the page must not scroll horizontally.

use serde_json::json;
use takt_tests::{Engine, SOON, TestApp, results, takes_pictures};

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
    app.sees("grid-browse").await;
    found.extend(look(&app, "list").await);
    app.click("columns").await;
    app.sees("columns-list").await;
    found.extend(look(&app, "columns").await);
    app.click("columns").await;
    app.gone("columns-list").await;
    app.press("[data-testid=\"grid-browse\"] [row-index=\"0\"] [col-id=\"operationCode\"]").await;
    app.sees("detail").await;
    found.extend(look(&app, "detail").await);
    app.press("[data-testid=\"detail\"] [data-testid=\"code-link\"]").await;
    let read = "return document.querySelector('[data-testid=\"order-operations\"]') !== null
        && document.querySelector('[data-testid=\"order-reading\"]') === null";
    app.window.until("the whole order", SOON, read).await;
    found.extend(look(&app, "order").await);
    crate::graphql::open_graphql(&app).await;
    app.window.until("an editor", SOON, crate::graphql::READY).await;
    app.click("graphql-run").await;
    app.sees("graphql-export").await;
    app.press("[data-testid=\"graphql-look\"] input[value=\"table\"] + label").await;
    app.sees("grid-graphql").await;
    found.extend(look(&app, "graphql").await);
    app.press("[data-testid=\"grid-graphql\"] [row-index=\"0\"] [col-id=\"code\"] button").await;
    app.sees("order").await;
    assert!(found.is_empty(), "{found:#?}");
    app.window.close().await;
}

#[tokio::test]
#[ignore = "long: every look"]
async fn templates_and_their_cleanup_in_every_look() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-templates").await;
    app.sign_in().await;
    app.types("template-ids", "1-60, 305").await;
    app.click("template-read").await;
    app.sees("templates-absent").await;
    app.gone("templates-stop").await;
    let mut found = look(&app, "templates").await;
    app.click("tick-all").await;
    app.types("operation-code", "010").await;
    app.click("add-links").await;
    app.press("[data-testid=\"templates-shape\"] label:has(> input[value=\"matrix\"]), [data-testid=\"templates-shape\"] input[value=\"matrix\"] + label").await;
    app.sees("grid-matrix").await;
    found.extend(look(&app, "matrix").await);
    app.click("delete-links").await;
    app.sees("affected").await;
    found.extend(look(&app, "delete").await);
    let count = app.number("links-count").await;
    app.types("confirm-count", &count.to_string()).await;
    app.click("confirm-delete").await;
    app.submission_ends().await;
    found.extend(look(&app, "deleted-links").await);
    app.click("deleted-before").await;
    app.sees("grid-deleted").await;
    app.press("[data-testid=\"grid-deleted\"] .ag-row .ag-cell").await;
    app.sees("deleted-path").await;
    found.extend(look(&app, "deleted").await);
    assert!(found.is_empty(), "{found:#?}");
    app.window.close().await;
}

/// Takes pictures in dark, in high contrast and in a small window. Returns axe-core's violations.
pub(crate) async fn look(app: &TestApp, name: &str) -> Vec<String> {
    look_in(app, name, &LOOKS).await
}

/// Takes pictures in these looks, and returns axe-core's violations. Does nothing unless `TAKT_TEST_LOOKS` is set.
pub(crate) async fn look_in(app: &TestApp, name: &str, looks: &[Look]) -> Vec<String> {
    let mut found = Vec::new();
    if !takes_pictures() {
        return found;
    }
    for (look, width, height) in looks {
        set_look(app, look).await;
        app.window.resize(*width, *height).await;
        app.window.screenshot(&results("window").join(format!("look-{name}-{look}-{width}.png"))).await;
        let wide = "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
        let wider = app.window.script(wide, Vec::new()).await;
        if wider != json!(0) {
            found.push(format!("{name} ({look}, {width}): the page is {wider} wider than the window"));
        }
        let violations = app.window.axe().await.into_iter();
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
