//! Combines an order's rows in lists with the submissions about it.
//!
//! `order_lists` finds the lists with rows of orders. The contract defines the fields that name an order. Reading
//! belongs to `browse`.

mod order_lists;
mod time_span;

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use takt_browse::{Browse, BrowseQuery, RowSet};
use takt_client::Canceller;
use takt_contract::{Contract, Operation};
use takt_core::{Clock, Code, Problem};
use takt_journal::Journal;
use takt_sites::Sites;
use takt_submit::{
    History, Submissions,
    history::HistoryQuery,
    submission::{ResultRow, SubmissionView},
};

use self::order_lists::{OrderFields, find_order_lists};

pub use self::{
    order_lists::{OrderBy, OrderLists, OrderPart},
    time_span::OrderTimeSpan,
};

/// The separator between the parts of a row's key.
const KEY_SEPARATOR: &str = " · ";
/// The maximum number of recently opened orders that are stored.
const MAX_RECENT_ORDERS: usize = 12;
/// The maximum number of searched submissions, newest first, and of rows in each.
const MAX_SUBMISSIONS: u32 = 200;
const MAX_ROWS: u32 = 1_000;

/// The rows of an order in one list.
#[derive(Debug, Clone)]
pub struct OrderRows {
    /// Only rows of the order.
    pub rows: RowSet,
    /// The parameters of the read.
    pub parameters: BTreeMap<String, String>,
    /// The time span of the order's dates, with a margin. Only for the list of orders.
    pub order_dates: Option<OrderTimeSpan>,
    /// False if the read was canceled.
    pub complete: bool,
}

/// A submission with rows of an order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OrderSubmission {
    pub submission: SubmissionView,
    /// Only the rows whose keys contain the order's code.
    pub rows: Vec<ResultRow>,
}

/// The positions of the order's code and operation in an operation's keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OrderKeyPositions {
    code: usize,
    /// `None` if the key contains no operation of the order.
    operation: Option<usize>,
}

impl OrderKeyPositions {
    /// Returns the order's code and, if the key contains it, its operation. Returns `None` without a code.
    pub(crate) fn parse_order_key(&self, key: &str) -> Option<(String, Option<String>)> {
        let parts: Vec<&str> = key.split(KEY_SEPARATOR).collect();
        let part = |position: usize| parts.get(position).filter(|part| !part.is_empty()).map(|part| (*part).to_owned());
        Some((part(self.code)?, self.operation.and_then(part)))
    }
}

/// Reads the rows of orders, finds submissions about them, and remembers the orders that were opened last.
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
        find_order_lists(&self.contract)
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
        let order_dates = part.own.then(|| self.time_span(site, &part.operation, &own)).transpose()?.flatten();
        Ok(OrderRows { rows, parameters, order_dates, complete: !canceller.is_cancelled() })
    }

    /// Returns true if a site has an order with this code.
    ///
    /// # Errors
    ///
    /// As for [`Orders::rows`].
    pub async fn exists(&self, site: &str, code: &str, canceller: &Canceller) -> Result<bool, Problem> {
        let Some(own) = self.lists().parts.into_iter().find(|part| part.own) else { return Ok(false) };
        Ok(!self.rows(site, code, &own.operation, None, canceller).await?.rows.is_empty())
    }

    fn time_span(&self, site: &str, operation: &str, rows: &[Value]) -> Result<Option<OrderTimeSpan>, Problem> {
        let zone = self.sites.find(site)?.time_zone;
        let shape = self.contract.operation(operation).and_then(|operation| operation.answer.as_ref());
        Ok(shape.and_then(|shape| OrderTimeSpan::from_rows(shape, rows, &zone, (self.clock)())))
    }
}

/// Submissions with rows whose keys contain an order's code.
impl Orders {
    /// Returns the submissions to a site with rows of an order, newest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the history can't be read.
    pub fn submissions_about(&self, site: &str, code: &str) -> Result<Vec<OrderSubmission>, Problem> {
        let query =
            HistoryQuery { text: Some(code.to_owned()), site: Some(site.to_owned()), ..HistoryQuery::default() };
        let keys = find_order_lists(&self.contract).keys;
        let mut submissions = Vec::new();
        for submission in self.history.list(&query, 0, MAX_SUBMISSIONS)?.submissions {
            let Some(positions) = keys.get(&submission.operation) else { continue };
            let is_of_order = |row: &ResultRow| {
                let parts: Vec<&str> = row.key.split(KEY_SEPARATOR).collect();
                positions.iter().any(|&position| parts.get(position as usize) == Some(&code))
            };
            let rows = self.submissions.search_rows(submission.id, None, code, 0, MAX_ROWS)?.rows;
            let rows: Vec<ResultRow> = rows.into_iter().filter(is_of_order).collect();
            if !rows.is_empty() {
                submissions.push(OrderSubmission { submission, rows });
            }
        }
        Ok(submissions)
    }
}

/// The orders of rows, by the parts of their keys.
impl Orders {
    /// Returns the operation that lists orders.
    pub(crate) fn order_list(&self) -> Option<&Operation> {
        self.contract.operation(OrderFields::find(&self.contract)?.list())
    }

    /// Returns the key positions of an operation, or `None` if its items have no order.
    pub(crate) fn order_key_positions(&self, operation: &str) -> Option<OrderKeyPositions> {
        let orders = OrderFields::find(&self.contract)?;
        let operation = self.contract.operation(operation)?;
        let code = *orders.key_positions(operation).first()? as usize;
        Some(OrderKeyPositions { code, operation: orders.operation_position(&self.contract, operation) })
    }
}

/// The orders that were opened last, per site.
impl Orders {
    /// Returns the orders that were opened last at a site, newest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn recent_orders(&self, site: &str) -> Result<Vec<String>, Problem> {
        let stored = self.journal.settings().get(&recent_orders_setting(site))?;
        Ok(stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
    }

    /// Stores that an order was opened.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be written.
    pub fn record_opened(&self, site: &str, code: &str) -> Result<(), Problem> {
        let mut recent = self.recent_orders(site)?;
        if recent.first().is_some_and(|newest| newest == code) {
            return Ok(());
        }
        recent.retain(|known| known != code);
        recent.insert(0, code.to_owned());
        recent.truncate(MAX_RECENT_ORDERS);
        Ok(self.journal.settings().set(&recent_orders_setting(site), &json!(recent))?)
    }

    /// Forgets the orders of a removed site.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be written.
    pub fn forget_site(&self, site: &str) -> Result<(), Problem> {
        self.journal.settings().remove(&recent_orders_setting(site))?;
        Ok(())
    }
}

fn recent_orders_setting(site: &str) -> String {
    format!("recent orders/{site}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_its_order() {
        let contract = Contract::builtin().unwrap();
        let orders = OrderFields::find(&contract).unwrap();
        let position = |id: &str| orders.operation_position(&contract, contract.operation(id).unwrap());
        assert_eq!(position("work-orders.sync"), Some(1));
        assert_eq!(position("work-orders.properties"), Some(1));
        assert_eq!(position("consumed-lots.sync"), Some(1));
        assert_eq!(position("materials.sync"), None);
        let positions = OrderKeyPositions { code: 0, operation: Some(1) };
        assert_eq!(positions.parse_order_key("WO-1 · 10"), Some(("WO-1".to_owned(), Some("10".to_owned()))));
        assert_eq!(positions.parse_order_key("WO-1"), Some(("WO-1".to_owned(), None)));
        assert_eq!(positions.parse_order_key(""), None);
    }
}
