//! Defines how an operation's items are read back: the read that shows them, their shape, the site, and the fields of
//! locked properties.

use std::sync::Arc;

use jiff::tz::TimeZone;
use serde_json::Value;
use takt_contract::read_back::{ListEffects, ReadBack as Declaration};
use takt_contract::{Contract, Operation, ParameterPlace, ReferenceCheck, RowSchema};
use takt_sites::Sites;

use crate::read_back::scalar::{key_text, member_text};

/// Reads an operation's items back.
#[derive(Debug, Clone)]
pub struct ReadBack {
    pub(super) declaration: Declaration,
    /// The shape of a sent item.
    pub(super) sent: RowSchema,
    /// The effects of the sent lists on the lists that the service stores.
    pub(super) list_effects: ListEffects,
    /// The read that shows the items. `rows` is the shape of its rows.
    pub(super) list: Operation,
    pub(super) rows: RowSchema,
    pub(super) locks: Option<PropertyLockFields>,
    pub(super) zone: TimeZone,
    pub(super) site: Option<ReadBackSite>,
    /// True if results name other rows, see [`ReadBackResult::neighbors`](super::ReadBackResult::neighbors).
    pub(super) lists_neighbors: bool,
}

/// The site that is read. [`takt_sites::SeenPaths`] stores which containers it has shown.
#[derive(Debug, Clone)]
pub(super) struct ReadBackSite {
    pub(super) sites: Arc<Sites>,
    pub(super) name: String,
}

impl ReadBack {
    /// Creates a read-back for an operation. Returns `None` if no read shows the data that the operation writes.
    pub fn for_operation(contract: &Contract, operation: &str) -> Option<Self> {
        let operation = contract.operation(operation)?;
        let (declaration, sent) = (operation.read_back.clone()?, operation.request.clone()?);
        let list = contract.operation(&declaration.list)?.clone();
        let rows = list.answer.clone()?;
        let locks = PropertyLockFields::from_shape(&sent, &list.id);
        let list_effects = operation.list_effects.clone();
        let (zone, site, lists_neighbors) = (TimeZone::UTC, None, false);
        Some(Self { declaration, sent, list_effects, list, rows, locks, zone, site, lists_neighbors })
    }

    /// Reads from this site, in its time zone. If an earlier read showed an item's container, a status alone doesn't
    /// prove that it is missing.
    #[must_use]
    pub fn with_site(self, sites: &Arc<Sites>, site: &str, time_zone: &str) -> Self {
        let read_back = self.with_time_zone(time_zone);
        Self { site: Some(ReadBackSite { sites: Arc::clone(sites), name: site.to_owned() }), ..read_back }
    }

    /// Lists neighboring rows in results. They distinguish a deleted item from a list that lost rows.
    #[must_use]
    pub fn with_neighbors(self) -> Self {
        Self { lists_neighbors: true, ..self }
    }

    /// Compares times with an offset to times without one in this time zone (an IANA name, UTC if unknown).
    #[must_use]
    pub fn with_time_zone(self, zone: &str) -> Self {
        Self { zone: TimeZone::get(zone).unwrap_or(TimeZone::UTC), ..self }
    }

    /// Returns the ID of the operation that reads the list.
    pub fn list(&self) -> &str {
        &self.list.id
    }

    /// Returns true if a row shows every part of the business key `key`. Otherwise a row may be another item.
    pub fn shows_whole_key(&self, key: &[String]) -> bool {
        self.unshown_key_members(key).is_empty()
    }

    /// Returns the members of the business key `key` that no row shows.
    pub fn unshown_key_members(&self, key: &[String]) -> Vec<String> {
        let entry = self.declaration.entry.iter().flat_map(|entry| &entry.key);
        let shown = |name: &String| {
            self.declaration.key.iter().chain(entry.clone()).any(|pair| pair.own == *name)
                || self.declaration.asks.iter().any(|asks| asks.own == *name)
        };
        key.iter().filter(|name| !shown(name)).cloned().collect()
    }

    /// Returns true if the field is part of the item's key, which never changes.
    pub fn is_key(&self, field: &str) -> bool {
        let entry = self.declaration.entry.iter().flat_map(|entry| &entry.key);
        self.declaration.key.iter().chain(entry).any(|pair| pair.own == field)
    }

    /// Returns true if the item leaves out a part of its key, so that it means every row with the rest of the key.
    pub(super) fn matches_every_row(&self, body: &Value) -> bool {
        self.declaration.every.iter().any(|name| member_text(body, name).is_empty())
    }

    pub fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// Returns the shape of a sent item.
    pub fn sent(&self) -> &RowSchema {
        &self.sent
    }

    /// Returns true if the whole list can't be read, because a parameter is required.
    pub(super) fn requires_parameters(&self) -> bool {
        self.list.parameters.iter().any(|parameter| parameter.place == ParameterPlace::Path || parameter.required)
    }

    /// Returns the keys of the row's locked properties.
    pub fn locked_keys(&self, row: &Value) -> Vec<String> {
        self.locks.as_ref().map(|locks| locks.locked_keys(row)).unwrap_or_default()
    }
}

/// The fields of properties and locks in rows and items.
#[derive(Debug, Clone)]
pub(super) struct PropertyLockFields {
    /// The row's list of properties, and the fields of its entries.
    pub(super) list: String,
    key: String,
    lock: String,
    /// The item's list of properties and their key. `None` if the item is itself a property.
    item_list: Option<String>,
    item_key: String,
    item_value: String,
    /// The item's field that can unlock the property.
    unlock_field: Option<String>,
}

impl PropertyLockFields {
    /// Returns `None` if the contract has no locks for this list.
    fn from_shape(sent: &RowSchema, list: &str) -> Option<Self> {
        let flat = sent.fields_with_paths();
        let mut reference_checks = flat.iter().flat_map(|(_, field)| &field.reference_checks);
        reference_checks.find_map(|check| {
            let ReferenceCheck::NotLocked { row, key, value, lock, properties, .. } = check else { return None };
            let last = |path: &str| path.rsplit('.').next().unwrap_or(path).to_owned();
            (row.list == list).then(|| Self {
                list: properties.list.clone(),
                key: properties.key.clone(),
                lock: properties.lock.clone(),
                item_list: key.rsplit_once('.').map(|(list, _)| list.to_owned()),
                item_key: last(key),
                item_value: last(value),
                unlock_field: lock.clone(),
            })
        })
    }

    /// Returns the keys of the row's locked properties.
    fn locked_keys(&self, row: &Value) -> Vec<String> {
        let parts = row.get(&self.list).and_then(Value::as_array).into_iter().flatten();
        let locked = parts.filter(|part| part.get(&self.lock) == Some(&Value::Bool(true)));
        locked.filter_map(|part| part.get(&self.key).map(key_text)).collect()
    }

    /// Returns true if a different value of the field changes a locked property and the item doesn't unlock it.
    pub(super) fn is_locked(&self, field: &str, sent: &Value, locked: &[String]) -> bool {
        let is_unlocked = self.unlock_field.as_ref().is_some_and(|name| sent.get(name) == Some(&Value::Bool(false)));
        let changes = |key: &String| match &self.item_list {
            Some(list) => {
                let part = format!("{list}[{key}]");
                let rest = field.strip_prefix(&part);
                rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('.') == Some(&self.item_value))
            }
            None => field == self.item_value && sent.get(&self.item_key).map(key_text).as_ref() == Some(key),
        };
        !is_unlocked && locked.iter().any(changes)
    }
}
