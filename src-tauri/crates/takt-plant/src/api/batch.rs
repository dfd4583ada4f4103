//! Performs batches, which are syncs and deletions of links between templates and processes.
//!
//! Each item is applied independently, so some items of a batch may fail. Results are in the order of the request.

use std::sync::Arc;

use axum::http::{StatusCode, request::Parts};
use serde::Deserialize;
use serde_json::{Value, json};
use takt_contract::wire::{BatchResponse, BatchResult, TemplateProcessLink};

use crate::{
    Plant,
    answer::{Answer, Reply, ReplyContent},
    interface::{
        Route,
        items::{ItemCheck, MAX_REASONS, MORE_ERRORS, THE_ITEM, parse_items},
        limited_json::ITEMS,
    },
    log_entry::LogEntry,
    store::SyncOperation,
};

/// The reason for an item that a fault rejects.
const FAULT_REASON: &str = "The item was refused by a business rule of the plant.";

/// The head of a batch request, and the user for the history of orders.
pub(super) struct BatchRequest<'a> {
    pub(super) parts: &'a Parts,
    pub(super) user: &'a str,
}

/// Performs a sync and returns a result for each item.
pub(super) fn sync_items(
    plant: &Arc<Plant>,
    route: &Route,
    sync: SyncOperation,
    request: &BatchRequest<'_>,
    bytes: &[u8],
    refuse_some: bool,
    entry: &mut LogEntry,
) -> Result<Reply, Answer> {
    let mut items = parse_items(request.parts, bytes, plant.config.batch_limit)?;
    let Some(check) = &route.check else { return Err(Answer::bad_request("The operation takes no items.")) };
    // Validation takes time, so it is done before the store is locked.
    let checked: Vec<_> = items.iter_mut().map(|item| (check.result_key(item), check.violations(item))).collect();
    let refused_items = choose_refused_items(plant, refuse_some, items.len());
    let changed = plant.change_store(Some(entry), |store, now, entry| {
        let mut results = Vec::with_capacity(items.len());
        for (index, (item, (key, mut errors))) in items.iter_mut().zip(checked).enumerate() {
            if errors.is_empty() && refused_items.get(index) == Some(&true) {
                errors.push(FAULT_REASON.to_owned());
            }
            if let (true, Value::Object(item)) = (errors.is_empty(), item) {
                errors = store.apply_item(sync, item, now, request.user).err().unwrap_or_default();
            }
            results.push(BatchResult { key, success: errors.is_empty(), errors });
        }
        log_results(&results, entry);
        results
    });
    let results = changed.map_err(|error| Answer::log_internal_error(plant.new_log_id(), &error))?;
    Ok(build_reply(results, StatusCode::MULTI_STATUS))
}

/// Deletes links. The status is 200 even if some don't exist, and results have no reasons. A result repeats the three
/// fields of its link, so a batch with an invalid link is rejected as a whole.
pub(super) fn delete_links(
    plant: &Arc<Plant>,
    route: &Route,
    request: &BatchRequest<'_>,
    bytes: &[u8],
    refuse_some: bool,
    entry: &mut LogEntry,
) -> Result<Reply, Answer> {
    let mut items = parse_items(request.parts, bytes, plant.config.batch_limit)?;
    let Some(check) = &route.check else { return Err(Answer::bad_request("The operation takes no items.")) };
    let violations = collect_violations(check, &mut items);
    if !violations.is_empty() {
        return Err(Answer::errors(StatusCode::PRECONDITION_FAILED, violations));
    }
    let refused_items = choose_refused_items(plant, refuse_some, items.len());
    let changed = plant.change_store(Some(entry), |store, _now, entry| {
        let mut results = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let link = TemplateProcessLink::deserialize(item).ok().filter(|_| refused_items.get(index) != Some(&true));
            let success = link.is_some_and(|link| store.remove_link(&link));
            results.push(BatchResult { key: check.result_key(item), success, errors: Vec::new() });
        }
        log_results(&results, entry);
        results
    });
    let results = changed.map_err(|error| Answer::log_internal_error(plant.new_log_id(), &error))?;
    Ok(build_reply(results, StatusCode::OK))
}

/// Returns a flag for each item that is true if a fault rejects it. Empty if no item is rejected.
fn choose_refused_items(plant: &Plant, refuse_some: bool, count: usize) -> Vec<bool> {
    if refuse_some { plant.fault_selector.lock().choose_affected_items(count) } else { Vec::new() }
}

/// Adds the result of each item to the log entry.
fn log_results(results: &[BatchResult], entry: Option<&mut LogEntry>) {
    let Some(entry) = entry else { return };
    entry.applied.extend(results.iter().map(|result| {
        let mut applied_item = result.key.clone();
        applied_item.insert("success".to_owned(), json!(result.success));
        applied_item
    }));
}

/// Builds the response to a batch. `partial` is the status if any item failed.
fn build_reply(results: Vec<BatchResult>, partial: StatusCode) -> Reply {
    let total = results.len();
    let success = results.iter().filter(|result| result.success).count();
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let status = if success == total { StatusCode::OK } else { partial };
    let batch = BatchResponse {
        total_items: count(total),
        success_count: count(success),
        error_count: count(total - success),
        results,
    };
    Reply { status, content: ReplyContent::Batch(batch), pages: None }
}

/// Returns a sentence for each rule that an item violates, up to a limit.
fn collect_violations(check: &ItemCheck, items: &mut [Value]) -> Vec<String> {
    let mut violations = Vec::new();
    for (index, item) in items.iter_mut().enumerate() {
        let path = format!("{ITEMS}.{index}");
        for sentence in check.violations(item) {
            let message = sentence.strip_prefix(THE_ITEM).map(|rest| format!("{path}{rest}"));
            violations.push(message.unwrap_or_else(|| format!("{path}.{sentence}")));
        }
        if violations.len() > MAX_REASONS {
            violations.truncate(MAX_REASONS);
            violations.push(MORE_ERRORS.to_owned());
            break;
        }
    }
    violations
}
