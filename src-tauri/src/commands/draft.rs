//! Recently opened files and their drafts.

use takt_engine::{
    Problem,
    import::{Drafts, ImportId, ImportPosition, ImportView, RecentFileView},
};
use tauri::{AppHandle, Runtime, ipc::Channel};

use crate::{
    commands::opening::{self, OpeningView},
    state::AppStateAccess,
};

/// Lists recent files, those with a draft first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn recent_files<R: Runtime>(app: AppHandle<R>) -> Result<Vec<RecentFileView>, Problem> {
    app.with_engine(move |engine| Drafts::of(engine.imports()).files()).await
}

/// Opens a recent file by the hash of its content. Its path was recorded when the user chose it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn recent_open<R: Runtime>(
    app: AppHandle<R>,
    hash: String,
    ticket: u32,
    channel: Channel<OpeningView>,
) -> Result<ImportView, Problem> {
    let path = app.with_engine(move |engine| Drafts::of(engine.imports()).path(&hash)).await?;
    app.app_state().grants.grant(&path);
    opening::open(&app, path, ticket, channel).await
}

/// Removes a file and its draft from the list.
#[tauri::command]
#[specta::specta]
pub(crate) async fn recent_forget<R: Runtime>(app: AppHandle<R>, hash: String) -> Result<(), Problem> {
    app.with_engine(move |engine| Drafts::of(engine.imports()).forget(&hash)).await
}

/// Stores the user's position in the import, so that the draft continues there.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_position<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    position: ImportPosition,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| Drafts::of(engine.imports()).set_position(id, position)).await
}

/// Resets the import to the file's original state.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_start_over<R: Runtime>(app: AppHandle<R>, id: ImportId) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| Drafts::of(engine.imports()).start_over(id)).await
}

/// Adopts the columns from the draft of an earlier content of the file.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_take_columns<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    hash: String,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| Drafts::of(engine.imports()).take_columns_of(id, &hash)).await
}
