//! The numbers of charts, read from their tables and compared with the plant's data.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

use crate::pictures::{choose_chart_option, open_chart};

#[tokio::test]
#[ignore = "long: pictures"]
async fn numbers_are_those_of_the_plant() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-browse").await;
    app.sign_in().await;

    let orders = rows_in_plant(&app, "work-orders").await;
    open_chart(&app, "work-orders.details", true).await;
    let late = orders.iter().filter(|order| is_late(order)).count();
    let figures = "const { seen, late } = document.querySelector('[data-testid=\"picture-gantt\"]')?.dataset ?? {};
        return seen === undefined ? null : [seen, late];";
    let shown_figures = app.window.wait_until("the plan's figures", CHANGE_TIMEOUT, figures).await;
    assert_eq!(shown_figures, json!([orders.len().to_string(), late.to_string()]));

    choose_chart_option(&app, "picture-which", "Produced").await;
    choose_chart_option(&app, "picture-by", "By material").await;
    let mut produced: BTreeMap<String, [f64; 3]> = BTreeMap::new();
    for order in &orders {
        let sums = produced.entry(text_field(order, "materialCode")).or_default();
        for (sum, field) in sums.iter_mut().zip(["producedGoodQuantity", "producedBadQuantity", "requestedQuantity"]) {
            *sum += order[field].as_f64().unwrap_or_default();
        }
    }
    app.wait_for_element("picture-produced").await;
    wait_for_bars(&app, "picture-produced", produced.len()).await;
    let rows = chart_table(&app, "produced").await;
    for row in &rows {
        let expected = produced.get(&row[0]).unwrap_or_else(|| panic!("{row:?} is no material"));
        let shown: Vec<f64> = row[1..4].iter().map(|cell| parse_number(cell)).collect();
        assert!(shown.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{row:?} instead of {expected:?}");
    }

    let alerts = rows_in_plant(&app, "alerts").await;
    open_chart(&app, "alerts.list", true).await;
    choose_chart_option(&app, "picture-which", "Count").await;
    let mut counts: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for alert in &alerts {
        let station = counts.entry(text_field(alert, "workStationCode")).or_default();
        *station.entry(text_field(alert, "type")).or_default() += 1;
    }
    wait_for_bars(&app, "picture-counted", counts.len()).await;
    for row in &chart_table(&app, "counted").await {
        let station = &counts[&row[0]];
        let expected = (station[&row[1]], station.values().sum::<usize>());
        assert_eq!((parse_number(&row[2]) as usize, parse_number(&row[3]) as usize), expected, "{row:?}");
    }
    app.window.close().await;
}

/// Returns whether the order ended after its planned end.
fn is_late(order: &Value) -> bool {
    let times = ["beginPlanned", "endPlanned", "beginReal", "endReal"].map(|field| order[field].as_str());
    matches!(times, [Some(_), Some(planned), Some(_), Some(real)] if real > planned)
}

pub(crate) async fn rows_in_plant(app: &TestApp, state: &str) -> Vec<Value> {
    app.control(&format!("state/{state}")).await["data"].as_array().unwrap().clone()
}

/// Waits until the chart shows this many bars.
pub(crate) async fn wait_for_bars(app: &TestApp, id: &str, count: usize) {
    let code = format!("return document.querySelector('[data-testid=\"{id}\"]')?.dataset.items === '{count}'");
    app.window.wait_until(&format!("{count} bars"), CHANGE_TIMEOUT, &code).await;
}

/// Returns the cells of the chart's table. A long table has only its first rows.
pub(crate) async fn chart_table(app: &TestApp, name: &str) -> Vec<Vec<String>> {
    app.window.screenshot(&results_folder("window").join(format!("pictures-numbers-{name}.png"))).await;
    app.click("picture-numbers").await;
    // Pinned columns are separate elements, so the cells are grouped by row.
    let code = "const rows = {};
        for (const cell of document.querySelectorAll('[data-testid=\"picture-table\"] .ag-row .ag-cell')) {
            const row = (rows[cell.closest('.ag-row').getAttribute('row-index')] ??= []);
            row[Number(cell.getAttribute('col-id'))] = cell.textContent.trim();
        }
        const found = Object.values(rows);
        return found.length > 0 && found.every((row) => row.length > 3 && row[1]) ? found : null;";
    let found = app.window.wait_until("the picture's table", CHANGE_TIMEOUT, code).await;
    app.window.screenshot(&results_folder("window").join(format!("pictures-table-{name}.png"))).await;
    serde_json::from_value(found).unwrap()
}

pub(crate) fn text_field(row: &Value, field: &str) -> String {
    row[field].as_str().unwrap_or_default().to_owned()
}

fn parse_number(text: &str) -> f64 {
    text.replace(',', "").parse().unwrap()
}
