//! The data that a screen reader gets on each page. The accessibility tree must have names, headings, tables and live
//! regions.

use takt_tests::{AccessibilityBus, Accessible, CHANGE_TIMEOUT, Engine, TestApp};

/// The roles of controls, which must have a name.
const CONTROLS: [&str; 12] = [
    "button",
    "link",
    "textbox",
    "searchbox",
    "combobox",
    "checkbox",
    "radio",
    "switch",
    "slider",
    "spinbutton",
    "tab",
    "menuitem",
];
const TABLES: [&str; 3] = ["table", "grid", "treegrid"];
const CELLS: [&str; 2] = ["cell", "gridcell"];

#[tokio::test]
#[ignore = "long: every page"]
async fn every_page_says_what_is_on_it_and_what_changed() {
    let bus = AccessibilityBus::start();
    let app = TestApp::open_with(Engine::WebView, &[("DBUS_SESSION_BUS_ADDRESS", bus.address())]).await;
    let mut reader = Reader { bus: &bus, faults: Vec::new() };
    reader.check_page("home");
    app.click("sample-work-orders.sync").await;
    for (step, shown) in [("file", "step-file"), ("columns", "match-A"), ("check", "facet-not-above")] {
        app.click(&format!("step-{step}")).await;
        app.wait_for_element(shown).await;
        reader.check_page(step);
    }
    reader.check_table("check", "WO-");
    app.click("step-preview").await;
    app.sign_in().await;
    app.wait_for_element("preview").await;
    reader.check_page("preview");
    app.click("step-send").await;
    app.wait_for_element("errors-stay").await;
    reader.check_page("send");
    app.click("send").await;
    app.wait_for_submission_end().await;
    let first = "return document.querySelector('[data-testid=\"grid-results\"] [row-index=\"0\"] [col-id=\"key\"]')?.textContent || null";
    app.window.wait_until("the first row of the results", CHANGE_TIMEOUT, first).await;
    reader.check_page("results");
    reader.check_table("results", "WO-");
    reader.check_announced("results", "254 rows sent to Practice. 9 skipped, 0 rejected.");

    app.click("nav-browse").await;
    app.click("browse-work-orders.list").await;
    app.wait_for_element("grid-browse").await;
    reader.check_page("list");
    reader.check_table("list", "WO-");
    app.click("nav-floor").await;
    app.wait_for_element("floor-stations").await;
    reader.check_page("floor");
    for (page, shown) in [("history", "grid-history"), ("plant", "plant-clock"), ("settings", "receiver-form")] {
        app.click(&format!("nav-{page}")).await;
        app.wait_for_element(shown).await;
        reader.check_page(page);
    }
    app.window.wait_until("the window's title", CHANGE_TIMEOUT, "return document.title || null").await;
    assert!(reader.faults.is_empty(), "{:#?}", reader.faults);
    app.window.close().await;
}

struct Reader<'a> {
    bus: &'a AccessibilityBus,
    faults: Vec<String>,
}

impl Reader<'_> {
    /// Checks that the page has one heading of level 1, and that all controls and tables have names.
    fn check_page(&mut self, page: &str) {
        let tree = self.bus.read();
        let controls: Vec<_> =
            tree.self_and_descendants().into_iter().filter(|control| CONTROLS.contains(&&*control.role)).collect();
        assert!(controls.len() > 10, "{page}: {} controls in {tree:#?}", controls.len());
        let headings = tree.with_role("heading");
        let first = headings.iter().filter(|heading| heading.attributes.get("level").is_some_and(|level| level == "1"));
        if first.count() != 1 {
            let all: Vec<String> = headings.iter().map(|heading| heading.text()).collect();
            self.faults.push(format!("{page}: not one heading of the first level among {all:?}"));
        }
        for control in controls {
            if control.text().is_empty() {
                self.faults.push(format!("{page}: {} without a name: {:?}", control.role, control.attributes));
            }
        }
        for table in tables(&tree).into_iter().filter(|table| table.name.is_empty()) {
            self.faults.push(format!("{page}: {} without a name", table.role));
        }
    }

    /// Checks that the table's cells are inside of rows.
    fn check_table(&mut self, page: &str, cell: &str) {
        let tree = self.bus.read();
        let row = tables(&tree)
            .into_iter()
            .flat_map(|table| table.with_role("row"))
            .find(|row| CELLS.iter().flat_map(|role| row.with_role(role)).any(|found| found.text().contains(cell)));
        if row.is_none() {
            self.faults.push(format!("{page}: no row of a table has a cell with {cell}"));
        }
    }

    /// Checks that a live region contains these words, so that they are announced.
    fn check_announced(&mut self, page: &str, words: &str) {
        let tree = self.bus.read();
        let live_texts: Vec<String> =
            tree.self_and_descendants().into_iter().filter(|one| one.is_live()).map(Accessible::text).collect();
        if !live_texts.iter().any(|text| text.contains(words)) {
            self.faults.push(format!("{page}: {words:?} isn't told, but {live_texts:?}"));
        }
    }
}

fn tables(tree: &Accessible) -> Vec<&Accessible> {
    TABLES.iter().flat_map(|role| tree.with_role(role)).collect()
}
