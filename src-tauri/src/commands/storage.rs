//! What the home folder takes, how long things are kept, damaged files that were replaced, and the newest lines of the logs.

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

/// Removes what is older than it is kept. With `dry_run` only says what that would be, as far as age decides.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn purge<R: Runtime>(app: AppHandle<R>, dry_run: bool) -> Result<PurgeView, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.maintenance().purge(&engine.maintenance().retention()?, dry_run)).await
}

/// A person knows that damaged files were replaced.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn salvages_acknowledge<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.maintenance().salvages_seen()).await
}

/// The newest lines of the logs, for whoever copies what went wrong.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn log_tail<R: Runtime>(app: AppHandle<R>) -> Result<String, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || Ok(takt_engine::logging::log_tail(engine.home()))).await
}
