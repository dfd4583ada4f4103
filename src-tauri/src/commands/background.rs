//! What goes on while nobody looks: the tray, and notifications on the desktop.

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::Problem;
use tauri::{AppHandle, Runtime};

use crate::{
    autostart,
    notices::{self, NoticeTexts, Notices},
    receiving,
    state::run_blocking,
    tray::{self, TrayTexts, TrayView},
};

/// The words that the desktop shows outside the window, in its language.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(crate) struct NativeTexts {
    pub(crate) tray: TrayTexts,
    pub(crate) notices: NoticeTexts,
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn set_native_texts<R: Runtime>(app: AppHandle<R>, words: NativeTexts) -> Result<(), Problem> {
    notices::set_words(&app, words.notices);
    on_main(&app, move |app| tray::set_words(app, words.tray)).await?;
    receiving::update_tray(&app);
    Ok(())
}

/// What was sent is through, or waits for a person: told on the desktop where nobody looks at the window.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn notify_end<R: Runtime>(app: AppHandle<R>, title: String, text: String) -> Result<(), Problem> {
    notices::tell_end(&app, &title, &text);
    Ok(())
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn tray_view<R: Runtime>(app: AppHandle<R>) -> Result<TrayView, Problem> {
    run_blocking(move || Ok(tray::view(&app))).await
}

/// Whether closing the window leaves Takt in the tray. False where no icon could be made.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn tray_enable<R: Runtime>(app: AppHandle<R>, enabled: bool) -> Result<bool, Problem> {
    let done = on_main(&app, move |app| tray::set_enabled(app, enabled)).await?;
    receiving::update_tray(&app);
    done
}

/// Whether Takt starts at login.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn autostart_enabled<R: Runtime>(app: AppHandle<R>) -> Result<bool, Problem> {
    run_blocking(move || autostart::is_enabled(&app)).await
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn autostart_enable<R: Runtime>(app: AppHandle<R>, enabled: bool) -> Result<(), Problem> {
    run_blocking(move || autostart::set_enabled(&app, enabled)).await
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn notices<R: Runtime>(app: AppHandle<R>) -> Result<Notices, Problem> {
    Ok(notices::load(&app))
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn notices_save<R: Runtime>(app: AppHandle<R>, notices: Notices) -> Result<(), Problem> {
    notices::save(&app, &notices)
}

/// Icons and menus belong to the thread that draws windows.
async fn on_main<R: Runtime, T: Send + 'static>(
    app: &AppHandle<R>,
    work: impl FnOnce(&AppHandle<R>) -> T + Send + 'static,
) -> Result<T, Problem> {
    let bug = |cause: String| Problem::new(takt_engine::Code::Bug).details(cause);
    let (done, told) = tokio::sync::oneshot::channel();
    let there = app.clone();
    let asked = app.run_on_main_thread(move || {
        // Whoever asked may be gone by now.
        let _ = done.send(work(&there));
    });
    asked.map_err(|error| bug(error.to_string()))?;
    told.await.map_err(|error| bug(error.to_string()))
}
