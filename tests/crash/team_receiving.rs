//! A team's receivers and its database are ended while events pour in and go on to a target: each that was answered is kept once, whoever
//! received it, and arrives at the target, in the order in which they came.

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
    postgres::{Cluster, answer},
};

use crate::{
    dice::Dice,
    kills::seed,
    team::{joined, team},
};

const DESKS: usize = 3;
const TURNS: u32 = 8;
const SENDERS: u32 = 4;
const SOON: Duration = Duration::from_secs(60);
const DRAIN: Duration = Duration::from_secs(120);
/// Between two events of a sender.
const BREATH: Duration = Duration::from_millis(10);

/// What was sent, and what became of it as its sender saw it.
#[derive(Default)]
struct Post {
    next: AtomicU32,
    answered: Mutex<Vec<u32>>,
    /// Sent without an answer: whoever sent it sends it again.
    again: Mutex<Vec<u32>>,
    /// Where the receivers are; a load balancer knows.
    addresses: Mutex<Vec<String>>,
    is_over: Mutex<bool>,
}

#[tokio::test(flavor = "multi_thread")]
async fn receivers_and_their_database_are_ended_and_no_event_is_lost_or_kept_twice() {
    let (cluster, seed) = (Cluster::start(), seed());
    println!("TAKT_CRASH_SEED={seed}");
    let (mut dice, address) = (Dice::new(seed), team(&cluster));
    let plant = Plant::start(&[]);
    let desks: Vec<_> = (0..DESKS).map(|_| Console::in_home(&plant, || joined(&address))).collect();
    let erp = Erp::start(|_| Reply::Status(200));
    let added = desks[0].takt.run(&["forward", "add", "ERP", "--to", erp.url(), "--site", "works"]);
    assert_eq!(added.code, Some(0), "{}", added.err);
    let post = Arc::new(Post::default());
    let mut receivers: Vec<_> = desks.iter().map(|desk| listen(&desk.takt)).collect();
    tell(&post, &receivers);
    let senders: Vec<_> = (0..SENDERS).map(|number| tokio::spawn(send(Arc::clone(&post), number))).collect();
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
                receivers[at] = listen(&desks[at].takt);
                tell(&post, &receivers);
            }
        }
    }
    *post.is_over.lock().unwrap() = true;
    for sender in senders {
        sender.await.unwrap();
    }
    let (answered, unanswered) = (post.answered.lock().unwrap().clone(), post.again.lock().unwrap().clone());
    assert!(unanswered.is_empty(), "{SENDERS} senders go on until each of theirs is answered");
    drained(&desks[0].takt).await;
    receivers.iter_mut().for_each(|(program, _)| program.kill());
    let kept = stored(&address);
    for id in &answered {
        assert_eq!(kept.get(id), Some(&1), "event {id}");
    }
    assert_eq!(kept.len(), answered.len(), "each once");
    let mut seen: HashMap<String, Vec<u8>> = HashMap::new();
    let mut first = Vec::new();
    for one in erp.came() {
        match seen.insert(one.delivery().to_owned(), one.body.clone()) {
            None => first.push(one.delivery().to_owned()),
            Some(body) => assert_eq!(body, one.body),
        }
    }
    assert_eq!(first, in_order(&address), "in the order in which they came, each of them");
    println!("{} events, {} of them at the target more than once", answered.len(), erp.came().len() - first.len());
}

fn tell(post: &Post, receivers: &[(Program, String)]) {
    *post.addresses.lock().unwrap() = receivers.iter().map(|(_, address)| address.clone()).collect();
}

fn listen(takt: &Takt) -> (Program, String) {
    let until = Instant::now() + SOON;
    loop {
        let mut program = Program::start("listen", takt.command(&["listen", "--json", "--site", "works"]));
        let told = program.wait_for("a receiver, or why there is none", SOON, |program| {
            let line = program.printed().lines().next().map(str::to_owned);
            line.or_else(|| program.complained().contains("database").then(String::new))
        });
        if let Ok(first) = serde_json::from_str::<Value>(&told) {
            return (program, first["url"].as_str().unwrap().to_owned());
        }
        // A supervisor starts it again while the database is away.
        assert!(Instant::now() < until, "{}", program.complained());
        program.kill();
    }
}

/// One event after the other at any of the receivers; each until it is answered, as a service does.
async fn send(post: Arc<Post>, number: u32) {
    let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(45)).build().unwrap();
    let mut turn = number as usize;
    loop {
        let again = post.again.lock().unwrap().pop();
        if again.is_none() && *post.is_over.lock().unwrap() {
            return;
        }
        let id = again.unwrap_or_else(|| post.next.fetch_add(1, Ordering::Relaxed));
        let addresses = post.addresses.lock().unwrap().clone();
        turn += 1;
        let request = client.post(&addresses[turn % addresses.len()]).header("X-Takt-Delivery", format!("crash-{id}"));
        let body = format!("{{\"Id\":2,\"WorkOrders\":[{{\"Code\":\"CRASH-{id}\"}}]}}");
        let is_answered = request.body(body).send().await.is_ok_and(|answer| answer.status() == 200);
        if is_answered { &post.answered } else { &post.again }.lock().unwrap().push(id);
        tokio::time::sleep(BREATH).await;
    }
}

async fn drained(takt: &Takt) {
    let until = Instant::now() + DRAIN;
    loop {
        let listed = takt.run(&["forward", "list", "--site", "works", "--json"]);
        if listed.json().first().is_some_and(|target| target["state"] == "up-to-date") {
            return;
        }
        assert!(Instant::now() < until, "{}{}", listed.out, listed.err);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// The deliveries in the order in which they were kept.
fn in_order(address: &str) -> Vec<String> {
    let headers = answer(address, "SELECT headers FROM takt.event ORDER BY id");
    let delivery = |line: &str| -> String {
        let headers: Vec<(String, String)> = serde_json::from_str(line).unwrap();
        headers.into_iter().find(|(name, _)| name == "x-takt-delivery").unwrap().1
    };
    headers.lines().map(delivery).collect()
}

/// How often each event is kept.
fn stored(address: &str) -> BTreeMap<u32, u32> {
    let mut counts = BTreeMap::new();
    for delivery in in_order(address) {
        *counts.entry(delivery.strip_prefix("crash-").unwrap().parse().unwrap()).or_default() += 1;
    }
    counts
}
