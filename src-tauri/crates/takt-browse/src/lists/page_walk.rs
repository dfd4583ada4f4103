//! The position in a paged list, from which its next page is read.

use takt_client::{Canceller, ClientError, Pages, Rows, WaitReports};

use super::view::{BrowseEnd, BrowseProgress};
use takt_core::Problem;

/// The status of a page that was read, for errors.
const OK: u16 = 200;

/// The position in a list before its next page.
#[derive(Debug)]
pub(super) struct PageWalk {
    pub(super) pages: Pages,
    /// Reports of waits for the rate limit.
    pub(super) waits: WaitReports,
}

/// The result of one step of a walk.
#[derive(Debug)]
pub(super) enum Step {
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
    ) -> Result<Step, Problem> {
        let current = BrowseProgress::of(self.pages.progress());
        let report_wait = |waiting_until| progress(BrowseProgress { waiting_until, ..current });
        match self.waits.await_reporting_waits(self.pages.next(canceller), report_wait).await {
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
