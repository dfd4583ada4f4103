//! The one window: where it stood last time, keeping that when it closes, and that it shows its own pages alone.

use serde::{Deserialize, Serialize};
use tauri::{
    AppHandle, DragDropEvent, PhysicalPosition, PhysicalSize, Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder,
    WindowEvent, Wry,
};

use crate::{desk::DeskState, preferences, tray};

const PLACE: &str = "window";
/// In place of Tauri's `freezePrototype`, which does the same and breaks what the script says.
const FREEZE: &str = include_str!("freeze.js");
const SMALLEST: (f64, f64) = (900.0, 600.0);
const FIRST: (f64, f64) = (1440.0, 900.0);

/// In physical pixels, as the system reports them.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Place {
    x: i32,
    y: i32,
    width: u32,
    height: u32,
    maximized: bool,
}

/// Opens the window where it was left, or at its first size where that is unknown or off every screen.
pub(crate) fn open(app: &AppHandle<Wry>) -> tauri::Result<WebviewWindow> {
    let window = WebviewWindowBuilder::new(app, "main", WebviewUrl::default())
        .title("Takt")
        .inner_size(FIRST.0, FIRST.1)
        .min_inner_size(SMALLEST.0, SMALLEST.1)
        .visible(false)
        .on_navigation(is_own)
        .initialization_script(FREEZE)
        .build()?;
    if let Some(place) = kept(app) {
        restore(&window, place)?;
    }
    window.show()?;
    let handle = app.clone();
    let watched = window.clone();
    window.on_window_event(move |event| {
        match event {
            WindowEvent::CloseRequested { api, .. } => {
                keep(&handle, &watched);
                // In the tray it goes on; where the window can't be hidden, it closes as ever.
                if tray::keeps(&handle) && watched.hide().is_ok() {
                    api.prevent_close();
                }
            }
            // The page hears of it, too, and asks to open what was dropped.
            WindowEvent::DragDrop(DragDropEvent::Drop { paths, .. }) => {
                paths.iter().for_each(|path| handle.desk().grants.grant(path));
            }
            _ => {}
        }
    });
    Ok(window)
}

/// Whether an address is one of the window's own pages, which Windows serves under a name of this computer. No link in a
/// service's text leads elsewhere.
fn is_own(address: &Url) -> bool {
    match address.scheme() {
        "tauri" => true,
        "http" | "https" => address.host_str() == Some("tauri.localhost"),
        _ => address.as_str() == "about:blank",
    }
}

fn kept(app: &AppHandle<Wry>) -> Option<Place> {
    let value = preferences::store(app).ok()?.get(PLACE)?;
    serde_json::from_value(value).ok()
}

fn restore(window: &WebviewWindow, place: Place) -> tauri::Result<()> {
    let on_a_screen = window.available_monitors()?.iter().any(|monitor| {
        let (left, top) = (monitor.position().x, monitor.position().y);
        let right = left.saturating_add_unsigned(monitor.size().width);
        let bottom = top.saturating_add_unsigned(monitor.size().height);
        (left..right).contains(&place.x) && (top..bottom).contains(&place.y)
    });
    if !on_a_screen {
        return Ok(());
    }
    window.set_size(PhysicalSize::new(place.width, place.height))?;
    window.set_position(PhysicalPosition::new(place.x, place.y))?;
    if place.maximized {
        window.maximize()?;
    }
    Ok(())
}

/// A place that can't be kept is no reason to keep a window from closing.
fn keep(app: &AppHandle<Wry>, window: &WebviewWindow) {
    let (Ok(position), Ok(size)) = (window.outer_position(), window.inner_size()) else { return };
    let maximized = window.is_maximized().unwrap_or(false);
    let place = Place { x: position.x, y: position.y, width: size.width, height: size.height, maximized };
    let kept = serde_json::to_value(place).map(|value| preferences::keep(app, PLACE, value));
    if !matches!(kept, Ok(Ok(()))) {
        tracing::warn!("the window's place was not kept");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_pages_are_shown() {
        let own = |address: &str| is_own(&Url::parse(address).unwrap());
        assert!(own("tauri://localhost/index.html") && own("http://tauri.localhost/") && own("about:blank"));
        for other in ["https://example.com/", "http://localhost/", "http://tauri.localhost.example.com/", "file:///x"] {
            assert!(!own(other), "{other}");
        }
        assert!(!own("data:text/html,hello") && !own("javascript:alert(1)"));
    }
}
