//! Reads a paged list page by page.
//!
//! The service's page numbers and counts aren't trusted. Wrong ones neither make reading endless nor end it before the
//! last row. A page is recognized by its rows, not by its stated number.

use std::{collections::HashSet, sync::Arc};

use takt_contract::{RowSchema, form::Paging};
use tokio::task::JoinSet;

use crate::{
    Canceller, Client, ClientError, Pagination, ReadRequest, RetryPolicy, Rows, ServiceResponse,
    blocking::{run_blocking_if_large, task_result},
};

/// Rows per page if the service's maximum is unknown.
const ROWS_PER_PAGE: u32 = 100;
const OK: u16 = 200;
/// The maximum number of pages. It allows two million rows.
const MAX_PAGES: u32 = 20_000;

/// The paging parameters and the row schema of a list.
#[derive(Debug, Clone)]
pub struct ListForm {
    pub paging: Paging,
    pub shape: Arc<RowSchema>,
}

impl ListForm {
    /// Returns the service's maximum, or the default if it is unknown.
    fn rows_per_page(&self) -> u32 {
        if self.paging.rows == 0 { ROWS_PER_PAGE } else { self.paging.rows }
    }

    /// Requests the 1-based `page` with at most `rows` rows. The service's maximum applies, too.
    pub fn set_page(&self, request: &mut ReadRequest, page: u32, rows: u32) {
        request.set_page(&self.paging, page, rows.min(self.rows_per_page()));
    }
}

/// One page of rows.
#[derive(Debug, Clone)]
pub struct Page {
    pub rows: Rows,
    pub progress: ListProgress,
}

/// The rows and pages read so far, and the service's totals if it states them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ListProgress {
    pub rows: u32,
    pub total: Option<u32>,
    pub page: u32,
    pub pages: Option<u32>,
}

/// The reason why a completely read list doesn't prove that a row is missing from the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ListFault {
    #[error("the service states a total of {total}, and the number of rows that it returned is {rows}")]
    WrongTotal { total: u32, rows: u32 },
    #[error("the total changed from {first} to {now} while the pages were read")]
    TotalChanged { first: u32, now: u32 },
    #[error("the number of pages changed from {first} to {now} while they were read")]
    PagesChanged { first: u32, now: u32 },
    #[error("page {asked} was asked for, and the response calls itself page {current}")]
    OtherPage { asked: u32, current: u32 },
    /// A page before the last one has fewer rows than the first, and the service states no total to prove that the list
    /// is complete.
    #[error("page {page} has fewer rows than the first, and more pages follow")]
    ShortPage { page: u32 },
    /// The list ended before the last announced page.
    #[error("the service announced {pages} pages, and page {page} is empty")]
    PagesMissing { pages: u32, page: u32 },
    #[error("the list has more than {} pages", MAX_PAGES)]
    TooLong,
    /// The service states no counts, and its second page equals the first, which is full. There may be more rows that
    /// the service never returns.
    #[error("the service returns the same {rows} rows as page 1 and as page 2")]
    OnePageOnly { rows: u32 },
}

impl From<ListFault> for ClientError {
    /// Converts the fault to an error, for reads that need the complete list.
    fn from(fault: ListFault) -> Self {
        Self::NotUnderstood { status: OK, reason: fault.to_string(), body: String::new() }
    }
}

impl ListFault {
    /// Returns the contradiction between the counts and rows of a list with a single response.
    #[must_use]
    pub fn in_single_page(stated: Pagination, rows: usize) -> Option<Self> {
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        match stated {
            Pagination { total: Some(total), .. } if total != rows => Some(Self::WrongTotal { total, rows }),
            Pagination { total: None, pages: Some(pages), .. } if pages > 1 => {
                Some(Self::PagesMissing { pages, page: 1 })
            }
            _ => None,
        }
    }
}

/// Reads a list page by page. After an error, `next` requests the same page again.
#[derive(Debug)]
pub struct Pages {
    reader: PageReader,
    /// The next page if it was requested ahead, at most one. Dropping it cancels the request.
    prefetch: JoinSet<Result<PageParts, ClientError>>,
    progress: ListProgress,
    counts: StatedCounts,
    first_page_rows: usize,
    /// The fingerprints of the pages read so far. `last_page` is the last of them.
    seen_pages: HashSet<u64>,
    last_page: Option<u64>,
    ended: bool,
}

impl Client {
    /// Returns a reader for the list's pages.
    #[must_use]
    pub fn pages(&self, request: ReadRequest, form: ListForm) -> Pages {
        Pages::new(self.clone(), request, form)
    }
}

impl Pages {
    fn new(client: Client, request: ReadRequest, form: ListForm) -> Self {
        Self {
            reader: PageReader { client, request, form, retry_policy: RetryPolicy::COMPLETE_READ },
            prefetch: JoinSet::new(),
            progress: ListProgress::default(),
            counts: StatedCounts::default(),
            first_page_rows: 0,
            seen_pages: HashSet::new(),
            last_page: None,
            ended: false,
        }
    }

    #[must_use]
    pub fn with_retry_policy(self, retry_policy: RetryPolicy) -> Self {
        Self { reader: PageReader { retry_policy, ..self.reader }, ..self }
    }

    /// Continues with another client of the same service, for example after its settings were fixed.
    #[must_use]
    pub fn with_client(self, client: Client) -> Self {
        Self { reader: PageReader { client, ..self.reader }, prefetch: JoinSet::new(), ..self }
    }

    #[must_use]
    pub fn progress(&self) -> ListProgress {
        self.progress
    }

    /// Returns the first contradiction found. Later pages may reveal one until [`Self::next`] returns None.
    #[must_use]
    pub fn fault(&self) -> Option<ListFault> {
        self.counts.fault
    }

    /// Requests the next page while the caller processes the current one. Call [`Self::next`] afterwards. Does nothing
    /// after the last page, after cancellation, or if a page was already requested.
    pub fn prefetch_next(&mut self, canceller: &Canceller) {
        if self.ended || !self.prefetch.is_empty() || canceller.is_cancelled() {
            return;
        }
        let (reader, page, canceller) = (self.reader.clone(), self.progress.page + 1, canceller.clone());
        self.prefetch.spawn(async move { reader.read(page, &canceller).await });
    }

    /// Returns the next page, or None after the last one. Waits for the rate limit, and `canceller` ends the wait.
    ///
    /// # Errors
    /// Fails if no user is signed in, or if the service can't be reached, times out or refuses.
    pub async fn next(&mut self, canceller: &Canceller) -> Result<Option<Page>, ClientError> {
        if self.ended {
            return Ok(None);
        }
        let page = self.progress.page + 1;
        let PageParts { stated, rows, fingerprint, repetition_error } = match self.prefetch.is_empty() {
            true => self.reader.read(page, canceller).await?,
            false => self.await_prefetched_page(canceller).await?,
        };
        let follows_last = self.last_page.replace(fingerprint) == Some(fingerprint);
        if !rows.is_empty() && !self.seen_pages.insert(fingerprint) {
            // Services without counts may repeat the last page, or all rows.
            if stated != Pagination::default() || !follows_last {
                return Err(repetition_error);
            }
            if page == 2 && rows.len() == self.reader.form.rows_per_page() as usize {
                self.counts.note(ListFault::OnePageOnly { rows: self.progress.rows });
            }
            self.ended = true;
            return Ok(None);
        }
        if page == 1 {
            self.first_page_rows = rows.len();
        }
        let count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        let rows_so_far = self.progress.rows.saturating_add(count);
        self.counts.compare(stated, page);
        let stated = remove_disproved_counts(stated, page, rows_so_far);
        self.progress = ListProgress { rows: rows_so_far, total: stated.total, page, pages: stated.pages };
        let is_last = self.is_last(rows.len(), stated);
        self.ended = is_last || page >= MAX_PAGES;
        if is_last {
            self.counts.check_total(self.progress, rows.len());
        } else if self.ended {
            self.counts.note(ListFault::TooLong);
        } else if rows.len() < self.first_page_rows {
            self.counts.short_page.get_or_insert(page);
        }
        Ok(Some(Page { rows, progress: self.progress }))
    }

    /// Returns whether the counts are reached. Without counts, a page with fewer rows than the first one is the last.
    fn is_last(&self, rows: usize, stated: Pagination) -> bool {
        let ListProgress { rows: rows_so_far, page, .. } = self.progress;
        let all_pages = stated.pages.map(|pages| page >= pages);
        let all_rows = stated.total.map(|total| rows_so_far >= total);
        match (all_pages, all_rows) {
            _ if rows == 0 => true,
            (None, None) => {
                (page > 1 && rows < self.first_page_rows) || rows > self.reader.form.rows_per_page() as usize
            }
            (pages, total) => pages.unwrap_or(true) && total.unwrap_or(true),
        }
    }

    /// Waits for the page that was requested ahead.
    async fn await_prefetched_page(&mut self, canceller: &Canceller) -> Result<PageParts, ClientError> {
        let result = tokio::select! {
            () = canceller.cancelled() => None,
            result = self.prefetch.join_next() => result,
        };
        match result {
            Some(result) => task_result(result)?,
            None => {
                self.prefetch = JoinSet::new();
                Err(ClientError::Cancelled)
            }
        }
    }
}

#[derive(Debug, Clone)]
struct PageReader {
    client: Client,
    request: ReadRequest,
    form: ListForm,
    retry_policy: RetryPolicy,
}

#[derive(Debug)]
struct PageParts {
    stated: Pagination,
    rows: Rows,
    fingerprint: u64,
    /// The error to return if the page repeats an earlier one.
    repetition_error: ClientError,
}

impl PageReader {
    async fn read(&self, page: u32, canceller: &Canceller) -> Result<PageParts, ClientError> {
        let mut request = self.request.clone();
        self.form.set_page(&mut request, page, self.form.rows_per_page());
        let response = self.client.read(&request, self.retry_policy, canceller).await?;
        if page > MAX_PAGES {
            return Err(response.invalid_response_error(format!("the list has more than {MAX_PAGES} pages")));
        }
        let stated = response.pagination(&self.form.paging);
        let repetition_error = response.invalid_response_error(format!("page {page} is the same as one before"));
        let (rows, fingerprint) = self.parse_rows(response).await?;
        Ok(PageParts { stated, rows, fingerprint, repetition_error })
    }

    async fn parse_rows(&self, response: ServiceResponse) -> Result<(Rows, u64), ClientError> {
        let (bytes, shape) = (response.body.len(), Arc::clone(&self.form.shape));
        let parse = move || {
            let rows = response.rows(&shape)?;
            let fingerprint = rows.fingerprint();
            Ok((rows, fingerprint))
        };
        run_blocking_if_large(bytes, parse).await?
    }
}

/// The counts stated by the pages of a list, and their first contradiction.
#[derive(Debug, Default)]
struct StatedCounts {
    total: Option<u32>,
    pages: Option<u32>,
    /// The first short page before the last one.
    short_page: Option<u32>,
    fault: Option<ListFault>,
}

impl StatedCounts {
    /// Compares a page's counts with earlier pages.
    fn compare(&mut self, stated: Pagination, page: u32) {
        if let Some(current) = stated.current.filter(|current| *current != page) {
            self.note(ListFault::OtherPage { asked: page, current });
        }
        if let Some(now) = stated.total {
            let first = *self.total.get_or_insert(now);
            if first != now {
                self.note(ListFault::TotalChanged { first, now });
            }
        }
        if let Some(now) = stated.pages {
            let first = *self.pages.get_or_insert(now);
            if first != now {
                self.note(ListFault::PagesChanged { first, now });
            }
        }
    }

    /// Compares the counts with all rows of the list. `last` is the number of rows of the last page.
    fn check_total(&mut self, progress: ListProgress, last: usize) {
        match (self.total, self.pages) {
            (Some(total), _) if total != progress.rows => {
                self.note(ListFault::WrongTotal { total, rows: progress.rows })
            }
            (Some(_), _) => {}
            (None, Some(pages)) if last == 0 && pages > progress.page => {
                self.note(ListFault::PagesMissing { pages, page: progress.page });
            }
            (None, _) => {
                // An empty page may end a list without counts. Then the page before it may be short.
                let before_last = if last == 0 { progress.page.saturating_sub(1) } else { progress.page };
                if let Some(page) = self.short_page.filter(|page| *page < before_last) {
                    self.note(ListFault::ShortPage { page });
                }
            }
        }
    }

    fn note(&mut self, fault: ListFault) {
        self.fault.get_or_insert(fault);
    }
}

/// Removes counts that the rows disprove, which are totals below `rows_so_far` and page counts below `page`.
fn remove_disproved_counts(stated: Pagination, page: u32, rows_so_far: u32) -> Pagination {
    Pagination {
        total: stated.total.filter(|total| *total >= rows_so_far),
        pages: stated.pages.filter(|pages| *pages >= page || rows_so_far == 0),
        current: stated.current,
    }
}
