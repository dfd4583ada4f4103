//! Material supplies, which are requested for an order and then paid.
//!
//! The specification defines their members and event 8. Since no operation lists them, the control interface does.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

/// A quantity of a material for an order, with the members in the specification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Supply {
    pub(crate) id: i64,
    pub(crate) work_order_code: String,
    /// None if the supply is for the whole order.
    pub(crate) operation_code: Option<String>,
    /// The code of the material.
    pub(crate) code: String,
    pub(crate) description: String,
    /// In the unit of the material.
    pub(crate) quantity: f64,
    /// Whether the supply is paid.
    pub(crate) is_completed: bool,
}

/// All supplies, with indexes of unpaid ones and by work order.
#[derive(Debug, Clone, Default)]
pub(super) struct Supplies {
    all: BTreeMap<i64, Supply>,
    orders: HashMap<Box<str>, Vec<i64>>,
    open: BTreeSet<i64>,
}

impl Supplies {
    pub(super) fn get(&self, id: i64) -> Option<&Supply> {
        self.all.get(&id)
    }

    /// Returns all supplies, oldest first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Supply> {
        self.all.values()
    }

    /// Returns unpaid supplies, oldest first.
    pub(super) fn open(&self) -> impl Iterator<Item = &Supply> {
        self.open.iter().filter_map(|id| self.get(*id))
    }

    /// Returns the supplies for an operation or for its whole order.
    pub(super) fn of_operation(&self, code: &str, operation: &str) -> impl Iterator<Item = &Supply> {
        let ids = self.orders.get(code).into_iter().flatten();
        let of_it = move |supply: &&Supply| supply.operation_code.as_deref().is_none_or(|own| own == operation);
        ids.filter_map(|id| self.get(*id)).filter(of_it)
    }

    /// Stores a supply. Returns the previous supply with the same ID.
    pub(super) fn put(&mut self, supply: Supply) -> Option<Supply> {
        let id = supply.id;
        if supply.is_completed {
            self.open.remove(&id);
        } else {
            self.open.insert(id);
        }
        if !self.all.contains_key(&id) {
            self.orders.entry(supply.work_order_code.as_str().into()).or_default().push(id);
        }
        self.all.insert(id, supply)
    }

    /// Restores the previous supply. If there was none, removes the supply.
    pub(super) fn revert(&mut self, id: i64, before: Option<Supply>) {
        if let Some(before) = before {
            self.put(before);
            return;
        }
        self.open.remove(&id);
        if let Some(supply) = self.all.remove(&id)
            && let Some(ids) = self.orders.get_mut(supply.work_order_code.as_str())
        {
            ids.retain(|known| *known != id);
        }
    }
}
