//! The main window: what happens when it is closed, and what is dropped on it.

use tauri::{AppHandle, DragDropEvent, Runtime, WebviewWindow, WindowEvent};

use crate::{autostart, closing, state::AppStateAccess, tray, view_windows, window, window_start};

/// Under which name its place is kept.
const PLACE: &str = "window";
/// Half of a laptop's screen, which is what fits where everything is drawn at twice its size.
const MIN_SIZE: (f64, f64) = (680.0, 420.0);
const FIRST: (f64, f64) = (1440.0, 900.0);

/// Opens the window where it was left, or at its first size where that is unknown or off every screen.
pub(crate) fn open<R: Runtime>(app: &AppHandle<R>) -> tauri::Result<WebviewWindow<R>> {
    let window = window::builder(app, window::MAIN)
        .inner_size(FIRST.0, FIRST.1)
        .min_inner_size(MIN_SIZE.0, MIN_SIZE.1)
        .initialization_script(window_start::script(app))
        .build()?;
    window::restore(app, &window, PLACE)?;
    if !autostart::starts_in_tray(app) {
        window.show()?;
    }
    let handle = app.clone();
    let watched = window.clone();
    window.on_window_event(move |event| {
        match event {
            WindowEvent::CloseRequested { api, .. } => {
                window::store_place(&handle, &watched, PLACE);
                // In the tray it goes on; where the window can't be hidden, it closes as ever, once its page has asked.
                let stays = if tray::keeps_running(&handle) {
                    let hidden = watched.hide().is_ok();
                    if hidden {
                        view_windows::close_all(&handle);
                    }
                    hidden
                } else {
                    closing::asks_first(&handle)
                };
                if stays {
                    api.prevent_close();
                }
            }
            // Nobody is left with windows that lead to one that is gone.
            WindowEvent::Destroyed => view_windows::close_all(&handle),
            // The page hears of it, too, and asks to open what was dropped.
            WindowEvent::DragDrop(DragDropEvent::Drop { paths, .. }) => {
                paths.iter().for_each(|path| handle.app_state().grants.grant(path));
            }
            _ => {}
        }
    });
    Ok(window)
}
