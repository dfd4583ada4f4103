//! Every screen in light, dark and high contrast: nothing that axe would stumble over, and a picture of each to look at.

use std::time::Duration;

use takt_tests::{Violation, results};

use crate::desk::{Desk, SOON};

#[tokio::test]
async fn axe_finds_nothing_on_any_light_screen() {
    every_screen("light").await;
}

#[tokio::test]
async fn axe_finds_nothing_on_any_dark_screen() {
    every_screen("dark").await;
}

#[tokio::test]
async fn axe_finds_nothing_on_any_screen_of_high_contrast() {
    every_screen("contrast").await;
}

async fn every_screen(look: &'static str) {
    let desk = Desk::open().await;
    desk.click("nav-settings").await;
    desk.sees("look").await;
    let choose = "document.querySelector(`[data-testid=\"look\"] input[value=\"${arguments[0]}\"]`).click()";
    desk.window.script(choose, vec![look.into()]).await;
    let chosen = format!("return document.documentElement.dataset.look === '{look}'");
    desk.window.until("the look", SOON, &chosen).await;
    desk.click("nav-import").await;
    let screens = Screens { desk, look };
    let found = screens.walk().await;
    assert!(found.is_empty(), "{found:#?}");
    screens.desk.window.close().await;
}

struct Screens {
    desk: Desk,
    look: &'static str,
}

impl Screens {
    async fn walk(&self) -> Vec<String> {
        let desk = &self.desk;
        let mut found = Vec::new();
        found.extend(self.look_at("import").await);
        desk.click("sample-work-orders.sync").await;
        for step in ["file", "columns", "check"] {
            desk.click(&format!("step-{step}")).await;
            if step == "check" {
                desk.sees("facet-not-above").await;
            }
            found.extend(self.look_at(step).await);
        }
        desk.click("mend-all-not-above").await;
        desk.sees("found-values").await;
        found.extend(self.look_at("mend-all").await);
        desk.click("step-columns").await;
        desk.click("values-A").await;
        desk.sees("values").await;
        found.extend(self.look_at("values").await);
        desk.click("step-send").await;
        found.extend(self.look_at("sign-in").await);
        desk.sign_in().await;
        desk.sees("leave-out").await;
        desk.stands_against("known").await;
        desk.click("step-preview").await;
        desk.sees("preview").await;
        found.extend(self.look_at("preview").await);
        desk.click("step-send").await;
        desk.sees("leave-out").await;
        found.extend(self.look_at("send").await);
        desk.click("leave-out").await;
        desk.click("send").await;
        desk.sees("grid-results").await;
        found.extend(self.look_at("results").await);
        desk.click("nav-browse").await;
        for read in ["work-orders.list", "inspections.list", "inspection-processes.list", "work-stations.list"] {
            desk.click(&format!("browse-{read}")).await;
            desk.sees("grid-browse").await;
            settle().await;
            found.extend(self.look_at(&format!("browse-{read}")).await);
        }
        desk.click("nav-templates").await;
        desk.types("template-ids", "1-4").await;
        desk.click("template-read").await;
        desk.sees("grid-processes").await;
        found.extend(self.look_at("templates").await);
        desk.click("nav-history").await;
        desk.sees("grid-history").await;
        found.extend(self.look_at("history").await);
        desk.click("nav-plant").await;
        desk.sees("plant-clock").await;
        for tab in ["alerts", "supplies", "events", "faults", "requests"] {
            desk.click(&format!("plant-tab-{tab}")).await;
            found.extend(self.look_at(&format!("plant-{tab}")).await);
        }
        desk.click("nav-settings").await;
        desk.sees("receiver-form").await;
        found.extend(self.look_at("settings").await);
        desk.click("site-add").await;
        found.extend(self.look_at("site").await);
        found
    }

    /// Takes a picture, and asks axe.
    async fn look_at(&self, name: &str) -> Vec<String> {
        settle().await;
        self.desk.window.screenshot(&results("window").join(format!("{name}-{}.png", self.look))).await;
        let violations = self.desk.window.axe().await;
        let told = |violation: &Violation| {
            format!("{name} ({}): {} {} at {:?}", self.look, violation.rule, violation.help, violation.targets)
        };
        violations.iter().map(told).collect()
    }
}

/// Longer than the 120 ms in which things move.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(400)).await;
}
