//! The user's preferences for the window.

use takt_engine::Problem;
use tauri::{AppHandle, Runtime, WebviewWindow};
use tauri_specta::Event;

use crate::{
    events::PreferencesChanged,
    preferences::{self, Language, Preferences},
    state::{AppStateAccess, run_blocking},
    window,
};

#[tauri::command]
#[specta::specta]
pub(crate) async fn preferences<R: Runtime>(app: AppHandle<R>) -> Result<Preferences, Problem> {
    run_blocking(move || Ok(preferences::load_for_page(&app))).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn preferences_save<R: Runtime>(
    app: AppHandle<R>,
    window: WebviewWindow<R>,
    preferences: Preferences,
) -> Result<(), Problem> {
    window::apply_zoom_to_all(&app, preferences);
    let changed = PreferencesChanged { window: window.label().to_owned(), preferences };
    if let Err(error) = changed.emit(&app) {
        tracing::debug!(%error, "no other window hears of changed preferences");
    }
    run_blocking(move || preferences::save(&app, preferences)).await
}

/// Sets the language of the engine's texts, such as reasons and workbooks, to the window's.
#[tauri::command]
#[specta::specta]
pub(crate) async fn language_set<R: Runtime>(app: AppHandle<R>, language: Language) -> Result<(), Problem> {
    app.engine().set_language(language.engine_language());
    Ok(())
}
