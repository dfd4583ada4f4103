//! Approvals in the window. A colleague's submission is shown with its preview and approved. The user's own submission
//! waits and is withdrawn.

use serde_json::json;
use takt_tests::{Console, Engine, Keychain, Person, Plant, SITE, Takt, TestApp, postgres, results_folder};

use crate::{contract::wait_for_words, looks::check_looks, second_plant::drop_sheet};

const ORDERS: &str = "work-orders.sync";

/// Creates a team whose site requires approval for more than three rows. Returns its address, and the address with a
/// second login.
fn create_team(plant: &Plant) -> (String, String) {
    let address = postgres::create_database();
    let owner = Takt::new().with("TAKT_TEAM_URL", &address);
    assert_eq!(owner.run(&["team", "init", &address]).code, Some(0));
    assert_eq!(owner.add_site(SITE, plant).code, Some(0));
    let ruled = owner.run(&["team", "approval", &address, "--site", SITE, "--above", "3"]);
    assert_eq!(ruled.code, Some(0), "{}", ruled.err);
    assert!(postgres::statement_succeeds(&address, "CREATE ROLE bert LOGIN; GRANT takt_desk TO bert"));
    (address.clone(), address.replacen("takt@", "bert@", 1))
}

#[tokio::test]
async fn a_colleagues_rows_are_seen_and_approved_and_ones_own_wait() {
    let (plant, keychain) = (Plant::start(&[]), Keychain::start());
    let (address, of_bert) = create_team(&plant);
    let anna = Console::in_home(&plant, || Takt::new().with("TAKT_TEAM_URL", &address));
    anna.sign_in(Person::Planner).await;
    let bert = Takt::new().with("DBUS_SESSION_BUS_ADDRESS", keychain.address());
    for ran in
        [bert.add_site(SITE, &plant), bert.sign_in(SITE, Person::Planner).await, bert.run(&["team", "join", &of_bert])]
    {
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    let app = TestApp::open_at(Engine::Chromium, bert, keychain.address()).await;
    app.invoke("site_choose", json!({ "name": SITE })).await;
    app.wait_until_gone("approvals-waiting").await;

    let week = (0..4).map(|number| format!("WO-{};010;MAT-1001;4\n", 900_000 + number)).collect::<String>();
    let week = anna.takt.write("week.csv", format!("code;operationCode;materialCode;requestedQuantity\n{week}"));
    let sync = ["sync", week.to_str().unwrap(), "--to", ORDERS, "--site", SITE, "--yes"];
    let sent = anna.takt.run(&sync);
    assert_eq!(sent.code, Some(1), "{}{}", sent.out, sent.err);
    wait_for_words(&app, "approvals-waiting", "1 to approve").await;
    app.click("approvals-waiting").await;
    wait_for_words(&app, "approval-rows", "WO-900003").await;
    app.wait_until_gone("resume").await;
    let mut found = check_looks(&app, "approval").await;
    app.type_text("approval-note", "as planned").await;
    app.click("approval-approve").await;
    wait_for_words(&app, "approval-note-said", "as planned").await;
    wait_for_words(&app, "resume", "Send now").await;
    app.wait_until_gone("approvals-waiting").await;
    assert!(plant.applied(ORDERS).await.is_empty(), "nothing is sent by a decision");
    let resumed = anna.takt.run(&["resume", "1"]);
    assert_eq!(resumed.code, Some(0), "{}{}", resumed.out, resumed.err);
    app.wait_for_submission_end().await;
    assert_eq!(app.wait_for_number("result-accepted").await, 4);

    // This desk's own submission waits for approval, too, and is withdrawn.
    let heads = ["code", "operationCode", "materialCode", "requestedQuantity"].map(str::to_owned);
    let own = |number: u32| [format!("WO-{number}"), "010".to_owned(), "MAT-1001".to_owned(), "4".to_owned()];
    let rows: Vec<_> = [heads].into_iter().chain((900_100..900_104).map(own)).collect();
    drop_sheet(&app, "own.xlsx", &rows).await;
    app.wait_for_comparison("known").await;
    app.click("step-send").await;
    app.click("send").await;
    wait_for_words(&app, "approval", "Waiting for a colleague's approval").await;
    app.wait_until_gone("resume").await;
    app.window.screenshot(&results_folder("window").join("approval-own.png")).await;
    assert_eq!(app.window.find_violations().await, []);
    app.click("approval-decline").await;
    app.click("approval-decline-confirm").await;
    wait_for_words(&app, "approval", "It won't be sent").await;
    assert_eq!(plant.applied(ORDERS).await.len(), 4);
    found.extend(check_looks(&app, "approval-withdrawn").await);
    assert!(found.is_empty(), "{found:#?}");
    app.window.close().await;
}
