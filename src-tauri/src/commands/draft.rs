//! Files that were opened before, and the drafts of what was made of them.

use std::sync::Arc;

use takt_engine::{
    Problem,
    import::{Drafts, ImportId, ImportPosition, ImportView, RecentFileView},
};
use tauri::{AppHandle, Runtime, ipc::Channel};

use crate::{
    commands::opening::{self, OpeningView},
    state::{AppStateAccess, run_blocking},
};

/// Those with a draft first, then the last opened ones.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn recent_files<R: Runtime>(app: AppHandle<R>) -> Result<Vec<RecentFileView>, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || Drafts::of(engine.imports()).files()).await
}

/// Opens a file that was opened before, by the content that it had then: where it lies was written down when a person chose it.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn recent_open<R: Runtime>(
    app: AppHandle<R>,
    hash: String,
    ticket: u32,
    channel: Channel<OpeningView>,
) -> Result<ImportView, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    let path = run_blocking(move || Drafts::of(engine.imports()).path(&hash)).await?;
    app.app_state().grants.grant(&path);
    opening::open(&app, path, ticket, channel).await
}

/// Takes a file with its draft from the list.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn recent_forget<R: Runtime>(app: AppHandle<R>, hash: String) -> Result<(), Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || Drafts::of(engine.imports()).forget(&hash)).await
}

/// Tells where a person is in the import: its draft goes on from there.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn import_position<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    position: ImportPosition,
) -> Result<ImportView, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || Drafts::of(engine.imports()).set_position(id, position)).await
}

/// The file without what was made of it.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn import_start_over<R: Runtime>(app: AppHandle<R>, id: ImportId) -> Result<ImportView, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || Drafts::of(engine.imports()).start_over(id)).await
}

/// Reads the columns as the draft of an earlier content of the file says.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn import_take_columns<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    hash: String,
) -> Result<ImportView, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || Drafts::of(engine.imports()).take_columns_of(id, &hash)).await
}
