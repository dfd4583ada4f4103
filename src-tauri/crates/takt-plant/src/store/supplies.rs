//! Material supplies: the materials for an order, and whether they are paid.
//!
//! The specification has their members and event 8. No operation lists them, so the control interface does.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

/// A quantity of a material for an order, with the members of the specification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Supply {
    pub(crate) id: i64,
    pub(crate) work_order_code: String,
    /// None if the supply is for the whole order.
    pub(crate) operation_code: Option<String>,
    /// The material's code.
    pub(crate) code: String,
    pub(crate) description: String,
    /// In the material's unit.
    pub(crate) quantity: f64,
    /// Whether it's paid.
    pub(crate) is_completed: bool,
}

/// All supplies, by ID and by work order.
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

    /// Returns every supply, oldest first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Supply> {
        self.all.values()
    }

    /// Returns unpaid supplies, oldest first.
    pub(super) fn open(&self) -> impl Iterator<Item = &Supply> {
        self.open.iter().filter_map(|id| self.get(*id))
    }

    /// Returns the supplies of an operation, including those for the whole order.
    pub(super) fn of_operation(&self, code: &str, operation: &str) -> impl Iterator<Item = &Supply> {
        let ids = self.orders.get(code).into_iter().flatten();
        let of_it = move |supply: &&Supply| supply.operation_code.as_deref().is_none_or(|own| own == operation);
        ids.filter_map(|id| self.get(*id)).filter(of_it)
    }

    /// Stores a supply and returns the one with its ID that it replaces.
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

    /// Restores the previous supply, or removes a new one.
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
