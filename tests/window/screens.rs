//! Every screen in light, dark, high contrast and with forced colors, and at several scales. A picture of each is taken,
//! and axe-core must find no violations.

use serde_json::json;
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, Violation, results_folder};

/// A screen of 1440 by 900 pixels at these scales in percent, with the size in CSS pixels.
const SCALES: [(u32, u32, u32); 3] = [(125, 1152, 720), (150, 960, 600), (200, 720, 450)];

#[tokio::test]
#[ignore = "long: every screen"]
async fn axe_finds_nothing_on_any_light_screen() {
    every_screen("light").await;
}

#[tokio::test]
#[ignore = "long: every look"]
async fn axe_finds_nothing_on_any_dark_screen() {
    every_screen("dark").await;
}

#[tokio::test]
#[ignore = "long: every look"]
async fn axe_finds_nothing_on_any_screen_of_high_contrast() {
    every_screen("contrast").await;
}

#[tokio::test]
#[ignore = "long: every look"]
async fn axe_finds_nothing_on_any_screen_with_forced_colors() {
    let app = TestApp::open(Engine::Chromium).await;
    app.window.emulate_forced_colors().await;
    let is_forced = "return matchMedia('(forced-colors: active)').matches";
    assert_eq!(app.window.script(is_forced, Vec::new()).await, json!(true));
    check_screens(app, "forced-colors").await;
}

async fn every_screen(look: &'static str) {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-settings").await;
    app.wait_for_element("look").await;
    let choose = "document.querySelector(`[data-testid=\"look\"] input[value=\"${arguments[0]}\"]`).click()";
    app.window.script(choose, vec![look.into()]).await;
    let chosen = format!("return document.documentElement.dataset.look === '{look}'");
    app.window.wait_until("the look", CHANGE_TIMEOUT, &chosen).await;
    check_screens(app, look).await;
}

async fn check_screens(app: TestApp, look: &'static str) {
    app.click("nav-import").await;
    let screens = Screens { app, look };
    let found = screens.visit_all().await;
    assert!(found.is_empty(), "{found:#?}");
    screens.app.window.close().await;
}

struct Screens {
    app: TestApp,
    look: &'static str,
}

impl Screens {
    async fn visit_all(&self) -> Vec<String> {
        let app = &self.app;
        let mut found = Vec::new();
        found.extend(self.check_screen("import").await);
        app.click("sample-work-orders.sync").await;
        for step in ["file", "columns", "check"] {
            app.click(&format!("step-{step}")).await;
            if step == "check" {
                app.wait_for_element("facet-not-above").await;
            }
            found.extend(self.check_screen(step).await);
        }
        app.click("fix-all-not-above").await;
        app.wait_for_element("found-values").await;
        found.extend(self.check_screen("fix-all").await);
        app.click("step-columns").await;
        app.click("values-A").await;
        app.wait_for_element("values").await;
        found.extend(self.check_screen("values").await);
        app.click("step-send").await;
        found.extend(self.check_screen("sign-in").await);
        app.sign_in().await;
        app.wait_for_element("errors-stay").await;
        app.wait_for_comparison("known").await;
        app.click("step-preview").await;
        app.wait_for_element("preview").await;
        found.extend(self.check_screen("preview").await);
        app.click("step-send").await;
        app.wait_for_element("errors-stay").await;
        found.extend(self.check_screen("send").await);
        app.click("send").await;
        app.wait_for_submission_end().await;
        found.extend(self.check_screen("results").await);
        app.click("nav-browse").await;
        for read in ["work-orders.list", "inspections.list", "inspection-processes.list", "work-stations.list"] {
            app.click(&format!("browse-{read}")).await;
            app.wait_for_element("grid-browse").await;
            found.extend(self.check_screen(&format!("browse-{read}")).await);
        }
        app.click("nav-templates").await;
        app.type_text("template-ids", "1-4").await;
        app.click("template-read").await;
        app.wait_for_element("grid-processes").await;
        found.extend(self.check_screen("templates").await);
        app.click("nav-history").await;
        app.wait_for_element("grid-history").await;
        found.extend(self.check_screen("history").await);
        app.click("nav-plant").await;
        app.wait_for_element("plant-clock").await;
        for tab in ["alerts", "supplies", "events", "faults", "requests"] {
            app.click(&format!("plant-tab-{tab}")).await;
            found.extend(self.check_screen(&format!("plant-{tab}")).await);
        }
        app.click("nav-settings").await;
        app.wait_for_element("receiver-form").await;
        found.extend(self.check_screen("settings").await);
        app.click("site-add").await;
        found.extend(self.check_screen("site-new").await);
        app.type_text("site-address", "https://mes-south.example.com").await;
        app.click("site-next").await;
        app.wait_for_element("site-form").await;
        found.extend(self.check_screen("site").await);
        found
    }

    /// Takes a picture of the screen, and returns axe-core's violations. At larger scales, the page must not scroll
    /// horizontally.
    async fn check_screen(&self, name: &str) -> Vec<String> {
        self.app.window.screenshot(&results_folder("window").join(format!("{name}-{}.png", self.look))).await;
        let mut found = self.find_violations(name).await;
        for (scale, width, height) in SCALES.into_iter().filter(|_| self.look == "light") {
            self.app.window.resize(width, height).await;
            self.app.window.screenshot(&results_folder("window").join(format!("{name}-{scale}.png"))).await;
            let overflow = "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
            let overflow = self.app.window.script(overflow, Vec::new()).await;
            if overflow != json!(0) {
                found.push(format!("{name} ({scale} %): the page is {overflow} px wider than the window"));
            }
        }
        self.app.window.resize(1440, 900).await;
        found
    }

    async fn find_violations(&self, name: &str) -> Vec<String> {
        let violations = self.app.window.find_violations().await;
        let told = |violation: &Violation| {
            format!("{name} ({}): {} {} at {:?}", self.look, violation.rule, violation.help, violation.targets)
        };
        violations.iter().map(told).collect()
    }
}
