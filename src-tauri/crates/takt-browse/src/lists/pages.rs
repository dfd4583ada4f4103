//! The pages of a list: requests, results, progress, and the position from which the next page is read.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use takt_client::{Canceller, ClientError, ListProgress, Pages, Rows, WaitReports};
use takt_core::Problem;

/// The status of a page that was read, for errors.
const OK_STATUS: u16 = 200;

/// One page of rows. Rows are JSON objects in the contract's response shape. Their text isn't trusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct BrowsePage {
    pub rows: Vec<Value>,
    /// 1-based.
    pub page: u32,
    /// `None` if the service doesn't give it.
    pub pages: Option<u32>,
    pub total: Option<u32>,
    /// Members that the contract doesn't list, in the order of their first appearance.
    pub unknown: Vec<String>,
}

/// The page of a list to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// 1-based.
    pub page: u32,
    /// Limits the rows of the page.
    pub limit: u32,
}

/// The result of reading a page into a set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PageResult {
    /// 1-based.
    pub page: u32,
    /// `None` if the service doesn't give it.
    pub pages: Option<u32>,
    pub total: Option<u32>,
    /// The number of rows on the page.
    pub count: u32,
    /// Members that the contract doesn't list, in the order of their first appearance.
    pub unknown: Vec<String>,
}

/// The end of a read of all pages that had no error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum BrowseEnd {
    /// All rows were read, by the service's count or until no more rows were returned.
    Whole,
    /// The read was stopped. It can be continued.
    Stopped,
    /// The list changed during the read, or its row count is wrong. Rows may be missing or duplicated.
    Uneven,
}

/// The progress of reading every page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct BrowseProgress {
    pub rows: u32,
    pub total: Option<u32>,
    pub page: u32,
    pub pages: Option<u32>,
    /// The end of the wait for the rate limit. `None` while not waiting.
    #[cfg_attr(feature = "specta", specta(type = Option<String>))]
    pub waiting_until: Option<Timestamp>,
}

impl BrowseProgress {
    /// Creates the progress of a walk over the pages.
    pub fn from_walk(ListProgress { rows, total, page, pages }: ListProgress) -> Self {
        Self { rows, total, page, pages, waiting_until: None }
    }

    /// Creates the progress of a read with a single page.
    #[must_use]
    pub fn from_page(result: &PageResult) -> Self {
        Self { rows: result.count, total: result.total, page: 1, pages: result.pages, waiting_until: None }
    }
}

/// The position in a list before its next page.
#[derive(Debug)]
pub(super) struct PageWalk {
    pub(super) pages: Pages,
    /// Reports of waits for the rate limit.
    pub(super) wait_reports: WaitReports,
}

/// The result of one step of a walk.
#[derive(Debug)]
pub(super) enum WalkStep {
    /// The rows of the next page.
    Rows(Rows, BrowseProgress),
    /// The list ended, or the walk was stopped.
    End(BrowseEnd),
}

impl PageWalk {
    /// Reads the next page. `progress` is called for waits for the rate limit.
    pub(super) async fn next(
        &mut self,
        site: &str,
        canceller: &Canceller,
        progress: &mut (dyn FnMut(BrowseProgress) + Send),
    ) -> Result<WalkStep, Problem> {
        let current = BrowseProgress::from_walk(self.pages.progress());
        let report_wait = |waiting_until| progress(BrowseProgress { waiting_until, ..current });
        match self.wait_reports.await_reporting_waits(self.pages.next(canceller), report_wait).await {
            Ok(Some(page)) if page.rows.are_objects() => {
                Ok(WalkStep::Rows(page.rows, BrowseProgress::from_walk(page.progress)))
            }
            Ok(Some(page)) => {
                let reason = format!("page {} holds what are no objects", page.progress.page);
                let error = ClientError::NotUnderstood { status: OK_STATUS, reason, body: String::new() };
                Err(Problem::from_read_error(site, error))
            }
            Ok(None) => {
                Ok(WalkStep::End(if self.pages.fault().is_none() { BrowseEnd::Whole } else { BrowseEnd::Uneven }))
            }
            Err(ClientError::Cancelled) => Ok(WalkStep::End(BrowseEnd::Stopped)),
            Err(error) => Err(Problem::from_read_error(site, error)),
        }
    }
}
