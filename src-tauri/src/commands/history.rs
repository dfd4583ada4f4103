//! Past submissions and their requests, the workbook for the next shift, and the support bundle.

use jiff::tz::TimeZone;
use takt_engine::{
    Problem,
    history::{BundleChoice, HistoryList, HistoryQuery, SubmissionContext},
    import::SavedCopy,
    item::RowResult,
    submission::{RequestBody, RequestPage, ResultPage, SubmissionId},
};
use tauri::{AppHandle, Runtime};

use crate::{dialogs, state::AppStateAccess};

const MAX_ROWS: u32 = 1_000;

/// Lists matching submissions, newest first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn history_list<R: Runtime>(
    app: AppHandle<R>,
    query: HistoryQuery,
    offset: u32,
    limit: u32,
) -> Result<HistoryList, Problem> {
    app.with_engine(move |engine| engine.history().list(&query, offset, limit.min(MAX_ROWS))).await
}

/// Returns the submissions that a submission follows or that follow it, and its mapping.
#[tauri::command]
#[specta::specta]
pub(crate) async fn history_context<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
) -> Result<SubmissionContext, Problem> {
    app.with_engine(move |engine| engine.history().submission_context(id)).await
}

/// Finds rows by a text in their key or reasons, or by their number.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_search<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    result: Option<RowResult>,
    text: String,
    offset: u32,
    limit: u32,
) -> Result<ResultPage, Problem> {
    app.with_engine(move |engine| engine.submissions().search_rows(id, result, &text, offset, limit.min(MAX_ROWS)))
        .await
}

/// Lists requests, newest first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_requests<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    offset: u32,
    limit: u32,
) -> Result<RequestPage, Problem> {
    app.with_engine(move |engine| engine.submissions().requests(id, offset, limit.min(MAX_ROWS))).await
}

/// Rebuilds the body of a request from its items.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_request_body<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    number: u32,
) -> Result<RequestBody, Problem> {
    app.with_engine(move |engine| engine.submissions().request_body(id, number)).await
}

/// Asks for the workbook that was sent, and saves a copy with the rows' results. Returns `None` if a dialog was
/// canceled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_save_results<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    pick_title: String,
    pick_filter: String,
    title: String,
    name: String,
) -> Result<Option<SavedCopy>, Problem> {
    let Some(workbook) = dialogs::pick_workbook(&app, &pick_title, &pick_filter).await else { return Ok(None) };
    let Some(path) = dialogs::save_with_extension(&app, &title, &name, "xlsx").await else { return Ok(None) };
    app.with_engine(move |engine| engine.history().save_results_in_sent_workbook(id, &workbook, &path)).await.map(Some)
}

/// Asks where to save, and writes the workbook for the next shift from `since` on, in ISO 8601 with an offset.
#[tauri::command]
#[specta::specta]
pub(crate) async fn handover_save<R: Runtime>(
    app: AppHandle<R>,
    since: String,
    title: String,
    name: String,
) -> Result<Option<String>, Problem> {
    let Some(path) = dialogs::save_with_extension(&app, &title, &name, "xlsx").await else { return Ok(None) };
    let shown = path.display().to_string();
    app.with_engine(move |engine| engine.history().save_handover(&since, &TimeZone::system(), &path))
        .await
        .map(|_| Some(shown))
}

/// Asks where to save, and writes the support bundle about these submissions, or about the newest ones if none is
/// named.
#[tauri::command]
#[specta::specta]
pub(crate) async fn bundle_save<R: Runtime>(
    app: AppHandle<R>,
    submissions: Vec<SubmissionId>,
    addresses: bool,
    title: String,
    name: String,
) -> Result<Option<String>, Problem> {
    let Some(path) = dialogs::save_with_extension(&app, &title, &name, "zip").await else { return Ok(None) };
    let shown = path.display().to_string();
    let choice = BundleChoice { submissions, addresses };
    app.with_engine(move |engine| engine.history().save_bundle(&choice, &path)).await.map(|()| Some(shown))
}
