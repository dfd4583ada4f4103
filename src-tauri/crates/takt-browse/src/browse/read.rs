//! Reading pages: one that somebody waits for, or all of them, until the list ends or something ends it before.
//!
//! A walk that ended early stays with its set and goes on from where it stood. Rows go from the answer's bytes into the set:
//! nothing is built of them here.

use takt_client::{Canceller, ClientError, Pages, RetryPolicy, Rows, WaitReports, WalkProgress, run_blocking_if_large};

use super::{BrowseEnd, BrowsePage, BrowseProgress, BrowseQuery, PageResult, ReadRequest, RowSet};
use takt_core::Problem;

use crate::Browse;

pub(super) const MAX_PAGE_SIZE: u32 = 100;

/// A walk over a list, before its next page.
#[derive(Debug)]
pub(super) struct PageWalk {
    pages: Pages,
    /// Of its pages' waits for the rate limit.
    waits: WaitReports,
}

impl Browse {
    /// One page into a set of the same site and operation. A read without pages answers everything at once, as page 1.
    /// Waits for the rate limit, as somebody who waits for it.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): the contract has no such read, or the read no such parameter.
    /// - [`Code::InvalidInput`](takt_core::Code::InvalidInput): a value is missing that the read needs, or isn't of its
    ///   parameter's type.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): a span's begin doesn't lie before its end
    ///   (`dates-reversed`).
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [read code](takt_core::problem#read-codes): the site doesn't answer the read.
    pub async fn read_page(
        &self,
        query: &BrowseQuery,
        (page, limit): (u32, u32),
        set: &RowSet,
        canceller: &Canceller,
    ) -> Result<PageResult, Problem> {
        self.read_page_telling(query, (page, limit), set, canceller, |_| {}).await
    }

    /// As [`Self::read_page`]; `progress` hears of nothing but waits for the rate limit.
    ///
    /// # Errors
    ///
    /// As [`Self::read_page`].
    pub async fn read_page_telling(
        &self,
        query: &BrowseQuery,
        (page, limit): (u32, u32),
        set: &RowSet,
        canceller: &Canceller,
        mut progress: impl FnMut(BrowseProgress) + Send,
    ) -> Result<PageResult, Problem> {
        let (site, page) = (set.site(), page.max(1));
        let (client, mut waits) = self.sites.client(site)?.with_wait_reports();
        let request = self.read_request(site, query).await?;
        let asked = request.question_of_page(page, limit.clamp(1, MAX_PAGE_SIZE));
        let read = async {
            let answer = client.read(&asked, RetryPolicy::PERSON, canceller).await?;
            let (status, said) = (answer.status, request.pagination(&answer));
            if let Some(current) = said.current.filter(|current| request.paged && *current != page) {
                return Err(answer.not_understood(format!("page {page} was asked for and page {current} came")));
            }
            let rows = objects(request.rows(answer).await?, status, &request)?;
            Ok((store_rows(set, rows).await?, said))
        };
        let tell = |waiting_until| progress(BrowseProgress { page, waiting_until, ..BrowseProgress::default() });
        let (count, said) = waits.during(read, tell).await.map_err(|error| Problem::of_read(site, error))?;
        let unknown = set.unknown();
        if request.paged {
            return Ok(PageResult { page, pages: said.pages, total: said.total, count, unknown });
        }
        Ok(PageResult { page: 1, pages: Some(1), total: Some(count), count, unknown })
    }

    /// As [`Self::read_page`], with the rows themselves.
    ///
    /// # Errors
    ///
    /// As [`Self::read_page`].
    pub async fn page(&self, site: &str, query: &BrowseQuery, page: u32, limit: u32) -> Result<BrowsePage, Problem> {
        let set = self.row_set(site, &query.operation)?;
        let PageResult { page, pages, total, unknown, .. } =
            self.read_page(query, (page, limit), &set, &Canceller::new()).await?;
        Ok(BrowsePage { rows: set.rows(0..usize::MAX), page, pages, total, unknown })
    }

    /// Every page, one after the other, at the service's pace, into a set of the same site. Cancelled or broken off, the set
    /// keeps what has come so far, and [`Self::go_on`] reads the rest.
    ///
    /// # Errors
    ///
    /// As [`Self::read_page`]. Cancelling is no error: it ends as [`BrowseEnd::Stopped`].
    pub async fn read_all(
        &self,
        query: &BrowseQuery,
        set: &RowSet,
        canceller: &Canceller,
        mut progress: impl FnMut(BrowseProgress) + Send,
    ) -> Result<BrowseEnd, Problem> {
        let request = self.read_request(set.site(), query).await?;
        if !request.paged {
            let said = self.read_page_telling(query, (1, MAX_PAGE_SIZE), set, canceller, &mut progress).await;
            let said = match said {
                Err(_) if canceller.is_cancelled() => return Ok(BrowseEnd::Stopped),
                said => said?,
            };
            progress(BrowseProgress::of_page(&said));
            return Ok(BrowseEnd::Whole);
        }
        let walk = self.walk(set.site(), &request)?;
        self.walk_into(walk, set, canceller, progress).await
    }

    /// Goes on with a read of every page that ended early, from where it stood.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`](takt_core::Code::Precondition): nothing is left to read (`nothing-to-read`).
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [read code](takt_core::problem#read-codes): the site doesn't answer the read.
    pub async fn go_on(
        &self,
        set: &RowSet,
        canceller: &Canceller,
        progress: impl FnMut(BrowseProgress) + Send,
    ) -> Result<BrowseEnd, Problem> {
        let walk = set.walk_left().ok_or_else(|| Problem::in_the_way("nothing-to-read"))?;
        let client = match self.sites.client(set.site()) {
            Ok(client) => client,
            Err(problem) => {
                set.leave_walk(walk);
                return Err(problem);
            }
        };
        let (client, waits) = client.with_wait_reports();
        self.walk_into(PageWalk { pages: walk.pages.with_client(client), waits }, set, canceller, progress).await
    }

    async fn walk_into(
        &self,
        mut walk: PageWalk,
        set: &RowSet,
        canceller: &Canceller,
        mut progress: impl FnMut(BrowseProgress) + Send,
    ) -> Result<BrowseEnd, Problem> {
        let ended = loop {
            match walk.next(set.site(), canceller, &mut progress).await {
                Ok(Step::Rows(rows, walked)) => {
                    if let Err(error) = store_rows(set, rows).await {
                        break Err(Problem::of_read(set.site(), error));
                    }
                    progress(walked);
                }
                Ok(Step::End(end)) => break Ok(end),
                Err(problem) => break Err(problem),
            }
        };
        if !matches!(ended, Ok(BrowseEnd::Whole | BrowseEnd::Uneven)) {
            set.leave_walk(walk);
        }
        ended
    }

    /// Before the first page of a paged list.
    pub(super) fn walk(&self, site: &str, request: &ReadRequest) -> Result<PageWalk, Problem> {
        let (client, waits) = self.sites.client(site)?.with_wait_reports();
        let pages = request.pages(&client);
        Ok(PageWalk { pages: pages.with_retry_policy(RetryPolicy::WALK), waits })
    }
}

/// What a walk came to.
#[derive(Debug)]
pub(super) enum Step {
    /// The rows of one more page.
    Rows(Rows, BrowseProgress),
    /// The list ended, or somebody stopped the walk.
    End(BrowseEnd),
}

impl PageWalk {
    /// The next page, or how the walk ended; `progress` hears where it waits for the rate limit.
    pub(super) async fn next(
        &mut self,
        site: &str,
        canceller: &Canceller,
        progress: &mut (dyn FnMut(BrowseProgress) + Send),
    ) -> Result<Step, Problem> {
        let standing = BrowseProgress::of(self.pages.progress());
        let tell = |waiting_until| progress(BrowseProgress { waiting_until, ..standing });
        match self.waits.during(self.pages.next(canceller), tell).await {
            Ok(Some(page)) if page.rows.are_objects() => Ok(Step::Rows(page.rows, BrowseProgress::of(page.progress))),
            Ok(Some(page)) => {
                let reason = format!("page {} holds what are no objects", page.progress.page);
                let error = ClientError::NotUnderstood { status: OK, reason, body: String::new() };
                Err(Problem::of_read(site, error))
            }
            Ok(None) => Ok(Step::End(if self.pages.fault().is_none() { BrowseEnd::Whole } else { BrowseEnd::Uneven })),
            Err(ClientError::Cancelled) => Ok(Step::End(BrowseEnd::Stopped)),
            Err(error) => Err(Problem::of_read(site, error)),
        }
    }
}

impl BrowseProgress {
    pub fn of(WalkProgress { rows, total, page, pages }: WalkProgress) -> Self {
        Self { rows, total, page, pages, waiting_until: None }
    }

    /// Of a read that is one page.
    #[must_use]
    pub fn of_page(said: &PageResult) -> Self {
        Self { rows: said.count, total: said.total, page: 1, pages: said.pages, waiting_until: None }
    }
}

const OK: u16 = 200;

/// The rows of an answer; each must be an object.
fn objects(rows: Rows, status: u16, request: &ReadRequest) -> Result<Rows, ClientError> {
    if rows.are_objects() {
        return Ok(rows);
    }
    let reason = format!("there is no list of objects `{}`", request.shape.member);
    Err(ClientError::NotUnderstood { status, reason, body: String::new() })
}

/// Packs rows into a set; how many they were.
async fn store_rows(set: &RowSet, rows: Rows) -> Result<u32, ClientError> {
    let (set, bytes) = (set.clone(), rows.bytes());
    let pack = move || {
        set.append_texts(rows.texts());
        u32::try_from(rows.len()).unwrap_or(u32::MAX)
    };
    run_blocking_if_large(bytes, pack).await
}
