//! Items that mean every row: what stands in all of them, as one.

use serde_json::Value;

use super::{ReadBack, ReadBackFault, ServiceItem};

/// What is held of one item.
#[derive(Debug)]
pub struct ReadBackResult {
    pub item: ServiceItem,
    /// Keys of properties that the service has locked.
    pub locked: Vec<String>,
    /// Keys of some rows beside it that are of no item, if [`ReadBack::with_neighbors`] asks for them.
    pub neighbors: Vec<String>,
}

impl ReadBackResult {
    /// A result without locked properties and other rows.
    #[must_use]
    pub fn of(item: ServiceItem) -> Self {
        Self { item, locked: Vec::new(), neighbors: Vec::new() }
    }
}

/// Rows of one item.
#[derive(Debug, Default)]
pub(super) struct MatchedRows {
    lacking: u32,
    /// The first; else the first that isn't as it would be sent.
    row: Option<Value>,
    differs: bool,
    /// Why a row doesn't tell whether it holds the item.
    fault: Option<ReadBackFault>,
    locked: Vec<String>,
}

impl MatchedRows {
    pub(super) fn add(&mut self, back: &ReadBack, sent: &Value, told: ReadBackResult) {
        self.locked.extend(told.locked);
        let held = match told.item {
            ServiceItem::Holds(held) => held,
            ServiceItem::Absent | ServiceItem::ContainerMissing(_) => {
                self.lacking += 1;
                return;
            }
            ServiceItem::Inconclusive(fault) => {
                self.fault.get_or_insert(fault);
                return;
            }
        };
        let differs = !back.same(sent, &held);
        if self.row.is_none() || (differs && !self.differs) {
            (self.row, self.differs) = (Some(held), differs);
        }
    }

    /// The row that isn't as it would be sent stands for all.
    pub(super) fn result(&self, back: &ReadBack, sent: &Value) -> ReadBackResult {
        let found = match (&self.row, self.fault) {
            (_, Some(fault)) => ServiceItem::Inconclusive(fault),
            (None, None) => ServiceItem::Absent,
            (Some(_), None) if self.lacking > 0 && !self.differs => ServiceItem::Holds(back.bare(sent)),
            (Some(held), None) => ServiceItem::Holds(held.clone()),
        };
        ReadBackResult { locked: self.locked.clone(), ..ReadBackResult::of(found) }
    }
}
