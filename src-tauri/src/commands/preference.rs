//! What a person set for the window.

use takt_engine::Problem;
use tauri::{AppHandle, Wry};

use crate::preferences::{self, Preferences};

#[tauri::command]
#[specta::specta]
pub(crate) async fn preferences(app: AppHandle<Wry>) -> Result<Preferences, Problem> {
    Ok(preferences::load(&app))
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn preferences_save(app: AppHandle<Wry>, preferences: Preferences) -> Result<(), Problem> {
    preferences::save(&app, preferences)
}
