//! The workbooks with data that Takt deleted at sites: listing, opening and saving them.

use takt_engine::{
    Problem,
    cleanup::DeletedTable,
    submission::{DeletedView, DeletedWorkbook, SubmissionId},
};
use tauri::{AppHandle, Runtime};

use crate::{dialogs, state::AppStateAccess};

/// Lists the workbooks of all sites, newest first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn deleted_list<R: Runtime>(app: AppHandle<R>) -> Result<Vec<DeletedView>, Problem> {
    app.with_engine(move |engine| engine.templates().list_deletes()).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn deleted_table<R: Runtime>(app: AppHandle<R>, file: String) -> Result<DeletedTable, Problem> {
    app.with_engine(move |engine| engine.templates().deleted_table(&file)).await
}

/// Returns the workbook with the data that a submission deleted, or `None` if there is none or it was removed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn deleted_workbook<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
) -> Result<Option<DeletedWorkbook>, Problem> {
    app.engine().submissions().deleted_workbook(id).await
}

/// Opens a workbook in the system's program for it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn deleted_open<R: Runtime>(app: AppHandle<R>, file: String) -> Result<(), Problem> {
    app.with_engine(move |engine| engine.templates().open_deleted(&file)).await
}

/// Asks where to save a copy of a workbook. Returns the path, or `None` if the dialog was canceled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn deleted_save<R: Runtime>(
    app: AppHandle<R>,
    file: String,
    title: String,
) -> Result<Option<String>, Problem> {
    let name = file.trim_end_matches(".xlsx").to_owned();
    let Some(path) = dialogs::save_with_extension(&app, &title, &name, "xlsx").await else { return Ok(None) };
    let shown = path.display().to_string();
    app.with_engine(move |engine| engine.templates().copy_deleted(&file, &path)).await?;
    Ok(Some(shown))
}
