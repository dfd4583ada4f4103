//! Every screen in light, dark and high contrast. A picture of each is taken, and axe-core must find no violations.

use takt_tests::{Engine, SOON, TestApp, Violation, results};

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

async fn every_screen(look: &'static str) {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-settings").await;
    app.sees("look").await;
    let choose = "document.querySelector(`[data-testid=\"look\"] input[value=\"${arguments[0]}\"]`).click()";
    app.window.script(choose, vec![look.into()]).await;
    let chosen = format!("return document.documentElement.dataset.look === '{look}'");
    app.window.until("the look", SOON, &chosen).await;
    app.click("nav-import").await;
    let screens = Screens { app, look };
    let found = screens.walk().await;
    assert!(found.is_empty(), "{found:#?}");
    screens.app.window.close().await;
}

struct Screens {
    app: TestApp,
    look: &'static str,
}

impl Screens {
    async fn walk(&self) -> Vec<String> {
        let app = &self.app;
        let mut found = Vec::new();
        found.extend(self.look_at("import").await);
        app.click("sample-work-orders.sync").await;
        for step in ["file", "columns", "check"] {
            app.click(&format!("step-{step}")).await;
            if step == "check" {
                app.sees("facet-not-above").await;
            }
            found.extend(self.look_at(step).await);
        }
        app.click("fix-all-not-above").await;
        app.sees("found-values").await;
        found.extend(self.look_at("fix-all").await);
        app.click("step-columns").await;
        app.click("values-A").await;
        app.sees("values").await;
        found.extend(self.look_at("values").await);
        app.click("step-send").await;
        found.extend(self.look_at("sign-in").await);
        app.sign_in().await;
        app.sees("errors-stay").await;
        app.wait_for_comparison("known").await;
        app.click("step-preview").await;
        app.sees("preview").await;
        found.extend(self.look_at("preview").await);
        app.click("step-send").await;
        app.sees("errors-stay").await;
        found.extend(self.look_at("send").await);
        app.click("send").await;
        app.submission_ends().await;
        found.extend(self.look_at("results").await);
        app.click("nav-browse").await;
        for read in ["work-orders.list", "inspections.list", "inspection-processes.list", "work-stations.list"] {
            app.click(&format!("browse-{read}")).await;
            app.sees("grid-browse").await;
            found.extend(self.look_at(&format!("browse-{read}")).await);
        }
        app.click("nav-templates").await;
        app.types("template-ids", "1-4").await;
        app.click("template-read").await;
        app.sees("grid-processes").await;
        found.extend(self.look_at("templates").await);
        app.click("nav-history").await;
        app.sees("grid-history").await;
        found.extend(self.look_at("history").await);
        app.click("nav-plant").await;
        app.sees("plant-clock").await;
        for tab in ["alerts", "supplies", "events", "faults", "requests"] {
            app.click(&format!("plant-tab-{tab}")).await;
            found.extend(self.look_at(&format!("plant-{tab}")).await);
        }
        app.click("nav-settings").await;
        app.sees("receiver-form").await;
        found.extend(self.look_at("settings").await);
        app.click("site-add").await;
        found.extend(self.look_at("site-new").await);
        app.types("site-address", "https://mes-south.example.com").await;
        app.click("site-next").await;
        app.sees("site-form").await;
        found.extend(self.look_at("site").await);
        found
    }

    /// Takes a picture of the screen, and returns axe-core's violations.
    async fn look_at(&self, name: &str) -> Vec<String> {
        self.app.window.screenshot(&results("window").join(format!("{name}-{}.png", self.look))).await;
        let violations = self.app.window.axe().await;
        let told = |violation: &Violation| {
            format!("{name} ({}): {} {} at {:?}", self.look, violation.rule, violation.help, violation.targets)
        };
        violations.iter().map(told).collect()
    }
}
