//! Reads given items back from the service with as few requests as possible: before they are sent, and after an unclear
//! response.
//!
//! `walk` sends the reads, `item_index` finds the items that a row can be, and `row_members` parses a row. `shape`
//! converts a row to the request's shape, `compare` compares values, and `lock_fields` finds locks. The contract says
//! which read shows an operation's items (`x-takt-read-back`). Never decides what follows from a result.

mod compare;
mod item_index;
mod lock_fields;
mod matched_rows;
mod row_members;
mod shape;
mod walk;

use std::sync::Arc;

use jiff::tz::TimeZone;
use serde_json::Value;
use takt_client::{Canceller, Client, ClientError, ListFault};
use takt_contract::{
    Contract, Operation, Shape,
    read_back::{ListEffects, ReadBack as Declaration},
};
use takt_sites::Sites;

pub use self::{
    compare::{Difference, number, text},
    item_index::{ItemIndex, ItemIndexBuilder},
    matched_rows::ReadBackResult,
    walk::{ReadBackObserver, ReadProgress},
};

/// The status of a response that was read, for errors.
const OK: u16 = 200;

/// The state of an item on the service, as far as a read-back proves it.
#[derive(Debug, Clone, PartialEq)]
pub enum ServiceItem {
    /// The item in the request's shape, with the fields that both sides know. A member without a value on the service
    /// is null, even if the request can't send null.
    Holds(Value),
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
            _ => not_understood(OK),
        }
    }
}

/// An item to read back.
#[derive(Debug, Clone, Copy)]
pub struct ReadBackItem<'a> {
    /// The body as it was or would be sent.
    pub body: &'a Value,
}

/// Items to read back, by index. They needn't all be in memory.
pub trait ReadBackItems: Sync {
    fn count(&self) -> usize;

    /// Calls `look` with the body of the item at `position`, if there is one. Mostly called in ascending order.
    fn with(&self, position: usize, look: &mut dyn FnMut(&Value));
}

impl ReadBackItems for &[ReadBackItem<'_>] {
    fn count(&self) -> usize {
        self.len()
    }

    fn with(&self, position: usize, look: &mut dyn FnMut(&Value)) {
        if let Some(item) = self.get(position) {
            look(item.body);
        }
    }
}

/// Reads an operation's items back.
#[derive(Debug, Clone)]
pub struct ReadBack {
    declaration: Declaration,
    /// The shape of a sent item.
    sent: Shape,
    /// The effects of the sent lists on the lists that the service stores.
    list_effects: ListEffects,
    /// The read that shows the items. `rows` is the shape of its rows.
    list: Operation,
    rows: Shape,
    locks: Option<lock_fields::LockFields>,
    zone: TimeZone,
    site: Option<ReadBackSite>,
    /// True if results name other rows, see [`ReadBackResult::neighbors`].
    names_neighbors: bool,
}

/// The site that is read. [`takt_sites::sites::SeenPaths`] stores which containers it has shown.
#[derive(Debug, Clone)]
struct ReadBackSite {
    sites: Arc<Sites>,
    name: String,
}

impl ReadBack {
    /// Creates a read-back for an operation. Returns `None` if no read shows what the operation writes.
    pub fn of(contract: &Contract, operation: &str) -> Option<Self> {
        let operation = contract.operation(operation)?;
        let (declaration, sent) = (operation.read_back.clone()?, operation.request.clone()?);
        let list = contract.operation(&declaration.list)?.clone();
        let rows = list.answer.clone()?;
        let locks = lock_fields::LockFields::from_shape(&sent, &list.id);
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

    /// Returns a copy that compares only fields that at least one of these items has.
    #[must_use]
    pub fn limited_to(&self, items: &ItemIndex) -> Self {
        let mut limited = self.clone();
        limited.sent.fields.retain(|field| items.has_member(&field.name));
        limited
    }

    /// Creates a builder of an index for at most `items` items, for [`Self::each_of`].
    pub fn index(&self, items: usize) -> ItemIndexBuilder<'_> {
        ItemIndexBuilder::new(self, items)
    }

    /// Reads the state of each item, in their order. Waits for the rate limit, and `canceller` can end the wait.
    ///
    /// # Errors
    ///
    /// [`ClientError`]: a read of the list failed or was canceled.
    pub async fn read(
        &self,
        client: &Client,
        items: &[ReadBackItem<'_>],
        canceller: &Canceller,
    ) -> Result<Vec<ServiceItem>, ClientError> {
        let results = self.read_with_neighbors(client, (items, &[]), canceller).await?;
        Ok(results.into_iter().map(|result| result.item).collect())
    }

    /// Like [`Self::read`], but also returns neighboring rows of each item. `expected` lists, by the items' indexes,
    /// the keys of other rows that must exist. If one of them is missing, the list doesn't prove that an item is
    /// absent.
    ///
    /// # Errors
    ///
    /// As [`Self::read`].
    pub async fn read_with_neighbors(
        &self,
        client: &Client,
        (items, expected): (&[ReadBackItem<'_>], &[Vec<String>]),
        canceller: &Canceller,
    ) -> Result<Vec<ReadBackResult>, ClientError> {
        let unread = || ReadBackResult::of(ServiceItem::Inconclusive(ReadBackFault::NotReadable));
        let mut results: Vec<ReadBackResult> = items.iter().map(|_| unread()).collect();
        let mut observer = ReadBackObserver {
            on_item: &mut |position, item_result| {
                if let Some(result) = results.get_mut(position) {
                    *result = item_result;
                }
            },
            on_progress: &mut |_| {},
        };
        self.each_expecting(client, (&items, expected), canceller, &mut observer).await?;
        Ok(results)
    }

    /// Returns the values that narrow the item's read, and its key in the rows. Together they identify an item in its
    /// list.
    pub fn place_of(&self, body: &Value) -> (Vec<String>, Option<String>) {
        let asks = self.declaration.asks.iter().map(|asks| item_index::own(body, &asks.own).into_owned());
        (asks.collect(), self.key_of_item(body))
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
    fn is_about_every(&self, body: &Value) -> bool {
        self.declaration.every.iter().any(|name| item_index::own(body, name).is_empty())
    }

    pub fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// Returns the shape of a sent item.
    pub fn sent(&self) -> &Shape {
        &self.sent
    }

    /// Returns true if the service stores every sent field with the same value. Ignores fields that the service doesn't
    /// show.
    pub fn same(&self, sent: &Value, stored: &Value) -> bool {
        self.differences(sent, stored).is_empty()
    }

    /// Returns true if two states on the service are the same.
    pub fn same_state(&self, one: &Value, other: &Value) -> bool {
        self.state_differences(one, other).is_empty()
    }
}
