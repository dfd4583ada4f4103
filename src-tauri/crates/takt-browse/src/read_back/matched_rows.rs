//! Combines the results of an item that matches several rows.

use serde_json::Value;

use super::{
    definition::ReadBack,
    service_item::{ReadBackFault, ServiceItem},
};

/// The result of reading one item back.
#[derive(Debug)]
pub struct ReadBackResult {
    pub item: ServiceItem,
    /// The keys of locked properties.
    pub locked: Vec<String>,
    /// The keys of neighboring rows that belong to no item, if [`ReadBack::with_neighbors`] was called.
    pub neighbors: Vec<String>,
}

impl ReadBackResult {
    /// Creates a result without locked properties and neighbors.
    #[must_use]
    pub fn of(item: ServiceItem) -> Self {
        Self { item, locked: Vec::new(), neighbors: Vec::new() }
    }
}

/// The rows that match one item.
#[derive(Debug, Default)]
pub(super) struct MatchedRows {
    rows_without_item: u32,
    /// The first row, or the first one that differs from the sent item.
    row: Option<Value>,
    differs: bool,
    /// The reason why a row doesn't show whether it contains the item.
    fault: Option<ReadBackFault>,
    locked: Vec<String>,
}

impl MatchedRows {
    pub(super) fn add(&mut self, back: &ReadBack, sent: &Value, result: ReadBackResult) {
        self.locked.extend(result.locked);
        let item = match result.item {
            ServiceItem::Holds(item) => item,
            ServiceItem::Absent | ServiceItem::ContainerMissing(_) => {
                self.rows_without_item += 1;
                return;
            }
            ServiceItem::Inconclusive(fault) => {
                self.fault.get_or_insert(fault);
                return;
            }
        };
        let differs = !back.same(sent, &item);
        if self.row.is_none() || (differs && !self.differs) {
            (self.row, self.differs) = (Some(item), differs);
        }
    }

    /// Returns the differing row's result if there is one, for all rows.
    pub(super) fn result(&self, back: &ReadBack, sent: &Value) -> ReadBackResult {
        let result_item = match (&self.row, self.fault) {
            (_, Some(fault)) => ServiceItem::Inconclusive(fault),
            (None, None) => ServiceItem::Absent,
            (Some(_), None) if self.rows_without_item > 0 && !self.differs => {
                ServiceItem::Holds(back.key_only_item(sent))
            }
            (Some(item), None) => ServiceItem::Holds(item.clone()),
        };
        ReadBackResult { locked: self.locked.clone(), ..ReadBackResult::of(result_item) }
    }
}
