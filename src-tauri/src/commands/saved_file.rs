//! A file that was saved: opened in the program that the system has for it, or shown in its folder.

use std::path::PathBuf;

use takt_engine::{
    Problem,
    system::{open_file, show_in_folder},
};
use tauri::{AppHandle, Runtime};

use crate::state::AppStateAccess;

/// Only what a person had saved since Takt was started; a page can't have anything else opened.
fn saved<R: Runtime>(app: &AppHandle<R>, path: &str) -> Result<PathBuf, Problem> {
    let path = app.app_state().saved_files.checked(path)?;
    if path.exists() {
        return Ok(path);
    }
    Err(Problem::in_the_way("file-missing").parameter("file", path.display().to_string()))
}

/// False where the system has nothing to open it with.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn saved_file_open<R: Runtime>(app: AppHandle<R>, path: String) -> Result<bool, Problem> {
    Ok(open_file(&saved(&app, &path)?))
}

/// False where the system has nothing that shows folders.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn saved_file_show<R: Runtime>(app: AppHandle<R>, path: String) -> Result<bool, Problem> {
    Ok(show_in_folder(&saved(&app, &path)?))
}
