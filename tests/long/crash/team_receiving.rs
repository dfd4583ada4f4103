//! A team's receivers and database are killed while they receive and forward many events. Each event with a response
//! must be stored once. The target must get events in the order of arrival.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::Value;
use takt_tests::{
    Console, Erp, Plant, Program, Reply, Takt,
    postgres::{Cluster, query},
};

use crate::crash::{
    dice::Dice,
    kills::seed_from_env,
    team::{create_team, home_in_team},
};

const DESKS: usize = 3;
const TURNS: u32 = 8;
const SENDERS: u32 = 4;
const TIMEOUT: Duration = Duration::from_secs(60);
const DRAIN_TIMEOUT: Duration = Duration::from_secs(120);
/// The pause of a sender between two events, which limits the load.
const EVENT_PAUSE: Duration = Duration::from_millis(10);

/// The sent events, with whether they got a response.
#[derive(Default)]
struct Deliveries {
    next: AtomicU32,
    answered: Mutex<Vec<u32>>,
    /// Events without a response, which are sent again.
    unanswered: Mutex<Vec<u32>>,
    /// The addresses of the running receivers, as a load balancer would know them.
    addresses: Mutex<Vec<String>>,
    is_over: Mutex<bool>,
}

#[tokio::test(flavor = "multi_thread")]
async fn receivers_and_their_database_are_ended_and_no_event_is_lost_or_kept_twice() {
    let (cluster, seed) = (Cluster::start(), seed_from_env());
    println!("TAKT_CRASH_SEED={seed}");
    let (mut dice, address) = (Dice::new(seed), create_team(&cluster));
    let plant = Plant::start(&[]);
    let desks: Vec<_> = (0..DESKS).map(|_| Console::in_home(&plant, || home_in_team(&address))).collect();
    let erp = Erp::start(|_| Reply::Status(200));
    let added = desks[0].takt.run(&["forward", "add", "ERP", "--to", erp.url(), "--site", "works"]);
    assert_eq!(added.code, Some(0), "{}", added.err);
    let deliveries = Arc::new(Deliveries::default());
    let mut receivers: Vec<_> = desks.iter().map(|desk| start_listener(&desk.takt)).collect();
    store_addresses(&deliveries, &receivers);
    let senders: Vec<_> =
        (0..SENDERS).map(|number| tokio::spawn(send_events(Arc::clone(&deliveries), number))).collect();
    for _ in 0..TURNS {
        tokio::time::sleep(Duration::from_millis(300 + dice.below(900))).await;
        let at = usize::try_from(dice.below(DESKS as u64)).unwrap();
        match dice.below(4) {
            0 => {
                cluster.stop();
                cluster.restart();
            }
            1 => {
                receivers[at].0.suspend();
                tokio::time::sleep(Duration::from_millis(dice.below(1_500))).await;
                receivers[at].0.wake();
            }
            _ => {
                receivers[at].0.kill();
                receivers[at] = start_listener(&desks[at].takt);
                store_addresses(&deliveries, &receivers);
            }
        }
    }
    *deliveries.is_over.lock().unwrap() = true;
    for sender in senders {
        sender.await.unwrap();
    }
    let (answered, unanswered) =
        (deliveries.answered.lock().unwrap().clone(), deliveries.unanswered.lock().unwrap().clone());
    assert!(unanswered.is_empty(), "{SENDERS} senders go on until each of theirs is answered");
    wait_until_forwarded(&desks[0].takt).await;
    receivers.iter_mut().for_each(|(program, _)| program.kill());
    let kept = stored_counts(&address);
    for id in &answered {
        assert_eq!(kept.get(id), Some(&1), "event {id}");
    }
    assert_eq!(kept.len(), answered.len(), "each once");
    let mut seen: HashMap<String, Vec<u8>> = HashMap::new();
    let mut first = Vec::new();
    for one in erp.accepted_requests() {
        match seen.insert(one.delivery_id().to_owned(), one.body.clone()) {
            None => first.push(one.delivery_id().to_owned()),
            Some(body) => assert_eq!(body, one.body),
        }
    }
    assert_eq!(first, stored_delivery_ids(&address), "in the order in which they came, each of them");
    println!(
        "{} events, {} of them at the target more than once",
        answered.len(),
        erp.accepted_requests().len() - first.len()
    );
}

/// The time in which another receiver must replace a suspended one. It includes a reserve for a busy machine.
const TAKEOVER_TIMEOUT: Duration = Duration::from_secs(10);

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_stands_still_is_replaced_and_fenced_off_when_it_wakes() {
    let cluster = Cluster::start();
    let address = create_team(&cluster);
    let plant = Plant::start(&[]);
    let desks: Vec<_> = (0..2).map(|_| Console::in_home(&plant, || home_in_team(&address))).collect();
    // The target delays the response to the third event. The receiver is suspended while it waits for it.
    let mut is_slow = true;
    let erp = Erp::start(move |one| match one.delivery_id() == "STILL-3" && std::mem::take(&mut is_slow) {
        true => Reply::Late(Duration::from_secs(2)),
        false => Reply::Status(200),
    });
    let added = desks[0].takt.run(&["forward", "add", "ERP", "--to", erp.url(), "--site", "works"]);
    assert_eq!(added.code, Some(0), "{}", added.err);
    let (mut one, first) = start_listener(&desks[0].takt);
    one.wait_for("it sends", TIMEOUT, |_| is_sending(&desks[1].takt).then_some(()));
    let (mut other, second) = start_listener(&desks[1].takt);
    for number in 1..=3 {
        post_event(&first, number).await;
    }
    one.wait_for("the second is written down", TIMEOUT, |_| (cursor(&address) == "2").then_some(()));
    one.suspend();
    let stood_still = Instant::now();
    for number in 4..=8 {
        post_event(&second, number).await;
    }
    other.wait_for("the other goes on", TIMEOUT, |_| (cursor(&address) == "8").then_some(()));
    let took = stood_still.elapsed();
    println!("another receiver had sent everything after {took:.1?}");
    assert!(took <= TAKEOVER_TIMEOUT, "{took:?}");
    // The other receiver also prints all stored events.
    other.wait_for("all are told", TIMEOUT, |program| program.output_text().contains("STILL-8").then_some(()));
    let before = erp.accepted_requests().len();
    one.wake();
    for number in 9..=12 {
        post_event(if number % 2 == 0 { &first } else { &second }, number).await;
    }
    other.wait_for("what comes then arrives", TIMEOUT, |_| (cursor(&address) == "12").then_some(()));
    let came: Vec<String> = erp.accepted_requests().iter().map(|one| one.delivery_id().to_owned()).collect();
    let mut seen: Vec<&str> = Vec::new();
    let twice: Vec<&str> = came
        .iter()
        .map(String::as_str)
        .filter(|one| {
            seen.contains(one) || {
                seen.push(one);
                false
            }
        })
        .collect();
    assert_eq!(seen, (1..=12).map(|number| format!("STILL-{number}")).collect::<Vec<_>>(), "in their order");
    assert!(twice.is_empty() || twice == ["STILL-3"], "only what was on its way comes twice: {came:?}");
    assert_eq!(came.len() - before, 4, "who woke up sends nothing that was sent");
    let taken = query(&address, "SELECT count(*) FROM takt.forwarded WHERE state = 'taken'");
    assert_eq!(taken, "12", "each is written down as taken once");
    // The resumed receiver can replace the other one again.
    other.kill();
    post_event(&first, 13).await;
    one.wait_for("it goes on again", TIMEOUT, |_| (cursor(&address) == "13").then_some(()));
    one.end(TIMEOUT);
}

fn is_sending(takt: &Takt) -> bool {
    let listed = takt.run(&["forward", "list", "--site", "works", "--json"]).json();
    listed.first().is_some_and(|target| target["running"] == true)
}

/// Returns the ID of the last event that the target has accepted or refused.
fn cursor(address: &str) -> String {
    query(address, "SELECT cursor FROM takt.target")
}

async fn post_event(address: &str, number: u32) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let body = format!("{{\"Id\":2,\"WorkOrders\":[{{\"Code\":\"STILL-{number}\"}}]}}");
    let request = client.post(address).header("X-Takt-Delivery", format!("STILL-{number}")).body(body);
    assert_eq!(request.send().await.unwrap().status(), 200);
}

fn store_addresses(deliveries: &Deliveries, receivers: &[(Program, String)]) {
    *deliveries.addresses.lock().unwrap() = receivers.iter().map(|(_, address)| address.clone()).collect();
}

fn start_listener(takt: &Takt) -> (Program, String) {
    let until = Instant::now() + TIMEOUT;
    loop {
        let mut program = Program::start("listen", takt.command(&["listen", "--json", "--site", "works"]));
        let told = program.wait_for("a receiver, or why there is none", TIMEOUT, |program| {
            let line = program.output_text().lines().next().map(str::to_owned);
            line.or_else(|| program.error_text().contains("database").then(String::new))
        });
        if let Ok(first) = serde_json::from_str::<Value>(&told) {
            return (program, first["url"].as_str().unwrap().to_owned());
        }
        // While the database is unavailable, starting fails and is repeated, like by a supervisor.
        assert!(Instant::now() < until, "{}", program.error_text());
        program.kill();
    }
}

/// Sends events one after the other to alternating receivers. Repeats each event until it gets a response, like a
/// service.
async fn send_events(deliveries: Arc<Deliveries>, number: u32) {
    let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(45)).build().unwrap();
    let mut turn = number as usize;
    loop {
        let again = deliveries.unanswered.lock().unwrap().pop();
        if again.is_none() && *deliveries.is_over.lock().unwrap() {
            return;
        }
        let id = again.unwrap_or_else(|| deliveries.next.fetch_add(1, Ordering::Relaxed));
        let addresses = deliveries.addresses.lock().unwrap().clone();
        turn += 1;
        let request = client.post(&addresses[turn % addresses.len()]).header("X-Takt-Delivery", format!("crash-{id}"));
        let body = format!("{{\"Id\":2,\"WorkOrders\":[{{\"Code\":\"CRASH-{id}\"}}]}}");
        let is_answered = request.body(body).send().await.is_ok_and(|answer| answer.status() == 200);
        if is_answered { &deliveries.answered } else { &deliveries.unanswered }.lock().unwrap().push(id);
        tokio::time::sleep(EVENT_PAUSE).await;
    }
}

async fn wait_until_forwarded(takt: &Takt) {
    let until = Instant::now() + DRAIN_TIMEOUT;
    loop {
        let listed = takt.run(&["forward", "list", "--site", "works", "--json"]);
        if listed.json().first().is_some_and(|target| target["state"] == "up-to-date") {
            return;
        }
        assert!(Instant::now() < until, "{}{}", listed.out, listed.err);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Returns the delivery IDs of the events in the order in which they were stored.
fn stored_delivery_ids(address: &str) -> Vec<String> {
    let headers = query(address, "SELECT headers FROM takt.event ORDER BY id");
    let delivery = |line: &str| -> String {
        let headers: Vec<(String, String)> = serde_json::from_str(line).unwrap();
        headers.into_iter().find(|(name, _)| name == "x-takt-delivery").unwrap().1
    };
    headers.lines().map(delivery).collect()
}

/// Returns how often each event is stored, by its number.
fn stored_counts(address: &str) -> BTreeMap<u32, u32> {
    let mut counts = BTreeMap::new();
    for delivery in stored_delivery_ids(address) {
        *counts.entry(delivery.strip_prefix("crash-").unwrap().parse().unwrap()).or_default() += 1;
    }
    counts
}
