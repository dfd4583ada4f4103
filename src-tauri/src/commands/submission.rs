//! Sending, and what became of each row.

use std::sync::Arc;

use serde::Deserialize;
use takt_engine::{
    Problem,
    import::{ImportId, Original},
    item::RowResult,
    preview::{PreparedItems, PreviewChoice},
    submission::{ClaimChoice, PlanView, ResultPage, SubmissionId, SubmissionRequest, SubmissionView},
};
use tauri::{AppHandle, Runtime};

use super::decision;
use crate::{
    dialogs,
    state::{AppStateAccess, run_blocking},
};

const MAX_ROWS: u32 = 1_000;

/// What else is wanted of sending.
#[derive(Debug, Default, Deserialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SendOptions {
    /// A trial run: so many of the rows go first, then a person is asked.
    trial: Option<u32>,
    /// The submission whose work this does again with another file.
    like: Option<SubmissionId>,
    /// Items per request, where that isn't the usual number.
    batch_size: Option<u32>,
}

/// Which rows are left out by choice; one that isn't refuses the whole.
#[derive(Debug, Clone, Copy, Deserialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SkipChoice {
    /// Rows in error.
    pub(super) errors: bool,
    /// Rows whose keys another desk of the team is sending.
    pub(super) claimed: bool,
}

impl SkipChoice {
    pub(super) fn of_claimed(self) -> ClaimChoice {
        claim_choice(self.claimed)
    }
}

/// Whether rows that colleagues are sending are skipped, or refuse the whole.
pub(super) fn claim_choice(skip_claimed: bool) -> ClaimChoice {
    if skip_claimed { ClaimChoice::LeaveOut } else { ClaimChoice::Refuse }
}

/// Sends an import's rows to its site, step by step; `site` is the one that the window shows, and must be that one.
/// `confirmed` is the site's name as a person typed it, which a production site asks for here and wherever something is sent. With
/// `preview` what that saw is told to each row; it must be of the import as it stands.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_start<R: Runtime>(
    app: AppHandle<R>,
    import_id: ImportId,
    site: String,
    skip: SkipChoice,
    confirmed: Option<String>,
    preview: Option<PreviewChoice>,
    how: SendOptions,
) -> Result<PlanView, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    engine.submissions().may_write(&site, confirmed.as_deref())?;
    let making = Arc::clone(&engine);
    let is_trial = how.trial.is_some();
    let PreparedItems { items, further } =
        run_blocking(move || making.previews().prepare(import_id, &site, preview, is_trial)).await?;
    let request = SubmissionRequest {
        skip_blocked: skip.errors,
        batch_size: how.batch_size,
        confirmed,
        trial: how.trial,
        follows: decision::again(how.like),
        claimed: skip.of_claimed(),
        ..items.into()
    };
    let plan = engine.submissions().submit_prepared(request, further).await?;
    decision::end_draft(engine, import_id).await;
    Ok(plan)
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_pause<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
) -> Result<SubmissionView, Problem> {
    app.app_state().engine.submissions().pause(id)
}

/// Later steps of the plan don't begin.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_stop<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
) -> Result<SubmissionView, Problem> {
    app.app_state().engine.submissions().stop(id).await
}

/// Goes on with all steps of the plan that it belongs to.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_resume<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    confirmed: Option<String>,
) -> Result<PlanView, Problem> {
    app.app_state().engine.submissions().resume(id, confirmed.as_deref()).await
}

/// A person decided that unconfirmed rows may be sent again; `skip_claimed`: those that colleagues are sending are skipped.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_send_unconfirmed<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    confirmed: Option<String>,
    skip_claimed: bool,
) -> Result<SubmissionView, Problem> {
    app.app_state().engine.submissions().send_unconfirmed(id, confirmed.as_deref(), claim_choice(skip_claimed)).await
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_get<R: Runtime>(app: AppHandle<R>, id: SubmissionId) -> Result<SubmissionView, Problem> {
    app.app_state().engine.submissions().view(id)
}

/// The plan that a submission is a step of.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn plan_get<R: Runtime>(app: AppHandle<R>, id: SubmissionId) -> Result<PlanView, Problem> {
    app.app_state().engine.submissions().plan(id)
}

/// A person decided that the rows of a step that wait for others aren't sent.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_skip_waiting<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
) -> Result<SubmissionView, Problem> {
    app.app_state().engine.submissions().skip_waiting(id).await
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_list<R: Runtime>(app: AppHandle<R>) -> Result<Vec<SubmissionView>, Problem> {
    app.app_state().engine.submissions().list()
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_rows<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    result: Option<RowResult>,
    offset: u32,
    limit: u32,
) -> Result<ResultPage, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.submissions().result_rows(id, result, offset, limit.min(MAX_ROWS))).await
}

/// Asks where to save, and writes every row's result in all steps of its plan; the path, or `None` where the dialog was cancelled. With the import that it
/// was made of, while that is open, into a copy of the planner's own workbook.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_export<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    import_id: Option<ImportId>,
    title: String,
    name: String,
) -> Result<Option<String>, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    let original = import_id.and_then(|import| engine.imports().original(import).ok());
    let extension = original.as_ref().map_or("xlsx", Original::extension);
    let Some(path) = dialogs::save_with_extension(&app, &title, &name, extension).await else { return Ok(None) };
    run_blocking(move || engine.submissions().export_results(id, original.as_ref(), &path).map(|saved| saved.path))
        .await
        .map(Some)
}
