//! Lists of all areas of the service, compared cell by cell with the plant's data. Stock can't be read, so it is
//! compared after sending.

use jiff::civil::{Date, DateTime};
use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, READ_OPERATIONS, TEMPLATE_PROCESSES, TestApp, as_text, results_folder};

/// The number of rows per list that are compared.
const ROWS: usize = 12;

#[tokio::test]
async fn every_list_shows_what_the_plant_holds() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-settings").await;
    app.click("technical-details").await;
    app.click("nav-browse").await;
    app.sign_in().await;
    for (operation, resource) in READ_OPERATIONS.into_iter().filter(|(operation, _)| *operation != TEMPLATE_PROCESSES) {
        app.click(&format!("browse-{operation}")).await;
        let shown = shown_rows(&app, operation).await;
        let held = app.control(&format!("state/{resource}")).await["data"].take();
        let held = held.as_array().unwrap();
        assert_eq!(app.wait_for_number("browse-total").await, u64::try_from(held.len()).unwrap(), "{operation}");
        assert_eq!(shown.len(), held.len().min(ROWS), "{operation}");
        for row in &shown {
            let cells = row.as_object().unwrap();
            assert!(cells.len() >= 3, "{operation}: {row}");
            let alike =
                held.iter().any(|held| cells.iter().all(|(path, text)| is_text_of(text, member_at_path(held, path))));
            assert!(alike, "{operation}: the plant holds no such row: {row}");
        }
    }
    // Assumed parts of the contract are underlined. Engines that don't support the style use another one.
    let drawn = "return [...document.querySelectorAll('header code')].map((code) => {
        const style = getComputedStyle(code.parentElement);
        return `${code.textContent} ${style.textDecorationLine} ${style.textDecorationStyle}`;
    })";
    let drawn = app.window.script(drawn, Vec::new()).await;
    assert_eq!(drawn, json!(["/api/v1/WorkStations underline dotted", "page, limit underline dotted"]));
    app.window.screenshot(&results_folder("window").join("area-work-stations.png")).await;
    app.window.close().await;
}

#[tokio::test]
async fn a_template_shows_the_processes_that_the_plant_links() {
    let app = TestApp::open(Engine::Chromium).await;
    let links = app.control("state/template-processes").await["data"].take();
    let template = links[0]["templateId"].clone();
    let mut linked: Vec<String> = links
        .as_array()
        .unwrap()
        .iter()
        .filter(|link| link["templateId"] == template)
        .map(|link| as_text(&link["processCode"]))
        .collect();
    linked.sort_unstable();
    linked.dedup();
    app.click("nav-browse").await;
    app.sign_in().await;
    app.click(&format!("browse-{TEMPLATE_PROCESSES}")).await;
    app.type_text("parameter-templateId", &as_text(&template)).await;
    app.click("browse-read").await;
    let shown = shown_rows(&app, TEMPLATE_PROCESSES).await;
    let mut codes: Vec<String> = shown.iter().map(|row| as_text(&row["code"])).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes, linked);
    let processes = app.control("state/inspection-processes").await["data"].take();
    for row in shown {
        let process = processes.as_array().unwrap().iter().find(|process| process["code"] == row["code"]).unwrap();
        for member in ["description", "predictedLaborTime", "predictedMachineTime"] {
            assert!(is_text_of(&row[member], member_at_path(process, member)), "{member}: {row} against {process}");
        }
    }
    app.window.close().await;
}

#[tokio::test]
async fn stock_is_held_as_it_was_sent() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("sample-stock.sync").await;
    app.click("step-send").await;
    app.sign_in().await;
    app.click("send").await;
    app.wait_for_submission_end().await;
    let accepted = app.wait_for_number("result-accepted").await;
    assert!(accepted > 0);
    let log = app.plant_log("stock.sync", &["materialCode", "warehouse", "location", "serialNumber"]).await;
    assert_eq!(accepted, u64::try_from(log.values().filter(|success| **success).count()).unwrap());
    let asked = json!({ "id": 1, "result": "accepted", "offset": 0, "limit": 100 });
    let held = app.control("state/stock").await["data"].take();
    let rows = app.invoke("submission_rows", asked).await["rows"].take();
    for row in rows.as_array().unwrap() {
        let key = as_text(&row["key"]);
        let parts = ["materialCode", "warehouse", "location", "serialNumber"];
        let of = |held: &Value| {
            let parts = parts.map(|part| as_text(&held[part]));
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
        };
        assert!(held.as_array().unwrap().iter().any(|held| of(held) == key), "{key} is not in stock");
    }
    app.window.close().await;
}

/// Returns the first rows of the table. Each has its cells' texts by the column's path.
async fn shown_rows(app: &TestApp, operation: &str) -> Vec<Value> {
    let rows = format!(
        "const rows = new Map();
        for (const cell of document.querySelectorAll('[data-testid=\"grid-browse\"] [role=\"gridcell\"][col-id]')) {{
            const at = Number(cell.closest('[row-index]')?.getAttribute('row-index'));
            const column = cell.getAttribute('col-id');
            if (!(at < {ROWS}) || column === 'row tick' || column.startsWith('unknown-')) continue;
            if (!rows.has(at)) rows.set(at, {{}});
            rows.get(at)[column] = cell.textContent.trim();
        }}
        const read = document.querySelector('[data-testid=\"grid-browse\"]')?.getAttribute('aria-label') ?? '';
        const all = [...rows.entries()].sort(([a], [b]) => a - b).map(([, row]) => row);
        const full = all.length > 0 && all.every((row) => Object.values(row).some((text) => text !== ''));
        return full ? {{ read, all }} : null;"
    );
    let mut before = Value::Null;
    // Reads until two results are equal, since the previous list may be shown, or the new one may still be drawn.
    loop {
        let now = app.window.wait_until(operation, CHANGE_TIMEOUT, &rows).await;
        if now == before {
            return now["all"].as_array().unwrap().clone();
        }
        before = now;
        app.window.wait_until_still().await;
    }
}

fn member_at_path<'a>(row: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(row, |value, name| &value[name])
}

/// Returns whether a cell's text represents this value.
fn is_text_of(text: &Value, value: &Value) -> bool {
    let text = text.as_str().unwrap();
    match value {
        Value::Null => text.is_empty() || text == "–",
        Value::Bool(truth) => text.eq_ignore_ascii_case(if *truth { "yes" } else { "no" }),
        // A code may be followed by its label.
        Value::Number(number) => {
            let digits = text.split(" · ").next().unwrap_or_default().replace(',', "");
            digits.parse::<f64>().ok() == number.as_f64()
        }
        Value::String(written) => text == date_time_text(written).as_deref().unwrap_or(written),
        Value::Array(list) => {
            let count: String = text.chars().take_while(char::is_ascii_digit).collect();
            count.parse::<usize>().unwrap_or_default() == list.len() || !list.iter().all(Value::is_object)
        }
        Value::Object(members) => members.get("totalSeconds").is_none_or(|seconds| text == duration_text(seconds)),
    }
}

/// Formats a date-time like the window. Returns `None` if the text isn't a date-time.
fn date_time_text(written: &str) -> Option<String> {
    if let (10, Ok(day)) = (written.len(), written.parse::<Date>()) {
        return Some(day.strftime("%b %-d, %Y").to_string());
    }
    let (wall, zone) = written.strip_suffix('Z').map_or((written, ""), |wall| (wall, " UTC"));
    let at = wall.contains('T').then(|| wall.parse::<DateTime>().ok())??;
    let seconds = if at.second() == 0 { "" } else { ":%S" };
    Some(format!("{}{zone}", at.strftime(&format!("%b %-d, %Y %H:%M{seconds}"))))
}

fn duration_text(seconds: &Value) -> String {
    let all = seconds.as_f64().unwrap().round() as u64;
    match (all / 3600, all % 3600 / 60, all % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds:02} s"),
        (hours, minutes, _) => format!("{hours} h {minutes:02} min"),
    }
}
