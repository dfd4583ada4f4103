//! Walking through a paged list. What the service says of pages and counts are claims: the walk ends whatever they are, and
//! never before the rows do. Whether a page was turned is seen by its rows, not by what it says of itself.

use std::{collections::HashSet, sync::Arc};

use takt_contract::{Shape, form::Paging};
use tokio::task::JoinSet;

use crate::{
    Answer, Canceller, Client, ClientError, Pagination, ReadQuestion, RetryPolicy, Rows,
    blocking::{joined, run_blocking_if_large},
};

/// Rows per page where the service's most isn't known.
const ROWS_PER_PAGE: u32 = 100;
/// The status of a list that was read.
const OK: u16 = 200;
/// Two million rows; what holds more isn't read as a whole.
const MAX_PAGES: u32 = 20_000;

/// How a list is asked for, and what its answers are made of.
#[derive(Debug, Clone)]
pub struct ListForm {
    pub paging: Paging,
    pub shape: Arc<Shape>,
}

impl ListForm {
    /// Rows that are asked for at a time.
    fn rows_per_page(&self) -> u32 {
        if self.paging.rows == 0 { ROWS_PER_PAGE } else { self.paging.rows }
    }

    /// Asks for the n-th page, counted from 1; of at most `rows` rows, and of no more than the service gives.
    pub fn ask_page(&self, question: &mut ReadQuestion, page: u32, rows: u32) {
        question.ask_page(&self.paging, page, rows.min(self.rows_per_page()));
    }
}

/// One page of rows.
#[derive(Debug, Clone)]
pub struct Page {
    pub rows: Rows,
    pub progress: WalkProgress,
}

/// How far a walk has come: rows of total, page of pages. The service may say neither.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WalkProgress {
    pub rows: u32,
    pub total: Option<u32>,
    pub page: u32,
    pub pages: Option<u32>,
}

/// Why a list that was read to its end doesn't prove that a row isn't in it.
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
    /// A page before the last one has fewer rows than the first, and no total says that nothing is missing.
    #[error("page {page} has fewer rows than the first, and more pages follow")]
    ShortPage { page: u32 },
    /// The list ended before the last page that the service announced.
    #[error("the service announced {pages} pages, and page {page} is empty")]
    PagesMissing { pages: u32, page: u32 },
    #[error("the list has more than {} pages", MAX_PAGES)]
    TooLong,
    /// The service says nothing of pages, and its second page is its first, which is as long as a page may be. It may return no
    /// more rows than that, whichever page is asked for.
    #[error("the service returns the same {rows} rows as page 1 and as page 2")]
    OnePageOnly { rows: u32 },
}

impl From<ListFault> for ClientError {
    /// For reads that need the whole list.
    fn from(fault: ListFault) -> Self {
        Self::NotUnderstood { status: OK, reason: fault.to_string(), body: String::new() }
    }
}

impl ListFault {
    /// The fault of a list that is one response, with the counts that it states.
    #[must_use]
    pub fn of_single_page(said: Pagination, rows: usize) -> Option<Self> {
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        match said {
            Pagination { total: Some(total), .. } if total != rows => Some(Self::WrongTotal { total, rows }),
            Pagination { total: None, pages: Some(pages), .. } if pages > 1 => {
                Some(Self::PagesMissing { pages, page: 1 })
            }
            _ => None,
        }
    }
}

/// A walk that stands before its next page. After an error it stands there still, and can go on.
#[derive(Debug)]
pub struct Pages {
    reader: PageReader,
    /// The next page, where it is on its way already: at most one. Dropped, it is given up.
    ahead: JoinSet<Result<PageParts, ClientError>>,
    progress: WalkProgress,
    claims: Claims,
    /// Rows of the first page: how many the service gives at a time.
    usual: usize,
    /// Fingerprints of the pages that came, and that of the last one.
    seen: HashSet<u64>,
    last: Option<u64>,
    ended: bool,
}

impl Client {
    /// Reads page after page.
    #[must_use]
    pub fn pages(&self, question: ReadQuestion, form: ListForm) -> Pages {
        Pages::new(self.clone(), question, form)
    }
}

impl Pages {
    fn new(client: Client, question: ReadQuestion, form: ListForm) -> Self {
        Self {
            reader: PageReader { client, question, form, retry_policy: RetryPolicy::STEADY },
            ahead: JoinSet::new(),
            progress: WalkProgress::default(),
            claims: Claims::default(),
            usual: 0,
            seen: HashSet::new(),
            last: None,
            ended: false,
        }
    }

    #[must_use]
    pub fn with_retry_policy(self, retry_policy: RetryPolicy) -> Self {
        Self { reader: PageReader { retry_policy, ..self.reader }, ..self }
    }

    /// Goes on by another client of the same service, for example after its settings were fixed.
    #[must_use]
    pub fn with_client(self, client: Client) -> Self {
        Self { reader: PageReader { client, ..self.reader }, ahead: JoinSet::new(), ..self }
    }

    #[must_use]
    pub fn progress(&self) -> WalkProgress {
        self.progress
    }

    /// Why the list doesn't prove what isn't in it: rows are missing, or its pages contradict each other. Complete only once
    /// [`Self::next`] has returned nothing.
    #[must_use]
    pub fn fault(&self) -> Option<ListFault> {
        self.claims.fault
    }

    /// Sends for the next page, so that it comes while the last one is worked on. For who asks for it in any case: nothing is sent
    /// where none follows, where one is on its way already, or once it is cancelled.
    pub fn read_ahead(&mut self, canceller: &Canceller) {
        if self.ended || !self.ahead.is_empty() || canceller.is_cancelled() {
            return;
        }
        let (reader, page, canceller) = (self.reader.clone(), self.progress.page + 1, canceller.clone());
        self.ahead.spawn(async move { reader.read(page, &canceller).await });
    }

    /// The next page, or nothing after the last one. Waits for the rate limit; `canceller` ends that too.
    ///
    /// # Errors
    /// If no person is signed in, or the service can't be reached, times out, or refuses.
    pub async fn next(&mut self, canceller: &Canceller) -> Result<Option<Page>, ClientError> {
        if self.ended {
            return Ok(None);
        }
        let page = self.progress.page + 1;
        let PageParts { said, rows, fingerprint, repeated } = match self.ahead.is_empty() {
            true => self.reader.read(page, canceller).await?,
            false => self.came(canceller).await?,
        };
        let follows_last = self.last.replace(fingerprint) == Some(fingerprint);
        if !rows.is_empty() && !self.seen.insert(fingerprint) {
            // Who says nothing of pages gives the last one, or all rows, again and again.
            if said != Pagination::default() || !follows_last {
                return Err(repeated);
            }
            if page == 2 && rows.len() == self.reader.form.rows_per_page() as usize {
                self.claims.note(ListFault::OnePageOnly { rows: self.progress.rows });
            }
            self.ended = true;
            return Ok(None);
        }
        if page == 1 {
            self.usual = rows.len();
        }
        let count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        let so_far = self.progress.rows.saturating_add(count);
        self.claims.compare(said, page);
        let said = believable(said, page, so_far);
        self.progress = WalkProgress { rows: so_far, total: said.total, page, pages: said.pages };
        let is_last = self.is_last(rows.len(), said);
        self.ended = is_last || page >= MAX_PAGES;
        if is_last {
            self.claims.close(self.progress, rows.len());
        } else if self.ended {
            self.claims.note(ListFault::TooLong);
        } else if rows.len() < self.usual {
            self.claims.short_page.get_or_insert(page);
        }
        Ok(Some(Page { rows, progress: self.progress }))
    }

    /// True where nothing follows: by all that the service says, or by a page that isn't full where it says nothing.
    fn is_last(&self, rows: usize, said: Pagination) -> bool {
        let WalkProgress { rows: so_far, page, .. } = self.progress;
        let all_pages = said.pages.map(|pages| page >= pages);
        let all_rows = said.total.map(|total| so_far >= total);
        match (all_pages, all_rows) {
            _ if rows == 0 => true,
            (None, None) => (page > 1 && rows < self.usual) || rows > self.reader.form.rows_per_page() as usize,
            (pages, total) => pages.unwrap_or(true) && total.unwrap_or(true),
        }
    }

    /// What was sent for ahead.
    async fn came(&mut self, canceller: &Canceller) -> Result<PageParts, ClientError> {
        let came = tokio::select! {
            () = canceller.cancelled() => None,
            came = self.ahead.join_next() => came,
        };
        match came {
            Some(came) => joined(came)?,
            None => {
                self.ahead = JoinSet::new();
                Err(ClientError::Cancelled)
            }
        }
    }
}

/// Asks for single pages of one list.
#[derive(Debug, Clone)]
struct PageReader {
    client: Client,
    question: ReadQuestion,
    form: ListForm,
    retry_policy: RetryPolicy,
}

/// An answer with a page, taken apart.
#[derive(Debug)]
struct PageParts {
    said: Pagination,
    rows: Rows,
    fingerprint: u64,
    /// What is said where it is a page that came before.
    repeated: ClientError,
}

impl PageReader {
    async fn read(&self, page: u32, canceller: &Canceller) -> Result<PageParts, ClientError> {
        let mut question = self.question.clone();
        self.form.ask_page(&mut question, page, self.form.rows_per_page());
        let answer = self.client.read(&question, self.retry_policy, canceller).await?;
        if page > MAX_PAGES {
            return Err(answer.not_understood(format!("the list has more than {MAX_PAGES} pages")));
        }
        let said = answer.pagination(&self.form.paging);
        let repeated = answer.not_understood(format!("page {page} is the same as one before"));
        let (rows, fingerprint) = self.parts(answer).await?;
        Ok(PageParts { said, rows, fingerprint, repeated })
    }

    async fn parts(&self, answer: Answer) -> Result<(Rows, u64), ClientError> {
        let (bytes, shape) = (answer.body.len(), Arc::clone(&self.form.shape));
        let cut = move || {
            let rows = answer.rows(&shape)?;
            let fingerprint = rows.fingerprint();
            Ok((rows, fingerprint))
        };
        run_blocking_if_large(bytes, cut).await?
    }
}

/// The counts that the pages of one list state, and how they contradict each other or the rows.
#[derive(Debug, Default)]
struct Claims {
    total: Option<u32>,
    pages: Option<u32>,
    /// The first page that has fewer rows than the first one and isn't the last.
    short_page: Option<u32>,
    /// The first contradiction.
    fault: Option<ListFault>,
}

impl Claims {
    /// Compares what one more page states with what the pages before it stated.
    fn compare(&mut self, said: Pagination, page: u32) {
        if let Some(current) = said.current.filter(|current| *current != page) {
            self.note(ListFault::OtherPage { asked: page, current });
        }
        if let Some(now) = said.total {
            let first = *self.total.get_or_insert(now);
            if first != now {
                self.note(ListFault::TotalChanged { first, now });
            }
        }
        if let Some(now) = said.pages {
            let first = *self.pages.get_or_insert(now);
            if first != now {
                self.note(ListFault::PagesChanged { first, now });
            }
        }
    }

    /// Compares the statements with all rows of the list, which ended with a page of `last` rows.
    fn close(&mut self, walk: WalkProgress, last: usize) {
        match (self.total, self.pages) {
            (Some(total), _) if total != walk.rows => self.note(ListFault::WrongTotal { total, rows: walk.rows }),
            (Some(_), _) => {}
            (None, Some(pages)) if last == 0 && pages > walk.page => {
                self.note(ListFault::PagesMissing { pages, page: walk.page });
            }
            (None, _) => {
                // An empty page ends a list without counts; the one before it may be short.
                let before_last = if last == 0 { walk.page.saturating_sub(1) } else { walk.page };
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

/// What rows have proven wrong is as good as unsaid: fewer rows than came, fewer pages than were read.
fn believable(said: Pagination, page: u32, so_far: u32) -> Pagination {
    Pagination {
        total: said.total.filter(|total| *total >= so_far),
        pages: said.pages.filter(|pages| *pages >= page || so_far == 0),
        current: said.current,
    }
}
