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
    http::request_bytes,
    load::Source,
    orders::{NUMBER_PLACEHOLDER, ORDERS_PATH, ORDERS_PER_REQUEST, order},
    plant::{
        peers,
        rounds::{Contender, RoundSettings, Score, run_round, warm_up},
    },
    process::folder,
    report::{Report, Table, format_optional},
    subject::Plant,
};

/// The batches that a connection sends in a round. More new orders wouldn't fit into memory.
const BATCHES_PER_ROUND: usize = 150;
/// The name suffix of contenders that send a single order per request.
const SINGLE_ORDER_SUFFIX: &str = "an order per request";
const JSON_HEADER: &str = "Content-Type: application/json\r\n";

/// A source that sends the same request with new order numbers.
struct FreshOrders {
    bytes: Vec<u8>,
    offsets: Vec<usize>,
    numbers: Arc<AtomicUsize>,
    /// The number of orders after which their numbers restart, so that orders are changed instead of created.
    restart_at: usize,
}

impl Source for FreshOrders {
    fn next(&mut self) -> &[u8] {
        let first = self.numbers.fetch_add(self.offsets.len(), Ordering::Relaxed);
        for (index, offset) in self.offsets.iter().enumerate() {
            let number = format!("{:08}", (first + index) % self.restart_at);
            self.bytes[*offset..*offset + NUMBER_PLACEHOLDER.len()].copy_from_slice(number.as_bytes());
        }
        &self.bytes
    }
}

/// Returns sources that send `request` and share one counter of orders, which restarts at `restart_at`.
pub(crate) fn fresh_orders(request: &[u8], connections: usize, restart_at: usize) -> Vec<Box<dyn Source>> {
    let mark = format!("WO-{NUMBER_PLACEHOLDER}");
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
pub(crate) fn batch_request(plant: &Plant) -> Vec<u8> {
    let items: Vec<Value> = vec![order(); ORDERS_PER_REQUEST as usize];
    let body = json!({ "items": items }).to_string();
    request_bytes(
        "POST",
        &format!("{ORDERS_PATH}/batch"),
        &format!("{}{JSON_HEADER}", plant.headers()),
        body.as_bytes(),
    )
}

/// Measures new and changed orders in the plant and new orders in json-server, in turns.
pub(crate) fn measure(
    plant: &Plant,
    with_peers: bool,
    settings: RoundSettings,
    report: &mut Report,
) -> Result<(), BenchError> {
    let page = plant.get(ORDERS_PATH)?;
    let persistent = start_persistent_plant()?;
    let again = "the same 2,000 orders again";
    let ours = [
        new_orders(plant, settings),
        changed_orders(&format!("takt plant, {again}"), plant, settings),
        changed_orders(&format!("takt plant --data (kept before it answers), {again}"), &persistent, settings),
    ];
    warm_up(&ours, settings);
    let mut scores: Vec<Score> = ours.iter().map(Score::new).collect();
    let mut theirs: Vec<Score> = Vec::new();
    for round in 0..settings.rounds {
        for (contender, score) in ours.iter().zip(&mut scores) {
            run_round(contender, score, settings);
        }
        // If it can't be started the first time, it isn't tried again.
        if with_peers && (round == 0 || !theirs.is_empty()) {
            measure_json_server(&page, &mut theirs, settings);
        }
    }
    plant.reset()?;
    let against = |index: usize| theirs.get(index).and_then(|peer| order_rate_ratio(&scores[0], peer));
    report.at_least("orders stored per second against json-server, one POST each", 5.0, against(0), "times");
    report.at_least("orders stored per second against json-server, 100 as one row", 5.0, against(1), "times");
    scores.extend(theirs);
    report.tables.push(score_table(&scores));
    Ok(())
}

/// Measures a round of json-server, once with an order per request and once with a hundred as one row. It rewrites its
/// whole file with each request, so every round begins with a small one.
fn measure_json_server(page: &[u8], scores: &mut Vec<Score>, settings: RoundSettings) {
    for (index, (name, path, body)) in json_server_requests().into_iter().enumerate() {
        let Some(peer) = peers::start_or_print("json-server", || peers::start_json_server(page)) else { return };
        let request = request_bytes("POST", path, JSON_HEADER, body.as_bytes());
        let contender = Contender {
            name: name.to_owned(),
            subject: &peer.subject,
            sources: Box::new(move || fresh_orders(&request, settings.connections, usize::MAX)),
            responses_per_connection: None,
        };
        if scores.len() == index {
            scores.push(Score::new(&contender));
        }
        run_round(&contender, &mut scores[index], settings);
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
fn order_rate_ratio(ours: &Score, other: &Score) -> Option<f64> {
    ours.rate_ratio(other).map(|ratio| ratio * orders_per_request(ours) / orders_per_request(other))
}

/// Returns the number of orders per request.
fn orders_per_request(score: &Score) -> f64 {
    if score.name.ends_with(SINGLE_ORDER_SUFFIX) { 1.0 } else { 100.0 }
}

fn new_orders(plant: &Plant, settings: RoundSettings) -> Contender<'_> {
    let batch = batch_request(plant);
    Contender {
        name: "**takt plant**, new orders".to_owned(),
        subject: &plant.subject,
        // Removes the orders of the previous round.
        sources: Box::new(move || {
            drop(plant.reset());
            fresh_orders(&batch, settings.connections, usize::MAX)
        }),
        responses_per_connection: Some(BATCHES_PER_ROUND),
    }
}

fn changed_orders<'a>(name: &str, plant: &'a Plant, settings: RoundSettings) -> Contender<'a> {
    let batch = batch_request(plant);
    Contender {
        name: name.to_owned(),
        subject: &plant.subject,
        sources: Box::new(move || fresh_orders(&batch, settings.connections, 2_000)),
        responses_per_connection: None,
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

fn score_table(scores: &[Score]) -> Table {
    let columns = ["server", "requests/s", "orders/s", "takt/this, by orders", "p50 / p99 ms", "CPU µs/order"];
    let mut table =
        Table::new("Orders stored: batches of 100, each validated, merged and logged by the plant", &columns);
    for score in scores {
        let orders = orders_per_request(score);
        let (p50, p99) = score.latency();
        let failed = if score.failures > 0 { format!(" ({} failed)", score.failures) } else { String::new() };
        table.add_row([
            score.name.clone(),
            format!("{}{failed}", format_optional(score.per_second())),
            format_optional(score.per_second().map(|rate| rate * orders)),
            format_optional(order_rate_ratio(&scores[0], score)),
            format!("{} / {}", format_optional(p50), format_optional(p99)),
            format_optional(score.cost().map(|cost| cost / orders)),
        ]);
    }
    table
}
