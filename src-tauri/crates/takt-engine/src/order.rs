//! One order with everything that is known about it: what the lists say, and what was sent.
//!
//! Owns which lists know something of an order (`parts`), reading each of them by itself, and the submissions that touched it
//! (`submissions`), and which were looked at last (`recent`). Which fields name an order follows from the contract. Leaves reading to `browse`, and its pace to the client.

mod naming;
mod parts;
mod recent;
mod submissions;
mod time_span;

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;
use takt_browse::{Browse, BrowseQuery, RowSet};
use takt_client::Canceller;
use takt_contract::Contract;
use takt_core::{Clock, Code, Problem};
use takt_journal::Journal;
use takt_sites::Sites;
use takt_submit::{History, Submissions};

pub(crate) use self::naming::Naming;
pub use self::{
    parts::{OrderBy, OrderLists, OrderPart},
    submissions::OrderSubmission,
    time_span::OrderTimeSpan,
};

/// What one list says of an order.
#[derive(Debug, Clone)]
pub struct OrderRows {
    /// Only rows of this order.
    pub rows: RowSet,
    /// With what the list was asked.
    pub parameters: BTreeMap<String, String>,
    /// When the order was planned or executed, of the list of the orders themselves; in the site's clocks.
    pub around: Option<OrderTimeSpan>,
    /// False where reading was ended before the end.
    pub whole: bool,
}

/// One order with everything that is known about it.
#[derive(Clone)]
pub struct Orders {
    pub(crate) contract: Arc<Contract>,
    pub(crate) journal: Arc<Journal>,
    pub(crate) sites: Arc<Sites>,
    pub(crate) clock: Clock,
    pub(crate) browse: Browse,
    pub(crate) history: History,
    pub(crate) submissions: Arc<Submissions>,
}

takt_core::opaque_debug!(Orders);

impl Orders {
    /// What in the lists is about orders.
    #[must_use]
    pub fn lists(&self) -> OrderLists {
        parts::lists(&self.contract)
    }

    /// What one list says of an order. Where a list can't be asked for one order, it is read between the dates `time_span` it,
    /// and other orders' rows are left out. A code that the site doesn't know gives no rows.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the list says nothing of orders.
    /// - [`Code::InvalidInput`]: the list is asked by dates, and `around` is missing.
    /// - What reading the list fails with, as [`Browse::read_all`].
    pub async fn rows(
        &self,
        site: &str,
        code: &str,
        operation: &str,
        around: Option<&OrderTimeSpan>,
        canceller: &Canceller,
    ) -> Result<OrderRows, Problem> {
        let unknown = || Problem::new(Code::Unknown).parameter("what", operation);
        let part = self.lists().parts.into_iter().find(|part| part.operation == operation).ok_or_else(unknown)?;
        let parameters: BTreeMap<String, String> = match (&part.by, around) {
            (OrderBy::Code { parameter }, _) => [(parameter.clone(), code.to_owned())].into(),
            (OrderBy::Dates { from, to }, Some(around)) => {
                [(from.clone(), around.from.clone()), (to.clone(), around.to.clone())].into()
            }
            (OrderBy::Dates { from, .. }, None) => {
                return Err(Problem::new(Code::InvalidInput).parameter("what", from.as_str()));
            }
        };
        let query = BrowseQuery { operation: part.operation.clone(), parameters: parameters.clone() };
        let read = self.browse.row_set(site, &part.operation)?;
        self.browse.read_all(&query, &read, canceller, |_| {}).await?;
        let rows = self.browse.row_set(site, &part.operation)?;
        let is_of_it = |row: &Value| row.get(&part.field).and_then(Value::as_str) == Some(code);
        // A service may take no notice of a filter that it doesn't know.
        let own: Vec<Value> = read.rows(0..usize::MAX).into_iter().filter(is_of_it).collect();
        rows.append(&own);
        let around = part.own.then(|| self.around(site, &part.operation, &own)).transpose()?.flatten();
        Ok(OrderRows { rows, parameters, around, whole: !canceller.is_cancelled() })
    }

    fn around(&self, site: &str, operation: &str, rows: &[Value]) -> Result<Option<OrderTimeSpan>, Problem> {
        let zone = self.sites.find(site)?.time_zone;
        let shape = self.contract.operation(operation).and_then(|operation| operation.answer.as_ref());
        Ok(shape.and_then(|shape| OrderTimeSpan::of(shape, rows, &zone, (self.clock)())))
    }
}
