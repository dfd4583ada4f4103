//! The receiver is killed while it forwards many events to a target that sometimes fails. Events must be forwarded in
//! the order of arrival. Duplicates must have the same delivery ID.

use std::{
    collections::HashMap,
    env,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::Value;
use takt_tests::{Erp, Program, Reply, Takt};

use crate::crash::dice::Dice;

const SHORT_FORM_KILLS: u32 = 5;
const LONG_FORM_KILLS: u32 = 60;
const SENDERS: u32 = 4;
const TIMEOUT: Duration = Duration::from_secs(30);
/// The time per kill that the queue has to drain at the end.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(24);
/// The pause between two events of a sender. A target's failure delays all waiting events for a second.
const EVENT_PAUSE: Duration = Duration::from_millis(10);
const KILLS_VARIABLE: &str = "TAKT_CRASH_KILLS";
const SEED_VARIABLE: &str = "TAKT_CRASH_SEED";

#[tokio::test(flavor = "multi_thread")]
async fn a_few_kills_lose_nothing_on_its_way_to_a_target() {
    println!("{}", kill_receiver(SHORT_FORM_KILLS).await);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes some minutes: cargo xtask crash"]
async fn many_kills_lose_nothing_on_its_way_to_a_target() {
    let count = env::var(KILLS_VARIABLE).ok().and_then(|text| text.parse().ok()).unwrap_or(LONG_FORM_KILLS);
    println!("{}", kill_receiver(count).await);
}

/// Kills the receiver `count` times, and returns a summary.
async fn kill_receiver(count: u32) -> String {
    let seed = env::var(SEED_VARIABLE).ok().and_then(|text| text.parse().ok()).unwrap_or(1_122);
    let (takt, mut dice, mut faults) = (Takt::new(), Dice::new(seed), Dice::new(seed + 1));
    let erp = Erp::start(move |_| match faults.below(200) {
        0 => Reply::Status(503),
        1 => Reply::Status(500),
        2 => Reply::Drop,
        3 => Reply::Late(Duration::from_millis(300)),
        _ => Reply::Status(200),
    });
    assert_eq!(takt.run(&["forward", "add", "ERP", "--to", erp.url()]).code, Some(0));
    let next = Arc::new(AtomicU32::new(0));
    for _ in 0..count {
        let (mut program, address) = start_listener(&takt);
        let senders: Vec<_> =
            (0..SENDERS).map(|_| tokio::spawn(send_until_killed(Arc::clone(&next), address.clone()))).collect();
        tokio::time::sleep(Duration::from_millis(200 + dice.below(800))).await;
        program.kill();
        for sender in senders {
            sender.await.unwrap();
        }
    }
    let before = erp.accepted_requests().len();
    let (mut program, _) = start_listener(&takt);
    let until = Instant::now() + DRAIN_TIMEOUT * (count + 5);
    while first_target(&takt)["state"] != "up-to-date" {
        assert!(Instant::now() < until, "{}", first_target(&takt));
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    program.end(TIMEOUT);
    let status = first_target(&takt);
    assert_eq!((&status["aside"], &status["state"]), (&0.into(), &"up-to-date".into()), "{status}");
    let (stored, accepted) = (stored_delivery_ids(&takt), erp.accepted_requests());
    let mut first = Vec::new();
    let mut seen: HashMap<&str, &[u8]> = HashMap::new();
    for one in &accepted {
        match seen.insert(one.delivery_id(), &one.body) {
            None => first.push(one.delivery_id()),
            Some(body) => assert_eq!(body, one.body, "{}", one.delivery_id()),
        }
    }
    let stored: Vec<_> = stored.iter().map(String::as_str).collect();
    assert_eq!(first, stored, "{SEED_VARIABLE}={seed}: in the order in which they came, each of them");
    assert!(before > 0, "nothing was under way while it was ended");
    let twice = accepted.len() - first.len();
    format!(
        "{SEED_VARIABLE}={seed}: {count} kills, {} events on their way to a target, {twice} of them twice",
        first.len()
    )
}

fn first_target(takt: &Takt) -> Value {
    let ran = takt.run(&["forward", "list", "--json"]);
    ran.json().first().cloned().unwrap_or_else(|| panic!("{}", ran.err))
}

fn start_listener(takt: &Takt) -> (Program, String) {
    let mut program = Program::start("listen", takt.command(&["listen", "--json"]));
    let first: Value = serde_json::from_str(&program.first_line(TIMEOUT)).unwrap();
    let address = first["url"].as_str().unwrap().to_owned();
    (program, address)
}

/// Sends events one after the other until one gets no response, since the receiver was killed.
async fn send_until_killed(next: Arc<AtomicU32>, address: String) {
    let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(20)).build().unwrap();
    loop {
        let id = next.fetch_add(1, Ordering::Relaxed);
        let body = format!("{{\"Id\":2,\"WorkOrders\":[{{\"Code\":\"CRASH-{id}\"}}]}}");
        let request = client.post(&address).header("X-Takt-Delivery", format!("crash-{id}")).body(body);
        if !request.send().await.is_ok_and(|answer| answer.status() == 200) {
            return;
        }
        tokio::time::sleep(EVENT_PAUSE).await;
    }
}

/// Returns the delivery IDs of the stored events in order of arrival.
fn stored_delivery_ids(takt: &Takt) -> Vec<String> {
    let file = rusqlite::Connection::open(takt.home().join("inbox.sqlite")).unwrap();
    let mut statement = file.prepare("SELECT headers FROM event ORDER BY id").unwrap();
    let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    rows.map(|headers| {
        let headers: Vec<(String, String)> = serde_json::from_str(&headers.unwrap()).unwrap();
        headers.into_iter().find(|(name, _)| name == "x-takt-delivery").map(|(_, value)| value).unwrap()
    })
    .collect()
}
