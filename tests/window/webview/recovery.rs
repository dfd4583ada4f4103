//! A kill during a submission. After the next start, the submission has its last state and continues with one click.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use serde_json::json;
use takt_tests::{
    Applied, CHANGE_TIMEOUT, Engine, FreezePoint, Keychain, Person, Plant, Takt, TestApp, results_folder,
};

const ORDERS: &str = "work-orders.sync";
const ROWS: u32 = 120;

#[tokio::test]
async fn a_killed_window_goes_on_with_one_click() {
    // A separate plant outlives the window. Its log is the independent record.
    let mut plant = Plant::start(&[]);
    let relay = plant.relay();
    let keychain = Keychain::start();
    let takt = Takt::new().with("DBUS_SESSION_BUS_ADDRESS", keychain.address());
    assert_eq!(takt.add_site("works", &plant).code, Some(0));
    let signed_in = takt.sign_in("works", Person::Planner).await;
    assert_eq!(signed_in.code, Some(0), "{}", signed_in.err);
    let file = takt.write("orders.csv", orders());

    let app = TestApp::open_at(Engine::WebView, takt, keychain.address()).await;
    app.invoke("site_choose", json!({ "name": "works" })).await;
    let import = app.invoke("import_open", json!({ "path": file, "ticket": 1, "channel": "__CHANNEL__:0" })).await;
    let import = import["id"].clone();
    app.invoke("import_operation", json!({ "id": import, "operation": ORDERS })).await;
    let skip = json!({ "errors": false, "claimed": false });
    let how = json!({ "trial": null, "like": null, "batchSize": 2 });
    let wish = json!({
        "importId": import, "site": "works", "skip": skip, "confirmed": null, "preview": null, "how": how
    });
    // After some batches, one reaches the plant, but the window is killed before it gets the response.
    relay.freeze_at(FreezePoint { after: "POST ", text: "/WorkOrders/batch", skip: 5, arrives: true });
    let sent = app.invoke("submission_start", wish).await;
    assert_eq!(sent["submissions"][0]["total"], ROWS, "{sent}");
    let patience = Instant::now() + CHANGE_TIMEOUT;
    while !relay.is_frozen() {
        assert!(Instant::now() < patience, "the batches aren't sent");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let takt = app.kill();
    relay.cut();
    relay.heal();

    let app = TestApp::open_at(Engine::WebView, takt, keychain.address()).await;
    app.wait_for_element("interrupted").await;
    app.window.screenshot(&results_folder("window").join("interrupted.png")).await;
    let left = app.invoke("submission_get", json!({ "id": 1 })).await;
    assert_eq!(left["state"], "interrupted");
    assert!(left["counts"]["pending"].as_u64().unwrap() > 0 && left["counts"]["sending"] == 0, "{left}");
    check_agreement(&app, &plant.applied(ORDERS).await).await;

    app.click("interrupted-go-on").await;
    let all = format!("return document.querySelector('[data-testid=\"result-accepted\"]')?.textContent === '{ROWS}'");
    app.window.wait_until("every row's result", CHANGE_TIMEOUT, &all).await;
    app.window.screenshot(&results_folder("window").join("gone-on.png")).await;
    let applied = plant.applied(ORDERS).await;
    assert!(applied.len() == ROWS as usize && applied.values().all(|item| item.accepted == 1), "{applied:?}");
    check_agreement(&app, &applied).await;
    app.window.close().await;
}

/// Checks that no row's result contradicts the plant's log.
async fn check_agreement(app: &TestApp, applied: &BTreeMap<String, Applied>) {
    let page = app.invoke("submission_rows", json!({ "id": 1, "result": null, "offset": 0, "limit": 1000 })).await;
    let rows = page["rows"].as_array().unwrap();
    assert_eq!(rows.len(), ROWS as usize);
    for row in rows {
        let times = applied.get(row["key"].as_str().unwrap()).map_or(0, |item| item.accepted);
        let fits = match row["result"].as_str().unwrap() {
            "accepted" => times == 1,
            "pending" => times == 0,
            "unconfirmed" => times <= 1,
            _ => false,
        };
        assert!(fits, "{row} was applied {times} times");
    }
}

fn orders() -> String {
    let mut csv = "code;operationCode;materialCode;requestedQuantity\n".to_owned();
    (900_000..900_000 + ROWS).for_each(|number| csv.push_str(&format!("WO-{number};010;MAT-1001;4\n")));
    csv
}
