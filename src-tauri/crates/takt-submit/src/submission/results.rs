//! Reads submissions, and their rows with the results.

use takt_core::{Problem, RowResult};
use takt_journal::{SubmissionId, SubmissionRecord, SubmissionState, row::RowPage};

use super::{
    submissions_state::Submissions,
    view::{self, ResultPage, SubmissionView, result_row},
};

/// Limits [`Submissions::list`] to the newest submissions.
const MAX_LISTED: u32 = 1_000;

/// The order of [`Submissions::rows_by_urgency`].
const RESULTS_BY_URGENCY: [RowResult; 6] = [
    RowResult::Unconfirmed,
    RowResult::Rejected,
    RowResult::Sending,
    RowResult::Pending,
    RowResult::Skipped,
    RowResult::Accepted,
];

impl Submissions {
    /// Returns the state of a submission.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn view(&self, id: SubmissionId) -> Result<SubmissionView, Problem> {
        let live = self.shared.running.lock().get(&id).map(|running| running.live.borrow().clone());
        Ok(self.shared.view(id, live.as_ref())?)
    }

    /// Lists the submissions without their batches, the newest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn list(&self) -> Result<Vec<SubmissionView>, Problem> {
        Ok(self.views(self.shared.journal.submissions(0, MAX_LISTED)?))
    }

    /// Returns the views without batches.
    pub(crate) fn views(&self, records: Vec<SubmissionRecord>) -> Vec<SubmissionView> {
        let approvals = self.shared.load_approvals(&records);
        let approvals = approvals
            .inspect_err(|error| tracing::warn!(%error, "who has to approve what can't be read"))
            .unwrap_or_default();
        let running = self.shared.running.lock();
        let live = |id| running.get(&id).map(|running| running.live.borrow().clone());
        let view = |record: SubmissionRecord| {
            let (live, approval) = (live(record.id), approvals.get(&record.plan).cloned());
            let view =
                SubmissionView { approval, ..view::submission_view(&self.shared.sites, record, &[], live.as_ref()) };
            let not_linked = self.shared.count_not_linked(&view);
            let not_linked = not_linked
                .inspect_err(|error| tracing::warn!(%error, "rows that weren't there can't be counted"))
                .unwrap_or_default();
            SubmissionView { not_linked, ..view }
        };
        records.into_iter().map(view).collect()
    }

    /// Returns a page of a submission's rows with their results, optionally of one result only.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the rows can't be read.
    pub fn result_rows(
        &self,
        id: SubmissionId,
        result: Option<RowResult>,
        offset: u32,
        limit: u32,
    ) -> Result<ResultPage, Problem> {
        let page = self.shared.journal.rows().page(id, result, offset, limit)?;
        Ok(self.page(&page, offset))
    }

    /// Returns a page of all rows. Rows that need attention come first, unless rows are being sent: then they're in the
    /// file's order, so that they don't move.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the rows can't be read.
    pub fn rows_by_urgency(&self, id: SubmissionId, offset: u32, limit: u32) -> Result<ResultPage, Problem> {
        let record = self.shared.journal.submission(id)?;
        if record.state == SubmissionState::Running || record.purged.is_some() {
            return self.result_rows(id, None, offset, limit);
        }
        let (mut rows, mut passed) = (Vec::new(), 0);
        for result in RESULTS_BY_URGENCY {
            let count = record.counts.count(result);
            let read = u32::try_from(rows.len()).unwrap_or(u32::MAX);
            let first = offset.saturating_add(read).saturating_sub(passed);
            passed = passed.saturating_add(count);
            if first < count && read < limit {
                rows.extend(self.result_rows(id, Some(result), first, limit - read)?.rows);
            }
        }
        Ok(ResultPage { total: record.total, offset, rows })
    }

    fn page(&self, page: &RowPage, offset: u32) -> ResultPage {
        let words = self.shared.words();
        ResultPage { total: page.total, offset, rows: page.rows.iter().map(|row| result_row(&words, row)).collect() }
    }

    /// Searches rows by a part of their key or reasons, or by their number.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the rows can't be read.
    pub fn search_rows(
        &self,
        id: SubmissionId,
        result: Option<RowResult>,
        text: &str,
        offset: u32,
        limit: u32,
    ) -> Result<ResultPage, Problem> {
        let text = text.trim();
        if text.is_empty() {
            return self.result_rows(id, result, offset, limit);
        }
        let page = self.shared.journal.rows().search(id, result, text, offset, limit)?;
        Ok(self.page(&page, offset))
    }

    /// Returns the name of the sending person.
    pub fn person(&self) -> &str {
        &self.shared.person
    }
}
