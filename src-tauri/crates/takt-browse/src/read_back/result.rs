//! The result of reading an item back: its state on the service, or the reason why the read proves nothing about it.
//!
//! [`MatchedRows`] combines the results of an item that matches several rows.

use serde_json::Value;
use takt_client::{ClientError, ListFault};

use crate::read_back::definition::ReadBack;

/// The status of a response that was read, for errors.
const OK_STATUS: u16 = 200;

/// The state of an item on the service, as far as a read-back proves it.
#[derive(Debug, Clone, PartialEq)]
pub enum ServiceItem {
    /// The item in the request's shape, with the fields that both sides know. A member without a value on the service
    /// is null, even if the request can't send null.
    Present(Value),
    /// A complete and consistent list in the contract's shape doesn't contain the item.
    Absent,
    /// The item's container (such as a link's template) doesn't exist: the status is one of the contract's, and no
    /// earlier read showed the container.
    ContainerMissing(u16),
    /// The read proves neither that the item exists nor that it doesn't.
    Inconclusive(ReadBackFault),
}

/// The reason why a read-back proves nothing about an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReadBackFault {
    #[error("the item lacks a value that its read needs")]
    MissingKey,
    #[error("the service has no read that shows it")]
    NotReadable,
    #[error("the response isn't the list that the contract describes")]
    Malformed,
    /// A status that can mean "not found", with a body that doesn't confirm it.
    #[error("the service responded with status {0}")]
    Refused(u16),
    /// A status that means "not found", for a container that an earlier read showed.
    #[error("the service responded with status {0}, although it had shown this before")]
    ContainerLost(u16),
    /// Other rows are missing too, and Takt didn't delete them.
    #[error("other rows that the list had shown before are missing, too")]
    LostItems,
    /// Rows of the list don't have the member that would show the item.
    #[error("the service's rows don't show it")]
    NotShown,
    #[error("{0}")]
    Incomplete(ListFault),
}

impl ReadBackFault {
    /// Returns true if a repeated read may prove more.
    #[must_use]
    pub fn is_transient(self) -> bool {
        match self {
            Self::Malformed | Self::Refused(_) | Self::ContainerLost(_) | Self::LostItems | Self::Incomplete(_) => true,
            Self::MissingKey | Self::NotReadable | Self::NotShown => false,
        }
    }
}

impl From<ReadBackFault> for ClientError {
    fn from(fault: ReadBackFault) -> Self {
        let not_understood = |status| Self::NotUnderstood { status, reason: fault.to_string(), body: String::new() };
        match fault {
            ReadBackFault::Incomplete(fault) => fault.into(),
            ReadBackFault::Refused(status) | ReadBackFault::ContainerLost(status) => not_understood(status),
            _ => not_understood(OK_STATUS),
        }
    }
}

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
    pub fn from_item(item: ServiceItem) -> Self {
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
    pub(super) fn add(&mut self, read_back: &ReadBack, sent: &Value, result: ReadBackResult) {
        self.locked.extend(result.locked);
        let item = match result.item {
            ServiceItem::Present(item) => item,
            ServiceItem::Absent | ServiceItem::ContainerMissing(_) => {
                self.rows_without_item += 1;
                return;
            }
            ServiceItem::Inconclusive(fault) => {
                self.fault.get_or_insert(fault);
                return;
            }
        };
        let differs = !read_back.matches_stored(sent, &item);
        if self.row.is_none() || (differs && !self.differs) {
            (self.row, self.differs) = (Some(item), differs);
        }
    }

    /// Returns the combined result of all rows. A fault takes precedence, then a row that differs from the sent item.
    pub(super) fn result(&self, read_back: &ReadBack, sent: &Value) -> ReadBackResult {
        let result_item = match (&self.row, self.fault) {
            (_, Some(fault)) => ServiceItem::Inconclusive(fault),
            (None, None) => ServiceItem::Absent,
            (Some(_), None) if self.rows_without_item > 0 && !self.differs => {
                ServiceItem::Present(read_back.key_only_item(sent))
            }
            (Some(item), None) => ServiceItem::Present(item.clone()),
        };
        ReadBackResult { locked: self.locked.clone(), ..ReadBackResult::from_item(result_item) }
    }
}
