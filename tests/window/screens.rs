//! Every screen in light and dark: nothing that axe would stumble over, and a picture of each to look at.

use std::time::Duration;

use takt_tests::results;

use crate::desk::Desk;

#[tokio::test]
async fn axe_finds_nothing_on_any_screen() {
    let desk = Desk::open().await;
    let mut found = Vec::new();
    found.extend(look(&desk, "import").await);
    desk.click("sample-work-orders.sync").await;
    for step in ["file", "columns", "check"] {
        desk.click(&format!("step-{step}")).await;
        if step == "check" {
            desk.sees("facet-not-above").await;
        }
        found.extend(look(&desk, step).await);
    }
    desk.click("step-send").await;
    found.extend(look(&desk, "sign-in").await);
    desk.sign_in().await;
    desk.sees("leave-out").await;
    found.extend(look(&desk, "send").await);
    desk.click("leave-out").await;
    desk.click("send").await;
    desk.sees("grid-results").await;
    found.extend(look(&desk, "results").await);
    desk.click("nav-browse").await;
    for read in ["work-orders.list", "inspections.list", "inspection-processes.list", "work-stations.list"] {
        desk.click(&format!("browse-{read}")).await;
        desk.sees("grid-browse").await;
        settle().await;
        found.extend(look(&desk, &format!("browse-{read}")).await);
    }
    desk.click("nav-templates").await;
    desk.types("template-ids", "1-4").await;
    desk.click("template-read").await;
    desk.sees("grid-processes").await;
    found.extend(look(&desk, "templates").await);
    desk.click("nav-history").await;
    desk.sees("grid-history").await;
    found.extend(look(&desk, "history").await);
    desk.click("nav-settings").await;
    found.extend(look(&desk, "settings").await);
    desk.click("site-add").await;
    found.extend(look(&desk, "site").await);
    assert!(found.is_empty(), "{found:#?}");
    desk.window.close().await;
}

/// Takes pictures in light and dark, and asks axe in both.
async fn look(desk: &Desk, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for look in ["light", "dark"] {
        desk.window.script("document.documentElement.dataset.look = arguments[0]", vec![look.into()]).await;
        settle().await;
        desk.window.screenshot(&results("window").join(format!("{name}-{look}.png"))).await;
        let violations = desk.window.axe().await;
        found.extend(violations.iter().map(|violation| {
            format!("{name} ({look}): {} {} at {:?}", violation.rule, violation.help, violation.targets)
        }));
    }
    desk.window.script("document.documentElement.dataset.look = 'light'", Vec::new()).await;
    found
}

/// Longer than the 120 ms in which things move.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(400)).await;
}
