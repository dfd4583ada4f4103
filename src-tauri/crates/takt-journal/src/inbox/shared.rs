//! Rules and targets of a team as its record of changes knows them, and how they are put back.
//!
//! What is secret about a target isn't in it. A target that is put back after it was removed begins with the next event.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    InboxStore, TargetKeys,
    answer::insert_rules,
    forward::{NewTarget, Start, delete_target, insert_target, target_number, update_target},
};
use crate::JournalError;
use crate::database::{OptionalExtension, Transaction, params};
use crate::shared_change::{self, Bodies, SharedKind, SharedThing, is_same};

/// Rules by which nothing is decided.
const NO_RULES: &str = r#"{"rules":[]}"#;

/// A target, without what only tells how far it is.
#[derive(Serialize, Deserialize)]
struct TargetBody {
    name: String,
    address: String,
    kinds: Vec<i64>,
    keys: TargetKeys,
}

pub(super) fn rules_of(site: &str) -> SharedThing {
    thing(SharedKind::Rules, site, "")
}

pub(super) fn target_of(site: &str, name: &str) -> SharedThing {
    thing(SharedKind::Target, site, name)
}

fn thing(kind: SharedKind, site: &str, key: &str) -> SharedThing {
    SharedThing { kind, site: site.to_owned(), operation: String::new(), key: key.to_owned() }
}

impl InboxStore {
    /// Changes one of these, and records it where a team shares it.
    pub(super) fn change_shared<T>(
        &self,
        transaction: &Transaction<'_>,
        (before, after): (&SharedThing, &SharedThing),
        at: Timestamp,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        let Some(team) = self.team() else { return change(transaction) };
        let body_before = body_of(transaction, before)?;
        let changed = change(transaction)?;
        let body_after = body_of(transaction, after)?;
        let name = if after.key.is_empty() { &after.site } else { &after.key };
        let bodies = Bodies { before: body_before.as_deref(), after: body_after.as_deref() };
        shared_change::record(transaction, after, (name, team.person(), at), bodies)?;
        Ok(changed)
    }
}

/// What it is now; absent where there is none.
pub(crate) fn body_of(transaction: &Transaction<'_>, thing: &SharedThing) -> Result<Option<String>, JournalError> {
    if thing.kind == SharedKind::Rules {
        let sql = "SELECT text FROM rules WHERE site = ?1 ORDER BY version DESC LIMIT 1";
        let found: Option<String> =
            transaction.prepare_cached(sql)?.query_row([&thing.site], |row| row.get(0)).optional()?;
        return Ok(found.filter(|text| !is_same(Some(text), Some(NO_RULES))));
    }
    let sql = "SELECT name, address, kinds, keys FROM target WHERE site = ?1 AND name = ?2";
    let found: Option<(String, String, String, String)> = transaction
        .prepare_cached(sql)?
        .query_row(params![thing.site, thing.key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .optional()?;
    let Some((name, address, kinds, keys)) = found else { return Ok(None) };
    let body = TargetBody { name, address, kinds: serde_json::from_str(&kinds)?, keys: serde_json::from_str(&keys)? };
    Ok(Some(serde_json::to_string(&body)?))
}

/// Puts one of these as it was; where there was none, it goes.
pub(crate) fn put(
    transaction: &Transaction<'_>,
    thing: &SharedThing,
    (body, at): (Option<&str>, Timestamp),
) -> Result<(), JournalError> {
    if thing.kind == SharedKind::Rules {
        return insert_rules(transaction, &thing.site, at, body.unwrap_or(NO_RULES)).map(drop);
    }
    let there = target_number(transaction, &thing.site, &thing.key)?;
    let Some(body) = body else { return there.map_or(Ok(()), |id| delete_target(transaction, id).map(drop)) };
    let TargetBody { name, address, kinds, keys } = serde_json::from_str(body)?;
    let target = NewTarget { site: thing.site.clone(), name, address, kinds, keys, at };
    match there {
        Some(id) => update_target(transaction, id, &target),
        None => insert_target(transaction, &target, Start::Now).map(drop),
    }
}
