//! Reads the rows of an order in the lists of the service.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;
use takt_browse::{Browse, BrowseQuery, RowSet};
use takt_client::Canceller;
use takt_contract::Contract;
use takt_core::{Clock, Code, Problem};
use takt_journal::Journal;
use takt_sites::Sites;
use takt_submit::{History, Submissions};

use super::{
    parts::{self, OrderBy, OrderLists},
    time_span::OrderTimeSpan,
};

/// The rows of an order in one list.
#[derive(Debug, Clone)]
pub struct OrderRows {
    /// Only rows of the order.
    pub rows: RowSet,
    /// The parameters of the read.
    pub parameters: BTreeMap<String, String>,
    /// The order's planned or actual dates in the site's local time. Only for the list of orders.
    pub around: Option<OrderTimeSpan>,
    /// False if the read was canceled.
    pub complete: bool,
}

/// Orders with everything that is known about them.
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
    /// Returns the lists that have rows of orders.
    #[must_use]
    pub fn lists(&self) -> OrderLists {
        parts::lists(&self.contract)
    }

    /// Reads the rows of an order in one list. If the list can't be narrowed to an order, the dates in `time_span` are
    /// read, and rows of other orders are removed. There are no rows for an unknown order.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the list has no rows of orders.
    /// - [`Code::InvalidInput`]: the list is read by dates, and `time_span` is missing.
    /// - The errors of [`Browse::read_all`].
    pub async fn rows(
        &self,
        site: &str,
        code: &str,
        operation: &str,
        time_span: Option<&OrderTimeSpan>,
        canceller: &Canceller,
    ) -> Result<OrderRows, Problem> {
        let unknown = || Problem::new(Code::Unknown).parameter("what", operation);
        let part = self.lists().parts.into_iter().find(|part| part.operation == operation).ok_or_else(unknown)?;
        let parameters: BTreeMap<String, String> = match (&part.by, time_span) {
            (OrderBy::Code { parameter }, _) => [(parameter.clone(), code.to_owned())].into(),
            (OrderBy::Dates { from, to }, Some(time_span)) => {
                [(from.clone(), time_span.from.clone()), (to.clone(), time_span.to.clone())].into()
            }
            (OrderBy::Dates { from, .. }, None) => {
                return Err(Problem::new(Code::InvalidInput).parameter("what", from.as_str()));
            }
        };
        let query = BrowseQuery { operation: part.operation.clone(), parameters: parameters.clone() };
        let all_rows = self.browse.row_set(site, &part.operation)?;
        self.browse.read_all(&query, &all_rows, canceller, |_| {}).await?;
        let rows = self.browse.row_set(site, &part.operation)?;
        let is_of_order = |row: &Value| row.get(&part.field).and_then(Value::as_str) == Some(code);
        // Services may ignore a filter that they don't support.
        let own: Vec<Value> = all_rows.rows(0..usize::MAX).into_iter().filter(is_of_order).collect();
        rows.append(&own);
        let around = part.own.then(|| self.time_span(site, &part.operation, &own)).transpose()?.flatten();
        Ok(OrderRows { rows, parameters, around, complete: !canceller.is_cancelled() })
    }

    fn time_span(&self, site: &str, operation: &str, rows: &[Value]) -> Result<Option<OrderTimeSpan>, Problem> {
        let zone = self.sites.find(site)?.time_zone;
        let shape = self.contract.operation(operation).and_then(|operation| operation.answer.as_ref());
        Ok(shape.and_then(|shape| OrderTimeSpan::from_rows(shape, rows, &zone, (self.clock)())))
    }
}
