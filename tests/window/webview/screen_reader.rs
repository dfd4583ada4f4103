//! The data that a screen reader gets on each page. The accessibility tree must have names, headings, tables and live
//! regions.

use takt_tests::{AccessibilityBus, Accessible, Engine, SOON, TestApp};

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
    reader.page("home");
    app.click("sample-work-orders.sync").await;
    for (step, shown) in [("file", "step-file"), ("columns", "match-A"), ("check", "facet-not-above")] {
        app.click(&format!("step-{step}")).await;
        app.sees(shown).await;
        reader.page(step);
    }
    reader.table("check", "WO-");
    app.click("step-preview").await;
    app.sign_in().await;
    app.sees("preview").await;
    reader.page("preview");
    app.click("step-send").await;
    app.sees("errors-stay").await;
    reader.page("send");
    app.click("send").await;
    app.submission_ends().await;
    let first = "return document.querySelector('[data-testid=\"grid-results\"] [row-index=\"0\"] [col-id=\"key\"]')?.textContent || null";
    app.window.until("the first row of the results", SOON, first).await;
    reader.page("results");
    reader.table("results", "WO-");
    reader.tells("results", "254 rows sent to Practice. 9 skipped, 0 rejected.");

    app.click("nav-browse").await;
    app.click("browse-work-orders.list").await;
    app.sees("grid-browse").await;
    reader.page("list");
    reader.table("list", "WO-");
    app.click("nav-events").await;
    app.press("[data-testid=\"events-tabs\"] input[value=\"floor\"] + label").await;
    app.sees("floor-stations").await;
    reader.page("floor");
    for (page, shown) in [("history", "grid-history"), ("plant", "plant-clock"), ("settings", "receiver-form")] {
        app.click(&format!("nav-{page}")).await;
        app.sees(shown).await;
        reader.page(page);
    }
    app.window.until("the window's title", SOON, "return document.title || null").await;
    assert!(reader.faults.is_empty(), "{:#?}", reader.faults);
    app.window.close().await;
}

struct Reader<'a> {
    bus: &'a AccessibilityBus,
    faults: Vec<String>,
}

impl Reader<'_> {
    /// Checks that the page has one heading of level 1, and that all controls and tables have names.
    fn page(&mut self, page: &str) {
        let tree = self.bus.read();
        let controls: Vec<_> = tree.all().into_iter().filter(|control| CONTROLS.contains(&&*control.role)).collect();
        assert!(controls.len() > 10, "{page}: {} controls in {tree:#?}", controls.len());
        let headings = tree.of_role("heading");
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
    fn table(&mut self, page: &str, cell: &str) {
        let tree = self.bus.read();
        let row = tables(&tree)
            .into_iter()
            .flat_map(|table| table.of_role("row"))
            .find(|row| CELLS.iter().flat_map(|role| row.of_role(role)).any(|found| found.text().contains(cell)));
        if row.is_none() {
            self.faults.push(format!("{page}: no row of a table has a cell with {cell}"));
        }
    }

    /// Checks that a live region contains these words, so that they are announced.
    fn tells(&mut self, page: &str, words: &str) {
        let tree = self.bus.read();
        let live_texts: Vec<String> =
            tree.all().into_iter().filter(|one| one.is_live()).map(Accessible::text).collect();
        if !live_texts.iter().any(|text| text.contains(words)) {
            self.faults.push(format!("{page}: {words:?} isn't told, but {live_texts:?}"));
        }
    }
}

fn tables(tree: &Accessible) -> Vec<&Accessible> {
    TABLES.iter().flat_map(|role| tree.of_role(role)).collect()
}
