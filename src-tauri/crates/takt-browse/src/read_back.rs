//! Reads the service's state of items with as few requests as possible. Items are read before they are sent, and after
//! an unclear response.
//!
//! `definition` defines the reads, `walk` sends them, `item_index` finds the items that a row can be, and `row_members`
//! parses a row. `row_conversion` converts a row to the request's shape, `compare` compares values, and `result`
//! contains the state that a read proves. The contract defines the read that shows an operation's items
//! (`x-takt-read-back`). Callers decide how a submission continues after a result.

mod compare;
mod definition;
mod item_index;
mod result;
mod row_conversion;
mod row_members;
mod scalar;
mod walk;

use serde_json::Value;
use takt_client::{Canceller, Client, ClientError};

pub use compare::Difference;
pub use definition::ReadBack;
pub use item_index::{ItemIndex, ItemIndexBuilder, ReadBackItem, ReadBackItems};
pub use result::{ReadBackFault, ReadBackResult, ServiceItem};
pub use scalar::{finite_number, key_text};
pub use walk::{ReadBackObserver, ReadProgress};

impl ReadBack {
    /// Returns a copy that compares only fields that at least one of these items has.
    #[must_use]
    pub fn limited_to(&self, items: &ItemIndex) -> Self {
        let mut limited = self.clone();
        limited.sent.fields.retain(|field| items.has_member(&field.name));
        limited
    }

    /// Creates a builder of an index for at most `items` items, for [`Self::read_indexed`].
    pub fn index_builder(&self, items: usize) -> ItemIndexBuilder<'_> {
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
        let results = self.read_with_neighbors(client, items, &[], canceller).await?;
        Ok(results.into_iter().map(|result| result.item).collect())
    }

    /// Like [`Self::read`], but also returns neighboring rows of each item. `expected` lists, by the items' indexes,
    /// the keys of other rows that must exist. If one of them is missing, the list doesn't prove that an item is
    /// absent.
    ///
    /// # Errors
    ///
    /// As for [`Self::read`].
    pub async fn read_with_neighbors(
        &self,
        client: &Client,
        items: &[ReadBackItem<'_>],
        expected: &[Vec<String>],
        canceller: &Canceller,
    ) -> Result<Vec<ReadBackResult>, ClientError> {
        let unread = || ReadBackResult::from_item(ServiceItem::Inconclusive(ReadBackFault::NotReadable));
        let mut results: Vec<ReadBackResult> = items.iter().map(|_| unread()).collect();
        let mut observer = ReadBackObserver {
            on_item: &mut |position, item_result| {
                if let Some(result) = results.get_mut(position) {
                    *result = item_result;
                }
            },
            on_progress: &mut |_| {},
        };
        self.read_each_expecting(client, &items, expected, canceller, &mut observer).await?;
        Ok(results)
    }

    /// Returns the values that narrow the item's read, and its key in the rows. Together they identify an item in its
    /// list.
    pub fn identity_in_list(&self, body: &Value) -> (Vec<String>, Option<String>) {
        let values = self.declaration.asks.iter().map(|asks| scalar::member_text(body, &asks.own).into_owned());
        (values.collect(), self.key_of_item(body))
    }

    /// Returns true if the service stores every sent field with the same value. Ignores fields that the service doesn't
    /// show.
    pub fn matches_stored(&self, sent: &Value, stored: &Value) -> bool {
        self.differences(sent, stored).is_empty()
    }

    /// Returns true if two states on the service are the same.
    pub fn is_same_state(&self, one: &Value, other: &Value) -> bool {
        self.state_differences(one, other).is_empty()
    }
}
