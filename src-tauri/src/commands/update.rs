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
    update,
};

#[tauri::command]
#[specta::specta]
pub(crate) async fn update_view<R: Runtime>(app: AppHandle<R>, language: Language) -> Result<UpdateView, Problem> {
    app.with_engine(move |engine| Updates::new(engine).view(language.engine_language())).await
}

/// Saves the settings. The user must confirm a new update channel.
#[tauri::command]
#[specta::specta]
pub(crate) async fn update_save<R: Runtime>(app: AppHandle<R>, settings: UpdateSettings) -> Result<(), Problem> {
    let before = app.with_engine(move |engine| Updates::new(engine).settings()).await?.channel;
    questions::ask(&app, questions::about_update_channel(before.as_deref(), settings.channel.as_deref())).await?;
    app.with_engine(move |engine| Updates::new(engine).set_settings(&settings)).await
}

/// Checks the channel now. The page shows the result at once, so the notice is dismissed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn update_check<R: Runtime>(app: AppHandle<R>, language: Language) -> Result<UpdateView, Problem> {
    Updates::new(&app.engine()).check().await?;
    app.with_engine(move |engine| {
        let updates = Updates::new(engine);
        updates.dismiss_notice()?;
        updates.view(language.engine_language())
    })
    .await
}

/// Dismisses the notice of the newer version.
#[tauri::command]
#[specta::specta]
pub(crate) async fn update_dismiss<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    app.with_engine(move |engine| Updates::new(engine).dismiss_notice()).await
}

/// Returns whether the newer version can be installed here.
#[tauri::command]
#[specta::specta]
pub(crate) async fn update_installable<R: Runtime>(app: AppHandle<R>) -> Result<bool, Problem> {
    run_blocking(move || update::can_install(&app)).await
}

/// Asks the user, installs the newer version and restarts Takt. Fails if the user refuses or the installation fails.
#[tauri::command]
#[specta::specta]
pub(crate) async fn update_install<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    update::install(&app).await
}

/// Opens the download page that the channel names. Returns false if no browser opened.
#[tauri::command]
#[specta::specta]
pub(crate) async fn update_download<R: Runtime>(app: AppHandle<R>) -> Result<bool, Problem> {
    app.with_engine(move |engine| {
        let address = Updates::new(engine).download_address()?;
        Ok(address.is_some_and(|address| open_in_browser(&address)))
    })
    .await
}
