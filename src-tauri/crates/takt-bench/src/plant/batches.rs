//! Measures batches of a hundred orders: validated and stored by the plant, and only stored, one by one, by
//! json-server.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::{Value, json};

use crate::{
    error::BenchError,
    http::request,
    load::Source,
    orders::{NUMBER, ORDERS, ORDERS_PER_REQUEST, order},
    plant::{
        peers,
        rounds::{Contender, Effort, Score, run_round, warm_up},
    },
    process::folder,
    report::{Report, Table, format_optional},
    subject::Plant,
};

/// The batches that a connection sends in a round: many new orders, but within memory.
const BATCHES: usize = 150;
/// The end of the names of contenders that send a single order per request.
const ONE_EACH: &str = "an order per request";
const JSON: &str = "Content-Type: application/json\r\n";

/// A source that sends the same request with new order numbers.
struct FreshOrders {
    bytes: Vec<u8>,
    offsets: Vec<usize>,
    numbers: Arc<AtomicUsize>,
    /// Numbers restart after this many, so that orders are changed instead of created.
    restart_at: usize,
}

impl Source for FreshOrders {
    fn next(&mut self) -> &[u8] {
        let first = self.numbers.fetch_add(self.offsets.len(), Ordering::Relaxed);
        for (index, offset) in self.offsets.iter().enumerate() {
            let number = format!("{:08}", (first + index) % self.restart_at);
            self.bytes[*offset..*offset + NUMBER.len()].copy_from_slice(number.as_bytes());
        }
        &self.bytes
    }
}

/// Returns sources that send `request` and share one counter of orders, which restarts at `restart_at`.
pub(crate) fn fresh_orders(request: &[u8], connections: usize, restart_at: usize) -> Vec<Box<dyn Source>> {
    let mark = format!("WO-{NUMBER}");
    let offsets: Vec<usize> = (0..request.len().saturating_sub(mark.len()))
        .filter(|at| request[*at..].starts_with(mark.as_bytes()))
        .map(|at| at + 3)
        .collect();
    let numbers = Arc::new(AtomicUsize::new(1));
    let source =
        || FreshOrders { bytes: request.to_vec(), offsets: offsets.clone(), numbers: Arc::clone(&numbers), restart_at };
    (0..connections).map(|_| Box::new(source()) as Box<dyn Source>).collect()
}

/// Returns the request of a batch of a hundred orders.
pub(crate) fn batch(plant: &Plant) -> Vec<u8> {
    let items: Vec<Value> = vec![order(); ORDERS_PER_REQUEST as usize];
    let body = json!({ "items": items }).to_string();
    request("POST", &format!("{ORDERS}/batch"), &format!("{}{JSON}", plant.headers()), body.as_bytes())
}

/// Measures new and changed orders in the plant and new orders in json-server, in turns.
pub(crate) fn measure(plant: &Plant, with_peers: bool, effort: Effort, report: &mut Report) -> Result<(), BenchError> {
    let page = plant.get(ORDERS)?;
    let persistent = start_persistent_plant()?;
    let again = "the same 2,000 orders again";
    let ours = [
        new_orders(plant, effort),
        changed_orders(&format!("takt plant, {again}"), plant, effort),
        changed_orders(&format!("takt plant --data (kept before it answers), {again}"), &persistent, effort),
    ];
    warm_up(&ours, effort);
    let mut scores: Vec<Score> = ours.iter().map(Score::new).collect();
    let mut theirs: Vec<Score> = Vec::new();
    for round in 0..effort.rounds {
        for (contender, score) in ours.iter().zip(&mut scores) {
            run_round(contender, score, effort);
        }
        // If it can't be started the first time, it isn't tried again.
        if with_peers && (round == 0 || !theirs.is_empty()) {
            json_server(&page, &mut theirs, effort);
        }
    }
    plant.reset()?;
    let against = |index: usize| theirs.get(index).and_then(|peer| by_orders(&scores[0], peer));
    report.at_least("orders stored per second against json-server, one POST each", 5.0, against(0), "times");
    report.at_least("orders stored per second against json-server, 100 as one row", 5.0, against(1), "times");
    scores.extend(theirs);
    report.tables.push(table(&scores));
    Ok(())
}

/// Measures a round of json-server, once with an order per request and once with a hundred as one row. It rewrites its
/// whole file with each request, so every round begins with a small one.
fn json_server(page: &[u8], scores: &mut Vec<Score>, effort: Effort) {
    for (index, (name, path, body)) in json_server_requests().into_iter().enumerate() {
        let Some(peer) = peers::started("json-server", || peers::json_server(page)) else { return };
        let request = request("POST", path, JSON, body.as_bytes());
        let contender = Contender {
            name: name.to_owned(),
            subject: &peer.subject,
            sources: Box::new(move || fresh_orders(&request, effort.connections, usize::MAX)),
            answers_each: None,
        };
        if scores.len() == index {
            scores.push(Score::new(&contender));
        }
        run_round(&contender, &mut scores[index], effort);
    }
}

/// Starts a plant that stores its data in a folder, which is empty at first.
fn start_persistent_plant() -> Result<Plant, BenchError> {
    let folder = folder().join("data");
    // The folder may not exist.
    drop(fs::remove_dir_all(&folder));
    Plant::start("kept", &["--data", &folder.to_string_lossy()])
}

/// Returns the ratio of orders per second.
fn by_orders(ours: &Score, other: &Score) -> Option<f64> {
    ours.over(other).map(|ratio| ratio * orders_each(ours) / orders_each(other))
}

/// Returns the number of orders per request.
fn orders_each(score: &Score) -> f64 {
    if score.name.ends_with(ONE_EACH) { 1.0 } else { 100.0 }
}

fn new_orders(plant: &Plant, effort: Effort) -> Contender<'_> {
    let batch = batch(plant);
    Contender {
        name: "**takt plant**, new orders".to_owned(),
        subject: &plant.subject,
        // Removes the orders of the previous round.
        sources: Box::new(move || {
            drop(plant.reset());
            fresh_orders(&batch, effort.connections, usize::MAX)
        }),
        answers_each: Some(BATCHES),
    }
}

fn changed_orders<'a>(name: &str, plant: &'a Plant, effort: Effort) -> Contender<'a> {
    let batch = batch(plant);
    Contender {
        name: name.to_owned(),
        subject: &plant.subject,
        sources: Box::new(move || fresh_orders(&batch, effort.connections, 2_000)),
        answers_each: None,
    }
}

/// Returns the requests to json-server: name, path and body.
fn json_server_requests() -> [(&'static str, &'static str, String); 2] {
    let whole = json!({ "items": vec![order(); ORDERS_PER_REQUEST as usize] });
    [
        ("json-server 0.17.4, an order per request", "/orders", order().to_string()),
        ("json-server 0.17.4, 100 orders as one row", "/batches", whole.to_string()),
    ]
}

fn table(scores: &[Score]) -> Table {
    let columns = ["server", "requests/s", "orders/s", "takt/this, by orders", "p50 / p99 ms", "CPU µs/order"];
    let mut table =
        Table::new("Orders stored: batches of 100, each validated, merged and logged by the plant", &columns);
    for score in scores {
        let orders = orders_each(score);
        let (p50, p99) = score.latency();
        let failed = if score.failures > 0 { format!(" ({} failed)", score.failures) } else { String::new() };
        table.row([
            score.name.clone(),
            format!("{}{failed}", format_optional(score.per_second())),
            format_optional(score.per_second().map(|rate| rate * orders)),
            format_optional(by_orders(&scores[0], score)),
            format!("{} / {}", format_optional(p50), format_optional(p99)),
            format_optional(score.cost().map(|cost| cost / orders)),
        ]);
    }
    table
}
