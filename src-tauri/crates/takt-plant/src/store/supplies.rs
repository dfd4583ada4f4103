//! Material supplies: what is brought to an order before it begins, and whether it is paid.
//!
//! The specification gives their members and that one is paid (event 8); no operation reads them, so the control interface does.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use crate::store::{Store, SupplyChange};

/// A quantity of a material for an order. Members as in the specification's material supply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Supply {
    pub(crate) id: i64,
    pub(crate) work_order_code: String,
    /// None where the supply is for the order as a whole.
    pub(crate) operation_code: Option<String>,
    /// The material.
    pub(crate) code: String,
    pub(crate) description: String,
    /// Decimal, in the material's unit.
    pub(crate) quantity: f64,
    /// Whether it is paid.
    pub(crate) is_completed: bool,
}

/// All supplies, found by id and by work order.
#[derive(Debug, Clone, Default)]
pub(super) struct Supplies {
    all: BTreeMap<i64, Supply>,
    orders: HashMap<Box<str>, Vec<i64>>,
    open: BTreeSet<i64>,
}

impl Store {
    /// A supply by its id.
    pub(crate) fn supply(&self, id: i64) -> Option<&Supply> {
        self.supplies.all.get(&id)
    }

    /// Every supply, oldest first.
    pub(crate) fn supplies(&self) -> impl Iterator<Item = &Supply> {
        self.supplies.all.values()
    }

    /// Those that aren't paid, oldest first.
    pub(crate) fn open_supplies(&self) -> impl Iterator<Item = &Supply> {
        self.supplies.open.iter().filter_map(|id| self.supply(*id))
    }

    /// The supplies of an operation of an order, those for the whole order among them.
    pub(crate) fn supplies_of(&self, code: &str, operation: &str) -> impl Iterator<Item = &Supply> {
        let ids = self.supplies.orders.get(code).into_iter().flatten();
        let of_it = move |supply: &&Supply| supply.operation_code.as_deref().is_none_or(|own| own == operation);
        ids.filter_map(|id| self.supply(*id)).filter(of_it)
    }

    /// Keeps a supply under its id, in place of the one that was there.
    pub(crate) fn put_supply(&mut self, supply: Supply) {
        let id = supply.id;
        let before = self.supplies.put(supply);
        self.changes.supplies.push(SupplyChange { id, before });
    }
}

impl Supplies {
    fn put(&mut self, supply: Supply) -> Option<Supply> {
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

    /// Puts the supply back that was there before, or none.
    pub(super) fn take_back(&mut self, id: i64, before: Option<Supply>) {
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
