//! The yardsticks of `bench submit`: the same requests, inserts and reads without a journal.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicUsize, Ordering},
    },
    time::Instant,
};

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use crate::{
    error::{BenchError, unexpected_result},
    machine,
    orders::ORDERS_PATH,
    process::folder,
    submit::exchange::{SendRequest, SendResult},
};

/// The hidden program that sends: a fixed number of tasks, each sending the next body.
pub(crate) const SENDING: &str = "bare-sending";
/// The hidden program that inserts the same rows into one plain table, in one transaction with the journal's
/// durability.
pub(crate) const WRITING: &str = "bare-writing";
/// The hidden program that reads the pages of a preview.
pub(crate) const READING: &str = "bare-reading";

/// The number of requests in flight, as in a submission.
const MAX_IN_FLIGHT: usize = 8;

pub(crate) fn send(input: &SendRequest) -> Result<SendResult, BenchError> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| unexpected_result(SENDING, &error.to_string()))?;
    let orders: Vec<Value> = input.orders().collect();
    let bodies: Vec<String> =
        orders.chunks(input.size.max(1) as usize).map(|orders| json!({ "items": orders }).to_string()).collect();
    drop(orders);
    let (began, before) = (Instant::now(), machine::processor_time(std::process::id()));
    let (requests, accepted) =
        runtime.block_on(send_all(input, bodies)).map_err(|error| unexpected_result(SENDING, &error.to_string()))?;
    let seconds = began.elapsed().as_secs_f64();
    let processor = machine::processor_seconds_since(before);
    let peak = machine::peak_memory(std::process::id());
    Ok(SendResult { seconds, processor, accepted, requests, settled: requests, written: 0.0, peak })
}

async fn send_all(input: &SendRequest, bodies: Vec<String>) -> Result<(u32, u32), reqwest::Error> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let url = format!("{}{ORDERS_PATH}/batch", input.member("base_url"));
    let (bodies, next) = (Arc::new(bodies), Arc::new(AtomicUsize::new(0)));
    let accepted = Arc::new(AtomicU32::new(0));
    let tasks: Vec<_> = (0..MAX_IN_FLIGHT)
        .map(|_| {
            let (client, url, token) = (client.clone(), url.clone(), input.token.clone());
            let (bodies, next, accepted) = (Arc::clone(&bodies), Arc::clone(&next), Arc::clone(&accepted));
            tokio::spawn(async move {
                while let Some(body) = bodies.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let request = client.post(&url).bearer_auth(&token).header("Content-Type", "application/json");
                    let answer: Value = request.body(body.clone()).send().await?.json().await?;
                    let count = answer["successCount"].as_u64().unwrap_or_default();
                    accepted.fetch_add(u32::try_from(count).unwrap_or_default(), Ordering::Relaxed);
                }
                Ok::<(), reqwest::Error>(())
            })
        })
        .collect();
    for task in tasks {
        if let Ok(done) = task.await {
            done?;
        }
    }
    Ok((u32::try_from(bodies.len()).unwrap_or(u32::MAX), accepted.load(Ordering::Relaxed)))
}

pub(crate) fn write(input: &SendRequest) -> Result<SendResult, BenchError> {
    let work_folder = folder().join("submit");
    // Removes the files of an earlier run.
    drop(fs::remove_dir_all(&work_folder));
    fs::create_dir_all(&work_folder).map_err(BenchError::file(&work_folder))?;
    let began = Instant::now();
    let accepted = insert_orders(input, &work_folder.join("bare.sqlite"))
        .map_err(|error| unexpected_result(WRITING, &error.to_string()))?;
    let written = began.elapsed().as_secs_f64();
    fs::remove_dir_all(&work_folder).map_err(BenchError::file(&work_folder))?;
    Ok(SendResult { written, accepted, peak: machine::peak_memory(std::process::id()), ..SendResult::default() })
}

fn insert_orders(input: &SendRequest, file: &std::path::Path) -> rusqlite::Result<u32> {
    let mut connection = Connection::open(file)?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.execute_batch(
        "CREATE TABLE item (number INTEGER PRIMARY KEY, key TEXT NOT NULL, body TEXT NOT NULL, sheet TEXT NOT NULL,
         row INTEGER NOT NULL) STRICT",
    )?;
    let transaction = connection.transaction()?;
    let mut count = 0;
    {
        let mut statement = transaction.prepare("INSERT INTO item VALUES (?1, ?2, ?3, ?4, ?5)")?;
        for order in input.orders() {
            count += 1;
            let key = format!("{} · 010", order["code"].as_str().unwrap_or_default());
            statement.execute(params![count, key, order.to_string(), "Orders", count + 1])?;
        }
    }
    transaction.commit()?;
    Ok(count)
}

/// The largest page.
const ROWS_PER_PAGE: u32 = 100;

/// Reads and parses the pages without storing them.
pub(crate) fn read(input: &SendRequest) -> Result<SendResult, BenchError> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| unexpected_result(READING, &error.to_string()))?;
    let began = Instant::now();
    let (requests, accepted) =
        runtime.block_on(read_pages(input)).map_err(|error| unexpected_result(READING, &error.to_string()))?;
    let seconds = began.elapsed().as_secs_f64();
    Ok(SendResult {
        processor: None,
        seconds,
        accepted,
        requests,
        settled: requests,
        peak: machine::peak_memory(std::process::id()),
        ..SendResult::default()
    })
}

async fn read_pages(input: &SendRequest) -> Result<(u32, u32), reqwest::Error> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let (mut requests, mut rows) = (0, 0);
    loop {
        requests += 1;
        let url = format!("{}{ORDERS_PATH}?page={requests}&limit={ROWS_PER_PAGE}", input.member("base_url"));
        let page: Value = client.get(url).bearer_auth(&input.token).send().await?.error_for_status()?.json().await?;
        let here = page["data"].as_array().map_or(0, Vec::len);
        rows += u32::try_from(here).unwrap_or_default();
        if here < ROWS_PER_PAGE as usize {
            return Ok((requests, rows));
        }
    }
}
