//! Closing the window: whether it has to be asked about, and the answer.

use takt_engine::Problem;
use tauri::{AppHandle, Manager, Runtime};

use crate::closing::{self, CloseGuard};

/// From here on closing the window is asked about, or isn't any more.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn close_guard<R: Runtime>(app: AppHandle<R>, unsent: bool) -> Result<(), Problem> {
    app.state::<CloseGuard>().set_unsent(unsent);
    Ok(())
}

/// The page has heard that the window is to be closed, and asks.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn close_acknowledge<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    app.state::<CloseGuard>().acknowledge();
    Ok(())
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn close_window<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    closing::close(&app);
    Ok(())
}
