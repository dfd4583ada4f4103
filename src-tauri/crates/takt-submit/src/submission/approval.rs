//! Approvals of plans by a second person: listing, review and decision.
//!
//! Nothing is sent here. After an approval any desk can resume the plan.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use takt_browse::read_back::ReadBack;
use takt_core::Problem;
use takt_journal::{
    ItemDetail, JournalError, PlanId, RowResult, SubmissionId, SubmissionRecord, SubmissionState,
    approval::{Approval, ApprovalDecision, ApprovalOutcome},
};
use takt_sites::Sites;

use super::{
    change_operation::ChangeOperation,
    submissions_state::{Submissions, SubmissionsState},
    view::{ApprovalView, PlanView, SubmissionView},
};
use crate::preview::{PreviewCounts, PreviewRow, preview_kind, preview_stored_item};

/// In characters. Longer notes are truncated.
const MAX_NOTE_LENGTH: usize = 1_000;
/// Limits a page, in items.
const MAX_ROWS: u32 = 1_000;

/// A page of a submission's items as they were stored, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ApprovalPage {
    /// The number of pending rows of the whole submission, by preview kind.
    pub counts: PreviewCounts,
    pub rows: Vec<PreviewRow>,
    /// The start of the next page. Absent after the last.
    pub next: Option<u32>,
}

impl Submissions {
    /// Lists the submissions that wait for approval, the oldest first. Of each plan its first submission is listed.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn waiting_for_approval(&self) -> Result<Vec<SubmissionView>, Problem> {
        let plans = self.shared.journal.plans().approvals().list_waiting()?;
        plans.into_iter().map(|plan| self.view(plan.first())).collect()
    }

    /// Returns the rows of a submission that needs or needed approval, with the comparisons of its preview.
    ///
    /// `after` is `next` of the previous page, or 0.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission, or the contract doesn't have its
    ///   operation.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn approval_rows(&self, id: SubmissionId, after: u32, at_most: u32) -> Result<ApprovalPage, Problem> {
        let shared = &self.shared;
        let record = shared.journal.submission(id)?;
        let comparison = StoredComparison::new(&shared.sites, &record)?;
        let at_most = at_most.clamp(1, MAX_ROWS);
        let items = shared.journal.rows().item_details(id, RowResult::Pending, after, at_most)?;
        let is_full = u32::try_from(items.len()).unwrap_or(u32::MAX) == at_most;
        let mut counts = PreviewCounts::default();
        for (change, rows) in shared.journal.rows().pending_by_change(id)? {
            counts.add_rows(preview_kind(change, comparison.deletes), rows);
        }
        Ok(ApprovalPage {
            counts,
            next: items.last().map(|item| item.number).filter(|_| is_full),
            rows: items.iter().map(|item| comparison.preview_item(item)).collect(),
        })
    }

    /// Records the decision of this desk's person about a submission's plan.
    ///
    /// An approved plan can be resumed by any desk. A declined plan is stopped. The requester can only decline, which
    /// withdraws it.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the plan doesn't wait for a decision (`state-changed`),
    ///   this person requested it and can't approve it (`second-person-needed`), or another decision is in progress
    ///   (`running-elsewhere`).
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read or written.
    pub async fn decide_approval(
        &self,
        id: SubmissionId,
        decision: ApprovalDecision,
        note: &str,
    ) -> Result<PlanView, Problem> {
        let note: String = note.trim().chars().take(MAX_NOTE_LENGTH).collect();
        self.run_blocking(move |submissions| {
            submissions.shared.decide_approval(id, decision, note)?;
            let view = submissions.plan(id)?;
            view.submissions.iter().for_each(|step| submissions.shared.publish(step.id, None));
            Ok(view)
        })
        .await
    }
}

/// How the items of a stored submission are compared with the service's values before they were sent.
pub(crate) struct StoredComparison {
    deletes: bool,
    read_back: Option<ReadBack>,
}

impl StoredComparison {
    /// If this desk doesn't have the site, such as an approver's, the built-in contract is used.
    pub(crate) fn new(sites: &Sites, record: &SubmissionRecord) -> Result<Self, Problem> {
        let contract = sites.contract(&record.site)?;
        let deletes = ChangeOperation::find(&contract, &record.operation)?.deletes;
        let zone = sites.time_zone(&record.site)?;
        let read_back = ReadBack::for_operation(&contract, &record.operation)
            .map(|read_back| read_back.with_time_zone(zone.iana_name().unwrap_or("UTC")));
        Ok(Self { deletes, read_back })
    }

    pub(crate) fn preview_item(&self, item: &ItemDetail) -> PreviewRow {
        preview_stored_item(self.read_back.as_ref(), self.deletes, item)
    }
}

impl SubmissionsState {
    fn decide_approval(&self, id: SubmissionId, decision: ApprovalDecision, note: String) -> Result<(), Problem> {
        let plan = self.journal.submission(id)?.plan;
        let outcome = ApprovalOutcome { decision, at: (self.clock)(), person: self.person.clone(), note };
        Ok(self.journal.plans().approvals().decide(plan, &outcome)?)
    }

    /// Withdraws a submission that waits for approval. Returns whether it waited.
    pub(super) fn withdraw(&self, id: SubmissionId) -> Result<bool, Problem> {
        let plan = self.journal.submission(id)?.plan;
        let waits = self.journal.plans().approvals().find(plan)?.is_some_and(|approval| approval.outcome.is_none());
        if waits {
            self.decide_approval(id, ApprovalDecision::Declined, String::new())?;
        }
        Ok(waits)
    }

    /// Returns the approvals of submissions' plans.
    pub(super) fn load_approvals(
        &self,
        records: &[SubmissionRecord],
    ) -> Result<HashMap<PlanId, ApprovalView>, JournalError> {
        let plans = || records.iter().map(|record| record.plan);
        let (Some(first), Some(last)) = (plans().min(), plans().max()) else { return Ok(HashMap::new()) };
        let found = self.journal.plans().approvals().list_for_plans(first, last)?;
        let view = |approval: Approval| (approval.plan, ApprovalView::new(approval, &self.person));
        Ok(found.into_iter().map(view).collect())
    }
}

/// Returns whether an approved plan hasn't sent anything yet. It then starts like a new plan, possibly as a trial run.
pub(super) fn is_first_start(shared: &SubmissionsState, steps: &[SubmissionId]) -> Result<bool, Problem> {
    let Some(&first) = steps.first() else { return Ok(false) };
    let record = shared.journal.submission(first)?;
    if record.state != SubmissionState::Paused || record.requests > 0 {
        return Ok(false);
    }
    Ok(shared.journal.plans().approvals().find(record.plan)?.is_some())
}
