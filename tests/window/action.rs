//! From what is seen to what is done: rows of a table become an import, and one page knows everything about an order. Held
//! against what the plant holds.

use serde_json::{Value, json};
use takt_tests::results;

use crate::{
    desk::{Desk, SOON},
    mend::press,
};

const BEGIN: &str = "beginPlanned";
const END: &str = "endPlanned";

#[tokio::test]
async fn rows_of_a_table_are_changed_as_an_import() {
    let desk = Desk::open().await;
    desk.click("nav-browse").await;
    desk.click("browse-work-orders.list").await;
    desk.sign_in().await;
    let ticked = |row: u32| format!("[data-testid=\"grid-browse\"] [row-index=\"{row}\"] .ag-selection-checkbox input");
    for row in 0..3 {
        desk.press(&ticked(row)).await;
        let told = format!(
            "return document.querySelector('[data-testid=\"table-ticked\"]')?.textContent.startsWith('{}')",
            row + 1
        );
        desk.window.until("the ticked rows", SOON, &told).await;
    }
    picture(&desk, "action-selected").await;
    desk.click("rows-change").await;
    desk.click("change-work-orders.planning-dates").await;
    desk.sees("grid-check").await;
    let said = "return document.querySelector('main').textContent.includes('from Takt · Work orders · 3 rows')";
    desk.window.until("where the rows are from", SOON, said).await;
    // The rows are drawn once more when it is known how they stand.
    desk.stands_against("known").await;
    let (begin, end) = ("2027-03-04T06:30:00", "2027-03-04T11:45:00");
    edit(&desk, 3, "2027-03-04 06:30").await;
    edit(&desk, 4, "2027-03-04 11:45").await;
    picture(&desk, "action-check").await;
    let code = text(&desk, &cell(0, 0)).await;
    let operation = text(&desk, &cell(0, 1)).await;
    let before = order(&desk, &code, &operation).await;
    desk.click("step-preview").await;
    for (kind, expected) in [("changed", 1), ("same", 2)] {
        assert_eq!(desk.number(&format!("preview-{kind}")).await, expected, "{kind}");
    }
    desk.click("go-on").await;
    desk.click("send").await;
    desk.sees("grid-results").await;
    assert_eq!((desk.number("fate-accepted").await, desk.number("fate-skipped").await), (1, 2));
    let now = order(&desk, &code, &operation).await;
    assert_eq!((&now[BEGIN], &now[END]), (&json!(begin), &json!(end)), "{before} became {now}");
    assert_eq!(now["workStationCode"], before["workStationCode"]);

    // What was sent stands on the order's page.
    go_to(&desk, &code).await;
    desk.window
        .until("what was sent", SOON, "return document.querySelector('[data-testid^=\"order-submission-\"]') !== null")
        .await;
    desk.window.close().await;
}

#[tokio::test]
async fn one_page_knows_everything_about_an_order() {
    let desk = Desk::open().await;
    let code = richest(&desk).await;
    desk.click("nav-browse").await;
    desk.click("browse-work-orders.list").await;
    desk.sign_in().await;
    desk.sees("grid-browse").await;
    go_to(&desk, &code).await;
    let ready = "return document.querySelector('[data-testid=\"order-operations\"]') !== null
        && document.querySelector('[data-testid=\"order-reading\"]') === null";
    desk.window.until("the whole page", SOON, ready).await;
    picture(&desk, "order-light").await;
    let orders = rows_of(&desk, "work-orders", "code", &code).await;
    for row in &orders {
        let column = 1 + orders.iter().position(|other| other == row).unwrap();
        let shown = format!(
            "return document.querySelector('[data-testid=\"order-operations\"] [data-field=\"materialCode\"]').children[{column}].textContent"
        );
        assert_eq!(desk.window.script(&shown, vec![]).await, row["materialCode"]);
    }
    let bars = "return document.querySelectorAll('[data-testid=\"order-plan\"] li').length";
    assert_eq!(desk.window.script(bars, vec![]).await, orders.len());
    let dates: Vec<&str> = orders
        .iter()
        .flat_map(|row| ["beginPlanned", "endPlanned", "beginReal", "endReal"].map(|name| row[name].as_str()))
        .flatten()
        .collect();
    let (from, to) = (dates.iter().min().unwrap().to_string(), dates.iter().max().unwrap().to_string());
    for (list, state) in [
        ("inspections.list", "inspections"),
        ("quality-checks.list", "quality-checks"),
        ("consumed-lots.list", "consumed-lots"),
        ("order-history.list", "order-history"),
        ("alerts.list", "alerts"),
        ("labor-times.list", "labor-times"),
    ] {
        let held = rows_of(&desk, state, "workOrderCode", &code).await;
        let shown = desk.number(&format!("order-count-{list}")).await as usize;
        // Of what is read by dates, what lies elsewhere isn't there.
        let begins = |row: &Value| row["opened"].as_str().or(row["begin"].as_str()).unwrap_or_default().to_owned();
        let near = |row: &&Value| match list {
            "alerts.list" | "labor-times.list" => begins(row) > from && begins(row) < to,
            _ => true,
        };
        let (least, most) = (held.iter().filter(near).count(), held.len());
        assert!((least..=most).contains(&shown), "{list} of {code}: {shown} of {least} to {most}");
    }
    assert_eq!(json!(desk.window.axe().await.iter().map(|found| &found.rule).collect::<Vec<_>>()), json!([]));
    for (look, width, height) in [("dark", 1440, 900), ("light", 1024, 700), ("dark", 1024, 700)] {
        desk.window.resize(width, height).await;
        desk.window.script("document.documentElement.dataset.look = arguments[0]", vec![look.into()]).await;
        picture(&desk, &format!("order-{look}-{width}")).await;
    }
    // Planning dates of all its operations, from here.
    desk.click("rows-change").await;
    desk.click("change-work-orders.planning-dates").await;
    desk.sees("grid-check").await;
    assert_eq!(desk.number("counts-rows").await as usize, orders.len());
    desk.window.close().await;
}

pub(crate) async fn go_to(desk: &Desk, code: &str) {
    press(desk, &[fantoccini::key::Key::Control], "k").await;
    let there = "return document.activeElement?.closest('.mantine-Spotlight-content') !== null";
    desk.window.until("the palette", SOON, there).await;
    press(desk, &[], code).await;
    let label = format!(
        "return document.querySelector('.mantine-Spotlight-content')?.textContent.includes('Look for order {code}')"
    );
    desk.window.until("the order in the palette", SOON, &label).await;
    press(desk, &[], "\u{e007}").await;
    desk.sees("order").await;
}

/// The order of which the lists say most.
async fn richest(desk: &Desk) -> String {
    let alerts = desk.control("state/alerts").await;
    let hours = desk.control("state/labor-times").await;
    let count = |rows: &Value, code: &str| {
        rows["data"].as_array().unwrap().iter().filter(|row| row["workOrderCode"] == code).count()
    };
    let lots = desk.control("state/consumed-lots").await;
    let orders = desk.control("state/work-orders").await;
    let codes = orders["data"].as_array().unwrap().iter().filter_map(|row| row["code"].as_str());
    let score =
        |code: &&str| 100 * count(&alerts, code).min(1) + 10 * count(&lots, code).min(3) + count(&hours, code).min(9);
    codes.max_by_key(score).unwrap().to_owned()
}

async fn rows_of(desk: &Desk, state: &str, field: &str, code: &str) -> Vec<Value> {
    let held = desk.control(&format!("state/{state}")).await;
    held["data"].as_array().unwrap().iter().filter(|row| row[field] == code).cloned().collect()
}

async fn order(desk: &Desk, code: &str, operation: &str) -> Value {
    let rows = rows_of(desk, "work-orders", "code", code).await;
    rows.into_iter().find(|row| row["operationCode"] == operation).unwrap()
}

fn cell(row: u32, column: u32) -> String {
    format!("[data-testid=\"grid-check\"] [row-index=\"{row}\"] [col-id=\"{column}\"]")
}

async fn text(desk: &Desk, css: &str) -> String {
    let code = format!("return document.querySelector('{css}')?.textContent.trim()");
    desk.window.until(css, SOON, &code).await.as_str().unwrap().to_owned()
}

async fn edit(desk: &Desk, column: u32, value: &str) {
    desk.press(&cell(0, column)).await;
    let here = "return document.activeElement?.closest('[data-testid=\"grid-check\"]') !== null";
    desk.window.until("the focus in the cell", SOON, here).await;
    press(desk, &[], &format!("{value}\u{e007}")).await;
    let shown =
        format!("return document.querySelector('{}')?.textContent.includes('{}')", cell(0, column), &value[..10]);
    desk.window.until("what was typed", SOON, &shown).await;
}

async fn picture(desk: &Desk, name: &str) {
    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
    desk.window.screenshot(&results("window").join(format!("{name}.png"))).await;
}
