//! The check for updates: its settings, asking now, the notice, and the page to get a newer version from.

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

/// Asks a person first where another channel is asked from now on.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn update_save<R: Runtime>(app: AppHandle<R>, settings: UpdateSettings) -> Result<(), Problem> {
    let updates = Updates::of(&app.app_state().engine);
    let before = updates.settings()?.channel;
    questions::ask(&app, questions::of_update_channel(before.as_deref(), settings.channel.as_deref())).await?;
    run_blocking(move || updates.set_settings(&settings)).await
}

/// Asks the channel now. Who asks is told at once and needs no notice of it.
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

/// The notice of the newer version has been seen.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn update_dismiss<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    let updates = Updates::of(&app.app_state().engine);
    run_blocking(move || updates.dismiss()).await
}

/// Whether the newer version can be installed from here.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn update_installable<R: Runtime>(app: AppHandle<R>) -> Result<bool, Problem> {
    run_blocking(move || update_install::is_possible(&app)).await
}

/// Installs the newer version and starts it: comes back only where that fails.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn update_install<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    update_install::install(&app).await
}

/// Opens the page that the channel names, and no other. False where no browser opened.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn update_download<R: Runtime>(app: AppHandle<R>) -> Result<bool, Problem> {
    let updates = Updates::of(&app.app_state().engine);
    run_blocking(move || Ok(updates.download()?.is_some_and(|address| open_in_browser(&address)))).await
}
