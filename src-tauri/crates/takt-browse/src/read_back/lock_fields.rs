//! Finds locked properties. A change to one is a conflict.

use serde_json::Value;
use takt_contract::{ReferenceCheck, Shape};

use super::scalar::text;

/// The fields of properties and locks in rows and items.
#[derive(Debug, Clone)]
pub(super) struct LockFields {
    /// The row's list of properties, and the fields of its entries.
    pub(super) list: String,
    key: String,
    lock: String,
    /// The item's list of properties and their key. `None` if the item is itself a property.
    own_list: Option<String>,
    own_key: String,
    own_value: String,
    /// The item's field that can unlock the property.
    unlock_field: Option<String>,
}

impl LockFields {
    /// Returns `None` if the contract has no locks for this list.
    pub(super) fn from_shape(sent: &Shape, list: &str) -> Option<Self> {
        let flat = sent.flat();
        let mut reference_checks = flat.iter().flat_map(|(_, field)| &field.reference_checks);
        reference_checks.find_map(|check| {
            let ReferenceCheck::NotLocked { row, key, value, lock, properties, .. } = check else { return None };
            let last = |path: &str| path.rsplit('.').next().unwrap_or(path).to_owned();
            (row.list == list).then(|| Self {
                list: properties.list.clone(),
                key: properties.key.clone(),
                lock: properties.lock.clone(),
                own_list: key.rsplit_once('.').map(|(list, _)| list.to_owned()),
                own_key: last(key),
                own_value: last(value),
                unlock_field: lock.clone(),
            })
        })
    }

    /// Returns the keys of the row's locked properties.
    pub(super) fn locked(&self, row: &Value) -> Vec<String> {
        let parts = row.get(&self.list).and_then(Value::as_array).into_iter().flatten();
        let locked = parts.filter(|part| part.get(&self.lock) == Some(&Value::Bool(true)));
        locked.filter_map(|part| part.get(&self.key).map(text)).collect()
    }

    /// Returns true if a different value of the field changes a locked property and the item doesn't unlock it.
    pub(super) fn is_locked(&self, field: &str, sent: &Value, locked: &[String]) -> bool {
        let is_unlocked = self.unlock_field.as_ref().is_some_and(|name| sent.get(name) == Some(&Value::Bool(false)));
        let changes = |key: &String| match &self.own_list {
            Some(list) => {
                let part = format!("{list}[{key}]");
                let rest = field.strip_prefix(&part);
                rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('.') == Some(&self.own_value))
            }
            None => field == self.own_value && sent.get(&self.own_key).map(text).as_ref() == Some(key),
        };
        !is_unlocked && locked.iter().any(changes)
    }
}
