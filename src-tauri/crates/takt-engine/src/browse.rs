//! Reading what the service holds, generically by the contract: no operation has code of its own here.
//!
//! Owns the request (`request`), the rows that stay at hand (`set`), and taking them along as a file (`export`). Leaves to
//! others: pages and pace (takt-client), how a table looks.

mod arrange;
mod bounded;
mod export;
mod exported;
mod look;
mod request;
mod set;
mod table;
mod view;

use std::collections::HashSet;

use serde_json::Value;
use takt_client::{Answer, Canceller, ClientError};
use takt_contract::Shape;

use crate::{Code, Engine, Problem};
pub use arrange::{Arranged, Arrangement, Filter, SortBy, Test, ValueCount};
pub use bounded::{RowCut, TableRows, TextPiece, WholeRow};
pub use export::ExportWish;
pub use exported::SHEET as EXPORTED;
pub(crate) use exported::{Exported, MOST_ROWS as MOST_REMEMBERED, Remembered, sheet as remembering};
pub use look::{ColumnLook, NamedView, SpanForm, TableView, TableViews};
pub(crate) use request::ReadRequest;
pub use set::RowSet;
pub(crate) use table::cell;
pub use view::*;

const LARGEST_PAGE: u32 = 100;

impl Engine {
    /// One page. A read without pages answers everything at once, as page 1.
    pub async fn browse_page(
        &self,
        site: &str,
        query: &BrowseQuery,
        page: u32,
        limit: u32,
    ) -> Result<BrowsePage, Problem> {
        let client = self.client(site)?;
        let request = ReadRequest::new(self.contract(), query)?;
        let page = page.max(1);
        let answer = client.get(&request.path, &request.query_of_page(page, limit.clamp(1, LARGEST_PAGE))).await;
        let answer = answer.map_err(|error| Problem::of_client(site, error))?;
        let rows = rows(&answer, &request.shape).map_err(|error| Problem::of_client(site, error))?;
        let unknown = unknown(&rows, &request.shape);
        if request.paged {
            let said = answer.pagination;
            return Ok(BrowsePage {
                page: said.current.unwrap_or(page),
                pages: said.pages,
                total: said.total,
                unknown,
                rows,
            });
        }
        Ok(BrowsePage { page: 1, pages: Some(1), total: u32::try_from(rows.len()).ok(), unknown, rows })
    }

    /// An empty set for rows of a read operation.
    pub fn row_set(&self, site: &str, operation: &str) -> Result<RowSet, Problem> {
        let shape = self.answer_shape(operation)?;
        let known = shape.fields.iter().map(|field| field.name.clone()).collect();
        Ok(RowSet::new(site, operation, known))
    }

    /// What a row of a read operation is made of.
    fn answer_shape(&self, operation: &str) -> Result<&Shape, Problem> {
        let found = self.contract().operation(operation).and_then(|operation| operation.answer.as_ref());
        found.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", operation))
    }

    /// Every page, one after the other, at the service's pace, into a set of the same site. Cancelled, the set keeps what has
    /// come so far.
    pub async fn browse_all(
        &self,
        query: &BrowseQuery,
        set: &RowSet,
        canceller: &Canceller,
        mut progress: impl FnMut(BrowseProgress) + Send,
    ) -> Result<(), Problem> {
        let client = self.client(set.site())?;
        let request = ReadRequest::new(self.contract(), query)?;
        if !request.paged {
            let page = self.browse_page(set.site(), query, 1, LARGEST_PAGE).await?;
            set.append(&page.rows);
            progress(BrowseProgress {
                rows: page.total.unwrap_or_default(),
                total: page.total,
                page: 1,
                pages: page.pages,
            });
            return Ok(());
        }
        let mut pages = client.pages(&request.path, &request.query, &request.shape.member);
        loop {
            match pages.next(canceller).await {
                Ok(Some(page)) => {
                    set.append(&page.rows);
                    let walked = page.progress;
                    progress(BrowseProgress {
                        rows: walked.rows,
                        total: walked.total,
                        page: walked.page,
                        pages: walked.pages,
                    });
                }
                Ok(None) | Err(ClientError::Cancelled) => return Ok(()),
                Err(error) => return Err(Problem::of_client(set.site(), error)),
            }
        }
    }
}

/// The list that carries the rows; each must be an object.
fn rows(answer: &Answer, shape: &Shape) -> Result<Vec<Value>, ClientError> {
    match answer.json()?.get_mut(&shape.member).map(Value::take) {
        Some(Value::Array(rows)) if rows.iter().all(Value::is_object) => Ok(rows),
        _ => Err(answer.not_understood(format!("there is no list of objects `{}`", shape.member))),
    }
}

/// Members that the contract doesn't know, in the order of their first appearance.
fn unknown(rows: &[Value], shape: &Shape) -> Vec<String> {
    let mut seen: HashSet<&str> = shape.fields.iter().map(|field| field.name.as_str()).collect();
    let names = rows.iter().filter_map(Value::as_object).flat_map(|row| row.keys());
    names.filter(|name| seen.insert(name.as_str())).cloned().collect()
}
