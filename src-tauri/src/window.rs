//! What every window has: where it stood last time, keeping that when it closes, and that it shows Takt's own pages alone.

use serde::{Deserialize, Serialize};
use tauri::{
    AppHandle, Manager, PhysicalPosition, PhysicalSize, Runtime, Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder,
};

use crate::preferences::{self, Preferences};

/// The label of the main window.
pub(crate) const MAIN: &str = "main";
/// In place of Tauri's `freezePrototype`, which does the same and breaks what the script says.
const FREEZE: &str = include_str!("freeze.js");

/// In physical pixels, as the system reports them.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Place {
    x: i32,
    y: i32,
    width: u32,
    height: u32,
    maximized: bool,
}

/// A screen, in physical pixels.
#[derive(Debug, Clone, Copy)]
struct Screen {
    left: i32,
    top: i32,
    width: u32,
    height: u32,
}

impl Place {
    /// As it fits into the screen that it begins on: no larger, and no part of it outside. Absent where it begins elsewhere.
    fn within(self, screen: Screen) -> Option<Self> {
        let (right, bottom) =
            (screen.left.saturating_add_unsigned(screen.width), screen.top.saturating_add_unsigned(screen.height));
        if !(screen.left..right).contains(&self.x) || !(screen.top..bottom).contains(&self.y) {
            return None;
        }
        let (width, height) = (self.width.min(screen.width), self.height.min(screen.height));
        let x = self.x.min(right.saturating_sub_unsigned(width));
        let y = self.y.min(bottom.saturating_sub_unsigned(height));
        Some(Self { x, y, width, height, ..self })
    }
}

/// A window of Takt's own pages, which isn't shown before it stands in its place.
pub(crate) fn builder<'a, R: Runtime>(app: &'a AppHandle<R>, label: &str) -> WebviewWindowBuilder<'a, R, AppHandle<R>> {
    WebviewWindowBuilder::new(app, label, WebviewUrl::default())
        .title("Takt")
        .visible(false)
        .on_navigation(stays_inside)
        .initialization_script(FREEZE)
}

/// Restores the stored position and zoom of a window.
pub(crate) fn restore<R: Runtime>(app: &AppHandle<R>, window: &WebviewWindow<R>, place: &str) -> tauri::Result<()> {
    put(window, load_place(app, place))?;
    zoom(window, preferences::load(app));
    Ok(())
}

/// Brings a window to the front, wherever it was left.
pub(crate) fn focus<R: Runtime>(window: &WebviewWindow<R>) {
    let shown = window.show().and_then(|()| window.unminimize()).and_then(|()| window.set_focus());
    if let Err(error) = shown {
        tracing::warn!(%error, "the window couldn't be shown");
    }
}

/// Makes everything in all windows as large as a person wants it.
pub(crate) fn zoom_all<R: Runtime>(app: &AppHandle<R>, preferences: Preferences) {
    app.webview_windows().values().for_each(|window| zoom(window, preferences));
}

/// Makes everything as large as a person wants it. A web view that can't is left as it is.
fn zoom<R: Runtime>(window: &WebviewWindow<R>, preferences: Preferences) {
    if let Err(error) = window.set_zoom(preferences.zoom_factor()) {
        tracing::warn!(%error, "the size was not changed");
    }
}

fn stays_inside(address: &Url) -> bool {
    let is_own = is_own(address);
    if !is_own {
        // Not the whole address: what else it holds belongs in no log.
        tracing::warn!(
            scheme = address.scheme(),
            host = address.host_str(),
            "an address outside of Takt wasn't opened"
        );
    }
    is_own
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

fn load_place<R: Runtime>(app: &AppHandle<R>, name: &str) -> Option<Place> {
    let value = preferences::store(app).ok()?.get(name)?;
    serde_json::from_value(value).ok()
}

/// Puts the window where it was left; one that was nowhere yet is at most as large as its screen.
fn put<R: Runtime>(window: &WebviewWindow<R>, place: Option<Place>) -> tauri::Result<()> {
    let screens = window.available_monitors()?;
    let screens = screens.iter().map(|monitor| Screen {
        left: monitor.position().x,
        top: monitor.position().y,
        width: monitor.size().width,
        height: monitor.size().height,
    });
    let place = place.and_then(|place| screens.clone().find_map(|screen| place.within(screen)));
    let Some(place) = place else { return shrink(window) };
    window.set_size(PhysicalSize::new(place.width, place.height))?;
    window.set_position(PhysicalPosition::new(place.x, place.y))?;
    if place.maximized {
        window.maximize()?;
    }
    Ok(())
}

fn shrink<R: Runtime>(window: &WebviewWindow<R>) -> tauri::Result<()> {
    let Some(monitor) = window.primary_monitor()? else { return Ok(()) };
    let (screen, size) = (monitor.size(), window.inner_size()?);
    if size.width > screen.width || size.height > screen.height {
        window.set_size(PhysicalSize::new(size.width.min(screen.width), size.height.min(screen.height)))?;
    }
    Ok(())
}

/// A place that can't be kept is no reason to keep a window from closing.
pub(crate) fn store_place<R: Runtime>(app: &AppHandle<R>, window: &WebviewWindow<R>, name: &str) {
    let (Ok(position), Ok(size)) = (window.outer_position(), window.inner_size()) else { return };
    let maximized = window.is_maximized().unwrap_or(false);
    let place = Place { x: position.x, y: position.y, width: size.width, height: size.height, maximized };
    let kept = serde_json::to_value(place).map(|value| preferences::save_value(app, name, value));
    if !matches!(kept, Ok(Ok(()))) {
        tracing::warn!("the window's place was not kept");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_larger_than_its_screen_becomes_as_large_as_that() {
        let screen = Screen { left: 0, top: 0, width: 1280, height: 800 };
        let place = |x, y, width, height| Place { x, y, width, height, maximized: false };
        let fitted = |kept: Place| kept.within(screen).map(|place| (place.x, place.y, place.width, place.height));
        assert_eq!(fitted(place(100, 50, 2560, 1400)), Some((0, 0, 1280, 800)));
        assert_eq!(fitted(place(700, 500, 1000, 600)), Some((280, 200, 1000, 600)));
        assert_eq!(fitted(place(10, 20, 1000, 600)), Some((10, 20, 1000, 600)));
        assert_eq!(fitted(place(1300, 20, 1000, 600)), None, "on no screen");
    }

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
