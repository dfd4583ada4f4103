//! Items that mean every row: what stands in all of them, as one.

use serde_json::Value;

use super::{ReadBack, ServiceItem};

/// What is held of one item.
#[derive(Debug)]
pub struct ReadBackResult {
    pub item: ServiceItem,
    /// Keys of properties that the service has locked.
    pub locked: Vec<String>,
}

/// Rows of one item.
#[derive(Debug, Default)]
pub(super) struct MatchedRows {
    lacking: u32,
    /// The first; else the first that isn't as it would be sent.
    row: Option<Value>,
    differs: bool,
    locked: Vec<String>,
}

impl MatchedRows {
    pub(super) fn add(&mut self, back: &ReadBack, sent: &Value, told: ReadBackResult) {
        self.locked.extend(told.locked);
        let ServiceItem::Holds(held) = told.item else {
            self.lacking += 1;
            return;
        };
        let differs = !back.same(sent, &held);
        if self.row.is_none() || (differs && !self.differs) {
            (self.row, self.differs) = (Some(held), differs);
        }
    }

    /// The row that isn't as it would be sent stands for all.
    pub(super) fn result(&self, back: &ReadBack, sent: &Value) -> ReadBackResult {
        let found = match &self.row {
            None => ServiceItem::Absent,
            Some(_) if self.lacking > 0 && !self.differs => ServiceItem::Holds(back.bare(sent)),
            Some(held) => ServiceItem::Holds(held.clone()),
        };
        ReadBackResult { item: found, locked: self.locked.clone() }
    }
}
