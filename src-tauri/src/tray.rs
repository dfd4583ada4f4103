//! The tray icon. With it, Takt continues to receive events after its window is closed.
//!
//! Owns the icon and its menu. The app handles the menu's choices. If no icon can be made, closing the window ends
//! Takt, so that no invisible program remains.

use std::panic::{AssertUnwindSafe, catch_unwind};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{Code, Problem};
use tauri::{
    AppHandle, Manager, Runtime,
    menu::{CheckMenuItem, Menu, MenuEvent, MenuItem, PredefinedMenuItem},
    tray::{TrayIcon, TrayIconBuilder},
};

use crate::{preferences, window};

const ENABLED_KEY: &str = "tray";
const OPEN: &str = "open";
const RECEIVING: &str = "receiving";
const QUIT: &str = "quit";

/// The menu's texts, in the window's language.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(crate) struct TrayTexts {
    pub(crate) open: String,
    pub(crate) receiving: String,
    pub(crate) quit: String,
}

/// The tray's availability and the user's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
pub(crate) struct TrayView {
    /// Whether the desktop can show a tray icon.
    pub(crate) offered: bool,
    pub(crate) enabled: bool,
}

/// The user's choice in the tray's menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MenuChoice {
    Open,
    /// Starts or stops receiving.
    Receiving,
    Quit,
}

/// The icon's state, and the handler of its menu's choices.
#[derive(Debug)]
pub(crate) struct Tray<R: Runtime> {
    state: Mutex<State<R>>,
    on_choice: fn(&AppHandle<R>, MenuChoice),
}

impl<R: Runtime> Tray<R> {
    pub(crate) fn new(on_choice: fn(&AppHandle<R>, MenuChoice)) -> Self {
        Self { state: Mutex::default(), on_choice }
    }
}

struct State<R: Runtime> {
    texts: Option<TrayTexts>,
    icon: Option<(TrayIcon<R>, CheckMenuItem<R>)>,
}

impl<R: Runtime> Default for State<R> {
    fn default() -> Self {
        Self { texts: None, icon: None }
    }
}

impl<R: Runtime> std::fmt::Debug for State<R> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("State").field("texts", &self.texts).field("icon", &self.icon.is_some()).finish()
    }
}

pub(crate) fn view<R: Runtime>(app: &AppHandle<R>) -> TrayView {
    TrayView { offered: has_tray(), enabled: is_enabled(app) }
}

/// Returns whether Takt continues when its window is closed. Checks the desktop's tray again, since it may have ended.
pub(crate) fn keeps_running<R: Runtime>(app: &AppHandle<R>) -> bool {
    let shown = app.state::<Tray<R>>().state.lock().icon.is_some();
    shown && has_tray()
}

/// Returns whether the user enabled the tray and the desktop has one.
pub(crate) fn is_active<R: Runtime>(app: &AppHandle<R>) -> bool {
    is_enabled(app) && has_tray()
}

/// Sets the menu's texts. The first call creates the icon if the user has enabled the tray.
pub(crate) fn set_texts<R: Runtime>(app: &AppHandle<R>, texts: TrayTexts) {
    app.state::<Tray<R>>().state.lock().texts = Some(texts);
    if is_enabled(app) && !show(app) {
        // Takt may have started without a window. Without icon and window, the user couldn't end it.
        open_window_if_hidden(app);
    }
}

fn open_window_if_hidden<R: Runtime>(app: &AppHandle<R>) {
    let window = app.get_webview_window(window::MAIN);
    if let Some(window) = window.filter(|window| window.is_visible().is_ok_and(|visible| !visible)) {
        window::focus(&window);
    }
}

/// Stores whether closing the window leaves Takt in the tray. Returns false if no icon could be made.
pub(crate) fn set_enabled<R: Runtime>(app: &AppHandle<R>, enabled: bool) -> Result<bool, Problem> {
    if enabled {
        let shown = show(app);
        preferences::save_value(app, ENABLED_KEY, shown.into())?;
        return Ok(shown);
    }
    app.state::<Tray<R>>().state.lock().icon = None;
    preferences::save_value(app, ENABLED_KEY, false.into())?;
    Ok(true)
}

/// Shows in the menu whether the chosen site's receiver is running.
pub(crate) fn set_receiving<R: Runtime>(app: &AppHandle<R>, is_running: bool) {
    let tray = app.state::<Tray<R>>();
    let state = tray.state.lock();
    let receiving = state.icon.as_ref().map(|(_, receiving)| receiving.clone());
    // Changing the menu waits for the main thread, which may wait for this lock.
    drop(state);
    if let Some(Err(error)) = receiving.map(|receiving| receiving.set_checked(is_running)) {
        tracing::debug!(%error, "the tray's menu is gone");
    }
}

/// Shows and focuses the main window.
pub(crate) fn open_window<R: Runtime>(app: &AppHandle<R>) {
    if let Some(window) = app.get_webview_window(window::MAIN) {
        window::focus(&window);
    }
}

fn is_enabled<R: Runtime>(app: &AppHandle<R>) -> bool {
    let stored = preferences::open_store(app).ok().and_then(|store| store.get(ENABLED_KEY));
    stored.is_some_and(|value| value == true)
}

fn show<R: Runtime>(app: &AppHandle<R>) -> bool {
    let tray = app.state::<Tray<R>>();
    let mut state = tray.state.lock();
    let Some(texts) = state.texts.clone() else { return false };
    if !has_tray() {
        return false;
    }
    // The old icon must be removed before a new one is created.
    state.icon = None;
    match catch_panic(|| build(app, &texts)) {
        Ok(shown) => {
            state.icon = Some(shown);
            true
        }
        Err(problem) => {
            tracing::warn!(?problem, "no icon in the tray");
            false
        }
    }
}

fn build<R: Runtime>(app: &AppHandle<R>, texts: &TrayTexts) -> Result<(TrayIcon<R>, CheckMenuItem<R>), Problem> {
    let failed = |error: tauri::Error| Problem::new(Code::Bug).details(error);
    let receiving = CheckMenuItem::with_id(app, RECEIVING, &texts.receiving, true, false, None::<&str>);
    let receiving = receiving.map_err(failed)?;
    let open = MenuItem::with_id(app, OPEN, &texts.open, true, None::<&str>).map_err(failed)?;
    let quit = MenuItem::with_id(app, QUIT, &texts.quit, true, None::<&str>).map_err(failed)?;
    let separator = PredefinedMenuItem::separator(app).map_err(failed)?;
    let menu = Menu::with_items(app, &[&open, &receiving, &separator, &quit]).map_err(failed)?;
    let mut icon = TrayIconBuilder::with_id("takt")
        .tooltip("Takt")
        .menu(&menu)
        .on_menu_event(|app, event| on_menu_event(app, &event));
    if let Some(picture) = app.default_window_icon() {
        icon = icon.icon(picture.clone());
    }
    Ok((icon.build(app).map_err(failed)?, receiving))
}

fn on_menu_event<R: Runtime>(app: &AppHandle<R>, event: &MenuEvent) {
    let item = match event.id().as_ref() {
        OPEN => MenuChoice::Open,
        QUIT => MenuChoice::Quit,
        RECEIVING => MenuChoice::Receiving,
        _ => return,
    };
    (app.state::<Tray<R>>().on_choice)(app, item);
}

/// Returns whether an icon would be visible. On some Linux desktops it isn't, and the user couldn't end the program.
fn has_tray() -> bool {
    #[cfg(target_os = "linux")]
    return linux::has_watcher() && linux::has_library();
    #[cfg(not(target_os = "linux"))]
    true
}

/// Converts a panic into a problem, since loading a broken tray library panics on Linux.
fn catch_panic<T>(make: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    let result = catch_unwind(AssertUnwindSafe(make));
    result.unwrap_or_else(|_| Err(Problem::new(Code::Bug).details("the tray's library can't be used")))
}

#[cfg(target_os = "linux")]
mod linux {
    use std::{env, fs, path::PathBuf, time::Duration};

    use dbus::{Error, blocking::Connection};

    const WATCHER: &str = "org.kde.StatusNotifierWatcher";
    const CALL_TIMEOUT: Duration = Duration::from_millis(500);
    const LIBRARIES: [&str; 2] = ["libayatana-appindicator3.so.1", "libappindicator3.so.1"];

    /// Returns whether a program on the session bus shows tray icons.
    pub(super) fn has_watcher() -> bool {
        let Ok(bus) = Connection::new_session() else { return false };
        let all = bus.with_proxy("org.freedesktop.DBus", "/org/freedesktop/DBus", CALL_TIMEOUT);
        let reply: Result<(bool,), Error> = all.method_call("org.freedesktop.DBus", "NameHasOwner", (WATCHER,));
        reply.is_ok_and(|(has_owner,)| has_owner)
    }

    /// Returns whether the tray library is in one of the usual folders. The library is loaded when the icon is created.
    pub(super) fn has_library() -> bool {
        folders().iter().any(|folder| LIBRARIES.iter().any(|name| folder.join(name).exists()))
    }

    /// Lists the folders of `LD_LIBRARY_PATH` and of the system, with their subfolders per architecture.
    fn folders() -> Vec<PathBuf> {
        let user_folders = env::var_os("LD_LIBRARY_PATH");
        let user_folders = user_folders.iter().flat_map(env::split_paths);
        let system = ["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib"].map(PathBuf::from);
        let architecture_folders =
            ["/usr/lib", "/lib"].iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
        let architecture_folders =
            architecture_folders.map(|entry| entry.path()).filter(|path| path.to_string_lossy().contains("-linux-"));
        user_folders.chain(system).chain(architecture_folders).collect()
    }
}
