//! Sending, and the results of rows.

use serde::Deserialize;
use takt_engine::{
    Problem,
    import::{ImportId, Original},
    item::RowResult,
    preview::PreviewChoice,
    submission::{ImportToSend, PlanView, ResultPage, SendOptions, SubmissionId, SubmissionView},
};
use tauri::{AppHandle, Runtime};

use super::{
    decision,
    skip_choice::{SkipChoice, claim_choice},
};
use crate::{dialogs, state::AppStateAccess};

const MAX_ROWS: u32 = 1_000;

/// Further options for sending.
#[derive(Debug, Default, Deserialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SendChoice {
    /// The number of rows that a trial run sends before it pauses.
    trial: Option<u32>,
    /// The submission that this one repeats with another file.
    like: Option<SubmissionId>,
    /// The number of items per request, if it isn't the default.
    batch_size: Option<u32>,
}

/// Sends an import's rows to its site, step by step. `site` must be the import's site. `confirmed` is the site's name
/// as the user typed it, which production sites require in every command that sends. With `preview`, its choices apply
/// to the rows, and it must be of the import's current state.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_start<R: Runtime>(
    app: AppHandle<R>,
    import_id: ImportId,
    site: String,
    skip: SkipChoice,
    confirmed: Option<String>,
    preview: Option<PreviewChoice>,
    how: SendChoice,
) -> Result<PlanView, Problem> {
    let import = ImportToSend { import: import_id, site, preview, close: false };
    let options = SendOptions {
        skip_blocked: skip.errors,
        batch_size: how.batch_size,
        follows: decision::repeated_submission(how.like),
        trial: how.trial,
        confirmed,
        leave_unconfirmed: false,
        claimed: skip.claim_choice(),
    };
    let plan = app.engine().submissions().send(import, options).await?;
    decision::end_draft(&app, import_id).await;
    Ok(plan)
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_pause<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
) -> Result<SubmissionView, Problem> {
    app.with_engine(move |engine| engine.submissions().pause(id)).await
}

/// Stops the submission. Later steps of the plan don't start.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_stop<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
) -> Result<SubmissionView, Problem> {
    app.engine().submissions().stop(id).await
}

/// Resumes all steps of the plan that the submission belongs to.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_resume<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    confirmed: Option<String>,
) -> Result<PlanView, Problem> {
    app.engine().submissions().resume(id, confirmed.as_deref()).await
}

/// Sends unconfirmed rows again. With `skip_claimed`, rows that colleagues are sending are skipped.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_send_unconfirmed<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    confirmed: Option<String>,
    skip_claimed: bool,
) -> Result<SubmissionView, Problem> {
    app.engine().submissions().send_unconfirmed(id, confirmed.as_deref(), claim_choice(skip_claimed)).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_get<R: Runtime>(app: AppHandle<R>, id: SubmissionId) -> Result<SubmissionView, Problem> {
    app.with_engine(move |engine| engine.submissions().view(id)).await
}

/// Returns the plan that the submission belongs to.
#[tauri::command]
#[specta::specta]
pub(crate) async fn plan_get<R: Runtime>(app: AppHandle<R>, id: SubmissionId) -> Result<PlanView, Problem> {
    app.with_engine(move |engine| engine.submissions().plan(id)).await
}

/// Skips the rows of a step that wait for others.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_skip_waiting<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
) -> Result<SubmissionView, Problem> {
    app.engine().submissions().skip_waiting(id).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_list<R: Runtime>(app: AppHandle<R>) -> Result<Vec<SubmissionView>, Problem> {
    app.with_engine(move |engine| engine.submissions().list()).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_rows<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    result: Option<RowResult>,
    offset: u32,
    limit: u32,
) -> Result<ResultPage, Problem> {
    app.with_engine(move |engine| engine.submissions().result_rows(id, result, offset, limit.min(MAX_ROWS))).await
}

/// Asks where to save, and writes the results of all steps of the plan. If the import is still open, they are written
/// into a copy of the user's workbook. Returns the path, or `None` if the dialog was canceled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_export<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    import_id: Option<ImportId>,
    title: String,
    name: String,
) -> Result<Option<String>, Problem> {
    let original =
        app.with_engine(move |engine| Ok(import_id.and_then(|import| engine.imports().original(import).ok())));
    let original = original.await?;
    let extension = original.as_ref().map_or("xlsx", Original::extension);
    let Some(path) = dialogs::save_with_extension(&app, &title, &name, extension).await else { return Ok(None) };
    app.with_engine(move |engine| {
        engine.submissions().export_results(id, original.as_ref(), &path).map(|saved| Some(saved.path))
    })
    .await
}
