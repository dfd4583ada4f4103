//! Closing the window: whether it has to be asked about, and the answer.

use takt_engine::Problem;
use tauri::{AppHandle, Wry};

use crate::{closing, desk::DeskState};

/// From here on closing the window is asked about, or isn't any more.
#[tauri::command]
#[specta::specta]
pub(crate) async fn close_guard(app: AppHandle<Wry>, unsent: bool) -> Result<(), Problem> {
    app.desk().closing.guard(unsent);
    Ok(())
}

/// The page has heard that the window is to be closed, and asks.
#[tauri::command]
#[specta::specta]
pub(crate) async fn close_heard(app: AppHandle<Wry>) -> Result<(), Problem> {
    app.desk().closing.hear();
    Ok(())
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn close_window(app: AppHandle<Wry>) -> Result<(), Problem> {
    closing::close(&app);
    Ok(())
}
