//! The size of the home folder, retention, replaced damaged files, and the newest log lines.

use std::sync::Arc;

use takt_engine::{
    Problem,
    maintenance::{PurgeView, Retention, StorageView},
};
use tauri::{AppHandle, Runtime};

use crate::state::{AppStateAccess, run_blocking};

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn storage_view<R: Runtime>(app: AppHandle<R>) -> Result<StorageView, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.maintenance().storage()).await
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn retention_save<R: Runtime>(app: AppHandle<R>, retention: Retention) -> Result<(), Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.maintenance().set_retention(&retention)).await
}

/// Removes data that exceeds its retention. With `dry_run`, only returns what would be removed by age.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn purge<R: Runtime>(app: AppHandle<R>, dry_run: bool) -> Result<PurgeView, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.maintenance().purge(&engine.maintenance().retention()?, dry_run)).await
}

/// Acknowledges the replaced damaged files.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn salvages_acknowledge<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.maintenance().salvages_seen()).await
}

/// Returns the newest log lines, for error reports.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn log_tail<R: Runtime>(app: AppHandle<R>) -> Result<String, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || Ok(takt_engine::logging::log_tail(engine.home()))).await
}
