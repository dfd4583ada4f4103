//! A workbook of several sheets, sent step by step.

use std::sync::Arc;

use takt_engine::{Original, PlanRequest, PlanView, PreviewChoice, Problem, SubmissionView};
use tauri::{AppHandle, Wry};

use crate::{
    dialogs,
    state::{AppStateAccess, run_blocking},
};

/// Sends an import's steps to its site; `site` is the one that the window shows, and must be that one. With `skip_errors` rows in
/// error are left out by choice.
#[tauri::command]
#[specta::specta]
pub(crate) async fn plan_start(
    app: AppHandle<Wry>,
    import_id: u32,
    site: String,
    skip_errors: bool,
    batch_size: Option<u32>,
    confirmed: Option<String>,
    preview: Option<PreviewChoice>,
) -> Result<PlanView, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    engine.submissions().may_write(&site, confirmed.as_deref())?;
    let making = Arc::clone(&engine);
    let steps = run_blocking(move || making.previews().steps_for(import_id, &site, preview)).await?;
    let request = PlanRequest { skip_blocked: skip_errors, batch_size, confirmed, ..steps.request() };
    engine.submissions().submit_plan(request).await
}

/// `plan` is the number of its first submission.
#[tauri::command]
#[specta::specta]
pub(crate) async fn plan_get(app: AppHandle<Wry>, plan: u32) -> Result<PlanView, Problem> {
    app.app_state().engine.submissions().plan(plan)
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn plan_stop(app: AppHandle<Wry>, plan: u32) -> Result<PlanView, Problem> {
    app.app_state().engine.submissions().stop_plan(plan).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn plan_resume(
    app: AppHandle<Wry>,
    plan: u32,
    confirmed: Option<String>,
) -> Result<PlanView, Problem> {
    app.app_state().engine.submissions().resume_plan(plan, confirmed.as_deref()).await
}

/// A person decided that the rows of a step that wait for others aren't sent.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_skip_waiting(app: AppHandle<Wry>, id: u32) -> Result<SubmissionView, Problem> {
    app.app_state().engine.submissions().skip_waiting(id).await
}

/// As `submission_export`, for all steps.
#[tauri::command]
#[specta::specta]
pub(crate) async fn plan_export(
    app: AppHandle<Wry>,
    plan: u32,
    import_id: Option<u32>,
    title: String,
    name: String,
) -> Result<Option<String>, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    let original = import_id.and_then(|import| engine.imports().plan_original(import).ok());
    let extension = original.as_ref().map_or("xlsx", Original::extension);
    let Some(path) = dialogs::save_with_extension(&title, &name, extension).await else { return Ok(None) };
    run_blocking(move || engine.submissions().export_plan(plan, original.as_ref(), &path).map(|saved| saved.path))
        .await
        .map(Some)
}
