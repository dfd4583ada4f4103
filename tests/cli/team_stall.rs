//! A team's database that is suspended. Every command must fail soon, and programs must end on request. Nothing may be
//! sent or received that can't be stored.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use takt_tests::{
    Applied, Console, Person, Plant, Program, Takt,
    postgres::{Cluster, without_connect_timeout},
};

use crate::support::{ORDERS, orders_csv, wait_for_applied};

const SITE: &str = "works";
const TIMEOUT: Duration = Duration::from_secs(120);
/// The time limit for reporting the failure: two seconds, plus a reserve for starting a program on a busy machine.
const REPORT_TIMEOUT: Duration = Duration::from_secs(20);
/// The time limit for ending on request: five seconds, plus a reserve for a busy machine.
const END_TIMEOUT: Duration = Duration::from_secs(15);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A team whose database can be suspended.
struct Team {
    cluster: Cluster,
    address: String,
    plant: Plant,
}

/// Resumes the server, since a suspended server couldn't be stopped.
impl Drop for Team {
    fn drop(&mut self) {
        self.cluster.wake();
    }
}

impl Team {
    fn new(plant: &[&str]) -> Self {
        let cluster = Cluster::start();
        let address = cluster.create_database();
        assert_eq!(Takt::new().run(&["team", "init", &address]).code, Some(0));
        let address = without_connect_timeout(&address).to_owned();
        Self { cluster, address, plant: Plant::start(plant) }
    }

    async fn create_desk(&self) -> Console {
        let desk = Console::in_home(&self.plant, || Takt::new().with("TAKT_TEAM_URL", &self.address));
        desk.sign_in(Person::Planner).await;
        desk
    }
}

fn sync_arguments(file: &str) -> Vec<&str> {
    vec!["sync", file, "--to", ORDERS, "--site", SITE, "--yes", "--json", "--batch-size", "1", "--no-preview"]
}

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

async fn health_status(address: &str) -> u16 {
    let (start, _) = address.rsplit_once('/').unwrap();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    client.get(format!("{start}/health")).send().await.unwrap().status().as_u16()
}

/// Waits until `/health` returns this status, and returns the elapsed time.
async fn wait_for_health(address: &str, status: u16) -> Duration {
    let since = Instant::now();
    while health_status(address).await != status {
        assert!(since.elapsed() < TIMEOUT, "never {status}");
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    since.elapsed()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: a database that stands still"]
async fn each_command_says_so_within_moments_and_what_the_site_holds_is_listed() {
    let team = Team::new(&[]);
    let desk = team.create_desk().await;
    let file = desk.takt.write("orders.csv", orders_csv(900_000, 3));
    let sync = sync_arguments(file.to_str().unwrap());
    team.cluster.suspend();
    let history = ["history", "--json"];
    let check = ["team", "check"];
    let changes = ["team", "changes"];
    let events = ["events", "--site", SITE];
    for command in [&sync[..], &history, &check, &changes, &events] {
        let since = Instant::now();
        let ran = desk.takt.run(command);
        assert_eq!(ran.code, Some(5), "{command:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("can't be reached") && ran.err.contains("ask your IT"), "{command:?}: {}", ran.err);
        assert!(since.elapsed() < REPORT_TIMEOUT, "{command:?}: {:?}", since.elapsed());
    }
    let since = Instant::now();
    let listed = desk.takt.run(&["list", "work-orders.list", "--site", SITE]);
    assert_eq!(listed.code, Some(0), "{}{}", listed.out, listed.err);
    assert!(since.elapsed() < REPORT_TIMEOUT, "{:?}", since.elapsed());
    assert!(team.plant.applied(ORDERS).await.is_empty(), "what can't be written down isn't sent");
    team.cluster.wake();
    let ran = desk.takt.run(&sync);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: a database that stands still"]
async fn a_submission_under_way_stops_and_goes_on_with_exactly_what_was_left() {
    let team = Team::new(&["--rate-limit", "20/1"]);
    let desk = team.create_desk().await;
    let file = desk.takt.write("orders.csv", orders_csv(900_000, 60));
    let mut first = desk.takt.start(&sync_arguments(file.to_str().unwrap()));
    wait_for_applied(&team.plant, 5).await;
    team.cluster.suspend();
    let since = Instant::now();
    assert_eq!(first.wait(TIMEOUT).code(), Some(5), "{}", first.error_text());
    assert!(since.elapsed() < REPORT_TIMEOUT, "{:?}", since.elapsed());
    assert!(first.error_text().contains("can't be reached"), "{}", first.error_text());
    team.cluster.wake();
    // The lock is released after the server has finished its pending work.
    let since = Instant::now();
    let resumed = loop {
        let resumed = desk.takt.run(&["resume", "1", "--json"]);
        if resumed.code != Some(2) {
            break resumed;
        }
        assert!(since.elapsed() < TIMEOUT, "{}{}", resumed.out, resumed.err);
    };
    assert_eq!(resumed.code, Some(0), "{}{}", resumed.out, resumed.err);
    let applied = team.plant.applied(ORDERS).await;
    assert_eq!(applied.len(), 60);
    assert!(applied.values().all(|found| *found == Applied { accepted: 1, refused: 0 }), "{applied:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: a database that stands still"]
async fn a_submission_under_way_ends_when_it_is_asked_to() {
    let team = Team::new(&["--rate-limit", "20/1"]);
    let desk = team.create_desk().await;
    let file = desk.takt.write("orders.csv", orders_csv(900_000, 60));
    let mut first = desk.takt.start(&sync_arguments(file.to_str().unwrap()));
    wait_for_applied(&team.plant, 5).await;
    team.cluster.suspend();
    let since = Instant::now();
    first.terminate();
    assert!(since.elapsed() < END_TIMEOUT, "{:?}", since.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: a database that stands still"]
async fn a_receiver_says_so_refuses_what_comes_and_goes_on_once_it_can() {
    let team = Team::new(&[]);
    let desk = team.create_desk().await;
    let (mut program, address) = start_listener(&desk);
    assert_eq!((post_event(&address, "S-1").await, health_status(&address).await), (200, 200));
    team.cluster.suspend();
    assert!(wait_for_health(&address, 503).await < REPORT_TIMEOUT / 2, "nobody asked it anything");
    let since = Instant::now();
    for id in ["S-2", "S-3"] {
        assert_eq!(post_event(&address, id).await, 503);
    }
    assert!(since.elapsed() < REPORT_TIMEOUT / 4, "{:?}", since.elapsed());
    program.wait_for("it says so", TIMEOUT, |one| one.error_text().contains("can't be reached").then_some(()));
    team.cluster.wake();
    wait_for_health(&address, 200).await;
    program.wait_for("it says so", TIMEOUT, |one| one.error_text().contains("reached again").then_some(()));
    for id in ["S-1", "S-2", "S-3"] {
        assert_eq!(post_event(&address, id).await, 200);
    }
    program.wait_for("each is told", TIMEOUT, |one| one.output_text().contains("S-3").then_some(()));
    let events = desk.takt.run(&["events", "--site", SITE, "--json"]).json();
    let orders: Vec<_> = events.iter().map(|event| event["order"].as_str().unwrap()).collect();
    assert_eq!(orders.len(), 3, "each once: {orders:?}");
    program.end(TIMEOUT);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: a database that stands still"]
async fn a_receiver_that_waits_for_the_database_ends_when_it_is_asked_to() {
    let team = Team::new(&[]);
    let desk = team.create_desk().await;
    for is_known in [false, true] {
        let (mut program, address) = start_listener(&desk);
        assert_eq!(post_event(&address, "S-1").await, 200);
        team.cluster.suspend();
        if is_known {
            wait_for_health(&address, 503).await;
        }
        let posting = tokio::spawn(async move { post_event(&address, "S-2").await });
        let since = Instant::now();
        program.terminate();
        assert!(since.elapsed() < END_TIMEOUT, "{:?}\n{}", since.elapsed(), program.error_text());
        drop(posting.await);
        team.cluster.wake();
    }
}
