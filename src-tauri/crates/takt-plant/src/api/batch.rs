//! Batches: every item by itself, a result for each in request order, and partial success.

use std::sync::Arc;

use axum::http::{StatusCode, request::Parts};
use serde_json::{Value, json};
use takt_contract::wire::{BatchAnswer, BatchResult};

use crate::{
    Plant,
    answer::{Answer, Content, Reply},
    interface::{Route, items::items},
    log_entry::LogEntry,
    store::SyncOperation,
};

/// Why an item is refused that a fault struck.
const STRUCK: &str = "The item was refused by a business rule of the plant.";

/// Who sends a batch, as the store's history names it.
pub(super) struct Sender<'a> {
    pub(super) parts: &'a Parts,
    pub(super) user: &'a str,
}

/// Answers a synchronization.
pub(super) fn sync(
    plant: &Arc<Plant>,
    route: &Route,
    sync: SyncOperation,
    sender: &Sender<'_>,
    bytes: &[u8],
    refuse_some: bool,
    entry: &mut LogEntry,
) -> Result<Reply, Answer> {
    let mut items = items(sender.parts, bytes, plant.config.batch_limit)?;
    let Some(check) = &route.check else { return Err(Answer::bad_request("The operation takes no items.")) };
    // What costs time is done before the store is locked.
    let checked: Vec<_> = items.iter_mut().map(|item| (check.key(item), check.violations(item))).collect();
    let struck = struck(plant, refuse_some, items.len());
    let changed = plant.change(Some(entry), |store, now, entry| {
        let mut results = Vec::with_capacity(items.len());
        for (index, (item, (key, mut errors))) in items.iter_mut().zip(checked).enumerate() {
            if errors.is_empty() && struck.get(index) == Some(&true) {
                errors.push(STRUCK.to_owned());
            }
            if let (true, Value::Object(item)) = (errors.is_empty(), item) {
                errors = store.apply(sync, item, now, sender.user).err().unwrap_or_default();
            }
            results.push(BatchResult { key, success: errors.is_empty(), errors });
        }
        note(&results, entry);
        results
    });
    let results = changed.map_err(|error| Answer::broken(plant.log_id(), &error))?;
    Ok(reply(results, StatusCode::MULTI_STATUS))
}

/// Which items a fault refuses.
pub(super) fn struck(plant: &Plant, refuse_some: bool, count: usize) -> Vec<bool> {
    if refuse_some { plant.dice.lock().strike(count) } else { Vec::new() }
}

/// Notes in the log what became of each item.
pub(super) fn note(results: &[BatchResult], entry: Option<&mut LogEntry>) {
    let Some(entry) = entry else { return };
    entry.applied.extend(results.iter().map(|result| {
        let mut line = result.key.clone();
        line.insert("success".to_owned(), json!(result.success));
        line
    }));
}

/// The answer of a batch.
pub(super) fn reply(results: Vec<BatchResult>, partial: StatusCode) -> Reply {
    let total = results.len();
    let success = results.iter().filter(|result| result.success).count();
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let status = if success == total { StatusCode::OK } else { partial };
    let batch = BatchAnswer {
        total_items: count(total),
        success_count: count(success),
        error_count: count(total - success),
        results,
    };
    Reply { status, content: Content::Batch(batch), pages: None }
}
