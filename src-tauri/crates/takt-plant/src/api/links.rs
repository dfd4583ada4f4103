//! Batch deletion of template-process links.

use std::sync::Arc;

use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use takt_contract::wire::{BatchResult, TemplateProcessLink};

use crate::{
    Plant,
    answer::{Answer, Reply},
    api::batch::{Sender, batch_reply, log_results, refused_items},
    interface::{
        Route,
        items::{ItemCheck, parse_items},
        reader::ITEMS,
        violation::{MAX_REASONS, MORE_ERRORS, THE_ITEM},
    },
    log_entry::LogEntry,
};

/// Deletes links independently of each other. The status is always 200, and a result has no member for a reason. A
/// result repeats the three fields of its link, so a batch with an invalid link is refused as a whole.
pub(super) fn delete(
    plant: &Arc<Plant>,
    route: &Route,
    sender: &Sender<'_>,
    bytes: &[u8],
    refuse_some: bool,
    entry: &mut LogEntry,
) -> Result<Reply, Answer> {
    let mut items = parse_items(sender.parts, bytes, plant.config.batch_limit)?;
    let Some(check) = &route.check else { return Err(Answer::bad_request("The operation takes no items.")) };
    let violations = violations(check, &mut items);
    if !violations.is_empty() {
        return Err(Answer::errors(StatusCode::PRECONDITION_FAILED, violations));
    }
    let refused_items = refused_items(plant, refuse_some, items.len());
    let changed = plant.change(Some(entry), |store, _now, entry| {
        let mut results = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let link = TemplateProcessLink::deserialize(item).ok().filter(|_| refused_items.get(index) != Some(&true));
            let success = link.is_some_and(|link| store.remove_link(&link));
            results.push(BatchResult { key: check.key(item), success, errors: Vec::new() });
        }
        log_results(&results, entry);
        results
    });
    let results = changed.map_err(|error| Answer::internal_logged(plant.log_id(), &error))?;
    Ok(batch_reply(results, StatusCode::OK))
}

/// Returns one sentence for each rule that an item violates.
fn violations(check: &ItemCheck, items: &mut [Value]) -> Vec<String> {
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
