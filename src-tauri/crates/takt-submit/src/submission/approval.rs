//! Approvals: what waits for a second person, as that person sees it, and the decision. Nothing is sent from here: what is approved
//! is resumed by whoever wants to send it.

use std::{collections::HashMap, sync::Arc};

use serde::{Deserialize, Serialize};
use takt_browse::read_back::ReadBack;
use takt_core::{Problem, blocking::run_blocking};
use takt_journal::{
    JournalError, PlanId, RowResult, SubmissionId, SubmissionRecord, SubmissionState,
    approval::{Approval, ApprovalDecision, ApprovalOutcome},
};

use super::{PlanView, Shared, SubmissionView, Submissions, draft::Target};
use crate::preview::{PreviewCounts, PreviewRow, kind_of, stored_row};

/// Characters of what a person has to say.
const MAX_NOTE_LENGTH: usize = 1_000;
/// Rows of one page.
const MAX_ROWS: u32 = 1_000;

/// What was asked for a submission's plan, and what became of that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ApprovalView {
    /// That were to be sent, of all steps of the plan.
    pub rows: u32,
    /// Something of it deletes.
    pub deletes: bool,
    /// ISO 8601 with Z.
    pub asked: String,
    pub asked_by: String,
    /// This desk's person asked, and so can only withdraw it.
    pub is_own: bool,
    /// Absent while it waits.
    pub decision: Option<ApprovalDecision>,
    pub decided: Option<String>,
    pub decided_by: Option<String>,
    /// What the second person had to say; often empty.
    pub note: String,
}

impl ApprovalView {
    /// As this desk's person sees it.
    pub(super) fn of(approval: Approval, person: &str) -> Self {
        let is_own = approval.is_asked_by(person);
        let Approval { rows, deletes, asked, asked_by, outcome, .. } = approval;
        let (decision, decided, decided_by, note) = match outcome {
            Some(made) => (Some(made.decision), Some(made.at.to_string()), Some(made.person), made.note),
            None => (None, None, None, String::new()),
        };
        Self { rows, deletes, asked: asked.to_string(), asked_by, is_own, decision, decided, decided_by, note }
    }
}

/// Items of a submission as they were when it was written down, in their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ApprovalPage {
    /// Rows by what would become of them.
    pub counts: PreviewCounts,
    pub rows: Vec<PreviewRow>,
    /// Where the next page begins; absent after the last.
    pub next: Option<u32>,
}

impl Submissions {
    /// What waits for a second person, oldest first: of each plan its first submission.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn waiting_for_approval(&self) -> Result<Vec<SubmissionView>, Problem> {
        let plans = self.shared.journal.plans().approvals().open()?;
        plans.into_iter().map(|plan| self.view(plan.first())).collect()
    }

    /// Rows of a submission that waits, or waited, for a second person: as the preview showed them to whoever asked. `after` is the
    /// page before's `next`, else 0.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission, or the contract doesn't know its operation.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn approval_rows(&self, id: SubmissionId, after: u32, at_most: u32) -> Result<ApprovalPage, Problem> {
        let shared = &self.shared;
        let record = shared.journal.submission(id)?;
        // A person may approve without having the site.
        let contract = match shared.sites.contract(&record.site) {
            Ok(contract) => contract,
            Err(_) => Arc::clone(shared.sites.builtin_contract()),
        };
        let deletes = Target::find(&contract, &record.operation)?.deletes;
        let back = ReadBack::of(&contract, &record.operation).map(|back| back.at(&shared.sites.zone(&record.site)));
        let at_most = at_most.clamp(1, MAX_ROWS);
        let items = shared.journal.rows().item_details(id, RowResult::Pending, after, at_most)?;
        let is_full = u32::try_from(items.len()).unwrap_or(u32::MAX) == at_most;
        let mut counts = PreviewCounts::default();
        for (change, rows) in shared.journal.rows().pending_by_change(id)? {
            counts.count(kind_of(change, deletes), rows);
        }
        Ok(ApprovalPage {
            counts,
            next: items.last().map(|item| item.number).filter(|_| is_full),
            rows: items.iter().map(|item| stored_row(back.as_ref(), deletes, item)).collect(),
        })
    }

    /// This desk's person decides about the plan that a submission is a step of. What is approved can be resumed from then on, by
    /// anybody; what is declined is stopped. Whoever asked may decline, and so withdraw it.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): it doesn't wait for that, or no longer (`state-changed`), this person
    ///   asked for it and can't approve it (`second-person-needed`), or somebody decides at this moment (`running-elsewhere`).
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read or written.
    pub async fn decide_approval(
        &self,
        id: SubmissionId,
        decision: ApprovalDecision,
        note: &str,
    ) -> Result<PlanView, Problem> {
        let shared = Arc::clone(&self.shared);
        let note: String = note.trim().chars().take(MAX_NOTE_LENGTH).collect();
        run_blocking(move || shared.decide_approval(id, decision, note)).await?;
        let view = self.plan(id)?;
        view.submissions.iter().for_each(|step| self.shared.publish(step.id, None));
        Ok(view)
    }
}

impl Shared {
    fn decide_approval(&self, id: SubmissionId, decision: ApprovalDecision, note: String) -> Result<(), Problem> {
        let plan = self.journal.submission(id)?.plan;
        let outcome = ApprovalOutcome { decision, at: (self.clock)(), person: self.person.clone(), note };
        Ok(self.journal.plans().approvals().decide(plan, &outcome)?)
    }

    /// Stopping a submission that waits for approval withdraws it. Returns whether it waited.
    pub(super) fn withdraw(&self, id: SubmissionId) -> Result<bool, Problem> {
        let plan = self.journal.submission(id)?.plan;
        let waits = self.journal.plans().approvals().of(plan)?.is_some_and(|approval| approval.outcome.is_none());
        if waits {
            self.decide_approval(id, ApprovalDecision::Declined, String::new())?;
        }
        Ok(waits)
    }

    /// The approvals of submissions' plans.
    pub(super) fn approvals_of(
        &self,
        records: &[SubmissionRecord],
    ) -> Result<HashMap<PlanId, ApprovalView>, JournalError> {
        let plans = || records.iter().map(|record| record.plan);
        let (Some(first), Some(last)) = (plans().min(), plans().max()) else { return Ok(HashMap::new()) };
        let found = self.journal.plans().approvals().between(first, last)?;
        let view = |approval: Approval| (approval.plan, ApprovalView::of(approval, &self.person));
        Ok(found.into_iter().map(view).collect())
    }
}

/// A plan that was approved and of which nothing was sent yet: it begins as it was meant, also as a trial run.
pub(super) fn is_first_start(shared: &Shared, steps: &[SubmissionId]) -> Result<bool, Problem> {
    let Some(&first) = steps.first() else { return Ok(false) };
    let record = shared.journal.submission(first)?;
    if record.state != SubmissionState::Paused || record.requests > 0 {
        return Ok(false);
    }
    Ok(shared.journal.plans().approvals().of(record.plan)?.is_some())
}
