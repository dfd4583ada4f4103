//! Records the changes of rules and targets in a team. The record has no secrets of a target.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::forward::TargetKeys;
use super::store::InboxStore;
use crate::JournalError;
use crate::database::{OptionalExtension, Transaction, params};
use crate::shared_change::{self, Bodies, SharedKind, SharedObject, is_same};

/// The text of rules that are empty.
pub(super) const NO_RULES: &str = r#"{"rules":[]}"#;

/// A target without its progress.
#[derive(Serialize, Deserialize)]
pub(super) struct TargetBody {
    pub(super) name: String,
    pub(super) address: String,
    pub(super) kinds: Vec<i64>,
    pub(super) keys: TargetKeys,
}

pub(super) fn rules_object(site: &str) -> SharedObject {
    shared_object(SharedKind::Rules, site, "")
}

pub(super) fn target_object(site: &str, name: &str) -> SharedObject {
    shared_object(SharedKind::Target, site, name)
}

fn shared_object(kind: SharedKind, site: &str, key: &str) -> SharedObject {
    SharedObject { kind, site: site.to_owned(), operation: String::new(), key: key.to_owned() }
}

impl InboxStore {
    /// Changes rules or a target. In a team, also records the change.
    pub(super) fn change_shared<T>(
        &self,
        transaction: &Transaction<'_>,
        before: &SharedObject,
        after: &SharedObject,
        at: Timestamp,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        let Some(team) = self.team() else { return change(transaction) };
        let body_before = load_body(transaction, before)?;
        let changed = change(transaction)?;
        let body_after = load_body(transaction, after)?;
        let name = if after.key.is_empty() { &after.site } else { &after.key };
        let bodies = Bodies { before: body_before.as_deref(), after: body_after.as_deref() };
        shared_change::record(transaction, after, name, team.person(), at, bodies)?;
        Ok(changed)
    }
}

/// Returns the current rules or target, or none if there is no target or the rules are empty.
pub(crate) fn load_body(transaction: &Transaction<'_>, object: &SharedObject) -> Result<Option<String>, JournalError> {
    if object.kind == SharedKind::Rules {
        let sql = "SELECT text FROM rules WHERE site = ?1 ORDER BY version DESC LIMIT 1";
        let found: Option<String> =
            transaction.prepare_cached(sql)?.query_row([&object.site], |row| row.get(0)).optional()?;
        return Ok(found.filter(|text| !is_same(Some(text), Some(NO_RULES))));
    }
    let sql = "SELECT name, address, kinds, keys FROM target WHERE site = ?1 AND name = ?2";
    let found: Option<(String, String, String, String)> = transaction
        .prepare_cached(sql)?
        .query_row(params![object.site, object.key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .optional()?;
    let Some((name, address, kinds, keys)) = found else { return Ok(None) };
    let body = TargetBody { name, address, kinds: serde_json::from_str(&kinds)?, keys: serde_json::from_str(&keys)? };
    Ok(Some(serde_json::to_string(&body)?))
}
