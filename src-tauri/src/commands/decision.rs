//! Commands that follow a submission: resolving unconfirmed rows, retrying and undoing.

use takt_engine::{
    Problem,
    import::{Drafts, ImportId, ImportView},
    item::RowId,
    preview::PreviewChoice,
    submission::{
        Decision, PlanView, Relation, SendOptions, SubmissionId, SubmissionOrigin, SubmissionRequest, SubmissionView,
        UnconfirmedTotals, UndoView,
    },
};
use tauri::{AppHandle, Runtime};

use super::skip_choice::{SkipChoice, claim_choice};
use crate::state::AppStateAccess;

/// Reads back unconfirmed rows.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_read_back<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    confirmed: Option<String>,
) -> Result<SubmissionView, Problem> {
    app.engine().submissions().read_back_unconfirmed(id, confirmed.as_deref()).await
}

/// Records the user's decision about unconfirmed rows, about all of them if none is named. With `skip_claimed`, rows
/// that colleagues are sending are skipped instead of sent again.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_decide<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    rows: Vec<RowId>,
    decision: Decision,
    confirmed: Option<String>,
    skip_claimed: bool,
) -> Result<SubmissionView, Problem> {
    app.engine().submissions().decide(id, &rows, decision, confirmed.as_deref(), claim_choice(skip_claimed)).await
}

/// Skips pending rows that colleagues are sending.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_skip_claimed<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
) -> Result<SubmissionView, Problem> {
    app.engine().submissions().skip_claimed(id).await
}

/// Returns totals of the unconfirmed rows that can't be read back, or `None` if there is nothing to total.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_unconfirmed_totals<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
) -> Result<Option<UnconfirmedTotals>, Problem> {
    app.engine().submissions().unconfirmed_totals(id).await
}

/// Counts the rejected rows that no later submission had accepted.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_rejected<R: Runtime>(app: AppHandle<R>, id: SubmissionId) -> Result<u32, Problem> {
    let rows = app.with_engine(move |engine| engine.submissions().rejected_rows(id)).await?;
    Ok(u32::try_from(rows.len()).unwrap_or(u32::MAX))
}

/// Excludes all rows of the import except those that the submission had rejected.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_fix_rejected<R: Runtime>(
    app: AppHandle<R>,
    import_id: ImportId,
    submission: SubmissionId,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.history().fix_rejected(import_id, submission)).await
}

/// Reads the import with the operation and mapping of an earlier submission.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_use_submission<R: Runtime>(
    app: AppHandle<R>,
    import_id: ImportId,
    submission: SubmissionId,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.history().read_like(import_id, submission)).await
}

/// Sends the rejected rows of a submission with the import's current values. `site`, `skip` and `preview` are as in
/// `submission_start`.
#[tauri::command]
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
    let typed = confirmed.clone();
    let request = app.with_engine(move |engine| {
        engine.submissions().may_write(&site, typed.as_deref())?;
        let corrected = engine.previews().items_for(import_id, &site, preview)?;
        engine.submissions().retry(id, Some(corrected))
    });
    let request = request.await?;
    let claimed = skip.claim_choice();
    let options = SendOptions { skip_blocked: skip.errors, confirmed, claimed, ..request.options };
    let request = SubmissionRequest { options, ..request };
    let plan = app.engine().submissions().submit(request).await?;
    end_draft(&app, import_id).await;
    Ok(plan)
}

/// Counts the rows that an undo may restore, as far as that is known without a request.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_undoable<R: Runtime>(app: AppHandle<R>, id: SubmissionId) -> Result<u32, Problem> {
    app.with_engine(move |engine| engine.submissions().undoable_rows(id)).await
}

/// Returns what an undo would do now.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_undo_plan<R: Runtime>(app: AppHandle<R>, id: SubmissionId) -> Result<UndoView, Problem> {
    app.engine().submissions().undo_plan(id).await
}

/// Restores the values from before a submission. With `skip_claimed`, rows that colleagues are sending are skipped.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_undo<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    confirmed: Option<String>,
    skip_claimed: bool,
) -> Result<PlanView, Problem> {
    app.engine().submissions().undo(id, confirmed.as_deref(), claim_choice(skip_claimed)).await
}

/// Ends the draft of an import that was sent. A failure is only logged, since the rows were sent.
pub(super) async fn end_draft<R: Runtime>(app: &AppHandle<R>, import: ImportId) {
    if let Err(problem) = app.with_engine(move |engine| Drafts::of(engine.imports()).end(import)).await {
        tracing::warn!(?problem, "the draft of what was sent stays");
    }
}

/// Returns the origin of a submission that repeats an earlier one with another file.
pub(super) fn repeated_submission(submission: Option<SubmissionId>) -> Option<SubmissionOrigin> {
    submission.map(|submission| SubmissionOrigin { submission, relation: Relation::Again })
}
