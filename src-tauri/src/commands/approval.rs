//! Submissions that wait for approval, and the decision.

use takt_engine::{
    Problem,
    submission::{ApprovalDecision, ApprovalPage, PlanView, SubmissionId, SubmissionView},
};
use tauri::{AppHandle, Runtime};

use crate::state::AppStateAccess;

/// Lists the first submission of each plan that waits for approval, oldest first. Empty without a team.
#[tauri::command]
#[specta::specta]
pub(crate) async fn approvals_waiting<R: Runtime>(app: AppHandle<R>) -> Result<Vec<SubmissionView>, Problem> {
    app.with_engine(move |engine| engine.submissions().waiting_for_approval()).await
}

/// Returns rows of a submission as in the requester's preview. `after` is the previous page's `next`, or 0.
#[tauri::command]
#[specta::specta]
pub(crate) async fn approval_rows<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    after: u32,
    limit: u32,
) -> Result<ApprovalPage, Problem> {
    app.with_engine(move |engine| engine.submissions().approval_rows(id, after, limit)).await
}

/// Records this user's decision about the plan that the submission belongs to.
#[tauri::command]
#[specta::specta]
pub(crate) async fn approval_decide<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    decision: ApprovalDecision,
    note: String,
) -> Result<PlanView, Problem> {
    app.engine().submissions().decide_approval(id, decision, &note).await
}
