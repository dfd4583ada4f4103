//! What the service holds, in dark, in high contrast and in a small window: nothing that axe would stumble over, nothing that
//! makes the page itself scroll sideways, and a picture of each to look at.

use std::time::Duration;

use serde_json::json;
use takt_tests::results;

use crate::desk::{Desk, SOON};

/// How the window looks, and its size.
pub(crate) type Look = (&'static str, u32, u32);

const LOOKS: [Look; 3] = [("dark", 1440, 900), ("contrast", 1440, 900), ("dark", 1024, 700)];

#[tokio::test]
async fn lists_and_their_details_in_every_look() {
    let desk = Desk::open().await;
    desk.click("nav-browse").await;
    desk.click("browse-work-orders.list").await;
    desk.sign_in().await;
    let mut found = Vec::new();
    desk.sees("grid-browse").await;
    found.extend(look(&desk, "list").await);
    desk.click("columns").await;
    desk.sees("columns-list").await;
    found.extend(look(&desk, "columns").await);
    desk.click("columns").await;
    desk.gone("columns-list").await;
    desk.press("[data-testid=\"grid-browse\"] [row-index=\"0\"] [col-id=\"operationCode\"]").await;
    desk.sees("detail").await;
    found.extend(look(&desk, "detail").await);
    desk.press("[data-testid=\"detail\"] [data-testid=\"code-link\"]").await;
    let read = "return document.querySelector('[data-testid=\"order-operations\"]') !== null
        && document.querySelector('[data-testid=\"order-reading\"]') === null";
    desk.window.until("the whole order", SOON, read).await;
    found.extend(look(&desk, "order").await);
    desk.click("nav-graphql").await;
    let ready =
        "return document.querySelector('[data-testid=\"graphql-main\"][data-ready=\"true\"] .view-lines') !== null";
    desk.window.until("an editor", SOON, ready).await;
    desk.click("graphql-run").await;
    desk.sees("graphql-export").await;
    desk.press("[data-testid=\"graphql-look\"] input[value=\"table\"] + label").await;
    desk.sees("grid-graphql").await;
    found.extend(look(&desk, "graphql").await);
    desk.press("[data-testid=\"grid-graphql\"] [row-index=\"0\"] [col-id=\"code\"] button").await;
    desk.sees("order").await;
    assert!(found.is_empty(), "{found:#?}");
    desk.window.close().await;
}

#[tokio::test]
async fn templates_and_their_cleanup_in_every_look() {
    let desk = Desk::open().await;
    desk.click("nav-templates").await;
    desk.sign_in().await;
    desk.types("template-ids", "1-60, 305").await;
    desk.click("template-read").await;
    desk.sees("templates-absent").await;
    desk.gone("templates-stop").await;
    let mut found = look(&desk, "templates").await;
    desk.click("tick-all").await;
    desk.types("operation-code", "010").await;
    desk.click("add-links").await;
    desk.press("[data-testid=\"templates-shape\"] label:has(> input[value=\"matrix\"]), [data-testid=\"templates-shape\"] input[value=\"matrix\"] + label").await;
    desk.sees("grid-matrix").await;
    found.extend(look(&desk, "matrix").await);
    desk.click("delete-links").await;
    desk.sees("affected").await;
    found.extend(look(&desk, "delete").await);
    let count = desk.number("links-count").await;
    desk.types("confirm-count", &count.to_string()).await;
    desk.click("confirm-delete").await;
    desk.sees("grid-results").await;
    found.extend(look(&desk, "deleted-links").await);
    desk.click("deleted-before").await;
    desk.sees("grid-deleted").await;
    desk.press("[data-testid=\"grid-deleted\"] .ag-row .ag-cell").await;
    desk.sees("deleted-path").await;
    found.extend(look(&desk, "deleted").await);
    assert!(found.is_empty(), "{found:#?}");
    desk.window.close().await;
}

/// Takes a picture in each look and size but the usual one, and asks axe.
pub(crate) async fn look(desk: &Desk, name: &str) -> Vec<String> {
    look_in(desk, name, &LOOKS).await
}

/// Takes a picture in these looks and sizes, and asks axe.
pub(crate) async fn look_in(desk: &Desk, name: &str, looks: &[Look]) -> Vec<String> {
    let mut found = Vec::new();
    for (look, width, height) in looks {
        wear(desk, look).await;
        desk.window.resize(*width, *height).await;
        // Longer than the 120 ms in which things move.
        tokio::time::sleep(Duration::from_millis(300)).await;
        desk.window.screenshot(&results("window").join(format!("look-{name}-{look}-{width}.png"))).await;
        let wide = "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
        let wider = desk.window.script(wide, Vec::new()).await;
        if wider != json!(0) {
            found.push(format!("{name} ({look}, {width}): the page is {wider} wider than the window"));
        }
        // Monaco's own inner elements are another project's.
        let ours = |at: &String| !at.contains("monaco") && !at.contains("graphiql-editor");
        let told = desk.window.axe().await;
        let told = told.iter().filter(|one| one.targets.iter().any(ours));
        found.extend(
            told.map(|one| format!("{name} ({look}, {width}): {} {} at {:?}", one.rule, one.help, one.targets)),
        );
    }
    wear(desk, "light").await;
    desk.window.resize(1440, 900).await;
    found
}

/// As the settings do, without leaving the page.
async fn wear(desk: &Desk, look: &str) {
    let code = "document.documentElement.dataset.look = arguments[0];
        document.documentElement.dataset.mantineColorScheme = arguments[0] === 'dark' ? 'dark' : 'light'";
    desk.window.script(code, vec![json!(look)]).await;
}
