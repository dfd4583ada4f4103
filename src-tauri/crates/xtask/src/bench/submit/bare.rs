//! The bare loop: as many tasks as requests may be on their way, each sending the next body, none writing anything down.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicUsize, Ordering},
    },
    time::Instant,
};

use serde_json::{Value, json};

use super::orders::{Done, SendRequest};
use crate::{
    bench::{machine, peers::ORDERS, subject::wrong},
    error::XtaskError,
};

pub(super) const NAME: &str = "bare-sending";

/// As many as a submission has on its way at most.
const TASKS: usize = 8;

pub(super) fn send(wish: &SendRequest) -> Result<Done, XtaskError> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| wrong(NAME, &error.to_string()))?;
    let orders: Vec<Value> = wish.orders().collect();
    let bodies: Vec<String> =
        orders.chunks(wish.size.max(1) as usize).map(|orders| json!({ "items": orders }).to_string()).collect();
    drop(orders);
    let (began, before) = (Instant::now(), machine::spent(std::process::id()));
    let (requests, accepted) = runtime.block_on(all(wish, bodies)).map_err(|error| wrong(NAME, &error.to_string()))?;
    let seconds = began.elapsed().as_secs_f64();
    let processor = machine::spent_since(before);
    let peak = machine::peak(std::process::id());
    Ok(Done { seconds, processor, accepted, requests, settled: requests, written: 0.0, peak })
}

async fn all(wish: &SendRequest, bodies: Vec<String>) -> Result<(u32, u32), reqwest::Error> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let url = format!("{}{ORDERS}/batch", wish.member("base_url"));
    let (bodies, next) = (Arc::new(bodies), Arc::new(AtomicUsize::new(0)));
    let accepted = Arc::new(AtomicU32::new(0));
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| {
            let (client, url, token) = (client.clone(), url.clone(), wish.token.clone());
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
