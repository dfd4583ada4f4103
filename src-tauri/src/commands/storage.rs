//! The size of the home folder, retention, replaced damaged files, and the newest log lines.

use takt_engine::{
    Problem,
    maintenance::{PurgeView, Retention, StorageView},
};
use tauri::{AppHandle, Runtime};

use crate::state::AppStateAccess;

#[tauri::command]
#[specta::specta]
pub(crate) async fn storage_view<R: Runtime>(app: AppHandle<R>) -> Result<StorageView, Problem> {
    app.with_engine(move |engine| engine.maintenance().storage()).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn retention_save<R: Runtime>(app: AppHandle<R>, retention: Retention) -> Result<(), Problem> {
    app.with_engine(move |engine| engine.maintenance().set_retention(&retention)).await
}

/// Removes data that exceeds its retention. With `dry_run`, only returns the data that is old enough to be removed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn purge<R: Runtime>(app: AppHandle<R>, dry_run: bool) -> Result<PurgeView, Problem> {
    app.with_engine(move |engine| engine.maintenance().purge(&engine.maintenance().retention()?, dry_run)).await
}

/// Marks the replaced damaged files as acknowledged, so that they are no longer shown.
#[tauri::command]
#[specta::specta]
pub(crate) async fn salvages_acknowledge<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    app.with_engine(move |engine| engine.maintenance().confirm_salvages()).await
}

/// Returns the newest log lines, for error reports.
#[tauri::command]
#[specta::specta]
pub(crate) async fn log_tail<R: Runtime>(app: AppHandle<R>) -> Result<String, Problem> {
    app.with_engine(move |engine| Ok(takt_engine::logging::log_tail(engine.home()))).await
}
