//! Batches: each item is applied independently, results come in request order, and partial success is possible.

use std::sync::Arc;

use axum::http::{StatusCode, request::Parts};
use serde_json::{Value, json};
use takt_contract::wire::{BatchAnswer, BatchResult};

use crate::{
    Plant,
    answer::{Answer, Content, Reply},
    interface::{Route, items::parse_items},
    log_entry::LogEntry,
    store::SyncOperation,
};

/// The reason for refusing an item because of a fault.
const FAULT_REASON: &str = "The item was refused by a business rule of the plant.";

/// The head of a batch's request, and its user for the store's history.
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
    let mut items = parse_items(sender.parts, bytes, plant.config.batch_limit)?;
    let Some(check) = &route.check else { return Err(Answer::bad_request("The operation takes no items.")) };
    // Validation takes time, so it happens before the store is locked.
    let checked: Vec<_> = items.iter_mut().map(|item| (check.key(item), check.violations(item))).collect();
    let refused_items = refused_items(plant, refuse_some, items.len());
    let changed = plant.change(Some(entry), |store, now, entry| {
        let mut results = Vec::with_capacity(items.len());
        for (index, (item, (key, mut errors))) in items.iter_mut().zip(checked).enumerate() {
            if errors.is_empty() && refused_items.get(index) == Some(&true) {
                errors.push(FAULT_REASON.to_owned());
            }
            if let (true, Value::Object(item)) = (errors.is_empty(), item) {
                errors = store.apply(sync, item, now, sender.user).err().unwrap_or_default();
            }
            results.push(BatchResult { key, success: errors.is_empty(), errors });
        }
        log_results(&results, entry);
        results
    });
    let results = changed.map_err(|error| Answer::internal_logged(plant.log_id(), &error))?;
    Ok(batch_reply(results, StatusCode::MULTI_STATUS))
}

/// Returns the items that a fault refuses, as one flag per item.
pub(super) fn refused_items(plant: &Plant, refuse_some: bool, count: usize) -> Vec<bool> {
    if refuse_some { plant.dice.lock().choose_items(count) } else { Vec::new() }
}

/// Logs the outcome of each item.
pub(super) fn log_results(results: &[BatchResult], entry: Option<&mut LogEntry>) {
    let Some(entry) = entry else { return };
    entry.applied.extend(results.iter().map(|result| {
        let mut applied_item = result.key.clone();
        applied_item.insert("success".to_owned(), json!(result.success));
        applied_item
    }));
}

/// Builds the response of a batch. `partial` is the status if an item failed.
pub(super) fn batch_reply(results: Vec<BatchResult>, partial: StatusCode) -> Reply {
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
