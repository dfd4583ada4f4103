//! Marks an untried operation as proven once an accepted row is read back as it was sent.

use std::sync::Arc;

use takt_browse::read_back::ServiceItem;
use takt_core::{Problem, blocking::run_blocking};
use takt_journal::RowResult;

use super::{super::resolve::SubmissionReadBack, Runner};

/// The source of a contract version that was proven by a row.
const SOURCE: &str = "trial";

impl Runner {
    /// Marks the operation as proven if it was untried and an accepted row is on the service as sent.
    pub(super) async fn prove_operation(&self) {
        if !self.ctx.target.untried {
            return;
        }
        let submission = self.ctx.run.submission();
        match self.is_proven().await {
            Ok(true) => {}
            Ok(false) => return tracing::info!(%submission, "no row proves yet how its operation is sent"),
            Err(problem) => return tracing::warn!(%submission, %problem, "whether it proves its operation isn't known"),
        }
        let (shared, site) = (Arc::clone(&self.ctx.shared), self.connection.site.clone());
        let stored = run_blocking(move || {
            let operation = shared.journal.submission(submission)?.operation;
            match shared.sites.overlay(&site)?.tried(&operation) {
                Some(tried) => shared.sites.set_overlay(&site, &tried, SOURCE, &shared.person).map(Some),
                None => Ok(None),
            }
        });
        if let Err(problem) = stored.await {
            tracing::warn!(%submission, %problem, "that its operation is proven couldn't be written down");
        }
    }

    async fn is_proven(&self) -> Result<bool, Problem> {
        let (shared, id) = (Arc::clone(&self.ctx.shared), self.ctx.run.submission());
        let (operation, accepted) = run_blocking(move || {
            let accepted = shared.journal.rows().item_details(id, RowResult::Accepted, 0, 1)?;
            Ok((shared.journal.submission(id)?.operation, accepted))
        })
        .await?;
        let Some(item) = accepted.first() else { return Ok(false) };
        let ctx = &self.ctx;
        let reader = SubmissionReadBack::of(&ctx.shared, &operation, &ctx.target, &self.connection);
        // If nothing shows what was written, only the service's response counts.
        let Some(reader) = reader else { return Ok(true) };
        let items = reader.read(&accepted).await?;
        let is_same = |existing: &serde_json::Value| reader.read_back.same(&item.body, existing);
        Ok(items.iter().any(|found| matches!(found, ServiceItem::Holds(existing) if is_same(existing))))
    }
}
