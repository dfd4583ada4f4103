//! Closing the window: whether that needs a prompt, and the answer to it.

use takt_engine::Problem;
use tauri::{AppHandle, Manager, Runtime};

use crate::{
    closing::{self, CloseGuard},
    state::run_blocking,
};

/// Sets whether data is unsent, so that closing needs a prompt.
#[tauri::command]
#[specta::specta]
pub(crate) async fn close_guard<R: Runtime>(app: AppHandle<R>, unsent: bool) -> Result<(), Problem> {
    app.state::<CloseGuard>().set_unsent(unsent);
    Ok(())
}

/// Acknowledges a close request: the page shows the prompt.
#[tauri::command]
#[specta::specta]
pub(crate) async fn close_acknowledge<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    app.state::<CloseGuard>().acknowledge();
    Ok(())
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn close_window<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    // The desktop is asked whether it shows the tray.
    run_blocking(move || {
        closing::close(&app);
        Ok(())
    })
    .await
}
