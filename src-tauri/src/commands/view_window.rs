//! Windows beside the main one: opening one, what it shows, and links from it to the main window.

use takt_engine::Problem;
use tauri::{AppHandle, Runtime, WebviewWindow};

use crate::{
    events::MainPlace,
    view_windows::{self, NumberedView, ViewOutcome, WindowView},
};

/// What this window shows alone; nothing for the main window.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn window_view<R: Runtime>(
    app: AppHandle<R>,
    window: WebviewWindow<R>,
) -> Result<Option<NumberedView>, Problem> {
    Ok(view_windows::view_of(&app, window.label()))
}

/// This window shows something else from now on, say a list with other filters. Nothing happens in the main window.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn window_view_change<R: Runtime>(
    app: AppHandle<R>,
    window: WebviewWindow<R>,
    view: WindowView,
) -> Result<(), Problem> {
    view_windows::set_view(&app, window.label(), view);
    Ok(())
}

/// Opens a window that shows this, or brings the one to the front that does.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn view_window_open<R: Runtime>(app: AppHandle<R>, view: WindowView) -> Result<ViewOutcome, Problem> {
    view_windows::open(&app, &view)
}

/// Closes this window, where it isn't the main one.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn view_window_close<R: Runtime>(window: WebviewWindow<R>) -> Result<(), Problem> {
    view_windows::close(&window)
}

/// Shows a place in the main window, and that window in front.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn main_window_open<R: Runtime>(app: AppHandle<R>, place: MainPlace) -> Result<(), Problem> {
    view_windows::show_in_main(&app, place)
}
