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

use jiff::tz::TimeZone;
use serde_json::Value;
use takt_client::{Canceller, Client, ClientError, ListFault};
use takt_contract::{Contract, Operation, Shape, read_back::ReadBack as Said};

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
    /// What would contain it (the template of a link) doesn't exist, by this status of the contract. Proves nothing if it was
    /// seen before.
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
    /// Rows of the list don't have the member that would show it.
    #[error("the service's rows don't show it")]
    NotShown,
    #[error("{0}")]
    Incomplete(ListFault),
}

impl From<ReadBackFault> for ClientError {
    fn from(fault: ReadBackFault) -> Self {
        let malformed = || Self::NotUnderstood { status: OK, reason: fault.to_string(), body: String::new() };
        if let ReadBackFault::Incomplete(fault) = fault { fault.into() } else { malformed() }
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
    /// The read that shows it, and its rows.
    list: Operation,
    rows: Shape,
    locks: Option<lock_fields::LockFields>,
    zone: TimeZone,
}

impl ReadBack {
    /// Absent where nothing shows what the operation wrote.
    pub fn of(contract: &Contract, operation: &str) -> Option<Self> {
        let operation = contract.operation(operation)?;
        let (declaration, sent) = (operation.read_back.clone()?, operation.request.clone()?);
        let list = contract.operation(&declaration.list)?.clone();
        let rows = list.answer.clone()?;
        let locks = lock_fields::LockFields::of(&sent, &list.id);
        Some(Self { declaration, sent, list, rows, locks, zone: TimeZone::UTC })
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
        let mut service_items = vec![ServiceItem::Inconclusive(ReadBackFault::NotReadable); items.len()];
        let mut along = ReadBackObserver {
            on_item: &mut |place, told| set(&mut service_items, place, told.item),
            on_progress: &mut |_| {},
        };
        self.each(client, &items, canceller, &mut along).await?;
        Ok(service_items)
    }

    /// True if a row shows the whole of an item's business key `key`. Otherwise a row may be about another item.
    pub fn shows_whole_key(&self, key: &[String]) -> bool {
        let entry = self.declaration.entry.iter().flat_map(|entry| &entry.key);
        let shown = |name: &String| {
            self.declaration.key.iter().chain(entry.clone()).any(|tie| tie.own == *name)
                || self.declaration.asks.iter().any(|asks| asks.own == *name)
        };
        key.iter().all(shown)
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
}

fn set(found: &mut [ServiceItem], place: usize, what: ServiceItem) {
    if let Some(known) = found.get_mut(place) {
        *known = what;
    }
}
