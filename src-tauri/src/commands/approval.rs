//! Submissions that wait for approval, and the decision.

use std::sync::Arc;

use takt_engine::{
    Problem,
    submission::{ApprovalDecision, ApprovalPage, PlanView, SubmissionId, SubmissionView},
};
use tauri::{AppHandle, Runtime};

use crate::state::{AppStateAccess, run_blocking};

/// Lists the first submission of each plan that waits for approval, oldest first. Empty without a team.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn approvals_waiting<R: Runtime>(app: AppHandle<R>) -> Result<Vec<SubmissionView>, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.submissions().waiting_for_approval()).await
}

/// Returns rows of a submission as in the requester's preview. `after` is the previous page's `next`, or 0.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn approval_rows<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    after: u32,
    limit: u32,
) -> Result<ApprovalPage, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.submissions().approval_rows(id, after, limit)).await
}

/// Records this user's decision about the plan that the submission belongs to.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn approval_decide<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    decision: ApprovalDecision,
    note: String,
) -> Result<PlanView, Problem> {
    app.app_state().engine.submissions().decide_approval(id, decision, &note).await
}
