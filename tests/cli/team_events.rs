//! A team's receivers: a shared inbox, only one active forwarder, shared rules, and an unavailable database.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use takt_tests::{
    Console, Erp, Plant, Program, Reply, Takt,
    postgres::{self, Cluster},
};

use crate::support::console;

const SITE: &str = "works";
const TIMEOUT: Duration = Duration::from_secs(120);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

struct Team {
    address: String,
    plant: Plant,
}

impl Team {
    fn new() -> Self {
        Self::with_database(postgres::create_database())
    }

    fn with_database(address: String) -> Self {
        assert_eq!(Takt::new().run(&["team", "init", &address]).code, Some(0));
        Self { address, plant: Plant::start(&[]) }
    }

    fn create_desk(&self) -> Console {
        Console::in_home(&self.plant, || Takt::new().with("TAKT_TEAM_URL", &self.address))
    }
}

/// Starts `takt listen` and returns the receiver's address.
fn start_listener(desk: &Console) -> (Program, String) {
    let mut program = Program::start("listen", desk.takt.command(&["listen", "--json", "--site", SITE]));
    let first: Value = serde_json::from_str(&program.first_line(TIMEOUT)).unwrap();
    (program, first["url"].as_str().unwrap().to_owned())
}

async fn post_event(address: &str, id: &str) -> u16 {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let body = json!({ "Id": 2, "WorkOrders": [{ "Code": id }] }).to_string();
    client.post(address).header("X-Takt-Delivery", id).body(body).send().await.unwrap().status().as_u16()
}

fn last_segment(address: &str) -> &str {
    address.rsplit('/').next().unwrap()
}

fn list_events(desk: &Console) -> Vec<Value> {
    let ran = desk.takt.run(&["events", "--site", SITE, "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.json()
}

fn accepted_ids(erp: &Erp) -> Vec<String> {
    erp.accepted_requests().iter().map(|one| one.delivery_id().to_owned()).collect()
}

fn first_target(desk: &Console) -> Value {
    desk.takt.run(&["forward", "list", "--site", SITE, "--json"]).json()[0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_event_is_kept_once_whoever_receives_it_and_every_desk_finds_it() {
    let team = Team::new();
    let (anna, bert, clara) = (team.create_desk(), team.create_desk(), team.create_desk());
    let ((mut one, first), (mut other, second)) = (start_listener(&anna), start_listener(&bert));
    assert_eq!(last_segment(&first), last_segment(&second), "both are reached at one address");
    for (address, id) in [(&first, "A-1"), (&second, "A-1"), (&second, "A-2"), (&first, "A-3")] {
        assert_eq!(post_event(address, id).await, 200);
    }
    let found = list_events(&clara);
    let orders: Vec<_> = found.iter().map(|event| event["order"].as_str().unwrap()).collect();
    assert_eq!(orders, ["A-3", "A-2", "A-1"]);
    assert_eq!(found[2]["copies"], 1);
    let text = clara.takt.run(&["events", "--site", SITE, "--text", "a-2", "--json"]).json();
    assert_eq!((text.len(), &text[0]["order"]), (1, &json!("A-2")));
    let shown = clara.takt.run(&["events", &found[0]["id"].to_string(), "--site", SITE]);
    assert!(shown.out.contains("A-3"), "{}{}", shown.out, shown.err);
    // Each receiver also prints the other receiver's events.
    for program in [&mut one, &mut other] {
        program.wait_for("all three", TIMEOUT, |program| {
            let printed = program.output_text();
            ["A-1", "A-2", "A-3"].iter().all(|order| printed.contains(order)).then_some(())
        });
        program.end(TIMEOUT);
    }
    let floor = clara.takt.run(&["floor", "--site", SITE, "--json"]);
    assert_eq!(floor.code, Some(0), "{}", floor.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_go_on_to_a_target_from_one_receiver_and_another_takes_over_when_it_is_killed() {
    let team = Team::new();
    let (anna, bert) = (team.create_desk(), team.create_desk());
    let erp = Erp::start(|_| Reply::Status(200));
    let added = anna.takt.run(&["forward", "add", "ERP", "--to", erp.url(), "--site", SITE]);
    assert_eq!(added.code, Some(0), "{}", added.err);
    let (mut one, first) = start_listener(&anna);
    one.wait_for("somebody sends", TIMEOUT, |_| (first_target(&bert)["running"] == true).then_some(()));
    let (mut other, second) = start_listener(&bert);
    for (address, id) in [(&first, "B-1"), (&second, "B-2"), (&first, "B-3")] {
        assert_eq!(post_event(address, id).await, 200);
    }
    other.wait_for("three arrive", TIMEOUT, |_| (accepted_ids(&erp) == ["B-1", "B-2", "B-3"]).then_some(()));
    other.wait_for("it is written down", TIMEOUT, |_| (first_target(&bert)["state"] == "up-to-date").then_some(()));
    one.kill();
    assert_eq!(post_event(&second, "B-4").await, 200);
    other.wait_for("the other sends on", TIMEOUT, |_| {
        (accepted_ids(&erp) == ["B-1", "B-2", "B-3", "B-4"]).then_some(())
    });
    other.end(TIMEOUT);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_no_secrets_for_a_target_leaves_it_to_others_until_they_are_stored() {
    let team = Team::new();
    let (anna, bert) = (team.create_desk(), team.create_desk());
    let erp = Erp::start(|one| Reply::Status(if one.header("x-key") == Some("right") { 200 } else { 401 }));
    let right = anna.takt.write("headers.txt", "x-key: right\n");
    let right = right.to_str().unwrap();
    let add = ["forward", "add", "ERP", "--to", erp.url(), "--header-file", right, "--site", SITE];
    assert_eq!(anna.takt.run(&add).code, Some(0));
    let (mut program, address) = start_listener(&bert);
    program.wait_for("it says so", TIMEOUT, |program| {
        program.error_text().contains("takt forward secret ERP").then_some(())
    });
    assert_eq!(post_event(&address, "C-1").await, 200);
    let idle = first_target(&bert);
    assert_eq!(
        (&idle["running"], &idle["idle"], accepted_ids(&erp).len()),
        (&json!(false), &json!("secrets-missing"), 0)
    );
    let told = bert.takt.run(&["forward", "status", "ERP", "--site", SITE]);
    assert!(told.err.contains("aren't stored on this computer"), "{}{}", told.out, told.err);
    let stored = bert.takt.run(&["forward", "secret", "ERP", "--header-file", right, "--site", SITE]);
    assert!(stored.code == Some(0) && stored.out.contains("ERP"), "{}{}", stored.out, stored.err);
    program.wait_for("it arrives", TIMEOUT, |_| (accepted_ids(&erp) == ["C-1"]).then_some(()));
    // The target's secrets work on the other desk, too.
    program.kill();
    let (mut program, address) = start_listener(&anna);
    assert_eq!(post_event(&address, "C-2").await, 200);
    program.wait_for("it arrives, too", TIMEOUT, |_| {
        (accepted_ids(&erp).last().map(String::as_str) == Some("C-2")).then_some(())
    });
    program.end(TIMEOUT);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_does_not_believe_one_computer_gets_its_events_from_another_that_it_believes() {
    let team = Team::new();
    let (anna, bert) = (team.create_desk(), team.create_desk());
    let refused = Arc::new(AtomicU32::new(0));
    let counts = Arc::clone(&refused);
    let erp = Erp::start(move |one| {
        let is_believed = one.header("x-key") == Some("right");
        counts.fetch_add(u32::from(!is_believed), Ordering::Relaxed);
        Reply::Status(if is_believed { 200 } else { 401 })
    });
    let wrong = anna.takt.write("headers.txt", "x-key: wrong\n");
    let add = ["forward", "add", "ERP", "--to", erp.url(), "--header-file", wrong.to_str().unwrap(), "--site", SITE];
    assert_eq!(anna.takt.run(&add).code, Some(0));
    let right = bert.takt.write("headers.txt", "x-key: right\n");
    let secret = ["forward", "secret", "ERP", "--header-file", right.to_str().unwrap(), "--site", SITE];
    assert_eq!(bert.takt.run(&secret).code, Some(0));
    let (mut one, first) = start_listener(&anna);
    one.wait_for("it sends", TIMEOUT, |_| (first_target(&bert)["running"] == true).then_some(()));
    let (mut other, _) = start_listener(&bert);
    for id in ["G-1", "G-2"] {
        assert_eq!(post_event(&first, id).await, 200);
    }
    other.wait_for("both arrive", TIMEOUT, |_| (accepted_ids(&erp) == ["G-1", "G-2"]).then_some(()));
    let before = refused.load(Ordering::Relaxed);
    assert!(before > 0, "the first one was asked, and not believed");
    // The receiver that works must keep forwarding to the target.
    assert_eq!(post_event(&first, "G-3").await, 200);
    other.wait_for("the third, too", TIMEOUT, |_| (accepted_ids(&erp) == ["G-1", "G-2", "G-3"]).then_some(()));
    assert_eq!(refused.load(Ordering::Relaxed), before);
    one.end(TIMEOUT);
    other.end(TIMEOUT);
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_that_one_desk_puts_in_force_are_answered_by_every_receiver() {
    let team = Team::new();
    let (anna, bert) = (team.create_desk(), team.create_desk());
    let (mut program, address) = start_listener(&bert);
    let rules =
        json!({ "rules": [{ "name": "nobody", "events": [10], "on": true, "when": "true", "refuse": "Not today." }] });
    let file = anna.takt.write("rules.json", rules.to_string());
    for command in [["answers", "try", "--rules"].as_slice(), &["answers", "--rules"]] {
        let arguments = [command, &[file.to_str().unwrap(), "--site", SITE]].concat();
        let ran = anna.takt.run(&arguments);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let start = Instant::now();
    for number in 0.. {
        let asked = client.post(&address).body(format!("{{\"Id\":10,\"n\":{number}}}")).send().await.unwrap();
        if asked.text().await.unwrap().contains("Not today.") {
            break;
        }
        assert!(start.elapsed() < TIMEOUT, "{}", program.error_text());
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    program.end(TIMEOUT);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_takes_nothing_that_it_cannot_write_down_and_goes_on_once_it_can() {
    let cluster = Cluster::start();
    let desk = Team::with_database(cluster.create_database()).create_desk();
    let (mut program, address) = start_listener(&desk);
    assert_eq!(post_event(&address, "D-1").await, 200);
    cluster.stop();
    assert_eq!(post_event(&address, "D-2").await, 503);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let health = address.replace(last_segment(&address), "health");
    assert_eq!(client.get(&health).send().await.unwrap().status(), 503);
    cluster.restart();
    let start = Instant::now();
    while post_event(&address, "D-2").await != 200 {
        assert!(start.elapsed() < TIMEOUT, "{}", program.error_text());
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    assert_eq!(client.get(&health).send().await.unwrap().status(), 200);
    let orders: Vec<_> = list_events(&desk).iter().map(|event| event["order"].clone()).collect();
    assert_eq!(orders, ["D-2", "D-1"]);
    program.wait_for("that both are told", TIMEOUT, |program| {
        let printed = program.output_text();
        ["D-1", "D-2"].iter().all(|order| printed.contains(order)).then_some(())
    });
    program.end(TIMEOUT);
}

/// PostgreSQL can't store U+0000 in a text. An event with it must not block others.
#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_no_database_likes_is_kept_read_and_listed() {
    let team = Team::new();
    let desk = team.create_desk();
    let (mut program, address) = start_listener(&desk);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let bodies = [
        "{\"Id\":2,\"Work\\u0000x\":1,\"WorkStationCode\":\"W\\u0000S\",\"WorkOrders\":[{\"Code\":\"F\\u00001\"}]}"
            .to_owned(),
        "\0 no json \0".to_owned(),
        format!("{{\"Id\":2,\"Note\":\"{}\"}}", "long ".repeat(30_000)),
        format!("{{\"Id\":2,\"Note\":\"{}\"}}", "l".repeat(70_000)),
    ];
    for body in bodies {
        assert_eq!(client.post(&address).body(body).send().await.unwrap().status(), 200);
    }
    assert_eq!(post_event(&address, "F-2").await, 200);
    let found = list_events(&desk);
    assert_eq!((found.len(), &found[0]["order"], &found[4]["order"]), (5, &json!("F-2"), &json!("F\u{fffd}1")));
    let full_event = desk.takt.run(&["events", &found[4]["id"].to_string(), "--site", SITE, "--json"]).json();
    assert_eq!(full_event[0]["body"]["WorkStationCode"], "W\0S", "its bytes are as they came");
    program.end(TIMEOUT);
}

/// Each desk has its own practice plant, whose events aren't shared.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_practice_plant_tells_stays_at_its_desk() {
    let team = Team::new();
    let (anna, bert) = (team.create_desk(), console(&team.plant));
    let mut program = Program::start("listen", anna.takt.command(&["listen", "--json"]));
    let first: Value = serde_json::from_str(&program.first_line(TIMEOUT)).unwrap();
    assert_eq!(post_event(first["url"].as_str().unwrap(), "E-1").await, 200);
    program.end(TIMEOUT);
    let own = anna.takt.run(&["events", "--site", "practice", "--order", "E-1", "--json"]).json();
    assert_eq!(own.len(), 1);
    let id = own[0]["id"].to_string();
    assert!(anna.takt.run(&["events", &id, "--site", "practice"]).out.contains("E-1"));
    let joined = bert.takt.with("TAKT_TEAM_URL", &team.address);
    for arguments in [["events", "--json"].as_slice(), &["events", "--json", "--site", "practice"]] {
        assert!(joined.run(arguments).out.is_empty());
    }
}

/// Creates a desk that hasn't joined the team.
fn desk_without_team(team: &Team) -> Console {
    console(&team.plant)
}

fn join_team(desk: &Console, team: &Team) -> String {
    let joined = desk.takt.run(&["team", "join", &team.address]);
    assert_eq!(joined.code, Some(0), "{}{}", joined.out, joined.err);
    joined.out + &joined.err
}

fn list_targets(desk: &Console) -> Vec<Value> {
    desk.takt.run(&["forward", "list", "--site", SITE, "--json"]).json()
}

#[tokio::test(flavor = "multi_thread")]
async fn events_and_targets_come_along_and_nothing_is_sent_twice() {
    let team = Team::new();
    let (anna, bert) = (desk_without_team(&team), team.create_desk());
    let takes = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let answers = Arc::clone(&takes);
    let erp = Erp::start(move |one| {
        let is_known = one.header("x-key") == Some("right") && answers.load(Ordering::Relaxed);
        Reply::Status(if is_known { 200 } else { 503 })
    });
    let key = anna.takt.write("headers.txt", "x-key: right\n");
    let add = ["forward", "add", "ERP", "--to", erp.url(), "--header-file", key.to_str().unwrap(), "--site", SITE];
    assert_eq!(anna.takt.run(&add).code, Some(0));
    // Two events are forwarded, and two wait.
    let (mut program, address) = start_listener(&anna);
    for id in ["H-1", "H-2"] {
        assert_eq!(post_event(&address, id).await, 200);
    }
    program.wait_for("two arrive", TIMEOUT, |_| {
        (list_targets(&anna)[0]["state"] == "up-to-date" && accepted_ids(&erp).len() == 2).then_some(())
    });
    takes.store(false, Ordering::Relaxed);
    for id in ["H-3", "H-4"] {
        assert_eq!(post_event(&address, id).await, 200);
    }
    program.wait_for("one is refused", TIMEOUT, |_| (list_targets(&anna)[0]["state"] == "failing").then_some(()));
    program.end(TIMEOUT);
    // The team has received one of the waiting events, too, and one that the desk doesn't have.
    let (mut other, of_team) = start_listener(&bert);
    for id in ["H-4", "H-9"] {
        assert_eq!(post_event(&of_team, id).await, 200);
    }
    other.end(TIMEOUT);
    takes.store(true, Ordering::Relaxed);

    let told = join_team(&anna, &team);
    assert!(told.contains("4 received events") && told.contains("1 forwarding target"), "{told}");
    let orders: Vec<_> = list_events(&bert).iter().map(|event| event["order"].as_str().unwrap().to_owned()).collect();
    assert_eq!(orders, ["H-3", "H-2", "H-1", "H-9", "H-4"], "each once");
    let state = |desk: &Console| (list_targets(desk)[0]["waiting"].clone(), list_targets(desk)[0]["state"].clone());
    assert_eq!(state(&bert), (json!(2), json!("waiting")));
    // A desk without the target's secrets doesn't forward. A desk that has them must do it.
    assert_eq!(list_targets(&bert)[0]["idle"], "secrets-missing");
    let before = accepted_ids(&erp).len();
    let (mut program, address) = start_listener(&anna);
    assert_eq!(post_event(&address, "H-5").await, 200);
    program.wait_for("all arrive", TIMEOUT, |_| {
        (state(&bert).1 == "up-to-date" && accepted_ids(&erp).last().map(String::as_str) == Some("H-5")).then_some(())
    });
    assert_eq!(
        accepted_ids(&erp)[before..],
        ["H-4", "H-3", "H-5"],
        "what waited, and what came since: none of the others"
    );
    assert!(!program.output_text().contains("\"H-1\""), "what came along is no news: {}", program.output_text());
    program.end(TIMEOUT);
    let taken = bert.takt.run(&["events", "3", "--site", SITE]);
    assert_eq!(taken.code, Some(0), "{}", taken.err);

    // Joining again must not change anything. After leaving, nothing may be sent again.
    let again = join_team(&anna, &team);
    assert!(!again.contains("event") && !again.contains("target"), "{again}");
    assert_eq!(list_events(&bert).len(), 6);
    assert_eq!(anna.takt.run(&["team", "leave"]).code, Some(0));
    let own = &list_targets(&anna)[0];
    assert_eq!((&own["state"], &own["waiting"]), (&json!("paused"), &json!(0)));
    assert_eq!(list_events(&anna).len(), 4, "its own file is as it was");
    assert_eq!((list_events(&bert).len(), list_targets(&bert).len()), (6, 1), "the team's stays");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_the_team_has_already_is_that_one() {
    let team = Team::new();
    let (anna, bert) = (desk_without_team(&team), team.create_desk());
    let takes = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let answers = Arc::clone(&takes);
    let erp = Erp::start(move |_| Reply::Status(if answers.load(Ordering::Relaxed) { 200 } else { 503 }));
    for desk in [&anna, &bert] {
        assert_eq!(desk.takt.run(&["forward", "add", "ERP", "--to", erp.url(), "--site", SITE]).code, Some(0));
    }
    let elsewhere = format!("{}/other", erp.url());
    let other = bert.takt.run(&["forward", "add", "MES", "--to", &elsewhere, "--site", SITE]);
    assert_eq!(other.code, Some(0), "{}", other.err);
    assert_eq!(bert.takt.run(&["forward", "pause", "MES", "--site", SITE]).code, Some(0));
    let own = anna.takt.run(&["forward", "add", "MES", "--to", &format!("{}/mine", erp.url()), "--site", SITE]);
    assert_eq!(own.code, Some(0), "{}", own.err);
    assert_eq!(anna.takt.run(&["forward", "pause", "MES", "--site", SITE]).code, Some(0));
    let (mut program, address) = start_listener(&anna);
    assert_eq!(post_event(&address, "I-1").await, 200);
    program.wait_for("one arrives", TIMEOUT, |_| {
        (list_targets(&anna)[0]["state"] == "up-to-date" && accepted_ids(&erp) == ["I-1"]).then_some(())
    });
    takes.store(false, Ordering::Relaxed);
    assert_eq!(post_event(&address, "I-2").await, 200);
    program.wait_for("one is refused", TIMEOUT, |_| (list_targets(&anna)[0]["state"] == "failing").then_some(()));
    program.end(TIMEOUT);
    // The team's receiver also got the event that was forwarded, but hasn't forwarded it.
    let (mut receiver, of_team) = start_listener(&bert);
    receiver.wait_for("somebody sends", TIMEOUT, |_| (list_targets(&bert)[0]["running"] == true).then_some(()));
    assert_eq!(post_event(&of_team, "I-1").await, 200);
    receiver.wait_for("it waits", TIMEOUT, |_| (list_targets(&bert)[0]["state"] == "failing").then_some(()));
    receiver.end(TIMEOUT);
    let before = accepted_ids(&erp).len();

    let told = join_team(&anna, &team);
    assert!(told.contains("1 forwarding target already exists in the team"), "{told}");
    let names: Vec<_> = list_targets(&bert).iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect();
    assert!(names.len() == 3 && names[..2] == ["ERP", "MES"] && names[2].starts_with("MES ("), "{names:?}");
    takes.store(true, Ordering::Relaxed);
    let (mut receiver, _) = start_listener(&bert);
    receiver.wait_for("it has all", TIMEOUT, |_| (list_targets(&bert)[0]["state"] == "up-to-date").then_some(()));
    assert_eq!(accepted_ids(&erp)[before..], ["I-2"], "what arrived at it isn't sent again");
    receiver.end(TIMEOUT);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_receiver_got_that_ran_before_the_desk_joined_comes_along_with_the_next_one() {
    let team = Team::new();
    let (anna, bert) = (desk_without_team(&team), team.create_desk());
    let erp = Erp::start(|_| Reply::Status(200));
    assert_eq!(anna.takt.run(&["forward", "add", "ERP", "--to", erp.url(), "--site", SITE]).code, Some(0));
    let (mut program, address) = start_listener(&anna);
    assert_eq!(post_event(&address, "L-1").await, 200);
    program.wait_for("it arrives", TIMEOUT, |_| (accepted_ids(&erp) == ["L-1"]).then_some(()));
    join_team(&anna, &team);
    assert_eq!(post_event(&address, "L-2").await, 200);
    program.end(TIMEOUT);
    let orders = |desk: &Console| -> Vec<_> {
        list_events(desk).iter().map(|event| event["order"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(orders(&bert), ["L-1"]);

    let (mut program, _) = start_listener(&anna);
    program.wait_for("the team has both", TIMEOUT, |_| (orders(&bert) == ["L-2", "L-1"]).then_some(()));
    program.wait_for("the target has both", TIMEOUT, |_| (first_target(&bert)["state"] == "up-to-date").then_some(()));
    program.end(TIMEOUT);
    assert_eq!(accepted_ids(&erp), ["L-1", "L-2"], "each once");
    // A removed target must not return, and no event may be sent twice.
    assert_eq!(bert.takt.run(&["forward", "remove", "ERP", "--site", SITE]).code, Some(0));
    let (mut program, address) = start_listener(&anna);
    assert_eq!(post_event(&address, "L-3").await, 200);
    program.wait_for("it goes on", TIMEOUT, |_| (orders(&bert).len() == 3).then_some(()));
    program.end(TIMEOUT);
    assert!(list_targets(&bert).is_empty() && accepted_ids(&erp).len() == 2, "{:?}", list_targets(&bert));
}
