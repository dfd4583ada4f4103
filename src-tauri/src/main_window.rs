//! The main window: opening and closing it, files that are dropped on it, and the data with which its page starts.

use serde::{Deserialize, Serialize};
use specta::Type;
use tauri::{AppHandle, DragDropEvent, Runtime, WebviewWindow, WindowEvent};

use crate::{
    autostart, closing,
    commands::app::AppView,
    preferences::{self, Preferences},
    state::AppStateAccess,
    tray, view_windows, window,
};

/// The key of the window's placement in the preferences file.
const PLACEMENT_KEY: &str = "window";
/// Half of a laptop's screen. This size fits even if everything is scaled to 200%.
const MIN_SIZE: (f64, f64) = (680.0, 420.0);
const DEFAULT_SIZE: (f64, f64) = (1440.0, 900.0);

/// Opens the window at its stored placement, or at its default size if that is unknown or off every screen.
pub(crate) fn open<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<WebviewWindow<R>> {
    let window = window::builder(app, window::MAIN)
        .inner_size(DEFAULT_SIZE.0, DEFAULT_SIZE.1)
        .min_inner_size(MIN_SIZE.0, MIN_SIZE.1)
        .initialization_script(start_script(app))
        .build()?;
    window::restore(app, &window, PLACEMENT_KEY)?;
    if !autostart::starts_in_tray(app) {
        window.show()?;
    }
    let handle = app.clone();
    let closing_window = window.clone();
    window.on_window_event(move |event| {
        match event {
            WindowEvent::CloseRequested { api, .. } => {
                window::store_placement(&handle, &closing_window, PLACEMENT_KEY);
                // With a tray icon, closing hides the window. Without one, the page prompts about unsent data first.
                let stays = if tray::keeps_running(&handle) {
                    let hidden = closing_window.hide().is_ok();
                    if hidden {
                        view_windows::close_all(&handle);
                    }
                    hidden
                } else {
                    closing::prompt_if_unsent(&handle)
                };
                if stays {
                    api.prevent_close();
                }
            }
            // Links in additional windows lead to this window, so they close with it.
            WindowEvent::Destroyed => view_windows::close_all(&handle),
            // The page also receives the drop, and opens the files.
            WindowEvent::DragDrop(DragDropEvent::Drop { paths, .. }) => {
                paths.iter().for_each(|path| handle.app_state().grants.grant(path));
            }
            _ => {}
        }
    });
    Ok(window)
}

/// The page's initial data, which saves its first requests. Later changes are requested.
#[derive(Debug, Serialize, Deserialize, Type)]
pub(crate) struct WindowStart {
    preferences: Preferences,
    /// Absent if reading the state failed. Then the page requests it.
    app: Option<AppView>,
}

/// Returns the script that passes the initial data to the page. Empty with a team, since its database may be
/// unreachable and the window mustn't wait for it.
fn start_script<R: Runtime>(app: &AppHandle<R>) -> String {
    if !matches!(app.app_state().engine.maintenance().team().view(), Ok(None)) {
        return String::new();
    }
    let start = WindowStart {
        preferences: preferences::load_for_page(app),
        app: AppView::read(app).inspect_err(|problem| tracing::debug!(?problem, "the page asks for it")).ok(),
    };
    serde_json::to_string(&start).map_or_else(|_| String::new(), |start| format!("window.taktStart = {start};"))
}
