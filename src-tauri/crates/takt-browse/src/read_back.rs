//! Reading what the service holds of given items, no more than it takes: before they are sent, and after an answer that tells
//! nothing.
//!
//! Owns which reads it takes (`walk`), which items a row can mean (`item_index`), what is built of a row (`row_members`), a row in
//! the request's shape (`shape`), what is the same (`compare`), and what is locked (`lock_fields`). Where an operation's writings are
//! read again stands in the contract (`x-takt-read-back`). Leaves what follows to its callers.

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
    read_back::{ListEffects, ReadBack as Said},
};
use takt_sites::Sites;

pub use self::{
    compare::{Difference, number, text},
    item_index::{ItemIndex, ItemIndexBuilder},
    matched_rows::ReadBackResult,
    walk::{ReadBackObserver, ReadProgress},
};

/// The status of a response that was read.
const OK: u16 = 200;

/// What a read-back shows of an item.
#[derive(Debug, Clone, PartialEq)]
pub enum ServiceItem {
    /// In the request's shape: the fields that both sides know. A member that the service holds nothing for is null, also
    /// where the request couldn't say so.
    Holds(Value),
    /// A list that is complete, has the contract's shape and doesn't contradict itself doesn't contain it.
    Absent,
    /// What would contain it (the template of a link) doesn't exist, by this status of the contract, and it wasn't seen before.
    ContainerMissing(u16),
    /// The read proves neither that it is there nor that it isn't.
    Inconclusive(ReadBackFault),
}

/// Why a read-back proves nothing of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReadBackFault {
    #[error("the item lacks a value that its read needs")]
    MissingKey,
    #[error("the service has no read that shows it")]
    NotReadable,
    #[error("the response isn't the list that the contract describes")]
    Malformed,
    /// A status that can say that there is no such thing, with a body that doesn't say so.
    #[error("the service responded with status {0}")]
    Refused(u16),
    /// A status that says that there is no such thing, of a thing that was seen before.
    #[error("the service responded with status {0}, although it had shown this before")]
    ContainerLost(u16),
    /// Other rows are missing, too, and Takt didn't delete them.
    #[error("other rows that the list had shown before are missing, too")]
    LostItems,
    /// Rows of the list don't have the member that would show it.
    #[error("the service's rows don't show it")]
    NotShown,
    #[error("{0}")]
    Incomplete(ListFault),
}

impl ReadBackFault {
    /// True if the read may prove more when it is repeated.
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
        let of = |status| Self::NotUnderstood { status, reason: fault.to_string(), body: String::new() };
        match fault {
            ReadBackFault::Incomplete(fault) => fault.into(),
            ReadBackFault::Refused(status) | ReadBackFault::ContainerLost(status) => of(status),
            _ => of(OK),
        }
    }
}

/// An item to be asked for.
#[derive(Debug, Clone, Copy)]
pub struct ReadBackItem<'a> {
    /// As it was or would be sent.
    pub body: &'a Value,
}

/// Items to be asked for, by their place: those of a large file needn't all be there at once.
pub trait ReadBackItems: Sync {
    fn count(&self) -> usize;

    /// Shows an item's body, where there is one at this place. They are shown one after the other mostly.
    fn with(&self, place: usize, look: &mut dyn FnMut(&Value));
}

impl ReadBackItems for &[ReadBackItem<'_>] {
    fn count(&self) -> usize {
        self.len()
    }

    fn with(&self, place: usize, look: &mut dyn FnMut(&Value)) {
        if let Some(item) = self.get(place) {
            look(item.body);
        }
    }
}

/// How an operation's items are read back.
#[derive(Debug, Clone)]
pub struct ReadBack {
    declaration: Said,
    /// What is sent.
    sent: Shape,
    /// What the lists of that do to those that are held.
    list_effects: ListEffects,
    /// The read that shows it, and its rows.
    list: Operation,
    rows: Shape,
    locks: Option<lock_fields::LockFields>,
    zone: TimeZone,
    site: Option<ReadBackSite>,
    /// True if results name other rows, see [`ReadBackResult::neighbors`].
    names_neighbors: bool,
}

/// Where it is read: of a site it is known which single things it was seen to hold.
#[derive(Debug, Clone)]
struct ReadBackSite {
    sites: Arc<Sites>,
    name: String,
}

impl ReadBack {
    /// Absent where nothing shows what the operation wrote.
    pub fn of(contract: &Contract, operation: &str) -> Option<Self> {
        let operation = contract.operation(operation)?;
        let (declaration, sent) = (operation.read_back.clone()?, operation.request.clone()?);
        let list = contract.operation(&declaration.list)?.clone();
        let rows = list.answer.clone()?;
        let locks = lock_fields::LockFields::of(&sent, &list.id);
        let list_effects = operation.list_effects.clone();
        let (zone, site, names_neighbors) = (TimeZone::UTC, None, false);
        Some(Self { declaration, sent, list_effects, list, rows, locks, zone, site, names_neighbors })
    }

    /// At this site, with its time zone: what it was seen to hold there isn't taken for missing by a status alone.
    #[must_use]
    pub fn at_site(self, sites: &Arc<Sites>, site: &str) -> Self {
        let read_back = self.at(&sites.zone(site));
        Self { site: Some(ReadBackSite { sites: Arc::clone(sites), name: site.to_owned() }), ..read_back }
    }

    /// The same, where results name other rows: what an item that is deleted is told apart by from a list that lost its rows.
    #[must_use]
    pub fn with_neighbors(self) -> Self {
        Self { names_neighbors: true, ..self }
    }

    /// Moments with an offset are the same as those without one by this zone's clocks (an IANA name; UTC where unknown).
    #[must_use]
    pub fn at(self, zone: &str) -> Self {
        Self { zone: TimeZone::get(zone).unwrap_or(TimeZone::UTC), ..self }
    }

    /// The read that it takes.
    pub fn list(&self) -> &str {
        &self.list.id
    }

    /// The same, where only fields count that at least one of these items has: what no item sends stays as it is.
    #[must_use]
    pub fn limited_to(&self, items: &ItemIndex) -> Self {
        let mut limited = self.clone();
        limited.sent.fields.retain(|field| items.has_member(&field.name));
        limited
    }

    /// An index of so many items or fewer, for [`Self::each_of`].
    pub fn index(&self, items: usize) -> ItemIndexBuilder<'_> {
        ItemIndexBuilder::new(self, items)
    }

    /// What the service holds of each item, in their order. Waits for the rate limit; `canceller` ends that too.
    ///
    /// # Errors
    ///
    /// [`ClientError`]: a read of the list failed or was cancelled.
    pub async fn read(
        &self,
        client: &Client,
        items: &[ReadBackItem<'_>],
        canceller: &Canceller,
    ) -> Result<Vec<ServiceItem>, ClientError> {
        let results = self.read_with_neighbors(client, (items, &[]), canceller).await?;
        Ok(results.into_iter().map(|result| result.item).collect())
    }

    /// The same with the other rows beside each item. `expected`: by the items' places the keys of other rows that must be there. If
    /// one is missing, the list doesn't prove that an item is absent.
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
        let mut along = ReadBackObserver {
            on_item: &mut |place, told| {
                if let Some(result) = results.get_mut(place) {
                    *result = told;
                }
            },
            on_progress: &mut |_| {},
        };
        self.each_expecting(client, (&items, expected), canceller, &mut along).await?;
        Ok(results)
    }

    /// What tells an item from others of its list: the values that its read is narrowed by, and its key in the rows.
    pub fn place_of(&self, body: &Value) -> (Vec<String>, Option<String>) {
        let asks = self.declaration.asks.iter().map(|asks| item_index::own(body, &asks.own).into_owned());
        (asks.collect(), self.key_of_item(body))
    }

    /// True if a row shows the whole of an item's business key `key`. Otherwise a row may be about another item.
    pub fn shows_whole_key(&self, key: &[String]) -> bool {
        self.unshown_key(key).is_empty()
    }

    /// The members of an item's business key `key` that no row shows.
    pub fn unshown_key(&self, key: &[String]) -> Vec<String> {
        let entry = self.declaration.entry.iter().flat_map(|entry| &entry.key);
        let shown = |name: &String| {
            self.declaration.key.iter().chain(entry.clone()).any(|tie| tie.own == *name)
                || self.declaration.asks.iter().any(|asks| asks.own == *name)
        };
        key.iter().filter(|name| !shown(name)).cloned().collect()
    }

    /// True for what names an item: it is never changed.
    pub fn is_key(&self, field: &str) -> bool {
        let entry = self.declaration.entry.iter().flat_map(|entry| &entry.key);
        self.declaration.key.iter().chain(entry).any(|tie| tie.own == field)
    }

    /// True for an item that leaves out a part of its key, and so is about every row with the rest.
    fn is_about_every(&self, body: &Value) -> bool {
        self.declaration.every.iter().any(|name| item_index::own(body, name).is_empty())
    }

    pub fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// One item, as it is sent.
    pub fn sent(&self) -> &Shape {
        &self.sent
    }

    /// True where every field that is sent is held like this. Fields that the service doesn't show tell nothing.
    pub fn same(&self, sent: &Value, held: &Value) -> bool {
        self.differences(sent, held).is_empty()
    }

    /// True where two things that are held are the same.
    pub fn same_state(&self, one: &Value, other: &Value) -> bool {
        self.state_differences(one, other).is_empty()
    }
}
