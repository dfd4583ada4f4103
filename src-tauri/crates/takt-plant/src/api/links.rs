//! The batch delete of template-process links.

use std::sync::Arc;

use axum::http::StatusCode;
use serde::Deserialize;
use takt_contract::wire::{BatchResult, TemplateProcessLink};

use crate::{
    Plant,
    answer::{Answer, Reply},
    api::batch::{Sender, note, reply, struck},
    interface::{Route, items::items},
    log_entry::LogEntry,
};

/// Deletes links, each by itself; what is no link is refused, and its fields are repeated as they came. The status is 200 whatever became of them, and a result has no member for a reason.
pub(super) fn delete(
    plant: &Arc<Plant>,
    route: &Route,
    sender: &Sender<'_>,
    bytes: &[u8],
    refuse_some: bool,
    entry: &mut LogEntry,
) -> Result<Reply, Answer> {
    let mut items = items(sender.parts, bytes, plant.config.batch_limit)?;
    let Some(check) = &route.check else { return Err(Answer::bad_request("The operation takes no items.")) };
    let checked: Vec<_> =
        items.iter_mut().map(|item| (check.key_as_it_came(item), check.violations(item).is_empty())).collect();
    let struck = struck(plant, refuse_some, items.len());
    let changed = plant.change(Some(entry), |store, _now, entry| {
        let mut results = Vec::with_capacity(items.len());
        for (index, (item, (key, valid))) in items.iter().zip(checked).enumerate() {
            let link =
                TemplateProcessLink::deserialize(item).ok().filter(|_| valid && struck.get(index) != Some(&true));
            let success = link.is_some_and(|link| store.remove_link(&link));
            results.push(BatchResult { key, success, errors: Vec::new() });
        }
        note(&results, entry);
        results
    });
    let results = changed.map_err(|error| Answer::broken(plant.log_id(), &error))?;
    Ok(reply(results, StatusCode::OK))
}
