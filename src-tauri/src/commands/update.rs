//! Updates: the check's settings, checking now, the notice, and installing or downloading a newer version.

use takt_engine::{
    Problem,
    system::open_in_browser,
    update::{UpdateSettings, UpdateView, Updates},
};
use tauri::{AppHandle, Runtime};

use crate::{
    preferences::Language,
    questions,
    state::{AppStateAccess, run_blocking},
    update_install,
};

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn update_view<R: Runtime>(app: AppHandle<R>, language: Language) -> Result<UpdateView, Problem> {
    let updates = Updates::of(&app.app_state().engine);
    run_blocking(move || updates.view(language.engine_language())).await
}

/// Saves the settings. The user must confirm a new update channel.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn update_save<R: Runtime>(app: AppHandle<R>, settings: UpdateSettings) -> Result<(), Problem> {
    let updates = Updates::of(&app.app_state().engine);
    let before = updates.settings()?.channel;
    questions::ask(&app, questions::about_update_channel(before.as_deref(), settings.channel.as_deref())).await?;
    run_blocking(move || updates.set_settings(&settings)).await
}

/// Checks the channel now. The result is shown at once, so the notice is dismissed.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn update_check<R: Runtime>(app: AppHandle<R>, language: Language) -> Result<UpdateView, Problem> {
    let updates = Updates::of(&app.app_state().engine);
    updates.check().await?;
    run_blocking(move || {
        updates.dismiss()?;
        updates.view(language.engine_language())
    })
    .await
}

/// Dismisses the notice of the newer version.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn update_dismiss<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    let updates = Updates::of(&app.app_state().engine);
    run_blocking(move || updates.dismiss()).await
}

/// Returns whether the newer version can be installed here.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn update_installable<R: Runtime>(app: AppHandle<R>) -> Result<bool, Problem> {
    run_blocking(move || update_install::is_possible(&app)).await
}

/// Installs the newer version and starts it. Returns only on failure.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn update_install<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    update_install::install(&app).await
}

/// Opens the download page that the channel names. Returns false if no browser opened.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn update_download<R: Runtime>(app: AppHandle<R>) -> Result<bool, Problem> {
    let updates = Updates::of(&app.app_state().engine);
    run_blocking(move || Ok(updates.download()?.is_some_and(|address| open_in_browser(&address)))).await
}
