//! Reads lists of the service by the contract. No code here is specific to an operation.
//!
//! `read` reads pages, `named_moments` resolves dates such as "tomorrow", and `set` stores the rows. `table` and
//! `arrange` show them, and `export` writes them to a file. Paging and rate limits belong to takt-client.

mod arrange;
mod export;
mod export_snapshot;
mod filters;
mod members;
mod moved_bars;
mod named_moments;
mod read;
mod removed_site;
mod row_view;
mod set;
mod stream;
mod table;
mod table_view;
mod view;

use std::{collections::HashSet, sync::Arc};

use serde_json::Value;
use takt_contract::Shape;
use takt_core::{Clock, Code, Home, Problem};
use takt_journal::Journal;
use takt_sites::{Context, Sites};

use crate::{
    reference::References,
    request::{BrowseQuery, ReadRequest},
};

pub use arrange::{ArrangedRows, Arrangement, Filter, SortBy, Test, ValueCount};
pub use export::ExportRequest;
pub use export_snapshot::SHEET as EXPORTED;
pub use export_snapshot::{
    ExportOrigin, ExportSnapshot, MAX_ROWS as MAX_REMEMBERED, SnapshotIndex, sheet as remembering,
};
pub use filters::{ListFilter, ReadFilters};
pub use moved_bars::{BarPlace, MovedBar};
pub use named_moments::NamedSpan;
pub use row_view::{RowCut, TableRows, TextPiece, WholeRow};
pub use set::RowSet;
pub use stream::{StreamForm, StreamResult};
pub use table::cell;
pub use table_view::{ColumnLayout, NamedView, SpanForm, TableView, TableViews};
pub use view::*;

/// Reads lists of the service: pages, sets of rows, tables and files.
#[derive(Clone)]
pub struct Browse {
    pub journal: Arc<Journal>,
    pub sites: Arc<Sites>,
    pub(crate) references: Arc<References>,
    pub clock: Clock,
    pub(crate) home: Home,
}

takt_core::opaque_debug!(Browse);

impl Browse {
    /// Creates a reader for the sites of `context`. Lists that were read also update `references`.
    #[must_use]
    pub fn new(context: &Context, references: Arc<References>) -> Self {
        Self {
            journal: Arc::clone(&context.journal),
            sites: Arc::clone(&context.sites),
            references,
            clock: Arc::clone(&context.clock),
            home: context.home.clone(),
        }
    }

    /// Creates an empty set for rows of a read operation.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: the contract has no such operation, or the operation returns no rows.
    pub fn row_set(&self, site: &str, operation: &str) -> Result<RowSet, Problem> {
        let shape = self.answer_shape(site, operation)?;
        let known = shape.fields.iter().map(|field| field.name.clone()).collect();
        Ok(RowSet::new(site, operation, known))
    }

    /// Returns the shape of a read operation's rows.
    fn answer_shape(&self, site: &str, operation: &str) -> Result<Shape, Problem> {
        let contract = self.sites.contract(site)?;
        let shape = contract.operation(operation).and_then(|operation| operation.answer.clone());
        shape.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", operation))
    }

    /// Creates the request for a query at a site.
    async fn read_request(&self, site: &str, query: &BrowseQuery) -> Result<ReadRequest, Problem> {
        ReadRequest::new(&*self.sites.contract(site)?, &self.in_time(site, query).await?)
    }
}

/// Returns members that the contract doesn't list, in the order of their first appearance.
fn unknown(rows: &[Value], shape: &Shape) -> Vec<String> {
    let mut seen: HashSet<&str> = shape.fields.iter().map(|field| field.name.as_str()).collect();
    let names = rows.iter().filter_map(Value::as_object).flat_map(|row| row.keys());
    names.filter(|name| seen.insert(name.as_str())).cloned().collect()
}
