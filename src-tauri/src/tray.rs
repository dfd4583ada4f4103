//! The tray: Takt goes on receiving there after its window was closed, where the desktop has one and a person wants it.
//!
//! Owns the icon and its menu, and leaves to the app what a choice in it does. Where no icon can be made, closing the window ends Takt: nobody is left with a program that
//! can't be seen.

use parking_lot::Mutex;

mod desktop;

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{Code, Problem};
use tauri::{
    AppHandle, Manager, Runtime,
    menu::{CheckMenuItem, Menu, MenuEvent, MenuItem, PredefinedMenuItem},
    tray::{TrayIcon, TrayIconBuilder},
};

use crate::{preferences, window};

const ENABLED: &str = "tray";
const OPEN: &str = "open";
const RECEIVING: &str = "receiving";
const QUIT: &str = "quit";

/// The menu's words, in the window's language.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(crate) struct TrayTexts {
    pub(crate) open: String,
    pub(crate) receiving: String,
    pub(crate) quit: String,
}

/// Whether closing the window may leave Takt in the tray, and whether it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
pub(crate) struct TrayView {
    /// The desktop has a tray.
    pub(crate) offered: bool,
    pub(crate) enabled: bool,
}

/// What a person chose in the menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MenuChoice {
    Open,
    /// Begins or ends receiving.
    Receiving,
    Quit,
}

/// The icon, and who is told of choices in its menu.
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
    words: Option<TrayTexts>,
    shown: Option<(TrayIcon<R>, CheckMenuItem<R>)>,
}

impl<R: Runtime> Default for State<R> {
    fn default() -> Self {
        Self { words: None, shown: None }
    }
}

impl<R: Runtime> std::fmt::Debug for State<R> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("State").field("words", &self.words).field("shown", &self.shown.is_some()).finish()
    }
}

pub(crate) fn view<R: Runtime>(app: &AppHandle<R>) -> TrayView {
    TrayView { offered: desktop::has_tray(), enabled: is_enabled(app) }
}

/// Whether Takt stays when its window is closed: asked anew, because whoever showed icons may be gone.
pub(crate) fn keeps_running<R: Runtime>(app: &AppHandle<R>) -> bool {
    let shown = app.state::<Tray<R>>().state.lock().shown.is_some();
    shown && desktop::has_tray()
}

/// Whether Takt stays in the tray, and the desktop has one.
pub(crate) fn is_kept<R: Runtime>(app: &AppHandle<R>) -> bool {
    is_enabled(app) && desktop::has_tray()
}

/// The words that the menu has from now on; the first time the icon is made, where it is wanted.
pub(crate) fn set_words<R: Runtime>(app: &AppHandle<R>, words: TrayTexts) {
    app.state::<Tray<R>>().state.lock().words = Some(words);
    if is_enabled(app) && !show(app) {
        // Takt may have started without a window. A program without window and icon couldn't be ended.
        open_window_if_hidden(app);
    }
}

fn open_window_if_hidden<R: Runtime>(app: &AppHandle<R>) {
    let window = app.get_webview_window(window::MAIN);
    if let Some(window) = window.filter(|window| window.is_visible().is_ok_and(|visible| !visible)) {
        window::focus(&window);
    }
}

/// Keeps whether closing the window leaves Takt in the tray. False where no icon could be made.
pub(crate) fn set_enabled<R: Runtime>(app: &AppHandle<R>, enabled: bool) -> Result<bool, Problem> {
    if enabled {
        let shown = show(app);
        preferences::save_value(app, ENABLED, shown.into())?;
        return Ok(shown);
    }
    app.state::<Tray<R>>().state.lock().shown = None;
    preferences::save_value(app, ENABLED, false.into())?;
    Ok(true)
}

/// Whether the chosen site's receiver runs, for who looks at the menu.
pub(crate) fn set_receiving<R: Runtime>(app: &AppHandle<R>, runs: bool) {
    let tray = app.state::<Tray<R>>();
    let state = tray.state.lock();
    let receiving = state.shown.as_ref().map(|(_, receiving)| receiving.clone());
    // The menu waits for the thread that draws, which may be waiting for the state.
    drop(state);
    if let Some(Err(error)) = receiving.map(|receiving| receiving.set_checked(runs)) {
        tracing::debug!(%error, "the tray's menu is gone");
    }
}

/// Shows the window again, wherever it was left.
pub(crate) fn open_window<R: Runtime>(app: &AppHandle<R>) {
    if let Some(window) = app.get_webview_window(window::MAIN) {
        window::focus(&window);
    }
}

fn is_enabled<R: Runtime>(app: &AppHandle<R>) -> bool {
    let kept = preferences::store(app).ok().and_then(|store| store.get(ENABLED));
    kept.is_some_and(|value| value == true)
}

fn show<R: Runtime>(app: &AppHandle<R>) -> bool {
    let tray = app.state::<Tray<R>>();
    let mut state = tray.state.lock();
    let Some(words) = state.words.clone() else { return false };
    if !desktop::has_tray() {
        return false;
    }
    // An old icon leaves before a new one comes.
    state.shown = None;
    match desktop::guarded(|| build(app, &words)) {
        Ok(shown) => {
            state.shown = Some(shown);
            true
        }
        Err(problem) => {
            tracing::warn!(?problem, "no icon in the tray");
            false
        }
    }
}

fn build<R: Runtime>(app: &AppHandle<R>, words: &TrayTexts) -> Result<(TrayIcon<R>, CheckMenuItem<R>), Problem> {
    let failed = |error: tauri::Error| Problem::new(Code::Bug).details(error);
    let receiving = CheckMenuItem::with_id(app, RECEIVING, &words.receiving, true, false, None::<&str>);
    let receiving = receiving.map_err(failed)?;
    let open = MenuItem::with_id(app, OPEN, &words.open, true, None::<&str>).map_err(failed)?;
    let quit = MenuItem::with_id(app, QUIT, &words.quit, true, None::<&str>).map_err(failed)?;
    let line = PredefinedMenuItem::separator(app).map_err(failed)?;
    let menu = Menu::with_items(app, &[&open, &receiving, &line, &quit]).map_err(failed)?;
    let mut icon =
        TrayIconBuilder::with_id("takt").tooltip("Takt").menu(&menu).on_menu_event(|app, event| pressed(app, &event));
    if let Some(picture) = app.default_window_icon() {
        icon = icon.icon(picture.clone());
    }
    Ok((icon.build(app).map_err(failed)?, receiving))
}

fn pressed<R: Runtime>(app: &AppHandle<R>, event: &MenuEvent) {
    let item = match event.id().as_ref() {
        OPEN => MenuChoice::Open,
        QUIT => MenuChoice::Quit,
        RECEIVING => MenuChoice::Receiving,
        _ => return,
    };
    (app.state::<Tray<R>>().on_choice)(app, item);
}
