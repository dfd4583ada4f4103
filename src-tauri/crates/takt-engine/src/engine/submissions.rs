//! Submissions as the two faces ask for them.

use std::path::Path;

use tokio::sync::broadcast;

use crate::{
    DoubtTotals, Engine, Fate, FatePage, Item, Language, Original, PlanRequest, PlanView, Problem, SavedCopy,
    SubmissionRequest, SubmissionView,
};

impl Engine {
    /// Writes everything down, then sends in the background.
    pub async fn submit(&self, request: SubmissionRequest) -> Result<SubmissionView, Problem> {
        self.submissions.submit(request).await
    }

    /// The same with items that are made while they are written down, so that they are never held together. The request's
    /// own items don't count.
    pub async fn submit_from(
        &self,
        request: SubmissionRequest,
        items: impl Iterator<Item = Item> + Send + 'static,
    ) -> Result<SubmissionView, Problem> {
        self.submissions.submit_from(request, items).await
    }

    /// Every change of every submission. Who lags behind misses some, never the newest.
    pub fn subscribe(&self) -> broadcast::Receiver<SubmissionView> {
        self.submissions.subscribe()
    }

    /// After the request that is under way.
    pub async fn pause(&self, id: u32) -> Result<SubmissionView, Problem> {
        self.submissions.pause(id)
    }

    /// After the request that is under way. What is pending stays pending.
    pub async fn stop(&self, id: u32) -> Result<SubmissionView, Problem> {
        self.submissions.stop(id).await
    }

    /// Whether a person may write to a site now: a production site asks for its name as they typed it. Everything that sends asks
    /// this itself; it is here for who wants to know before work is done in vain.
    pub fn may_write(&self, site: &str, confirmed: Option<&str>) -> Result<(), Problem> {
        self.submissions.may_write(site, confirmed)
    }

    /// Goes on with exactly the rows that are pending, also after a restart.
    pub async fn resume(&self, id: u32, confirmed: Option<&str>) -> Result<SubmissionView, Problem> {
        let view = self.submissions.resume(id, confirmed).await?;
        self.submissions.and_the_plan(view, confirmed)
    }

    /// Until it no longer runs in this process.
    pub async fn wait(&self, id: u32) -> Result<SubmissionView, Problem> {
        self.submissions.wait(id).await
    }

    pub fn submission(&self, id: u32) -> Result<SubmissionView, Problem> {
        self.submissions.submission(id)
    }

    /// Newest first.
    pub fn submissions(&self) -> Result<Vec<SubmissionView>, Problem> {
        self.submissions.submissions()
    }

    pub fn fate_rows(&self, id: u32, fate: Option<Fate>, offset: u32, limit: u32) -> Result<FatePage, Problem> {
        self.submissions.fate_rows(id, fate, offset, limit)
    }

    /// Sums over the rows in doubt that can't be read back; absent where there is nothing to add up.
    pub async fn doubt_totals(&self, id: u32) -> Result<Option<DoubtTotals>, Problem> {
        self.submissions.doubt_totals(id).await
    }

    /// Every row's fate as a workbook; for a delete also what was deleted.
    pub fn export_results(&self, id: u32, path: &Path) -> Result<(), Problem> {
        self.submissions.export_results(id, path)
    }

    /// The same as a copy of the planner's own workbook: each row's fate and reasons beside it, and the results as further
    /// sheets. Where `original` isn't the file that was sent, as [`Engine::export_results`].
    pub fn export_results_into(&self, id: u32, original: &Original, path: &Path) -> Result<SavedCopy, Problem> {
        self.submissions.export_into(id, original, path)
    }

    /// A question to a person, in the language that Takt speaks.
    #[must_use]
    pub fn question(&self, key: &str, parameters: &[(&str, String)]) -> String {
        self.submissions.words().question(key, parameters)
    }

    /// The language of reasons and reports.
    pub fn speak(&self, language: Language) {
        self.submissions.speak(language);
        self.shelves.speak(language);
    }
}

/// Workbooks of several sheets.
impl Engine {
    /// Writes every step down, then sends one after the other in the background. What waits for a row that wasn't accepted
    /// stays pending.
    pub async fn submit_plan(&self, request: PlanRequest) -> Result<PlanView, Problem> {
        self.submissions.submit_plan(request).await
    }

    /// Goes on with what is pending, in the plan's order, also after a restart.
    pub async fn resume_plan(&self, plan: u32, confirmed: Option<&str>) -> Result<PlanView, Problem> {
        self.submissions.resume_plan(plan, confirmed).await
    }

    /// After the request that is under way. What is pending stays pending.
    pub async fn stop_plan(&self, plan: u32) -> Result<PlanView, Problem> {
        self.submissions.stop_plan(plan).await
    }

    /// Until no step runs in this process.
    pub async fn wait_plan(&self, plan: u32) -> Result<PlanView, Problem> {
        self.submissions.wait_plan(plan).await
    }

    /// `plan` is the number of its first submission.
    pub fn plan(&self, plan: u32) -> Result<PlanView, Problem> {
        self.submissions.plan(plan)
    }

    /// A person decided: the rows of a step that wait for others aren't sent.
    pub async fn skip_waiting(&self, id: u32) -> Result<SubmissionView, Problem> {
        self.submissions.skip_waiting(id).await
    }

    /// Every row's fate of all steps: as a copy of the planner's own workbook where `original` is the file that was sent.
    pub fn export_plan(&self, plan: u32, original: Option<&Original>, path: &Path) -> Result<SavedCopy, Problem> {
        self.submissions.export_plan(plan, original, path)
    }
}
