//! What a person set for the window.

use takt_engine::Problem;
use tauri::{AppHandle, WebviewWindow, Wry};

use crate::{
    preferences::{self, Language, Preferences},
    state::AppStateAccess,
    window,
};

#[tauri::command]
#[specta::specta]
pub(crate) async fn preferences(app: AppHandle<Wry>) -> Result<Preferences, Problem> {
    Ok(preferences::load(&app))
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn preferences_save(
    app: AppHandle<Wry>,
    window: WebviewWindow,
    preferences: Preferences,
) -> Result<(), Problem> {
    window::zoom(&window, preferences);
    preferences::save(&app, preferences)
}

/// The language that the window shows now, so that what the engine writes (reasons, report workbooks) speaks it too.
#[tauri::command]
#[specta::specta]
pub(crate) async fn language_set(app: AppHandle<Wry>, language: Language) -> Result<(), Problem> {
    app.app_state().engine.speak(language.engine_language());
    Ok(())
}
