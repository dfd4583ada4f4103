//! Restores rules and targets from a team's record of changes. A removed target that is restored starts with the next
//! event.

use jiff::Timestamp;

use super::answer::insert_rules;
use super::change_record::{NO_RULES, TargetBody};
use super::forward::{ForwardStart, NewTarget, delete_target, find_target, insert_target, update_target};
use crate::JournalError;
use crate::database::Transaction;
use crate::shared_change::{SharedKind, SharedObject};

/// Restores rules or a target from `body`. Without it, stores empty rules or removes the target.
pub(crate) fn replace(
    transaction: &Transaction<'_>,
    object: &SharedObject,
    body: Option<&str>,
    at: Timestamp,
) -> Result<(), JournalError> {
    if object.kind == SharedKind::Rules {
        return insert_rules(transaction, &object.site, at, body.unwrap_or(NO_RULES)).map(drop);
    }
    let existing = find_target(transaction, &object.site, &object.key)?;
    let Some(body) = body else { return existing.map_or(Ok(()), |id| delete_target(transaction, id).map(drop)) };
    let TargetBody { name, address, kinds, keys } = serde_json::from_str(body)?;
    let target = NewTarget { site: object.site.clone(), name, address, kinds, keys, at };
    match existing {
        Some(id) => update_target(transaction, id, &target),
        None => insert_target(transaction, &target, ForwardStart::Now).map(drop),
    }
}
