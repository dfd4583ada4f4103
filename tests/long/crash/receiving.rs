//! The receiver is killed while it receives many events. No event that got a response may be missing, and a repeated
//! event must be recorded as a copy.

use std::{
    collections::BTreeMap,
    env,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use serde_json::Value;
use takt_tests::{Program, Takt};

use crate::crash::dice::Dice;

const SHORT_FORM_KILLS: u32 = 6;
const LONG_FORM_KILLS: u32 = 100;
const SENDERS: u32 = 16;
const TIMEOUT: Duration = Duration::from_secs(30);
const KILLS_VARIABLE: &str = "TAKT_CRASH_KILLS";
const SEED_VARIABLE: &str = "TAKT_CRASH_SEED";

#[tokio::test(flavor = "multi_thread")]
async fn a_few_kills_lose_no_event() {
    println!("{}", kill_receiver(SHORT_FORM_KILLS).await);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes some minutes: cargo xtask crash"]
async fn a_hundred_kills_lose_no_event() {
    let count = env::var(KILLS_VARIABLE).ok().and_then(|text| text.parse().ok()).unwrap_or(LONG_FORM_KILLS);
    println!("{}", kill_receiver(count).await);
}

/// The sent events, with whether they got a response.
#[derive(Default)]
struct Deliveries {
    next: AtomicU32,
    answered: Mutex<Vec<u32>>,
    /// Events without a response, which are sent again.
    unanswered: Mutex<Vec<u32>>,
}

/// Kills the receiver `count` times, and returns a summary.
async fn kill_receiver(count: u32) -> String {
    let seed = env::var(SEED_VARIABLE).ok().and_then(|text| text.parse().ok()).unwrap_or(1_122);
    let (takt, deliveries, mut dice) = (Takt::new(), Arc::new(Deliveries::default()), Dice::new(seed));
    for _ in 0..count {
        let (mut program, address) = start_listener(&takt);
        let senders: Vec<_> =
            (0..SENDERS).map(|_| tokio::spawn(send_until_killed(Arc::clone(&deliveries), address.clone()))).collect();
        tokio::time::sleep(Duration::from_millis(20 + dice.below(400))).await;
        program.kill();
        for sender in senders {
            sender.await.unwrap();
        }
    }
    let unanswered = std::mem::take(&mut *deliveries.unanswered.lock().unwrap());
    let answered = deliveries.answered.lock().unwrap().clone();
    let repeated: Vec<u32> = answered.iter().copied().take(200).collect();
    let (mut program, address) = start_listener(&takt);
    let client = create_client();
    for id in unanswered.iter().chain(&repeated) {
        assert!(post_event(&client, &address, *id).await, "event {id}");
    }
    program.end(TIMEOUT);
    let stored = stored_counts(&takt);
    let all = deliveries.next.load(Ordering::Relaxed);
    assert!(answered.len() > count as usize, "nothing was under way: {}", answered.len());
    for id in answered.iter().chain(&unanswered) {
        assert_eq!(stored.get(id).map(|stored| stored.events), Some(1), "event {id}");
    }
    for id in &repeated {
        assert!(stored[id].copies >= 1, "event {id} came again");
    }
    assert!(stored.keys().all(|id| *id < all));
    format!(
        "{SEED_VARIABLE}={seed}: {count} kills, {all} events sent, {} of them again for want of an answer",
        unanswered.len()
    )
}

fn start_listener(takt: &Takt) -> (Program, String) {
    let mut program = Program::start("listen", takt.command(&["listen", "--json"]));
    let first: Value = serde_json::from_str(&program.first_line(TIMEOUT)).unwrap();
    let address = first["url"].as_str().unwrap().to_owned();
    (program, address)
}

/// Sends events one after the other until one gets no response, since the receiver was killed.
async fn send_until_killed(deliveries: Arc<Deliveries>, address: String) {
    let client = create_client();
    loop {
        let again = deliveries.unanswered.lock().unwrap().pop();
        let id = again.unwrap_or_else(|| deliveries.next.fetch_add(1, Ordering::Relaxed));
        let answered = post_event(&client, &address, id).await;
        let list = if answered { &deliveries.answered } else { &deliveries.unanswered };
        list.lock().unwrap().push(id);
        if !answered {
            return;
        }
    }
}

async fn post_event(client: &reqwest::Client, address: &str, id: u32) -> bool {
    let request = client.post(address).header("X-Takt-Delivery", format!("crash-{id}")).body(event_body(id));
    request.send().await.is_ok_and(|answer| answer.status() == 200)
}

fn create_client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(20)).build().unwrap()
}

fn event_body(id: u32) -> String {
    format!("{{\"Id\":2,\"WorkOrders\":[{{\"Code\":\"CRASH-{id}\",\"Note\":\"{}\"}}]}}", "x".repeat(id as usize % 3000))
}

#[derive(Default)]
struct StoredCounts {
    events: u32,
    copies: u32,
}

/// Counts the stored events and their copies for each event ID of the sender.
fn stored_counts(takt: &Takt) -> BTreeMap<u32, StoredCounts> {
    let file = rusqlite::Connection::open(takt.home().join("inbox.sqlite")).unwrap();
    let sound: String = file.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    let sql = "SELECT headers, body, (SELECT COUNT(*) FROM copy WHERE copy.event = event.id) FROM event";
    let mut statement = file.prepare(sql).unwrap();
    let mut rows = statement.query([]).unwrap();
    let mut stored: BTreeMap<u32, StoredCounts> = BTreeMap::new();
    while let Some(row) = rows.next().unwrap() {
        let headers: Vec<(String, String)> = serde_json::from_str(&row.get::<_, String>(0).unwrap()).unwrap();
        let delivery = headers.iter().find(|(name, _)| name == "x-takt-delivery").map(|(_, value)| value.as_str());
        // The practice plant sends events, too. They have other delivery IDs.
        let Some(id) = delivery.and_then(|id| id.strip_prefix("crash-")).map(|id| id.parse().unwrap()) else {
            continue;
        };
        assert_eq!(row.get::<_, Vec<u8>>(1).unwrap(), event_body(id).into_bytes(), "event {id}");
        let found = stored.entry(id).or_default();
        found.events += 1;
        found.copies += row.get::<_, u32>(2).unwrap();
    }
    stored
}
