//! The tray and desktop notifications, which work without a visible window.

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

/// The texts that the desktop shows outside of the window: the tray's menu and notifications. In the window's language.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(crate) struct NativeTexts {
    pub(crate) tray: TrayTexts,
    pub(crate) notices: NoticeTexts,
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn set_native_texts<R: Runtime>(app: AppHandle<R>, words: NativeTexts) -> Result<(), Problem> {
    notices::set_texts(&app, words.notices);
    run_on_main(&app, move |app| tray::set_texts(app, words.tray)).await?;
    receiving::update_tray(&app);
    Ok(())
}

/// Notifies the user that a submission has ended or waits for a decision, unless the window has the focus.
#[tauri::command]
#[specta::specta]
pub(crate) async fn notify_end<R: Runtime>(app: AppHandle<R>, title: String, text: String) -> Result<(), Problem> {
    // The window's focus is queried on the main thread, and this call waits for it.
    run_blocking(move || {
        notices::notify_end(&app, &title, &text);
        Ok(())
    })
    .await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn tray_view<R: Runtime>(app: AppHandle<R>) -> Result<TrayView, Problem> {
    run_blocking(move || Ok(tray::view(&app))).await
}

/// Sets whether closing the window leaves Takt in the tray. Returns false if no icon could be made.
#[tauri::command]
#[specta::specta]
pub(crate) async fn tray_enable<R: Runtime>(app: AppHandle<R>, enabled: bool) -> Result<bool, Problem> {
    let done = run_on_main(&app, move |app| tray::set_enabled(app, enabled)).await?;
    receiving::update_tray(&app);
    done
}

/// Returns whether the system has an autostart entry for Takt.
#[tauri::command]
#[specta::specta]
pub(crate) async fn autostart_enabled<R: Runtime>(app: AppHandle<R>) -> Result<bool, Problem> {
    run_blocking(move || autostart::is_enabled(&app)).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn autostart_enable<R: Runtime>(app: AppHandle<R>, enabled: bool) -> Result<(), Problem> {
    run_blocking(move || autostart::set_enabled(&app, enabled)).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn notices<R: Runtime>(app: AppHandle<R>) -> Result<Notices, Problem> {
    run_blocking(move || Ok(notices::load(&app))).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn notices_save<R: Runtime>(app: AppHandle<R>, notices: Notices) -> Result<(), Problem> {
    run_blocking(move || notices::save(&app, &notices)).await
}

/// Runs work on the main thread, the only thread that may create and change icons and menus.
async fn run_on_main<R: Runtime, T: Send + 'static>(
    app: &AppHandle<R>,
    work: impl FnOnce(&AppHandle<R>) -> T + Send + 'static,
) -> Result<T, Problem> {
    let bug = |cause: String| Problem::new(takt_engine::Code::Bug).details(cause);
    let (done, result) = tokio::sync::oneshot::channel();
    let main_handle = app.clone();
    let scheduled = app.run_on_main_thread(move || {
        // The caller may have been dropped.
        let _ = done.send(work(&main_handle));
    });
    scheduled.map_err(|error| bug(error.to_string()))?;
    result.await.map_err(|error| bug(error.to_string()))
}
