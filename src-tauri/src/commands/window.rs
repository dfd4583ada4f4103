//! The windows: closing the main window, opening and closing additional ones, and links between them.

use takt_engine::Problem;
use tauri::{AppHandle, Manager, Runtime, WebviewWindow};

use crate::{
    closing::{self, CloseGuard},
    events::MainPlace,
    state::run_blocking,
    view_windows::{self, NumberedView, ViewOutcome, WindowView},
};

/// Sets whether data is unsent, so that closing needs a prompt.
#[tauri::command]
#[specta::specta]
pub(crate) async fn close_guard<R: Runtime>(app: AppHandle<R>, unsent: bool) -> Result<(), Problem> {
    app.state::<CloseGuard>().set_unsent(unsent);
    Ok(())
}

/// Acknowledges a close request, which means that the page shows the prompt.
#[tauri::command]
#[specta::specta]
pub(crate) async fn close_acknowledge<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    app.state::<CloseGuard>().acknowledge();
    Ok(())
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn close_window<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    // Closing queries the desktop for a tray and may wait for the response.
    run_blocking(move || {
        closing::close(&app);
        Ok(())
    })
    .await
}

/// Returns what this window shows, or `None` for the main window.
#[tauri::command]
#[specta::specta]
pub(crate) async fn window_view<R: Runtime>(
    app: AppHandle<R>,
    window: WebviewWindow<R>,
) -> Result<Option<NumberedView>, Problem> {
    Ok(view_windows::view_of(&app, window.label()))
}

/// Records the new view of this window, such as a list with other filters. The main window isn't affected.
#[tauri::command]
#[specta::specta]
pub(crate) async fn window_view_change<R: Runtime>(
    app: AppHandle<R>,
    window: WebviewWindow<R>,
    view: WindowView,
) -> Result<(), Problem> {
    view_windows::set_view(&app, window.label(), view);
    Ok(())
}

/// Opens a window with this view, or focuses the window that already shows it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn view_window_open<R: Runtime>(app: AppHandle<R>, view: WindowView) -> Result<ViewOutcome, Problem> {
    // Opening a window reads a file, and waits for the main thread.
    run_blocking(move || view_windows::open(&app, &view)).await
}

/// Closes this window unless it is the main one.
#[tauri::command]
#[specta::specta]
pub(crate) async fn view_window_close<R: Runtime>(window: WebviewWindow<R>) -> Result<(), Problem> {
    view_windows::close(&window)
}

/// Shows a page in the main window, and focuses that window.
#[tauri::command]
#[specta::specta]
pub(crate) async fn main_window_open<R: Runtime>(app: AppHandle<R>, place: MainPlace) -> Result<(), Problem> {
    view_windows::show_in_main(&app, place)
}
