//! Reads lists of the service: one page, or all pages.
//!
//! If a read of all pages ends early, its position is stored with the set, and reading can continue there. Rows are
//! copied into the set as received, without parsing them.

use std::sync::Arc;

use takt_client::{Canceller, Client, ClientError, RetryPolicy, Rows, run_blocking_if_large};
use takt_contract::RowSchema;
use takt_core::{Clock, Code, Home, Problem};
use takt_journal::Journal;
use takt_sites::{Context, SiteConnection, Sites};

use crate::lists::pages::{BrowseEnd, BrowsePage, BrowseProgress, PageRequest, PageResult, PageWalk, WalkStep};
use crate::lists::row_set::RowSet;
use crate::reference::References;
use crate::request::{BrowseQuery, ListRequest};

pub(super) const MAX_PAGE_SIZE: u32 = 100;

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
        let shape = self.row_shape(site, operation)?;
        let known = shape.fields.iter().map(|field| field.name.clone()).collect();
        Ok(RowSet::new(site, operation, known))
    }

    /// Returns the shape of a read operation's rows.
    pub(super) fn row_shape(&self, site: &str, operation: &str) -> Result<RowSchema, Problem> {
        let contract = self.sites.contract(site)?;
        let shape = contract.operation(operation).and_then(|operation| operation.answer.clone());
        shape.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", operation))
    }
}

impl Browse {
    /// Creates the request for a query at a site. Named moments such as `today` are resolved first.
    pub(super) async fn read_request(
        &self,
        connection: &SiteConnection,
        query: &BrowseQuery,
    ) -> Result<ListRequest, Problem> {
        ListRequest::new(&connection.contract, &self.resolve_named_moments(connection, query).await?)
    }

    /// Reads one page into a set of the same site and operation. A read without pages returns all rows as page 1. Waits
    /// for the rate limit with the priority of an interactive request.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the contract has no such read, or the read has no such parameter.
    /// - [`Code::InvalidInput`]: a required value is missing, or isn't of its
    ///   parameter's type.
    /// - [`Code::Precondition`]: a span's begin isn't before its end (`dates-reversed`).
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [read code](takt_core::problem#read-codes): the site doesn't respond to the read.
    pub async fn read_page(
        &self,
        query: &BrowseQuery,
        page: PageRequest,
        set: &RowSet,
        canceller: &Canceller,
    ) -> Result<PageResult, Problem> {
        self.read_page_with_progress(query, page, set, canceller, |_| {}).await
    }

    /// Like [`Self::read_page`]. `progress` is called only for waits for the rate limit.
    ///
    /// # Errors
    ///
    /// As for [`Self::read_page`].
    pub async fn read_page_with_progress(
        &self,
        query: &BrowseQuery,
        page: PageRequest,
        set: &RowSet,
        canceller: &Canceller,
        mut progress: impl FnMut(BrowseProgress) + Send,
    ) -> Result<PageResult, Problem> {
        let PageRequest { page, limit } = page;
        let (site, page) = (set.site(), page.max(1));
        let connection = SiteConnection::connect(&self.sites, site).await?;
        let request = self.read_request(&connection, query).await?;
        let (client, mut wait_reports) = connection.client.with_wait_reports();
        let page_request = request.page_request(page, limit.clamp(1, MAX_PAGE_SIZE));
        let read = async {
            let answer = client.read(&page_request, RetryPolicy::SINGLE_READ, canceller).await?;
            let (status, pagination) = (answer.status, request.pagination(&answer));
            if let Some(current) = pagination.current.filter(|current| request.paged && *current != page) {
                return Err(answer.invalid_response_error(format!("page {page} was asked for and page {current} came")));
            }
            let rows = require_objects(request.parse_rows(answer).await?, status, &request)?;
            Ok((store_rows(set, rows).await?, pagination))
        };
        let report_wait = |waiting_until| progress(BrowseProgress { page, waiting_until, ..BrowseProgress::default() });
        let (count, pagination) = wait_reports
            .await_reporting_waits(read, report_wait)
            .await
            .map_err(|error| Problem::from_read_error(site, error))?;
        let unknown = set.unknown();
        if request.paged {
            return Ok(PageResult { page, pages: pagination.pages, total: pagination.total, count, unknown });
        }
        Ok(PageResult { page: 1, pages: Some(1), total: Some(count), count, unknown })
    }

    /// Like [`Self::read_page`], but returns the rows.
    ///
    /// # Errors
    ///
    /// As for [`Self::read_page`].
    pub async fn fetch_page(
        &self,
        site: &str,
        query: &BrowseQuery,
        page: u32,
        limit: u32,
    ) -> Result<BrowsePage, Problem> {
        let set = self.row_set(site, &query.operation)?;
        let PageResult { page, pages, total, unknown, .. } =
            self.read_page(query, PageRequest { page, limit }, &set, &Canceller::new()).await?;
        Ok(BrowsePage { rows: set.rows(0..usize::MAX), page, pages, total, unknown })
    }

    /// Reads every page in order into a set of the same site, within the rate limit. If it is canceled or fails, the
    /// set contains the rows so far, and [`Self::continue_read`] reads the rest.
    ///
    /// # Errors
    ///
    /// As for [`Self::read_page`]. Canceling isn't an error: it ends as [`BrowseEnd::Stopped`].
    pub async fn read_all(
        &self,
        query: &BrowseQuery,
        set: &RowSet,
        canceller: &Canceller,
        mut progress: impl FnMut(BrowseProgress) + Send,
    ) -> Result<BrowseEnd, Problem> {
        let connection = SiteConnection::connect(&self.sites, set.site()).await?;
        let request = self.read_request(&connection, query).await?;
        if !request.paged {
            let first = PageRequest { page: 1, limit: MAX_PAGE_SIZE };
            let page_result = self.read_page_with_progress(query, first, set, canceller, &mut progress).await;
            let page_result = match page_result {
                Err(_) if canceller.is_cancelled() => return Ok(BrowseEnd::Stopped),
                page_result => page_result?,
            };
            progress(BrowseProgress::from_page(&page_result));
            return Ok(BrowseEnd::Whole);
        }
        let walk = start_walk(&connection.client, &request);
        self.read_into(walk, set, canceller, progress).await
    }

    /// Continues a read of every page that ended early.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: there is nothing left to read (`nothing-to-read`).
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [read code](takt_core::problem#read-codes): the site doesn't respond to the read.
    pub async fn continue_read(
        &self,
        set: &RowSet,
        canceller: &Canceller,
        progress: impl FnMut(BrowseProgress) + Send,
    ) -> Result<BrowseEnd, Problem> {
        let walk = set.take_unfinished_walk().ok_or_else(|| Problem::obstacle("nothing-to-read"))?;
        let client = match SiteConnection::connect(&self.sites, set.site()).await {
            Ok(connection) => connection.client,
            Err(problem) => {
                set.store_unfinished_walk(walk);
                return Err(problem);
            }
        };
        let (client, wait_reports) = client.with_wait_reports();
        self.read_into(PageWalk { pages: walk.pages.with_client(client), wait_reports }, set, canceller, progress).await
    }

    async fn read_into(
        &self,
        mut walk: PageWalk,
        set: &RowSet,
        canceller: &Canceller,
        mut progress: impl FnMut(BrowseProgress) + Send,
    ) -> Result<BrowseEnd, Problem> {
        let result = loop {
            match walk.next(set.site(), canceller, &mut progress).await {
                Ok(WalkStep::Rows(rows, page_progress)) => {
                    if let Err(error) = store_rows(set, rows).await {
                        break Err(Problem::from_read_error(set.site(), error));
                    }
                    progress(page_progress);
                }
                Ok(WalkStep::End(end)) => break Ok(end),
                Err(problem) => break Err(problem),
            }
        };
        if !matches!(result, Ok(BrowseEnd::Whole | BrowseEnd::Uneven)) {
            set.store_unfinished_walk(walk);
        }
        result
    }
}

/// Returns a walk before the first page of a paged list.
pub(super) fn start_walk(client: &Client, request: &ListRequest) -> PageWalk {
    let (client, wait_reports) = client.with_wait_reports();
    PageWalk { pages: request.pages(&client).with_retry_policy(RetryPolicy::BACKGROUND_READ), wait_reports }
}

/// Returns the rows of a response, each of which must be an object.
fn require_objects(rows: Rows, status: u16, request: &ListRequest) -> Result<Rows, ClientError> {
    if rows.are_objects() {
        return Ok(rows);
    }
    let reason = format!("there is no list of objects `{}`", request.shape.member);
    Err(ClientError::NotUnderstood { status, reason, body: String::new() })
}

/// Packs rows into a set, and returns their number.
async fn store_rows(set: &RowSet, rows: Rows) -> Result<u32, ClientError> {
    let (set, bytes) = (set.clone(), rows.bytes());
    let pack = move || {
        set.append_texts(rows.texts());
        u32::try_from(rows.len()).unwrap_or(u32::MAX)
    };
    run_blocking_if_large(bytes, pack).await
}
