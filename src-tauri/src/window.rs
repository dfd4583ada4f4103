//! Common parts of all windows: storing and restoring the placement, zoom, and navigation within Takt's own pages.

use serde::{Deserialize, Serialize};
use tauri::{
    AppHandle, Manager, PhysicalPosition, PhysicalSize, Runtime, Url, WebviewUrl, WebviewWindow, WebviewWindowBuilder,
};

use crate::preferences::{self, Preferences};

/// The label of the main window. Additional windows have other prefixes.
pub(crate) const MAIN: &str = "main";
/// Replaces Tauri's `freezePrototype`, which breaks libraries that assign inherited names.
const FREEZE_SCRIPT: &str = include_str!("freeze.js");

/// A window's position and size in physical pixels, as the system reports them.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Placement {
    x: i32,
    y: i32,
    width: u32,
    height: u32,
    maximized: bool,
}

/// A screen's position and size in physical pixels.
#[derive(Debug, Clone, Copy)]
struct Screen {
    left: i32,
    top: i32,
    width: u32,
    height: u32,
}

impl Placement {
    /// Returns the placement, moved and shrunk to fit into the screen that contains its origin. Returns `None` if the
    /// screen doesn't contain it.
    fn fit_into(self, screen: Screen) -> Option<Self> {
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

/// Builds a window with Takt's own pages. The window is hidden until its placement is applied.
pub(crate) fn builder<'a, R: Runtime>(app: &'a AppHandle<R>, label: &str) -> WebviewWindowBuilder<'a, R, AppHandle<R>> {
    WebviewWindowBuilder::new(app, label, WebviewUrl::default())
        .title("Takt")
        .visible(false)
        .on_navigation(is_navigation_allowed)
        .initialization_script(FREEZE_SCRIPT)
}

/// Restores the stored placement and zoom of a window.
pub(crate) fn restore<R: Runtime>(
    app: &AppHandle<R>,
    window: &WebviewWindow<R>,
    placement_key: &str,
) -> tauri::Result<()> {
    apply_placement(window, load_placement(app, placement_key))?;
    apply_zoom(window, preferences::load(app));
    Ok(())
}

/// Shows, restores and focuses a window. Failures are logged.
pub(crate) fn focus<R: Runtime>(window: &WebviewWindow<R>) {
    let shown = window.show().and_then(|()| window.unminimize()).and_then(|()| window.set_focus());
    if let Err(error) = shown {
        tracing::warn!(%error, "the window couldn't be shown");
    }
}

pub(crate) fn apply_zoom_to_all<R: Runtime>(app: &AppHandle<R>, preferences: Preferences) {
    app.webview_windows().values().for_each(|window| apply_zoom(window, preferences));
}

/// Sets the user's zoom. A failure is only logged.
fn apply_zoom<R: Runtime>(window: &WebviewWindow<R>, preferences: Preferences) {
    if let Err(error) = window.set_zoom(preferences.zoom_factor()) {
        tracing::warn!(%error, "the size was not changed");
    }
}

fn is_navigation_allowed(address: &Url) -> bool {
    let is_own_page = is_own_page(address);
    if !is_own_page {
        // Only scheme and host are logged, since the rest may contain private data.
        tracing::warn!(
            scheme = address.scheme(),
            host = address.host_str(),
            "an address outside of Takt wasn't opened"
        );
    }
    is_own_page
}

/// Returns whether an address is one of Takt's own pages. On Windows they have a local host name. Links in a service's
/// texts can't lead to other pages.
fn is_own_page(address: &Url) -> bool {
    match address.scheme() {
        "tauri" => true,
        "http" | "https" => address.host_str() == Some("tauri.localhost"),
        _ => address.as_str() == "about:blank",
    }
}

fn load_placement<R: Runtime>(app: &AppHandle<R>, name: &str) -> Option<Placement> {
    let value = preferences::open_store(app).ok()?.get(name)?;
    serde_json::from_value(value).ok()
}

/// Applies a placement. Without a placement, shrinks the window to its screen if necessary.
fn apply_placement<R: Runtime>(window: &WebviewWindow<R>, placement: Option<Placement>) -> tauri::Result<()> {
    let screens = window.available_monitors()?;
    let screens = screens.iter().map(|monitor| Screen {
        left: monitor.position().x,
        top: monitor.position().y,
        width: monitor.size().width,
        height: monitor.size().height,
    });
    let placement = placement.and_then(|placement| screens.clone().find_map(|screen| placement.fit_into(screen)));
    let Some(placement) = placement else { return shrink_to_screen(window) };
    window.set_size(PhysicalSize::new(placement.width, placement.height))?;
    window.set_position(PhysicalPosition::new(placement.x, placement.y))?;
    if placement.maximized {
        window.maximize()?;
    }
    Ok(())
}

fn shrink_to_screen<R: Runtime>(window: &WebviewWindow<R>) -> tauri::Result<()> {
    let Some(monitor) = window.primary_monitor()? else { return Ok(()) };
    let (screen, size) = (monitor.size(), window.inner_size()?);
    if size.width > screen.width || size.height > screen.height {
        window.set_size(PhysicalSize::new(size.width.min(screen.width), size.height.min(screen.height)))?;
    }
    Ok(())
}

/// Stores the window's placement. A failure doesn't prevent closing.
pub(crate) fn store_placement<R: Runtime>(app: &AppHandle<R>, window: &WebviewWindow<R>, name: &str) {
    let (Ok(position), Ok(size)) = (window.outer_position(), window.inner_size()) else { return };
    let maximized = window.is_maximized().unwrap_or(false);
    let placement = Placement { x: position.x, y: position.y, width: size.width, height: size.height, maximized };
    let saved = serde_json::to_value(placement).map(|value| preferences::save_value(app, name, value));
    if !matches!(saved, Ok(Ok(()))) {
        tracing::warn!("the window's place was not kept");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_larger_than_its_screen_becomes_as_large_as_that() {
        let screen = Screen { left: 0, top: 0, width: 1280, height: 800 };
        let placement = |x, y, width, height| Placement { x, y, width, height, maximized: false };
        let fitted = |placement: Placement| {
            placement.fit_into(screen).map(|placement| (placement.x, placement.y, placement.width, placement.height))
        };
        assert_eq!(fitted(placement(100, 50, 2560, 1400)), Some((0, 0, 1280, 800)));
        assert_eq!(fitted(placement(700, 500, 1000, 600)), Some((280, 200, 1000, 600)));
        assert_eq!(fitted(placement(10, 20, 1000, 600)), Some((10, 20, 1000, 600)));
        assert_eq!(fitted(placement(1300, 20, 1000, 600)), None, "on no screen");
    }

    #[test]
    fn only_own_pages_are_shown() {
        let own = |address: &str| is_own_page(&Url::parse(address).unwrap());
        assert!(own("tauri://localhost/index.html") && own("http://tauri.localhost/") && own("about:blank"));
        for other in ["https://example.com/", "http://localhost/", "http://tauri.localhost.example.com/", "file:///x"] {
            assert!(!own(other), "{other}");
        }
        assert!(!own("data:text/html,hello") && !own("javascript:alert(1)"));
    }
}
