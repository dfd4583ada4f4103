//! A shared history. The team's database is joined, checked and left in the settings. Rows that a colleague is sending
//! are skipped.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use takt_tests::{
    CHANGE_TIMEOUT, Console, Engine, FreezePoint, Keychain, Person, Plant, SITE, Takt, TestApp,
    postgres::{Cluster, without_connect_timeout},
    results_folder,
};

use crate::{
    contract::wait_for_words,
    events::{receiver_state_script, row_selector},
    looks::{check_looks, check_looks_in},
    second_plant::drop_sheet,
};

const ORDERS: &str = "work-orders.sync";
const PASSWORD: &str = "never shown";
/// The address of a session bus that doesn't exist, so that no keychain is found.
const NO_BUS: &str = "unix:path=/nonexistent";
/// The number of rows that a colleague sends, one per request.
const WEEK: u32 = 40;

#[tokio::test]
#[ignore = "long: a team on PostgreSQL"]
async fn a_team_is_joined_checked_and_left() {
    let cluster = Cluster::start();
    let address = create_team(&cluster);
    let app = TestApp::open_at(Engine::Chromium, Takt::new(), NO_BUS).await;
    app.click("nav-settings").await;
    app.type_text("team-address", &cluster.create_database()).await;
    app.click("team-join").await;
    wait_for_words(&app, "settings-team", "isn't set up for a team").await;
    let mut found = check_all_looks(&app, "team-join").await;
    app.replace_text("team-address", &address).await;
    app.type_text("team-password", PASSWORD).await;
    app.click("team-join").await;
    app.wait_for_element("team-joined").await;
    wait_for_words(&app, "team-checked", "nobody").await;
    app.wait_until_gone("team-password").await;
    let shown = app.window.script("return document.documentElement.outerHTML", Vec::new()).await.to_string();
    let stored = std::fs::read_to_string(app.takt.file("team.json")).unwrap();
    assert!(!shown.contains(PASSWORD) && !stored.contains(PASSWORD) && !stored.contains("never%20shown"), "{stored}");
    found.extend(check_all_looks(&app, "team-joined").await);
    app.click("team-check").await;
    app.wait_for_element("team-next-start").await;

    let app = TestApp::open_at(Engine::Chromium, app.kill(), NO_BUS).await;
    app.click("nav-settings").await;
    app.wait_for_element("team-facts").await;
    app.click("team-check").await;
    let shown = without_connect_timeout(&address).trim_start_matches("postgres://takt@");
    wait_for_words(&app, "team-checked", shown).await;
    found.extend(check_all_looks(&app, "team-checked").await);
    app.click("team-leave").await;
    app.wait_for_element("team-leave-confirm").await;
    app.window.screenshot(&results_folder("window").join("team-leave.png")).await;
    app.click("team-leave-confirm").await;
    app.wait_for_element("team-left").await;
    app.wait_for_element("team-join").await;
    assert_eq!(app.invoke("team_view", json!({})).await, Value::Null);
    assert!(found.is_empty(), "{found:#?}");
    app.window.close().await;
}

#[tokio::test]
#[ignore = "long: a team on PostgreSQL"]
async fn what_a_colleagues_receiver_takes_stands_in_the_list_at_once() {
    let (cluster, plant, keychain) = (Cluster::start(), Plant::start(&[]), Keychain::start());
    let address = create_team(&cluster);
    let anna = Console::in_home(&plant, || Takt::new().with("TAKT_TEAM_URL", &address));
    let bert = Takt::new().with("DBUS_SESSION_BUS_ADDRESS", keychain.address());
    for ran in [bert.add_site(SITE, &plant), bert.run(&["team", "join", &address])] {
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    let app = TestApp::open_at(Engine::Chromium, bert, keychain.address()).await;
    app.invoke("site_choose", json!({ "name": SITE })).await;
    app.click("nav-events").await;
    app.window.wait_until("a receiver that is off", CHANGE_TIMEOUT, &receiver_state_script("off")).await;
    let mut receiver = anna.takt.start(&["listen", "--json", "--site", SITE]);
    let first: Value = serde_json::from_str(&receiver.first_line(CHANGE_TIMEOUT)).unwrap();
    app.window.wait_until("that another computer receives", CHANGE_TIMEOUT, &receiver_state_script("elsewhere")).await;
    wait_for_words(&app, "events-empty", "Another computer of your team").await;
    let body = json!({ "Id": 2, "WorkOrders": [{ "Code": "WO-4711" }] }).to_string();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let sent = client.post(first["url"].as_str().unwrap()).body(body).send().await.unwrap();
    assert_eq!(sent.status(), 200);
    wait_for_words(&app, "grid-events", "WO-4711").await;
    app.window.screenshot(&results_folder("window").join("team-events.png")).await;
    assert_eq!(app.window.find_violations().await, []);
    app.click_css(&row_selector(0)).await;
    wait_for_words(&app, "event-summary", "WO-4711").await;
    receiver.end(CHANGE_TIMEOUT);
    app.window.close().await;
}

#[tokio::test]
#[ignore = "long: a team on PostgreSQL"]
async fn what_a_colleague_changed_is_listed_and_put_back() {
    let (cluster, plant, keychain) = (Cluster::start(), Plant::start(&[]), Keychain::start());
    let address = create_team(&cluster);
    let anna = Console::in_home(&plant, || Takt::new().with("TAKT_TEAM_URL", &address));
    let targets = || anna.takt.run(&["forward", "list", "--site", SITE, "--json"]).json().len();
    let add = ["forward", "add", "ERP", "--to", "https://erp.example/events", "--site", SITE];
    let added = anna.takt.run(&add);
    assert_eq!((added.code, targets()), (Some(0), 1), "{}", added.err);
    let bert = Takt::new().with("DBUS_SESSION_BUS_ADDRESS", keychain.address());
    assert_eq!(bert.run(&["team", "join", &address]).code, Some(0));
    let app = TestApp::open_at(Engine::Chromium, bert, keychain.address()).await;
    app.click("nav-settings").await;
    wait_for_words(&app, "team-changes", "Target “ERP” added").await;
    app.window.screenshot(&results_folder("window").join("team-changes.png")).await;
    assert_eq!(app.window.find_violations().await, []);
    app.click("team-restore").await;
    app.wait_for_element("team-restore-confirm").await;
    app.click("team-restore-confirm").await;
    wait_for_words(&app, "team-changes", "Target “ERP” removed").await;
    assert_eq!(targets(), 0);
    app.window.close().await;
}

#[tokio::test]
async fn rows_that_a_colleague_is_sending_are_skipped() {
    let (cluster, mut plant, keychain) = (Cluster::start(), Plant::start(&[]), Keychain::start());
    let relay = plant.relay();
    let address = create_team(&cluster);
    let anna = Console::in_home(&plant, || Takt::new().with("TAKT_TEAM_URL", &address));
    anna.sign_in(Person::Planner).await;
    let week = (0..WEEK).map(|number| format!("WO-{};010;MAT-1001;4\n", 900_000 + number)).collect::<String>();
    let week = anna.takt.write("week.csv", format!("code;operationCode;materialCode;requestedQuantity\n{week}"));
    let bert = Takt::new().with("DBUS_SESSION_BUS_ADDRESS", keychain.address());
    for ran in
        [bert.add_site(SITE, &plant), bert.sign_in(SITE, Person::Planner).await, bert.run(&["team", "join", &address])]
    {
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }

    let app = TestApp::open_at(Engine::Chromium, bert, keychain.address()).await;
    assert_eq!(app.invoke("site_choose", json!({ "name": SITE })).await, Value::Null);
    let chosen = format!("return document.querySelector('[data-testid=\"site-switch\"]')?.dataset.site === '{SITE}'");
    app.window.wait_until("the site to be chosen", CHANGE_TIMEOUT, &chosen).await;
    // Two of the rows are also in the colleague's file.
    let heads = ["code", "operationCode", "materialCode", "requestedQuantity"].map(str::to_owned);
    let own = |number: u32| [format!("WO-{number}"), "010".to_owned(), "MAT-1001".to_owned(), "4".to_owned()];
    let last = 900_000 + WEEK;
    let rows: Vec<_> = [heads].into_iter().chain((last - 2..last + 2).map(own)).collect();
    drop_sheet(&app, "own.xlsx", &rows).await;
    app.wait_for_comparison("known").await;
    app.click("step-send").await;
    app.wait_for_element("send").await;

    // The colleague's submission can't continue until this desk has skipped the rows.
    relay.freeze_at(FreezePoint { after: "POST ", text: "/WorkOrders/batch", skip: 2, arrives: true });
    let week = week.to_str().unwrap();
    let _sending = anna.takt.start(&["sync", week, "--to", ORDERS, "--site", SITE, "--yes", "--batch-size", "1"]);
    let patience = Instant::now() + CHANGE_TIMEOUT;
    while !relay.is_frozen() {
        assert!(Instant::now() < patience, "the rows aren't sent");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    app.click("send").await;
    wait_for_words(&app, "claimed", "2 of these rows from week.csv (since today, ").await;
    app.window.screenshot(&results_folder("window").join("claimed.png")).await;
    assert_eq!(app.window.find_violations().await, []);
    let mine = app.invoke("submission_list", json!({})).await;
    assert_eq!(mine.as_array().unwrap().len(), 1, "only anna's is written down: {mine}");
    app.click("claimed-again").await;
    let answered = "return document.querySelector('[data-testid=\"claimed-again\"]')?.disabled === false";
    app.window.wait_until("the same answer", CHANGE_TIMEOUT, answered).await;
    app.click("claimed-skip").await;
    // The colleague may continue once this desk's rows are stored.
    app.wait_until_gone("claimed-skip").await;
    relay.heal();
    app.wait_for_submission_end().await;
    assert_eq!((app.wait_for_number("result-accepted").await, app.wait_for_number("result-skipped").await), (2, 2));
    app.window.close().await;
}

#[tokio::test]
#[ignore = "long: a team on PostgreSQL"]
async fn what_a_colleague_sends_moves_in_the_history() {
    let (cluster, plant) = (Cluster::start(), Plant::start(&["--rate-limit", "10/1"]));
    let address = create_team(&cluster);
    let anna = Console::in_home(&plant, || Takt::new().with("TAKT_TEAM_URL", &address));
    anna.sign_in(Person::Planner).await;
    let week = (0..60).map(|number| format!("WO-{};010;MAT-1001;4\n", 900_000 + number)).collect::<String>();
    let week = anna.takt.write("week.csv", format!("code;operationCode;materialCode;requestedQuantity\n{week}"));
    let bert = Takt::new();
    assert_eq!(bert.run(&["team", "join", &address]).code, Some(0));
    let app = TestApp::open_at(Engine::Chromium, bert, NO_BUS).await;
    app.click("nav-history").await;
    let week = week.to_str().unwrap();
    let _sending = anna.takt.start(&["sync", week, "--to", ORDERS, "--site", SITE, "--yes", "--batch-size", "1"]);
    let more_than = |count: u32| {
        format!(
            "const row = document.querySelector('[data-testid=\"open-1\"]')?.closest('.ag-row');
            const counts = [...(row?.querySelectorAll('span[title]') ?? [])];
            const accepted = counts.find((count) => /accepted/i.test(count.title))?.querySelector('.number')?.textContent;
            return Number(accepted) > {count}"
        )
    };
    app.window.wait_until("the first ones", CHANGE_TIMEOUT, &more_than(0)).await;
    app.window.wait_until("more of them", CHANGE_TIMEOUT, &more_than(20)).await;
    app.window.screenshot(&results_folder("window").join("team-history.png")).await;
    app.window.close().await;
}

/// Creates a database, sets it up with `takt team init`, and returns its address.
fn create_team(cluster: &Cluster) -> String {
    let address = cluster.create_database();
    let ran = Takt::new().run(&["team", "init", &address]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    address
}

/// Checks the section in light, and in all other looks and sizes.
async fn check_all_looks(app: &TestApp, name: &str) -> Vec<String> {
    app.window.script("document.getElementById('team').scrollIntoView()", Vec::new()).await;
    let light = check_looks_in(app, name, &[("light", 1440, 900)]).await;
    [light, check_looks(app, name).await].concat()
}
