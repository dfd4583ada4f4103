//! Opening a saved file in the system's program for it, or its folder.

use std::path::PathBuf;

use takt_engine::{
    Problem,
    system::{open_file, show_in_folder},
};
use tauri::{AppHandle, Runtime};

use crate::state::{AppStateAccess, run_blocking};

/// Checks that the user saved the file since the start. The page can't open any other file.
fn checked_path<R: Runtime>(app: &AppHandle<R>, path: &str) -> Result<PathBuf, Problem> {
    let path = app.app_state().saved_files.check_granted(path)?;
    if path.exists() {
        return Ok(path);
    }
    Err(Problem::obstacle("file-missing").parameter("file", path.display().to_string()))
}

/// Opens a saved file. Returns false if the system has no program for it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn saved_file_open<R: Runtime>(app: AppHandle<R>, path: String) -> Result<bool, Problem> {
    run_blocking(move || Ok(open_file(&checked_path(&app, &path)?))).await
}

/// Shows a saved file in its folder. Returns false if the system can't show folders.
#[tauri::command]
#[specta::specta]
pub(crate) async fn saved_file_show<R: Runtime>(app: AppHandle<R>, path: String) -> Result<bool, Problem> {
    run_blocking(move || Ok(show_in_folder(&checked_path(&app, &path)?))).await
}
