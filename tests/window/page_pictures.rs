//! Takes pictures of every page in each look, size and language. `cargo xtask pictures` runs it.

use std::{env, fs, path::PathBuf};

use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

use crate::contract::choose_option;

const HAS_PAUSED_STATION: &str =
    "return document.querySelector('[data-testid^=\"floor-station-\"] [data-state=\"paused\"]') !== null
    && document.querySelector('[data-testid=\"floor-read\"][data-loading]') === null";

/// A look, language and size of the window, with the name of the pictures' folder.
struct Variant {
    name: &'static str,
    look: &'static str,
    /// The language's name in the settings.
    language: &'static str,
    size: (u32, u32),
}

const DEFAULT_VARIANT: Variant = Variant { name: "light", look: "light", language: "English", size: (1440, 900) };
const VARIANTS: [Variant; 8] = [
    DEFAULT_VARIANT,
    Variant { name: "dark", look: "dark", ..DEFAULT_VARIANT },
    Variant { name: "contrast", look: "contrast", ..DEFAULT_VARIANT },
    Variant { name: "small", size: (1024, 700), ..DEFAULT_VARIANT },
    // A screen of 1440 by 900 pixels at 200%.
    Variant { name: "large", size: (720, 450), ..DEFAULT_VARIANT },
    Variant { name: "german", language: "Deutsch", ..DEFAULT_VARIANT },
    Variant { name: "spanish", language: "Español", ..DEFAULT_VARIANT },
    Variant { name: "portuguese", language: "Português", ..DEFAULT_VARIANT },
];

/// `TAKT_PICTURES` selects one variant. Without it, all variants are taken.
#[tokio::test]
#[ignore = "pictures to look at: cargo xtask pictures"]
async fn pictures_of_every_page() {
    let only = env::var("TAKT_PICTURES").ok().filter(|name| !name.is_empty());
    for variant in VARIANTS.iter().filter(|variant| only.as_deref().is_none_or(|name| name == variant.name)) {
        fs::create_dir_all(results_folder("pictures").join(variant.name)).unwrap();
        let album = Album::open(variant).await;
        album.import().await;
        album.lists().await;
        album.events().await;
        album.other_pages().await;
        album.app.window.close().await;
    }
}

struct Album {
    app: TestApp,
    folder: PathBuf,
}

impl Album {
    async fn open(variant: &Variant) -> Self {
        let folder = results_folder("pictures").join(variant.name);
        let app = TestApp::open(Engine::Chromium).await;
        app.window.resize(variant.size.0, variant.size.1).await;
        app.click("nav-settings").await;
        app.wait_for_element("receiver-form").await;
        choose_option(&app, "language", variant.language).await;
        let choose = "document.querySelector(`[data-testid=\"look\"] input[value=\"${arguments[0]}\"]`).click()";
        app.window.script(choose, vec![variant.look.into()]).await;
        let chosen = format!("return document.documentElement.dataset.look === '{}'", variant.look);
        app.window.wait_until("the look", CHANGE_TIMEOUT, &chosen).await;
        app.click("nav-import").await;
        Self { app, folder }
    }

    /// Waits until nothing moves. Then saves a picture and the page's text.
    async fn save_page(&self, name: &str) {
        self.app.window.take_picture(&self.folder.join(format!("{name}.png"))).await;
        let texts = self.app.window.script("return document.body.innerText", Vec::new()).await;
        fs::write(self.folder.join(format!("{name}.txt")), texts.as_str().unwrap()).unwrap();
    }

    async fn import(&self) {
        let app = &self.app;
        app.wait_for_element("import-open").await;
        self.save_page("home").await;
        app.click("sample-work-orders.sync").await;
        for step in ["file", "columns", "check"] {
            app.click(&format!("step-{step}")).await;
            if step == "check" {
                app.wait_for_element("facet-not-above").await;
            }
            self.save_page(step).await;
        }
        app.click("step-preview").await;
        let asked = "return document.querySelector('[data-testid=\"sign-in\"]') ? 'asked' : document.querySelector('[data-testid=\"preview\"]') ? 'shown' : null";
        if app.window.wait_until("a preview or a sign-in", CHANGE_TIMEOUT, asked).await == "asked" {
            app.sign_in().await;
        }
        app.wait_for_element("preview").await;
        self.save_page("preview").await;
        app.click("step-send").await;
        app.wait_for_element("errors-stay").await;
        self.save_page("send").await;
        app.click("send").await;
        app.wait_for_submission_end().await;
        self.save_page("results").await;
    }

    async fn lists(&self) {
        let app = &self.app;
        app.click("nav-browse").await;
        for list in ["work-orders.list", "inspections.list", "work-stations.list"] {
            self.choose_list(list).await;
            self.save_page(&format!("browse-{list}")).await;
        }
        self.choose_list("work-orders.list").await;
        app.click_css("[data-testid=\"grid-browse\"] [row-index=\"0\"] [col-id=\"operationCode\"]").await;
        app.click_css("[data-testid=\"detail\"] [data-testid=\"code-link\"]").await;
        app.wait_for_element("order-operations").await;
        self.save_page("order").await;
    }

    /// Chooses a list. In a narrow window, the lists are in a combo box.
    async fn choose_list(&self, list: &str) {
        let app = &self.app;
        if self.folder.ends_with("large") {
            app.click("browse-lists").await;
            app.click_css(&format!("[role=\"option\"][value=\"{list}\"]")).await;
        } else {
            app.click(&format!("browse-{list}")).await;
        }
        app.wait_for_element("grid-browse").await;
    }

    async fn events(&self) {
        let app = &self.app;
        app.click("nav-events").await;
        for tab in ["list", "floor", "answers"] {
            crate::events::open_tab(app, tab).await;
            if tab == "floor" {
                // Without the comparison, the state of most stations is unknown.
                app.click("floor-read").await;
                app.window.wait_until("a state", CHANGE_TIMEOUT, HAS_PAUSED_STATION).await;
            }
            self.save_page(&format!("events-{tab}")).await;
        }
    }

    async fn other_pages(&self) {
        let app = &self.app;
        app.click("nav-templates").await;
        app.type_text("template-ids", "1-4").await;
        app.click("template-read").await;
        app.wait_for_element("grid-processes").await;
        self.save_page("templates").await;
        app.click("nav-integrations").await;
        app.wait_for_element("forward-new").await;
        self.save_page("forwarding").await;
        crate::graphql::open_graphql(app).await;
        app.click("graphql-run").await;
        app.wait_for_element("graphql-export").await;
        self.save_page("graphql-json").await;
        app.click_css("[data-testid=\"graphql-look\"] input[value=\"table\"] + label").await;
        app.wait_for_element("grid-graphql").await;
        self.save_page("graphql").await;
        for (page, shown) in [("today", "today-late"), ("history", "grid-history"), ("plant", "plant-clock")] {
            app.click(&format!("nav-{page}")).await;
            app.wait_for_element(shown).await;
            if page == "today" {
                // The folder of the test isn't one that users have.
                let folder =
                    r"document.querySelector('[data-testid=recent-file] > :last-child').textContent = 'D:\\Plans'";
                app.window.script(folder, Vec::new()).await;
            }
            self.save_page(page).await;
        }
        app.click("nav-settings").await;
        app.wait_for_element("receiver-form").await;
        self.save_page("settings").await;
        app.click("site-add").await;
        self.save_page("settings-new-site").await;
        app.type_text("site-address", "https://mes-south.example.com").await;
        app.click("site-next").await;
        app.wait_for_element("site-form").await;
        self.save_page("settings-site").await;
        app.click("nav-history").await;
        app.click("help-open").await;
        app.wait_for_element("help-text").await;
        self.save_page("help").await;
    }
}
