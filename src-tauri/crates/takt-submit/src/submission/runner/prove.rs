//! How an operation is sent, proven by a row: what was only known from its read side was accepted, and is read there again.

use std::sync::Arc;

use takt_browse::read_back::ServiceItem;
use takt_core::{Problem, blocking::run_blocking};
use takt_journal::RowResult;

use super::{super::resolve::SubmissionReadBack, Runner};

/// What the source of a version says that a row proved.
const SOURCE: &str = "trial";

impl Runner {
    /// Where nothing was sent like this before: takes it as proven once an accepted row is held as it was sent.
    pub(super) async fn prove_operation(&self) {
        if !self.route.target.untried {
            return;
        }
        let submission = self.route.run.submission();
        match self.is_proven().await {
            Ok(true) => {}
            Ok(false) => return tracing::info!(%submission, "no row proves yet how its operation is sent"),
            Err(problem) => return tracing::warn!(%submission, %problem, "whether it proves its operation isn't known"),
        }
        let (shared, site) = (Arc::clone(&self.route.shared), self.site.clone());
        let kept = run_blocking(move || {
            let operation = shared.journal.submission(submission)?.operation;
            match shared.sites.overlay(&site)?.tried(&operation) {
                Some(tried) => shared.sites.set_overlay(&site, &tried, SOURCE, &shared.person).map(Some),
                None => Ok(None),
            }
        });
        if let Err(problem) = kept.await {
            tracing::warn!(%submission, %problem, "that its operation is proven couldn't be written down");
        }
    }

    async fn is_proven(&self) -> Result<bool, Problem> {
        let (shared, id) = (Arc::clone(&self.route.shared), self.route.run.submission());
        let (operation, accepted) = run_blocking(move || {
            let accepted = shared.journal.rows().item_details(id, RowResult::Accepted, 0, 1)?;
            Ok((shared.journal.submission(id)?.operation, accepted))
        })
        .await?;
        let Some(item) = accepted.first() else { return Ok(false) };
        let route = &self.route;
        let read = SubmissionReadBack::of(&route.shared, &operation, &route.target, &self.site, &route.client);
        // Where nothing shows what was written, the service's word is all there is.
        let Some(read) = read else { return Ok(true) };
        let held = read.read(&accepted).await?;
        Ok(held.iter().any(|held| matches!(held, ServiceItem::Holds(held) if read.read_back.same(&item.body, held))))
    }
}
