//! What comes after sending: doubt is resolved, mistakes are fixed, changes are taken back.

use std::sync::Arc;

use takt_engine::{
    Engine, Problem,
    import::{Drafts, ImportId, ImportView},
    item::RowId,
    preview::PreviewChoice,
    submission::{
        Decision, PlanView, Relation, SubmissionId, SubmissionOrigin, SubmissionRequest, SubmissionView,
        UnconfirmedTotals, UndoView,
    },
};
use tauri::{AppHandle, Runtime};

use super::submission::{SkipChoice, claim_choice};
use crate::state::{AppStateAccess, run_blocking};

/// Reads back what is unconfirmed.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_find_out<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    confirmed: Option<String>,
) -> Result<SubmissionView, Problem> {
    app.app_state().engine.submissions().find_out(id, confirmed.as_deref()).await
}

/// A person decided about unconfirmed rows; without any named, about all of them. `skip_claimed`: of those to be sent again, the ones
/// that colleagues are sending are skipped.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_decide<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    rows: Vec<RowId>,
    decision: Decision,
    confirmed: Option<String>,
    skip_claimed: bool,
) -> Result<SubmissionView, Problem> {
    app.app_state()
        .engine
        .submissions()
        .decide(id, &rows, decision, confirmed.as_deref(), claim_choice(skip_claimed))
        .await
}

/// Pending rows that colleagues are sending are skipped.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_skip_claimed<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
) -> Result<SubmissionView, Problem> {
    app.app_state().engine.submissions().skip_claimed(id).await
}

/// Sums over the unconfirmed rows that can't be read back; absent where there is nothing to add up.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_unconfirmed_totals<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
) -> Result<Option<UnconfirmedTotals>, Problem> {
    app.app_state().engine.submissions().unconfirmed_totals(id).await
}

/// How many rejected rows no later submission had accepted.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_rejected<R: Runtime>(app: AppHandle<R>, id: SubmissionId) -> Result<u32, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    let rows = run_blocking(move || engine.submissions().rejected_rows(id)).await?;
    Ok(u32::try_from(rows.len()).unwrap_or(u32::MAX))
}

/// The import with all rows left out but those that the submission had rejected.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn import_fix_rejected<R: Runtime>(
    app: AppHandle<R>,
    import_id: ImportId,
    submission: SubmissionId,
) -> Result<ImportView, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.history().fix_rejected(import_id, submission)).await
}

/// The import read as an earlier submission was: its operation and its mapping.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn import_use_submission<R: Runtime>(
    app: AppHandle<R>,
    import_id: ImportId,
    submission: SubmissionId,
) -> Result<ImportView, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.history().read_like(import_id, submission)).await
}

/// Sends the rejected rows of a submission as the import has them now. `site`, `skip` and `preview` as in `submission_start`.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_retry<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    import_id: ImportId,
    site: String,
    skip: SkipChoice,
    confirmed: Option<String>,
    preview: Option<PreviewChoice>,
) -> Result<PlanView, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    engine.submissions().may_write(&site, confirmed.as_deref())?;
    let making = Arc::clone(&engine);
    let request = run_blocking(move || {
        let corrected = making.previews().items_for(import_id, &site, preview)?;
        making.submissions().retry(id, Some(corrected))
    })
    .await?;
    let claimed = skip.of_claimed();
    let request = SubmissionRequest { skip_blocked: skip.errors, confirmed, claimed, ..request };
    let plan = engine.submissions().submit(request).await?;
    end_draft(engine, import_id).await;
    Ok(plan)
}

/// Rows that an undo may put back, as far as that is known without asking the service.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_undoable<R: Runtime>(app: AppHandle<R>, id: SubmissionId) -> Result<u32, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.submissions().undoable_rows(id)).await
}

/// What an undo would do now.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_undo_plan<R: Runtime>(app: AppHandle<R>, id: SubmissionId) -> Result<UndoView, Problem> {
    app.app_state().engine.submissions().undo_plan(id).await
}

/// Puts back what a submission changed; `skip_claimed`: but not rows that colleagues are sending.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_undo<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    confirmed: Option<String>,
    skip_claimed: bool,
) -> Result<PlanView, Problem> {
    app.app_state().engine.submissions().undo(id, confirmed.as_deref(), claim_choice(skip_claimed)).await
}

/// What is sent is in the history from here on. That the draft stays is no reason to say that nothing was sent.
pub(super) async fn end_draft(engine: Arc<Engine>, import: ImportId) {
    if let Err(problem) = run_blocking(move || Drafts::of(engine.imports()).end(import)).await {
        tracing::warn!(?problem, "the draft of what was sent stays");
    }
}

/// What a submission follows when it does an earlier one's work with another file.
pub(super) fn again(submission: Option<SubmissionId>) -> Option<SubmissionOrigin> {
    submission.map(|submission| SubmissionOrigin { submission, relation: Relation::Again })
}
