//! What waits for a second person, and the decision.

use std::sync::Arc;

use takt_engine::{
    Problem,
    submission::{ApprovalDecision, ApprovalPage, PlanView, SubmissionId, SubmissionView},
};
use tauri::{AppHandle, Runtime};

use crate::state::{AppStateAccess, run_blocking};

/// What waits, oldest first: of each plan its first submission. Nothing without a team.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn approvals_waiting<R: Runtime>(app: AppHandle<R>) -> Result<Vec<SubmissionView>, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.submissions().waiting_for_approval()).await
}

/// Rows of a submission as the preview showed them to whoever asked; `after` is the page before's `next`, else 0.
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

/// This desk's person decides about the plan that a submission is a step of.
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
