//! Defines how an operation's items are read back: the read that shows them, their shape, and the site.

use std::sync::Arc;

use jiff::tz::TimeZone;
use serde_json::Value;
use takt_contract::{
    Contract, Operation, ParameterPlace, Shape,
    read_back::{ListEffects, ReadBack as Declaration},
};
use takt_sites::Sites;

use super::{lock_fields::LockFields, scalar::own};

/// Reads an operation's items back.
#[derive(Debug, Clone)]
pub struct ReadBack {
    pub(super) declaration: Declaration,
    /// The shape of a sent item.
    pub(super) sent: Shape,
    /// The effects of the sent lists on the lists that the service stores.
    pub(super) list_effects: ListEffects,
    /// The read that shows the items. `rows` is the shape of its rows.
    pub(super) list: Operation,
    pub(super) rows: Shape,
    pub(super) locks: Option<LockFields>,
    pub(super) zone: TimeZone,
    pub(super) site: Option<ReadBackSite>,
    /// True if results name other rows, see [`ReadBackResult::neighbors`](super::ReadBackResult::neighbors).
    pub(super) names_neighbors: bool,
}

/// The site that is read. [`takt_sites::SeenPaths`] stores which containers it has shown.
#[derive(Debug, Clone)]
pub(super) struct ReadBackSite {
    pub(super) sites: Arc<Sites>,
    pub(super) name: String,
}

impl ReadBack {
    /// Creates a read-back for an operation. Returns `None` if no read shows what the operation writes.
    pub fn of(contract: &Contract, operation: &str) -> Option<Self> {
        let operation = contract.operation(operation)?;
        let (declaration, sent) = (operation.read_back.clone()?, operation.request.clone()?);
        let list = contract.operation(&declaration.list)?.clone();
        let rows = list.answer.clone()?;
        let locks = LockFields::from_shape(&sent, &list.id);
        let list_effects = operation.list_effects.clone();
        let (zone, site, names_neighbors) = (TimeZone::UTC, None, false);
        Some(Self { declaration, sent, list_effects, list, rows, locks, zone, site, names_neighbors })
    }

    /// Reads from this site, in its time zone. If an earlier read showed an item's container, a status alone doesn't
    /// prove that it is missing.
    #[must_use]
    pub fn at_site(self, sites: &Arc<Sites>, site: &str) -> Self {
        let read_back = self.at(&sites.zone(site));
        Self { site: Some(ReadBackSite { sites: Arc::clone(sites), name: site.to_owned() }), ..read_back }
    }

    /// Lists neighboring rows in results. They distinguish a deleted item from a list that lost rows.
    #[must_use]
    pub fn with_neighbors(self) -> Self {
        Self { names_neighbors: true, ..self }
    }

    /// Compares times with an offset to times without one in this time zone (an IANA name, UTC if unknown).
    #[must_use]
    pub fn at(self, zone: &str) -> Self {
        Self { zone: TimeZone::get(zone).unwrap_or(TimeZone::UTC), ..self }
    }

    /// Returns the ID of the operation that reads the list.
    pub fn list(&self) -> &str {
        &self.list.id
    }

    /// Returns true if a row shows every part of the business key `key`. Otherwise a row may be another item.
    pub fn shows_whole_key(&self, key: &[String]) -> bool {
        self.unshown_key(key).is_empty()
    }

    /// Returns the members of the business key `key` that no row shows.
    pub fn unshown_key(&self, key: &[String]) -> Vec<String> {
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
    pub(super) fn is_about_every(&self, body: &Value) -> bool {
        self.declaration.every.iter().any(|name| own(body, name).is_empty())
    }

    pub fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// Returns the shape of a sent item.
    pub fn sent(&self) -> &Shape {
        &self.sent
    }

    /// Returns true if the whole list can't be read, because a parameter is required.
    pub(super) fn always_asks(&self) -> bool {
        let path =
            |parameter: &&takt_contract::Parameter| parameter.place == ParameterPlace::Path || parameter.required;
        self.list.parameters.iter().any(|parameter| path(&parameter))
    }

    /// Returns the keys of the row's locked properties.
    pub fn locked(&self, row: &Value) -> Vec<String> {
        self.locks.as_ref().map(|locks| locks.locked(row)).unwrap_or_default()
    }
}
